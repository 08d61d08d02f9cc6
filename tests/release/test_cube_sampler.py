"""The exact sampler of rounded l_inf noise: right distribution, bits refined and never redrawn, no float decisions."""

from __future__ import annotations

import inspect
import random
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
import pytest
from flint import ctx, fmpq
from scipy import integrate, stats

from bounds.enclosure import Enclosure
from release.noise import cube
from release.noise.cube import sample_cube
from release.noise.uniform import LazyUniform


class Stream:
    """Bits of one uniform number: a given prefix, then a seeded rest; how they are asked for does not matter."""

    def __init__(self, prefix: str, seed: int) -> None:
        self._rest = random.Random(seed)
        self._prefix = [int(bit) for bit in prefix]
        self.served = 0

    def __call__(self, bits: int) -> int:
        value = 0
        for _ in range(bits):
            bit = self._prefix[self.served] if self.served < len(self._prefix) else self._rest.getrandbits(1)
            value, self.served = 2 * value + bit, self.served + 1
        return value


def draw(count: int, scale: fmpq, source: Callable[[int], int], first_bits: int = 64) -> list[int]:
    radius = [LazyUniform(source) for _ in range(count + 1)]
    direction = [LazyUniform(source) for _ in range(count)]
    return cube._round_cube(radius, direction, scale, first_bits=first_bits)


def chi_square(seen: Counter[int], expected: dict[int, float], runs: int) -> float:
    """The p-value, with cells of expectation below 8 put together."""
    kept = [key for key, share in expected.items() if share * runs >= 8]
    counts = [seen[key] for key in kept] + [runs - sum(seen[key] for key in kept)]
    shares = [expected[key] for key in kept]
    shares.append(1 - sum(shares))
    if shares[-1] * runs < 8:
        counts[-2:], shares[-2:] = [sum(counts[-2:])], [sum(shares[-2:])]
    return float(stats.chisquare(counts, np.array(shares) * runs).pvalue)


@pytest.mark.share(3)
@pytest.mark.parametrize(
    ("count", "scale"),
    [(1, fmpq(1, 3)), (1, fmpq(2)), (2, fmpq(1, 5)), (3, fmpq(5, 2)), (8, fmpq(1, 2)), (20, fmpq(3))],
)
def test_largest_coordinate_and_one_coordinate_have_their_exact_laws(count: int, scale: fmpq) -> None:
    source = random.Random(f"{count} {scale}").getrandbits
    runs, b = 6000, float(Fraction(int(scale.numer()), int(scale.denom())))
    samples = [draw(count, scale, source) for _ in range(runs)]
    largest = Counter(max(abs(v) for v in sample) for sample in samples)
    radial = stats.gamma(count, scale=b)
    law = {j: float(radial.cdf(j + 0.5) - radial.cdf(max(j - 0.5, 0))) for j in range(max(largest) + 1)}
    assert chi_square(largest, law, runs) > 1e-4

    def below(t: float) -> float:
        """P(0 <= z_1 <= t): the density of one coordinate is P(Gamma(count) > |z|) / (2 count)."""
        return float(stats.gamma(count + 1).cdf(t / b) + t / b * stats.gamma(count).sf(t / b) / count) / 2

    coordinate = Counter(sample[-1] for sample in samples)
    reach = max(abs(v) for v in coordinate)
    one = {j: below(abs(j) + 0.5) - below(abs(j) - 0.5) for j in range(-reach, reach + 1) if j}
    one[0] = 2 * below(0.5)
    assert chi_square(coordinate, one, runs) > 1e-4


def cell(i: int, j: int, b: float) -> float:
    """The probability that z in two dimensions is rounded to (i, j)."""
    i, j = abs(i), abs(j)

    def inner(x: float) -> float:
        # the integral over y of exp(-max(|x|, |y|)/b), split where |y| = |x|
        def part(low: float, high: float) -> float:
            middle = min(max(abs(x), low), high)
            flat = (middle - low) * np.exp(-abs(x) / b)
            return float(flat + b * (np.exp(-middle / b) - np.exp(-high / b)))

        return part(j - 0.5, j + 0.5) if j else 2 * part(0, 0.5)

    value, _ = integrate.quad(inner, i - 0.5, i + 0.5, points=[0, j - 0.5, j + 0.5], epsabs=1e-14, epsrel=1e-13)
    return float(value) / (8 * b * b)


def test_the_joint_law_of_two_coordinates_and_its_privacy() -> None:
    scale, runs = fmpq(3, 2), 8000
    source = random.Random(5).getrandbits
    cells = {(i, j): cell(i, j, 1.5) for i in range(-14, 15) for j in range(-14, 15)}
    number = {key: index for index, key in enumerate(cells)}
    seen = Counter(number.get((a, b), -1) for a, b in (draw(2, scale, source) for _ in range(runs)))
    assert chi_square(seen, {number[key]: share for key, share in cells.items()}, runs) > 1e-4
    # One record moves the sums by at most 1 each: the loss is at most 1/scale, and attained far out.
    losses = [
        abs(np.log(share / cells[i + a, j + c]))
        for (i, j), share in cells.items()
        for a in (-1, 0, 1)
        for c in (-1, 0, 1)
        if max(abs(i + a), abs(j + c)) <= 14
    ]
    assert max(losses) <= 2 / 3 + 1e-9
    assert max(losses) > 2 / 3 - 1e-6


def streams(seed: int, prefixes: Iterator[str] | None = None) -> list[LazyUniform]:
    return [LazyUniform(Stream(next(prefixes, "") if prefixes else "", 100 * seed + k)) for k in range(9)]


@pytest.mark.parametrize("seed", range(40))
def test_how_many_bits_are_drawn_first_does_not_matter(seed: int) -> None:
    results = []
    for first_bits in (1, 3, 17, 300):
        uniforms = streams(seed)
        results.append(cube._round_cube(uniforms[:5], uniforms[5:], fmpq(1000), first_bits=first_bits))
    assert results[0] == results[1] == results[2] == results[3]


def test_a_short_first_prefix_needs_more_bits_and_keeps_the_old_ones() -> None:
    uniforms = streams(7)
    cube._round_cube(uniforms[:5], uniforms[5:], fmpq(1000), first_bits=4)
    for k, uniform in enumerate(uniforms):
        assert uniform.bits > 4
        again = Stream("", 700 + k)
        assert uniform.numerator == again(uniform.bits)
        assert uniform._draw.served == uniform.bits  # type: ignore[attr-defined]


@pytest.mark.parametrize("bit", "01")
def test_a_uniform_number_next_to_an_end_draws_on(bit: str) -> None:
    # All zeros: the logarithm is unbounded until a one appears. All ones: it is near 0 and harmless.
    uniforms = [LazyUniform(Stream(bit * 200, 1)), LazyUniform(Stream("1", 2)), LazyUniform(Stream("110", 3))]
    found = cube._round_cube(uniforms[:2], uniforms[2:], fmpq(10), first_bits=8)
    assert uniforms[0].bits >= (200 if bit == "0" else 8)
    exact = [Fraction(u.numerator, 2**u.bits) for u in uniforms]
    r = -10 * (np.log(float(exact[0])) + np.log(float(exact[1])))
    assert found == [round(r * float(2 * exact[2] - 1))]
    assert (found[0] > 0) == (bit == "0")


@pytest.mark.parametrize("side", [0, 1])
def test_a_ball_that_straddles_a_half_draws_until_it_is_decided(side: int) -> None:
    # u = r^-1 (1/2 +- 2^-150): the first 128 bits leave round(r u) open between 0 and 1.
    radius_bits = ["10" * 300, "0110" * 150]
    with ctx.workprec(1000):
        balls = [LazyUniform(Stream(bits, 0)) for bits in radius_bits]
        for uniform in balls:
            uniform.extend(600)
        r = Enclosure.of(-(balls[0].ball().log() + balls[1].ball().log())).midpoint
    target = (Fraction(1, 2) + (Fraction(2 * side - 1, 2**150))) / r
    direction_bits = format(int((target + 1) / 2 * 2**600), "0600b")
    uniforms = [LazyUniform(Stream(bits, 0)) for bits in (*radius_bits, direction_bits)]
    found = cube._round_cube(uniforms[:2], uniforms[2:], fmpq(1), first_bits=64)
    assert found == [side]
    assert uniforms[2].bits == 256
    assert uniforms[0].bits == 256


def test_only_open_coordinates_draw_on() -> None:
    # The first coordinate is 0 up to 100 bits and decided at once only if the ball of 8 bits is; the second is far out.
    uniforms = [LazyUniform(Stream(p, k)) for k, p in enumerate(["1011", "0111", "1" + "0" * 90, "1111", "1000001"])]
    found = cube._round_cube(uniforms[:3], uniforms[3:], fmpq(4), first_bits=8)
    assert len(found) == 2
    assert found[1] == 0
    assert uniforms[4].bits == 8
    assert uniforms[3].bits > 8


def test_balls_of_a_prefix_lose_nothing_at_low_precision() -> None:
    uniform = LazyUniform(Stream("1" * 10 + "0" * 190 + "1", 0))
    uniform.extend(201)
    low = Fraction(uniform.numerator, 2**201)
    with ctx.workprec(20):
        interval, signed = Enclosure.of(uniform.ball()), Enclosure.of(uniform.signed_ball())
    for end in (low, low + Fraction(1, 2**201)):
        assert interval.contains(end)
        assert signed.contains(2 * end - 1)
    assert interval.hi - interval.lo < Fraction(1, 2**200)


def test_the_public_sampler_takes_no_randomness_and_asks_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(inspect.signature(sample_cube).parameters) == ["count", "scale"]
    asked = []

    def bits(number: int) -> int:
        asked.append(number)
        return random.Random(len(asked)).getrandbits(number)

    monkeypatch.setattr(cube.secrets, "randbits", bits)
    found = sample_cube(6, scale=Fraction(7, 2))
    assert len(found) == 6
    assert len(asked) == 13
    assert min(asked) > 64


def test_the_system_gives_different_noise_each_time() -> None:
    first, second = (sample_cube(40, scale=Fraction(10**6)) for _ in range(2))
    assert first != second
    assert max(map(abs, first)) > 10**6  # fails with probability below 1e-40: a Gamma(40) variable below 1
