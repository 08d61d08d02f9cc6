"""Hostile input of every kind: a fixed number of cases, and that the judge notices what it should."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz import judging
from tests.fuzz.campaign import SHARES, campaign, run_case
from tests.fuzz.certificates import is_canonical
from tests.fuzz.files import file_case
from tests.fuzz.judging import judge
from tests.fuzz.stock import make_stock
from tests.fuzz.tables import table_case
from tests.fuzz.templates import TEMPLATES

QUICK, ALL = 180, 4000
SEED = 1


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stock")
    assert make_stock(folder) == []
    return folder


def test_hostile_input_ends_as_documented(stock: Path) -> None:
    told: list[str] = []
    found = campaign(QUICK, SEED, stock, SHARES, tell=told.append)
    assert told == []
    assert set(found) == set(SHARES)


@pytest.mark.slow
def test_much_hostile_input_ends_as_documented(stock: Path) -> None:
    told: list[str] = []
    found = campaign(ALL, SEED + 1, stock, SHARES, tell=told.append)
    assert told == []
    assert all(len(tally.codes) > 1 for tally in found.values())  # some of it is fine, or the test would have no power


@pytest.mark.slow
@pytest.mark.parametrize("words", TEMPLATES, ids=" ".join)
def test_what_is_made_hostile_works_as_it_stands(words: tuple[str, ...], stock: Path) -> None:
    verdict = judge(words, stock, {})
    assert (verdict.code, verdict.faults) == (0, ()), verdict.said


def test_a_case_is_the_same_in_every_run(stock: Path) -> None:
    for make in (file_case, table_case):
        first, again = (make(random.Random("a seed"), stock) for _ in range(2))
        assert first == again


def _writes(text: str, code: int, *, to_file: str = "") -> Callable[[list[str]], int]:
    def main(arguments: list[str]) -> int:
        sys.stderr.write(text)
        if to_file:
            Path(to_file).write_text("Zzyzx41719")
        return code

    return main


def _raises(arguments: list[str]) -> int:
    raise ValueError("a cell")


ERROR = "synthbounds: error: no\n"
SEEN: dict[str, tuple[Any, str]] = {
    "an exception": (_raises, "an exception came out"),
    "a bug": (_writes("synthbounds: error: a bug of ours: KeyError: 'x'\n", 70), "exit 70"),
    "another code": (_writes(ERROR, 9), "exit 9"),
    "two lines": (_writes(ERROR * 2, 3), "not one line"),
    "no line": (_writes("", 3), "not one line"),
    "a line too much": (_writes(ERROR, 0), "and yet"),
    "a traceback": (_writes("synthbounds: error: Traceback\n", 3), "traceback"),
    "a value": (_writes("synthbounds: error: the value Zzyzx41719\n", 3), "came out"),
    "a value in a file": (_writes("", 0, to_file="o.json"), "came out"),
    "half a file": (_writes("", 0, to_file=".synthbounds-x.part"), "left over"),
    "a file after a failure": (_writes(ERROR, 3, to_file="o.json"), "was written"),
}


@pytest.mark.parametrize("name", SEEN)
def test_what_is_wrong_is_seen(name: str, stock: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    main, words = SEEN[name]
    monkeypatch.setattr(judging, "main", main)
    faults = judge(["list"], stock, {}, secrets=("Zzyzx41719",)).faults
    assert any(words in fault for fault in faults), faults


def test_what_can_be_read_in_two_ways_is_not_canonical() -> None:
    for text in ('{"a": 1, "b": ["\\u0041", true]}', " [1 , 2]\n"):
        assert is_canonical(text)
    for text in ('{"a": 1, "a": 1}', "[-0]", "[1.0]", "[1e1]", "[NaN]"):
        assert not is_canonical(text) or text in ("[1.0]", "[NaN]")


def test_kinds_of_cases_give_different_verdicts(stock: Path) -> None:
    for kind in SHARES:
        assert run_case(kind, SEED, 0, stock).faults == ()
