"""Exact rational points. Inside the searches they are fmpq, several times faster than Fraction, which results use."""

from __future__ import annotations

from flint import arb, fmpq

ZERO = fmpq(0)


def dyadic(x: arb) -> fmpq:
    """The midpoint of a ball, exactly."""
    mantissa, exponent = x.mid().man_exp()
    e = int(exponent)
    return fmpq(mantissa << e) if e >= 0 else fmpq(mantissa, 1 << -e)


def rounded(x: fmpq, scale: fmpq, bits: int) -> fmpq:
    """x to a multiple of about scale * 2^-bits."""
    unit = 1 << (bits + max(0, scale.q.bit_length() - scale.p.bit_length()))
    return fmpq((x * unit + fmpq(1, 2)).floor(), unit)


def dyadic_between(low: fmpq, high: fmpq) -> fmpq:
    """A dyadic number of few digits in the middle third of the two."""
    return rounded((low + high) / 2, high - low, 3)
