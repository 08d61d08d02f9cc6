"""Bounds on the excess risk of a linear model trained on synthetic data: the terms of Theorems 3.1 and 3.2.

Each bound has an approximation term, for using the polynomial instead of the loss, and a marginal term, the cost of its
coefficients times the distance s of the marginals. Proofs: docs/proofs/synthbounds.excess-risk.md and the pages of the
theorems.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Derived, Formula, Hypothesis, Route, Term
from bounds.pieces.binomial_deviation import mean_deviation, middle
from bounds.pieces.marginal_noise import ORDER_FITS
from bounds.quantities import Quantities

APPROXIMATION_STEPS, MARGINAL_STEPS = 4, 2
"""Steps of either kind in the chain of inequalities of Appendix A.1."""


@dataclass(frozen=True)
class Bound:
    """One bound on the excess risk by its two terms."""

    name: str
    summary: str
    approximation: Formula
    marginals: Formula
    hypotheses: tuple[Hypothesis, ...] = ()
    derived: tuple[Derived, ...] = ()
    inputs: tuple[str, ...] = ()
    needs_whole_table: bool = False
    """It uses a marginal that may be missing when labels are paired: that of all attributes, or of all features."""
    holds_for_any_model: bool = False
    """However the model was found: the optimisation gap does not enter."""


def _gap(q: Quantities, A: Arithmetic) -> Number:
    return q.optimisation_gap if q.has("optimisation_gap") else A.ratio(0)


def as_route(bound: Bound, *, hypotheses: tuple[Hypothesis, ...] = (), derived: tuple[Derived, ...] = ()) -> Route:
    """The total first, then its terms."""

    def total(q: Quantities, A: Arithmetic) -> Number:
        found = bound.approximation(q, A) + bound.marginals(q, A)
        return found if bound.holds_for_any_model else found + _gap(q, A)

    return Route(
        bound.name,
        bound.summary,
        (
            Term("value", "excess risk", total),
            Term("value", "approximation", bound.approximation),
            Term("value", "marginals", bound.marginals),
        ),
        hypotheses=(ORDER_FITS, *bound.hypotheses, *hypotheses),
        derived=(*derived, *bound.derived),
        inputs=bound.inputs,
    )


def tau(q: Quantities, A: Arithmetic) -> Number:
    """The bound on |w|_2 for which R = tau sqrt m."""
    return q.radius / A.sqrt(q.features)


def _expansion(q: Quantities, A: Arithmetic) -> Number:
    """(m max{1, tau})^(d-1), the paper's bound on all products of weights."""
    return A.power(q.features * A.max(A.ratio(1), tau(q, A)), q.order - 1)


def wide_radius(q: Quantities, A: Arithmetic) -> Number:
    """The paper approximates on [-1, 1] at least."""
    return A.max(A.ratio(1), q.radius)


def printed_marginal_step(norm: Formula, base: int) -> Formula:
    """Lemma A.2: s |phi| (base m max{1, tau})^(d-1)."""
    return lambda q, A: q.marginal_error * norm(q, A) * A.power(A.ratio(base), q.order - 1) * _expansion(q, A)


def corrected_marginal_step(norm: Formula) -> Formula:
    """Lemma A.2 with the factor that equation (2) gives on a symmetric interval."""

    def step(q: Quantities, A: Arithmetic) -> Number:
        factor = A.power(1 + 1 / wide_radius(q, A), q.order - 1)
        return q.marginal_error * norm(q, A) * factor * _expansion(q, A)

    return step


def times(steps: int, step: Formula) -> Formula:
    return lambda q, A: steps * step(q, A)


DEGREE = Derived("D", "largest even number up to the order", lambda q, A: 2 * A.ceil((q.order - 1) * A.ratio(1, 2)))
MEAN_DEVIATION = (
    Derived("nu_D", "count at which the mean deviation is largest", lambda q, A: middle(q.D, A)),
    Derived("mu_D", "largest mean absolute deviation of Bin(D, u)/D", lambda q, A: mean_deviation(q.D, q.nu_D, A)),
)
DEVIATION = (DEGREE, *MEAN_DEVIATION)
AT_LEAST_2 = Hypothesis("order is at least 2", lambda q: bool(q.order >= 2), why="a lower order supports degree 0 only")


def chebyshev_norm(q: Quantities, A: Arithmetic) -> Number:
    """Sum of the absolute coefficients of the Chebyshev polynomial of even degree D."""
    root = A.sqrt(A.ratio(2))
    return (A.power(1 + root, q.D) + A.power(root - 1, q.D)) / 2


def _parabola(error: Number, bend: Number, radius: Number, A: Arithmetic) -> Number:
    """Largest e t - bend t^2 for 0 <= t <= 2R."""
    t = A.min(2 * radius, error / (2 * bend))
    return error * t - bend * t**2


def _quadratic_bias(q: Quantities, A: Arithmetic) -> Number:
    rest = q.convexity / 2 - q.tilt
    return _parabola(q.derivative_error, q.tilt, q.radius, A) + _parabola(q.derivative_error, rest, q.radius, A)


def _quadratic_cost(q: Quantities, A: Arithmetic) -> Number:
    bend = q.tilt * q.radius**2
    return q.marginal_error * (2 * q.coefficient_cost + 2 * bend + 2 * A.max(A.ratio(0), bend - q.quadratic_cost))


GIVEN_POLYNOMIAL = Bound(
    "given polynomial",
    "any polynomial of degree D; `synthbounds risk` finds the best one",
    lambda q, A: 2 * q.oscillation,
    lambda q, A: 2 * q.marginal_error * q.coefficient_cost,
    hypotheses=(Hypothesis("the degree of the polynomial is at most the largest even number up to the order"),),
    inputs=("oscillation", "coefficient_cost"),
)
QUADRATIC_BIAS = Bound(
    "quadratic bias",
    "first-order optimality makes the approximation enter by its square",
    _quadratic_bias,
    _quadratic_cost,
    hypotheses=(
        AT_LEAST_2,
        Hypothesis(
            "tilt lies strictly between 0 and convexity/2",
            lambda q: bool(q.tilt > 0) and bool(2 * q.tilt < q.convexity),
        ),
        Hypothesis(
            "optimisation_gap is not given",
            lambda q: not q.has("optimisation_gap"),
            why="it uses that the model is an exact minimiser on the synthetic data",
        ),
        Hypothesis("the loss less convexity/2 times x^2 is convex, and so is the set of models"),
        Hypothesis("the degree of the polynomial is at most the largest even number up to the order"),
    ),
    inputs=("derivative_error", "convexity", "coefficient_cost", "quadratic_cost", "tilt"),
)


def no_data(oscillation: Formula) -> Bound:
    return Bound(
        "no data",
        "any two models differ by the oscillation of the loss at most",
        oscillation,
        lambda q, A: A.ratio(0),
        holds_for_any_model=True,
    )


def all_attributes(oscillation: Formula) -> Bound:
    return Bound(
        "all attributes",
        "the marginal of all attributes is the whole table",
        lambda q, A: A.ratio(0),
        lambda q, A: q.marginal_error * oscillation(q, A),
        hypotheses=(
            Hypothesis(
                "order is features + 1",
                lambda q: bool(q.order == q.features + 1),
                why="only then does a marginal contain all attributes",
            ),
        ),
        needs_whole_table=True,
    )


def jackson(slope: Callable[[Quantities, Arithmetic], Number], linear: Formula, oscillation: Formula) -> Bound:
    """Favard's bound for a slope-Lipschitz part of the loss, plus a linear part with cost `linear`."""

    def error(q: Quantities, A: Arithmetic) -> Number:
        return A.pi() * slope(q, A) * q.radius / (2 * (q.D + 1))

    def cost(q: Quantities, A: Arithmetic) -> Number:
        even = (oscillation(q, A) / 2 + error(q, A)) * (chebyshev_norm(q, A) - 1)
        return 2 * q.marginal_error * (linear(q, A) + even)

    return Bound(
        "Jackson",
        "best polynomial, by the constant of Favard, Akhiezer and Krein",
        lambda q, A: 4 * error(q, A),
        cost,
        hypotheses=(AT_LEAST_2,),
        derived=(DEGREE,),
    )


def bernstein(approximation: Formula, oscillation: Formula, name: str, *more: Hypothesis) -> Bound:
    """The Bernstein polynomial of degree D, whose scaled coefficients sum to at most 2^(D/2) osc/2."""
    return Bound(
        name,
        "Bernstein polynomial of degree D",
        approximation,
        lambda q, A: q.marginal_error * A.power(A.ratio(2), q.D / 2) * oscillation(q, A),
        hypotheses=(AT_LEAST_2, *more),
        derived=DEVIATION,
    )
