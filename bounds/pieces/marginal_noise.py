"""Gaussian noise on marginals: its standard deviation, and how far the synthetic marginals can be from the real ones.

Replace-one adjacency, n public. Proofs: docs/proofs/zhou2024.sensitivity.md, zhou2024.marginal-noise.md.
"""

from __future__ import annotations

from bounds.arithmetic import Arithmetic, Number
from bounds.curves import classical_holds
from bounds.enclosure import as_fmpq
from bounds.model import Derived, Hypothesis
from bounds.quantities import Quantities


def classical_ratio(q: Quantities, A: Arithmetic) -> Number:
    """sigma over sensitivity by the classical formula."""
    return A.sqrt(2 * A.log(A.ratio(5, 4) / q.dp_delta)) / q.epsilon


def printed_sd(q: Quantities, A: Arithmetic) -> Number:
    return 2 * A.power(q.features, q.order * A.ratio(1, 2)) * classical_ratio(q, A) / A.sqrt(A.ratio(2))


def corrected_sd(q: Quantities, A: Arithmetic) -> Number:
    sets = A.max(A.power(q.features, q.order), A.binomial_sum(q.features + 1, q.order, A.ratio(1)) - 1)
    return A.sqrt(2 * sets) * classical_ratio(q, A)


def marginal_count(q: Quantities, A: Arithmetic) -> Number:
    """Sets of exactly d of the m + 1 attributes."""
    return A.binomial(q.features + 1, q.order)


def sharp_sd(q: Quantities, A: Arithmetic) -> Number:
    return A.sqrt(2 * marginal_count(q, A)) * A.gaussian_factor(q.epsilon, q.dp_delta)


def printed_nu(q: Quantities, A: Arithmetic) -> Number:
    exponent = A.log(2 / q.failure) + q.order * A.log(q.features * q.levels)
    return 2 * A.power(q.levels, q.order) * A.sqrt(2 * exponent) * q.noise_sd


def _cells(q: Quantities, A: Arithmetic) -> Number:
    """Cells of all marginals of up to d attributes: features of l levels, a label of two."""
    without_label = A.binomial_sum(q.features, q.order, q.levels) - 1
    return without_label + 2 * A.binomial_sum(q.features, q.order - 1, q.levels)


def corrected_nu(q: Quantities, A: Arithmetic) -> Number:
    cells = A.max(A.power(q.features * q.levels, q.order), _cells(q, A))
    return 2 * A.power(q.levels, q.order) * A.sqrt(2 * A.log(2 * cells / q.failure)) * q.noise_sd


def sharp_nu(q: Quantities, A: Arithmetic) -> Number:
    """The exact quantile of the largest L1 norm, if all tables are as large as the largest."""
    return 2 * q.noise_sd * A.half_normal_sum_quantile(A.power(q.levels, q.order), marginal_count(q, A), q.failure)


def chernoff_nu(q: Quantities, A: Arithmetic) -> Number:
    """A bound on it that needs no integral, and is never smaller."""
    exponent = A.log(marginal_count(q, A) / q.failure)
    return 2 * q.noise_sd * A.half_normal_sum_bound(A.power(q.levels, q.order), exponent)


def concentration_nu(q: Quantities, A: Arithmetic) -> Number:
    """The same by Gaussian concentration of the L1 norm about its mean: simpler, and never smaller."""
    cells, exponent = A.power(q.levels, q.order), A.log(marginal_count(q, A) / q.failure)
    return 2 * q.noise_sd * (cells * A.sqrt(2 / A.pi()) + A.sqrt(2 * cells * exponent))


def _features_together(q: Quantities, A: Arithmetic) -> Number:
    """D, or all m features if D is larger."""
    return A.min(2 * A.ceil((q.order - 1) * A.ratio(1, 2)), q.features)


def _paired_count(q: Quantities, A: Arithmetic) -> Number:
    """Sets of D features, and every feature with the label."""
    return A.binomial(q.features, _features_together(q, A)) + q.features


def paired_sd(q: Quantities, A: Arithmetic) -> Number:
    return A.sqrt(2 * _paired_count(q, A)) * A.gaussian_factor(q.epsilon, q.dp_delta)


def paired_nu(q: Quantities, A: Arithmetic) -> Number:
    """No table has more cells than one of D features; a pair with the label has 2l."""
    cells = A.max(A.power(q.levels, _features_together(q, A)), 2 * q.levels)
    return 2 * q.noise_sd * A.half_normal_sum_quantile(cells, _paired_count(q, A), q.failure)


FORMULAS = {
    "printed": (printed_sd, printed_nu),
    "corrected": (corrected_sd, corrected_nu),
    "sharp": (sharp_sd, sharp_nu),
    "paired": (paired_sd, paired_nu),
}
"""Standard deviation and distance by edition; paired is sharp, for losses that need the label in pairs only."""


def private_marginals(kind: str) -> tuple[Derived, ...]:
    """s = nu/n for marginals with Gaussian noise, as an edition computes them."""
    sd, nu = FORMULAS[kind]
    return (
        Derived("noise_sd", "standard deviation of the noise on every cell", sd),
        Derived("nu", "bound on the L1 distance of real and synthetic marginals", nu),
        Derived("marginal_error", "the same as a share of n", lambda q, A: q.nu / q.n),
    )


def _classical_holds(q: Quantities) -> bool:
    return classical_holds(as_fmpq(q.epsilon), as_fmpq(q.dp_delta))


PAPERS_RANGE = Hypothesis(
    "epsilon is less than 1",
    lambda q: bool(q.epsilon < 1),
    blocking=False,
    why="beyond it the classical Gaussian mechanism is not covered by the theorem that the paper cites",
)
CLASSICAL_HOLDS = Hypothesis(
    "epsilon is small enough for the classical Gaussian mechanism at this dp-delta",
    _classical_holds,
    why="the exact delta of its noise is larger than required",
)
SOME_EPSILON = Hypothesis("epsilon is positive", lambda q: bool(q.epsilon > 0), why="no noise gives perfect privacy")
ORDER_FITS = Hypothesis(
    "order is at most features + 1",
    lambda q: bool(q.order <= q.features + 1),
    why="there are no more attributes, including the label",
)
TWO_LEVELS = Hypothesis("levels is at least 2", lambda q: bool(q.levels >= 2), why="the label has two")
SETS_ARE_FEW = Hypothesis(
    "there are at most features^order marginals",
    lambda q: not (q.order == 1 or (q.order == 2 and q.features <= 3)),
    blocking=False,
    why="false for order 1 and for order 2 with up to 3 features: the noise can then be too small",
)
