"""Reference points: how many are needed so that some density on them fits the target to R delta.

Proofs: docs/proofs/synthbounds.reference-points.md.
"""

from __future__ import annotations

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Derived, Formula, Term
from bounds.quantities import Quantities


def chebyshev_points(failure: Formula) -> Formula:
    """K (F'+1) / (failure delta^2), by Chebyshev's inequality for every query and the total mass."""
    return lambda q, A: q.K * (q.F_varying + 1) / (failure(q, A) * q.delta**2)


def truncated_points(failure: Formula) -> Formula:
    """(102 K/(25 delta^2) + 4/(5 delta)) log(2 (F'+1)/failure), by Bernstein for truncated weights."""

    def formula(q: Quantities, A: Arithmetic) -> Number:
        spread = A.ratio(102, 25) * q.K / q.delta**2 + A.ratio(4, 5) / q.delta
        return spread * A.log(2 * (q.F_varying + 1) / failure(q, A))

    return formula


def weighted_points(failure: Formula) -> tuple[tuple[Derived, ...], Term]:
    """The better of the two, for a target whose Rényi condition number is at most K."""
    chebyshev, truncated = chebyshev_points(failure), truncated_points(failure)
    derived = (
        Derived("m_chebyshev", "reference points by Chebyshev's inequality", chebyshev),
        Derived("m_truncated", "reference points by truncated weights", truncated),
    )
    return derived, Term("m", "reference points, weighted", lambda q, A: A.min(q.m_chebyshev, q.m_truncated))


def _accepted(q: Quantities, A: Arithmetic) -> Number:
    return A.ceil(A.log(4 * q.F_varying / q.gamma) / (2 * q.delta**2))


def _enough_accepted(q: Quantities, A: Arithmetic) -> Number:
    return q.gamma / 2 - A.binomial_below(q.m, 1 / q.rho, q.M)


def _normal_guess(q: Quantities, A: Arithmetic) -> Number:
    """The m of a normal approximation with corrections for continuity and skewness: mostly off by one at most."""
    z = A.normal_max_quantile(A.ratio(1), q.gamma)
    spread = z * A.sqrt((q.rho - 1) / q.rho**2)
    hits = A.max(A.ratio(1), q.M - A.ratio(1, 2) - (1 - 2 / q.rho) * (z**2 - 1) / 6)
    return (q.rho * (spread + A.sqrt(spread**2 + 4 * hits / q.rho)) / 2) ** 2


REJECTION_QUANTITIES = (Derived("M", "accepted points that suffice", _accepted),)
REJECTION_TERM = Term(
    "m",
    "reference points, rejection",
    _enough_accepted,
    kind="condition",
    note="P(Binomial(m, 1/rho) < M) <= gamma/2, by Chernoff's bound above 10^7",
    start=_normal_guess,
)
"""For a target with density ratio at most rho, failure gamma in all."""
