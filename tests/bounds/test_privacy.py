"""The privacy calculus: published figures, proofs on both sides, independent computations, and what is refused."""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest
from dp_accounting import dp_event, get_epsilon_gaussian, get_sigma_gaussian
from dp_accounting.pld import accountant, common, privacy_loss_distribution
from dp_accounting.rdp import RdpAccountant
from flint import arb, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

import synthbounds as sb
from bounds import aim_confidence as confidence
from bounds import curves
from bounds.aim_confidence import AimRound, Measured, aim_confidence
from bounds.enclosure import Enclosure, precision, with_growing_precision
from bounds.errors import NotApplicable, ParameterError, UsageError
from bounds.privacy import composition, concentrated, gaussian, laplace, sensitivity
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.composition import (
    compose_advanced,
    compose_basic,
    compose_gaussian,
    compose_repeated,
    compose_zcdp,
)
from bounds.privacy.concentrated import (
    LargestRho,
    exponential_zcdp,
    gaussian_zcdp,
    largest_rho,
    pure_zcdp,
    zcdp_delta,
    zcdp_epsilon,
    zcdp_epsilon_simple,
)
from bounds.privacy.gaussian import (
    Calibration,
    analytic_gaussian,
    classical_gaussian,
    classical_valid_up_to,
    gaussian_delta,
    gaussian_epsilon,
    gaussian_noise,
    gaussian_noise_of_ratio,
)
from bounds.privacy.laplace import LaplaceProduct, laplace_delta, laplace_epsilon, laplace_scale
from bounds.privacy.ledger import Ledger
from bounds.privacy.sensitivity import Sensitivity, l1_sensitivity, l2_sensitivity
from bounds.privacy.statements import DP, ZCDP, GaussianDP
from bounds.special import gaussian_delta as exact_delta
from tests.strategies import decimals

SAME = "replace-one"
OTHER = "add-remove"

epsilons = st.one_of(decimals("0.01", "5", 3), decimals("5", "40", 1))
dp_deltas = st.integers(1, 9 * 10**5).map(lambda v: Fraction(v, 10**6)) | st.integers(4, 40).map(
    lambda v: Fraction(1, 2**v)
)
ratios = decimals("0.1", "20", 2)
rhos = st.one_of(decimals("0.001", "3", 3), decimals("3", "30", 1))


def ratio_noise(ratio: Any, adjacency: str = SAME) -> GaussianDP:
    return gaussian_noise_of_ratio(noise_ratio=ratio, adjacency=adjacency)


def private(noise: GaussianDP, epsilon: Fraction, dp_delta: Fraction) -> bool:
    """Is the exact delta at most dp_delta? Decided with as much precision as it takes."""
    e, d, mu_squared = (fmpq(v.numerator, v.denominator) for v in (epsilon, dp_delta, noise.mu_squared))

    def decide() -> bool:
        return curves.gaussian_holds(1 / arb(mu_squared).sqrt(), e, d)

    return with_growing_precision(decide)[0]


def zcdp(rho: Any, adjacency: str = SAME) -> ZCDP:
    return ZCDP(rho=rho, adjacency=adjacency)


def pure(epsilon: Any, adjacency: str = SAME, delta: Any = 0) -> DP:
    return DP(epsilon=epsilon, delta=delta, adjacency=adjacency)


def rounded(enclosure: Enclosure, digits: int) -> str:
    """To the nearest decimal with that many digits behind the point, both ends agreeing."""
    low, high = (round(end, digits) for end in (enclosure.lo, enclosure.hi))
    assert low == high
    return f"{float(low):.{digits}f}"


def truncated(enclosure: Enclosure, digits: int) -> str:
    low, high = (math.floor(end * 10**digits) for end in (enclosure.lo, enclosure.hi))
    assert low == high
    return f"{low / 10**digits:.{digits}f}"


# ---------------------------------------------------------------------------------------------- published figures


def test_the_classical_formula_is_private_up_to() -> None:
    limit = {d: classical_valid_up_to(d, adjacency=SAME) for d in ("1e-5", "1e-6", "1e-2")}
    assert truncated(limit["1e-5"], 8) == "8.41977130"
    assert truncated(limit["1e-6"], 6) == "8.782091"
    assert truncated(limit["1e-2"], 6) == "6.771806"


def test_gaussian_ratios() -> None:
    def ratio(make: Callable[..., Calibration], epsilon: str, dp_delta: str) -> Enclosure:
        return make(epsilon=epsilon, dp_delta=dp_delta, adjacency=SAME).ratio

    assert truncated(ratio(analytic_gaussian, "1", "1e-5"), 8) == "3.73063163"
    assert rounded(ratio(classical_gaussian, "1", "1e-5"), 8) == "4.84480526"
    assert rounded(ratio(analytic_gaussian, "1", "1e-6"), 8) == "4.22467889"
    assert rounded(ratio(classical_gaussian, "1", "1e-6"), 8) == "5.29880253"
    assert rounded(ratio(analytic_gaussian, "0.1", "1e-5"), 8) == "30.74956613"
    assert rounded(ratio(analytic_gaussian, "2", "1e-5"), 8) == "1.99381245"


@pytest.mark.parametrize(
    ("rho", "dp_delta", "best", "simple", "exact"),
    [
        ("0.1", "1e-6", "2.141938928", "2.450788000", "1.994526901"),
        ("0.5", "1e-5", "4.728386985", "5.298525912", "4.377178096"),
        ("1", "1e-6", "7.766216625", "8.433844378", "7.286080966"),
        ("0.01", "1e-5", "0.545725548", "0.688614042", "0.496975364"),
    ],
)
def test_zcdp_conversions(rho: str, dp_delta: str, best: str, simple: str, exact: str) -> None:
    assert rounded(zcdp_epsilon(zcdp(rho), dp_delta=dp_delta).epsilon, 9) == best
    assert rounded(zcdp_epsilon_simple(zcdp(rho), dp_delta=dp_delta).epsilon, 9) == simple
    noise = GaussianDP(mu_squared=2 * Fraction(rho), adjacency=SAME)
    assert gaussian_zcdp(noise) == zcdp(rho)
    assert rounded(gaussian_epsilon(noise, dp_delta=dp_delta).epsilon, 9) == exact
    values = {r.route: r.value for r in sb.evaluate("zhou2024.zcdp", zcdp=rho, dp_delta=dp_delta)}
    assert rounded(values["best order"], 9) == best
    assert rounded(values["closed form"], 9) == simple


@pytest.mark.parametrize(
    ("n", "first", "second"),
    [(48842, "0.014270343", "0.053645289"), (4824, "0.018984368", "0.070075744"), (7214, "0.017960622", "0.066554648"),
     (60420, "0.013949380", "0.052505824"), (303, "0.030844641", "0.109171910"), (20798, "0.015717114", "0.058747858")],
)  # fmt: skip
def test_budgets_of_aim(n: int, first: str, second: str) -> None:
    for epsilon, published in ((1, first), (2, second)):
        budget = largest_rho(epsilon=epsilon, dp_delta=Fraction(1, n * n), adjacency=SAME)
        assert rounded(budget.rho, 9) == published
        assert zcdp_epsilon(zcdp(budget.safe_rho), dp_delta=budget.dp_delta).epsilon.hi <= epsilon


# -------------------------------------------------------------------------------------------- proved on both sides


@settings(max_examples=60)
@given(dp_deltas)
def test_the_limit_of_the_classical_formula_is_two_sided(dp_delta: Fraction) -> None:
    limit = classical_valid_up_to(dp_delta, adjacency=SAME)
    assert limit.lo > Fraction(15, 4)
    assert limit.hi - limit.lo < Fraction(1, 10**15)
    delta = fmpq(dp_delta.numerator, dp_delta.denominator)
    for share in (Fraction(1, 1000), Fraction(1, 10), Fraction(1, 2), Fraction(9, 10), Fraction(999999, 10**6)):
        below = limit.lo * share
        assert curves.classical_holds(fmpq(below.numerator, below.denominator), delta)
        above = limit.hi / share
        assert not curves.classical_holds(fmpq(above.numerator, above.denominator), delta)


def test_the_classical_formula_is_private_up_to_15_4_at_every_delta() -> None:
    """The part of the proof that is a computation: c = sqrt(2 log(1.25/delta)) up to 3, cut adaptively."""
    open_pieces = [(Fraction(668, 1000), Fraction(3))]
    epsilon = arb(15) / 4
    with precision(96):
        assert 2 * (arb(5) / 4).log() > fmpq(668**2, 10**6)  # delta < 1 means c beyond the left end
        count = 0
        while open_pieces:
            left, right = open_pieces.pop()
            c = arb(fmpq(left.numerator, left.denominator)).union(arb(fmpq(right.numerator, right.denominator)))
            if exact_delta(c / epsilon, epsilon) * (c * c / 2).exp() < arb(5) / 4:
                count += 1
                continue
            middle = (left + right) / 2
            assert right - left > Fraction(1, 10**6)
            open_pieces += [(left, middle), (middle, right)]
        assert count > 10
        beyond = (arb(15) / 8).exp() * arb(15) / 4 / 3 / (1 + (3 - arb(15) / 24) ** 2)
        assert beyond < arb(5) / 4 * (2 * arb.pi()).sqrt()


@settings(max_examples=60)
@given(epsilons, dp_deltas, st.integers(2, 30))
def test_the_analytic_ratio_is_the_least(epsilon: Fraction, dp_delta: Fraction, digits: int) -> None:
    found = analytic_gaussian(epsilon=epsilon, dp_delta=dp_delta, adjacency=SAME, digits=digits)
    assert found.ratio.hi <= found.safe_ratio <= found.ratio.hi * (1 + Fraction(10, 10**digits))
    assert private(ratio_noise(found.safe_ratio), epsilon, dp_delta)
    assert private(ratio_noise(_short(found.ratio.hi, up=True)), epsilon, dp_delta)
    assert not private(ratio_noise(_short(found.ratio.lo, up=False)), epsilon, dp_delta)
    wide = l2_sensitivity(squared=6, adjacency=SAME, n_is_public=True)
    assert private(gaussian_noise(sigma=found.safe_sigma(wide), sensitivity=wide), epsilon, dp_delta)
    assert found.sigma(wide).lo <= found.safe_sigma(wide)
    if curves.classical_holds(*(fmpq(v.numerator, v.denominator) for v in (epsilon, dp_delta))):
        classical = classical_gaussian(epsilon=epsilon, dp_delta=dp_delta, adjacency=SAME)
        assert classical.ratio.lo >= found.ratio.lo


@settings(max_examples=60)
@given(ratios, dp_deltas)
def test_the_epsilon_of_gaussian_noise_is_the_least(ratio: Fraction, dp_delta: Fraction) -> None:
    noise = ratio_noise(ratio)
    epsilon = gaussian_epsilon(noise, dp_delta=dp_delta).epsilon
    assert private(noise, _short(epsilon.hi, up=True), dp_delta)
    if epsilon.lo > 0:
        assert not private(noise, _short(epsilon.lo, up=False), dp_delta)


@settings(max_examples=60)
@given(rhos, dp_deltas)
def test_the_epsilon_of_zcdp_is_the_least(rho: Fraction, dp_delta: Fraction) -> None:
    epsilon = zcdp_epsilon(zcdp(rho), dp_delta=dp_delta).epsilon
    assert zcdp_delta(zcdp(rho), epsilon=_short(epsilon.hi, up=True)).delta.hi <= dp_delta * (1 + Fraction(1, 10**15))
    assert epsilon.hi <= zcdp_epsilon_simple(zcdp(rho), dp_delta=dp_delta).epsilon.lo
    exact = gaussian_epsilon(GaussianDP(mu_squared=2 * rho, adjacency=SAME), dp_delta=dp_delta).epsilon
    assert exact.lo <= epsilon.hi
    if epsilon.lo > 0:
        less = epsilon.lo * (1 - Fraction(1, 10**12))
        assert zcdp_delta(zcdp(rho), epsilon=_short(less, up=False)).delta.lo > dp_delta
        budget = largest_rho(epsilon=_short(epsilon.hi, up=True), dp_delta=dp_delta, adjacency=SAME)
        assert budget.safe_rho <= budget.rho.lo
        assert abs(budget.rho.midpoint - rho) < rho / 10**12


def _short(number: Fraction, *, up: bool) -> Fraction:
    """A nearby decimal: exact inputs may not have thousands of digits."""
    scaled = number * 10**25
    return Fraction(math.ceil(scaled) if up else math.floor(scaled), 10**25)


# ----------------------------------------------------------------------------------------- how the numbers depend


@settings(max_examples=40)
@given(ratios, ratios, epsilons, epsilons, dp_deltas, dp_deltas)
def test_gaussian_numbers_fall_and_rise(
    r: Fraction, s: Fraction, d: Fraction, e: Fraction, x: Fraction, y: Fraction
) -> None:
    (r, s), (d, e), (x, y) = sorted((r, s)), sorted((d, e)), sorted((x, y))
    assert gaussian_delta(ratio_noise(s), epsilon=d).delta.lo <= gaussian_delta(ratio_noise(r), epsilon=d).delta.hi
    assert gaussian_delta(ratio_noise(r), epsilon=e).delta.lo <= gaussian_delta(ratio_noise(r), epsilon=d).delta.hi
    assert (
        gaussian_epsilon(ratio_noise(s), dp_delta=x).epsilon.lo
        <= gaussian_epsilon(ratio_noise(r), dp_delta=x).epsilon.hi
    )

    def least(epsilon: Fraction, dp_delta: Fraction) -> Enclosure:
        return analytic_gaussian(epsilon=epsilon, dp_delta=dp_delta, adjacency=SAME).ratio

    assert least(e, x).lo <= least(d, x).hi
    assert least(d, y).lo <= least(d, x).hi


@settings(max_examples=40)
@given(rhos, rhos, epsilons, epsilons, dp_deltas, dp_deltas)
def test_zcdp_numbers_fall_and_rise(
    r: Fraction, s: Fraction, d: Fraction, e: Fraction, x: Fraction, y: Fraction
) -> None:
    (r, s), (d, e), (x, y) = sorted((r, s)), sorted((d, e)), sorted((x, y))
    assert zcdp_epsilon(zcdp(r), dp_delta=x).epsilon.lo <= zcdp_epsilon(zcdp(s), dp_delta=x).epsilon.hi
    assert zcdp_epsilon(zcdp(r), dp_delta=y).epsilon.lo <= zcdp_epsilon(zcdp(r), dp_delta=x).epsilon.hi
    if s < d + 30:  # beyond, delta is 1 to all digits
        assert zcdp_delta(zcdp(s), epsilon=e).delta.lo <= zcdp_delta(zcdp(s), epsilon=d).delta.hi
        assert zcdp_delta(zcdp(r), epsilon=d).delta.lo <= zcdp_delta(zcdp(s), epsilon=d).delta.hi

    def budget(epsilon: Fraction, dp_delta: Fraction) -> Enclosure:
        return largest_rho(epsilon=epsilon, dp_delta=dp_delta, adjacency=SAME).rho

    assert budget(d, x).lo <= budget(e, x).hi
    assert budget(d, x).lo <= budget(d, y).hi


@settings(max_examples=40)
@given(decimals("0.01", "2", 2), decimals("0.01", "2", 2), st.integers(1, 12), decimals("0", "1", 2))
def test_products_of_laplace_noise(a: Fraction, b: Fraction, count: int, share: Fraction) -> None:
    a, b = sorted((a, b))
    epsilon = share * count * a

    def delta(shift: Fraction, noises: int, at: Fraction) -> Enclosure:
        return laplace_delta(LaplaceProduct(shift=shift, count=noises, adjacency=OTHER), epsilon=at).delta

    here = delta(a, count, epsilon)
    assert here.lo <= delta(b, count, epsilon).hi
    assert here.lo <= delta(a, count + 1, epsilon).hi
    assert delta(a, count, epsilon + a / 2).lo <= here.hi
    assert here.lo <= compose_repeated(pure(a, OTHER), count=count, epsilon=epsilon).delta.hi
    assert delta(a, count, count * a).hi == 0
    if epsilon < count * a:
        assert here.lo > 0


def test_one_laplace_noise_has_a_closed_form() -> None:
    for shift, epsilon in itertools.product((Fraction(1, 3), Fraction(2), Fraction(7)), (Fraction(0), Fraction(1, 5))):
        found = laplace_delta(LaplaceProduct(shift=shift, count=1, adjacency=SAME), epsilon=epsilon).delta
        assert float(found.midpoint) == pytest.approx(1 - math.exp((epsilon - shift) / 2), rel=1e-14)


# ------------------------------------------------------------------------------------------ independent computations


@pytest.mark.parametrize("ratio", ["0.2", "1", "3.7306316349", "12"])
@pytest.mark.parametrize("epsilon", ["0", "0.3", "1", "4"])
def test_gaussian_delta_by_integration(ratio: str, epsilon: str) -> None:
    """The privacy loss of Gaussian noise is N(mu^2/2, mu^2); integrate (1 - e^(epsilon - loss)) above epsilon."""
    with mpmath.workdps(30):
        mu, e = 1 / mpmath.mpf(ratio), mpmath.mpf(epsilon)
        mean = mu * mu / 2

        def weighted(loss: Any) -> Any:
            return -mpmath.expm1(e - loss) * mpmath.npdf(loss, mean, mu)

        points = [e, *(x for k in range(-12, 13, 3) if (x := mean + k * mu) > e), max(mean, e) + 14 * mu]
        integral = mpmath.quad(weighted, points)
    found = gaussian_delta(ratio_noise(ratio), epsilon=epsilon).delta
    assert float(found.midpoint) == pytest.approx(float(integral), rel=1e-12, abs=1e-25)


@pytest.mark.parametrize(("count", "shift"), [(1, "1.3"), (2, "0.7"), (3, "0.4")])
def test_laplace_delta_by_integration(count: int, shift: str) -> None:
    """The law of the loss of one noise on a fine grid, convolved with itself."""
    a, e, grid = float(shift), 0.35 * count * float(shift), 5000
    one = np.zeros(2 * grid + 1)  # losses from -a to a in steps of a/grid
    one[-1], one[0] = 0.5, 0.5 * math.exp(-a)  # where the density falls, and where it rises
    middles = (np.arange(grid) + 0.5) * a / grid
    one[2 * grid - 1 : 0 : -2] = 0.5 * np.exp(-middles) * a / grid  # between, the loss is a - 2x
    law = one
    for _ in range(count - 1):
        law = np.convolve(law, one)
    losses = (np.arange(law.size) - count * grid) * a / grid
    total = float(np.sum(law * np.maximum(-np.expm1(e - losses), 0)))
    found = laplace_delta(
        LaplaceProduct(shift=shift, count=count, adjacency=SAME), epsilon=Fraction(35, 100) * count * Fraction(shift)
    ).delta
    assert float(found.midpoint) == pytest.approx(total, rel=1e-6)


@settings(max_examples=30)
@given(rhos, epsilons)
def test_zcdp_delta_by_search(rho: Fraction, epsilon: Fraction) -> None:
    """The printed minimum over alpha, by ternary search on its logarithm."""
    with mpmath.workdps(40):
        r, e = (mpmath.mpf(v.numerator) / v.denominator for v in (rho, epsilon))

        def log_delta(x: Any) -> Any:
            alpha = 1 + x
            return x * (alpha * r - e) - mpmath.log(x) + alpha * mpmath.log(x / alpha)

        low, high = mpmath.mpf(-90), mpmath.mpf(20)
        for _ in range(300):
            third = (high - low) / 3
            if log_delta(mpmath.exp(low + third)) < log_delta(mpmath.exp(high - third)):
                high -= third
            else:
                low += third
        least = mpmath.exp(log_delta(mpmath.exp(low)))
        if least > 1 - mpmath.mpf(2) ** -40:
            return
    found = zcdp_delta(zcdp(rho), epsilon=epsilon).delta
    assert float(found.midpoint) == pytest.approx(float(least), rel=1e-13)


@pytest.mark.parametrize("count", [1, 2, 5, 9])
@pytest.mark.parametrize("missed", ["0", "0.01"])
def test_repeated_mechanisms_by_enumeration(count: int, missed: str) -> None:
    """All outcomes of randomised response, one by one."""
    each, at = 0.4, 0.3
    total = 0.0
    for outcome in itertools.product((1, -1), repeat=count):
        loss = each * sum(outcome)
        probability = math.prod((math.exp(each) if o == 1 else 1) / (1 + math.exp(each)) for o in outcome)
        total += probability * max(0.0, -math.expm1(at - loss))
    total = 1 - (1 - float(missed)) ** count * (1 - total)
    found = compose_repeated(pure("0.4", delta=missed), count=count, epsilon="0.3").delta
    assert float(found.midpoint) == pytest.approx(total, rel=1e-12)


# ----------------------------------------------------------------------------------------------- dp-accounting agrees


GRID_EPSILONS = [Fraction(v, 100) for v in (1, 5, 10, 25, 50, 75, 100, 150, 200, 300, 400, 600, 800, 1200, 2000)]
GRID_DELTAS = [Fraction(m, 10**p) for p in (2, 3, 4, 5, 6, 8, 10) for m in (1, 3)]


def test_ratios_agree_with_dp_accounting() -> None:
    """210 points; our decimal is enough noise at every one, and theirs is within its tolerance of ours."""
    for epsilon, dp_delta in itertools.product(GRID_EPSILONS, GRID_DELTAS):
        ours = analytic_gaussian(epsilon=epsilon, dp_delta=dp_delta, adjacency=SAME)
        theirs = get_sigma_gaussian(float(epsilon), float(dp_delta))
        assert theirs == pytest.approx(float(ours.ratio.midpoint), rel=1e-8)
        assert float(ours.safe_ratio) >= theirs - 1e-8 * theirs
        assert private(ratio_noise(ours.safe_ratio), epsilon, dp_delta)


def test_epsilons_agree_with_dp_accounting() -> None:
    """196 points; ours is never below the true one."""
    for number, dp_delta in itertools.product((3, 5, 7, 10, 15, 20, 30, 40, 60, 80, 120, 200, 400, 900), GRID_DELTAS):
        ratio = Fraction(number, 10)
        ours = gaussian_epsilon(ratio_noise(ratio), dp_delta=dp_delta).epsilon
        theirs = get_epsilon_gaussian(float(ratio), float(dp_delta))
        assert theirs == pytest.approx(float(ours.midpoint), rel=1e-8, abs=1e-8)
        assert private(ratio_noise(ratio), _short(ours.hi, up=True), dp_delta)


@pytest.mark.parametrize("shift", ["0.05", "0.2", "0.5", "1"])
@pytest.mark.parametrize("count", [1, 2, 3, 7, 20, 50])
def test_laplace_products_lie_between_the_estimates_of_dp_accounting(shift: str, count: int) -> None:
    """120 points between its optimistic and its pessimistic privacy loss distribution."""
    scale = 1 / float(shift)
    upper = privacy_loss_distribution.from_laplace_mechanism(scale, value_discretization_interval=1e-3)
    lower = privacy_loss_distribution.from_laplace_mechanism(
        scale, pessimistic_estimate=False, use_connect_dots=False, value_discretization_interval=1e-3
    )
    upper, lower = upper.self_compose(count), lower.self_compose(count)
    noise = LaplaceProduct(shift=shift, count=count, adjacency=SAME)
    for share in ("0", "0.1", "0.25", "0.5", "0.7"):
        epsilon = Fraction(share) * count * Fraction(shift)
        ours = laplace_delta(noise, epsilon=epsilon).delta
        high, low = (pld.get_delta_for_epsilon(float(epsilon)) for pld in (upper, lower))
        assert low - 1e-12 <= float(ours.hi)
        assert float(ours.lo) <= high + 1e-12
        assert high - float(ours.hi) <= 1e-6 + 1e-3 * high
        assert float(ours.hi) <= compose_repeated(pure(shift), count=count, epsilon=epsilon).delta.hi + 1e-15


def test_gaussian_products_agree_with_dp_accounting() -> None:
    """24 products, through one noise of the summed (sensitivity/sigma)^2."""
    for parts in itertools.combinations((2, 3, 5, 8), 2):
        noise = compose_gaussian(*(ratio_noise(p) for p in parts))
        assert noise.mu_squared == sum(Fraction(1, p * p) for p in parts)
        one = privacy_loss_distribution.from_gaussian_mechanism(parts[0], value_discretization_interval=1e-3)
        two = privacy_loss_distribution.from_gaussian_mechanism(parts[1], value_discretization_interval=1e-3)
        both = one.compose(two)
        for epsilon in ("0.1", "0.5", "1", "2"):
            ours = gaussian_delta(noise, epsilon=epsilon).delta
            theirs = both.get_delta_for_epsilon(float(epsilon))
            assert float(ours.lo) <= theirs + 1e-12
            assert theirs == pytest.approx(float(ours.midpoint), rel=1e-3, abs=1e-10)


def test_zcdp_agrees_with_dp_accounting() -> None:
    """72 points; it tries a list of orders, so its epsilon is never less and with a fine list hardly more."""
    orders = [1 + math.exp(i / 40) for i in range(-160, 320)]
    for rho, dp_delta in itertools.product(("0.001", "0.01", "0.05", "0.1", "0.5", "1", "3", "10"), GRID_DELTAS[3:12]):
        account = RdpAccountant(orders)
        account.compose(dp_event.ZCDpEvent(float(rho)))
        theirs = account.get_epsilon(float(dp_delta))
        ours = zcdp_epsilon(zcdp(rho), dp_delta=dp_delta).epsilon
        assert float(ours.lo) <= theirs + 1e-9
        assert theirs == pytest.approx(float(ours.midpoint), rel=2e-3, abs=1e-9)


def test_repeated_mechanisms_agree_with_dp_accounting() -> None:
    """30 points: the least multiple of 2 epsilon at which the delta is met is the same."""
    for each, count in itertools.product((0.1, 0.5, 1.0), (2, 5, 10, 20, 30)):
        for total in (1e-2, 1e-5):
            parameters = common.DifferentialPrivacyParameters(each, 0)
            theirs = accountant.advanced_composition(parameters, count, total)
            exact, at = Fraction(str(each)), Fraction(round(theirs / each)) * Fraction(str(each))
            delta = compose_repeated(pure(exact), count=count, epsilon=at).delta
            assert delta.hi <= Fraction(total)
            if at >= 2 * exact:
                before = compose_repeated(pure(exact), count=count, epsilon=at - 2 * exact).delta
                assert before.lo > Fraction(total)


# --------------------------------------------------------------------------------------------------------- composition


def test_sums_of_statements() -> None:
    total = compose_basic(pure("0.1", delta="1e-7"), pure("1/3"), pure("2", delta="1e-9"))
    assert total.epsilon.lo == Fraction(73, 30)
    assert total.delta.hi == Fraction(101, 10**9)
    assert not total.is_pure
    assert compose_zcdp(zcdp("0.1"), zcdp("1/3"), pure_zcdp(pure("0.2"))).rho.lo == Fraction(13, 30) + Fraction(1, 50)
    assert exponential_zcdp(epsilon="0.2", adjacency=SAME).rho.lo == Fraction(1, 200)
    wide = l2_sensitivity(squared=6, adjacency=SAME, n_is_public=True)
    both = compose_gaussian(gaussian_noise(sigma=3, sensitivity=wide), ratio_noise(2))
    assert both.mu_squared == Fraction(6, 9) + Fraction(1, 4)
    assert gaussian_zcdp(both).rho.lo == both.mu_squared / 2


@settings(max_examples=40)
@given(decimals("0.01", "1", 2), st.integers(1, 200), st.sampled_from(("1e-3", "1e-6", "1e-9")))
def test_advanced_composition_is_never_better_than_the_exact_one(each: Fraction, count: int, slack: str) -> None:
    closed = compose_advanced(pure(each), count=count, slack=slack)
    assert closed.epsilon.hi <= count * each
    assert closed.delta.hi <= Fraction(slack)
    exact = compose_repeated(pure(each), count=count, epsilon=_short(closed.epsilon.hi, up=True))
    assert exact.delta.hi <= Fraction(slack)
    failing = compose_advanced(pure(each, delta="1e-8"), count=count, slack=slack)
    assert failing.delta.hi == closed.delta.hi + count * Fraction(1, 10**8)


def test_laplace_noise_is_exact() -> None:
    marginals = l1_sensitivity(value=20, adjacency=OTHER, n_is_public=False, text="twenty marginals")
    statement = laplace_epsilon(scale=30, sensitivity=marginals)
    assert (statement.epsilon.lo, statement.epsilon.hi, statement.is_pure) == (Fraction(2, 3), Fraction(2, 3), True)
    assert statement.adjacency is Adjacency.ADD_REMOVE
    assert laplace_scale(epsilon="2/3", sensitivity=marginals) == 30
    assert statement.text() == "0.666667-differential privacy for add-remove"


# ---------------------------------------------------------------------------------------------------------------- AIM


def _confidence(edition: str, residual: Fraction, *, weight: int = 10, candidates: int = 1) -> Enclosure:
    spent = AimRound(epsilon=10**6, noise_sd=2, largest_weight=weight, candidates=candidates, adjacency=OTHER)
    measured = Measured(weight=weight, cells=4, residual=residual)
    return aim_confidence(
        spent, measured, weight=weight, cells=4, noise_deviations=3, choice_exponent=30, edition=edition
    ).bound


def test_the_printed_confidence_fails_more_often_than_it_says() -> None:
    """One candidate of weight 10, far from the model: the error of the measurement is one Gaussian variable.

    A half of its standard deviation, 4 here, breaks the printed bound at lambda1 = 3; 2.28 do not break the sharp one.
    """
    true = Fraction(1000)
    assert _confidence("printed", true - 4 * Fraction(1, 2)).hi < true
    assert mpmath.ncdf(-0.5) > 20 * mpmath.exp(-4.5)
    for edition, deviations in (("corrected", Fraction(3)), ("sharp", Fraction(228, 100))):
        assert _confidence(edition, true - 4 * deviations).lo >= true
    assert _confidence("sharp", true - 4 * Fraction(23, 10)).hi < true
    assert mpmath.ncdf(-2.3) < mpmath.exp(-4.5) < mpmath.ncdf(-2.28)


@settings(max_examples=50)
@given(st.integers(2, 40), decimals("0.05", "6", 2), st.integers(1, 39))
def test_the_tail_of_the_choice(candidates: int, exponent: Fraction, bad: int) -> None:
    """Equal bad candidates just beyond the allowance are chosen with probability at most e^-lambda2."""
    bad = min(bad, candidates - 1)
    allowance = max(0.0, math.log((candidates - 1) * math.expm1(exponent)))
    weight = bad * math.exp(-allowance)
    assert weight / (weight + candidates - bad) <= math.exp(-exponent) + 1e-12


def test_confidence_is_scale_free_and_sharper() -> None:
    def bounds(scale: int) -> list[Enclosure]:
        spent = AimRound(epsilon="0.5", noise_sd=20, largest_weight=12 * scale, candidates=100, adjacency=SAME)
        measured = Measured(weight=10 * scale, cells=60, residual=900)
        return [
            aim_confidence(
                spent, measured, weight=5 * scale, cells=40, noise_deviations=3, choice_exponent=4, edition=edition
            ).bound
            for edition in ("printed", "corrected", "sharp")
        ]

    (printed, corrected, sharp), (printed_scaled, corrected_scaled, sharp_scaled) = bounds(1), bounds(10)
    assert [rounded(b, 2) for b in (printed, corrected, sharp)] == ["698.95", "1535.51", "1314.20"]
    assert rounded(corrected_scaled, 9) == rounded(corrected, 9)
    assert rounded(sharp_scaled, 9) == rounded(sharp, 9)
    assert rounded(printed_scaled, 2) != rounded(printed, 2)
    numbers = {
        "weight": 5, "cells": 40, "selected_weight": 10, "selected_cells": 60, "largest_weight": 12, "candidates": 100,
        "noise_sd": 20, "epsilon": ".5", "residual": 900, "noise_deviations": 3, "choice_exponent": 4,
    }  # fmt: skip
    values = [r.value for r in sb.evaluate("zhou2024.aim-confidence", **numbers)]
    assert values == [printed, corrected, sharp]


def test_what_a_round_costs_depends_on_the_adjacency() -> None:
    def cost(adjacency: str) -> Fraction:
        spent = AimRound(epsilon="0.5", noise_sd=20, largest_weight=12, candidates=100, adjacency=adjacency)
        return spent.cost.rho.lo

    assert cost(OTHER) == Fraction(1, 32) + Fraction(1, 800)
    assert cost(SAME) == Fraction(1, 8) + Fraction(1, 400)


# ------------------------------------------------------------------------------------------------- adjacency, refusals


CARRIERS = (DP, ZCDP, Sensitivity, GaussianDP, LaplaceProduct, Calibration, LargestRho, AimRound, Ledger)
MODULES = (composition, concentrated, confidence, gaussian, laplace, sensitivity)
FUNCTIONS = [
    function
    for module in MODULES
    for name, function in vars(module).items()
    if inspect.isfunction(function) and function.__module__ == module.__name__ and not name.startswith("_")
]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_nothing_is_said_without_an_adjacency(function: Callable[..., Any]) -> None:
    parameters = inspect.signature(function).parameters
    if "adjacency" in parameters:
        assert parameters["adjacency"].default is inspect.Parameter.empty
        assert parameters["adjacency"].kind is inspect.Parameter.KEYWORD_ONLY
        return
    carried = {c.__name__ for c in CARRIERS}
    assert any(str(p.annotation) in carried and p.default is inspect.Parameter.empty for p in parameters.values())


@pytest.mark.parametrize("carrier", CARRIERS, ids=lambda c: c.__name__)
def test_no_statement_is_made_without_an_adjacency(carrier: Any) -> None:
    adjacency = inspect.signature(carrier).parameters["adjacency"]
    assert adjacency.default is inspect.Parameter.empty
    assert adjacency.kind is inspect.Parameter.KEYWORD_ONLY


def _l1() -> Sensitivity:
    return l1_sensitivity(value=2, adjacency=SAME, n_is_public=True)


def _l2(adjacency: str = SAME) -> Sensitivity:
    return l2_sensitivity(squared=2, adjacency=adjacency, n_is_public=adjacency == SAME)


def _analytic(**changed: Any) -> Any:
    return analytic_gaussian(**{"epsilon": 1, "dp_delta": "1e-5", "adjacency": SAME, **changed})


def _aim(**changed: Any) -> Any:
    spent = AimRound(epsilon=1, noise_sd=1, largest_weight=2, candidates=3, adjacency=SAME)
    numbers = {"weight": 1, "cells": 4, "noise_deviations": 3, "choice_exponent": 3, **changed}
    return aim_confidence(spent, Measured(weight=1, cells=4, residual=2), **numbers)


REFUSED: dict[str, tuple[type[Exception], Callable[[], Any]]] = {
    "delta of 1": (ParameterError, lambda: _analytic(dp_delta=1)),
    "delta above 1": (ParameterError, lambda: zcdp_epsilon(zcdp(1), dp_delta="1.5")),
    "delta of 0": (ParameterError, lambda: gaussian_epsilon(ratio_noise(1), dp_delta=0)),
    "delta below 0": (ParameterError, lambda: largest_rho(epsilon=1, dp_delta="-0.1", adjacency=SAME)),
    "delta of 1 in a statement": (ParameterError, lambda: pure(1, delta=1)),
    "delta below 0 in a statement": (ParameterError, lambda: pure(1, delta="-1e-9")),
    "delta that is no number": (ParameterError, lambda: _analytic(dp_delta=float("nan"))),
    "delta in words": (ParameterError, lambda: classical_valid_up_to("small", adjacency=SAME)),
    "epsilon of 0": (ParameterError, lambda: _analytic(epsilon=0)),
    "epsilon below 0": (ParameterError, lambda: gaussian_delta(ratio_noise(1), epsilon=-1)),
    "epsilon below 0 in a statement": (ParameterError, lambda: pure("-1")),
    "epsilon too large": (ParameterError, lambda: gaussian_delta(ratio_noise(1), epsilon="1e7")),
    "epsilon that is not a number": (ParameterError, lambda: _analytic(epsilon="nan")),
    "rho of 0": (ParameterError, lambda: zcdp(0)),
    "rho below 0": (ParameterError, lambda: zcdp("-0.1")),
    "rho too large": (ParameterError, lambda: zcdp("1e7")),
    "ratio of 0": (ParameterError, lambda: ratio_noise(0)),
    "scale below 0": (ParameterError, lambda: laplace_epsilon(scale=-1, sensitivity=_l1())),
    "sigma of 0": (ParameterError, lambda: gaussian_noise(sigma=0, sensitivity=_l2())),
    "sensitivity of 0": (ParameterError, lambda: l1_sensitivity(value=0, adjacency=SAME, n_is_public=True)),
    "norm unknown": (
        ParameterError,
        lambda: Sensitivity(norm="L3", amount=1, adjacency=SAME, n_is_public=True),  # type: ignore[arg-type]
    ),
    "n public or not": (
        ParameterError,
        lambda: l1_sensitivity(value=1, adjacency=SAME, n_is_public="yes"),  # type: ignore[arg-type]
    ),
    "n public under add-remove": (
        UsageError,
        lambda: l2_sensitivity(squared=1, adjacency=OTHER, n_is_public=True),
    ),
    "Laplace noise by L2": (UsageError, lambda: laplace_epsilon(scale=1, sensitivity=_l2())),
    "Gaussian noise by L1": (UsageError, lambda: gaussian_noise(sigma=1, sensitivity=_l1())),
    "a number for a sensitivity": (
        UsageError,
        lambda: gaussian_noise(sigma=1, sensitivity=3),  # type: ignore[arg-type]
    ),
    "adjacency None": (ParameterError, lambda: _analytic(adjacency=None)),
    "adjacency unknown": (ParameterError, lambda: pure(1, "neighbours")),
    "adjacency missing": (TypeError, lambda: ZCDP(rho=1)),  # type: ignore[call-arg]
    "adjacency missing in a call": (
        TypeError,
        lambda: analytic_gaussian(epsilon=1, dp_delta="1e-5"),  # type: ignore[call-arg]
    ),
    "adjacency missing in a range": (TypeError, lambda: classical_valid_up_to("1e-5")),  # type: ignore[call-arg]
    "mixed in basic composition": (UsageError, lambda: compose_basic(pure(1), pure(1, OTHER))),
    "mixed in zCDP": (UsageError, lambda: compose_zcdp(zcdp(1), zcdp(1, OTHER))),
    "mixed in Gaussian noise": (UsageError, lambda: compose_gaussian(ratio_noise(1), ratio_noise(1, OTHER))),
    "mixed in a calibration": (UsageError, lambda: _analytic().safe_sigma(_l2(OTHER))),
    "mixed in an enclosed calibration": (UsageError, lambda: _analytic().sigma(_l2(OTHER))),
    "nothing to compose": (UsageError, lambda: compose_basic()),
    "a number to compose": (UsageError, lambda: compose_basic(pure(1), 3)),  # type: ignore[arg-type]
    "deltas that add up to 1": (NotApplicable, lambda: compose_basic(pure(1, delta=".5"), pure(1, delta=".5"))),
    "delta too near 1": (NotApplicable, lambda: gaussian_delta(ratio_noise("0.001"), epsilon=1)),
    "classical formula beyond its range": (
        NotApplicable,
        lambda: classical_gaussian(epsilon="8.42", dp_delta="1e-5", adjacency=SAME),
    ),
    "zCDP from approximate privacy": (UsageError, lambda: pure_zcdp(pure(1, delta="1e-9"))),
    "no noise": (ParameterError, lambda: LaplaceProduct(shift=1, count=0, adjacency=SAME)),
    "half a noise": (ParameterError, lambda: LaplaceProduct(shift=1, count="1.5", adjacency=SAME)),
    "too many noises": (ParameterError, lambda: LaplaceProduct(shift=1, count=10**6, adjacency=SAME)),
    "shift of 0": (ParameterError, lambda: LaplaceProduct(shift=0, count=1, adjacency=SAME)),
    "slack of 0": (ParameterError, lambda: compose_advanced(pure(1), count=3, slack=0)),
    "count of 0": (ParameterError, lambda: compose_repeated(pure(1), count=0, epsilon=1)),
    "no digits": (ParameterError, lambda: _analytic(digits=0)),
    "a weight above the largest": (ParameterError, lambda: _aim(weight=3)),
    "a weight of 0": (ParameterError, lambda: _aim(weight=0)),
    "no cells": (ParameterError, lambda: _aim(cells=0)),
    "lambda below 0": (ParameterError, lambda: _aim(noise_deviations=-1)),
    "an edition unknown": (ParameterError, lambda: _aim(edition="sharper")),
    "a residual below 0": (ParameterError, lambda: Measured(weight=1, cells=4, residual=-1)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused(name: str) -> None:
    error, call = REFUSED[name]
    with pytest.raises(error) as caught:
        call()
    assert type(caught.value) is error
    if error is not TypeError:
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 200


def test_a_refusal_says_how_far_the_classical_formula_goes() -> None:
    with pytest.raises(NotApplicable, match=r"epsilon = 8\.42: .* private up to 8\.4197713 only"):
        classical_gaussian(epsilon="8.42", dp_delta="1e-5", adjacency=SAME)
    with pytest.raises(UsageError, match=r"adjacency = add-remove and replace-one: .* do not compose"):
        compose_zcdp(zcdp(1), zcdp(1, OTHER))


def test_a_delta_too_small_to_write_down() -> None:
    tiny = gaussian_delta(ratio_noise("1e9"), epsilon=10**6).delta
    assert tiny.lo == 0
    assert tiny.hi == Fraction(1, 2**8192)
