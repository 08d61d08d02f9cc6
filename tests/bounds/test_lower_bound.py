"""The limit on n: ties are decided, groups agree with the exact law of a chain, tables differ as the page says."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations, product
from math import prod
from typing import Any

import mpmath
import pytest

import synthbounds as sb
from benchmarks.lower_bounds import drawn, outcome
from bounds.errors import NotCertified
from bounds.queries import family_of_degree
from bounds.sizes import evaluate
from bounds.table_packing import packed_tables, signed_partitions
from tests.speeds import in_both, some


def groups(answer: sb.Requirement) -> dict[str, int]:
    return {found.name: int(found.enclosure.lo) for found in answer.derived if found.enclosure.is_exact}


def ties() -> list[dict[str, Any]]:
    """500 questions at which one of the numbers inside a ceiling is exactly 0."""
    found = []
    shapes = product(
        (("monomials", 2), ("parities", 2), ("cells", 3), ("thresholds", 4), ("moments", 2)),
        (1, 2, 3, 7, 40),
        ("replace-one", "add-remove"),
        ("1e-9", ".01", "1/3", None),
        (1, 2),
    )
    for i, ((family, t), p, adjacency, dp_delta, sides) in enumerate(shapes):
        packed = family_of_degree(family, p, t, 1).packing
        assert packed is not None
        failure = Fraction(sides * packed, sides * packed + 1)
        asked: dict[str, Any] = {"p": p, "t": t, "family": family, "adjacency": adjacency, "failure": failure}
        width = 2 if family == "parities" else 1
        asked |= {"epsilon": ("1/1000", ".2", "1", "7")[i % 4], "accuracy": Fraction((2, 20, 45)[i % 3] * width, 100)}
        found.append(asked if dp_delta is None else asked | {"dp_delta": dp_delta})
        if adjacency == "add-remove" and sides == 1:  # 1 - failure is 1/(M + 1) here: the mutual group ties, too
            found.append(found[-1] | {"degree": min(p, 2), "epsilon": "1/3"})
    return found


@in_both
def test_ties_are_decided() -> None:
    every = ties()
    assert len(every) >= 500
    for asked in every[:: 500 // some(500, of=10)]:
        answer = sb.lower_bound(**asked)
        assert all(term.certificate.is_valid for term in answer.terms)
        assert answer.n >= 1
        packed = family_of_degree(asked["family"], asked["p"], asked["t"], 1).packing
        if asked["failure"] == Fraction(packed or 0, (packed or 0) + 1):
            assert groups(answer)["G_one"] == 0


@pytest.mark.parametrize(
    "asked",
    [
        {"p": 1, "accuracy": "0.4", "failure": "0.5"},
        {"p": 2, "accuracy": "0.4", "failure": "0.75", "adjacency": "add-remove"},
    ],
)
def test_a_tie_does_not_cost_the_answer(asked: dict[str, Any]) -> None:
    answer = sb.require(degree=1, epsilon=1, dp_delta="0.01", **asked)
    assert answer.lower_bound is not None
    assert answer.lower_bound.ratio == answer.n


def test_an_undecided_limit_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: dict[str, Any] = {"p": 3, "degree": 2, "epsilon": 1, "accuracy": ".1", "failure": ".05"}
    known, whole = sb.require(**asked), evaluate.run_route

    def undecided(theorem: Any, *rest: Any) -> Any:
        if theorem.id == evaluate.LOWER_BOUND_ID:
            raise NotCertified("not decided")
        return whole(theorem, *rest)

    monkeypatch.setattr(evaluate, "run_route", undecided)
    answer = sb.require(**asked)
    assert answer.lower_bound is None
    assert (answer.n, answer.m, answer.k) == (known.n, known.m, known.k)


def test_the_limit_is_for_the_privacy_that_is_printed() -> None:
    asked: dict[str, Any] = {"p": 10, "degree": 1, "epsilon": ".2", "accuracy": ".1", "failure": ".05"}
    pure, allowed = sb.require(**asked), sb.require(dp_delta="1e-6", **asked)
    spent = sb.require(dp_delta="1e-6", mechanism="gaussian", **asked)
    assert allowed.guarantee.privacy.dp_delta is None
    assert [a.lower_bound and a.lower_bound.n for a in (pure, allowed, spent)] == [305, 305, 300]


def steps(share: Fraction, failure: Fraction, epsilon: Fraction, dp_delta: Fraction) -> int:
    """How long an event takes from one probability to its promised one, at the fastest that privacy allows."""
    with mpmath.workdps(60):
        grow, slack = mpmath.exp(mpmath.mpf(epsilon.numerator) / epsilon.denominator), mpmath.mpf(dp_delta.numerator)
        slack /= dp_delta.denominator
        reached, count = mpmath.mpf(share.numerator) / share.denominator, 0
        goal = 1 - mpmath.mpf(failure.numerator) / failure.denominator
        while reached < goal:
            reached, count = min(grow * reached + slack, 1 - (1 - reached - slack) / grow), count + 1
        return count


@in_both
def test_groups_agree_with_the_fastest_chain() -> None:
    generator = random.Random(3)
    for _ in range(some(200, of=5)):
        p = generator.randint(1, 12)
        failure, epsilon = Fraction(generator.randint(1, 98), 100), Fraction(generator.randint(1, 40), 20)
        dp_delta = generator.choice((Fraction(0), Fraction(1, 10**6), Fraction(1, 100), Fraction(1, 5)))
        more = {"dp_delta": dp_delta} if dp_delta else {}
        answer = sb.lower_bound(p=p, epsilon=epsilon, accuracy=".1", failure=failure, adjacency="add-remove", **more)
        found, packed = groups(answer), 2**p - 1
        for name, share in (
            ("G_one", failure / packed),
            ("G", failure / (packed * found["sides"])),
            ("G_mutual", Fraction(1, packed + 1)),
        ):
            assert max(0, found[name]) == steps(share, failure, epsilon, dp_delta)


def differences(family: str, degree: int, tables: list[list[tuple[int, ...]]]) -> Fraction:
    """The least over pairs of tables of the largest difference of a query, over the range."""
    p = len(tables[0][0])
    sets = [chosen for size in range(1, degree + 1) for chosen in combinations(range(p), size)]
    if family == "parities":
        rows = [[Fraction(sum(prod(x[j] for j in s) for x in table), 2 * len(table)) for s in sets] for table in tables]
    else:
        rows = [[Fraction(sum(all(x[j] < 0 for j in s) for x in table), len(table)) for s in sets] for table in tables]
    return min(max(abs(a - b) for a, b in zip(one, two, strict=True)) for one, two in combinations(rows, 2))


def grouped_tables(p: int) -> list[list[tuple[int, ...]]]:
    rows = 1 << p.bit_length()
    columns = [[(-1) ** ((c & i).bit_count()) for i in range(rows)] for c in range(rows)]
    found = set()
    for blocks in product(range(p + 1), repeat=p):
        for signs in product((1, -1), repeat=p):
            names = {0: 0}  # blocks take columns in the order of their first attributes, whose sign is +
            lead = {0: 1}
            table = []
            for block, sign in zip(blocks, signs, strict=True):
                names.setdefault(block, len(names))
                lead.setdefault(block, sign)
                table.append([sign * lead[block] * value for value in columns[names[block]]])
            found.add(tuple(zip(*table, strict=True)))
    return [list(table) for table in sorted(found)]


@pytest.mark.parametrize("p", [2, 3])
def test_grouped_tables(p: int) -> None:
    tables = grouped_tables(p)
    assert len(tables) == signed_partitions(p)
    assert [(1,) * p] * len(tables[0]) in tables
    for family in ("parities", "monomials"):
        packing = packed_tables(family, p, 2)
        assert packing is not None
        assert (packing.count, packing.rows) == (len(tables) - 1, len(tables[0]))
        assert differences(family, 2, tables) == packing.gap


def test_generated_tables() -> None:
    packing = packed_tables("parities", 10, 3)
    assert packing is not None
    assert (packing.count, packing.rows, packing.gap) == (22**6, 16, Fraction(1, 2))
    free, p = 2, 4  # the same construction where every table can be written down
    patterns = list(product((1, -1), repeat=free))
    choices = [(sign, s) for sign in (1, -1) for size in range(3) for s in combinations(range(free), size)]
    tables = [
        [(*x, *(sign * prod(x[i] for i in s) for sign, s in made)) for x in patterns]
        for made in product(choices, repeat=p - free)
    ]
    assert len(tables) == (2 * 4) ** 2
    assert differences("parities", 3, [*tables, [(1,) * p] * len(patterns)]) == packing.gap


def test_more_queries_never_lower_the_limit() -> None:
    for family, width in (("parities", 2), ("cells", 1)):
        for p in (3, 15, 40, 120):
            asked: dict[str, Any] = {"p": p, "epsilon": ".1", "accuracy": Fraction(width, 20), "failure": ".05"}
            limits = [sb.lower_bound(degree=d, family=family, **asked).n for d in (1, 2, 3)]
            assert limits == sorted(limits)
    assert sb.lower_bound(p=50, degree=2, family="parities", epsilon=".2", accuracy=".2", failure=".05").n == 1600


@in_both
def test_no_limit_exceeds_what_suffices() -> None:
    generator = random.Random(5)
    for _ in range(some(120, of=4)):
        family = generator.choice(("monomials", "parities", "cells", "thresholds", "moments"))
        p = generator.randint(1, 25)
        asked: dict[str, Any] = {
            "p": p,
            "degree": generator.randint(1, min(p, 3)),
            "family": family,
            "epsilon": Fraction(generator.randint(1, 80), 20),
            "accuracy": Fraction(generator.randint(1, 24), 50) * (2 if family == "parities" else 1),
            "failure": Fraction(generator.randint(1, 95), 100),
            "adjacency": generator.choice(("replace-one", "add-remove")),
            "release": "density",
        }
        if generator.random() < 0.5:
            asked["dp_delta"] = "1e-6"
        answer = sb.require(**asked)
        assert answer.lower_bound is not None
        assert answer.lower_bound.n <= answer.n
        assert answer.lower_bound.ratio == Fraction(answer.n, answer.lower_bound.n)


@in_both
def test_the_best_mechanisms_obey_the_limit() -> None:
    generator = random.Random(11)
    solved = [outcome(drawn(generator)) for _ in range(some(120, of=8))]
    assert sum(found is not None for found in solved) > len(solved) // 4
    assert all(found.limit <= found.asked.n for found in solved if found is not None)
