"""Numbers of the proof pages about the programme over densities: sizes, rows, certificates.

Sizes come from the registered theorems, experiments from recorded benchmarks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np

from bounds.enclosure import Enclosure
from bounds.product_facts import centred_product, plain_product
from bounds.queries import family_of_degree
from bounds.sizes.require import require
from bounds.sizes.requirement import Requirement
from docs_site.numbers.names import run
from lp.programme.bit_bound import bit_bound
from lp.programme.density_certificate import ExactTarget, certify, dual_value
from lp.programme.matrices import full_matrix
from lp.programme.matrix_bits import bits_matrix
from lp.programme.rounding import round_rows
from lp.programme.solve import solve
from lp.programme.table_bound import table_bound
from release.data.domain import Domain
from release.statistics.families import build_family
from tests.bounds.test_queries import CASES as FAMILIES_BY_BRUTE_FORCE
from verify.numbers.answers import everywhere, threshold, value
from verify.numbers.grouped import grouped
from verify.numbers.written import up

PROMISE: dict[str, Any] = {"p": 10, "degree": 2, "epsilon": "0.2", "accuracy": "0.4", "gamma": "0.05"}
"""The setting that most pages share."""


def rounded(value: Enclosure | Fraction | float, places: int) -> str:
    """To that many decimals; the ends of an enclosure must agree on them."""
    ends = (value.lo, value.hi) if isinstance(value, Enclosure) else (value,)
    (text,) = {f"{float(end):.{places}f}" for end in ends}
    return text


def derived(answer: Requirement, name: str) -> Enclosure:
    (found,) = (quantity.enclosure for quantity in answer.derived if quantity.name == name)
    return found


def one_gamma_each(**more: Any) -> Requirement:
    return require(theorem="synthbounds.full-support", **{**PROMISE, **more})


def released_density(**more: Any) -> Requirement:
    return one_gamma_each(mechanism="linf", release="density", **more)


def cube_coefficient(**more: Any) -> Enclosure:
    return value("synthbounds.noise-linf", **{"p": 10, "degree": 2, "gamma": "0.05", **more})


def recorded_cubes() -> Iterator[tuple[int, dict[str, Any]]]:
    """What was measured with cube noise and as many drawn rows as records at the theorem's n, with p."""
    for p in (5, 10):
        found = run("guarantee")[f"cube_p{p}"]
        sizes = one_gamma_each(p=p, mechanism="linf", rows="rounding")
        assert (found["n"], found["k"]) == (sizes.n, sizes.n)
        yield p, found


@grouped
def a_posteriori() -> Iterator[Any]:
    epsilon = Fraction(PROMISE["epsilon"])
    rows: dict[str, Any] = {"mechanism": "linf", "rows": "rounding"}
    for p, answer in ((5, one_gamma_each(p=5, **rows)), (10, released_density()), (10, one_gamma_each(**rows))):
        coefficient = cube_coefficient(p=p)
        share = Enclosure(coefficient.lo / (answer.n * epsilon), coefficient.hi / (answer.n * epsilon))
        yield f"{p} 2 {answer.n} {rounded(coefficient, 4)} {rounded(share, 4)}"
    noise = {name: PROMISE[name] for name in ("p", "degree", "epsilon", "gamma")}
    certified = value("synthbounds.a-posteriori", "linf", observed="0.09", n=answer.n, **noise)
    assert certified.hi <= Fraction("0.24")
    yield 10, answer.n, "0.09", rounded(certified, 2), PROMISE["accuracy"]
    yield run("guarantee")["runs"]
    for p, found in recorded_cubes():
        assert found["certificate_broken"] == 0
        median, largest = (rounded(found["certificate_quantiles"][share], 3) for share in ("0.5", "1"))
        yield f"{p} {found['n']} {found['k']} {median} {largest}"
    tree, runs = run("guarantee")["tree_m40"], 5 * run("guarantee")["runs"]
    assert tree["certificate_broken"] == 0
    yield tree["columns"], Domain((3, 2, 4, 2, 3)).size, tree["n"], tree["k"], "0.05", runs


@dataclass(frozen=True)
class _Candidate:
    """A density on the two points 0 and 1, and the weight of the query."""

    numbers: np.ndarray
    weights: np.ndarray
    dual: np.ndarray


@grouped
def density_certificate() -> Iterator[Any]:
    matrix = full_matrix(build_family("monomials", Domain((2,)), 1))
    both, negative = np.array([0, 1]), np.array([-1.0])
    outside = certify(matrix, [Fraction(3, 2)], _Candidate(both[1:], np.array([1.0]), negative))
    assert outside.lower == outside.upper == Fraction(1, 2)
    third = certify(matrix, [Fraction(1, 3)], _Candidate(both, np.array([2 / 3, 1 / 3]), negative))
    bits = third.weight_total.bit_length() - 1
    assert third.lower == 0
    assert third.upper == Fraction(1, 3 * 2**bits)
    yield rf"2^{{-{bits}}} \frac13 2^{{-{bits}}}"


@grouped
def bits() -> Iterator[Any]:
    matrix = full_matrix(build_family("parities", Domain((2,) * 3), 3))
    target = np.array([0.0, 0.0, 0.0, -1.0, -1.0, -1.0, 0.0])
    bound, value = bit_bound(bits_matrix(matrix), target), Fraction(2, 3)
    assert abs(bound.value_est - value) < 1e-12
    assert abs(solve(matrix, target).value_est - value) < 1e-9
    rows = int(np.count_nonzero(bound.dual))
    yield f"{value} {rows} {value}"


@grouped
def tables() -> Iterator[Any]:
    family = build_family("cells", Domain((2, 2)), 2)
    matrix = full_matrix(family)
    first, second, both = ((".7", ".3"), (".5", ".5"), (".15", ".15", ".35", ".35"))
    shares = [Fraction(share) for share in (*first, *second, *both)]
    shown = [f"${','.join('0' + share for share in table)}$" for table in (first, second, both)]
    yield "targets {} for the first, {} for the second, and {} for both".format(*shown)
    yield "the first attribute has $0.7$ in its own table and $0.3$ in that of both"
    target = np.array([float(share) for share in shares])
    value = dual_value(matrix, ExactTarget.of(shares), [-1, 0, 0, 0, 1, 1, 0, 0])
    assert abs(table_bound(matrix, target).value_est - value) < 1e-12
    assert abs(solve(matrix, target).value_est - value) < 1e-9
    yield f"{value} {value}"


@grouped
def full_support() -> Iterator[Any]:
    family = family_of_degree("monomials", 10, 2, 2)
    assert family.range_width == 1
    counts = rf"$F'={family.varying}$, $R=1$, $\Delta_1={family.l1_sensitivity}$, $N={2**10}$"
    yield counts
    yield from _sizes_of_full_support()
    printed = require(measure="uniform", edition="printed", **PROMISE)
    yield family.total, _failure(printed), printed.n, printed.k, printed.m
    trivial = 1 - family_of_degree("cells", 2, 2, 2).trivial_accuracy
    beta = Fraction("0.05")
    yield beta, 1, trivial, 1 - beta, float(1 - trivial / (1 - beta))
    yield run("guarantee")["runs"]
    for p, found in recorded_cubes():
        assert found["promise_broken"] == 0
        median, largest = (rounded(found["true_error_quantiles"][share], 3) for share in ("0.5", "1"))
        yield f"{p} {found['n']} {found['k']} {median} {largest}"


def _sizes_of_full_support() -> Iterator[Any]:
    union = one_gamma_each(mechanism="laplace", rows="sampling")
    exact = {failure: value("synthbounds.noise-laplace", p=10, degree=2, gamma=failure) for failure in ("0.05", "0.20")}
    cube = one_gamma_each(mechanism="linf", rows="sampling")
    rounding, density = one_gamma_each(mechanism="linf", rows="rounding"), released_density()
    everything = {
        (mechanism, release): everywhere(mechanism=mechanism, release=release, **PROMISE)
        for mechanism, release in (("laplace", "rows"), ("linf", "rows"), ("linf", "density"))
    }
    yield derived(union, "Q"), _row(union, "n", "k")
    for_noise = Fraction(PROMISE["accuracy"]) * 3 / 4  # a quarter is for the rows
    by_formula = 2 * exact["0.05"].hi / (Fraction(PROMISE["epsilon"]) * for_noise)
    yield exact["0.05"], ceil(by_formula), float(by_formula), union.k, _failure(union)
    yield derived(cube, "Q"), size_of(cube, "n"), cube.k, _failure(cube)
    yield rounding.n, rounding.k, _failure(rounding)
    yield _row(density, "n")
    laplace, best = everything["laplace", "rows"], everything["linf", "rows"]
    assert rounded(derived(laplace, "Q"), 4) == rounded(exact["0.20"], 4)
    yield derived(laplace, "Q"), size_of(laplace, "n"), laplace.k, _failure(laplace)
    yield derived(best, "Q"), size_of(best, "n"), best.k, _failure(best)
    yield _row(everything["linf", "density"], "n")


def size_of(answer: Requirement, quantity: str) -> list[Any]:
    """The integer, with the number that it is rounded up from where that is no integer."""
    real, integer = threshold(answer, quantity), getattr(answer, quantity)
    return [integer] if rounded(real, 3) == f"{integer}.000" else [integer, real]


def _row(answer: Requirement, *quantities: str) -> list[Any]:
    return [*(size_of(answer, quantity) for quantity in quantities), _failure(answer)]


def _failure(answer: Requirement) -> Enclosure:
    return answer.guarantee.failure_probability


@grouped
def product() -> Iterator[Any]:
    asked: dict[str, Any] = {"p": 10, "epsilon": "0.2", "failure": "0.05"}
    cases = ((2, "0.4", "rows"), (2, "0.4", "density"), (2, "0.3", "density"), (1, "0.1", "density"))
    for degree, accuracy, release in cases:
        question = {**asked, "degree": degree, "accuracy": accuracy, "release": release}
        found = require(theorem="synthbounds.product", **question)
        assert found.guarantee.privacy.mechanism.startswith("l_inf")
        yield degree, accuracy, everywhere(**question).n, size_of(found, "n"), [] if found.k is None else found.k
    density = require(theorem="synthbounds.product", **{**asked, "degree": 2, "accuracy": "0.4", "release": "density"})
    largest = 0.4**0.5 - 0.5  # where (1/2 + eta)^2 is the accuracy
    yield ceil(float(derived(density, "Q").hi) / (0.2 * largest))
    assert centred_product(3) == Fraction(1, 3)
    assert centred_product(7) < Fraction(1, 2) < centred_product(8)
    yield from _products_made()
    plain, centred = ([float(of(d)) for d in (3, 4, 5)] for of in (plain_product, centred_product))
    yield plain[:2], "1/3", centred[1:]


def _products_made() -> Iterator[Any]:
    runs = run("guarantee")
    one_way, product = runs["one_way_p10"], runs["product_p10"]
    yield runs["runs"]
    yield 1, one_way["n"], "0.1", one_way["promise_broken"], runs["runs"] // 20
    yield 2, product["n"], "0.4", product["promise_broken"], product["true_error_quantiles"]["0.5"]


@grouped
def public_size() -> Iterator[Any]:
    known, unknown = released_density(), released_density(adjacency="add-remove")
    assert unknown.guarantee.privacy.least_public_size == unknown.n
    n = known.n
    yield n, unknown.n
    yield n
    yield n, 1500, 1, f"1500/{n}", up(1 - Fraction(1500, n), 4)


@grouped
def rows() -> Iterator[Any]:
    families = (("monomials", 2, 5, 2), ("monomials", 2, 10, 2), ("cells", 3, 10, 2), ("monomials", 2, 20, 3))
    for family, t, p, d in families:
        facts = family_of_degree(family, p, t, d)
        asked: dict[str, Any] = {"p": p, "t": t, "degree": d, "family": family, "mechanism": "linf"}
        sizes = [size_of(one_gamma_each(rows=rows, **asked), "k") for rows in ("rounding", "drawing", "sampling")]
        yield family, [] if t == 2 else t, p, d, facts.varying, facts.dimension + 1, sizes
    parts, most, denominator = 6, 7, 8
    largest = [
        max(_rounding_move(shares, k) for shares in compositions(denominator, s) for k in range(1, most + 1))
        for s in range(1, parts + 1)
    ]
    bounds = [max(Fraction(2 * left * (s - left), s) for left in range(s)) for s in range(1, parts + 1)]
    assert all(move <= bound for move, bound in zip(largest, bounds, strict=True))
    yield denominator, parts, most
    yield list(map(float, largest)), 1, parts, list(map(float, bounds))
    yield [sum(1 for case in FAMILIES_BY_BRUTE_FORCE if case[0] == name) for name in ("monomials", "cells")]


def compositions(total: int, parts: int, least: int = 1) -> Iterator[tuple[int, ...]]:
    """Integers, each at least so large, that add up to the total."""
    if parts == 1:
        yield (total,)
        return
    for first in range(least, total - least * (parts - 1) + 1):
        yield from ((first, *rest) for rest in compositions(total - first, parts - 1, least))


def _rounding_move(shares: tuple[int, ...], k: int) -> Fraction:
    counts, total = round_rows(shares, k), sum(shares)
    return sum((abs(n - Fraction(k * share, total)) for n, share in zip(counts, shares, strict=True)), Fraction(0))
