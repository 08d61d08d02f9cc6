"""Sections V-A and VI of bojkovic2024: intervals, covariances, regression, other notions of privacy."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from flint import arb, fmpq

from bounds.enclosure import Enclosure, decimal_text, precision
from verify.claim import Claim, Evidence, Method, Verdict, confirmed_if, inconsistent_if, refuted_if


def _order_of_interval() -> Evidence:
    import sympy as sp

    F, g, d = sp.symbols("F gamma delta", positive=True)
    k = sp.log(F / g) / d**2
    squared = sp.simplify((8 * d) ** 2 - 64 * sp.log(F / g) / k)
    chain = 2 + 3 * sp.sqrt(sp.Rational(2, 3)) + sp.sqrt(sp.Rational(3, 2))
    text = (
        "at the least k, 8 delta = 8 sqrt(log(|F|/gamma)/k); for queries 0 and 1 the errors of Theorem II.1 from the "
        f"synthetic mean to p* itself add up to {sp.N(chain, 5)} delta, for two or more queries"
    )
    return confirmed_if(squared == 0 and bool(chain < 6), text, with_conditions=True)


def coverage(gamma: Fraction, count: int = 1) -> Enclosure:
    """Limit of the coverage of mean +- 1.96/(2 sqrt k) for p* = 1/2: normal of deviation 1/2 plus Laplace noise.

    sigma sqrt(k) = 1/sqrt(log(|F|/gamma)) at the least k, whatever n and delta.
    """
    with precision(128):
        rate = (arb(count) / fmpq(gamma.numerator, gamma.denominator)).log().sqrt()
        edge, half = arb(fmpq(196, 100)), arb(fmpq(1, 2))

        def normal(x: arb) -> arb:
            return (-(x / arb(2).sqrt())).erfc() / 2

        tilt = (rate * rate / 8).exp() / 2
        upper = tilt * ((rate * edge / 2).exp() * normal(-edge - rate * half))
        lower = tilt * ((-rate * edge / 2).exp() * normal(edge - rate * half))
        return Enclosure.of(2 * (normal(edge) + upper - lower) - 1)


def _naive_interval() -> Evidence:
    found = coverage(Fraction(1, 20))
    text = (
        "one proportion p* = 1/2, gamma = 0.05, k = log(1/gamma)/delta^2 and n = k/delta, so k = o(n): as delta falls "
        f"the 95% interval covers p* with probability tending to {found.decimal(6)[0]}"
    )
    return refuted_if(found.hi < Fraction(3, 4), text)


def _naive_interval_by_quadrature() -> Evidence:
    from mpmath import mp, mpf

    with mp.workdps(20):
        rate = mp.sqrt(mp.log(20))
        value = mp.quad(
            lambda x: rate * mp.exp(-rate * x) * (mp.ncdf(2 * (mpf("0.98") - x)) - mp.ncdf(2 * (-mpf("0.98") - x))),
            [0, 1, 3, 12],
        )
    return refuted_if(bool(value < mpf("0.75")), f"integrating over the noise gives {mp.nstr(value, 6)}, not 0.95")


def _spectral_norm() -> Evidence:
    """(x.A x)^2 <= |x|^2 |A x|^2 <= |x|^4 (p max)^2 for integer matrices and vectors; all ones reach it."""
    holds = True
    for a, b, c, d in product((-2, 0, 1), repeat=4):
        most = 2 * max(abs(a), abs(b), abs(c), abs(d))
        for x, y in ((1, 0), (1, 1), (1, -1), (2, 1), (3, -2)):
            holds = holds and (a * x + b * y) ** 2 + (c * x + d * y) ** 2 <= most**2 * (x * x + y * y)
    text = "the norm is at most p times the largest entry, reached by the matrix of ones"
    return confirmed_if(holds, text, with_conditions=True)


def _shapes() -> Evidence:
    import numpy as np

    n, p, m, k = 100, 3, 50, 20
    real, printed = np.zeros((n, p)), np.zeros((m, k))
    shapes = (real.T @ real).shape, (printed.T @ printed).shape
    return inconsistent_if(shapes[0] != shapes[1], f"X^T X is {shapes[0]} and Y^T Y {shapes[1]} for p = {p}, k = {k}")


def _shapes_in_symbols() -> Evidence:
    """With Y of k rows and p columns, what Algorithm 1 returns, the difference is defined; as printed it is not."""
    import sympy as sp

    n, p, m, k = 10, 3, 8, 5
    real, printed, meant = sp.MatrixSymbol("X", n, p), sp.MatrixSymbol("Y", m, k), sp.MatrixSymbol("Z", k, p)
    defined = (real.T * real - meant.T * meant).shape == (p, p)
    try:
        _ = real.T * real - printed.T * printed
    except sp.ShapeError:
        return inconsistent_if(defined, "the difference is not defined for Y in R^(m x k), and is for Y in R^(k x p)")
    return inconsistent_if(False, "the difference is defined")


def _regression_shapes() -> Evidence:
    import sympy as sp

    n, p = sp.symbols("n p", integer=True, positive=True)
    x, y = sp.MatrixSymbol("X", n, p), sp.MatrixSymbol("y", n, 1)
    defined = (x.T * y).shape == (p, 1)
    return confirmed_if(defined, "X^T y is defined for y in R^n and has p entries", with_conditions=True)


def _gaussian_instead() -> Evidence:
    from bounds.privacy.gaussian import analytic_gaussian

    found = analytic_gaussian(epsilon="0.2", dp_delta="1e-6", adjacency="replace-one")
    ratio = decimal_text(found.safe_ratio, 6, up=True)
    text = f"noise of {ratio} times the L2 sensitivity, at most 2 sqrt|F|/n, is (0.2, 1e-6)-private"
    return confirmed_if(found.safe_ratio > found.ratio.lo > 0, text)


BOJKOVIC = "bojkovic2024"
CONFIRMED, CONDITIONS, INCONSISTENT = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS, Verdict.INCONSISTENT

CLAIMS = (
    Claim("bojkovic2024.VA.order", BOJKOVIC, "Section V-A, a)",
          "The accuracy guarantee makes the synthetic mean +- O(1/sqrt(k)) a confidence interval for a proportion.",
          CONDITIONS, Method.SYMBOLIC, _order_of_interval,
          "With a constant that grows with |F|/gamma: 6 sqrt(log(|F|/gamma)/k) covers p* at the level 1 - 4 gamma, for "
          "every n and all queries at once, the sampling error of the records included. The law of the noise gives a "
          "far shorter interval. The display may be incomplete in the text that we read.",
          ("bojkovic2024.private-lp", "bojkovic2024.proportion")),
    Claim("bojkovic2024.VA.naive", BOJKOVIC, "Section V-A, a)",
          "If k = o(n), the standard interval that treats the synthetic rows as independent observations, with the "
          "usual normal quantile as constant, is asymptotically valid.", Verdict.REFUTED, Method.BALL, _naive_interval,
          "With the usual normal quantile as constant it fails: for fixed |F| and gamma, sigma sqrt(k) >= "
          "1/sqrt(log(|F|/gamma)) for every k of Theorem II.1 and any n, so the noise is of the order of the "
          "half-width. It needs sigma = o(1/sqrt(k)), which Theorem II.1 allows only if |F|/gamma tends to infinity. "
          "An interval of order 1/sqrt(k) with a larger constant is valid, and the text leaves the constant open. "
          "With Gaussian noise the usual interval of drawn rows keeps its level exactly if k is a vanishing share of "
          "the effective number of records k_e, 1/k_e = 1/n + sigma^2/(p(1 - p)).",
          ("bojkovic2024.private-lp", "bojkovic2024.naive-interval"),
          hypotheses=("sigma = delta/log(|F|/gamma)", "k at the lower bound of Theorem II.1",
                      "the usual normal quantile as constant"),
          again=_naive_interval_by_quadrature),
    Claim("bojkovic2024.VA.covariance", BOJKOVIC, "Section V-A, b)",
          "Accuracy of all p^2 entries bounds the spectral norm error of the covariance matrix.",
          CONDITIONS, Method.EXACT, _spectral_norm,
          "By p times the accuracy, and from the entries alone no better; p(p + 1)/2 functions suffice, scaled into "
          "[-1, 1]. Gaussian noise on the moments has a norm of about sqrt(2 p) times that of an entry.",
          ("bojkovic2024.private-lp", "bojkovic2024.covariance")),
    Claim("bojkovic2024.VA.shape", BOJKOVIC, "Section V-A, b)",
          "The synthetic data are Y in R^(m x k), and X^T X/n is compared with Y^T Y/m.",
          INCONSISTENT, Method.READING, _shapes,
          "Y has k rows and p columns, so Y^T Y/k is meant: a slip of notation.", again=_shapes_in_symbols),
    Claim("bojkovic2024.VA.regression", BOJKOVIC, "Section V-A, c)",
          "The least squares estimator is (X^T X/n)^-1 X^T y/n.", CONDITIONS, Method.SYMBOLIC, _regression_shapes,
          "For y in R^n; the text that we read has y in R^p.", ("bojkovic2024.least-squares",)),
    Claim("bojkovic2024.VI.gaussian", BOJKOVIC, "Section VI",
          "Gaussian instead of Laplace noise in Algorithm 1 gives (epsilon, delta)-privacy.",
          CONFIRMED, Method.BALL, _gaussian_instead, theorems=("synthbounds.noise-gaussian",)),
)  # fmt: skip
