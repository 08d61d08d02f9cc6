"""Section V-A, b): the inverse of a private matrix of second moments, whose entries are the edges of a graph.

Guarantee: the inverse of the real matrix, or a column of it, is within the value of that of the noisy matrix.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Derived, Edition, Hypothesis, Route, Term, Theorem
from bounds.pieces.gaussian_length import across, all_directions, along, exceeds
from bounds.quantities import Quantities


def _printed_error(q: Quantities, A: Arithmetic) -> Number:
    return 8 * q.features * q.delta


def _by_real_matrix(q: Quantities, A: Arithmetic) -> Number:
    error = _printed_error(q, A)
    return error / (q.true_least * (q.true_least - error))


def _by_noisy_matrix(q: Quantities, A: Arithmetic) -> Number:
    return q.second_radius / (q.noisy_least * (q.noisy_least - q.second_radius))


def _length(q: Quantities, A: Arithmetic) -> Number:
    """The bound on the noise times a fixed vector, over the length of the vector."""
    return q.noise_sd * A.sqrt(A.min(all_directions(q, A), along(q, A) + across(q, A) / 2))


def _by_one_column(q: Quantities, A: Arithmetic) -> Number:
    return q.length * q.column_norm / (q.noisy_least - q.length)


THEOREM = Theorem(
    id="bojkovic2024.graph",
    title="Inverse covariance and edges from private data",
    guarantee="The inverse of the real matrix differs from that of the noisy one by at most the value: in operator "
    "norm, or in one column, which contains the edges of one node.",
    citation=Citation("bojkovic2024", "Section V-A, b)"),
    inputs=("features",),
    direction="value",
    editions=(
        Edition(
            "printed",
            (
                Route(
                    "as printed",
                    "the error in operator norm, times the norms of both inverses",
                    (Term("value", "bound on the operator norm", _by_real_matrix),),
                    hypotheses=(
                        Hypothesis("every entry of the matrix is accurate to 8 delta"),
                        Hypothesis(
                            "true_least is larger than 8 p delta",
                            lambda q: bool(q.true_least > 8 * q.features * q.delta),
                            why="the private matrix may be singular; the paper does not state the condition",
                        ),
                    ),
                    inputs=("delta", "true_least"),
                ),
            ),
            changes=(
                "The paper prints no bound and says that the inverse is accurate by standard results. This is what an "
                "error of 8 p delta in operator norm gives.",
                "The least eigenvalue of the real matrix is not mentioned. If it is below the error, nothing can be "
                "said.",
            ),
            proof="bojkovic2024.graph",
        ),
        Edition(
            "corrected",
            (
                Route(
                    "least eigenvalue of the noisy matrix",
                    "the same, with the public matrix",
                    (Term("value", "bound on the operator norm", _by_noisy_matrix),),
                    hypotheses=(
                        Hypothesis("second_radius bounds the error of the noisy matrix in operator norm"),
                        Hypothesis(
                            "noisy_least is larger than second_radius",
                            lambda q: bool(q.noisy_least > q.second_radius),
                            why="the real matrix may be singular",
                        ),
                    ),
                    inputs=("second_radius", "noisy_least"),
                ),
            ),
            changes=("The condition is stated, and can be checked from the release.",),
            proof="bojkovic2024.graph",
        ),
        Edition(
            "sharp",
            (
                Route(
                    "one column",
                    "the noise acts on one fixed vector, the column of the real inverse",
                    (Term("value", "bound on the error of a column", _by_one_column),),
                    hypotheses=(
                        Hypothesis("the real matrix is invertible"),
                        Hypothesis("there are at least 2 features", lambda q: bool(q.features >= 2)),
                        Hypothesis(
                            "noisy_least is larger than the bound on the noise times a unit vector",
                            exceeds(lambda q, A: q.noisy_least, _length),
                            why="the set of all possible columns is unbounded",
                        ),
                        Hypothesis(
                            "the noise of the entries is independent and Gaussian, of standard deviation noise_sd on "
                            "the diagonal and noise_sd/sqrt(2) off it"
                        ),
                    ),
                    derived=(Derived("length", "bound on the noise times a unit vector", _length),),
                    inputs=("noise_sd", "noisy_least", "column_norm", "gamma"),
                ),
            ),
            changes=(
                "The equation of a column is linear in the matrix: a Gaussian vector, not the norm of a matrix. An "
                "edge whose entry of the noisy inverse is larger than the value has a known sign. It fails with "
                "probability gamma for one column; for all of them use gamma/p.",
            ),
            proof="bojkovic2024.graph",
        ),
    ),
    see_also=("bojkovic2024.covariance", "bojkovic2024.least-squares"),
)
