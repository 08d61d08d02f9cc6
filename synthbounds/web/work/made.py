"""What jobs and releases have made, by names given here: no name from a request opens a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bounds.errors import UsageError
from synthbounds.web.work.jobs import Job, Jobs
from synthbounds.web.work.kept import Kept, files_in


class Made:
    """Of one server, and of the releases of all."""

    def __init__(self, jobs: Jobs, kept: Kept) -> None:
        self._jobs, self._kept = jobs, kept

    def job(self, asked: dict[str, Any]) -> Job:
        found = self._jobs.find(asked.get("job"))
        if found is None:
            raise UsageError("there is no such job: it may be from an earlier start")
        return found

    def file(self, asked: dict[str, Any]) -> Path:
        """A file of a job or of a release, among those that are shown."""
        name = asked.get("name")
        if "release" in asked:
            place = self._kept.place(asked["release"])
            names = [one["name"] for one in files_in(place)]
        else:
            job = self.job(asked)
            place, names = job.order.folder, [one["name"] for one in job.files()]
        if not isinstance(name, str) or name not in names:
            raise UsageError("there is no such file")
        return place / name

    def numbers_of(self, name: object) -> Path:
        """The file with the noisy numbers of a release, or of a simulation by its job."""
        job = self._jobs.find(name)
        place = job.order.folder if job is not None else self._kept.place(name)
        for pattern in ("release.json", "*.release.json", "*.log.json"):
            for path in sorted(place.glob(pattern)):
                return path
        raise UsageError("release: contains no noisy numbers by which a model can be certified; choose another method")
