"""Numbers of the proof page on the lower bound: from the theorem, and from the best mechanisms of small instances.

An answer matters only through the data sets for which it is accurate, so that finitely many answers suffice and the
smallest failure probability of any private mechanism is the value of a linear programme. It is put into the
inequalities of the page, which must then hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, exp, log
from typing import Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_matrix

import synthbounds as sb
from bounds.queries import family_of_degree
from tests.pages.quoted import SETTING, Page
from tests.pages.quoted_proofs_density import compositions, derived, released_density, rounded, size_of, threshold


def _lower_bound() -> Iterator[str]:
    packing = family_of_degree("monomials", 10, 2, 1).packing
    assert packing is not None
    yield f"$M={packing}$"
    inside: dict[str, list[str]] = {}
    for failure, accuracy in product(("0.05", "0.20"), ("0.4", "0.1")):
        asked: dict[str, Any] = {"p": 10, "epsilon": "0.2", "accuracy": accuracy, "failure": failure}
        replaced, removed = sb.lower_bound(**asked), sb.lower_bound(adjacency="add-remove", **asked)
        group, mutual = (int(derived(removed, name).lo) for name in ("G", "G_mutual"))
        terms = _added_or_removed(Fraction(accuracy), group, mutual)
        assert max(terms) == threshold(removed, "n").hi
        exactly = f"{ceil(max(terms[:2]))} (max of {_plain(terms[0])} and {_plain(terms[1])})"
        third = f" (third term {_plain(terms[2])})" if terms[2] < max(terms) else ""
        sizes = f"{group} | {mutual} | {size_of(replaced, 'n')} | {exactly} | {removed.n}{third}"
        yield f"| {accuracy} | {failure} | {sizes} |"
        odds = (1 - Fraction(failure)) / Fraction(failure) * packing, (1 - Fraction(failure)) * (packing + 1)
        reals = [log(ratio) / 0.2 for ratio in odds]
        assert [ceil(real) for real in reals] == [group, mutual]
        inside[failure] = [rounded(real, 4) for real in reals]
    small, large = inside.values()
    yield (
        rf"${small[0]}$ and ${small[1]}$ for $\beta=0.05$, ${large[0]}$ and ${large[1]}$ for $\beta=0.2$. With "
        r"$\delta_{\mathrm{dp}}=10^{-6}$ and $\beta=0.05$, " + _approximate_privacy()
    )
    parities = sb.lower_bound(p=10, epsilon="0.2", accuracy="0.8", failure="0.05", family="parities")
    yield rf"Parities with $\alpha=0.8$ ($R=2$) have the same value {parities.n} as monomials with $\alpha=0.4$"
    yield from _against_full_support()
    yield from _small_instances()


def _added_or_removed(accuracy: Fraction, group: int, mutual: int) -> tuple[Fraction, Fraction, Fraction]:
    """The three terms of part (b) for queries of width 1."""
    exchanged, removed = (Fraction(count - 1) / (2 * accuracy) for count in (-(-group // 2), mutual))
    return exchanged, removed, (group - 1) * (1 - 2 * accuracy) / (2 * accuracy)


def _plain(value: Fraction) -> str:
    return f"{float(value):g}"


def _approximate_privacy() -> str:
    answers = [
        sb.lower_bound(p=10, epsilon="0.2", accuracy=accuracy, failure="0.05", dp_delta="1e-6")
        for accuracy in ("0.4", "0.1")
    ]
    group = int(derived(answers[0], "G").lo)
    return f"$G={group}$ and the replace-one values are ${answers[0].n}$ and ${answers[1].n}$"


def _against_full_support() -> Iterator[str]:
    sizes, ratios = [], []
    for accuracy in ("0.4", "0.1"):
        n = released_density(accuracy=accuracy).n
        sizes.append(n)
        least = sb.lower_bound(p=10, epsilon="0.2", accuracy=accuracy, failure="0.05").n
        ratios.append(rounded(Fraction(n, least), 1))
        rows = 1 / (2 * Fraction(accuracy) + Fraction(1, n))
        yield rf"$\alpha={accuracy}$, $n={n}$ needs $k\ge {ceil(rows)}$ ({rounded(rows, 3)})"
    yield (
        "reaches the accuracies $0.4$ and $0.1$ with failure $0.05$ for all monomials up to degree 2 with "
        f"$n={sizes[0]}$ and $n={sizes[1]}$"
    )
    yield f"The ratios to the lower bounds, which use the one-way queries only, are {ratios[0]} and {ratios[1]}"


@dataclass(frozen=True)
class _Instance:
    """Few attributes of two levels, few records."""

    p: int
    n: int
    epsilon: str
    accuracy: str

    @property
    def shown(self) -> str:
        return rf"$n={self.n}$, $\varepsilon={self.epsilon}$, $\alpha={self.accuracy}$"


REPLACED = (
    _Instance(1, 4, "1", "0.3"),
    _Instance(1, 6, "0.5", "0.2"),
    _Instance(1, 8, "0.5", "0.2"),
    _Instance(1, 10, "0.5", "0.1"),
    _Instance(1, 12, "0.2", "0.2"),
    _Instance(2, 3, "0.5", "0.2"),
    _Instance(2, 4, "0.5", "0.3"),
    _Instance(2, 4, "1", "0.2"),
    _Instance(2, 5, "0.5", "0.2"),
)
EXACT_SIZE = (
    _Instance(1, 3, "1", "0.3"),
    _Instance(1, 4, "1", "0.3"),
    _Instance(1, 5, "0.5", "0.2"),
    _Instance(1, 6, "0.5", "0.2"),
    _Instance(1, 7, "0.5", "0.2"),
    _Instance(2, 2, "0.5", "0.3"),
    _Instance(2, 3, "0.5", "0.2"),
    _Instance(2, 3, "1", "0.3"),
)
ALL_SIZES = (_Instance(1, 4, "1", "0.3"), _Instance(1, 6, "0.5", "0.2"))


def _small_instances() -> Iterator[str]:
    tight = []
    for case in REPLACED:
        answer = _bound_at_best(case, range(case.n, case.n + 1), "replace-one")
        assert answer.n <= case.n
        if threshold(answer, "n").hi == case.n:
            tight.append(case)
    (only,) = tight
    yield f"in {len(REPLACED)} replace-one instances ({_sizes(REPLACED)}), with equality for $p={only.p}$, {only.shown}"
    for case in EXACT_SIZE:
        answer = _bound_at_best(case, range(case.n + 1), "add-remove")
        group, mutual = (int(derived(answer, name).lo) for name in ("G", "G_mutual"))
        assert max(_added_or_removed(Fraction(case.accuracy), group, mutual)[:2]) <= case.n
    yield f"data sets of exactly $n$ records hold in {len(EXACT_SIZE)} instances ({_sizes(EXACT_SIZE)})"
    for case in ALL_SIZES:
        share = 2 * Fraction(case.accuracy)
        added = int(share * case.n / (1 - share)) + 1
        assert _bound_at_best(case, range(case.n, case.n + added + 1), "add-remove").n <= case.n
    first, second = ALL_SIZES
    yield f"for $p={first.p}$ with {first.shown} and with {second.shown}"


def _sizes(cases: tuple[_Instance, ...]) -> str:
    largest = {p: max(case.n for case in cases if case.p == p) for p in (1, 2)}
    return " and ".join(rf"$p={p}$, $n\le {n}$" for p, n in largest.items())


def _bound_at_best(case: _Instance, sizes: range, adjacency: str) -> sb.Requirement:
    """The theorem at the failure probability of the best mechanism, which is rounded up by less than a millionth."""
    failure = Fraction(ceil(_least_failure(case, sizes, adjacency) * 10**7 + 1), 10**7)
    return sb.lower_bound(p=case.p, epsilon=case.epsilon, accuracy=case.accuracy, failure=failure, adjacency=adjacency)


def _least_failure(case: _Instance, sizes: range, adjacency: str) -> float:
    """Of all mechanisms that are private on data sets of these sizes and accurate on those of at least n records.

    Data sets are counts of the points of the cube. The variables are the probabilities of every answer at every data
    set, and the failure probability, which comes last.
    """
    data = [counts for size in sizes for counts in compositions(size, 2**case.p, 0)]
    width = 2 * Fraction(case.accuracy)
    shares = {counts: _one_way_shares(counts, case.p) for counts in data if sum(counts) >= case.n}
    answers = list(product(_left_ends({share for own in shares.values() for share in own}, width), repeat=case.p))
    first = {counts: i * len(answers) for i, counts in enumerate(data)}
    last = len(data) * len(answers)
    rows: list[dict[int, float]] = []
    for counts, own in shares.items():
        good = [i for i, left in enumerate(answers) if all(a <= s <= a + width for a, s in zip(left, own, strict=True))]
        rows.append({last: -1.0} | {first[counts] + i: -1.0 for i in good})
    factor = exp(float(Fraction(case.epsilon)))
    for one, two in _neighbours(data, adjacency):
        if one in first and two in first:
            rows += [{first[one] + i: 1.0, first[two] + i: -factor} for i in range(len(answers))]
    found = linprog(
        np.eye(1, last + 1, last)[0],
        A_ub=_sparse(rows, last + 1),
        b_ub=np.where(np.arange(len(rows)) < len(shares), -1.0, 0.0),
        A_eq=_sparse([dict.fromkeys(range(at, at + len(answers)), 1.0) for at in first.values()], last + 1),
        b_eq=np.ones(len(data)),
        method="highs",
    )
    assert found.status == 0
    return float(found.fun)


def _one_way_shares(counts: tuple[int, ...], p: int) -> list[Fraction]:
    """The true answers: for each attribute the share of records that have a 1."""
    points = list(product((0, 1), repeat=p))
    ones = [sum(count for count, point in zip(counts, points, strict=True) if point[j]) for j in range(p)]
    return [Fraction(one, sum(counts)) for one in ones]


def _left_ends(values: set[Fraction], width: Fraction) -> list[Fraction]:
    """Of the intervals of that width that hold the most values: an answer that serves fewer is never needed."""
    held = {left: {value for value in values if left <= value <= left + width} for left in values}
    return sorted(left for left in values if not any(held[left] < other for other in held.values()))


def _neighbours(data: list[tuple[int, ...]], adjacency: str) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Adjacent pairs in both orders."""
    for counts in data:
        places = range(len(counts))
        for new in places:
            more = tuple(c + (i == new) for i, c in enumerate(counts))
            if adjacency == "add-remove":
                yield from ((counts, more), (more, counts))
                continue
            for old in places:
                if old != new and counts[old]:
                    yield counts, tuple(c - (i == old) for i, c in enumerate(more))


def _sparse(rows: list[dict[int, float]], columns: int) -> csr_matrix:
    entries = [(i, j, value) for i, row in enumerate(rows) for j, value in row.items()]
    at, of, values = zip(*entries, strict=True)
    return csr_matrix((values, (at, of)), shape=(len(rows), columns))


PAGES = {
    "synthbounds.lower-bound": Page(
        _lower_bound, {SETTING: (r"$p=10$, monomials or", r"$\varepsilon=0.2$, $\delta_{\mathrm{dp}}=0$")}
    )
}
