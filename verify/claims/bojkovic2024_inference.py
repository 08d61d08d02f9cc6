"""Section V-A of bojkovic2024: tests, components, graphs and estimators from synthetic data, and what each needs."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from flint import arb, fmpq

from bounds.enclosure import Enclosure, precision
from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, confirmed_if
from verify.claims.bojkovic2024_lemmas import BOJKOVIC, ids

# a test


def statistic(shares: tuple[Fraction, ...], expected: tuple[Fraction, ...]) -> Fraction:
    """The chi-square statistic for one record."""
    return sum(((p - q) ** 2 / q for p, q in zip(shares, expected, strict=True)), Fraction(0))


def remaining(shares: tuple[Fraction, ...], expected: tuple[Fraction, ...], error: Fraction) -> Fraction:
    """The statistic with the error subtracted from every deviation."""
    pairs = zip(shares, expected, strict=True)
    return sum((max(abs(p - q) - error, Fraction(0)) ** 2 / q for p, q in pairs), Fraction(0))


def _is_corrected(private: Fraction, real: Fraction, correction: Fraction) -> bool:
    """sqrt(private) <= sqrt(real) + sqrt(correction), decided without roots."""
    more = private - real - correction
    return more <= 0 or more**2 <= 4 * correction * real


def _chi_square() -> Evidence:
    expected, error = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)), Fraction(1, 12)
    correction = error**2 * sum((1 / q for q in expected), Fraction(0))
    holds, tried = True, 0
    for i, j in product(range(13), repeat=2):
        if i + j > 12:
            continue
        real = (Fraction(i, 12), Fraction(j, 12), Fraction(12 - i - j, 12))
        for a, b in product((-error, Fraction(0), error), repeat=2):
            private = (real[0] + a, real[1] + b, real[2] - a - b)
            if abs(a + b) <= error and min(private) >= 0:
                exact = statistic(real, expected)
                holds = holds and _is_corrected(statistic(private, expected), exact, correction)
                holds = holds and remaining(private, expected, error) <= exact
                tried += 1
    count, delta = 5, Fraction(1, 20)
    equal = (Fraction(1, count),) * count
    one = (Fraction(1), *(Fraction(0),) * (count - 1))
    never = (8 * delta) ** 2 * count**2 >= statistic(one, equal)
    left = remaining(one, equal, 8 * delta)
    text = (
        f"in all of {tried} cases as in general, by the triangle inequality of the norm with weights 1/q, the root of "
        "the statistic moves by at most eta sqrt(n sum 1/q), and with eta subtracted from every deviation it does not "
        f"grow; for {count} equal shares and eta = 8 delta = {float(8 * delta)} the first correction rejects nothing, "
        f"the second leaves up to {float(left)} n"
    )
    return confirmed_if(holds and never and left > 0, text, with_conditions=True)


# matrices

TURNS = tuple(
    (Fraction(a, c), sign * Fraction(b, c))
    for a, b, c in ((1, 0, 1), (-1, 0, 1), (0, 1, 1), (3, 4, 5), (-3, 4, 5), (5, 12, 13), (-5, 12, 13))
    for sign in (1, -1)
)
"""Cosines and sines of the symmetric matrices r ((c, s), (s, -c)), whose norm is r."""


def is_sine_at_most(gap: Fraction, radius: Fraction, turn: tuple[Fraction, Fraction], bound: Fraction) -> bool:
    """Of the angle between the first eigenvectors of diag(gap, 0) and of its sum with a matrix of that norm.

    tan(2 angle) = 2b/(gap + 2a), and sin^2 = (1 - cos(2 angle))/2 <= bound^2 is cos(2 angle) >= 1 - 2 bound^2.
    """
    a, b = radius * turn[0], radius * turn[1]
    wide, least = gap + 2 * a, 1 - 2 * bound**2
    squared = wide**2 + 4 * b**2
    if least <= -1:
        return True
    if squared == 0:
        return False
    if wide >= 0:
        return least <= 0 or wide**2 >= least**2 * squared
    return least <= 0 and wide**2 <= least**2 * squared


def _components() -> Evidence:
    gap = Fraction(1)
    radii = [Fraction(k, 40) for k in range(1, 20)]
    holds = all(is_sine_at_most(gap, r, turn, 2 * r / gap) for r in radii for turn in TURNS)
    swapped = gap - Fraction(11, 20) < Fraction(11, 20)  # diag(gap, 0) + diag(-r, r) has its larger entry second
    text = (
        "within 2 x 2 matrices, as in general by the theorem of Davis and Kahan, the sine is at most twice the error "
        "over the gap; diag(1, 0) and diag(0.45, 0.55) differ by 0.55, and their first eigenvectors are orthogonal"
    )
    return confirmed_if(holds and swapped, text, with_conditions=True)


def inverse_entry(t: Fraction) -> Fraction:
    """The off-diagonal entry of the inverse of ((1, t), (t, 1))."""
    return -t / (1 - t**2)


def _inverse() -> Evidence:
    least = Fraction(1, 1000)
    singular = (least - least) ** 2 == 0  # the determinant of least I - least I
    attained = all(1 / (k - r) - 1 / k == r / (k * (k - r)) for k, r in _pairs())
    text = (
        "A = 0.001 I and a private matrix that is 0.001 from it, which is 0 and has no inverse; with an error r below "
        "the smallest eigenvalue k, the inverses of A = k I and of the private matrix (k - r) I differ by r/(k(k - "
        "r)), which is the maximum by A^-1 - B^-1 = A^-1 (B - A) B^-1"
    )
    return confirmed_if(singular and attained, text, with_conditions=True)


def _pairs() -> Iterator[tuple[Fraction, Fraction]]:
    """A smallest eigenvalue and an error below it."""
    for k, r in product(range(1, 8), repeat=2):
        if r < k:
            yield Fraction(k, 7), Fraction(r, 7)


def _edges() -> Evidence:
    errors = [Fraction(1, 10**power) for power in (1, 3, 6, 9)]
    appears = all(inverse_entry(t) != 0 for t in errors)
    odd = all(sum(products) % 2 for products in product((-1, 1), repeat=7))
    text = (
        "the inverse of ((1, t), (t, 1)) has the entry -t/(1 - t^2) for t = 0.1 to 1e-9, the inverse of the identity "
        "has 0; the sum of the products of two columns of +-1 is odd for all tables of 7 records. Entries differ by at "
        "most the spectral norm, so an entry larger than the error keeps its sign"
    )
    return confirmed_if(appears and odd, text, with_conditions=True)


def exceeded(entries: int, failure: Fraction) -> Enclosure:
    """Union bound on P(one of this many standard normal entries exceeds sqrt(2 log(entries/failure)))."""
    with precision(128):
        log = (arb(entries) / fmpq(failure.numerator, failure.denominator)).log()
        return Enclosure.of(entries * log.sqrt().erfc())


def _unbounded() -> Evidence:
    sizes, failure = (10**2, 10**4, 10**6, 10**9), Fraction(1, 20)
    found = [exceeded(size, failure) for size in sizes]
    text = (
        "the root of a logarithm is enough by a union bound, as a normal tail beyond x is at most e^(-x^2/2)/2; some "
        f"of {sizes[2]} entries exceeds sqrt(2 log(n p/0.05)) with probability at most {found[2].decimal(6)[1]}, and "
        "likewise for 100, 10^4 and 10^9"
    )
    return confirmed_if(all(one.hi <= failure for one in found), text, with_conditions=True)


# estimators


def _coefficients() -> Evidence:
    attained = True
    for (k, r), target, first in product(_pairs(), (Fraction(1, 3), Fraction(2)), (Fraction(0), Fraction(1, 9))):
        real, private = target / k, (target + first) / (k - r)
        attained = attained and private - real == (first + r * real) / (k - r)
    text = (
        "the estimators differ by (private moment)^-1 (first error - second error b); one feature with second moment k "
        "and errors r2 < k and r1 attains this: the difference is (r1 + r2 |b|)/(k - r2), and for r2 = k the private "
        "moment is 0 and there is no estimator"
    )
    return confirmed_if(attained, text, with_conditions=True)


def _grid() -> Evidence:
    real, private, side = (Fraction(-1), Fraction(1, 3), Fraction(1)), (Fraction(-2, 3), Fraction(1, 2)), 10
    error = Fraction(2, side)

    def apart(b: Fraction) -> Fraction:
        """Two mean losses |b - x|, whose Lipschitz constant is 1."""
        zero = Fraction(0)
        means = [sum((abs(b - x) for x in rows), zero) / len(rows) for rows in (real, private)]
        return abs(means[0] - means[1])

    middles = [Fraction(2 * k + 1, side) - 1 for k in range(side)]
    everywhere = max(apart(Fraction(k, 200)) for k in range(-200, 201))
    holds = everywhere <= error + max(map(apart, middles))
    queries = 20**10
    with precision(128):
        records = Enclosure.of(800 * queries * arb(20 * queries).log() / 20)
    text = (
        "two mean losses of Lipschitz constant 1 differ at a parameter by at most twice its distance from the grid "
        "more than at the grid: for |b - x| on [-1, 1] ten points determine the means up to 0.2; ten parameters, "
        f"radius and Lipschitz constant 1 and an error of 0.1 require {queries} points, for which Theorem II.1 with "
        f"epsilon = 1 and delta = gamma = 0.05 needs {records.decimal(4)[0]} records"
    )
    return confirmed_if(holds, text)


def is_lasso_minimiser(diagonal: tuple[Fraction, Fraction], penalty: Fraction, place: int) -> bool:
    """Whether (1 - penalty) at that place and 0 at the other has 0 in the subdifferential of b'Ab/2 - b_1 - b_2 +
    penalty |b|_1 for A with this diagonal and 1 off it; then A > 0 makes it the only minimiser."""
    b = [Fraction(0), Fraction(0)]
    b[place] = 1 - penalty
    gradient = [diagonal[i] * b[i] + b[1 - i] - 1 for i in (0, 1)]
    only = diagonal[0] * diagonal[1] > 1
    return only and gradient[place] == -penalty and abs(gradient[1 - place]) <= penalty


def _lasso() -> Evidence:
    steps, penalty = [Fraction(1, 10**k) for k in (1, 3, 6)], Fraction(1, 2)
    one = Fraction(1)
    jumps = all(is_lasso_minimiser((one, 1 + t), penalty, 0) and is_lasso_minimiser((1 + t, one), penalty, 1)
                for t in steps)  # fmt: skip
    with precision(128):
        a_query = Enclosure.of(4 * arb(4).log())  # 2/(epsilon delta) log(|F|/gamma) at its least
    text = (
        "two problems whose objectives differ by at most t |b|^2/2, t = 0.1 to 1e-6, with the only minimisers (1/2, "
        f"0) and (0, 1/2); for epsilon = 1 Theorem II.1 needs more than {a_query.decimal(4)[0]} records per query, and "
        "a grid with two values per side has 2^p queries, the moments p(p + 3)/2"
    )
    return confirmed_if(jumps and a_query.lo > 1, text, with_conditions=True)


CONDITIONS = Verdict.CONFIRMED_WITH_CONDITIONS

CLAIMS = (
    Claim("bojkovic2024.VA.chi-square", BOJKOVIC, "Section V-A, a)",
          "Bounding the error of the chi-square statistic by the accuracy of the shares and adding a suitable "
          "correction gives an asymptotically valid test.", CONDITIONS, Method.EXACT, _chi_square,
          "The test is valid if the failure probability of the accuracy is added to the level, and the paper claims no "
          "more. If an error eta of a share is added to the critical value, nothing is rejected where eta sqrt(sum "
          "1/q) >= sqrt(1/min q - 1), for any n; if it is subtracted from every deviation, the test rejects whenever "
          "the former does. Using the distribution of the noise keeps level and power: divide by the variance of the "
          "noisy counts.",
          ("bojkovic2024.chi-square",),
          scope=Scope.REASONED, depends_on=ids("II1.accuracy"),
          quote="we could bound the error of the two statistics in terms of the accuracy bound [...] and add a "
                "suitable correction"),
    Claim("bojkovic2024.VA.components", BOJKOVIC, "Section V-A, b)",
          "Accuracy of the covariance matrix in spectral norm bounds the deviations of eigenvalues and eigenvectors, "
          "so that the principal components are accurate.", CONDITIONS, Method.EXACT, _components,
          "Eigenvalues deviate by at most the error, without any condition. Eigenvectors need a gap between "
          "eigenvalues of more than twice the error; the sine is then at most twice the error over the gap. The gap of "
          "the noisy matrix, which is public, can be used as well.", ("bojkovic2024.principal-component",),
          scope=Scope.REASONED, depends_on=ids("VA.covariance"),
          quote="be guaranteed that the principal components are an accurate approximation to those computed from the "
                "non-private dataset"),
    Claim("bojkovic2024.VA.inverse", BOJKOVIC, "Section V-A, b)",
          "As the covariance matrix can be estimated accurately in spectral norm, so can its inverse.",
          CONDITIONS, Method.EXACT, _inverse,
          "True if the error r is below the smallest eigenvalue k: the inverses then differ by at most r/(k(k - r)), "
          "which is attained. Otherwise the private matrix may have no inverse.", ("bojkovic2024.graph",),
          scope=Scope.REASONED, depends_on=ids("VA.covariance"),
          quote="this means the inverse covariance matrix can also be estimated accurately"),
    Claim("bojkovic2024.VA.edges", BOJKOVIC, "Section V-A, b)",
          "The edge structure of the graph from the synthetic data closely estimates that from the original data.",
          CONDITIONS, Method.EXACT, _edges,
          "True if entries below the error of the inverse are not counted as edges. If edges are the nonzero entries, "
          "they change under any error, and a table of two columns of +-1 with an odd number of records always has its "
          "edge. One can say which edges have a certain sign, and which are certainly below a level.",
          ("bojkovic2024.graph",),
          scope=Scope.REASONED, depends_on=ids("VA.inverse"),
          quote="would still closely estimate the edge structure of a graphical model estimated from the original "
                "dataset"),
    Claim("bojkovic2024.VA.unbounded", BOJKOVIC, "Section V-A, b)",
          "For Gaussian data the theorems can be applied with a bound that grows logarithmically with the dimensions "
          "of the data matrix.", CONDITIONS, Method.BALL, _unbounded,
          "True for bounded deviations; even the root of the logarithm is enough with high probability. The entries "
          "must be clipped to that bound, since privacy must hold for every data set, and products of two entries, up "
          "to B^2, make the accuracy B^2 times as coarse.",
          scope=Scope.REASONED,
          quote="we could either apply the theorems with a bound which grows logarithmically with the data matrix "
                "dimensions"),
    Claim("bojkovic2024.VA.coefficients", BOJKOVIC, "Section V-A, c)",
          "Accuracy of X^T X/n and X^T y/n leads to a bound on the deviation between the least squares estimators of "
          "synthetic and original data.", CONDITIONS, Method.EXACT, _coefficients,
          "True if the error r2 of the matrix is below its smallest eigenvalue k: the bound is (r1 + r2 |b|)/(k - r2), "
          "which is attained. It can be computed with the noisy matrix and coefficients in place of k and |b|; the "
          "distribution of the noise gives a smaller bound.", ("bojkovic2024.least-squares",),
          scope=Scope.REASONED, depends_on=ids("VA.covariance"),
          quote="leading to an overall bound on the deviation between the ordinary least squares estimator computed on "
                "the private synthetic dataset"),
    Claim("bojkovic2024.VA.grid", BOJKOVIC, "Section V-A, c)",
          "With a fine enough grid of parameters, Lipschitz properties of the loss make the objective accurate for all "
          "parameters of a compact set.", Verdict.CONFIRMED, Method.EXACT, _grid,
          "True with a Lipschitz constant in the parameters that is valid for all records; the accuracy is that on the "
          "grid plus the error of the grid. The number of queries is exponential in the number of parameters, and each "
          "costs budget. There are far fewer moments, if a polynomial is close to the loss.", ("bojkovic2024.grid",),
          scope=Scope.REASONED, depends_on=ids("II1.accuracy"),
          quote="If the grid were fine enough, Lipschitz properties of the loss function would imply that the accuracy "
                "of the objective function is uniformly bounded"),
    Claim("bojkovic2024.VA.lasso", BOJKOVIC, "Section V-A, c)",
          "The same techniques could give guarantees on a Lasso estimator computed on private data, in "
          "high-dimensional linear regression.", CONDITIONS, Method.EXACT, _lasso,
          "They give guarantees on its objective if there are more records than queries, so not by these theorems for "
          "p >= n. They give none on its coefficients, which may jump however accurate the objective is. With a "
          "positive definite noisy matrix and Gaussian noise the coefficients can be bounded, like those of least "
          "squares.",
          ("bojkovic2024.grid", "bojkovic2024.least-squares"),
          severity=Severity.READING, scope=Scope.REASONED, depends_on=ids("VA.grid"),
          quote="to obtain guarantees on a Lasso estimator computed on private data in the setting of "
                "high-dimensional linear regression"),
)  # fmt: skip
