"""Plans: certificates foretold beside those that came out, and what a release of the survey needs."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import synthbounds as sb
from bounds.enclosure import decimal_text
from docs_site.numbers.names import ROOT, pick, run
from mechanisms.models.plan.certificate_plan import WORTH_IT
from mechanisms.planning.parameters import ONE_WAY, TWO_WAY

TABLES = ("adult", "dutch", "compas", "churn", "law", "heart")
NORMS, EPSILONS = (2, 5, 10), ("0.5", "1.0", "2.0")
_SURVEY = ROOT / "docs" / "examples" / "survey.schema.json"


@cache
def cases_of_runs() -> list[tuple[str, dict[str, Any]]]:
    record = run("planning")
    asked = ((name, norm, epsilon) for name in TABLES for norm in NORMS for epsilon in EPSILONS)
    return [(name, record[name][f"tau {norm}, epsilon {epsilon}"]) for name, norm, epsilon in asked]


def table() -> Iterator[Any]:
    """A table a row: n, features, and the ratios for both kinds of guess."""
    for name in TABLES:
        ratios = [
            row[f"{kind}_ratio"]
            for kind in ("reference", "like")
            for other, row in cases_of_runs()
            if other == name
        ]  # fmt: skip
        yield name, pick(run("planning")[name], "n", "features"), ratios


def ratios(kind: str) -> list[float]:
    """Median, least and largest."""
    found = [row[f"{kind}_ratio"] for _, row in cases_of_runs()]
    return [statistics.median(found), min(found), max(found)]


def query_ratios(kind: str) -> list[float]:
    """Least, largest and median."""
    found = [row[f"{kind}_query_ratio"] for _, row in cases_of_runs()]
    return [min(found), max(found), statistics.median(found)]


def cases(key: str, least: float, most: float) -> list[int]:
    """In how many cases a ratio is between these two, and how many there are."""
    return [sum(least <= row[key] <= most for _, row in cases_of_runs()), len(cases_of_runs())]


def wrong(kind: str) -> list[tuple[str, dict[str, Any]]]:
    """Where the answer whether a query pays was wrong."""
    return [
        (name, row)
        for name, row in cases_of_runs()
        if row[f"{kind}_says_query_pays"] != (row["query"] < WORTH_IT * row["certificate"])
    ]


def right(kind: str) -> int:
    return len(cases_of_runs()) - len(wrong(kind))


def wrong_likes() -> list[Any]:
    """Three yeses on Compas or Churn; what the query's certificate came to there, over the other."""
    found = wrong("like")
    sizes = [row["query"] / row["certificate"] for _, row in found]
    named = {name for name, _ in found} == {"compas", "churn"} and all(row["like_says_query_pays"] for _, row in found)
    return [named, len(found) == 3, min(sizes), max(sizes)]


def gain(name: str) -> float:
    """What groups gain at norm 5 and epsilon 1."""
    row = run("certify")[f"{name}_tau5_degree2"]
    return float(1 - row["mean"] / row["one_quadratic_mean"])


def improvements() -> list[str]:
    """What changes are foretold to bring, and what they brought, at norms 5 and 2; three digits."""
    rows = [run("improving")[f"adult, tau {norm}"] for norm in (5, 2)]
    parts = ("estimate", "certificate")
    return [
        *(_three(row["none"]) for row in rows),
        *_change("epsilon 2", [_three(row[f"epsilon_{part}"]) for row in rows for part in parts]),
        *_change("times 4/5", [_three(row[f"tau_{part}"]) for row in rows for part in parts]),
        *(_three(row[f"fourth_{part}"]) for row in rows for part in parts),
    ]


def _change(words: str, cells: list[str]) -> list[str]:
    return [words, *cells]


def _three(value: float) -> str:
    return f"{Decimal(f'{value:#.3g}'):f}".removeprefix("0")


@cache
def _plan(**asked: Any) -> Any:
    return sb.plan_release(_SURVEY, **asked)


def errors(n: int, kind: str) -> list[str]:
    """The best certified error without a delta and with it, rounded up."""
    best = (_plan(n=n).best(kind, pure=pure) for pure in (True, False))
    return [decimal_text(one.error(kind), 3, up=True) for one in best]


def least_epsilon(n: int) -> list[Fraction]:
    """For one-way shares within 0.01 without a delta, and one step below."""
    least = _plan(n=n, error="0.01").least(pure=True)
    return [least.value, least.neighbour]


def records() -> int:
    """For two-way cells within 0.01 at epsilon 1."""
    return int(_plan(epsilon=1, error="0.01", of=TWO_WAY).least(pure=False).value)


__all__ = ["ONE_WAY", "TWO_WAY"]
