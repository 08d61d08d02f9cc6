"""The logistic objective of ddssp2024: the log-likelihood of Section 3.3, Proposition 3.4 and Appendix C."""

from __future__ import annotations

from flint import arb, arb_mat, fmpq, fmpq_mat

from bounds.enclosure import Enclosure, precision
from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, confirmed_if
from verify.claims.ddssp2024_chebyshev import best, interpolated, series


def _log_likelihood() -> Evidence:
    """With a = e^-s and p = 1/(1 + a): log p = phi(s) for y = 1, log(1 - p) = phi(-s) for y = -1."""
    import sympy as sp

    a = sp.symbols("a", positive=True)
    p = 1 / (1 + a)
    same = [sp.simplify(sp.exp(-sp.log(1 + a)) - p) == 0, sp.simplify(sp.exp(-sp.log(1 + 1 / a)) - (1 - p)) == 0]
    text = "with a = exp(-x.theta): p = 1/(1 + a) = exp(phi(s)), 1 - p = 1/(1 + 1/a) = exp(phi(-s))"
    return confirmed_if(all(same), text)


def _concave() -> Evidence:
    import sympy as sp

    s = sp.symbols("s", real=True)
    curvature = sp.diff(-sp.log(1 + sp.exp(-s)), s, 2)
    same = sp.simplify(curvature + 1 / (4 * sp.cosh(s / 2) ** 2)).rewrite(sp.exp).simplify() == 0
    text = "phi'' = -1/(4 cosh(s/2)^2) < 0, so the log-likelihood, a sum of phi of linear functions, is concave"
    return confirmed_if(same, text)


def _no_finite_statistics() -> Evidence:
    """phi(x theta) for different x > 0 are linearly independent: no fixed number of statistics determines them all."""
    with precision(256):
        dets = []
        for k in range(2, 9):
            entries = [[-((-arb(x * t) / 2).exp() + 1).log() for t in range(1, k + 1)] for x in range(1, k + 1)]
            dets.append(arb_mat(entries).det())
        independent = all(d > 0 or d < 0 for d in dets)
    text = (
        "phi(x theta) for x = 1, ..., k at k values of theta has a determinant different from 0 for k = 2, ..., 8; in "
        "general phi(x theta) ~ -exp(-x theta) for large theta, and exponentials are linearly independent"
    )
    return confirmed_if(independent, text, with_conditions=True)


def _proposition() -> Evidence:
    import sympy as sp

    x = sp.Matrix(3, 2, sp.symbols("x1:7"))
    theta, b = sp.Matrix(sp.symbols("t1:3")), sp.symbols("b0:3")
    proved = []
    for signs in ((1, 1, 1), (1, -1, 1), (-1, -1, -1), (-1, 1, -1)):
        y = sp.Matrix(signs)
        margins = [(x[i, :] * theta)[0] * y[i] for i in range(3)]
        left = sum(b[0] + b[1] * m + b[2] * m**2 for m in margins)
        right = 3 * b[0] + b[1] * (theta.T * x.T * y)[0] + b[2] * (theta.T * x.T * x * theta)[0]
        proved.append(sp.expand(left - right) == 0)
    text = (
        "3 symbolic records, 2 features, four label patterns: the two sides are the same polynomial; in general each "
        "record adds b_0 + b_1 y s + b_2 s^2 with s = x.theta to both, as y^2 = 1"
    )
    return confirmed_if(all(proved), text, with_conditions=True)


def _optimum() -> Evidence:
    """Gradient b_1 X^T y + 2 b_2 X^T X theta at theta = c (X^T X)^-1 X^T y with c = 1/(4 |b_2|) and b_1 = 1/2."""
    import sympy as sp

    b2 = sp.symbols("b2", negative=True)
    g11, g12, g22, h1, h2 = sp.symbols("g11 g12 g22 h1 h2")
    gram, cross = sp.Matrix([[g11, g12], [g12, g22]]), sp.Matrix([h1, h2])
    theta = -gram.LUsolve(cross) / (4 * b2)
    zero = (cross / 2 + 2 * b2 * gram * theta).applyfunc(sp.simplify) == sp.zeros(2, 1)
    indefinite = fmpq_mat(2, 2, [1, 0, 0, -1])
    grows = -(fmpq(1, 16)) * indefinite[1, 1] > 0  # b_2 theta^T G theta along the second axis
    r = sp.Matrix(2, 3, sp.symbols("r1:7"))
    weights = sp.Matrix(sp.symbols("c1:4", nonnegative=True))
    form = (cross.T * r * sp.diag(*weights) * r.T * cross)[0]  # of a weighted table, along any direction
    squares = sp.expand(form - sum(c * (r.T * cross)[i] ** 2 for i, c in enumerate(weights))) == 0
    with precision(128):
        factors = [Enclosure.of(-1 / (4 * value)).decimal(7)[0] for value in (interpolated(), series(), best())]
    text = (
        f"the maximum is (X^T X)^-1 X^T y/(4 |b_2|), that is {', '.join(factors)} times least squares for nodes, "
        "series and best approximation; tables of nonnegative counts of a model give an estimate of X^T X that is a "
        "sum of squares, with X^T y in its range; with an indefinite estimate the objective has no maximum"
    )
    return confirmed_if(zero and grows and squares, text, with_conditions=True)


def _taylor() -> Evidence:
    """The objective of Proposition 3.4 with Taylor coefficients at 0 in place of Chebyshev's."""
    import sympy as sp

    s = sp.symbols("s", real=True)
    phi = -sp.log(1 + sp.exp(-s))
    found = [sp.simplify(sp.diff(phi, s, k).subs(s, 0) / sp.factorial(k)) for k in range(3)]
    known = found[1:] == [sp.Rational(1, 2), sp.Rational(-1, 8)]
    text = (
        f"the Taylor polynomial of degree 2 has the coefficients {found}: an objective of the same form with b_2 = -1/8"
    )
    return Evidence(Verdict.NOT_CHECKABLE if known else Verdict.UNDECIDABLE, text)


CLAIMS = (
    Claim(
        "ddssp2024.3-3.likelihood", "ddssp2024", "Section 3.3; Appendix C",
        "With p = 1/(1 + exp(-x.theta)) the log-likelihood is the sum of phi(y x.theta), phi(s) = -log(1 + e^-s).",
        Verdict.CONFIRMED, Method.SYMBOLIC, _log_likelihood,
        quote=r"as $p = 1/(1 + \exp(-x \cdot \theta))$ [...] The log-likelihood function is "
        r"$$\ell(\theta) = \sum_{i=1}^n \phi(x^{(i)} \cdot \theta y^{(i)})$$",
    ),
    Claim(
        "ddssp2024.3-3.convex", "ddssp2024", "Section 3.3",
        "Maximising the log-likelihood is a convex problem.", Verdict.CONFIRMED, Method.SYMBOLIC, _concave,
        quote="Optimizing this log-likelihood is a convex optimization problem", scope=Scope.ALL_CASES,
        depends_on=("ddssp2024.3-3.likelihood",),
    ),
    Claim(
        "ddssp2024.3-3.statistics", "ddssp2024", "Section 3.3",
        "The log-likelihood has no finite sufficient statistics.",
        Verdict.CONFIRMED_WITH_CONDITIONS, Method.BALL, _no_finite_statistics,
        "True for features with infinitely many values, which is the usual meaning. On the finite domain of the paper "
        "the histogram of the records is a finite statistic, with one number for each point of the domain.",
        quote="The log-likelihood does not have *finite* sufficient statistics.",
        severity=Severity.READING, scope=Scope.REASONED, depends_on=("ddssp2024.3-3.likelihood",),
    ),
    Claim(
        "ddssp2024.P3-4.identity", "ddssp2024", "Proposition 3.4; Appendix C",
        "A polynomial of degree 2 in place of phi turns the log-likelihood into "
        "n b_0 + b_1 theta^T X^T y + b_2 theta^T X^T X theta.",
        Verdict.CONFIRMED_WITH_CONDITIONS, Method.SYMBOLIC, _proposition,
        "True as in Appendix C. Proposition 3.4 prints theta for theta^T in the second term, where theta must be read "
        "as a row. With the polynomial in place of phi the two sides are equal.",
        formula="n b_0 + b_1 y^T X theta + b_2 theta^T X^T X theta", hypotheses=("labels in {-1, 1}",),
        quote=r"nb_0^{(2)} + b_1^{(2)}\theta \widetilde{X^T y} + b_2^{(2)} \cdot (\theta^T \widetilde{X^T X} \theta)",
        severity=Severity.READING, scope=Scope.REASONED, depends_on=("ddssp2024.3-3.likelihood",),
    ),
    Claim(
        "ddssp2024.P3-4.optimum", "ddssp2024", "Section 3.3, after Proposition 3.4",
        "The objective can be optimised directly.",
        Verdict.CONFIRMED_WITH_CONDITIONS, Method.SYMBOLIC, _optimum,
        "Its maximum is a positive multiple of least squares on labels -1 and 1, whatever the range, so rankings and "
        "AUC are those of linear regression. The estimate of X^T X must not be indefinite. With tables of a fitted "
        "model, such as AIM's, it is not; with tables that have separate noise it can be.",
        formula="theta = (X^T X)^-1 X^T y/(4 |b_2|)",
        hypotheses=("marginals released by AIM, as in Section 3.3",),
        quote="The objective can then be optimized directly via standard (non-private) procedures.",
        scope=Scope.REASONED, depends_on=("ddssp2024.P3-4.coefficients", "ddssp2024.P3-4.identity"),
    ),
    Claim(
        "ddssp2024.6.first", "ddssp2024", "Section 6",
        "The method is the first private logistic regression by perturbing sufficient statistics.",
        Verdict.NOT_CHECKABLE, Method.SYMBOLIC, _taylor,
        "No computation can settle who was first. The functional mechanism (Zhang et al., 2012) is commonly described "
        "as noise on the coefficients of the Taylor polynomial of degree 2, which are multiples of X^T X and X^T y; "
        "\"the first to do so in a data-dependent way\" would be a narrower claim.",
        quote="is the first DP logistic regression method that allows analysts to solve logistic regression via a SSP "
        "algorithm",
    ),
)  # fmt: skip
