"""The rounded Gaussian: its law against exact probabilities, refinement at the ends of cells, and no floats."""

from __future__ import annotations

import ast
import random
import secrets
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from flint import arb, ctx, fmpq
from scipy import stats

from bounds.enclosure import as_fmpq, precision
from bounds.errors import ParameterError
from release.noise import rounded_gaussian as module
from release.noise.cube import LazyUniform
from release.noise.rounded_gaussian import rounded_gaussian

SIZES = [Fraction(1, 4), Fraction(1), Fraction(7, 3), Fraction(50)]


def two_sided_tail(t: Fraction, sd: Fraction) -> arb:
    """P(|z| > t), by the complementary error function; the sampler uses its inverse."""
    return (arb(as_fmpq(t)) / (as_fmpq(sd) * arb(2).sqrt())).erfc()


def probability_of_size(k: int, sd: Fraction) -> arb:
    """P(|round(z)| = k)."""
    above = two_sided_tail(k + Fraction(1, 2), sd)
    return 1 - above if k == 0 else two_sided_tail(k - Fraction(1, 2), sd) - above


@pytest.mark.parametrize("sd", SIZES)
def test_every_prefix_of_bits_goes_where_the_law_says(sd: Fraction) -> None:
    """All 2^12 prefixes: one that decides for k lies in the cell of k as a whole, and few do not decide."""
    bits = 12
    undecided = 0
    with precision(64):
        tails = [two_sided_tail(k + Fraction(1, 2), sd) for k in range(6 * int(sd + 1))]
        for prefix in range(2**bits):
            uniform = LazyUniform(lambda more, prefix=prefix: prefix)  # type: ignore[misc]
            uniform.extend(bits)
            k = module._rounded_size(uniform, as_fmpq(sd))
            if k is None:
                undecided += 1
                continue
            assert tails[k] <= fmpq(prefix, 2**bits)
            assert k == 0 or fmpq(prefix + 1, 2**bits) <= tails[k - 1]
    assert 1 <= undecided <= 2**bits // (10 if sd > 10 else 100)


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
@pytest.mark.parametrize("negative", [0, 1])
def test_bits_at_the_end_of_a_cell_are_refined(rest: str, size: int, negative: int) -> None:
    """The prefix of the end between 2 and 3 does not decide; a larger u is a smaller size."""
    sd = Fraction(5)
    first = 60
    with precision(200):
        end = int((two_sided_tail(Fraction(5, 2), sd) * 2**first).floor().unique_fmpz())  # type: ignore[arg-type]
    asked: list[int] = []

    def draw(bits: int) -> int:
        asked.append(bits)
        if len(asked) <= 2:
            return negative if len(asked) == 1 else end
        return 2**bits - 1 if rest == "ones" else 0

    before = ctx.prec
    assert module._draw_one(as_fmpq(sd), draw, first) == (-size if negative else size)
    assert asked == [1, first, first]  # the prefix stays, and as many bits again decide
    assert ctx.prec == before


def test_a_uniform_number_that_begins_with_zeros_is_a_tail() -> None:
    answers = iter([0, 0, 0, 1])

    def draw(bits: int) -> int:
        return next(answers, 0)

    found = module._draw_one(fmpq(1), draw, 50)  # u is just above 2^-200
    with precision(100):
        assert two_sided_tail(found + Fraction(1, 2), Fraction(1)) < fmpq(1, 2**199)
        assert two_sided_tail(found - Fraction(1, 2), Fraction(1)) > fmpq(1, 2**200)


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
