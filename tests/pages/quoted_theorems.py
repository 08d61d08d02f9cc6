"""Numbers on the page about editions: sizes from running them, constants from their formulas."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from math import ceil, log10
from typing import Any

import sympy

import synthbounds as sb
from bounds.privacy.gaussian import classical_valid_up_to
from bounds.registry import find_theorem
from bounds.symbolic_form import symbolic_derived, symbolic_term
from synthbounds.tour import PAPER
from tests.pages.quoted import NAME, Page, exponential, thousands


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


def constant(theorem: str, edition: str, text: str) -> str:
    """The number as it is written, after making sure that the edition computes with it."""
    assert abs(Fraction(text)) in {abs(value) for value in constants(theorem, edition)}, f"{theorem}: {text}"
    return text


def _editions() -> Iterator[str]:
    yield from _constants_left_open()
    yield from _own_setting()
    yield from _approximation_and_privacy()
    yield from _lower_bound()
    ten = constant("zhou2024.lipschitz", "printed", "10")
    yield f"| first term of Theorem 3.1 | {ten} K R/sqrt(d-1) |"


def _constants_left_open() -> Iterator[str]:
    floor = constant("bojkovic2024.histogram-floor", "corrected", "18/5")
    yield f"half the histogram, half uniform: K = {floor}"
    ratio = Fraction(2, 3)
    cubes, squares = ((ratio**-power - 1) / (1 - ratio) for power in (3, 2))
    first = constant("bojkovic2024.histogram", "printed", str(cubes / 2))
    second = constant("bojkovic2024.histogram", "printed", str(cubes))
    yield f"| C1 | {first} | both ratios are at least {ratio}, (beta^-3 - 1)/(1 - beta) is at most {cubes}"
    yield f"| C2 | {second} | the same, with the exponent as printed; {squares} with the exponent that Lemma A.4"
    one, two = (constant("bojkovic2024.kde", "printed", text) for text in ("19/8", "14/3"))
    yield f"| C1', C2' | {one}, {two} |"
    yield f"| C_0 | {2 * (1 + Fraction(one))} | 2 (1 + C1') |"
    nine, many = (constant("bojkovic2024.kde", "printed", text) for text in ("9", "576"))
    yield f"max of ({nine}C/tau)^(2/p) and ({many} p^2/tau)^(1/p)/sqrt(2 pi)"


def _own_setting() -> Iterator[str]:
    asked: dict[str, Any] = dict(PAPER)
    epsilon, delta, gamma = (PAPER[name] for name in ("epsilon", "delta", "gamma"))
    yield f"d = {PAPER['degree']}, epsilon = {epsilon}, delta = {delta}, gamma = {gamma}."
    for p in (3, 5, 6, 10):
        cells = []
        for measure in ("uniform", "histogram"):
            answer = sb.require(measure=measure, edition="printed", p=p, **asked)
            assert answer.m is not None
            assert answer.k is not None
            assert answer.guarantee.vacuous
            cells.append(", ".join(map(thousands, (answer.n, answer.m, answer.k))))
        yield f"| {p} | {' | '.join(cells)} |"


def _approximation_and_privacy() -> Iterator[str]:
    proved = constant("zhou2024.bernstein-continuous", "sharp", "19/16")
    rational, root = Fraction(4306, 5832), Fraction(837, 5832)
    assert {rational, root} <= constants("zhou2024.bernstein-continuous", "sharp")
    sikkema = f"{float(rational) + float(root) * 6**0.5:.4f}"
    yield f"{proved}, proved; Sikkema's {sikkema}, quoted"
    limits = {delta: classical_valid_up_to(delta, adjacency="replace-one") for delta in ("1e-5", "1e-2", "1/2", "0.9")}
    always = Fraction(15, 4)
    assert all(limit.lo > always for limit in limits.values())
    stated = f"up to {always} at every delta"
    (corrected,) = (e for e in find_theorem("zhou2024.gaussian-mechanism").editions if e.name == "corrected")
    assert any(stated in change for change in corrected.changes)
    cut = ceil(limits["1e-5"].lo * 10**4) - 1
    yield f"{stated}, {cut / 10**4} at delta = 1e-5"


def _lower_bound() -> Iterator[str]:
    printed, corrected = (constant("zhou2024.lower", *of) for of in (("printed", "1/16"), ("corrected", "1/40")))
    yield f"gamma/{Fraction(printed).denominator}: follows where the corrected edition applies"
    assert Fraction(1, 8) - Fraction(2, 20) == Fraction(corrected)
    yield f"not from 1/8 - 2/20, which is {corrected}"
    yield f"gamma/{Fraction(corrected).denominator} with m = 2 ln^7 n"
    share, slope = (constant("zhou2024.lower", "sharp", text) for text in ("27/80", "9/8"))
    assert slope == "9/8"
    yield f"gamma ({share} - 9 eta/8)"
    yield f"{constant('zhou2024.upper-half', 'printed', '20')}/sqrt(d-1) + ln n/n^(1/4)"
    open_constant, one = sb.query_lower_bound(), sb.query_lower_bound(query_constant=1)
    earliest = {report: _smallest(report, "corrected") for report in (open_constant, one)}
    yield f"n = {_up(earliest[open_constant])} on at the earliest, and only if c >= 1"
    two_way = next(c for c in one.conditions if c.edition == "corrected" and c.name == "d >= 2")
    assert two_way.smallest is not None
    yield f"c = 1 that is n = {_up(earliest[one])}, and two-way marginals begin at n = {_up(two_way.smallest.value)}"
    sharp = next(joint for joint in one.joint if joint.edition == "sharp")
    assert sharp.smallest is not None
    assert sharp.threshold is not None
    features = 2 * float(sharp.threshold.hi) ** 7  # m = 2 gamma^(-7/3), gamma^(-1/3) = ln n for c = 1
    begins = f"Our sharp edition with c = 1 begins at n = {_up(sharp.smallest.value)}"
    yield f"{begins}, with {exponential(features, 1)} features"


def _smallest(report: sb.QueryLowerBound, edition: str) -> int:
    (joint,) = (joint for joint in report.joint if joint.edition == edition)
    assert joint.smallest is not None
    return int(joint.smallest.value)


def _up(number: int) -> str:
    """Two digits, rounded up: from there on it holds."""
    power = int(log10(number))
    return exponential(-(-number // 10 ** (power - 1)) * 10.0 ** (power - 1), 1)


EDITIONS = Page(
    _editions,
    {
        NAME: (
            *(f"Theorem {number}" for number in ("2.3", "2.4", "2.6", "3.1", "3.2", "4.1")),
            *(f"Lemma {number}" for number in ("3.3", "3.4")),
            *(f"Corollary {number}" for number in ("3.5", "3.6")),
            "Theorems 3.1 and 3.2",
            "Section 2.1",
        ),
    },
)
