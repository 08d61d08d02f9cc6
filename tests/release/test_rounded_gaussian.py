"""The rounded Gaussian: its law against exact probabilities, refinement at the ends of cells, and no floats."""

from __future__ import annotations

import ast
import random
import secrets
from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from flint import arb, ctx, fmpq
from scipy import stats

from bounds.enclosure import as_fmpq, precision
from bounds.errors import ParameterError
from release.noise import rounded_gaussian as module
from release.noise.rounded_gaussian import rounded_gaussian
from release.noise.uniform import LazyUniform

SIZES = [Fraction(1, 4), Fraction(1), Fraction(7, 3), Fraction(50)]


def two_sided_tail(t: Fraction, sd: Fraction) -> arb:
    """P(|z| > t), by the complementary error function; the sampler uses logarithms and cosines."""
    return (arb(as_fmpq(t)) / (as_fmpq(sd) * arb(2).sqrt())).erfc()


def probability_of_size(k: int, sd: Fraction) -> arb:
    """P(|round(z)| = k)."""
    above = two_sided_tail(k + Fraction(1, 2), sd)
    return 1 - above if k == 0 else two_sided_tail(k - Fraction(1, 2), sd) - above


@pytest.mark.parametrize(("sd", "open_pairs"), [(Fraction(1, 4), 500), (Fraction(1), 1500), (Fraction(7, 3), 3000)])
def test_every_pair_of_prefixes_goes_where_the_law_says(sd: Fraction, open_pairs: int) -> None:
    """All pairs of 7 bits: those that decide for k have no more probability than k, and few do not decide."""
    bits = 7
    decided: Counter[int | None] = Counter()
    with precision(64):
        prefixes = [LazyUniform(lambda more, prefix=prefix: prefix) for prefix in range(2**bits)]  # type: ignore[misc]
        for uniform in prefixes:
            uniform.extend(bits)
        for radius, angle in product(prefixes, prefixes):
            decided[module._rounded(radius, angle, as_fmpq(sd), 5)] += 1
        assert 0 < decided[None] <= open_pairs
        undecided = fmpq(decided.pop(None), 4**bits)
        for k, pairs in decided.items():
            assert k is not None
            share = probability_of_size(abs(k), sd) / (1 if k == 0 else 2)
            assert fmpq(pairs, 4**bits) <= share
            assert share <= fmpq(pairs, 4**bits) + undecided


@pytest.mark.parametrize("radius", [1, 40, 100, 126])
@pytest.mark.parametrize("angle", [0, 31, 64, 79, 127])
def test_a_ball_holds_the_numbers_of_its_prefixes(radius: int, angle: int) -> None:
    """Corners and middle of a square of prefixes, by the formula with a cosine alone."""
    sd = fmpq(20)
    uniforms = [LazyUniform(lambda more, prefix=prefix: prefix) for prefix in (radius, angle)]  # type: ignore[misc]
    for uniform in uniforms:
        uniform.extend(7)
    with precision(64):
        ball = sd * uniforms[0].minus_log().sqrt() * sum(uniforms[1].signed_ball().sin_cos_pi())
        for i, j in product((0, 1, 2), repeat=2):
            u, v = fmpq(2 * radius + i, 256), fmpq(2 * angle + j, 256)
            z = sd * (-2 * arb(u).log()).sqrt() * arb(2 * v - fmpq(5, 4)).cos_pi()
            assert ball.overlaps(z)


@pytest.mark.parametrize("sd", SIZES)
def test_chi_square_against_the_exact_probabilities(sd: Fraction) -> None:
    draws = 4000
    drawn = Counter(module._draw_all(sd, draws, random.Random(20).getrandbits))
    with precision(64):
        expected = {}
        for k in range(int(5 * sd) + 2):
            share = float(probability_of_size(k, sd).mid())
            expected |= {0: share} if k == 0 else {k: share / 2, -k: share / 2}
    kept = sorted(k for k, share in expected.items() if share * draws >= 5)
    observed = [drawn[k] for k in kept]
    wanted = [expected[k] * draws for k in kept]
    observed.append(draws - sum(observed))
    wanted.append(draws - sum(wanted))
    if wanted[-1] < 1e-6:
        observed, wanted = observed[:-1], wanted[:-1]
    statistic = sum((o - w) ** 2 / w for o, w in zip(observed, wanted, strict=True))
    assert statistic < stats.chi2.ppf(0.999, len(wanted) - 1)


@pytest.mark.parametrize(("rest", "size"), [("ones", 2), ("zeros", 3)])
@pytest.mark.parametrize("sign", [1, -1])
def test_bits_at_the_end_of_a_cell_are_refined(rest: str, size: int, sign: int) -> None:
    """At v = 5/8 or 1/8 the cosine is 1 or -1; the prefix of the end between 2 and 3 does not decide."""
    sd = Fraction(5)
    first = 60
    with precision(200):
        end = int(((-arb(as_fmpq((Fraction(5, 2) / sd) ** 2 / 2))).exp() * 2**first).floor().unique_fmpz())  # type: ignore[arg-type]
    asked: list[int] = []

    def draw(bits: int) -> int:
        asked.append(bits)
        if len(asked) <= 2:
            return end if len(asked) == 1 else (5 if sign == 1 else 1) << (first - 3)
        return 2**bits - 1 if rest == "ones" and len(asked) == 3 else 0

    before = ctx.prec
    assert module._draw_one(sd, draw, first) == sign * size
    assert asked == [first] * 4  # the prefixes stay, and as many bits again decide
    assert ctx.prec == before


@pytest.mark.parametrize("bit", [0, 1])
def test_a_uniform_number_next_to_an_end_draws_on(bit: int) -> None:
    """u within 2^-200 of 0 has no logarithm before its first one, and of 1 no root of it."""
    asked: list[int] = []

    def draw(bits: int) -> int:
        asked.append(bits)
        if len(asked) % 2 == 0:
            return 5 << (bits - 3) if len(asked) == 2 else 0
        return (2**bits - 1) * bit if sum(asked[::2]) <= 200 else 2 ** (bits - 1)

    found = module._draw_one(Fraction(1 if bit == 0 else 10**35), draw, 50)
    assert len(asked) > 2
    if bit == 0:
        with precision(100):
            assert two_sided_tail(found + Fraction(1, 2), Fraction(1)) < fmpq(1, 2**199)
    else:
        assert 0 < found < 10**6  # about 10^35 times the root of 2^-199


@pytest.mark.parametrize("sd", [Fraction(10**12, 7), Fraction(10**30)])
def test_large_deviations_keep_every_digit(sd: Fraction) -> None:
    """The low bits of large noise are fair, which no float could give."""
    drawn = module._draw_all(sd, 600, random.Random(3).getrandbits)
    scaled = [float(value / sd) for value in drawn]
    assert stats.kstest(scaled, "norm").pvalue > 1e-3
    last = Counter(value % 8 for value in drawn)
    assert sum((last[r] - 75) ** 2 / 75 for r in range(8)) < stats.chi2.ppf(0.999, 7)


def test_the_operating_system_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def counted(bits: int) -> int:
        asked.append(bits)
        return random.Random(len(asked)).getrandbits(bits)

    monkeypatch.setattr(secrets, "randbits", counted)
    assert len(rounded_gaussian(Fraction(3), 5)) == 5
    assert len(asked) == 10
    assert rounded_gaussian(Fraction(3), 0) == []


@pytest.mark.parametrize("sd", [Fraction(0), Fraction(-1), 1.5, 2])
def test_only_positive_fractions_are_deviations(sd: object) -> None:
    with pytest.raises(ParameterError, match="sd"):
        rounded_gaussian(sd, 1)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="count"):
        rounded_gaussian(Fraction(1), -1)


def test_no_float_stands_in_the_sampler() -> None:
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        assert not (isinstance(node, ast.Constant) and isinstance(node.value, float))
        assert not (isinstance(node, ast.Name) and node.id in ("float", "math"))
