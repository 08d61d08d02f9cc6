"""Releasing commands on small tables, each run in its own folder, and how a run may end."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
MARK = "drawn.mark"
SPENT = "count epsilon as spent"
MODE = "--mode release --adjacency replace-one --epsilon 2"
TABLE = f"t.csv --schema t.json {MODE}"
DELTA = "--dp-delta 1e-6"
COMMANDS = {
    "lp": f"synth b.csv --schema b.json {MODE} --degree 2 --anyway --method lp --synthetic x.csv",
    "moments": f"release moments {TABLE} {DELTA} --label c --output x.json",
    "marginals": f"release marginals {TABLE} --output x.json",
    "floors": f"release floors {TABLE} {DELTA} --label c --tau 1 5 --output x.json",
    "distance": f"release distance t.csv u.csv --schema t.json {MODE} --label c --output x.json",
    "accuracy": f"release accuracy t.csv u.csv --schema t.json {MODE} --workload pairs --output x.json",
    "table": f"synth {TABLE} {DELTA} --method moments --label c --synthetic x.csv",
    "independent": f"synth {TABLE} --method independent --synthetic x.csv",
    **{m: f"synth {TABLE} {DELTA} --method {m} --synthetic x.csv" for m in ("mst", "aim", "gen", "gem", "rap", "merf")},
    "tree": f"synth {TABLE} {DELTA} --method tree --label c --synthetic x.csv",
    "ssp": f"regress {TABLE} {DELTA} --label c --method ssp-edge --output x.json",
    "dd-ssp": f"regress {TABLE} {DELTA} --label c --method dd-ssp --output x.json",
    "adassp": f"regress {TABLE} {DELTA} --label c --method adassp --output x.json",
    "objpert": "regress t.csv --schema t.json --mode release --adjacency add-remove --least-size 1000 --epsilon 2 "
    f"{DELTA} --label c --method objpert --output x.json",
    "gradient": "confirm t.csv r.json m.json --anyway --ask gradient --output x.json",
    "excess": "confirm t.csv r.json m.json --anyway --ask excess --output x.json",
}
STILL_S = 30.0
"""A run that has used no CPU time for this long is stuck."""
LONG = f"synth w.csv --schema w.json {MODE} --degree 3 --anyway --method lp --synthetic x.csv"
"""Its solver runs for seconds after the noise."""
ACCOUNT = "people.json"


@dataclass
class Ended:
    """One run: how it ended, and what it left."""

    code: int
    said: str
    drawn: bool
    files: dict[str, bytes] = field(repr=False)
    cpu_s: float
    after_s: float = 0.0
    """Seconds from the signal, if one was sent, to the end."""
    waits: bool = False
    """Whether it did not end on its own and was sent SIGTERM."""

    @property
    def kept(self) -> bool:
        """Whether a recovery file has what was drawn."""
        return any(name.endswith(".recovery.json") and b'"measurements"' in body for name, body in self.files.items())

    @property
    def target(self) -> bool:
        return "x.json" in self.files or "x.csv" in self.files

    @property
    def leftovers(self) -> bool:
        return any(name.startswith(".synthbounds") for name in self.files)

    @property
    def lines(self) -> int:
        """Number of its own error lines; a library may print others. A traceback counts as none."""
        return 0 if "Traceback" in self.said else self.said.count("synthbounds: error: ")

    @property
    def says_spent(self) -> bool:
        return SPENT in self.said


def prepare(folder: Path) -> None:
    """Tables, schemas, a release that keeps budget, a model and an account."""
    stream = np.random.default_rng(20)
    for name, columns, levels, rows in (("t", 5, 4, 2000), ("b", 12, 2, 5000), ("w", 16, 2, 5000)):
        codes = stream.integers(0, levels, (rows, columns))
        codes[:, 2] = (codes[:, 0] + codes[:, 1] > 1) & (codes[:, 2] > 0)
        labels = [f"{'abcdefghijklmnop'[u]}" for u in range(columns)]
        lines = [",".join(labels), *(",".join(map(str, row)) for row in codes)]
        (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        sizes = [2 if u == 2 else levels for u in range(columns)]
        body = [{"name": label, "levels": [str(i) for i in range(s)]} for label, s in zip(labels, sizes, strict=True)]
        text = json.dumps({"synthbounds_schema": 1, "source": "public", "columns": body})
        (folder / f"{name}.json").write_text(text, encoding="utf-8")
    shutil.copy(folder / "t.csv", folder / "u.csv")
    for line in (
        f"release moments {TABLE} {DELTA} --label c --reserve 1/2 --output r.json",
        "train r.json --tau 1 --output m.json",
        f"account open {ACCOUNT} --name people --adjacency replace-one --epsilon 100 {DELTA}",
    ):
        done = run(line.split(), folder, hooked=False)
        assert done.code == 0, done.said


@contextmanager
def fresh(made: Path) -> Iterator[Path]:
    """A copy of the prepared folder."""
    with TemporaryDirectory(prefix="harden-") as name:
        folder = Path(name)
        for path in made.iterdir():
            shutil.copy(path, folder)
        yield folder


def start(
    arguments: list[str], folder: Path, *, fault: str = "none", limit_mb: int | None = None, hooked: bool = True
) -> subprocess.Popen[bytes]:
    """The command, which may take a minute of CPU time."""

    def limits() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
        if limit_mb is not None:
            resource.setrlimit(resource.RLIMIT_AS, (limit_mb * 2**20,) * 2)

    module = ["benchmarks.harden_child", MARK, fault] if hooked else ["synthbounds"]
    return subprocess.Popen(
        [sys.executable, "-m", *module, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=limits,
    )


def ended(process: subprocess.Popen[bytes], folder: Path, began: float | None = None) -> Ended:
    """Wait for the end and inspect the files; a stuck run gets SIGTERM, and is killed if it does not end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ticks, waits, said = -1, False, None
    while said is None:
        try:
            said = process.communicate(timeout=STILL_S)[1].decode(errors="replace")
        except subprocess.TimeoutExpired:
            if (now := _ticks(process.pid)) > ticks:
                ticks = now
            elif waits:
                process.kill()
            else:
                waits, began = True, time.monotonic()
                process.terminate()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Ended(
        code=process.returncode,
        said=said,
        drawn=(folder / MARK).exists(),
        files={path.name: path.read_bytes() for path in folder.iterdir()},
        cpu_s=used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime,
        after_s=0.0 if began is None else time.monotonic() - began,
        waits=waits,
    )


def _ticks(process: int) -> int:
    """CPU time of a process and its children so far."""
    folder = Path(f"/proc/{process}")
    try:
        own = sum(map(int, (folder / "stat").read_text().rpartition(")")[2].split()[11:15]))
        children = [int(child) for path in folder.glob("task/*/children") for child in path.read_text().split()]
    except OSError:  # it has ended
        return 0
    return own + sum(map(_ticks, children))


def run(arguments: list[str], folder: Path, **options: object) -> Ended:
    return ended(start(arguments, folder, **options), folder)  # type: ignore[arg-type]
