"""Quantiles of a sum of |N(0, 1)|, enclosed: the L1 norm of Gaussian noise on the cells of a table.

For few terms the tail is an integral of error functions; for more it is a sum over the points c + i k h of a
vertical line, by Poisson's formula, with both of its errors bounded. Proof: docs/proofs/zhou2024.marginal-noise.md.
"""

from __future__ import annotations

from functools import lru_cache
from math import ceil, erfc, exp, log, pi, sqrt
from typing import TypeVar

from flint import acb, arb, ctx, fmpq

from bounds.arithmetic import LARGEST_EXACT_SUM, SMALLEST_EXACT_TAIL, SUM_QUANTILE_BITS
from bounds.enclosure import Undecided, precision, with_growing_precision
from bounds.special import half_normal_sum_bound

Ball = TypeVar("Ball", arb, acb)
_MOST_INTEGRATED = 4
_MOST_STEPS = 60


@lru_cache(maxsize=1024)
def largest_sum_quantile(terms: int, sums: int, failure: fmpq) -> fmpq | None:
    """What the largest of `sums` independent sums of `terms` |N(0,1)| exceeds with this probability, rounded up.

    None if it is not computed: for very many terms, or very small probabilities.
    """
    if terms > LARGEST_EXACT_SUM:
        return None
    with precision(64):
        tail = float(_one_of(sums, failure).mid())
    if tail < SMALLEST_EXACT_TAIL:
        return None
    guess = _guess(terms, tail)
    unit = fmpq(2) ** (ceil(log(guess, 2)) - SUM_QUANTILE_BITS)

    def holds(units: int) -> bool:
        """Is the tail there at most as large as allowed?"""

        def decide() -> bool:
            here, allowed = sum_tail(terms, unit * units), _one_of(sums, failure)
            if here <= allowed or here > allowed:
                return bool(here <= allowed)
            raise Undecided

        return with_growing_precision(decide)[0]

    high = max(2, int((fmpq(*guess.as_integer_ratio()) / unit).ceil()))
    stride = 1
    while not holds(high):
        high, stride = high + stride, 2 * stride
    low, stride = high - 1, 1
    while low > 0 and holds(low):
        high, low, stride = low, low - stride, 2 * stride
    low = max(low, 0)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return unit * high


def _one_of(sums: int, failure: fmpq) -> arb:
    """1 - (1 - failure)^(1/sums): what each of them may exceed with."""
    return -(arb(-failure).log1p() / sums).expm1()


def _guess(terms: int, tail: float) -> float:
    """The secant method on log(T/(1 - T)), in midpoints; nothing rests on it."""

    def excess(x: float) -> float:
        value = sum_tail(terms, fmpq(*x.as_integer_ratio())).mid()
        return float((value / (1 - value)).log().mid()) - log(tail / (1 - tail))

    with precision(72):
        before = float(half_normal_sum_bound(arb(terms), arb(max(-log(tail), 1e-9))).mid())
        value_before = excess(before)
        x = before - 0.5 * sqrt(min(terms, before))
        for _ in range(_MOST_STEPS):
            value = excess(x)
            if value == value_before:
                break
            step = value * (x - before) / (value - value_before)
            before, value_before, x = x, value, min(max(x - step, x / 2), 2 * x)
            if abs(step) < x * 2.0 ** (-SUM_QUANTILE_BITS - 2):
                break
    return x


def sum_tail(terms: int, x: fmpq) -> arb:
    """P(|g_1| + ... + |g_terms| > x) for independent standard normal g and x > 0."""
    return _by_integral(terms, arb(x)) if terms <= _MOST_INTEGRATED else _by_line(terms, x)


def _by_integral(terms: int, x: arb) -> arb:
    """P(A + B > x) = P(A > x) + int_0^x f_A(u) P(B > x - u) du, A one or two of the terms and B two."""
    one = (x / arb(2).sqrt()).erfc()
    if terms <= 2:
        return one if terms == 1 else _tail_of_two(x)

    def density(u: acb) -> acb:
        if terms == 3:
            return (-u * u / 2).exp() * (2 / arb.pi()).sqrt()
        return (-u * u / 4).exp() * (u / 2).erf() * 2 / arb.pi().sqrt()

    alone = one if terms == 3 else _tail_of_two(x)
    small = alone * arb(2) ** -int(ctx.prec)
    both = acb.integral(lambda u, _: density(u) * _tail_of_two(x - u), acb(0), acb(x), abs_tol=small)
    return alone + both.real


def _tail_of_two(x: Ball) -> Ball:
    """1 - erf(x/2)^2: the sum is at most x on a square, turned by 45 degrees."""
    return (x / 2).erfc() * (1 + (x / 2).erf())


def _by_line(terms: int, x: fmpq) -> arb:
    c_est, h_est, count = _line(terms, float(arb(x).mid()), int(ctx.prec))
    with precision(ctx.prec + 2 * terms.bit_length() + 24):
        c, h, root2, at = arb(c_est), arb(h_est), arb(2).sqrt(), arb(x)

        def transform(z: acb) -> acb:
            """E e^(z (S - x))."""
            return ((z * z / 2).exp() * (-z / root2).erfc()) ** terms * (-z * at).exp()

        chernoff = transform(acb(c)).real
        total = chernoff / (2 * c)
        for k in range(1, count + 1):
            z = acb(c, k * h)
            total += (transform(z) / z).real
        total *= h / arb.pi()
        reach = (2 / arb.pi()).sqrt() * 2 / ((-c / root2).erfc() * count * h)
        cut = (chernoff * reach**terms / (arb.pi() * terms)).upper()
        period = 2 * arb.pi() / h
        wrapped = (1 + transform(acb(2 * c)).real) / (c * period).expm1()
        return (total + cut).union(total - wrapped - cut)


def _line(terms: int, x: float, bits: int) -> tuple[float, float, int]:
    """c near the saddle, h so small that little is wrapped around, as many points as the bits ask for."""
    low, high = 0.0, 60.0
    for _ in range(60):
        t = (low + high) / 2
        slope = t + sqrt(2 / pi) * exp(-t * t / 2) / erfc(-t / sqrt(2))
        low, high = (t, high) if terms * slope < x else (low, t)
    c = _short(max(low, 1 / sqrt(terms)))

    def exponent(t: float) -> float:
        """Of Chernoff's bound."""
        return terms * (t * t / 2 + log(erfc(-t / sqrt(2)))) - t * x

    wanted = bits / 2 * log(2)
    h = _short(2 * pi * c / (wanted + max(0.0, exponent(2 * c)) - exponent(c) + log(terms) + 4))
    reach = 2 * sqrt(2 / pi) / erfc(-c / sqrt(2))
    return c, h, ceil(reach * exp((wanted + 8) / terms) / h) + 1


def _short(value: float) -> float:
    """Twelve binary digits, so that balls hold it exactly."""
    scale = 2.0 ** (12 - ceil(log(value, 2)))
    return max(1, int(value * scale)) / scale
