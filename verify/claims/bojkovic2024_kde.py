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
    """Phi(1/h) < 1, so the mean at a corner is below 2^-p for every h; Markov's inequality does the rest."""
    bandwidths = [Fraction(1, 10), Fraction(3, 10), Fraction(1), Fraction(10)]
    below = all(corner_mean(p, h).hi <= Fraction(1, 2**p) for p in (1, 2, 3) for h in bandwidths)
    within_at_most = Fraction(1, 2) / Fraction(2, 3)  # P(estimate >= 2/3) <= mean / (2/3)
    shown = ", ".join(f"{corner_mean(p, Fraction(3, 10)).decimal(10)[0]} (p = {p})" for p in (1, 2, 3))
    text = (
        f"uniform nu, tau = 1: at a corner the mean of the estimate is below 2^-p for every h, {shown} for h = 0.3; "
        f"by Markov it is at least 1 - tau/3 with probability at most {within_at_most}, for every n"
    )
    return refuted_if(below and within_at_most < Fraction(4, 5), text)


def _boundary_bias_by_quadrature() -> Evidence:
    """The kernel integrated over the unit interval numerically, and Markov's inequality for three bandwidths."""
    from mpmath import mp, mpf

    with mp.workdps(30):
        means = [
            mp.quad(lambda y, h=h: mp.exp(-((y / h) ** 2) / 2) / (h * mp.sqrt(2 * mp.pi)), [0, h, 3 * h, 1])
            for h in (mpf(".1"), mpf(".3"))
        ]
        means.append(mp.quad(lambda y: mp.exp(-(y**2) / 2) / mp.sqrt(2 * mp.pi), [0, 1]))
        chance = max(means) / (mpf(2) / 3)
    text = (
        f"p = 1, uniform nu: quadrature gives the means {', '.join(mp.nstr(v, 10) for v in means)} at 0 for h = 0.1, "
        f"0.3, 1, so the estimate is within 1/3 of the density there with probability at most {mp.nstr(chance, 6)}"
    )
    return refuted_if(chance < mpf("0.7500001"), text)


CLAIMS = (
    Claim(
        "bojkovic2024.IV1.uniform-error",
        "bojkovic2024",
        "Theorem IV.1, Claim in Appendix D-C",
        "Under its condition on log(n)/n the kernel estimate is within tau/3 of the density everywhere on the cube, "
        "with probability at least 1 - 1/n.",
        Verdict.REFUTED,
        Method.BALL,
        _boundary_bias,
        "It fails with probability at least 1/4, which exceeds 1/n from n = 5 on. "
        "A kernel reflected at the faces has no such bias; a Lipschitz density needs no estimate at all.",
        ("bojkovic2024.kde", "bojkovic2024.kde-uniform"),
        again=_boundary_bias_by_quadrature,
    ),
)
