"""Numbers of the proof page on the lower bound: from the theorem, and from the best mechanisms of small instances.

The smallest failure probability of any private mechanism is put into the inequalities of the page, which must then
hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, exp, log, sinh, sqrt
from typing import Any

import synthbounds as sb
from bounds.queries import family_of_degree
from bounds.unbiased import records_for_all_contrasts, unbiased_factor
from tests.pages.quoted import SETTING, Page, recorded
from tests.pages.quoted_proofs_density import released_density, rounded, size_of, threshold
from verify.best_mechanism import SmallQuestion, all_data, least_failure


def _lower_bound() -> Iterator[str]:
    packing = family_of_degree("monomials", 10, 2, 1).packing
    assert packing is not None
    yield f"$M={packing}$"
    for failure, accuracy in product(("0.05", "0.20"), ("0.4", "0.1")):
        asked: dict[str, Any] = {"p": 10, "epsilon": "0.2", "accuracy": accuracy, "failure": failure}
        replaced, removed = sb.lower_bound(**asked), sb.lower_bound(adjacency="add-remove", **asked)
        found = _groups(removed)
        assert _groups(replaced).items() <= found.items()
        terms = _added_or_removed(Fraction(accuracy), found)
        assert max(terms) == threshold(removed, "n").hi
        exactly = f"{ceil(max(terms[:2]))} (max of {_plain(terms[0])} and {_plain(terms[1])})"
        third = f" (third term {_plain(terms[2])})" if terms[2] < max(terms) else ""
        sizes = f"{size_of(replaced, 'n')} | {exactly} | {removed.n}{third}"
        groups = " | ".join(str(found[name]) for name in ("turn", "sides", "G", "G_mutual"))
        yield f"| {accuracy} | {failure} | {groups} | {sizes} |"
        _check_against_steps(Fraction(failure), packing, found)
    yield r"With $\delta_{\mathrm{dp}}=10^{-6}$ and $\beta=0.05$ the replace-one values are " + _approximate_privacy()
    parities = sb.lower_bound(p=10, epsilon="0.2", accuracy="0.8", failure="0.05", family="parities")
    yield rf"Parities with $\alpha=0.8$ ($R=2$) have the same value {parities.n} as monomials with $\alpha=0.4$"
    yield from _one_attribute()
    yield from _several_attributes()
    yield from _against_full_support()
    yield from _small_instances()
    yield from _campaign()


def _groups(answer: sb.Requirement) -> dict[str, int]:
    return {found.name: int(found.enclosure.lo) for found in answer.derived}


def _check_against_steps(failure: Fraction, packing: int, found: dict[str, int]) -> None:
    """The groups of pure privacy again, by following the largest probability that an event can have step by step."""
    for name, share in (
        ("G_one", failure / packing),
        ("G", failure / (found["sides"] * packing)),
        ("G_mutual", Fraction(1, packing + 1)),
    ):
        reached, steps = float(share), 0
        while reached < 1 - failure:
            reached, steps = min(exp(0.2) * reached, 1 - exp(-0.2) * (1 - reached)), steps + 1
        assert steps == found[name]


def _added_or_removed(accuracy: Fraction, found: dict[str, int]) -> tuple[Fraction, Fraction, Fraction]:
    """The three terms of part (b) for queries of width 1."""
    exchanged, removed = (Fraction(count - 1) / (2 * accuracy) for count in (-(-found["G"] // 2), found["G_mutual"]))
    return exchanged, removed, (found["G_one"] - 1) * (1 - 2 * accuracy) / (2 * accuracy)


def _plain(value: Fraction) -> str:
    return f"{float(value):g}"


def _approximate_privacy() -> str:
    answers = [
        sb.lower_bound(p=10, epsilon="0.2", accuracy=accuracy, failure="0.05", dp_delta="1e-6")
        for accuracy in ("0.4", "0.1")
    ]
    return f"${answers[0].n}$ and ${answers[1].n}$"


ONE_ATTRIBUTE = (("1", "0.1", 25), ("0.5", "0.2", 25), ("0.5", "0.1", 55), ("0.2", "0.4", 28))
"""Epsilon, accuracy, and the fewest records with which the linear programme finds a mechanism that fails at most at
0.05; one record fewer is too few."""


def _one_attribute() -> Iterator[str]:
    for epsilon, accuracy, least in ONE_ATTRIBUTE:
        asked = [
            SmallQuestion("monomials", (2,), 1, n, Fraction(epsilon), Fraction(accuracy)) for n in (least - 1, least)
        ]
        below, at = (least_failure(one, all_data(one, [one.n])) for one in asked)
        assert at < 0.05 < below
        limit = sb.lower_bound(p=1, epsilon=epsilon, accuracy=accuracy, failure="0.05").n
        jump = ceil(Fraction(_single_jump(float(epsilon)) - 1) / (2 * Fraction(accuracy)))
        yield f"| {epsilon} | {accuracy} | {jump} | {limit} | {least} |"


def _single_jump(epsilon: float) -> int:
    return ceil(log(0.95 / 0.05) / epsilon)


def _several_attributes() -> Iterator[str]:
    decided: dict[int, list[int]] = {1: [], 3: []}  # by the second and by the fourth column
    for p in (10, 20, 30, 50, 100):
        found = [
            sb.lower_bound(p=p, degree=d, epsilon="0.2", accuracy=a, failure="0.05", family=family)
            for family, a, d in (
                ("parities", "0.2", 1),
                ("parities", "0.2", 2),
                ("parities", "0.2", 3),
                ("monomials", "0.1", 2),
            )
        ]
        yield f"| {p} | " + " | ".join(str(answer.n) for answer in found) + " |"
        for column, sizes in decided.items():
            sizes += [p] if found[column].n > found[0].n else []
    parities, monomials = (min(sizes) for sizes in decided.values())
    yield (
        f"decides for parities from $p={parities}$ on and for monomials, as for cells and thresholds, from "
        f"$p={monomials}$ on"
    )


def _campaign() -> Iterator[str]:
    found = recorded("lower_bounds")
    assert found["limits_above_n"] == 0
    yield (
        f"{found['questions']:,} random questions, {found['with_dp_delta']:,} of them with positive "
        rf"$\delta_{{\mathrm{{dp}}}}$ and {found['add_remove']:,} for add/remove, no limit exceeds $n$; it is equal to "
        rf"$n > 1$ in {found['limit_is_n_above_1']:,}"
    )


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
    yield f"in {len(REPLACED)} replace-one instances ({_sizes(REPLACED)}), with equality in {len(tight)}"
    for case in EXACT_SIZE:
        answer = _bound_at_best(case, range(case.n + 1), "add-remove")
        assert max(_added_or_removed(Fraction(case.accuracy), _groups(answer))[:2]) <= case.n
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
    asked = SmallQuestion(
        "monomials", (2,) * case.p, 1, case.n, Fraction(case.epsilon), Fraction(case.accuracy), adjacency=adjacency
    )
    failure = Fraction(ceil(least_failure(asked, all_data(asked, sizes)) * 10**7 + 1), 10**7)
    return sb.lower_bound(p=case.p, epsilon=case.epsilon, accuracy=case.accuracy, failure=failure, adjacency=adjacency)


def _unbiased() -> Iterator[str]:
    n, epsilon = 10_000, Fraction(1, 5)
    for name, p, t, degree in (
        ("parities", 10, 2, 2),
        ("cells", 10, 2, 1),
        ("cells", 10, 2, 2),
        ("cells", 10, 2, 3),
        ("cells", 6, 4, 2),
    ):
        factor, facts = unbiased_factor(name, p, t, degree), family_of_degree(name, p, t, degree)
        assert factor is not None
        assert n >= records_for_all_contrasts(p, t, degree)
        bound = float(factor) / (2 * n * sinh(epsilon / 2))
        laplace = sqrt(2) * facts.l1_sensitivity / (n * epsilon)
        cube = facts.range_width / (n * epsilon) * sqrt((facts.varying + 1) * (facts.varying + 2) / 3)
        assert bound <= min(laplace, cube)
        deviations = " | ".join(f"{one:.5f}" for one in (bound, laplace, cube))
        yield f"| {name}, $t={t}$, $p={p}$, $d={degree}$ | {float(factor):.4f} | {deviations} |"


PAGES = {
    "synthbounds.unbiased-limit": Page(_unbiased, {SETTING: (r"At $n=10{,}000$ and $\varepsilon=0.2$",)}),
    "synthbounds.lower-bound": Page(
        _lower_bound,
        {
            SETTING: (
                r"$p=10$, monomials or",
                r"$\varepsilon=0.2$, $\delta_{\mathrm{dp}}=0$",
                r"One attribute, $\beta=0.05$",
                r"at $\varepsilon=0.2$, $\alpha/R=0.1$, $\beta=0.05$",
                r"$\delta_{\mathrm{dp}}$ up to $0.1$",
            )
        },
    ),
}
