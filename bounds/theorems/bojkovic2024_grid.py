"""Section V-A, c): how many queries make the mean loss accurate for all parameters of a cube at once.

Guarantee: accurate answers to this many queries make every mean loss accurate, up to grid_error.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Edition, Hypothesis, Route, Term, Theorem
from bounds.quantities import Quantities

LIPSCHITZ = Hypothesis("the loss has the Lipschitz constant slope in the parameters, in the largest coordinate")
SOME_ERROR = Hypothesis("grid_error is positive", lambda q: bool(q.grid_error > 0))


def _steps(q: Quantities) -> Number:
    """The side of the cube over the distance between neighbours, grid_error/slope."""
    return 2 * q.radius * q.slope / q.grid_error


def _points(q: Quantities, A: Arithmetic, on_a_side: Number) -> Number:
    return A.exp(q.features * A.log(on_a_side))


def _with_ends(q: Quantities, A: Arithmetic) -> Number:
    return _points(q, A, 1 + _steps(q))


def _middles(q: Quantities, A: Arithmetic) -> Number:
    return _points(q, A, A.max(A.ratio(1), A.ceil(_steps(q))))


def _monomials(q: Quantities, A: Arithmetic) -> Number:
    return A.binomial(q.features + q.D, q.D) - 1


THEOREM = Theorem(
    id="bojkovic2024.grid",
    title="Queries for all parameters of a model at once",
    guarantee="If the synthetic data answer this many queries accurately, the mean losses of real and synthetic data "
    "differ by at most grid_error more than the queries do, for every parameter in the cube.",
    citation=Citation("bojkovic2024", "Section V-A, c)"),
    inputs=("features",),
    direction="value",
    editions=(
        Edition(
            "printed",
            (
                Route(
                    "as printed",
                    "a query at every point of a grid on [-radius, radius]^p, endpoints included",
                    (Term("value", "queries", _with_ends),),
                    hypotheses=(LIPSCHITZ, SOME_ERROR),
                    inputs=("radius", "slope", "grid_error"),
                ),
            ),
            changes=(
                "The paper speaks of a grid that is fine enough: neighbours are grid_error/slope apart, so that no "
                "parameter is farther from the grid than half of it, on the real and on the synthetic side. If that "
                "does not divide the side of the cube, no more points than the value are needed.",
                "Every query has its price: Theorem II.1 asks for n >= (2F/(epsilon delta)) log(F/gamma), here "
                "exponential in p.",
            ),
            proof="bojkovic2024.grid",
        ),
        Edition(
            "corrected",
            (
                Route(
                    "middles of cells",
                    "a query in the middle of every cell",
                    (Term("value", "queries", _middles),),
                    hypotheses=(LIPSCHITZ, SOME_ERROR),
                    inputs=("radius", "slope", "grid_error"),
                ),
            ),
            changes=("Middles of cells instead of corners: fewer points, and a whole number of them.",),
            proof="bojkovic2024.grid",
        ),
        Edition(
            "sharp",
            (
                Route(
                    "moments",
                    "the monomials of a polynomial near the loss",
                    (Term("value", "queries", _monomials),),
                    hypotheses=(
                        Hypothesis("the loss of a record is a function of the product <w, x> y"),
                        Hypothesis("a polynomial of degree D is within grid_error/2 of it, wherever products can lie"),
                        Hypothesis(
                            "the error of the queries is the sum of the errors of all monomials, each times the size "
                            "of its coefficient in the loss"
                        ),
                    ),
                    inputs=("D",),
                ),
            ),
            changes=(
                "Polynomial in p, and independent of the size of the cube except through the degree. Least squares "
                "with labels of two signs has degree 2 and no error: the accuracy of the loss is that of the moments, "
                "each times its coefficient.",
            ),
            proof="bojkovic2024.grid",
        ),
    ),
    see_also=("synthbounds.excess-risk", "synthbounds.noisy-moments"),
)
