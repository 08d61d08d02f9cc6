"""The files of a version, source and wheel, with the same bytes wherever and whenever they are built.

`python -m tests.distribution FOLDER` builds the last commit from a clone, so that nothing lying around gets in, and the
wheel from the source distribution, so that nothing is missing there. Files carry the time of the commit and the same
permissions; constraints.txt pins the version of the builder.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from tests.paths import ROOT


def build_distribution(folder: Path) -> tuple[Path, Path]:
    """The source distribution and the wheel, in a folder that may contain others."""
    with tempfile.TemporaryDirectory() as name:
        clone, made = Path(name) / "clone", Path(name) / "made"
        _run("git", "clone", "--quiet", "--no-hardlinks", ROOT, clone)
        when = _run("git", "log", "-1", "--format=%ct", cwd=clone).strip()
        build(clone, made, SOURCE_DATE_EPOCH=when)
        (source,), (wheel,) = made.glob("*.tar.gz"), made.glob("*.whl")
        folder.mkdir(parents=True, exist_ok=True)
        _same_bytes(source, folder / source.name, int(when))
        (folder / wheel.name).write_bytes(wheel.read_bytes())
    return folder / source.name, folder / wheel.name


def build(project: Path, folder: Path, **environment: str) -> None:
    """A source distribution and, from it, a wheel."""
    uv, pinned = Path(sys.prefix) / "bin" / "uv", ROOT / "constraints.txt"
    _run(uv, "build", "--quiet", "--build-constraints", pinned, "--out-dir", folder, project, **environment)


def digest_of(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _run(*command: str | Path, cwd: Path = ROOT, **environment: str) -> str:
    kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    said = kept | environment | {"UV_PYTHON_DOWNLOADS": "never"}
    done = subprocess.run(list(map(str, command)), cwd=cwd, env=said, capture_output=True, text=True, umask=0o022)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}: {done.stderr[-2000:]}")
    return done.stdout


def _same_bytes(source: Path, target: Path, when: int) -> None:
    """The builder records its own time and user; every build of a commit should record the commit's."""

    def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.mtime, member.uid, member.gid, member.uname, member.gname = when, 0, 0, "", ""
        member.pax_headers = {}
        return member

    with (
        tarfile.open(source) as old,
        target.open("wb") as file,
        gzip.GzipFile("", "wb", fileobj=file, mtime=when) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            new.addfile(plain(member), old.extractfile(member) if member.isfile() else None)


if __name__ == "__main__":
    for built in build_distribution(Path(sys.argv[1])):
        print(f"{digest_of(built)}  {built}")
