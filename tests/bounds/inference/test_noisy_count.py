"""The interval for a probability from a noisy count: tails against mpmath, coverage by summing over all outcomes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from math import comb, exp

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta, norm

import bounds.inference.noisy_tail as noisy_tail
from bounds.errors import NotApplicable, UsageError
from bounds.inference.convex_tail import mean_excess_bound
from bounds.inference.lattice_coupling import gaussian_coupling
from bounds.inference.noise_laws import DiscreteLaplaceSum, Gaussian, LaplaceSum, NoiseLaw, NoNoise
from bounds.inference.noisy_count import NoisyCount
from bounds.inference.noisy_tail import binomial_noise_tail

LEVEL = Fraction(19, 20)
HALF = Fraction(1, 2)
SHARES = [Fraction(i, 40) for i in range(1, 40, 2)]


def mp_of(x: Fraction) -> mpmath.mpf:
    return mpmath.mpf(x.numerator) / x.denominator


def mp_binomial(n: int, p: Fraction, j: int) -> mpmath.mpf:
    q = mp_of(p)
    return mpmath.binomial(n, j) * q**j * (1 - q) ** (n - j)


def mp_noise_tail(noise: NoiseLaw, x: Fraction) -> mpmath.mpf:
    """P(noise >= x), by formulas of our own."""
    y = mp_of(x)
    if isinstance(noise, Gaussian):
        return mpmath.erfc(y / mpmath.sqrt(2 * mp_of(noise.variance))) / 2
    if isinstance(noise, NoNoise):
        return mpmath.mpf(x <= 0)
    if isinstance(noise, LaplaceSum):
        return mp_laplace_sum_tail(y / mpmath.mpf(float(noise.scale)), noise.count)
    assert isinstance(noise, DiscreteLaplaceSum)
    law = discrete_law(float(noise.scale), noise.count)
    return mpmath.fsum(weight for k, weight in law.items() if k * noise.unit >= x)


def mp_laplace_sum_tail(y: mpmath.mpf, count: int) -> mpmath.mpf:
    """By integrating the density of a sum of independent Laplace numbers, a modified Bessel function."""
    m = count - mpmath.mpf(1) / 2

    def density(t: mpmath.mpf) -> mpmath.mpf:
        r = abs(t)
        if r == 0:
            r = mpmath.mpf(10) ** -30
        return r**m * mpmath.besselk(m, r) / (mpmath.sqrt(mpmath.pi) * 2**m * mpmath.gamma(count))

    above = mpmath.quad(density, [abs(y), abs(y) + 1, abs(y) + 5, abs(y) + 30, abs(y) + 120])
    return above if y >= 0 else 1 - above


@cache
def discrete_law(scale: float, count: int) -> dict[int, mpmath.mpf]:
    q, most = mpmath.exp(-1 / mpmath.mpf(scale)), int(90 * scale)
    one = {k: (1 - q) / (1 + q) * q ** abs(k) for k in range(-most, most + 1)}
    law = {0: mpmath.mpf(1)}
    for _ in range(count):
        summed: dict[int, mpmath.mpf] = {}
        for a, weight in law.items():
            for b, other in one.items():
                summed[a + b] = summed.get(a + b, mpmath.mpf(0)) + weight * other
        law = summed
    return law


NOISES: list[NoiseLaw] = [
    NoNoise(),
    Gaussian(Fraction(1, 4)),
    Gaussian(Fraction(37)),
    LaplaceSum(Fraction(2), 1),
    LaplaceSum(Fraction(3, 2), 3),
    DiscreteLaplaceSum(Fraction(2), 1),
    DiscreteLaplaceSum(Fraction(1), 2, Fraction(3, 4)),
]


@pytest.mark.parametrize("noise", NOISES, ids=lambda law: f"{type(law).__name__}-{law.deviation_est:.2g}")
def test_tails_are_those_of_mpmath(noise: NoiseLaw) -> None:
    integrated = isinstance(noise, LaplaceSum)
    with mpmath.workdps(16 if integrated else 50):
        for n, p, x in [
            (1, Fraction(1, 3), Fraction(0)),
            (9, Fraction(1, 10), Fraction(7, 2)),
            (40, Fraction(3, 5), Fraction(27)),
        ][: 2 if integrated else 3]:
            wanted = mpmath.fsum(mp_binomial(n, p, j) * mp_noise_tail(noise, x - j) for j in range(n + 1))
            found = binomial_noise_tail(n=n, p=p, x=x, noise=noise)
            precise = mpmath.mpf(10) ** (-11 if integrated else -40)
            assert mp_of(found.lo) - precise <= wanted <= mp_of(found.hi) + precise
            assert found.hi - found.lo < Fraction(1, 10**14)


def test_blocks_are_the_long_sum(monkeypatch: pytest.MonkeyPatch) -> None:
    n, p, noise = 700_000, Fraction(2, 5), Gaussian(Fraction(300))
    for x in (Fraction(279_000), Fraction(281_200)):
        blocks = binomial_noise_tail(n=n, p=p, x=x, noise=noise)
        monkeypatch.setattr(noisy_tail, "_LONG_BAND", 10**9)
        whole = binomial_noise_tail(n=n, p=p, x=x, noise=noise)
        monkeypatch.undo()
        assert blocks.lo <= whole.lo
        assert whole.hi <= blocks.hi
        assert blocks.hi - blocks.lo < blocks.hi / 10**4


def test_without_noise_it_is_clopper_pearson() -> None:
    for n, count in [(1, 0), (7, 7), (30, 11), (5000, 1), (48_842, 11_687)]:
        lo, hi = NoisyCount(n=n, observed=Fraction(count), noise=NoNoise()).interval(LEVEL)
        wanted = 0.0 if count == 0 else beta.ppf(0.025, count, n - count + 1)
        other = 1.0 if count == n else beta.ppf(0.975, count + 1, n - count)
        near = 1e-6 / n**0.5
        assert wanted - near <= float(lo) <= wanted + 1e-12
        assert other - 1e-12 <= float(hi) <= other + near


@pytest.mark.parametrize(
    "noise", [Gaussian(Fraction(9)), DiscreteLaplaceSum(Fraction(3, 2), 2)], ids=["normal", "laplace"]
)
def test_ends_are_proved_and_sharp(noise: NoiseLaw) -> None:
    one = NoisyCount(n=60, observed=Fraction(21), noise=noise, slack=HALF)
    lo, hi = one.interval(LEVEL)
    with mpmath.workdps(40):

        def tail(p: Fraction, x: Fraction) -> mpmath.mpf:
            return mpmath.fsum(mp_binomial(60, p, j) * mp_noise_tail(noise, x - j) for j in range(61))

        near = Fraction(1, 10**6)
        assert tail(lo, Fraction(41, 2)) <= mpmath.mpf("0.025") < tail(lo + near, Fraction(41, 2))
        # at most 21.5, by symmetry at least 60 - 21.5 of those that are not counted
        assert tail(1 - hi, Fraction(77, 2)) <= mpmath.mpf("0.025") < tail(1 - hi + near, Fraction(77, 2))


def integer_law(noise: str) -> dict[int, float]:
    """Of noise on whole numbers."""
    if noise == "laplace":
        weights = {k: exp(-abs(k) / 1.5) for k in range(-40, 41)}
    elif noise == "rounded":
        return {k: float(mpmath.ncdf((k + 0.5) / 2.5) - mpmath.ncdf((k - 0.5) / 2.5)) for k in range(-20, 21)}
    else:
        weights = {k: exp(-k * k / (2 * 2.5**2)) for k in range(-20, 21)}
    total = sum(weights.values())
    return {k: weight / total for k, weight in weights.items()}


Ends = Callable[[int], tuple[Fraction, Fraction]]


def least_coverage(n: int, law: dict[int, float], ends: Ends) -> float:
    """Over shares, by summing over all outcomes."""
    intervals = {t: ends(t) for t in range(min(law), n + max(law) + 1)}
    found = []
    for p in SHARES:
        counts = [comb(n, j) * float(p) ** j * float(1 - p) ** (n - j) for j in range(n + 1)]
        found.append(
            sum(
                count * weight
                for j, count in enumerate(counts)
                for k, weight in law.items()
                if intervals[j + k][0] <= p <= intervals[j + k][1]
            )
        )
    return min(found)


def counted(noise: NoiseLaw, slack: Fraction, n: int = 14) -> Callable[[int], NoisyCount]:
    return lambda t: NoisyCount(n=n, observed=Fraction(t), noise=noise, slack=slack)


LAPLACE = DiscreteLaplaceSum(Fraction(3, 2), 1)
NORMAL = Gaussian(Fraction(25, 4))


@pytest.mark.parametrize("law", ["laplace", "normal", "rounded"])
def test_it_covers_at_every_share(law: str) -> None:
    if law == "laplace":
        one = counted(LAPLACE, Fraction(0))
    else:
        one = counted(NORMAL, HALF if law == "rounded" else gaussian_coupling(NORMAL.variance).distance)
    covered = least_coverage(14, integer_law(law), lambda t: one(t).interval(LEVEL))
    assert 0.95 <= covered < 0.975


def test_seeded_bugs_are_noticed() -> None:
    law = integer_law("normal")
    right = counted(NORMAL, HALF + Fraction(1, 20))
    bugs: dict[str, Ends] = {
        "half step left out": lambda t: counted(NORMAL, Fraction(0))(t).interval(LEVEL),
        "each end with all of alpha": lambda t: (
            right(t).lower_end(Fraction(1, 20)),
            right(t).upper_end(Fraction(1, 20)),
        ),
        "half step the wrong way": lambda t: (
            NoisyCount(n=14, observed=Fraction(t) + HALF, noise=NORMAL).lower_end(Fraction(1, 40)),
            NoisyCount(n=14, observed=Fraction(t) - HALF, noise=NORMAL).upper_end(Fraction(1, 40)),
        ),
        "ends swapped": lambda t: (right(t).upper_end(Fraction(39, 40)), right(t).lower_end(Fraction(39, 40))),
        "variance of another table": lambda t: counted(Gaussian(Fraction(4)), HALF)(t).interval(LEVEL),
        "noise forgotten": lambda t: counted(NoNoise(), HALF)(t).interval(LEVEL),
    }
    for name, ends in bugs.items():
        assert least_coverage(14, law, ends) < 0.95, name


@given(
    n=st.integers(1, 3000),
    share=st.fractions(-1, 2, max_denominator=50),
    variance=st.fractions(Fraction(1, 10), 400, max_denominator=10),
)
@settings(max_examples=12, deadline=None)
def test_mirrored_nested_and_consistent(n: int, share: Fraction, variance: Fraction) -> None:
    one = NoisyCount(n=n, observed=share * n, noise=Gaussian(variance))
    lo, hi = one.interval(LEVEL)
    assert 0 <= lo <= hi <= 1
    assert one.mirrored.interval(LEVEL) == (1 - hi, 1 - lo)
    wider = one.interval(Fraction(99, 100))
    assert wider[0] <= lo
    assert hi <= wider[1]
    inside, beyond = (lo + hi) / 2, lo - Fraction(1, 10**6)
    if lo < hi:
        assert one.covers(inside, LEVEL)
    if beyond > 0:
        assert not one.covers(beyond, LEVEL)


def test_more_records_than_the_least_are_covered_too() -> None:
    """The bound for a private number of records is above the tail at every number from the least one on."""
    noise = Gaussian(Fraction(16))
    with mpmath.workdps(25):
        for n, p, x in [(30, Fraction(1, 5), Fraction(16)), (30, Fraction(7, 10), Fraction(33))]:
            bound = mean_excess_bound(n=n, p=p, x=x, noise=noise)
            tails = [
                mpmath.fsum(mp_binomial(m, p, j) * mp_noise_tail(noise, x - Fraction(n * j, m)) for j in range(m + 1))
                for m in (n, n + 1, 2 * n, 7 * n)
            ]
            assert max(tails) <= float(bound.lo)
            assert float(bound.hi) < 4 * max(tails)


def test_the_bound_for_private_records_is_the_mean_excess() -> None:
    """At the threshold that it chose: E(N + Z - h)+ / (x - h), by summing over all counts."""
    import bounds.inference.convex_tail as convex

    n, p, x, noise = 25, Fraction(2, 5), Fraction(18), Gaussian(Fraction(4))
    h = convex._threshold(n, float(p), float(x), noise.deviation_est)
    with mpmath.workdps(25):
        deviation, threshold = mpmath.mpf(2), mp_of(h)
        mean = mpmath.fsum(
            mp_binomial(n, p, j)
            * (
                deviation * mpmath.npdf((threshold - j) / deviation)
                - (threshold - j) * mpmath.ncdf((j - threshold) / deviation)
            )
            for j in range(n + 1)
        )
        found = mean_excess_bound(n=n, p=p, x=x, noise=noise)
        assert float(found.midpoint) == pytest.approx(float(mean / (18 - threshold)), rel=1e-9)


def test_private_records_lengthen_the_interval() -> None:
    public = NoisyCount(n=500, observed=Fraction(130), noise=Gaussian(Fraction(30)))
    private = NoisyCount(n=500, observed=Fraction(130), noise=Gaussian(Fraction(30)), n_is_least=True)
    (lo, hi), (low, high) = public.interval(LEVEL), private.interval(LEVEL)
    assert low < lo < hi < high
    assert high - low < Fraction(3, 2) * (hi - lo)


def test_a_billion_records_are_no_more_work() -> None:
    one = NoisyCount(n=10**9, observed=Fraction(10**8), noise=Gaussian(Fraction(900)))
    lo, hi = one.interval(LEVEL)
    usual = 1.959964 * (0.09 / 1e9 + 900 / 1e18) ** 0.5
    assert float(hi - lo) == pytest.approx(2 * usual, rel=1e-3)


def test_what_the_law_is_not_known_for_is_paid() -> None:
    plain = NoisyCount(n=100, observed=Fraction(30), noise=Gaussian(Fraction(9)))
    lost = NoisyCount(n=100, observed=Fraction(30), noise=Gaussian(Fraction(9)), lost=Fraction(1, 100))
    assert lost.lower_end(Fraction(1, 40)) == plain.lower_end(Fraction(1, 40) - Fraction(1, 100))
    with pytest.raises(NotApplicable, match="distribution of the noise"):
        lost.interval(Fraction(99, 100))


def test_out_of_range() -> None:
    with pytest.raises(UsageError, match="n = 0"):
        NoisyCount(n=0, observed=Fraction(0), noise=NoNoise())
    with pytest.raises(UsageError, match="level"):
        NoisyCount(n=5, observed=Fraction(0), noise=NoNoise()).interval(Fraction(1))
    with pytest.raises(NotApplicable, match="private number of records"):
        NoisyCount(n=5, observed=Fraction(2), noise=LAPLACE, n_is_least=True).interval(LEVEL)


def accepted(one: Callable[[float], NoisyCount], p: Fraction, n: int) -> tuple[float, float]:
    """Between which noisy counts the interval holds p."""
    ends = []
    for outside in (float(p) * n - 60.0, float(p) * n + 60.0):
        inside = float(p) * n
        for _ in range(34):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if one(middle).covers(p, LEVEL) else (inside, middle)
        ends.append(inside)
    return ends[0], ends[1]


def normal_coverage(ends: tuple[float, float], *, n: int, m: int, p: Fraction, deviation: float) -> float:
    """Of n S/m + Z between the ends, S binomial of m records: a sum over all counts."""
    return sum(
        comb(m, j)
        * float(p) ** j
        * float(1 - p) ** (m - j)
        * (norm.cdf((ends[1] - n * j / m) / deviation) - norm.cdf((ends[0] - n * j / m) / deviation))
        for j in range(m + 1)
    )


@pytest.mark.parametrize("p", [Fraction(1, 50), Fraction(1, 3), Fraction(9, 10)])
def test_with_continuous_noise_the_level_is_reached(p: Fraction) -> None:
    ends = accepted(
        lambda t: NoisyCount(n=30, observed=Fraction(t), noise=Gaussian(Fraction(9)), slack=Fraction(0)), p, 30
    )
    assert normal_coverage(ends, n=30, m=30, p=p, deviation=3) == pytest.approx(0.95, abs=1e-6)


@pytest.mark.parametrize("p", [Fraction(1, 50), Fraction(1, 3), Fraction(9, 10)])
def test_with_a_private_number_of_records_no_number_loses_the_level(p: Fraction) -> None:
    def one(t: float) -> NoisyCount:
        return NoisyCount(n=30, observed=Fraction(t), noise=Gaussian(Fraction(9)), n_is_least=True)

    ends = accepted(one, p, 30)
    for m in (30, 31, 45, 300):
        assert 0.95 <= normal_coverage(ends, n=30, m=m, p=p, deviation=3) < 1
    # the interval for a known number would lose it, if the number were smaller
    public = accepted(lambda t: NoisyCount(n=30, observed=Fraction(t), noise=Gaussian(Fraction(9))), Fraction(1, 3), 30)
    assert normal_coverage(public, n=30, m=10, p=Fraction(1, 3), deviation=3) < 0.95
