"""Everything that the guided way may be asked: who answers, and what a page must know after a reload.

No name of a file comes from a request: uploads, jobs, releases and accounts are looked up under names that were given
here, and files of a job among those that it made.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from bounds.errors import UsageError
from synthbounds.web.allowed import shown
from synthbounds.web.work.demos import DEMOS, demo_schema, demo_table
from synthbounds.web.work.jobs import Job, Jobs
from synthbounds.web.work.kept import Kept
from synthbounds.web.work.made import Made
from synthbounds.web.work.private_folder import PrivateFolder
from synthbounds.web.work.releasing import Releasing
from synthbounds.web.work.studying import Studying
from synthbounds.web.work.tickets import Tickets
from synthbounds.web.work.uploads import Upload, Uploads

_FIELDS = {
    "draft": {"table", "options"},
    "check-schema": {"table", "schema", "options"},
    "plan": {"schema", "options", "synth"},
    "simulate": {"table", "schema", "data", "records", "options"},
    "prepare": {"table", "schema", "kind", "account", "again", "release", "model", "predictions", "options"},
    "release": {"ticket"},
    "certify": {"release", "model", "options"},
    "evaluate": {"real", "synthetic", "test", "schema", "options"},
    "account": {"name", "action", "options"},
    "recover": {"release"},
}


class Desk:
    """The state of the guided way, for one person."""

    def __init__(
        self,
        private: PrivateFolder,
        kept: Kept,
        *,
        most_upload: int,
        demo: bool,
        runs: Callable[[Path], Jobs] = Jobs,
    ) -> None:
        self.most_upload, self.has_demos = most_upload, demo
        self.kept = kept
        self.uploads = Uploads(private.folder("uploads"), most_upload)
        self.jobs = runs(private.folder("jobs"))
        self.made = Made(self.jobs, kept)
        self._studying = Studying(self.uploads, self.jobs, kept, self.made)
        self._releasing = Releasing(self.uploads, self.jobs, Tickets(private.folder("tickets")), kept)
        self._page: dict[str, Any] = {}
        kept.settle()

    def demo(self, name: object) -> Upload:
        """An example table, as an upload."""
        if not self.has_demos:
            raise UsageError("there are no examples: start with --demo")
        if not isinstance(name, str) or name not in DEMOS:
            raise UsageError(f"name = {shown(name)}: must be one of {', '.join(DEMOS)}")
        return self.uploads.copy(demo_table(name), schema=demo_schema(name))

    def work(self, asked: dict[str, Any]) -> Job:
        """The job that does what is asked."""
        do = asked.get("do")
        if not isinstance(do, str) or do not in _FIELDS:
            raise UsageError(f"do = {shown(do)}: must be one of {', '.join(_FIELDS)}")
        for name in asked.keys() - {"do"} - _FIELDS[do]:
            raise UsageError(f"{shown(name)}: {do} has the fields {', '.join(sorted(_FIELDS[do]))}")
        makers: dict[str, Callable[[dict[str, Any]], Job]] = {
            "draft": self._studying.draft,
            "check-schema": self._studying.check_schema,
            "plan": self._studying.plan,
            "simulate": self._studying.simulate,
            "certify": self._studying.certify,
            "evaluate": self._studying.evaluate,
            "account": self._studying.account,
            "prepare": self._releasing.prepare,
            "release": self._releasing.release,
            "recover": self._releasing.recover,
        }
        return makers[do](asked)

    def state(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Everything that a page must know after a reload."""
        keep = asked.get("keep")
        if keep is not None:
            if not isinstance(keep, dict):
                raise UsageError(f"keep = {shown(keep)}: must be an object")
            self._page = keep
        if "forget" in asked:
            self.uploads.forget(asked["forget"])
        self.kept.settle()
        return {
            "uploads": [upload.to_json() for upload in self.uploads],
            "jobs": [job.message(whole=False) for job in self.jobs],
            "releases": self.kept.releases(),
            "accounts": self.kept.accounts(),
            "folder": self.kept.folder.name,
            "most_upload": self.most_upload,
            "demos": list(DEMOS) if self.has_demos else [],
            "page": self._page,
        }
