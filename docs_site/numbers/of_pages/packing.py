"""Numbers of the proof page on the lower bound: from the theorem, and from the best mechanisms of small instances.

The smallest failure probability of any private mechanism is put into the inequalities of the page, which must then
hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import ceil, exp, log, sinh, sqrt
from typing import Any

from bounds.queries import family_of_degree
from bounds.sizes.requirement import Requirement
from bounds.unbiased import records_for_all_contrasts, unbiased_factor
from docs_site.numbers.names import pick, run
from docs_site.numbers.of_pages.density import released_density, size_of
from verify.best_mechanism import SmallQuestion, all_data, least_failure
from verify.numbers.answers import lower_bound, threshold
from verify.numbers.grouped import grouped


@grouped
def below() -> Iterator[Any]:
    packing = family_of_degree("monomials", 10, 2, 1).packing
    assert packing is not None
    yield packing
    for failure, accuracy in product(("0.05", "0.20"), ("0.4", "0.1")):
        asked: dict[str, Any] = {"p": 10, "epsilon": "0.2", "accuracy": accuracy, "failure": failure}
        replaced, removed = lower_bound(**asked), lower_bound(adjacency="add-remove", **asked)
        found = _groups(removed)
        assert _groups(replaced).items() <= found.items()
        terms = _added_or_removed(Fraction(accuracy), found)
        assert max(terms) == threshold(removed, "n").hi
        exactly = (ceil(max(terms[:2])), terms[:2])
        third: Any = float(terms[2]) if terms[2] < max(terms) else []
        groups = [found[name] for name in ("turn", "sides", "G", "G_mutual")]
        yield accuracy, failure, groups, size_of(replaced, "n"), exactly, removed.n, third
        _check_against_steps(Fraction(failure), packing, found)
    asked = {"p": 10, "epsilon": "0.2", "failure": "0.05"}
    yield "10^{-6}", "0.05", [lower_bound(accuracy=a, dp_delta="1e-6", **asked).n for a in ("0.4", "0.1")]
    yield lower_bound(accuracy="0.8", family="parities", **asked).n
    yield from _one_attribute()
    yield from _several_attributes()
    yield from _against_full_support()
    yield from _small_instances()
    yield from _campaign()


def _groups(answer: Requirement) -> dict[str, int]:
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


ONE_ATTRIBUTE = (("1", "0.1", 25), ("0.5", "0.2", 25), ("0.5", "0.1", 55), ("0.2", "0.4", 28))
"""Epsilon, accuracy, and the fewest records with which the linear programme finds a mechanism that fails at most at
0.05; one record fewer is too few."""


def _one_attribute() -> Iterator[Any]:
    for epsilon, accuracy, least in ONE_ATTRIBUTE:
        below, at = (_least_failure(1, n, epsilon, accuracy, range(n, n + 1)) for n in (least - 1, least))
        assert at < 0.05 < below
        limit = lower_bound(p=1, epsilon=epsilon, accuracy=accuracy, failure="0.05").n
        single = ceil(log(0.95 / 0.05) / float(epsilon))
        yield epsilon, accuracy, ceil(Fraction(single - 1) / (2 * Fraction(accuracy))), limit, least


def _several_attributes() -> Iterator[Any]:
    decided: dict[int, list[int]] = {1: [], 3: []}  # by the second and by the fourth column
    for p in (10, 20, 30, 50, 100):
        found = [
            lower_bound(p=p, degree=d, epsilon="0.2", accuracy=a, failure="0.05", family=family)
            for family, a, d in (*(("parities", "0.2", d) for d in (1, 2, 3)), ("monomials", "0.1", 2))
        ]
        yield p, [answer.n for answer in found]
        for column, sizes in decided.items():
            sizes += [p] if found[column].n > found[0].n else []
    yield [min(sizes) for sizes in decided.values()]


def _campaign() -> Iterator[Any]:
    found = run("lower_bounds")
    assert found["limits_above_n"] == 0
    yield pick(found, "questions", "with_dp_delta", "add_remove"), 1, found["limit_is_n_above_1"]


def _against_full_support() -> Iterator[Any]:
    sizes, ratios = [], []
    for accuracy in ("0.4", "0.1"):
        n = released_density(accuracy=accuracy).n
        sizes.append(n)
        least = lower_bound(p=10, epsilon="0.2", accuracy=accuracy, failure="0.05").n
        ratios.append(n / least)
        rows = 1 / (2 * Fraction(accuracy) + Fraction(1, n))
        yield accuracy, n, ceil(rows), float(rows)
    yield sizes
    yield ratios


Instance = tuple[int, int, str, str]
"""Few attributes of two levels, few records: p, n, epsilon and accuracy."""

REPLACED: tuple[Instance, ...] = (
    (1, 4, "1", "0.3"), (1, 6, "0.5", "0.2"), (1, 8, "0.5", "0.2"), (1, 10, "0.5", "0.1"), (1, 12, "0.2", "0.2"),
    (2, 3, "0.5", "0.2"), (2, 4, "0.5", "0.3"), (2, 4, "1", "0.2"), (2, 5, "0.5", "0.2"),
)  # fmt: skip
EXACT_SIZE: tuple[Instance, ...] = (
    *((1, n, "1", "0.3") for n in (3, 4)),
    *((1, n, "0.5", "0.2") for n in (5, 6, 7)),
    *((2, n, epsilon, a) for n, epsilon, a in ((2, "0.5", "0.3"), (3, "0.5", "0.2"), (3, "1", "0.3"))),
)
ALL_SIZES: tuple[Instance, ...] = ((1, 4, "1", "0.3"), (1, 6, "0.5", "0.2"))


def _small_instances() -> Iterator[Any]:
    tight = 0
    for case in REPLACED:
        _, n, _, _ = case
        answer = _bound_at_best(case, range(n, n + 1), "replace-one")
        assert answer.n <= n
        tight += threshold(answer, "n").hi == n
    yield len(REPLACED), _sizes(REPLACED), tight
    for case in EXACT_SIZE:
        _, n, _, accuracy = case
        answer = _bound_at_best(case, range(n + 1), "add-remove")
        assert max(_added_or_removed(Fraction(accuracy), _groups(answer))[:2]) <= n
    yield len(EXACT_SIZE), _sizes(EXACT_SIZE)
    for case in ALL_SIZES:
        _, n, _, accuracy = case
        added = int(2 * Fraction(accuracy) * n / (1 - 2 * Fraction(accuracy))) + 1
        assert _bound_at_best(case, range(n, n + added + 1), "add-remove").n <= n
    yield 1, [case[1:] for case in ALL_SIZES]


def _sizes(cases: tuple[Instance, ...]) -> list[Any]:
    return [(p, max(n for q, n, _, _ in cases if q == p)) for p in (1, 2)]


def _least_failure(p: int, n: int, epsilon: str, accuracy: str, sizes: range, **more: Any) -> float:
    asked = SmallQuestion("monomials", (2,) * p, 1, n, Fraction(epsilon), Fraction(accuracy), **more)
    return least_failure(asked, all_data(asked, sizes))


def _bound_at_best(case: Instance, sizes: range, adjacency: str) -> Requirement:
    """The theorem at the failure probability of the best mechanism, which is rounded up by less than a millionth."""
    p, _, epsilon, accuracy = case
    failure = Fraction(ceil(_least_failure(*case, sizes, adjacency=adjacency) * 10**7 + 1), 10**7)
    return lower_bound(p=p, epsilon=epsilon, accuracy=accuracy, failure=failure, adjacency=adjacency)


@grouped
def unbiased() -> Iterator[Any]:
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
        yield name, t, p, degree, float(factor), bound, laplace, cube
