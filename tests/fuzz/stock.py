"""A small table, and valid files of every kind made from it, from which hostile files are derived."""

from __future__ import annotations

import contextlib
import io
import json
import random
import shlex
from pathlib import Path
from typing import Any
from unittest.mock import patch

from release.files.digest import digest_of
from release.spending import SUFFIX, noise_is_drawn
from synthbounds.cli import main

SCHEMA = {
    "synthbounds_schema": 1,
    "source": "public",
    "columns": [
        {"name": "age", "range": ["0", "100"], "bins": 4},
        {"name": "job", "levels": ["none", "part", "full"]},
        {"name": "owns", "levels": ["no", "yes"]},
        {"name": "insured", "levels": ["no", "yes"]},
    ],
}
HEADER = "age,job,owns,insured"
ROWS = 60
NOISE = "--epsilon 8 --dp-delta 1e-6 --mode simulate --seed 1"
FLOORS = f"release floors people.csv --schema s.json --label insured {NOISE} --reserve 1/4"
MAKE = (
    f"release moments people.csv --schema s.json --label insured {NOISE} --reserve 1/2 --output moments.json",
    f"release moments people.csv --schema s.json --label insured {NOISE} --reserve 1/2 --output open.json",
    f"release moments people.csv --schema s.json --label insured {NOISE} --fourth --output fourth.json",
    f"release marginals people.csv --schema s.json {NOISE} --output tables.json",
    f"{FLOORS} --tau 1/10 5 --output floors.json",
    f"{FLOORS} --tau 1 --output open-floors.json",
    f"synth people.csv --schema s.json {NOISE} --method tree --label insured --synthetic tree.csv",
    f"synth people.csv --schema s.json {NOISE} --method moments --label insured --synthetic cross.csv",
    "synth people.csv --schema s.json --epsilon 8 --mode simulate --seed 1 --method lp --synthetic lp.csv "
    "--certificate density.json",
    f"release distance people.csv tree.csv --schema s.json --label insured {NOISE} --output distance.json",
    f"release accuracy people.csv tree.csv --schema s.json --workload pairs {NOISE} --output errors.json",
    "train moments.json --tau 2 --output model.json",
    "certify moments.json model.json --certificate proof.json",
    "certify fourth.json model.json --certificate proof4.json",
    "confirm people.csv moments.json model.json --output query.json",
    "confirm people.csv floors.json --predictions predictions.csv --loss log --model-from public --output said.json",
    "approx --function logistic --interval -5,5 --degree 4 --certificate approx.json",
    "improve tree.csv --release cross.release.json --weights weights.csv --synthetic better.csv "
    "--table-spent 1,1e-8 --table-adjacency replace-one",
    "account open account.json --name people --adjacency replace-one --epsilon 40 --dp-delta 1e-6",
)
"""In this order. What a version does not know is left out, and with it the cases that would need its files."""
INTERRUPTED = (
    "synth people.csv --schema s.json --epsilon 8 --dp-delta 1e-6 --mode release --adjacency replace-one --method mst "
    "--synthetic kept.csv"
)
"""Ended after its first noise."""


def make_stock(folder: Path) -> list[str]:
    """Make all files in a folder; the commands that did not succeed, which a test expects to be none."""
    draws = random.Random(7)
    owners = ("none,no", "part,no", "part,yes", "full,yes")
    rows = [f"{draws.randrange(101)},{draws.choice(owners)},{draws.choice(('no', 'no', 'yes'))}" for _ in range(ROWS)]
    (folder / "s.json").write_text(json.dumps(SCHEMA))
    (folder / "people.csv").write_text("\n".join([HEADER, *rows, ""]))
    (folder / "predictions.csv").write_text("\n".join(["p", *(f"0.{draws.randrange(1000):03d}" for _ in rows), ""]))
    (folder / "shares.csv").write_text("owns,share\nno,1/3\nyes,2/3\n")
    impossible = {"impossible": [{"columns": ["job", "owns"], "values": [["none", "yes"]]}]}
    (folder / "impossible.json").write_text(json.dumps(impossible))
    (folder / "work.json").write_text(json.dumps({"synthbounds_workload": 1, "tables": [["age", "job"], ["owns"]]}))
    failed = []
    with contextlib.chdir(folder):
        _write_parquet()
        for line in MAKE:
            said = io.StringIO()
            with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
                code = main(shlex.split(line))
            if code:
                failed.append(f"{line}: exit {code}: {said.getvalue()}")
        if not _interrupt():
            failed.append(f"{INTERRUPTED}: left nothing")
    return failed


def _interrupt() -> bool:
    """Leave the recovery file of a release that ended after its first noise, with numbers that are always the same."""

    def ends(*details: Any) -> None:
        noise_is_drawn(*details)
        raise KeyboardInterrupt

    with patch("release.measure.noise_is_drawn", ends), contextlib.redirect_stderr(io.StringIO()):
        main(shlex.split(INTERRUPTED))
    kept = Path(f"kept.csv{SUFFIX}")
    if not kept.exists():
        return False
    body = json.loads(kept.read_text())
    body["asked"]["folder"] = "."  # wherever a case runs
    body["measurements"][0]["values"] = [ROWS // 3 + i for i in range(len(body["measurements"][0]["values"]))]
    kept.write_text(json.dumps(body | {"digest": digest_of(body)}))
    return True


def _write_parquet() -> None:
    from pyarrow import csv, parquet

    parquet.write_table(csv.read_csv("people.csv"), "people.parquet")
