"""Section V-A, b): how far the first principal component of private data is from the real one.

Guarantee: the sine of the angle between the first eigenvectors of the two matrices is at most the value.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Edition, Hypothesis, Route, Term, Theorem
from bounds.quantities import Quantities

RADIUS = Hypothesis("second_radius bounds the error of the noisy matrix in operator norm")
WIDE_GAP = Hypothesis(
    "noisy_gap is larger than twice second_radius",
    lambda q: bool(q.noisy_gap > 2 * q.second_radius),
    why="nothing shows which eigenvector of the noisy matrix corresponds to the first one of the real matrix",
)


def _half_angle(A: Arithmetic, squared_sine: Number) -> Number:
    """The sine of an angle of at most 45 degrees, from the squared sine of twice the angle."""
    return A.sqrt((1 - A.sqrt(1 - squared_sine)) / 2)


def _by_real_gap(q: Quantities, A: Arithmetic) -> Number:
    return 16 * q.features * q.delta / q.true_gap


def _by_perturbed_gap(q: Quantities, A: Arithmetic) -> Number:
    return q.second_radius / (q.noisy_gap - q.second_radius)


def _by_double_angle(q: Quantities, A: Arithmetic) -> Number:
    return _half_angle(A, 4 * q.second_radius**2 / q.noisy_gap**2)


def _by_one_column(q: Quantities, A: Arithmetic) -> Number:
    column = q.noise_sd**2 * A.gamma_quantile((q.features - 1) * A.ratio(1, 2), q.gamma)
    return _half_angle(A, 4 * A.min(column, q.second_radius**2) / q.noisy_gap**2)


THEOREM = Theorem(
    id="bojkovic2024.principal-component",
    title="First principal component of private data",
    guarantee="The sine of the angle between the first eigenvectors of the real and of the noisy matrix is at most the "
    "value, with the probability that the edition states.",
    citation=Citation("bojkovic2024", "Section V-A, b)"),
    inputs=("features",),
    direction="value",
    editions=(
        Edition(
            "printed",
            (
                Route(
                    "as printed",
                    "twice the error in operator norm over a gap of the real matrix",
                    (Term("value", "bound on the sine", _by_real_gap),),
                    hypotheses=(
                        Hypothesis("every entry of the matrix is accurate to 8 delta"),
                        Hypothesis("the real matrix has a gap between its first two eigenvalues"),
                    ),
                    inputs=("delta", "true_gap"),
                ),
            ),
            changes=(
                "No bound is printed; the paper refers to perturbation theory and calls the components accurate. The "
                "factor 2 is that of the variant by Yu, Wang and Samworth, the error 8 p delta in operator norm.",
                "The gap is not mentioned. Without it nothing follows, and private data do not show it.",
            ),
            proof="bojkovic2024.principal-component",
        ),
        Edition(
            "corrected",
            (
                Route(
                    "gap of the noisy matrix",
                    "residual of the noisy eigenvector over the certain part of the gap",
                    (Term("value", "bound on the sine", _by_perturbed_gap),),
                    hypotheses=(
                        RADIUS,
                        Hypothesis(
                            "noisy_gap is larger than second_radius",
                            lambda q: bool(q.noisy_gap > q.second_radius),
                            why="the real matrix may have no gap",
                        ),
                    ),
                    inputs=("second_radius", "noisy_gap"),
                ),
                Route(
                    "twice the angle",
                    "the sine of twice the angle is at most twice the error over the noisy gap",
                    (Term("value", "bound on the sine", _by_double_angle),),
                    hypotheses=(RADIUS, WIDE_GAP),
                    inputs=("second_radius", "noisy_gap"),
                ),
            ),
            changes=(
                "A gap of the noisy matrix, which is public, takes the place of the real one. Above 1 the first bound "
                "says nothing; the second is never larger when it applies.",
            ),
            proof="bojkovic2024.principal-component",
        ),
        Edition(
            "sharp",
            (
                Route(
                    "one column of the noise",
                    "only the noise between the real component and the other directions counts",
                    (Term("value", "bound on the sine", _by_one_column),),
                    hypotheses=(
                        RADIUS,
                        WIDE_GAP,
                        Hypothesis(
                            "there are at least 2 features",
                            lambda q: bool(q.features >= 2),
                            why="a single feature has no angle",
                        ),
                        Hypothesis(
                            "the noise of the entries is independent and Gaussian, of standard deviation noise_sd on "
                            "the diagonal and noise_sd/sqrt(2) off it"
                        ),
                    ),
                    inputs=("noise_sd", "noisy_gap", "second_radius", "gamma"),
                ),
            ),
            changes=(
                "A Gaussian vector of p - 1 entries instead of the norm of a matrix. It fails with probability gamma, "
                "plus that of second_radius.",
            ),
            proof="bojkovic2024.principal-component",
        ),
    ),
    see_also=("bojkovic2024.covariance",),
)
