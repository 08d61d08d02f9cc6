"""Radii of Gaussian noise against closed forms, other libraries, moments and simulation."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice, permutations, product
from math import comb, erf, erfc, exp, factorial, hypot, inf, log, sqrt

import mpmath
import numpy as np
import pytest
from flint import arb, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from bounds.certify import contraction, mixture
from bounds.certify.contraction import contraction_matrix_radius, contraction_radii, contraction_vector_radius
from bounds.certify.goe import LARGEST_EXACT_ORDER, concentration_radius, eigenvalues_above, goe_radius
from bounds.certify.mixture import noncentral_distribution, quarter_sum_distribution
from bounds.certify.radii import (
    LARGEST_EXACT_RATIO,
    chi_radius,
    failure_split,
    joint_radii,
    noncentral_upper,
    normal_interval,
)
from bounds.enclosure import precision
from bounds.errors import ParameterError

FAILURES = (Fraction(1, 25), Fraction(1, 40), Fraction(1, 1000), Fraction(1, 10**30), Fraction(3, 4))
LITTLE = Fraction(1, 10**10)  # results of 12 digits, rounded up, are nearer than this


def generator(seed: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=seed, counter=0))


def symmetric_gaussian(rng: np.random.Generator, draws: int, order: int) -> np.ndarray:
    square = rng.standard_normal((draws, order, order))
    return (square + square.transpose(0, 2, 1)) / 2


def norms(matrices: np.ndarray) -> np.ndarray:
    return np.abs(np.linalg.eigvalsh(matrices)).max(axis=1)


def does_not_exceed(count: int, draws: int, probability: float) -> bool:
    """Clopper-Pearson at 1e-6: the count does not speak for a larger probability."""
    return count == 0 or stats.beta.ppf(1e-6, count, draws - count + 1) <= probability


def does_not_fall_short_of(count: int, draws: int, probability: float) -> bool:
    return bool(stats.beta.ppf(1 - 1e-6, count + 1, draws - count) >= probability)


def above(order: int, x: float) -> float:
    with precision(128):
        return float(eigenvalues_above(order, arb(x)).mid())


# --- vectors


@pytest.mark.parametrize("failure", FAILURES)
@pytest.mark.parametrize("dimension", [1, 2, 9, 14, 50, 1001])
def test_chi_radius_is_the_quantile(dimension: int, failure: Fraction) -> None:
    radius = chi_radius(dimension, failure)
    with mpmath.workdps(60):

        def tail(r: Fraction) -> mpmath.mpf:
            x = mpmath.mpf(r.numerator) / r.denominator
            return mpmath.gammainc(mpmath.mpf(dimension) / 2, x * x / 2, mpmath.inf, regularized=True)

        goal = mpmath.mpf(failure.numerator) / failure.denominator
        assert tail(radius) <= goal < tail(radius * (1 - LITTLE))


def test_normal_interval() -> None:
    assert normal_interval(Fraction(1, 20)) == Fraction("1.95996398455")
    assert normal_interval(Fraction("0.3173105078629141")) == pytest.approx(1, abs=1e-10)


# --- matrices


@pytest.mark.parametrize("failure", FAILURES)
def test_one_number_is_a_normal_variable(failure: Fraction) -> None:
    assert abs(goe_radius(1, failure) - normal_interval(failure)) <= LITTLE * 40


def norm_of_two_by_two(r: float) -> float:
    """P(||W|| > r) for p = 2: ||W|| = |m| + rho with m ~ N(0, 1/2) and P(rho > t) = exp(-t^2)."""
    return erfc(r) + sqrt(2) * exp(-r * r / 2) * erf(r / sqrt(2))


def both_outside(r: float) -> float:
    """P(both eigenvalues m - rho, m + rho lie outside [-r, r]), by integration over m."""
    density = lambda m: exp(-m * m) / sqrt(np.pi)  # noqa: E731
    far = integrate.quad(lambda m: density(m) * exp(-((r + abs(m)) ** 2)), -inf, inf)[0]
    near = integrate.quad(lambda m: density(m) * (1 - exp(-((m - r) ** 2))), r, r + 12)[0]
    return float(far + 2 * near)


@pytest.mark.parametrize("r", [0.3, 1.0, 2.0, 3.0])
def test_two_by_two_by_hand(r: float) -> None:
    assert 2 * above(2, r) == pytest.approx(norm_of_two_by_two(r) + both_outside(r), rel=1e-9)


@pytest.mark.parametrize("failure", FAILURES[:3])
def test_radius_of_two_by_two_exceeds_the_exact_one_by_little(failure: Fraction) -> None:
    radius = float(goe_radius(2, failure))
    assert norm_of_two_by_two(radius) <= float(failure) <= 1.02 * norm_of_two_by_two(radius)


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5, 8, 13, 14, 21])
def test_moments_of_the_eigenvalues(order: int) -> None:
    """Tails give E tr W^0, W^2, W^4, which are p, p(p+1)/2 and p(2p^2+5p+5)/4."""
    nodes, weights = np.polynomial.legendre.leggauss(160)
    top = sqrt(2 * order) + 10
    x = (nodes + 1) * top / 2
    tails = np.array([above(order, value) for value in x])
    assert 2 * above(order, 0.0) == pytest.approx(order, rel=1e-12)
    assert above(order, -top) == pytest.approx(order, rel=1e-12)
    assert top / 2 * weights @ (4 * x * tails) == pytest.approx(order * (order + 1) / 2, rel=1e-10)
    assert top / 2 * weights @ (8 * x**3 * tails) == pytest.approx(
        order * (2 * order**2 + 5 * order + 5) / 4, rel=1e-10
    )


@pytest.mark.parametrize(("order", "failure"), [(9, Fraction(1, 25)), (14, Fraction(1, 25)), (14, Fraction(1, 4))])
def test_simulated_norms_keep_the_radius(order: int, failure: Fraction) -> None:
    draws = 2000
    found = norms(symmetric_gaussian(generator(order), draws, order))
    outside = int((found > float(goe_radius(order, failure))).sum())
    assert does_not_exceed(outside, draws, float(failure))
    assert does_not_fall_short_of(outside, draws, 0.8 * float(failure))  # and the radius is hardly too large


@pytest.mark.parametrize("order", [14, 15])
def test_simulated_numbers_of_eigenvalues(order: int) -> None:
    eigenvalues = np.linalg.eigvalsh(symmetric_gaussian(generator(100 + order), 2000, order))
    for x in (0.7, 2.5, 4.0, 5.2):
        counts = (eigenvalues > x).sum(axis=1)
        error = counts.std() / sqrt(2000)
        assert abs(counts.mean() - above(order, x)) <= 5 * error


def test_radii_of_matrices_pinned() -> None:
    assert goe_radius(14, Fraction(1, 25)) == Fraction("5.90365546896")
    assert goe_radius(14, Fraction(1, 40)) == Fraction("6.03267228991")
    assert goe_radius(50, Fraction(1, 25)) == Fraction("10.5307326141")


@given(st.integers(1, 60), st.fractions(Fraction(1, 10**6), Fraction(99, 100)))
@settings(max_examples=40, deadline=None)
def test_a_radius_is_below_concentration_and_where_the_count_says(order: int, failure: Fraction) -> None:
    radius = goe_radius(order, failure)
    assert float(radius) <= float(concentration_radius(order, failure).mid())
    assert 2 * above(order, float(radius)) == pytest.approx(float(failure), rel=1e-6)


def test_very_large_matrices_fall_back_on_concentration() -> None:
    order = LARGEST_EXACT_ORDER + 1
    expected = sqrt(2 * order) + sqrt(2 * log(50))
    assert float(goe_radius(order, Fraction(1, 25))) == pytest.approx(expected, rel=1e-10)


# --- both


@pytest.mark.parametrize(("first", "second"), [(1, 1), (10, 1), (1, 10), (Fraction(1, 2), 2)])
def test_joint_radii_split_the_failure_well(first: Fraction | int, second: Fraction | int) -> None:
    beta = Fraction(1, 20)
    share = failure_split(14, beta, first_weight=first, second_weight=second)
    radii = joint_radii(14, beta, first_weight=first, second_weight=second)
    assert radii == (chi_radius(14, beta * share), goe_radius(14, beta * (1 - share)))
    cost = first * radii[0] + second * radii[1]
    for eighths in range(1, 8):
        part = beta * eighths / 8
        assert cost <= first * chi_radius(14, part) + second * goe_radius(14, beta - part) + Fraction(
            first + second, 1000
        )


def test_extreme_weights_still_leave_both_a_share() -> None:
    assert failure_split(9, Fraction(1, 20), first_weight=0) == Fraction(1, 64)
    assert failure_split(9, Fraction(1, 20), second_weight=0) == Fraction(63, 64)
    assert 0 < failure_split(9, Fraction(1, 20), first_weight=0, second_weight=0) < 1


# --- a bound from a noisy norm


@pytest.mark.parametrize(
    ("x", "dimension", "noncentrality"), [(3, 2, 1.5), (50, 14, 30.0), (300, 13, 280.0), (900, 40, 1000.0)]
)
def test_noncentral_distribution_against_mpmath_and_scipy(x: int, dimension: int, noncentrality: float) -> None:
    with precision(160):
        ours = noncentral_distribution(arb(x), dimension, arb(noncentrality))
    with mpmath.workdps(40):
        mean, total, k = mpmath.mpf(noncentrality) / 2, mpmath.mpf(0), 0
        while k < mean + 40 * mpmath.sqrt(mean) + 60:
            inside = mpmath.gammainc(mpmath.mpf(dimension) / 2 + k, 0, mpmath.mpf(x) / 2, regularized=True)
            total += mpmath.exp(-mean + k * mpmath.log(mean) - mpmath.loggamma(k + 1)) * inside
            k += 1
        assert abs(mpmath.mpf(ours.mid().str(40, radius=False)) - total) < mpmath.mpf(10) ** -28
    assert float(ours.mid()) == pytest.approx(stats.ncx2.cdf(x, dimension, noncentrality), rel=1e-10)


@pytest.mark.parametrize(
    ("x", "t"), [("0.01", "0.3"), ("4", "3.5"), ("2500", "51.2"), ("90000", "301"), ("1000000", "999")]
)
def test_noncentral_distribution_in_one_dimension(x: str, t: str) -> None:
    """(N + t)^2 <= x where N lies between -sqrt x - t and sqrt x - t; large cases begin the series late."""
    with precision(160):
        ours = noncentral_distribution(arb(x), 1, arb(t) ** 2)
        root = arb(2).sqrt()
        exact = ((arb(t) - arb(x).sqrt()) / root).erfc() / 2 - ((arb(t) + arb(x).sqrt()) / root).erfc() / 2
        assert ours.overlaps(exact)
        assert ours.rad() < arb("1e-25")


@pytest.mark.parametrize("failure", [Fraction(1, 100), Fraction(1, 40), Fraction(1, 2), Fraction(1, 10**20)])
@pytest.mark.parametrize(
    ("observed", "dimension"), [(Fraction(7, 3), 1), (Fraction(20), 13), (Fraction(1234, 7), 14), (Fraction(9999), 50)]
)
def test_noncentral_upper_is_the_quantile(observed: Fraction, dimension: int, failure: Fraction) -> None:
    bound = noncentral_upper(observed, dimension, failure)
    if bound == 0:
        assert stats.chi2.cdf(float(observed), dimension) <= float(failure)
        return
    with precision(256):
        x = arb(observed.numerator) / observed.denominator
        goal = arb(failure.numerator) / failure.denominator
        for end, sign in ((bound, 1), (bound * (1 - LITTLE), -1)):
            value = noncentral_distribution(x, dimension, (arb(end.numerator) / end.denominator) ** 2)
            assert (goal - value) * sign > 0
    if failure > Fraction(1, 1000):
        assert stats.ncx2.cdf(float(observed), dimension, float(bound) ** 2) == pytest.approx(float(failure), rel=1e-7)


def test_noncentral_upper_at_the_ends() -> None:
    assert noncentral_upper(Fraction(0), 5, Fraction(1, 20)) == 0
    assert noncentral_upper(Fraction(4), 14, Fraction(1, 40)) == 0  # P(chi-square_14 <= 4) = .0045
    exact = noncentral_upper(Fraction(LARGEST_EXACT_RATIO), 13, Fraction(1, 100))
    beyond = noncentral_upper(Fraction(LARGEST_EXACT_RATIO + 1), 13, Fraction(1, 100))
    assert exact < beyond < exact + Fraction(13, 2000) + Fraction(1, 1000)


def test_beyond_the_exact_range_a_normal_quantile_is_added() -> None:
    observed = Fraction(4 * 10**6)
    for failure, z in ((Fraction(1, 40), 1.959963984540), (Fraction(1, 2), 0), (Fraction(39, 40), -1.959963984540)):
        assert float(noncentral_upper(observed, 3, failure)) == pytest.approx(2000 + z, abs=1e-7)


@pytest.mark.parametrize("start", [3, 6])
def test_a_sum_that_begins_late_still_contains_the_whole(start: int) -> None:
    """With few weights left out on purpose, the ball is wide and holds what the whole sum gives."""
    mean, y, shape = arb(8), arb(9), fmpq(5, 2)
    with precision(128):
        whole = mixture._gamma_mixture(shape, y, mixture._poisson(mean, 0), 0, arb(0))
        left_out = sum(islice(mixture._poisson(mean, 0), start), arb(0))
        late = mixture._gamma_mixture(shape, y, mixture._poisson(mean, start), start, mixture._from_zero_to(left_out))
        assert late.contains(whole)
        assert late.rad() < 2 * left_out


def test_noncentral_upper_covers() -> None:
    """1,000 observations at one b: the bound lies below ||b|| about as often as it may."""
    failure, dimension, length = Fraction(1, 10), 5, 2.0
    noise = generator(3).standard_normal((1000, dimension))
    noise[:, 0] += length
    observed = (noise**2).sum(axis=1)
    misses = sum(noncentral_upper(Fraction(round(value * 64), 64), dimension, failure) < length for value in observed)
    assert does_not_exceed(misses, 1000, 0.1)
    assert does_not_fall_short_of(misses, 1000, 0.1)


# --- contractions of a tensor of order four

W = (Fraction(3, 5), Fraction(4, 5), Fraction(0))
BASIS = (W, (Fraction(-4, 5), Fraction(3, 5), Fraction(0)), (Fraction(0), Fraction(0), Fraction(1)))


def symmetrised(*vectors: tuple[Fraction, ...]) -> dict[tuple[int, ...], Fraction]:
    """All entries of the symmetric part of a product of four vectors."""
    entries = dict.fromkeys(product(range(3), repeat=4), Fraction(0))
    for order in permutations(vectors):
        for place in entries:
            entries[place] += order[0][place[0]] * order[1][place[1]] * order[2][place[2]] * order[3][place[3]] / 24
    return entries


def covariance(one: dict[tuple[int, ...], Fraction], other: dict[tuple[int, ...], Fraction]) -> Fraction:
    """Of <T, one> and <T, other>: by the variances 1/multiplicity of the independent entries of T."""
    total = Fraction(0)
    for place in one:
        if list(place) != sorted(place):
            continue
        multiplicity = factorial(4)
        for index in range(3):
            multiplicity //= factorial(place.count(index))
        total += multiplicity * one[place] * multiplicity * other[place] / multiplicity
    return total


def test_coordinates_of_contractions_are_independent_with_these_variances() -> None:
    entries = {(i, j): symmetrised(W, W, BASIS[i], BASIS[j]) for i in range(3) for j in range(i, 3)}
    variances = {
        (0, 0): 1,
        (0, 1): Fraction(1, 4),
        (0, 2): Fraction(1, 4),
        (1, 1): Fraction(1, 6),
        (2, 2): Fraction(1, 6),
        (1, 2): Fraction(1, 12),
    }
    for one, other in product(entries, repeat=2):
        expected = variances[one] if one == other else 0
        assert covariance(entries[one], entries[other]) == expected


@pytest.mark.parametrize("dimension", [2, 3, 14])
def test_vector_radius_against_integration(dimension: int) -> None:
    for failure in (Fraction(1, 25), Fraction(1, 1000)):
        r = float(contraction_vector_radius(dimension, failure))
        inside = integrate.quad(
            lambda u, r=r: stats.chi.pdf(u, dimension - 1) * erf(sqrt(max(r * r - u * u / 4, 0) / 2)),
            0,
            2 * r,
            limit=200,
        )[0]
        assert 1 - inside == pytest.approx(float(failure), rel=1e-6)


def test_weights_of_the_quarter_sum_are_probabilities() -> None:
    with precision(128):
        assert abs(quarter_sum_distribution(arb(200), 5) - 1) < arb("1e-30")
    assert sum(Fraction(comb(2 * k, k) * 3**k, 2 * 16**k) for k in range(200)) == pytest.approx(1, abs=1e-12)


def contracted(rng: np.random.Generator, draws: int, dimension: int) -> np.ndarray:
    """Matrices <T, sym(ww . .)> in a basis that begins with w."""
    matrices = np.empty((draws, dimension, dimension))
    matrices[:, 1:, 1:] = symmetric_gaussian(rng, draws, dimension - 1) / sqrt(6)
    matrices[:, 0, 1:] = matrices[:, 1:, 0] = rng.standard_normal((draws, dimension - 1)) / 2
    matrices[:, 0, 0] = rng.standard_normal(draws)
    return matrices


@pytest.mark.parametrize("dimension", [2, 6, 14])
def test_simulated_contractions_keep_the_radii(dimension: int) -> None:
    failure, draws = Fraction(1, 10), 4000
    matrices = contracted(generator(dimension), draws, dimension)
    outside = int((norms(matrices) > float(contraction_matrix_radius(dimension, failure))).sum())
    assert does_not_exceed(outside, draws, 0.1)
    outside = int((np.linalg.norm(matrices[:, 0], axis=1) > float(contraction_vector_radius(dimension, failure))).sum())
    assert does_not_exceed(outside, draws, 0.1)
    assert does_not_fall_short_of(outside, draws, 0.1)
    together = contraction_radii(dimension, failure)
    held = (
        (np.abs(matrices[:, 0, 0]) <= float(together.along))
        & (np.linalg.norm(matrices[:, 0, 1:], axis=1) <= float(together.across))
        & (norms(matrices[:, 1:, 1:]) <= float(together.block))
    )
    assert does_not_exceed(int((~held).sum()), draws, 0.1)
    assert (norms(matrices[held]) <= float(together.matrix)).all()
    assert (np.linalg.norm(matrices[held][:, 0], axis=1) <= float(together.vector)).all()


def test_radii_of_contractions_in_order() -> None:
    for dimension in (2, 9, 14, 50):
        together = contraction_radii(dimension, Fraction(1, 25))
        assert contraction_vector_radius(dimension, Fraction(1, 25)) < together.vector
        assert contraction_matrix_radius(dimension, Fraction(1, 25)) < together.matrix
        assert float(together.vector) == pytest.approx(hypot(together.along, together.across), rel=1e-11)
    assert contraction_matrix_radius(14, Fraction(1, 25)) < Fraction(377, 100)
    alone = contraction_radii(1, Fraction(1, 25))
    assert alone.matrix == contraction_vector_radius(1, Fraction(1, 25)) == normal_interval(Fraction(1, 25))


@given(st.floats(0.1, 3), st.floats(0.3, 4), st.floats(0.1, 3), st.floats(-0.9, 0.9), st.floats(-30, 1))
@settings(max_examples=200, deadline=None)
def test_the_parabola_dominates(t: float, c: float, gap: float, at: float, where: float) -> None:
    """It touches at at*c and meets at c; below c it lies above the function whose sum is bounded."""
    r = c + t / 2 + gap
    f = lambda x: (log(r - x) - log(r - t / 2 - x)) / 2  # noqa: E731
    touch, x = at * c, min(where * c, c)
    slope = (1 / (r - t / 2 - touch) - 1 / (r - touch)) / 2
    a2 = (f(c) - f(touch) - slope * (c - touch)) / (c - touch) ** 2
    assert f(touch) + slope * (x - touch) + a2 * (x - touch) ** 2 >= f(x) - 1e-9


@pytest.mark.parametrize("order", [1, 2, 5])
def test_the_bound_of_one_tail_entry_by_entry(order: int) -> None:
    """E exp(m a0 + a1 tr B + a2 tr B^2) is a product of one integral per entry of B."""
    r, t, c, touch = 4.0, 2.0, 2.0, -0.25
    f = lambda x: (log(r - x) - log(r - t / 2 - x)) / 2  # noqa: E731
    slope = (f(touch + 1e-5) - f(touch - 1e-5)) / 2e-5
    a2 = (f(c) - f(touch) - slope * (c - touch)) / (c - touch) ** 2
    parabola = lambda x: f(touch) + slope * (x - touch) + a2 * (x - touch) ** 2  # noqa: E731
    density = lambda x, variance: exp(-x * x / (2 * variance)) / sqrt(2 * np.pi * variance)  # noqa: E731
    diagonal = integrate.quad(lambda x: exp(parabola(x)) * density(x, 1 / 6), -8, 8)[0]
    other = integrate.quad(lambda x: exp(2 * a2 * x * x) * density(x, 1 / 12), -8, 8)[0]
    expected = order * log(diagonal) + order * (order - 1) / 2 * log(other) - t * r
    bound = contraction._TailBound(order + 1, Fraction(c), Fraction(touch), Fraction(1, 20))
    with precision(80):
        assert float(bound._log_excess(arb(r), arb(t), arb(0)).mid()) == pytest.approx(expected, abs=1e-6)
        assert not bound._log_excess(arb(2.9), arb(t), arb(0)) <= 0  # the bound does not apply at r < c + t/2


def test_the_bound_of_one_tail_is_no_less_than_its_frequency() -> None:
    """The bound behind the matrix radius, at a radius where the event is common enough to count."""
    dimension, draws = 6, 20000
    matrices = contracted(generator(77), draws, dimension)
    block = goe_radius(dimension - 1, Fraction(1, 10)) / Fraction("2.449")
    bound = contraction._TailBound(dimension, block, -block / 8, Fraction(1, 20))
    r = float(bound.best_below(Fraction(50))[0])
    top = np.linalg.eigvalsh(matrices)[:, -1] > r
    inner = np.linalg.eigvalsh(matrices[:, 1:, 1:])[:, -1] <= float(block)
    count = int((top & inner).sum())
    assert does_not_exceed(count, draws, 0.05)
    assert count > draws // 200  # and it says something


# --- refusals


@pytest.mark.parametrize("failure", [0, 1, -1, Fraction(3, 2), float("nan"), "nan"])
@pytest.mark.parametrize(
    "function",
    [chi_radius, goe_radius, contraction_vector_radius, contraction_matrix_radius, contraction_radii, joint_radii],
)
def test_a_failure_must_be_an_exact_probability(function: object, failure: object) -> None:
    with pytest.raises(ParameterError, match=r"failure|beta"):
        function(3, failure)  # type: ignore[operator]


@pytest.mark.parametrize("dimension", [0, -2, Fraction(1, 2), 2.5])
def test_a_dimension_must_be_a_positive_whole_number(dimension: object) -> None:
    for function in (chi_radius, goe_radius, contraction_matrix_radius):
        with pytest.raises(ParameterError, match="dimension"):
            function(dimension, Fraction(1, 20))  # type: ignore[operator]


def test_other_refusals() -> None:
    with pytest.raises(ParameterError, match="squared_ratio"):
        noncentral_upper(Fraction(-1), 3, Fraction(1, 20))
    with pytest.raises(ParameterError, match="second_weight"):
        joint_radii(3, Fraction(1, 20), second_weight=-1)
    with pytest.raises(ParameterError, match="shares"):
        contraction_radii(3, Fraction(1, 20), shares=(Fraction(1), Fraction(1), Fraction(0)))
