"""The kernel theorem of bojkovic2024, Section IV and Appendix D."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, fmpq

from bounds.enclosure import Enclosure, precision
from verify.claim import Claim, Evidence, Method, Verdict, refuted_if


def corner_mean(p: int, bandwidth: Fraction) -> Enclosure:
    """Mean of the Gaussian kernel estimate of the uniform density at a corner: (Phi(1/h) - 1/2)^p."""
    with precision(128):
        one_axis = (arb(fmpq(bandwidth.denominator, bandwidth.numerator)) / arb(2).sqrt()).erf() / 2
        return Enclosure.of(one_axis**p)


def _boundary_bias() -> Evidence:
    means = {p: corner_mean(p, Fraction(3, 10)) for p in (1, 2, 3)}
    shown = ", ".join(f"{m.decimal(10)[0]} (p = {p})" for p, m in means.items())
    text = f"uniform nu, h = 0.3: the mean of the estimate at a corner is {shown}, where the density is 1"
    return refuted_if(all(mean.hi < Fraction(2, 3) for mean in means.values()), text)


CLAIMS = (
    Claim(
        "bojkovic2024.IV1.uniform-error",
        "bojkovic2024",
        "Theorem IV.1, Claim in Appendix D-C",
        "The kernel estimate is within tau/3 of the density everywhere on the cube with probability at least 1 - 1/n.",
        Verdict.REFUTED,
        Method.BALL,
        _boundary_bias,
        "A kernel reflected at the faces has no such bias; a Lipschitz density needs no estimate at all.",
        ("bojkovic2024.kde", "bojkovic2024.kde-uniform"),
    ),
)
