"""A report says nothing about a private table beyond what was published: made again without the table, it is the same.

This is tried for every method and kind of release, in both modes and under both adjacencies: the page is rebuilt from
the published files, with the table gone, and compared byte by byte. In addition, the page is searched for unmistakable
exact counts.
"""

from __future__ import annotations

import argparse
import csv
import re
from collections.abc import Callable
from fractions import Fraction
from html import unescape
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mechanisms.synth.choose import Choice
from mechanisms.synth.known import known_from_log, known_from_marginals, known_from_moments
from mechanisms.synth.make import independent_rows
from mechanisms.synth.make_by_log import rows_of
from mechanisms.synth.private_table import PrivateTable
from mechanisms.tilt.rows import draw_rows
from release.cross_moments.file import CrossMoments
from release.data.schema import parse_schema
from release.data.tables import read_codes
from release.log.file import MarginalLog
from release.marginals.file import Marginals
from release.noise.kinds import NOT_A_RELEASE
from synthbounds.api.releases import open_release
from synthbounds.cli import main
from synthbounds.cli.outcome import Outcome, inputs_of
from synthbounds.cli.page_file import page_of
from synthbounds.cli.run import _options
from synthbounds.render.private_table import private_table_document
from synthbounds.report.release_sheet import release_sheet
from synthbounds.report.sheet import Sheet
from synthbounds.report.table_sheet import private_table_sheet

SCHEMA = """{"synthbounds_schema": 1, "source": "public", "columns": [
 {"name": "sex", "levels": ["F", "M"]},
 {"name": "ward", "levels": ["north", "east", "south"], "missing": true},
 {"name": "age", "range": ["0", "100"], "bins": 5, "whole": true},
 {"name": "ill", "levels": ["no", "yes"]}]}
"""
N = 4357
"""Records: a number that is nowhere else, as are most exact counts of so many."""
RUNS = [
    ("hidden", "release"),
    ("public", "simulate"),
    pytest.param("hidden", "simulate", marks=pytest.mark.slow),
    pytest.param("public", "release", marks=pytest.mark.slow),
]
ADJACENCY = {"public": ["--adjacency", "replace-one"], "hidden": ["--adjacency", "add-remove", "--least-size", "4000"]}
METHODS = {
    "moments": ["--method", "moments", "--dp-delta", "1e-6", "--label", "ill"],
    "independent": ["--method", "independent"],
    "mst": ["--method", "mst", "--dp-delta", "1e-6"],
    "gen": ["--method", "gen", "--dp-delta", "1e-6", "--degree", "2"],
    "lp": ["--method", "lp", "--degree", "2", "--anyway"],
}
RELEASES = {
    "moments": ["--label", "ill", "--dp-delta", "1e-6"],
    "marginals": [],
    "floors": ["--label", "ill", "--dp-delta", "1e-6"],
    "distance": ["--label", "ill"],
    "accuracy": ["--workload", "cells:2"],
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("mechanisms.tilt.fit.COARSE", 200)
    monkeypatch.setattr("mechanisms.tilt.fit.FINE", 400)
    Path("s.json").write_text(SCHEMA)
    stream = np.random.default_rng(11)
    columns = [
        stream.choice(["F", "M"], N, p=[0.61, 0.39]),
        stream.choice(["north", "east", "south", ""], N, p=[0.52, 0.26, 0.2, 0.02]),
        stream.choice(100, N),
        stream.choice(["no", "yes"], N, p=[0.7, 0.3]),
    ]
    with Path("t.csv").open("w", newline="") as stream_out:
        csv.writer(stream_out).writerows([("sex", "ward", "age", "ill"), *zip(*columns, strict=True)])
    Path("y.csv").write_text("sex,ward,age,ill\nF,north,7,no\nM,east,70,yes\n")
    return tmp_path


def secrets_of(table: str) -> set[str]:
    """Exact counts of single columns and of pairs that are long enough not to be met by chance."""
    schema = parse_schema(SCHEMA)
    codes = read_codes(table, schema)
    counted = {len(codes)}
    for u, v in combinations(range(codes.shape[1]), 2):
        counted |= set(np.unique(codes[:, u], return_counts=True)[1].tolist())
        counted |= set(np.unique(codes[:, [u, v]], axis=0, return_counts=True)[1].tolist())
    return {str(count) for count in counted if count >= 1000}


def numbers_in(page: str) -> set[str]:
    """Whole numbers that a reader sees, thousands not separated, and those of attributes."""
    text = unescape(re.sub(r"<style>.*?</style>", "", page, flags=re.S))
    return set(re.findall(r"(?<![\d.])\d+(?![\d.]*\d)", re.sub(r"(?<=\d),(?=\d{3})", "", text)))


def require_no_secret(page: str, published: str, adjacency: str) -> None:
    """No exact count that is not published is in the page; n is where it is public."""
    known = secrets_of("t.csv") - numbers_in(published) - ({str(N)} if adjacency == "public" else set())
    assert len(known) >= 5
    assert not known & numbers_in(page)


def finished(sheet: Sheet, command: str, options: list[str], *, simulated: bool) -> str:
    """The sheet as the command line finishes it, from public words alone."""
    asked: argparse.Namespace = _options([command, *options])
    inputs = {name: said for name, said in inputs_of(asked).items() if name != "kind"}
    warnings = (NOT_A_RELEASE,) if simulated else ()
    again = Outcome(tuple, dict, warnings, inputs=inputs, spent=not simulated, report=lambda: sheet)
    page = page_of(again, asked)
    assert page is not None
    return page.decode()


def table_again(method: str) -> PrivateTable:
    """What was made, from its release or log alone."""
    found: Any = open_release("o.log.json" if Path("o.log.json").exists() else "o.release.json")
    beta = Fraction(1, 20)
    fit: Any = None
    if isinstance(found, CrossMoments):
        fit = draw_rows(found, found.stated_size)
        rows = fit.codes
        known = known_from_moments(found, rows, beta)
        target = found.ledger.target
    elif isinstance(found, Marginals):
        rows = independent_rows(found, found.size)
        known, target = known_from_marginals(found, rows), found.plan
    else:
        assert isinstance(found, MarginalLog)
        rows, fit = rows_of(found, found.stated_size)
        known, target = known_from_log(found, rows, beta), found.ledger.target
    assert (rows == read_codes("o.csv", found.schema)).all()
    delta = target.dp_delta if isinstance(found, Marginals) else target.delta.lo
    return PrivateTable(
        choice=Choice(method, "asked for"),
        release=found,
        rows=rows,
        known=known,
        epsilon=Fraction(1),
        dp_delta=delta,
        fit=fit,
        too_few=False,
    )


@pytest.mark.parametrize(("adjacency", "mode"), RUNS)
@pytest.mark.parametrize("method", METHODS)
def test_a_table_has_the_page_of_its_files(place: Path, method: str, adjacency: str, mode: str) -> None:
    options = ["t.csv", "--schema", "s.json", "--epsilon", "1", "--mode", mode, "--synthetic", "o.csv"]
    options += [*METHODS[method], *ADJACENCY[adjacency], "--report", "r.html"]
    assert main(["synth", *options]) == 0
    page = Path("r.html").read_text()
    require_no_secret(page, "".join(p.read_text() for p in place.glob("o.*")), adjacency)
    if method != "lp":  # its noisy answers are in no file
        Path("t.csv").unlink()
        made = table_again(method)
        kept = "o.log.json" if Path("o.log.json").exists() else "o.release.json"
        sheet = private_table_sheet(made, private_table_document(made, "o.csv", kept, None))
        assert finished(sheet, "synth", options, simulated=mode == "simulate") == page


@pytest.mark.parametrize(("adjacency", "mode"), RUNS)
@pytest.mark.parametrize("kind", RELEASES)
def test_a_release_has_the_page_of_its_file(place: Path, kind: str, adjacency: str, mode: str) -> None:
    options = [kind, "t.csv", "--schema", "s.json", "--epsilon", "1", "--mode", mode, "--output", "o.json"]
    if kind in ("distance", "accuracy"):
        options.insert(2, "y.csv")
    options += [*RELEASES[kind], *ADJACENCY[adjacency], "--report", "r.html"]
    assert main(["release", *options]) == 0
    page = Path("r.html").read_text()
    known = (
        secrets_of("t.csv") - numbers_in(Path("o.json").read_text()) - ({str(N)} if adjacency == "public" else set())
    )
    assert len(known) >= 5
    assert not known & numbers_in(page)
    Path("t.csv").unlink()
    found: Any = open_release("o.json")
    sheet = release_sheet(found, DOCUMENTS[kind](found), Fraction(1, 20))
    assert finished(sheet, "release", options, simulated=mode == "simulate") == page


def _floors_document(found: Any) -> Any:
    from release.floors.intervals import floor_intervals
    from synthbounds.render.floors import floors_document

    return floors_document(found, floor_intervals(found, Fraction(1, 20)), "o.json")


def _comparison_document(found: Any) -> Any:
    from synthbounds.render.comparison import accuracy_document, distance_document

    document: Any = distance_document if found.KIND == "distance" else accuracy_document
    return document(found, "o.json", "y.csv", Fraction(1, 20))


def _marginals_document(found: Any) -> Any:
    from synthbounds.render.marginals import marginals_document

    return marginals_document(found, "o.json")


def _moments_document(found: Any) -> Any:
    from synthbounds.render.moment_release import release_document

    return release_document(found, "o.json", None)


DOCUMENTS: dict[str, Callable[[Any], Any]] = {
    "moments": _moments_document,
    "marginals": _marginals_document,
    "floors": _floors_document,
    "distance": _comparison_document,
    "accuracy": _comparison_document,
}


def test_a_leak_is_found(place: Path) -> None:
    """The instruments themselves: an exact count in a page is seen, in words, tables and attributes."""
    known = secrets_of("t.csv")
    one = max(known)
    for page in (f"<p>{int(one):,} records</p>", f"<td>{one}</td>", f'<svg aria-label="{one} of them">'):
        assert known & numbers_in(page)
    assert not known & numbers_in(f"<p>0.{one} and {one}.5 and 1{one}</p>")
