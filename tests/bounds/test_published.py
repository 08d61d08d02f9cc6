"""Numbers that are published or were derived independently, at full digits."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

import synthbounds as sb

PAPER: dict[str, Any] = {"degree": 2, "epsilon": ".2", "delta": ".5", "gamma": ".25"}
USEFUL: dict[str, Any] = {"p": 10, "degree": 2, "epsilon": ".2", "delta": ".05", "gamma": ".05"}


def term(answer: sb.Requirement, words: str) -> Any:
    return next(t for t in answer.terms if words in t.name)


def quantity(answer: sb.Requirement, name: str, digits: int) -> str:
    """A derived quantity rounded to that many significant digits, both ends of its enclosure agreeing."""
    low, high = next(d for d in answer.derived if d.name == name).enclosure.decimal(digits + 6)
    assert low[: digits + 1] == high[: digits + 1]
    return str(round(Decimal(low), digits - 1 - Decimal(low).adjusted()))


@pytest.mark.parametrize(
    ("p", "n", "m", "k"),
    [(2, 222, 256, 12), (3, 467, 896, 14), (4, 833, 2816, 16), (5, 1331, 8192, 17), (6, 1971, 22528, 18),
     (7, 2758, 59392, 20), (10, 6062, 917504, 22)],
)  # fmt: skip
def test_theorem_b1_in_the_papers_own_setting(p: int, n: int, m: int, k: int) -> None:
    answer = sb.require(measure="uniform", edition="printed", p=p, **PAPER)
    assert (answer.n, answer.m, answer.k) == (n, m, k)
    assert answer.guarantee.vacuous
    assert "accuracy 4" in answer.guarantee.reason
    assert "failure probability 1" in answer.guarantee.reason
    violated = [h for h in answer.hypotheses if h.holds is False]
    assert [h.text for h in violated] == ["gamma is less than 1/4, as printed"]


@pytest.mark.parametrize(
    ("p", "n", "m", "k", "condition"),
    [(2, 1668, 151, 12, "1.17466212"), (3, 8360, 246, 14, "1.09559724"), (4, 49752, 370, 16, "1.04854478"),
     (5, 328770, 525, 17, "1.02391030"), (6, 2312785, 713, 18, "1.01169526"), (7, 16885473, 934, 20, "1.00574011"),
     (8, 126086721, 1188, 20, "1.00283571"), (9, 954981726, 1475, 21, "1.00140981"),
     (10, 7301638074, 1794, 22, "1.00070446")],
)  # fmt: skip
def test_corollary_iii_1_1_in_the_papers_own_setting(p: int, n: int, m: int, k: int, condition: str) -> None:
    answer = sb.require(measure="histogram", edition="printed", p=p, **PAPER)
    assert answer.theorem == "bojkovic2024.histogram-uniform"
    assert (answer.n, answer.m, answer.k) == (n, m, k)
    assert quantity(answer, "K", 9) == condition
    assert answer.guarantee.privacy.epsilon.lo * 5 == 2  # the printed theorem is 2 epsilon-private


def test_the_second_condition_that_the_substitution_gives() -> None:
    answer = sb.require(measure="histogram", edition="printed", p=10, tau1="1/1024", tau2="1/1024", **PAPER)
    assert answer.theorem == "bojkovic2024.histogram"
    assert term(answer, "empirical distribution").required == 8613192752
    assert term(answer, "perturbed histogram near").threshold.decimal(12)[0] == "49291439.0158"


@pytest.mark.parametrize(
    ("p", "n"),
    [(3, 2219), (4, 5324), (5, 12422), (6, 28392), (7, 63881), (8, 141957), (9, 312305), (10, 681392)],
)
def test_the_repaired_density_condition(p: int, n: int) -> None:
    answer = sb.require(measure="histogram", edition="corrected", p=p, **PAPER)
    assert term(answer, "density condition").required == n
    assert answer.n == n


@pytest.mark.parametrize(
    ("p", "accuracy", "n", "k"),
    [
        (5, ".4", 2852, 320),
        (5, ".1", 11408, 5118),
        (10, ".8", 6420, 97),
        (10, ".4", 12839, 385),
        (20, ".1", 233600, 7229),
    ],
)
def test_full_support_with_laplace_noise_and_sampled_rows(p: int, accuracy: str, n: int, k: int) -> None:
    answer = sb.require(
        theorem="synthbounds.full-support", mechanism="laplace", rows="sampling",
        p=p, degree=2, epsilon=".2", accuracy=accuracy, gamma=".05",
    )  # fmt: skip
    assert (answer.n, answer.m, answer.k) == (n, 2**p, k)


def test_full_support_with_the_other_mechanisms() -> None:
    question = {"theorem": "synthbounds.full-support", **USEFUL}
    assert sb.require(mechanism="linf", **question).n == 2259
    assert sb.require(rows="rounding", **question).k == 140
    assert sb.require(release="density", **question).n == 1694
    assert sb.require(release="density", **question).k is None
    assert quantity(sb.require(mechanism="laplace", **question), "Q_laplace", 6) == "385.169"


def test_the_sharp_edition_is_at_most_these() -> None:
    answer = sb.require(measure="uniform", **USEFUL)
    assert answer.n <= 2259
    assert answer.k is not None
    assert answer.k <= 2809  # as many as in the corrected edition
    assert answer.m is None
    assert (answer.n, answer.k) == (440, 1867)
    (everywhere,) = answer.alternatives
    assert (everywhere.n, everywhere.m, everywhere.k) == (2038, 1024, 140)
    assert not answer.guarantee.vacuous


@pytest.mark.parametrize(
    ("family", "t", "accuracy", "vacuous"),
    [("monomials", 2, ".4999", False), ("monomials", 2, ".5", True), ("parities", 2, ".9999", False),
     ("parities", 2, "1", True), ("cells", 3, ".8888", False), ("cells", 3, "8/9", True)],
)  # fmt: skip
def test_where_an_accuracy_becomes_vacuous(family: str, t: int, accuracy: str, vacuous: bool) -> None:
    answer = sb.require(p=4, t=t, degree=2, family=family, epsilon=1, accuracy=accuracy, failure=".05")
    assert answer.guarantee.vacuous is vacuous


@pytest.mark.parametrize(("accuracy", "n"), [(".4", 72), (".1", 305)])
def test_the_lower_bound(accuracy: str, n: int) -> None:
    assert sb.lower_bound(p=10, epsilon=".2", accuracy=accuracy, failure=".05").n == n
    answer = sb.require(p=10, degree=2, epsilon=".2", accuracy=accuracy, failure=".05")
    assert answer.lower_bound is not None
    assert answer.lower_bound.n == n


def test_noise_coefficients() -> None:
    def value(theorem: str, **more: Any) -> str:
        found = sb.evaluate(theorem, degree=2, gamma=".05", **more)[0].value
        assert found is not None
        return found.decimal(6)[0]

    assert value("synthbounds.noise-linf", p=10) == "67.7400"
    assert value("synthbounds.noise-linf", p=10, family="cells") == "223.816"
    assert value("synthbounds.noise-linf", p=10, family="cells", t=3) == "469.865"
    assert value("synthbounds.noise-gaussian", p=10, epsilon=".2", dp_delta="1e-6") == "93.2326"
    assert value("synthbounds.noise-gaussian", p=20, epsilon=".2", dp_delta="1e-6") == "201.880"


def test_the_cheapest_noise_is_taken_and_named() -> None:
    question: dict[str, Any] = {"degree": 2, "epsilon": ".2", "accuracy": ".2", "failure": ".2", "dp_delta": "1e-6"}
    small, large = sb.require(p=4, **question), sb.require(p=20, **question)
    assert small.guarantee.privacy.mechanism.startswith("l_inf")
    assert small.guarantee.privacy.dp_delta is None
    assert large.guarantee.privacy.mechanism == "analytic Gaussian noise on contrasts"
    assert large.guarantee.privacy.dp_delta is not None
    signs = sb.require(p=20, family="parities", **question)
    assert signs.guarantee.privacy.mechanism == "analytic Gaussian noise"
    few_levels = sb.require(p=10, family="cells", **{**question, "dp_delta": None})
    assert few_levels.guarantee.privacy.mechanism == "l_inf (cube K-norm) noise on contrasts"
    many_levels = sb.require(p=10, t=8, degree=2, family="cells", epsilon=".2", accuracy=".2", failure=".2")
    assert many_levels.guarantee.privacy.mechanism == "Laplace noise"


@pytest.mark.parametrize(
    ("p", "kernel", "grid", "printed", "constant", "bandwidth"),
    [
        (1, 290146, 4596, "430.2447", "5.69622292", "10512.8136"),
        (2, 309497451, 95777, "1029.856", "5.52790639", "99.5023150"),
        (3, 455454501614, 2169939, "2465.120", "4.11727577", "17.6436449"),
    ],
)
def test_continuous_domain(p: int, kernel: int, grid: int, printed: str, constant: str, bandwidth: str) -> None:
    question: dict[str, Any] = {
        "p": p, "degree": 1, "epsilon": ".2", "delta": ".05", "gamma": ".05", "tau": ".5", "lipschitz": 1,
        "density_max": "1.5", "measure": "kde",
    }  # fmt: skip
    repaired = sb.require(edition="corrected", **question)
    assert term(repaired, "noise on the lattice").required == kernel
    by_grid = sb.require(edition="corrected", theorem="bojkovic2024.kde-grid", **question)
    assert term(by_grid, "density condition").required == grid
    as_printed = sb.require(edition="printed", **question)
    assert term(as_printed, "released estimate").threshold.decimal(7)[0] == printed
    assert quantity(as_printed, "C", 9) == constant
    assert quantity(as_printed, "C_prime", 9) == bandwidth


def test_constants_of_the_printed_kernel_theorem() -> None:
    answer = sb.require(measure="kde", edition="printed", p=1, degree=1, epsilon=1, delta=".05", gamma=".05")
    assert answer.theorem == "bojkovic2024.kde-uniform"
    assert quantity(answer, "K", 10) == "4.373213921"
    assert quantity(answer, "C", 9) == "4.65094654"


def test_reference_points() -> None:
    found = {r.route: r.integer for r in sb.evaluate(
        "synthbounds.reference-points", queries=56, delta=".1", gamma=".05", K=1, rho="1.8"
    )}  # fmt: skip
    assert found == {"Chebyshev": 114000, "truncated weights": 3217, "rejection": 807}


def test_lemmas() -> None:
    def values(theorem: str, **numbers: Any) -> dict[str, str]:
        return {r.edition: r.value.decimal(10)[0] for r in sb.evaluate(theorem, **numbers) if r.value is not None}

    assert values("bojkovic2024.max-laplace", sigma=1, count=256, gamma=".05") == {
        "printed": "110.9035488", "corrected": "8.540909718", "sharp": "8.515472874",
    }  # fmt: skip
    assert values("bojkovic2024.empirical-tv", count=10, n=100, deviation=".32") == {
        "printed": "0.08892161745", "corrected": "0.9992887655", "sharp": "0.9801986733",
    }  # fmt: skip


def test_solving_for_the_other_parameters() -> None:
    rest = {name: value for name, value in USEFUL.items() if name != "epsilon"}
    solved = sb.solve_for("epsilon", n=440, **rest)
    assert solved.requirement.n <= 440
    assert solved.neighbour_n is not None
    assert solved.neighbour_n > 440
    assert float(solved.value) == pytest.approx(0.2, rel=2e-3)
    degree = sb.solve_for("degree", n=20000, p=10, epsilon=".2", delta=".05", gamma=".05")
    assert degree.requirement.n <= 20000 < (degree.neighbour_n or 0)


@pytest.mark.slow
def test_solving_is_not_misled_by_the_cap_on_reference_points() -> None:
    """For a large domain the capped answer jumps from full support to a histogram; solving must not."""
    question: dict[str, Any] = {"measure": "histogram", "p": 20, "epsilon": 1}
    solved = sb.solve_for("delta", n=100_000, degree=2, gamma=".05", **question)
    assert solved.requirement.n <= 100_000 < (solved.neighbour_n or 0)
    assert solved.value < Fraction(1, 100)
    assert sb.solve_for("degree", n=21_000, delta=".1", gamma=".05", **question).value >= 4


def test_solving_where_records_do_not_fall() -> None:
    """The printed histogram theorem asks for the fewest records at a delta, and at a degree, in between."""
    question: dict[str, Any] = {"measure": "histogram", "edition": "printed", "p": 5, "degree": 2, "epsilon": 1}
    solved = sb.solve_for("delta", n=190_000, gamma=".2", **question)
    assert solved.requirement.n <= 190_000 < (solved.neighbour_n or 0)
    degree = sb.solve_for(
        "degree", n=26_660_637, measure="histogram", edition="printed", p=6, epsilon=".5", accuracy=".4", failure=".05"
    )
    assert degree.value == 6


def test_the_edge_of_a_search_is_not_called_a_proof() -> None:
    solved = sb.solve_for("gamma", n=300_000, p=12, degree=2, epsilon=1, accuracy=".05")
    assert solved.neighbour is None
    assert solved.neighbour_n is None
    assert sb.solve_for("degree", n=10**9, p=5, epsilon=1, delta=".05", gamma=".05").value == 5


def test_rows_that_leave_exactly_nothing_for_the_product_lose_no_answer() -> None:
    """255 rows would leave nothing at all, which no precision decides: the route is refused, not the question."""
    found = sb.require(p=5, t=3, family="cells", degree=2, epsilon="1", accuracy="0.3", failure="0.5", k=100)
    assert found.route == "full support"
    assert any("more are needed" in other.reason for other in found.alternatives)
