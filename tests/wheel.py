"""The wheel of the last commit, with the same bytes wherever and whenever it is built: `python -m tests.wheel FOLDER`.

It is built from a clone, so that no stray files get in. Files have the time of the commit and the same permissions; the
version of the builder is in constraints.txt.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.paths import ROOT


def build_wheel(folder: Path) -> Path:
    """The file that was made, in a folder that may hold others."""

    def run(*command: str | Path, cwd: Path = ROOT, **environment: str) -> str:
        kept = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
        done = subprocess.run(
            [str(part) for part in command],
            cwd=cwd,
            env=kept | environment,
            capture_output=True,
            text=True,
            umask=0o022,
        )
        if done.returncode:
            raise SystemExit(f"{' '.join(map(str, command))}: {done.stderr[-2000:]}")
        return done.stdout

    with tempfile.TemporaryDirectory() as name:
        clone, made = Path(name) / "clone", Path(name) / "made"
        run("git", "clone", "--quiet", "--no-hardlinks", ROOT, clone)
        when = run("git", "log", "-1", "--format=%ct", cwd=clone).strip()
        run(
            *(Path(sys.prefix) / "bin" / "uv", "build", "--quiet", "--wheel"),
            *("--build-constraints", clone / "constraints.txt", "--out-dir", made, clone),
            SOURCE_DATE_EPOCH=when,
            UV_PYTHON_DOWNLOADS="never",
        )
        (wheel,) = made.glob("*.whl")
        folder.mkdir(parents=True, exist_ok=True)
        found = folder / wheel.name
        found.write_bytes(wheel.read_bytes())
        return found


def digest_of(wheel: Path) -> str:
    return hashlib.sha256(wheel.read_bytes()).hexdigest()


if __name__ == "__main__":
    found = build_wheel(Path(sys.argv[1]))
    print(f"{digest_of(found)}  {found}")
