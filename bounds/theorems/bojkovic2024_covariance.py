"""Section V-A, b): the operator norm of the error of a private matrix of second moments.

Guarantee: the matrices of the real and of the private data differ by at most the value in operator norm.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Edition, Hypothesis, Route, Term, Theorem
from bounds.quantities import Quantities

ENTRIES = (
    Hypothesis("every product of two features is in [-1, 1], and its mean is accurate to 8 delta"),
    Hypothesis("the accuracy is that of bojkovic2024.private-lp, for a query a pair of features"),
)


def _by_entries(q: Quantities, A: Arithmetic) -> Number:
    return 8 * q.features * q.delta


def _by_moments(q: Quantities, A: Arithmetic) -> Number:
    return q.noise_sd * (A.sqrt(2 * q.features) + A.sqrt(2 * A.log(2 / q.gamma)))


THEOREM = Theorem(
    id="bojkovic2024.covariance",
    title="Private second moments in operator norm",
    guarantee="The matrices of second moments of the real and of the private data differ by at most the value in "
    "operator norm, with the probability that the edition states.",
    citation=Citation("bojkovic2024", "Section V-A, b)"),
    inputs=("features",),
    direction="value",
    editions=(
        Edition(
            "printed",
            (
                Route(
                    "as printed",
                    "p times the accuracy of an entry, p^2 queries",
                    (Term("value", "bound on the operator norm", _by_entries),),
                    hypotheses=ENTRIES,
                    inputs=("delta",),
                ),
            ),
            changes=(
                "The paper prints no bound and says that one follows by standard results: entrywise accuracy gives the "
                "largest sum of a row, p times the accuracy.",
                "The synthetic matrix is Y^T Y/k for k rows of p columns; the text has Y^T Y/m.",
            ),
            proof="bojkovic2024.covariance",
        ),
        Edition(
            "corrected",
            (
                Route(
                    "half of the queries",
                    "p times the accuracy of an entry, p(p + 1)/2 queries",
                    (Term("value", "bound on the operator norm", _by_entries),),
                    hypotheses=ENTRIES,
                    inputs=("delta",),
                ),
            ),
            changes=(
                "The matrix is symmetric: F = p(p + 1)/2 queries instead of p^2, so delta may be about half as large "
                "for the same records. From entrywise accuracy alone the factor p is best possible.",
            ),
            proof="bojkovic2024.covariance",
        ),
        Edition(
            "sharp",
            (
                Route(
                    "Gaussian noise on the moments",
                    "concentration of the norm of a symmetric Gaussian matrix",
                    (Term("value", "bound on the operator norm", _by_moments),),
                    hypotheses=(
                        Hypothesis(
                            "the noise of the entries is independent and Gaussian, of standard deviation noise_sd on "
                            "the diagonal and noise_sd/sqrt(2) off it"
                        ),
                    ),
                    inputs=("noise_sd", "gamma"),
                ),
            ),
            changes=(
                "Noise on the moments themselves, and its norm: sqrt(2p) times the noise of an entry in place of p "
                "times. It fails with probability gamma.",
            ),
            proof="bojkovic2024.covariance",
        ),
    ),
    see_also=("bojkovic2024.principal-component", "bojkovic2024.graph", "bojkovic2024.least-squares"),
)
