"""Probabilities that noise exceeds a radius, bounded from above in python-flint's balls.

The distributions are those of docs/proofs/synthbounds.moment-radii.md: (a) the length of a Gaussian
vector, (b) the norm of a symmetric Gaussian matrix, (i) the norm of a symmetric Gaussian tensor of
order four two of whose places are taken by a unit vector. A ball that is not a number proves
nothing, since no comparison with it is true.
"""

from __future__ import annotations

from math import comb

from flint import acb, arb, fmpq

from verify.checkers import require

TOLERANCE_BITS = 80
FAR = 20
"""This far beyond the edge of the spectrum, a bound replaces the integral."""


def vector_tail(p: int, r: arb) -> arb:
    """P(|g| > r) for p standard normal variables: half the square has a Gamma distribution (a)."""
    r = r.max(arb(0))
    return (r * r / 2).gamma_upper(arb(p) / 2, regularized=1)


def matrix_tail(p: int, r: arb) -> arb:
    """At least P(|W| > r), deviations of W being 1 on and 1/sqrt 2 off the diagonal.

    (b), first part: twice the expected number of eigenvalues above r, an integral of their density.
    Left of all eigenvalues that integral would miss the tail, so r is at least 0. Beyond the end of
    the integral each eigenvalue is at most the largest one, which (c) bounds.
    """
    r = r.max(arb(0))
    edge = arb(2 * p).sqrt()
    end = r.upper() + edge.upper() + FAR
    small = arb(2) ** -TOLERANCE_BITS
    within = acb.integral(
        lambda x, _: eigenvalue_density(p, x), acb(r), acb(end), rel_tol=small, abs_tol=small**2
    ).real
    beyond = p * (-((end - edge) ** 2) / 2).exp()
    return 2 * (within + beyond)


def eigenvalue_density(p: int, x: acb) -> acb:
    """R(x) = S(x, x) of (b), second part, by the recurrences of the Hermite functions phi_j.

    `half` is half the integral of phi_j up to x minus that beyond x, epsilon phi_j on the page.
    """
    root = acb.pi().sqrt()
    before, half_before, total = acb(0), acb(0), acb(0)
    phi = (-x * x / 2).exp() / root.sqrt()
    half = (root / 2).sqrt() * (x / acb(2).sqrt()).erf()
    for j in range(1, p + 1):
        total += phi * phi
        up = arb(fmpq(2, j)).sqrt()
        keep = arb(fmpq(j - 1, j)).sqrt()
        half_before, half = half, keep * half_before - up * phi
        before, phi = phi, up * x * phi - keep * before
    total += arb(fmpq(p, 2)).sqrt() * before * half
    if p % 2 == 0:
        return total
    # the last term of the odd case: phi_(p-1) over its integral c_(p-1)
    integral = 2 * root * comb(p - 1, p // 2) / 2 ** (p - 1)
    odd: acb = before / integral.sqrt()
    return total + odd


def contraction_tail(p: int, r: arb, block: fmpq, touching: fmpq, x: fmpq) -> arb:
    """At least P(|C| > r), by (i) with c = `block`, l_0 = `touching` and x_0 = `x`; m = p - 1."""
    m, c, low = p - 1, arb(block), arb(touching)
    normal = (arb(x) / arb(2).sqrt()).erfc() / 2
    hazard = (-(arb(x) ** 2) / 2).exp() / (2 * arb.pi()).sqrt() / normal
    require(c > 0 and c > low and r > c + hazard / 2, "contraction: the tail bound does not apply")

    def f(at: arb) -> arb:
        return ((r - at) / (r - hazard / 2 - at)).log() / 2

    slope = (1 / (r - hazard / 2 - low) - 1 / (r - low)) / 2
    a2 = (f(c) - f(low) - slope * (c - low)) / (c - low) ** 2
    a1 = slope - 2 * a2 * low
    a0 = f(low) - slope * low + a2 * low**2
    kept = 1 - a2 / 3
    require(kept > 0, "contraction: the tail bound does not apply")
    exponent = hazard * (x - r) + m * a0 + a1**2 * m / (12 * kept)
    exponent -= kept.log() * (m * (m + 1)) / 4
    return matrix_tail(m, c * arb(6).sqrt()) + 2 * normal * exponent.exp()
