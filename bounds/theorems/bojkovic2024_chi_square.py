"""Section V-A, a): the critical value of a chi-square test of hypothesised shares, from private data.

Guarantee: the test that rejects above the value has the stated level in the limit of large n.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Edition, Hypothesis, Route, Term, Theorem
from bounds.pieces.gaussian_length import chi_square
from bounds.quantities import Quantities

SOME_CATEGORIES = Hypothesis("there are at least 2 categories", lambda q: bool(q.categories >= 2))
MANY_RECORDS = Hypothesis("n is large, and every expected share is positive; the level is exact only in the limit")
GAUSSIAN = Hypothesis("the counts are released with independent Gaussian noise of standard deviation noise_sd")
SHIFTED = Hypothesis("the noisy counts are shifted together so that their sum is n, which is public")


def _usual(q: Quantities, A: Arithmetic, failure: Number) -> Number:
    return chi_square(A, q.categories - 1, failure)


def _worst_case(q: Quantities, A: Arithmetic) -> Number:
    return (A.sqrt(_usual(q, A, q.gamma)) + 8 * q.delta * A.sqrt(q.n * q.inverse_shares)) ** 2


def _noise_counted(q: Quantities, A: Arithmetic) -> Number:
    return _usual(q, A, q.gamma) * (1 + q.categories * q.noise_sd**2 / q.n)


THEOREM = Theorem(
    id="bojkovic2024.chi-square",
    title="Chi-square test of hypothesised shares from private data",
    guarantee="Rejecting the expected shares when the statistic of the private data exceeds the value is wrong with "
    "the probability that the edition states, in the limit of large n.",
    citation=Citation("bojkovic2024", "Section V-A, a)"),
    inputs=("categories", "gamma"),
    direction="value",
    editions=(
        Edition(
            "printed",
            (
                Route(
                    "as printed",
                    "the usual critical value, corrected for an error of 8 delta in every share",
                    (Term("value", "critical value", _worst_case),),
                    hypotheses=(SOME_CATEGORIES, MANY_RECORDS, Hypothesis("every share is accurate to 8 delta")),
                    inputs=("n", "delta", "inverse_shares"),
                ),
            ),
            changes=(
                "The paper proposes a suitable correction but does not print it. This is our reading: what the "
                "triangle inequality adds to the root of the statistic when all errors add up. Others are possible, "
                "see corrected.",
                "The statistic keeps n, with synthetic shares; the probability that the accuracy fails is not counted.",
            ),
            proof="bojkovic2024.chi-square",
        ),
        Edition(
            "corrected",
            (
                Route(
                    "errors taken off the shares",
                    "the usual value, at half of gamma, for n sum (|share - q| - error)_+^2/q",
                    (
                        Term(
                            "value",
                            "critical value",
                            lambda q, A: _usual(q, A, q.gamma / 2),
                        ),
                    ),
                    hypotheses=(
                        SOME_CATEGORIES,
                        MANY_RECORDS,
                        Hypothesis(
                            "no share is off by more than the error, which is public, except with probability gamma/2"
                        ),
                    ),
                ),
            ),
            changes=(
                "The level gamma includes the probability that the accuracy fails.",
                "Subtracting the error from every deviation, instead of adding all errors to the critical value, "
                "rejects whenever the other correction of the same level does.",
            ),
            proof="bojkovic2024.chi-square",
        ),
        Edition(
            "sharp",
            (
                Route(
                    "equal shares",
                    "the usual statistic of the noisy counts, when all expected shares are equal",
                    (Term("value", "critical value", _noise_counted),),
                    hypotheses=(
                        SOME_CATEGORIES,
                        MANY_RECORDS,
                        GAUSSIAN,
                        SHIFTED,
                    ),
                    inputs=("n", "noise_sd"),
                ),
                Route(
                    "statistic that knows the noise",
                    "any expected shares: the deviations weighted by the inverse of their covariance",
                    (Term("value", "critical value", lambda q, A: _usual(q, A, q.gamma)),),
                    hypotheses=(SOME_CATEGORIES, MANY_RECORDS, GAUSSIAN, SHIFTED),
                ),
            ),
            changes=(
                "The distribution of the noise, not a bound on it: the statistic is divided by its actual variance, "
                "and nothing is added. Level gamma in the limit; its power is that of a noncentral chi-square "
                "variable.",
            ),
            proof="bojkovic2024.chi-square",
        ),
    ),
    see_also=("bojkovic2024.proportion",),
)
