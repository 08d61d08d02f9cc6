"""Editions beside each other: constants that their formulas have, and sizes in the paper's own setting."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import ceil, log10
from typing import Any

import sympy

import synthbounds as sb
from bounds.registry import find_theorem
from bounds.symbolic_form import symbolic_derived, symbolic_term
from synthbounds.tour import PAPER


@cache
def constants(theorem: str, edition: str) -> frozenset[Fraction]:
    """Every rational number in the formulas of an edition."""
    found: set[Fraction] = set()
    (wanted,) = (e for e in find_theorem(theorem).editions if e.name == edition)
    for route in wanted.routes:
        formulas = [symbolic_term(term, route) for term in route.terms]
        formulas += [symbolic_derived(derived.name, route) for derived in route.derived]
        for formula in map(sympy.sympify, formulas):
            found |= {Fraction(int(atom.p), int(atom.q)) for atom in formula.atoms(sympy.Rational)}
    return frozenset(found)


def constant(theorem: str, edition: str, text: str) -> Fraction:
    """The number, after making sure that the edition computes with it."""
    if abs(Fraction(text)) not in {abs(value) for value in constants(theorem, edition)}:
        raise ValueError(f"{theorem}, {edition}, does not compute with {text}")
    return Fraction(text)


def own_setting() -> list[Any]:
    """n, m and k as printed, by uniform measures and by histograms."""
    asked: dict[str, Any] = dict(PAPER)
    found = [
        (p, [sb.require(measure=measure, edition="printed", p=p, **asked) for measure in ("uniform", "histogram")])
        for p in (3, 5, 6, 10)
    ]
    vacuous = all(answer.guarantee.vacuous for _, both in found for answer in both)
    return [vacuous, [(p, [(one.n, one.m, one.k) for one in both]) for p, both in found]]


def earliest(edition: str, query_constant: int | None = None) -> int:
    """The first n at which all conditions of the lower bound hold."""
    asked = {} if query_constant is None else {"query_constant": query_constant}
    (joint,) = (joint for joint in sb.query_lower_bound(**asked).joint if joint.edition == edition)
    assert joint.smallest is not None
    return int(joint.smallest.value)


def two_way_from() -> int:
    conditions = sb.query_lower_bound(query_constant=1).conditions
    found = next(c.smallest for c in conditions if (c.edition, c.name) == ("corrected", "d >= 2"))
    assert found is not None
    return int(found.value)


def features_there() -> float:
    """m = 2 gamma^(-7/3) where the sharp edition begins, gamma^(-1/3) = ln n for c = 1."""
    sharp = next(joint for joint in sb.query_lower_bound(query_constant=1).joint if joint.edition == "sharp")
    assert sharp.threshold is not None
    return 2 * float(sharp.threshold.hi) ** 7


def up(number: int) -> float:
    """Two digits, rounded up: from there on it holds."""
    power = int(log10(number)) - 1
    return ceil(Fraction(number, 10**power)) * 10.0**power
