"""Our own exponential and logarithm, from basic floating-point operations, within the proved errors."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx

from bounds.certify.loss_ranges import infimum, oscillation, steepest, supremum
from bounds.errors import ParameterError
from release.statistics import fixed_losses
from release.statistics.fixed_losses import exact_sum, exponentials, logarithms, losses_at, value_error
from release.statistics.fixed_margins import MARGIN_BITS

ONE = 2**MARGIN_BITS
LOSSES = ("logistic", "hinge", "squared")


def points(count: int, most: int) -> np.ndarray:
    generator = np.random.default_rng(4)
    sizes = generator.integers(1, most * ONE, count) >> generator.integers(0, 40, count)
    return np.concatenate([sizes, [0, 1, ONE, most * ONE]])


def test_exponentials_are_within_their_error_of_the_truth() -> None:
    sizes = points(50_000, 1024)
    found = exponentials(sizes / ONE)
    with ctx.workprec(128):
        for size, value in zip(sizes.tolist(), found.tolist(), strict=True):
            true = (-arb(size) / ONE).exp()
            assert abs(arb(value) - true) <= true / 2**46 + arb(2) ** -1074, size


def test_logarithms_are_within_their_error_of_the_truth() -> None:
    parts = np.concatenate([np.random.default_rng(1).random(40_000), 2.0 ** -np.arange(0, 1074, 13.0), [0.0, 1.0]])
    with ctx.workprec(128):
        for part, value in zip(parts.tolist(), logarithms(parts).tolist(), strict=True):
            assert abs(arb(value) - arb(part).log1p()) <= arb(2) ** -47


def true_loss(loss: str, margin: Fraction) -> arb:
    m = arb(margin.numerator) / margin.denominator
    if loss == "logistic":
        return -m + m.exp().log1p() if m < 0 else (-m).exp().log1p()
    return arb(0).max(1 - m) if loss == "hinge" else (1 - m) ** 2 / 2


@pytest.mark.parametrize("loss", LOSSES)
def test_losses_are_within_their_error_of_the_truth(loss: str) -> None:
    for most in (1, 20, 1024):
        sizes = points(3_000, most)
        margins = np.concatenate([sizes, -sizes])
        error = value_error(loss, Fraction(most))
        with ctx.workprec(128):
            for margin, value in zip(margins.tolist(), losses_at(loss, margins).tolist(), strict=True):
                off = abs(arb(value) - true_loss(loss, Fraction(margin, ONE)))
                assert off <= arb(error.numerator) / error.denominator


def test_a_logarithm_of_two_that_is_off_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixed_losses, "_LOW", 8e-13)
    with pytest.raises(AssertionError):
        test_exponentials_are_within_their_error_of_the_truth()


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("reach", ["0", "1/3", "1", "3/2", "20", "1024"])
def test_ranges_are_those_of_the_loss(loss: str, reach: str) -> None:
    most = Fraction(reach)
    with ctx.workprec(256):
        grid = [true_loss(loss, most * Fraction(k, 300)) for k in range(-300, 301)] + [true_loss(loss, min(most, 1))]
        low, high = min(float(x.mid()) for x in grid), max(float(x.mid()) for x in grid)
        stated = supremum(loss, most)
        assert not true_loss(loss, -most) > arb(stated.numerator) / stated.denominator
    assert low - 2e-12 <= float(infimum(loss, most)) <= low + 1e-15
    assert high <= float(supremum(loss, most)) * (1 + 1e-15) <= high * (1 + 1e-11) + 1e-15
    assert float(oscillation(loss, most)) == pytest.approx(high - low, rel=1e-9, abs=1e-12)
    assert steepest(loss, most) >= (high - low) / max(float(2 * most), 1e-9)


def test_ranges_refuse_what_is_no_loss_or_no_reach() -> None:
    with pytest.raises(ParameterError, match="loss = huber"):
        oscillation("huber", Fraction(1))
    with pytest.raises(ParameterError, match="reach"):
        supremum("hinge", Fraction(-1))


def test_sums_do_not_overflow() -> None:
    values = np.array([2**61, 2**61 - 1, -(2**61), 7, -7, 2**61], dtype=np.int64)
    counts = np.array([2**20, 3, 2**10, 1, 2, 2**30], dtype=np.int64)
    assert exact_sum(values) == sum(values.tolist())
    assert exact_sum(values, counts) == sum(v * c for v, c in zip(values.tolist(), counts.tolist(), strict=True))
