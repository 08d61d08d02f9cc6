"""The parts by others: names, versions, digests, and how they are fetched into build/parts. None is ever committed.

A part whose digest is not the one given here is refused. If a part is not available (no network, no npm), `Missing`
says why in one line, and steps that need it are not run.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path

from docs_site.pages import ROOT

FOLDER = ROOT / "build" / "parts"
_MINUTES = 5


class Missing(Exception):
    """A part from which the calculator is built is not available here."""


@dataclass(frozen=True)
class Part:
    """One file of an index of packages."""

    file: str
    sha256: str
    command: tuple[str, ...]
    """Fetches it into the folder that is named by the last argument."""


PYODIDE = Part(
    "pyodide-314.0.7.tgz",
    "66b7949e5a0cba2250b586d7e368bf12fb482800748d182c4618254b685ffaa0",
    ("npm", "pack", "--silent", "pyodide@314.0.7", "--pack-destination"),
)
FLINT = Part(
    "python_flint-0.9.0-cp314-cp314-pyemscripten_2026_0_wasm32.whl",
    "b31f5c00e0e36040ab58d00b3025156e20869b990d776e4bf90f870b1ee11ad3",
    (
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "python-flint==0.9.0"),
        *("--no-deps", "--only-binary=:all:", "--platform", "pyemscripten_2026_0_wasm32"),
        *("--python-version", "314", "--implementation", "cp", "--abi", "cp314", "--dest"),
    ),
)
CORE = ("pyodide.mjs", "pyodide.js", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
"""The files of Pyodide's package that are used."""


def fetched(part: Part, folder: Path = FOLDER) -> Path:
    """The file of a part, from the folder or from its index; its digest is checked either way."""
    kept = folder / part.file
    if not kept.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            run_tool([*part.command, scratch], f"{part.file} cannot be fetched")
            found = Path(scratch, part.file)
            if not found.exists():
                raise Missing(f"{part.file} cannot be fetched: the index gave another file")
            _check(part, found)
            found.replace(kept)
    _check(part, kept)
    return kept


def _check(part: Part, path: Path) -> None:
    digest = sha256(path.read_bytes()).hexdigest()
    if digest != part.sha256:
        raise ValueError(f"{path}: sha256 is {digest}, must be {part.sha256}; delete the file if it is damaged")


@cache
def pyodide_folder() -> Path:
    """Pyodide's core, unpacked next to its package."""
    package = fetched(PYODIDE)
    kept = FOLDER / package.name.removesuffix(".tgz")
    if not kept.exists():
        with tempfile.TemporaryDirectory(dir=FOLDER) as scratch, tarfile.open(package) as archive:
            for name in CORE:
                content = archive.extractfile(f"package/{name}")
                assert content is not None
                Path(scratch, name).write_bytes(content.read())
            shutil.copytree(scratch, kept, dirs_exist_ok=True)
    return kept


def run_tool(command: Sequence[str | Path], failure: str) -> str:
    """What a tool prints; if it is not there or fails, why."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60 * _MINUTES, cwd=ROOT)
    except FileNotFoundError:
        raise Missing(f"{failure}: {command[0]} is not installed") from None
    except subprocess.TimeoutExpired:
        raise Missing(f"{failure}: {command[0]} took more than {_MINUTES} minutes") from None
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines() or ["no reason given"]
        raise Missing(f"{failure}: {said[-1]}")
    return done.stdout
