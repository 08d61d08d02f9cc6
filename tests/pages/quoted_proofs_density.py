"""Numbers of the proof pages about the programme over densities: sizes, rows, certificates.

Sizes come from the registered theorems, experiments from recorded benchmarks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np

import synthbounds as sb
from bounds.enclosure import Enclosure
from bounds.product_facts import centred_product, plain_product
from bounds.queries import family_of_degree
from bounds.registry import find_theorem
from bounds.sizes.evaluate import evaluate
from bounds.sizes.requirement import Requirement
from bounds.sizes.setting import build_setting
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
from tests.pages.quoted import SETTING, Page, recorded

PROMISE: dict[str, Any] = {"p": 10, "degree": 2, "epsilon": "0.2", "accuracy": "0.4", "gamma": "0.05"}
"""The setting that most pages share."""


def rounded(value: Enclosure | Fraction | float, places: int) -> str:
    """To that many decimals; the ends of an enclosure must agree on them."""
    ends = (value.lo, value.hi) if isinstance(value, Enclosure) else (value,)
    (text,) = {f"{float(end):.{places}f}" for end in ends}
    return text


def value_of(theorem: str, route: str | None = None, **numbers: Any) -> Enclosure:
    """What a helper statement gives, by the route of that name."""
    (found,) = (row.value for row in sb.evaluate(theorem, **numbers) if route in (None, row.route))
    assert found is not None
    return found


def threshold(answer: Requirement, quantity: str) -> Enclosure:
    """The real number that decides n, m or k, before it is rounded up."""
    (found,) = (term.threshold for term in answer.terms if term.quantity == quantity and term.binding)
    return found


def derived(answer: Requirement, name: str) -> Enclosure:
    (found,) = (quantity.enclosure for quantity in answer.derived if quantity.name == name)
    return found


def one_gamma_each(**more: Any) -> Requirement:
    return sb.require(theorem="synthbounds.full-support", **{**PROMISE, **more})


def everywhere(theorem: str = "bojkovic2024.uniform", **question: Any) -> Requirement:
    """The sharp edition by the route over the whole domain alone."""
    found = find_theorem(theorem)
    sharp = found.edition("sharp")
    assert sharp is not None
    only = replace(sharp, routes=tuple(route for route in sharp.routes if route.name == "full support"))
    return evaluate(replace(found, editions=(only,)), "sharp", build_setting(**question))


def released_density(**more: Any) -> Requirement:
    return one_gamma_each(mechanism="linf", release="density", **more)


def cube_coefficient(**more: Any) -> Enclosure:
    return value_of("synthbounds.noise-linf", **{"p": 10, "degree": 2, "gamma": "0.05", **more})


RUNS = f"`benchmarks/guarantee.py` runs the algorithm {recorded('guarantee')['runs']} times for each setting"


def recorded_cubes() -> Iterator[tuple[int, dict[str, Any]]]:
    """What was measured with cube noise and as many drawn rows as records at the theorem's n, with p."""
    for p in (5, 10):
        found = recorded("guarantee")[f"cube_p{p}"]
        sizes = one_gamma_each(p=p, mechanism="linf", rows="rounding")
        assert (found["n"], found["k"]) == (sizes.n, sizes.n)
        yield p, found


def _a_posteriori() -> Iterator[str]:
    epsilon = Fraction(PROMISE["epsilon"])
    rows: dict[str, Any] = {"mechanism": "linf", "rows": "rounding"}
    for p, answer in ((5, one_gamma_each(p=5, **rows)), (10, released_density()), (10, one_gamma_each(**rows))):
        coefficient = cube_coefficient(p=p)
        share = Enclosure(coefficient.lo / (answer.n * epsilon), coefficient.hi / (answer.n * epsilon))
        yield f"| {p}, 2 | {answer.n} | {rounded(coefficient, 4)} | {rounded(share, 4)} |"
    noise = {name: PROMISE[name] for name in ("p", "degree", "epsilon", "gamma")}
    certified = value_of("synthbounds.a-posteriori", "linf", observed="0.09", n=answer.n, **noise)
    assert certified.hi <= Fraction("0.24")
    told = f"at $p=10$, $n={answer.n}$ an observed $v_Y=0.09$ certifies accuracy ${rounded(certified, 2)}$"
    yield f"{told}, where the bound known in advance is ${PROMISE['accuracy']}$"
    yield RUNS
    for p, found in recorded_cubes():
        assert found["certificate_broken"] == 0
        median, largest = (rounded(found["certificate_quantiles"][share], 3) for share in ("0.5", "1"))
        yield f"| {p} | {found['n']} | {found['k']} | {median} | {largest} |"
    tree, runs = recorded("guarantee")["tree_m40"], 5 * recorded("guarantee")["runs"]
    assert tree["certificate_broken"] == 0
    drawn = (
        f"{tree['columns']} of {Domain((3, 2, 4, 2, 3)).size} points, two-way cells, $n={tree['n']}$, {tree['k']} rows"
    )
    yield f"{drawn}, failure probability $0.05$: in {runs} runs of the same benchmark"


@dataclass(frozen=True)
class _Candidate:
    """A density on the two points 0 and 1, and the weight of the query."""

    numbers: np.ndarray
    weights: np.ndarray
    dual: np.ndarray


def _density_certificate() -> Iterator[str]:
    matrix = full_matrix(build_family("monomials", Domain((2,)), 1))
    both, negative = np.array([0, 1]), np.array([-1.0])
    outside = certify(matrix, [Fraction(3, 2)], _Candidate(both[1:], np.array([1.0]), negative))
    assert outside.lower == outside.upper == Fraction(1, 2)
    third = certify(matrix, [Fraction(1, 3)], _Candidate(both, np.array([2 / 3, 1 / 3]), negative))
    bits = third.weight_total.bit_length() - 1
    assert third.lower == 0
    assert third.upper == Fraction(1, 3 * 2**bits)
    yield rf"rounded to multiples of $2^{{-{bits}}}$ give $0\le V\le\frac13 2^{{-{bits}}}$"


def _bit_bound() -> Iterator[str]:
    matrix = full_matrix(build_family("parities", Domain((2,) * 3), 3))
    target = np.array([0.0, 0.0, 0.0, -1.0, -1.0, -1.0, 0.0])
    bound, value = bit_bound(bits_matrix(matrix), target), Fraction(2, 3)
    assert abs(bound.value_est - value) < 1e-12
    assert abs(solve(matrix, target).value_est - value) < 1e-9
    rows = int(np.count_nonzero(bound.dual))
    yield rf"(d) proves $V\ge {value}$ with {rows} weights; on all eight points the optimum is $V={value}$"


def _table_bound() -> Iterator[str]:
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
    yield rf"(b) proves $V\ge {value}$, on any points, and on all four points the optimum is $V={value}$"


def _full_support() -> Iterator[str]:
    family = family_of_degree("monomials", 10, 2, 2)
    assert family.range_width == 1
    counts = rf"$F'={family.varying}$, $R=1$, $\Delta_1={family.l1_sensitivity}$, $N={2**10}$"
    yield rf"Monomials on $\lbrace 0,1\rbrace^{{10}}$ up to degree $2$: {counts}"
    yield from _sizes_of_full_support()
    printed = sb.require(measure="uniform", edition="printed", **PROMISE)
    failure = rounded(printed.guarantee.failure_probability, 2)
    sizes = f"are $n={printed.n}$, $k={printed.k}$ and $m={printed.m}$"
    yield f"for the same promise ($F={family.total}$, failure ${failure}$) {sizes}"
    trivial = 1 - family_of_degree("cells", 2, 2, 2).trivial_accuracy
    beta = Fraction("0.05")
    share = rounded(1 - trivial / (1 - beta), 4)
    yield (
        f"with failure probability ${float(beta)}$ cannot go below "
        f"$1-{float(trivial)}/{float(1 - beta)}={share}$ for cells"
    )
    yield RUNS
    for p, found in recorded_cubes():
        assert found["promise_broken"] == 0
        median, largest = (rounded(found["true_error_quantiles"][share], 3) for share in ("0.5", "1"))
        yield f"| {p} | {found['n']} | {found['k']} | {median} | {largest} |"


def _sizes_of_full_support() -> Iterator[str]:
    union = one_gamma_each(mechanism="laplace", rows="sampling")
    exact = {
        failure: value_of("synthbounds.noise-laplace", p=10, degree=2, gamma=failure) for failure in ("0.05", "0.20")
    }
    cube = one_gamma_each(mechanism="linf", rows="sampling")
    rounding, density = one_gamma_each(mechanism="linf", rows="rounding"), released_density()
    everything = {
        (mechanism, release): everywhere(mechanism=mechanism, release=release, **PROMISE)
        for mechanism, release in (("laplace", "rows"), ("linf", "rows"), ("linf", "density"))
    }
    label = rf"(c) Laplace, $\Delta_1\log(F'/\gamma)={rounded(derived(union, 'Q'), 4)}$"
    yield f"| {label} | {size_of(union, 'n')} | {size_of(union, 'k')} | {_failure(union)} |"
    for_noise = Fraction(PROMISE["accuracy"]) * 3 / 4  # a quarter is for the rows
    by_formula = 2 * exact["0.05"].hi / (Fraction(PROMISE["epsilon"]) * for_noise)
    quantile = f"exact quantile {rounded(exact['0.05'], 4)}"
    sizes = f"{ceil(by_formula)} ({rounded(by_formula, 3)}) | {union.k} | {_failure(union)}"
    yield f"| (c) Laplace, {quantile} | {sizes} |"
    label = rf"(c) $\ell_\infty$, $x_\gamma={rounded(derived(cube, 'Q'), 5)}$"
    yield f"| {label} | {size_of(cube, 'n')} | {cube.k} | {_failure(cube)} |"
    yield rf"| (d) $\ell_\infty$, rounded rows | {rounding.n} | {rounding.k} | {_failure(rounding)} |"
    yield rf"| (d) $\ell_\infty$, density released, $e_k^0=0$ | {size_of(density, 'n')} | none | {_failure(density)} |"
    laplace = everything["laplace", "rows"]
    quantile = rounded(derived(laplace, "Q"), 4)
    assert quantile == rounded(exact["0.20"], 4)
    yield f"| (e) Laplace, exact quantile {quantile} | {size_of(laplace, 'n')} | {laplace.k} | {_failure(laplace)} |"
    best = everything["linf", "rows"]
    label = rf"(e) $\ell_\infty$, $x_{{4\gamma}}={rounded(derived(best, 'Q'), 5)}$"
    yield f"| {label} | {size_of(best, 'n')} | {best.k} | {_failure(best)} |"
    best = everything["linf", "density"]
    yield rf"| (e) $\ell_\infty$, density released | {size_of(best, 'n')} | none | {_failure(best)} |"


def size_of(answer: Requirement, quantity: str) -> str:
    """The integer, with the number that it is rounded up from in brackets where that is no integer."""
    real = threshold(answer, quantity)
    bracket = rounded(real, 3).rstrip("0").rstrip(".")
    integer = getattr(answer, quantity)
    return str(integer) if bracket == str(integer) else f"{integer} ({bracket})"


def _failure(answer: Requirement) -> str:
    return rounded(answer.guarantee.failure_probability, 2)


def _product() -> Iterator[str]:
    asked: dict[str, Any] = {"p": 10, "epsilon": "0.2", "failure": "0.05"}
    for words, degree, accuracy, release in (
        ("degree 2, accuracy $0.4$", 2, "0.4", "rows"),
        ("degree 2, accuracy $0.4$, density released", 2, "0.4", "density"),
        ("degree 2, accuracy $0.3$, density released", 2, "0.3", "density"),
        ("degree 1, accuracy $0.1$, density released", 1, "0.1", "density"),
    ):
        question = {**asked, "degree": degree, "accuracy": accuracy, "release": release}
        found = sb.require(theorem="synthbounds.product", **question)
        assert found.guarantee.privacy.mechanism.startswith("l_inf")
        rows = "none" if found.k is None else found.k
        yield f"| {words} | {everywhere(**question).n} | {size_of(found, 'n')} | {rows} |"
    density = sb.require(
        theorem="synthbounds.product", **{**asked, "degree": 2, "accuracy": "0.4", "release": "density"}
    )
    largest = 0.4**0.5 - 0.5  # where (1/2 + eta)^2 is the accuracy
    yield f"Without moving columns, the second is ${ceil(float(derived(density, 'Q').hi) / (0.2 * largest))}$ by (c)."
    plain, centred = ({d: rounded(of(d), 6) for d in (3, 4, 5)} for of in (plain_product, centred_product))
    assert centred_product(3) == Fraction(1, 3)
    assert centred_product(7) < Fraction(1, 2) < centred_product(8)
    yield from _products_made()
    yield rf"$\kappa_3={plain[3]}$ and $\kappa_4={plain[4]}$; $c_3=1/3$, $c_4={centred[4]}$, $c_5={centred[5]}$"


def _products_made() -> Iterator[str]:
    runs = recorded("guarantee")
    one_way, product = runs["one_way_p10"], runs["product_p10"]
    yield f"`benchmarks/guarantee.py` does so {runs['runs']} times each."
    broken, allowed = one_way["promise_broken"], runs["runs"] // 20
    told = f"At degree 1, $n={one_way['n']}$, the error exceeded $0.1$ in {broken} runs"
    yield f"{told}, where {allowed} are allowed on average"
    told = f"At degree 2, $n={product['n']}$, it exceeded $0.4$ in {product['promise_broken']} run"
    yield f"{told}; the median was ${product['true_error_quantiles']['0.5']}$."


def _public_size() -> Iterator[str]:
    known, unknown = released_density(), released_density(adjacency="add-remove")
    assert unknown.guarantee.privacy.least_public_size == unknown.n
    n = known.n
    yield rf"$n\ge {n}$ becomes $n_0={unknown.n}$. The promise then holds under add/remove for every data set"
    yield f"with at least {n} records"
    extra = ceil((1 - Fraction(1500, n)) * 10**4) / 10**4
    yield f"With $n_0={n}$ and only $n=1500$ records, the extra error is at most $1-1500/{n}<{extra}$"


def _rows() -> Iterator[str]:
    for family, t, p, d in (
        ("monomials", 2, 5, 2),
        ("monomials", 2, 10, 2),
        ("cells", 3, 10, 2),
        ("monomials", 2, 20, 3),
    ):
        facts = family_of_degree(family, p, t, d)
        levels = "" if t == 2 else f"$t={t}$, "
        asked: dict[str, Any] = {"p": p, "t": t, "degree": d, "family": family, "mechanism": "linf"}
        sizes = [size_of(one_gamma_each(rows=rows, **asked), "k") for rows in ("rounding", "drawing", "sampling")]
        counts = f"{facts.varying} | {facts.dimension + 1} | {' | '.join(sizes)}"
        yield f"| {family}, {levels}$p={p}$, $d={d}$ | {counts} |"
    parts, most, denominator = 6, 7, 8
    largest = [
        max(_rounding_move(shares, k) for shares in compositions(denominator, s) for k in range(1, most + 1))
        for s in range(1, parts + 1)
    ]
    bounds = [max(Fraction(2 * left * (s - left), s) for left in range(s)) for s in range(1, parts + 1)]
    assert all(move <= bound for move, bound in zip(largest, bounds, strict=True))
    run = rf"all weight vectors with denominator {denominator} and $s\le {parts}$, $k\le {most}$"
    yield f"`round_rows` of `lp/programme/rounding.py` over {run}"
    yield rf"were ${_short(largest)}$ for $s=1,\dots,{parts}$, against the bounds ${_short(bounds)}$"
    cases = [sum(1 for case in FAMILIES_BY_BRUTE_FORCE if case[0] == name) for name in ("monomials", "cells")]
    yield f"with exact ranks in {cases[0]} cases (monomials) and {cases[1]} cases (cells)"


def _short(values: Iterable[Fraction]) -> str:
    return ",".join(f"{float(value):.4g}" for value in values)


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


PAGES = {
    "synthbounds.bit-bound": Page(_bit_bound),
    "synthbounds.a-posteriori": Page(
        _a_posteriori, {SETTING: (r"Cube mechanism, monomials, $\varepsilon=0.2$, $g=0.05$.",)}
    ),
    "synthbounds.density-certificate": Page(_density_certificate),
    "synthbounds.table-bound": Page(_table_bound),
    "synthbounds.full-support": Page(
        _full_support,
        {SETTING: (r"$\varepsilon=0.2$, $\gamma=0.05$, $A=0.4$ (that is $\delta=0.05$), $e_k^0=0.1$ unless stated",)},
    ),
    "synthbounds.product": Page(
        _product,
        {
            SETTING: (
                r"Monomials on $\lbrace 0,1\rbrace^{10}$, $\varepsilon=0.2$, failure probability $0.05$, cube noise",
            ),
        },
    ),
    "synthbounds.public-size": Page(
        _public_size, {SETTING: (r"$p=10$, $d=2$, $\varepsilon=0.2$, $\gamma=0.05$, accuracy $0.4$",)}
    ),
    "synthbounds.rows": Page(
        _rows, {SETTING: ("$e=0.1$, $R=1$", "independent rows are for failure probability $0.05$")}
    ),
}
