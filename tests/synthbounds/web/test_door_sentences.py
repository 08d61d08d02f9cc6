"""Sentences say what the answer says, rounded to the true side, and say clearly when it says nothing."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import pytest

from synthbounds.render.sentences import NO_PROMISE
from tests.synthbounds.web.asking import RISK, SIZES, ask

ENDS = "at epsilon = 0.2 (replace-one; n is public)"
SOLVED = {"p": "10", "degree": "2", "n": "2000", "accuracy": "0.1", "failure": "0.05", "solve-for": "epsilon"}


def said(command: str, **options: object) -> str:
    found: str = ask(command, **options)["sentence"]
    return found


def test_sizes() -> None:
    body = ask("require", **SIZES)["body"]
    words = "the share of records with a 1 in each of up to 2 attributes (56 queries) will be within 0.1 of the truth"
    assert said("require", **SIZES) == (
        f"{body['n']:,} records are enough: {words}, except with probability 0.05, {ENDS}. "
        f"No mechanism can do with fewer than {body['lower_bound']['n']} records."
    )
    private = said("require", **SIZES, adjacency="add-remove")
    assert "(add-remove; n is private)" in private
    arbitrary = said("require", p="10", queries="1", epsilon="0.2", accuracy="0.1", failure="0.05")
    assert "the answers to 1 query with values in [-1, 1] will be" in arbitrary
    independent = said("require", **{**SIZES, "p": "3"}, measure="kde")
    assert independent.endswith("for records drawn independently from one distribution.")


def test_a_lower_bound_is_no_promise_to_anybody() -> None:
    found = said("require", theorem="synthbounds.lower-bound", **{**SIZES, "degree": "1"})
    assert re.match(r"No mechanism can do with fewer than \d+ records if the share .* must be", found)


def test_what_records_allow() -> None:
    solved = ask("require", **SOLVED)
    value, beside = solved["body"]["solved"]["value"], solved["body"]["solved"]["neighbour"]
    assert solved["sentence"].startswith(f"With 2,000 records, epsilon can be as small as {value}: the share ")
    assert solved["sentence"].endswith(
        f"For {beside}, {solved['body']['solved']['neighbour_n']:,} records would be needed."
    )


@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("require", {"p": "3", "degree": "2", "epsilon": "1", "delta": "0.5", "gamma": "0.25", "edition": "printed"}),
        ("require", {**SIZES, "accuracy": "0.6"}),
        ("risk", {**RISK, "n": "100"}),
        ("compare", {**SIZES, "accuracy": "0.7"}),
        ("compare", {**RISK, "n": "10"}),
        ("certify", {"plan": True, "features": "10", "n": "10", "epsilon": "0.1"}),
    ],
)
def test_what_promises_nothing_says_so_first(command: str, options: dict[str, Any]) -> None:
    assert said(command, **options).startswith(f"{NO_PROMISE}: ")


def test_excess_risk_is_rounded_up_and_the_floor_down() -> None:
    known = {"features": "10", "radius": "1", "marginals": "2", "marginal-error": "0.01", "intercept": "0"}
    found = ask("risk", **known)
    match = re.fullmatch(
        r"The model has at most (\S+) more mean loss than the best of its class. For some data it is (\S+) or more\.",
        found["sentence"],
    )
    assert match is not None
    bound, floor = found["body"]["bound"], found["body"]["lower_bound"]["value"]
    assert 0 <= Fraction(match[1]) - Fraction(bound["hi"]) < Fraction(bound["hi"]) / 1000
    assert 0 <= Fraction(floor["lo"]) - Fraction(match[2]) < Fraction(floor["lo"]) / 1000


def test_records_for_a_target() -> None:
    found = ask("risk", **RISK, target="0.1")
    assert found["sentence"].startswith(
        f"{found['body']['required_n']:,} records are enough, the fewest that these bounds allow: the model has at "
        "most 0.1 more mean loss than the best of its class, except with probability 0.01, at epsilon = 1, dp-delta = "
    )


def test_a_comparison_names_the_fewest_that_keep_the_promise() -> None:
    found = ask("compare", **SIZES)
    kept = [r for r in found["body"]["rows"] if r["applies"] and not r["misses"] and not r["guarantee"]["vacuous"]]
    fewest = min(row["n"] for row in kept)
    assert found["sentence"].startswith(f"{fewest:,} records are enough by ")
    assert f"the fewest of {len(kept)} statements" in found["sentence"]
