"""The kernel estimate of bojkovic2024 at the faces of the cube, and as a density: Section IV and Appendix D."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, fmpq

from bounds.enclosure import Enclosure, decimal_text, precision
from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, confirmed_if, refuted_if
from verify.claims.bojkovic2024_kde_bandwidth import jiang_constant
from verify.claims.bojkovic2024_lemmas import BOJKOVIC, ids

KDE = ("bojkovic2024.kde", "bojkovic2024.kde-uniform")


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


def _lower_bound_at_a_corner() -> Evidence:
    """Uniform on [0, 1], h = 0.3, at 0: f_1 is 0 for balls within the cube, so alpha = 0 is allowed."""
    h, n = Fraction(3, 10), 10**6
    with precision(128):
        share = arb(n).log() / (n * fmpq(3, 10))
        spread = jiang_constant(1) * share.sqrt() + 64 * share / (2 * arb.pi()).sqrt()
        promised = Enclosure.of(1 - spread).lo
    chance = corner_mean(1, h).hi / promised
    text = (
        "uniform on [0, 1], alpha = 0, h = 0.3, n = 10^6, at the point 0: (13) promises at least "
        f"{decimal_text(promised, 4, up=False)} except with probability 10^-6; the mean is "
        f"{corner_mean(1, h).decimal(6)[0]}, so by Markov it is reached with probability at most "
        f"{decimal_text(chance, 4, up=True)}. For any other C the spread also vanishes as n grows"
    )
    return refuted_if(chance < Fraction(3, 5), text)


def _lower_bound_by_chebyshev() -> Evidence:
    """Mean and mean square of one term by quadrature: the estimate at 0 is almost always close to 1/2."""
    from mpmath import mp, mpf

    with mp.workdps(20):
        h, n = mpf("0.3"), 10**6
        mean, square = (
            mp.quad(lambda y, e=e: (mp.exp(-((y / h) ** 2) / 2) / (h * mp.sqrt(2 * mp.pi))) ** e, [0, h, 1])
            for e in (1, 2)
        )
        chance = square / n / (mpf("0.9") - mean) ** 2
    text = (
        f"mean {mp.nstr(mean, 6)}, mean square of a term {mp.nstr(square, 6)}: by Chebyshev the estimate at 0 is at "
        f"least 0.9 with probability at most {mp.nstr(chance, 3)}"
    )
    return refuted_if(bool(mean < mpf("0.5") and chance < mpf("1e-4")), text)


def _upper_bound() -> Evidence:
    """At a corner the mean of the estimate is at most 2^-p times the density, so no corner refutes an upper bound."""
    below = all(corner_mean(p, Fraction(3, 10)).hi < 1 for p in (1, 2, 3))
    text = (
        "quoted from a source that was not available to us; the faces of the cube, where the estimate is too small, "
        "are consistent with it"
    )
    return Evidence(Verdict.OPEN if below else Verdict.UNDECIDABLE, text)


def _density() -> Evidence:
    import sympy

    x, s = sympy.Symbol("x", real=True), sympy.Symbol("s", positive=True)
    mass = sympy.integrate(sympy.exp(-(x**2) / (2 * s**2)) / sympy.sqrt(2 * sympy.pi), (x, -sympy.oo, sympy.oo))
    text = (
        f"on an axis where H_0 is s^2 the kernel has mass {mass}: the estimate has mass sqrt(det H_0), 1/2 for (1, 1/4)"
    )
    return refuted_if(bool(mass == s), text)


def _density_by_quadrature() -> Evidence:
    from mpmath import mp, mpf

    with mp.workdps(20):
        axes = [
            mp.quad(lambda x, s=s: mp.exp(-((x / s) ** 2) / 2) / mp.sqrt(2 * mp.pi), [-12, -2, 0, 2, 12])
            for s in (mpf(1), mpf(1) / 2)
        ]
        mass = axes[0] * axes[1]
    text = f"H_0 with 1 and 1/4 on the diagonal, whose norm is 1: by quadrature the mass is {mp.nstr(mass, 10)}"
    return refuted_if(bool(abs(mass - mpf("0.5")) < mpf("1e-9")), text)


def _peak() -> Evidence:
    import sympy

    x = sympy.Symbol("x", real=True)
    axis = sympy.integrate(sympy.exp(-(x**2) / 2), (x, -sympy.oo, sympy.oo))
    return confirmed_if(axis == sympy.sqrt(2 * sympy.pi), "a Gaussian density of p axes is (2 pi)^(-p/2) at 0")


CLAIMS = (
    Claim(
        "bojkovic2024.IV1.uniform-error", BOJKOVIC, "Theorem IV.1, Claim in Appendix D-C",
        "Under the theorem's condition on log(n)/n, the kernel estimate is within tau/3 of the density everywhere on "
        "the cube, with probability at least 1 - 1/n.",
        Verdict.REFUTED, Method.BALL, _boundary_bias,
        "The bound fails with probability at least 1/4, which exceeds 1/n from n = 5 on. A kernel reflected at the "
        "faces has no such bias. The accuracy does not need the Claim: near the faces the estimate is at least about "
        "2^-p times the density, and there is little mass there.",
        KDE, again=_boundary_bias_by_quadrature, severity=Severity.PROOF_FALLS, scope=Scope.REASONED,
        depends_on=ids("D1.upper", "D1.lower", "DC.lipschitz-integral", "DC.bandwidth-admissible"),
        quote=r"We have $$\sup_x |\nu(x) - \nu_1(x)| \leq \frac{\tau}{3},$$ with probability at least "
              r"$1 - \frac{1}{n}$",
              lemma="bojkovic2024_kde.corner_is_underestimated",
    ),
    Claim(
        "bojkovic2024.D1.lower", BOJKOVIC, "Theorem D.1, (13), with the notation of Section I",
        "The kernel estimate is at least nu - alpha minus two terms that vanish as n grows, where alpha bounds the "
        "mean of f_1, the drop of nu within balls B(x, r) of the cube.",
        Verdict.REFUTED, Method.BALL, _lower_bound_at_a_corner,
        "With balls in the whole space, as presumably in the quoted theorem, f_1 is 1 at a corner and nothing is "
        "promised there; the Claim, which needs a small f_1 at the faces, does not follow in either reading.",
        KDE, again=_lower_bound_by_chebyshev, severity=Severity.READING,
        root="bojkovic2024.IV1.uniform-error",
        hypotheses=("the records come from a density on the cube", "B(x, r) is the ball within the cube"),
        depends_on=ids("D1.constant"),
        quote=r"f_1(r) = \nu(x) - \inf_{x' \in B(x,r)} \nu(x') [...] \nu_1(x) \geq \nu(x) - \alpha - C",
    ),
    Claim(
        "bojkovic2024.D1.upper", BOJKOVIC, "Theorem D.1, (12)",
        "The kernel estimate is at most nu + alpha plus two terms that vanish as n grows, where alpha bounds the mean "
        "of f_2, the rise of nu within balls.",
        Verdict.OPEN, Method.READING, _upper_bound,
        "The corrected edition does not need it and uses Bernstein's inequality at the points of a lattice.", KDE,
        scope=Scope.INSTANCES, depends_on=ids("D1.constant"),
        quote=r"With probability at least $1 - \frac{1}{n}$, we have $$\nu_1(x) \leq \nu(x) + \alpha + C "
              r"\sqrt{\frac{\log n}{nh^p}}",
    ),
    Claim(
        "bojkovic2024.IV.estimator-density", BOJKOVIC, "Section IV, (2)",
        "nu_1 of (2) is a density estimate for every positive definite H_0, of norm 1 as in Theorem D.1.",
        Verdict.REFUTED, Method.SYMBOLIC, _density,
        "The estimate has mass 1 on the whole space if det H_0 = 1, as for the H_0 = I of Theorem IV.1; otherwise the "
        "factor (det H_0)^(-1/2) is missing.",
        KDE, again=_density_by_quadrature, severity=Severity.SLIP,
        quote=r"consider the kernel density estimator [...] where $H_0 \in \mathbb{R}^{p \times p}$ and $h > 0$ is a "
              "bandwidth",
    ),
    Claim(
        "bojkovic2024.DC.kernel-peak", BOJKOVIC, "Appendix D-C, part 1",
        "k(0) = (2 pi)^(-p/2) for the standard Gaussian kernel.",
        Verdict.CONFIRMED, Method.SYMBOLIC, _peak, scope=Scope.ALL_CASES,
        quote=r"(noting that $k(0) = 1/(2\pi)^{p/2}$ )",
    ),
)  # fmt: skip
