"""Section V-A, c): least squares coefficients from private second moments.

Guarantee: the coefficients from the real and from the noisy sums differ by at most the value, in Euclidean norm.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Derived, Edition, Formula, Hypothesis, Route, Term, Theorem
from bounds.pieces.gaussian_length import across, all_directions, along, exceeds
from bounds.quantities import Quantities

EXACT_LAW = (
    Hypothesis(
        "the noise is independent and Gaussian: standard deviation first_sd on the products with the label, noise_sd "
        "on the diagonal of the matrix and noise_sd/sqrt(2) off it"
    ),
    Hypothesis("there are at least 2 features", lambda q: bool(q.features >= 2)),
)
SHARP_INPUTS = ("first_sd", "noise_sd", "noisy_least", "noisy_norm", "gamma")


def _by_real_matrix(q: Quantities, A: Arithmetic) -> Number:
    matrix, vector = 8 * q.features * q.delta, 8 * A.sqrt(q.features) * q.delta
    return (vector + matrix * q.true_norm) / (q.true_least - matrix)


def _by_noisy_matrix(q: Quantities, A: Arithmetic) -> Number:
    return (q.first_radius + q.second_radius * q.noisy_norm) / (q.noisy_least - q.second_radius)


def _region(q: Quantities, A: Arithmetic) -> Number:
    """The larger root of (lambda^2 - a) D^2 - 2 a |b| D - (c + a |b|^2)."""
    squared, kept = q.noisy_least**2, q.noisy_least**2 - q.from_matrix
    root = A.sqrt(squared * q.from_matrix * q.noisy_norm**2 + kept * q.from_vector)
    return (q.from_matrix * q.noisy_norm + root) / kept


def _ellipsoid_vector(q: Quantities, A: Arithmetic) -> Number:
    return q.first_sd**2 * all_directions(q, A)


def _ellipsoid_matrix(q: Quantities, A: Arithmetic) -> Number:
    return q.noise_sd**2 * all_directions(q, A)


def _split_vector(q: Quantities, A: Arithmetic) -> Number:
    return q.first_sd**2 * (along(q, A) + across(q, A))


def _split_matrix(q: Quantities, A: Arithmetic) -> Number:
    return q.noise_sd**2 * (along(q, A) + across(q, A) / 2)


def _sharp(name: str, summary: str, vector: Formula, matrix: Formula) -> Route:
    return Route(
        name,
        summary,
        (Term("value", "bound on the norm of the difference", _region),),
        hypotheses=(
            *EXACT_LAW,
            Hypothesis(
                "the square of noisy_least is larger than the part of the noise that grows with the coefficients",
                exceeds(lambda q, A: q.noisy_least * q.noisy_least, matrix),
                why="the set of all possible coefficients is unbounded",
            ),
        ),
        derived=(
            Derived("from_vector", "squared noise on the products with the label", vector),
            Derived("from_matrix", "squared noise on the matrix times a unit vector", matrix),
        ),
        inputs=SHARP_INPUTS,
    )


THEOREM = Theorem(
    id="bojkovic2024.least-squares",
    title="Least squares from private moments",
    guarantee="The least squares coefficients of the real data differ from those of the noisy sums by at most the "
    "value in Euclidean norm, with the probability that the edition states.",
    citation=Citation("bojkovic2024", "Section V-A, c)"),
    inputs=("features",),
    direction="value",
    editions=(
        Edition(
            "printed",
            (
                Route(
                    "as printed",
                    "errors 8 p delta of the matrix and 8 sqrt(p) delta of the vector",
                    (Term("value", "bound on the norm of the difference", _by_real_matrix),),
                    hypotheses=(
                        Hypothesis(
                            "features, label and their products are in [-1, 1], their means accurate to 8 delta"
                        ),
                        Hypothesis(
                            "true_least is larger than 8 p delta",
                            lambda q: bool(q.true_least > 8 * q.features * q.delta),
                            why="the private matrix may be singular; the paper does not state the condition",
                        ),
                    ),
                    inputs=("delta", "true_least", "true_norm"),
                ),
            ),
            changes=(
                "The paper says that an overall bound follows, and does not print it: this is the one from the two "
                "accuracies.",
                "It needs the least eigenvalue and the coefficients of the real data, which only the steward knows.",
            ),
            proof="bojkovic2024.least-squares",
        ),
        Edition(
            "corrected",
            (
                Route(
                    "noisy matrix",
                    "the same, with the public sums",
                    (Term("value", "bound on the norm of the difference", _by_noisy_matrix),),
                    hypotheses=(
                        Hypothesis("first_radius and second_radius bound the errors of the vector and of the matrix"),
                        Hypothesis(
                            "noisy_least is larger than second_radius",
                            lambda q: bool(q.noisy_least > q.second_radius),
                            why="the real matrix may be singular",
                        ),
                    ),
                    inputs=("first_radius", "second_radius", "noisy_least", "noisy_norm"),
                ),
            ),
            changes=("Least eigenvalue and coefficients of the noisy sums take the place of the real ones.",),
            proof="bojkovic2024.least-squares",
        ),
        Edition(
            "sharp",
            (
                _sharp(
                    "all directions alike",
                    "the noise in the equation of the real coefficients, one chi-square quantile",
                    _ellipsoid_vector,
                    _ellipsoid_matrix,
                ),
                _sharp(
                    "along and across",
                    "the same, with half the variance across the coefficients, as it is",
                    _split_vector,
                    _split_matrix,
                ),
            ),
            changes=(
                "The real coefficients solve an equation that is linear in the sums: its residual is a Gaussian "
                "vector. It fails with probability gamma, and no norm of a matrix is needed.",
            ),
            proof="bojkovic2024.least-squares",
        ),
    ),
    see_also=("bojkovic2024.covariance", "bojkovic2024.graph"),
)
