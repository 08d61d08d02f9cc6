"""Bounds on excess risk: published and measured figures, certificates, order of editions, monotonicity."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

import synthbounds as sb
from bounds.approximation.functions import find_function
from bounds.arithmetic.ball import BALL
from bounds.enclosure import Enclosure, as_fmpq, precision
from bounds.pieces.noisy_moments import MOMENTS
from bounds.registry import find_theorem
from bounds.risk.floor import floor_of, identical_marginals
from bounds.risk.loss import Loss, loss_on
from bounds.risk.polynomials import optimal_at, slope_pool
from bounds.risk.quadratic import best_tilt
from bounds.risk.sharp import best_bounds
from bounds.risk.tables import Tables
from bounds.sizes.routes import quantities
from bounds.values import evaluate_value
from tests.speeds import ALL, examples, in_both

PRIVATE: dict[str, Any] = {"radius": 1, "epsilon": 1, "dp_delta": "1e-6", "failure": "1/1048576"}


def close(value: Enclosure, expected: str, digits: int) -> bool:
    return abs(value.midpoint / Fraction(expected) - 1) < Fraction(1, 10**digits)


def loss_of(name: str, radius: int) -> Loss:
    return loss_on(find_function(name), Fraction(radius))


def terms(answer: Any) -> dict[str, Enclosure]:
    return {part.name: part.value for part in answer.parts}


@pytest.mark.parametrize(
    ("order", "bias", "per_distance"), [(2, "0.00236556", "1.240229"), (4, "3.75074e-5", "1.259117")]
)
def test_minimax_polynomials_of_the_logistic_loss(order: int, bias: str, per_distance: str) -> None:
    answer = sb.risk(features=10, radius=1, marginals=order, marginal_error="0.01", approximation="minimax")
    assert close(terms(answer)["approximation"], bias, 5)
    assert close(terms(answer)["marginals"], str(Fraction(per_distance) / 100), 6)
    assert answer.polynomial.degree == order
    assert answer.polynomial.orders == (order, 2)


def test_quadratic_bias_at_a_quarter_of_the_convexity() -> None:
    loss = loss_on(find_function("logistic"), Fraction(1))
    polynomial = next(p for p in slope_pool(loss, 2) if p.method == "minimax derivative")
    numbers = {
        "radius": 1, "features": 10, "order": 2, "marginal_error": "0.01", "derivative_error": polynomial.slope_error,
        "convexity": loss.convexity, "coefficient_cost": polynomial.cost, "quadratic_cost": polynomial.scaled(2),
        "tilt": loss.convexity / 4,
    }  # fmt: skip
    row = evaluate_value(find_theorem("synthbounds.quadratic-bias"), numbers)[0]
    assert row.value is not None
    assert close(row.value, "0.01355728", 5)  # 2.174e-4 + 1.33399/100
    best = sb.risk(features=10, radius=1, marginals=2, marginal_error="0.01")
    assert best.route == "quadratic bias"
    assert best.bound.hi < row.value.lo
    assert close(sb.risk(features=10, radius=1, marginals=2, marginal_error=0).bound, "2.17376e-4", 5)


def test_theorem_3_1_is_vacuous_for_the_logistic_loss_up_to_order_101() -> None:
    for order in (2, 3, 50, 100, 101):
        for s in (0, "1e-9"):
            found = sb.risk(
                features=120, radius=1, marginals=order, marginal_error=s, theorem="zhou2024.lipschitz",
                edition="printed",
            )  # fmt: skip
            assert found.vacuous
    beyond = sb.risk(
        features=120, radius=1, marginals=102, marginal_error=0, theorem="zhou2024.lipschitz", edition="printed"
    )
    assert not beyond.vacuous
    assert not sb.risk(features=120, radius=1, marginals=2, marginal_error=0).vacuous


def test_distance_of_private_marginals() -> None:
    nu = {
        edition: sb.risk(features=10, marginals=2, n=10**6, edition=edition, **PRIVATE).noise.nu
        for edition in ("printed", "corrected", "sharp")
    }
    assert close(nu["printed"], "3843.1", 5)
    assert close(nu["corrected"], "3843.1", 5)
    assert nu["sharp"].hi < Fraction("1342.4")  # the law improves on the concentration form
    assert close(nu["sharp"], "1060.682", 6)
    sd = sb.evaluate("zhou2024.sensitivity", edition="sharp", features=10, order=2, epsilon=1, dp_delta="1e-6")[0].value
    rows = sb.evaluate(
        "zhou2024.marginal-noise", edition="sharp", features=10, levels=2, order=2, noise_sd=sd.hi, failure="1/1048576"
    )
    assert close({row.route: row.value for row in rows}["Gaussian concentration"], "1342.4", 4)


@pytest.mark.parametrize(
    ("radius", "degree", "s", "value"),
    [(5, 8, ".01", ".168711923145"), (10, 8, ".1", "3.26967582489"), (1, 4, ".001", ".00129662407770"),
     (2, 8, ".1", ".308181935007"), (5, 4, ".1", "1.24193840422")],
)  # fmt: skip
def test_optimal_polynomials(radius: int, degree: int, s: str, value: str) -> None:
    answer = sb.risk(features=50, radius=radius, marginals=degree, marginal_error=s, approximation="optimal")
    assert close(answer.bound, value, 10)
    assert answer.bound.hi - answer.bound.lo < Fraction(1, 10**9)


def test_order_1_carries_nothing_and_all_attributes_carry_everything() -> None:
    assert sb.risk(features=3, radius=1, marginals=1, marginal_error=0).vacuous
    full = sb.risk(features=3, radius=1, marginals=4, marginal_error="0.1")
    assert (full.route, full.bound.hi) == ("all attributes", Fraction(1, 10))
    assert full.floor is not None
    assert full.floor.bias is None


def test_all_features_and_pairs_with_the_label_say_all_about_the_logistic_loss() -> None:
    for m in (2, 3, 4):
        assert sb.risk(features=m, radius=5, marginals=m, marginal_error=0).bound.hi == 0
        some = sb.risk(features=m, radius=1, marginals=m, marginal_error="0.1")
        assert some.route == "all features"
        assert close(some.bound, "0.112011450696", 9)  # s (R + log cosh(R/2))
        assert (
            sb.risk(features=m, radius=1, marginals=m, marginal_error="0.1", loss="exponential").route != "all features"
        )
    assert sb.risk(features=1, radius=1, marginals=1, marginal_error=0).vacuous


def test_more_attributes_and_smaller_gaps_never_hurt() -> None:
    bounds = [sb.risk(features=30, radius=3, marginals=d, marginal_error="1e-4").bound for d in range(2, 19, 2)]
    assert all(more.lo <= less.hi for less, more in pairwise(bounds))
    exact = sb.risk(features=9, radius=1, marginals=2, marginal_error="0.001").bound
    gaps = [
        sb.risk(features=9, radius=1, marginals=2, marginal_error="0.001", optimisation_gap=f"1e-{k}").bound
        for k in (3, 6, 9, 12, 18)
    ]
    assert all(exact.lo <= smaller.hi <= larger.hi for larger, smaller in pairwise(gaps))
    assert gaps[-1].hi < exact.hi * (1 + Fraction(1, 10**5))


def test_unequal_sizes_and_approximate_minimisers() -> None:
    shares = sb.risk(features=9, radius=1, marginals=2, nu=300, n=1000, k=1200)
    assert shares.marginal_error == Enclosure.of(Fraction(500, 1200))
    exact = sb.risk(features=9, radius=1, marginals=2, marginal_error="0.01")
    rough = sb.risk(features=9, radius=1, marginals=2, marginal_error="0.01", optimisation_gap="0.001")
    assert exact.bound.hi < rough.bound.hi < exact.bound.hi + Fraction(4, 1000)


LOSSES = (
    "logistic",
    "hinge",
    "squared-hinge",
    "exponential",
    "huber:1/2",
    "gamma-phi-gamma:0.1",
    "log(1+exp(-x))+x^2/8",
)


@pytest.mark.parametrize("name", LOSSES)
def test_any_loss_and_radius(name: str) -> None:
    for radius in ("0.3", "1", "3"):
        answer = sb.risk(loss=name, features=20, radius=radius, marginals=6, marginal_error="0.003")
        assert answer.route != "no data"
        assert 0 < answer.bound.lo <= answer.bound.hi < answer.trivial.lo
        assert answer.floor is None or answer.floor.value.lo <= answer.bound.hi
        few = sb.risk(loss=name, features=20, radius=radius, marginals=2, marginal_error="0.003")
        assert answer.bound.lo <= few.bound.hi


@pytest.mark.share(3)
@in_both
@pytest.mark.parametrize("radius", ["0.1", "0.5", "1", "2", "5"])
def test_sharp_is_never_larger_than_corrected(radius: str) -> None:
    """1,680 points in all, 240 in the fast run: the answer and the least closed form against the corrected theorems."""
    numbers_of = {"zhou2024.logistic": {}, "zhou2024.lipschitz": {"slope": 1, "at_zero": ".6931471805599454"}}
    distances = [Fraction(k, 10**j) for j in range(1, 7) for k in (1, 2, 5)]
    points = list(product((2, 3, 4, 5, 7, 8, 12), distances, (12, 30, 100, 1000)))
    compared = 0
    for order, s, features in points[::3] if ALL else points[::21]:
        answer = sb.risk(features=features, radius=radius, marginals=order, marginal_error=s).bound
        for theorem, more in numbers_of.items():
            numbers = {"radius": radius, "features": features, "order": order, "marginal_error": s, **more}
            rows = evaluate_value(find_theorem(theorem), numbers)
            least = {e: min(r.value.hi for r in rows if r.edition == e and r.value) for e in ("corrected", "sharp")}
            assert answer.hi <= least["sharp"] <= least["corrected"], (order, s, features, theorem)
            compared += 1
    assert compared == (336 if ALL else 48)


@examples(40)
@given(
    st.sampled_from(("1/2", "1", "3")),
    st.sampled_from((2, 4, 5)),
    st.integers(1, 10**6),
    st.integers(1, 10**6),
)
def test_the_bound_grows_with_the_distance_without_jumps(radius: str, order: int, a: int, b: int) -> None:
    low, high = sorted((Fraction(a, 10**7), Fraction(b, 10**7)))
    small = sb.risk(features=9, radius=radius, marginals=order, marginal_error=low).bound
    large = sb.risk(features=9, radius=radius, marginals=order, marginal_error=high).bound
    assert small.lo <= large.hi
    steepest = 4 * Fraction(radius) * 3**order  # any polynomial in use has a coefficient cost below
    assert large.lo - small.hi <= (high - low) * steepest + Fraction(1, 10**8)


@examples(15, of=3)
@given(st.integers(2, 40), st.integers(1000, 10**7), st.integers(1, 40), st.integers(1, 40))
def test_monotone_in_n_and_epsilon(features: int, n: int, e1: int, e2: int) -> None:
    more = {"features": features, "marginals": 2, "radius": 1, "dp_delta": "1e-6", "failure": "0.01"}
    first = sb.risk(n=n, epsilon=Fraction(e1, 10), **more).bound
    assert sb.risk(n=2 * n, epsilon=Fraction(e1, 10), **more).bound.lo <= first.hi
    low, high = sorted((e1, e2))
    weak, strong = (sb.risk(n=n, epsilon=Fraction(e, 10), **more).bound for e in (low, high))
    assert strong.lo <= weak.hi


@examples(25)
@given(st.integers(1, 60), st.integers(1, 10**4), st.sampled_from((1, 2, 4)))
def test_best_tilt_is_the_least_of_the_theorem(tilt: int, s: int, radius: int) -> None:
    loss = loss_on(find_function("logistic"), Fraction(radius))
    distance = Fraction(s, 10**5)
    for polynomial in slope_pool(loss, 4)[:3]:
        best = best_tilt(polynomial, convexity=loss.convexity, s=distance)
        numbers = {
            "radius": radius, "features": 9, "order": 4, "marginal_error": distance,
            "derivative_error": polynomial.slope_error, "convexity": loss.convexity,
            "coefficient_cost": polynomial.cost, "quadratic_cost": polynomial.scaled(2),
        }  # fmt: skip

        def value(at: Fraction, numbers: dict[str, Any] = numbers) -> Enclosure:
            row = evaluate_value(find_theorem("synthbounds.quadratic-bias"), {**numbers, "tilt": at})[0]
            assert row.value is not None
            return row.value

        at_best = value(best.tilt)
        assert at_best.lo <= best.value.hi <= at_best.hi * (1 + Fraction(1, 10**15))
        assert best.value.lo <= value(loss.convexity * Fraction(tilt, 122)).hi


def test_the_floor_is_below_the_bound_and_near_it() -> None:
    for radius, order, s in product(("0.2", "1", "2", "6"), (2, 4, 6), ("0", "0.001", "0.1")):
        answer = sb.risk(features=40, radius=radius, marginals=order, marginal_error=s)
        assert answer.floor.value.lo <= answer.bound.hi
    assert sb.risk(features=40, radius="0.01", marginals=2, marginal_error="0.01").slack_ub < Fraction(102, 100)
    for s in ("0.001", "0.1"):
        hinge = sb.risk(loss="hinge", features=40, radius="0.9", marginals=2, marginal_error=s)
        assert abs(hinge.slack_ub - 1) < Fraction(1, 10**30)  # the hinge loss is linear there


def test_no_floor_is_claimed_where_its_construction_does_not_fit() -> None:
    assert sb.risk(features=2, release="moments", n=10**6, **PRIVATE).floor is None  # two moments say everything
    assert sb.risk(features=3, radius=1, marginals=2, marginal_error=0).floor.bias is None
    assert sb.risk(features=100, radius=1, marginals=60, marginal_error=0).floor.bias is None
    large = [sb.risk(features=10, radius=1, marginals=2, marginal_error=s).floor.value.lo for s in ("1", "1.5", "2")]
    assert large == sorted(large)
    with_intercept = sb.risk(features=10, radius="0.001", intercept=5, marginals=2, marginal_error="0.1")
    assert with_intercept.floor is None
    odd, even = (sb.risk(features=m, n=10**5, marginals=2, **PRIVATE).floor for m in (9, 10))
    assert odd.marginals is None
    assert even.marginals is not None
    assert sb.risk(features=9, n=10**5, marginals=2, levels=3, **PRIVATE).floor.marginals is not None


def test_labels_in_pairs_at_an_odd_order_leave_a_feature_out() -> None:
    """At order 3 of 3 features only pairs would be released, on which the excess is not small however large n is."""
    numbers = {"radius": 1, "features": 3, "order": 3, "levels": 3, "n": 10**12, "epsilon": 1, "dp_delta": "1e-6"}
    rows = sb.evaluate("zhou2024.logistic-private", edition="sharp", failure=".01", **numbers)
    value = next(row.value for row in rows if row.route == "all features")
    asked = {name: number for name, number in numbers.items() if name != "order"}
    answer = sb.risk(marginals=3, failure=".01", **asked)
    assert answer.route == "all features"
    assert value.hi == pytest.approx(answer.bound.hi, rel=1e-12)


def test_no_ratio_is_claimed_for_private_marginals() -> None:
    """The noise is bounded by nu, but nothing says that it is ever that large."""
    private = sb.risk(features=2, marginals=3, n=10**5, **{**PRIVATE, "radius": "0.1", "failure": "0.01"})
    assert private.floor is not None
    assert private.slack_ub is None
    assert sb.risk(features=2, radius="0.1", marginals=3, marginal_error="0.01").slack_ub is not None
    assert any("at most 2 values" in h.text for h in private.hypotheses)


def test_privacy_that_is_claimed_and_not_given() -> None:
    small = {"radius": 1, "features": 1, "marginals": 2, "n": 10**6, "dp_delta": "1e-5", "failure": ".05"}
    assert not sb.risk(**small, epsilon=".9", edition="printed").noise.is_private
    assert sb.risk(**small, epsilon=".9", edition="corrected").noise.is_private
    assert not sb.risk(**{**small, "features": 4}, epsilon=20, edition="printed").noise.is_private
    assert sb.risk(**{**small, "features": 10}, epsilon=1, edition="printed").noise.is_private


def test_floor_figures() -> None:
    floor = floor_of(
        loss_on(find_function("logistic"), Fraction(1)),
        degree=2,
        features=1000,
        distance=Enclosure.of(Fraction(1, 100)),
    )
    assert floor is not None
    assert floor.marginals is not None
    assert floor.bias is not None
    assert close(floor.marginals, "0.00683939720585721", 12)  # s R (1 + e^-R)/2
    assert close(floor.bias, "1.0760e-4", 4)
    four = floor_of(loss_on(find_function("logistic"), Fraction(1)), degree=4, features=10, distance=None)
    assert four is not None
    assert four.bias is not None
    assert 2 * Fraction("1.0725e-4") ** 2 < four.bias.lo < Fraction("6.5678e-8")


def test_moments_are_calibrated_together() -> None:
    """(2m - 2c)/sigma_1^2 + (m^2 - c^2)/sigma_2^2 stays within 1/k^2 for every inner product c, and reaches it."""
    for m, j in product(range(1, 12), range(16)):
        r = Fraction(j, 16)

        values = {"features": Fraction(m), "split": r, "epsilon": Fraction(1), "dp_delta": Fraction(1, 10**6)}
        with precision(128):
            q = quantities(MOMENTS, values)
            k = BALL.gaussian_factor(q.epsilon, q.dp_delta)
            first, second = (q.sigma_1 / k) ** 2, (q.sigma_2 / k) ** 2

            def spent(c: Fraction, m: int = m, first: Any = first, second: Any = second) -> Enclosure:
                return Enclosure.of(arb(as_fmpq(2 * m - 2 * c)) / first + arb(as_fmpq(m**2 - c**2)) / second)

            assert all(spent(Fraction(c)).lo <= 1 for c in range(-m, m + 1))
            peak = -m * (1 - r) / (1 + r)  # where the derivative vanishes
            assert spent(peak).contains(1)


def test_optimal_polynomials_are_shared_between_questions() -> None:
    loss = loss_on(find_function("logistic"), Fraction(2))
    assert optimal_at(loss, 4, Fraction(1, 100)) is optimal_at(loss, 4, Fraction(1, 100))
    s = Enclosure.of(Fraction(1, 100))
    routes = [b.route for b in best_bounds(loss, Tables(9, 4), s, gap=Fraction(0), approximation=None)]
    assert {"optimal polynomial", "quadratic bias", "no data"} == set(routes)


@pytest.mark.parametrize(("radius", "degree", "features"), [(5, 4, 10), (5, 2, 9), (10, 4, 12)])
def test_floors_at_large_radii_are_those_of_a_linear_programme(radius: int, degree: int, features: int) -> None:
    """The best laws whose synthetic minimiser is R, over a grid of real minimisers, by powers and not by their code."""
    floor = identical_marginals(loss_of("logistic", radius), degree, features)
    assert floor is not None
    z = np.arange(-features, features + 1, 2) / features
    powers = np.vander(z, degree + 1).T
    none, ones = np.zeros(len(z)), np.ones(len(z))
    best = 0.0
    for t in np.linspace(0, radius, 31)[:-1]:
        gain = np.logaddexp(0, -radius * z) - np.logaddexp(0, -t * z)
        found = linprog(
            np.concatenate([-gain, none]),
            A_ub=[np.concatenate([none, z * np.tanh(radius * z / 2) - z])],
            b_ub=[0],
            A_eq=np.vstack([np.hstack([powers, -powers]), np.concatenate([ones, none])]),
            b_eq=[*[0] * (degree + 1), 1],
        )
        best = max(best, -found.fun)
    assert 0.95 * best <= float(floor.lo) <= float(floor.hi) <= best * 1.01
    assert floor.hi < sb.risk(features=features, radius=radius, marginals=degree, marginal_error=0).bound.hi


def test_one_feature_pays_for_no_products() -> None:
    asked = {"features": 1, "radius": 1, "release": "moments", "dp_delta": "1e-6", "failure": "0.05", "epsilon": 1}
    answer = sb.risk(n=1000, **asked)
    assert answer.noise is not None
    ((_, sd),) = answer.noise.sd
    polynomial = answer.polynomial
    assert polynomial is not None
    exact = 4 * float(polynomial.scaled(1)) * float(sd.hi) * 1.959964 / 1000
    assert answer.parts[1].name == "moments"
    assert 0 <= float(answer.parts[1].value.hi) / exact - 1 < 1e-4


@pytest.mark.parametrize(
    ("name", "convexity"),
    [("abs(x)+x^2/2", 1), ("max(0,1-x)+x^2", 2), ("x^2-abs(x)", 0), ("max(0,1-x)", 0), ("abs(x-1/3)+x^2/3", 2 / 3)],
)
def test_kinks_that_open_upwards_keep_the_convexity(name: str, convexity: float) -> None:
    assert float(loss_of(name, 2).convexity) == pytest.approx(convexity)


def test_losses_with_kinks_have_a_quadratic_bias() -> None:
    """Three features: the parity of all four attributes can be moved without any change in pairs."""
    answer = sb.risk(features=3, radius=1, loss="abs(x-1/4)/5+x^2-x/3", marginals=2, marginal_error=0)
    assert answer.route == "quadratic bias"
    signed = np.array(list(product((-1, 1), repeat=3)))  # x y
    parity = signed.prod(axis=1)
    models = np.array([w for w in product(np.linspace(-1, 1, 41), repeat=3) if sum(map(abs, w)) <= 1 + 1e-9])
    margins = models @ signed.T
    losses = np.abs(margins - 1 / 4) / 5 + margins**2 - margins / 3
    rng, largest = np.random.default_rng(5), 0.0
    for law in rng.dirichlet(np.full(8, 0.5), 400):
        ends = [law - min(law[parity > 0]) * parity, law + min(law[parity < 0]) * parity]
        for real, synthetic in (ends, ends[::-1]):
            risk = losses @ real
            largest = max(largest, risk[np.argmin(losses @ synthetic)] - min(risk))
    assert 0.04 * float(answer.bound.hi) < largest <= float(answer.bound.hi)
