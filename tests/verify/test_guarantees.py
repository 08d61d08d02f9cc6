"""Guarantees against runs of the algorithm: true ones are never rejected, and false ones are."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from synthbounds.cli import main
from tests.speeds import in_both, some
from verify import run_guarantees as run_guarantees_module
from verify.guarantee import Frequency, Guarantee, guarantees
from verify.run_guarantees import run_guarantees, store_at
from verify.spread.store import Store


@pytest.mark.share(3)
@in_both
@pytest.mark.parametrize("guarantee", guarantees(), ids=lambda g: g.id)
def test_no_guarantee_is_rejected(guarantee: Guarantee) -> None:
    (found,) = run_guarantees([guarantee], some(60))
    assert not found.rejected
    assert guarantee.promised < 1


def run_guarantee(
    guarantee: Guarantee, runs: int, monkeypatch: pytest.MonkeyPatch, store: Store | None = None
) -> Frequency:
    """Of one that nobody else knows."""
    monkeypatch.setattr(run_guarantees_module, "guarantees", lambda: (guarantee,))
    return run_guarantees([guarantee], runs, store=store)[0]


def broken(every: int) -> Guarantee:
    return Guarantee("x", "x", "sharp", Fraction(1, 10), "", lambda run: run % every == 0)


def test_a_promise_that_fails_too_often_is_rejected_and_others_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run_guarantee(broken(3), 300, monkeypatch).rejected
    assert not run_guarantee(broken(10), 300, monkeypatch).rejected


def test_runs_do_not_depend_on_their_order() -> None:
    guarantee = next(g for g in guarantees() if g.id == "bojkovic2024.uniform")
    forwards = [guarantee.fails(run) for run in range(6)]
    assert [guarantee.fails(run) for run in reversed(range(6))] == forwards[::-1]


def test_finished_runs_are_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    def fails(run: int) -> bool:
        made.append(run)
        return run % 2 == 0

    guarantee = Guarantee("x", "x", "sharp", Fraction(1, 10), "", fails)
    path = tmp_path / "runs"
    assert run_guarantee(guarantee, 150, monkeypatch, store_at(path)).failures == 75
    with path.open("a") as stream:
        stream.write('{"study": "x", "ver')  # killed while writing
    assert run_guarantee(guarantee, 250, monkeypatch, store_at(path)).failures == 125
    assert made == list(range(250))
    assert run_guarantee(guarantee, 100, monkeypatch, store_at(path)).failures == 50
    assert len(path.read_text().splitlines()) == 250


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask = ["verify", "--simulate", "5", "--id", "bojkovic2024.uniform.printed", "--store", str(tmp_path / "runs")]
    assert main([*ask, "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["guarantees"]
    assert row["runs"] == 5
    assert row["promised"] == 0.1
    assert main(ask) == 0
    assert "not rejected" in capsys.readouterr().out
    assert main(["verify", "--simulate", "0"]) == 2
    assert main(["verify", "--simulate", "5", "--id", "nothing"]) == 2
    assert main(["verify", "--store", "x"]) == 2
    assert main(["verify", "--simulate", "5", "--paper", "zhou2024"]) == 2
