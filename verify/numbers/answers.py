"""What theorems answer: sizes, their terms and quantities, values of helper statements. Most marks use these."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from bounds.enclosure import Enclosure
from bounds.queries import QueryFamily
from bounds.registry import find_theorem
from bounds.sizes.evaluate import evaluate
from bounds.sizes.require import require
from bounds.sizes.requirement import Alternative, Requirement, TermResult
from bounds.sizes.setting import build_setting
from bounds.values import ValueResult, evaluate_value
from verify.guarantee import ACCURACY, CONFIDENCE, Guarantee, guarantees

USUAL: dict[str, Any] = {"epsilon": "0.2", "delta": "0.05", "gamma": "0.05"}
"""The parameters used on most pages about bojkovic2024."""


def sizes(theorem: str, edition: str = "sharp", **question: Any) -> Requirement:
    """The sizes of a theorem."""
    return require(theorem=theorem, edition=edition, **question)


def ask(theorem: str, edition: str = "sharp", **question: Any) -> Requirement:
    """The sizes of a theorem of bojkovic2024, in the usual question unless told otherwise."""
    return sizes(f"bojkovic2024.{theorem}", edition, **{**USUAL, **question})


def both(what: str, theorem: str, **question: Any) -> list[Any]:
    """The printed and the sharp number, of records, say."""
    return [getattr(ask(theorem, edition, **question), what) for edition in ("printed", "sharp")]


def everywhere(theorem: str = "bojkovic2024.uniform", **question: Any) -> Requirement:
    """The sharp edition, only by the route over the whole domain."""
    found = find_theorem(theorem)
    sharp = found.edition("sharp")
    assert sharp is not None
    only = replace(sharp, routes=tuple(route for route in sharp.routes if route.name == "full support"))
    return evaluate(replace(found, editions=(only,)), "sharp", build_setting(**question))


def term(answer: Requirement, begins: str) -> TermResult:
    (found,) = (t for t in answer.terms if t.name.startswith(begins))
    return found


def threshold(answer: Requirement, quantity: str) -> Enclosure:
    """The real number that decides n, m or k, before it is rounded up."""
    (found,) = (term.threshold for term in answer.terms if term.quantity == quantity and term.binding)
    return found


def quantity(answer: Requirement, *names: str) -> list[Enclosure]:
    derived = {one.name: one.enclosure for one in answer.derived}
    return [derived[name] for name in names]


def by_route(answer: Requirement, route: str) -> tuple[int, int]:
    """n and m of a route, chosen or not."""
    candidates: list[Requirement | Alternative] = [answer, *answer.alternatives]
    (found,) = (c for c in candidates if c.route == route)
    assert found.n is not None
    assert found.m is not None
    return found.n, found.m


def facts(names: str, *, p: int, **queries: Any) -> list[Any]:
    """What is known about a family: F, F' (as V), the width of the range R, and what a record changes in total (D)."""
    family: QueryFamily = build_setting(p=p, **queries).family
    known = {"F": family.total, "V": family.varying, "R": family.range_width, "D": family.l1_sensitivity}
    return [known[name] for name in names]


def values(theorem: str, **numbers: Any) -> dict[str, Enclosure]:
    """The values of a statement, by edition (its first route), by route, and by both."""
    found: dict[str, Enclosure] = {}
    for result in _rows(theorem, numbers):
        if result.value is not None:
            found.setdefault(result.edition, result.value)
            found[result.route] = found[f"{result.edition} {result.route}"] = result.value
    return found


def value(theorem: str, route: str | None = None, **numbers: Any) -> Enclosure:
    """The value of the only row of a statement, or of a route's row."""
    rows = (row for row in _rows(theorem, numbers) if route in (None, row.route, f"{row.edition} {row.route}"))
    return next(row.value for row in rows if row.value is not None)


def _rows(theorem: str, numbers: dict[str, Any]) -> tuple[ValueResult, ...]:
    asked = dict(numbers)
    edition = asked.pop("edition", None)
    return evaluate_value(find_theorem(theorem), asked, edition)


def _run(theorem: str, edition: str) -> Guarantee:
    (found,) = (g for g in guarantees() if (g.theorem, g.edition) == (theorem, edition))
    return found


def tested(theorem: str, edition: str) -> list[int]:
    """The sizes at which tests/verify/test_guarantees.py runs an edition."""
    return [int(size.replace(",", "")) for size in re.findall(r"\b[nmk] = ([\d,]+)", _run(theorem, edition).text)]


def missed(theorem: str, edition: str) -> list[Any]:
    """When that test fails: the confidence in percent that the accuracy is missed, and the probability."""
    return [100 * CONFIDENCE, ACCURACY, _run(theorem, edition).promised]


def evaluate_all(theorem: str, edition: str | None = None, **numbers: Any) -> tuple[ValueResult, ...]:
    """Every row of a helper statement."""
    return evaluate_value(find_theorem(theorem), numbers, edition)


def lower_bound(**question: Any) -> Requirement:
    """Records below which no mechanism keeps the promise; for one-way queries if no degree is given."""
    return require(theorem="synthbounds.lower-bound", **{"degree": 1, **question})
