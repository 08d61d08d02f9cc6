"""Excess risk of a linear model that is trained on synthetic data: bounds, comparisons, and Theorem 4.1 of zhou2024."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bounds.exact import Exact

if TYPE_CHECKING:
    from bounds.privacy.adjacency import Adjacency
    from bounds.risk.answer import RiskAnswer
    from bounds.risk.compare import RiskRow
    from bounds.risk.query_lower_bound import QueryLowerBound

__all__ = ["compare_risk", "query_lower_bound", "risk"]


def risk(
    *,
    features: Exact,
    tau: Exact | None = None,
    radius: Exact | None = None,
    loss: str | None = None,
    intercept: Exact | None = None,
    optimisation_gap: Exact | None = None,
    marginals: Exact | None = None,
    marginal_error: Exact | None = None,
    nu: Exact | None = None,
    n: Exact | None = None,
    k: Exact | None = None,
    epsilon: Exact | None = None,
    dp_delta: Exact | None = None,
    levels: Exact | None = None,
    failure: Exact | None = None,
    adjacency: Adjacency | str | None = None,
    target: Exact | None = None,
    edition: str | None = None,
    theorem: str | None = None,
    solve_for: str | None = None,
    approximation: str | None = None,
    release: str | None = None,
) -> RiskAnswer:
    """Excess risk of a linear model trained on synthetic data: an upper bound, what some data have, the smallest n.

    Give the features, tau or radius, and either marginals with marginal_error, or epsilon, dp_delta and failure with n
    or target.

    >>> known = risk(features=10, radius=1, marginals=2, marginal_error="0.01")
    >>> known.bound.decimal(6)[1], known.route
    ('0.0130757', 'quadratic bias')
    >>> risk(features=10, radius=1, epsilon=1, dp_delta="1e-6", failure="1/1048576", target="0.1").n
    14344
    """
    said = {name: value for name, value in locals().items() if value is not None}
    from bounds.risk.evaluate import risk as answer

    return answer(**said)


def compare_risk(
    *,
    features: Exact,
    tau: Exact | None = None,
    radius: Exact | None = None,
    loss: str | None = None,
    intercept: Exact | None = None,
    optimisation_gap: Exact | None = None,
    marginals: Exact | None = None,
    marginal_error: Exact | None = None,
    nu: Exact | None = None,
    n: Exact | None = None,
    k: Exact | None = None,
    epsilon: Exact | None = None,
    dp_delta: Exact | None = None,
    levels: Exact | None = None,
    failure: Exact | None = None,
    adjacency: Adjacency | str | None = None,
    target: Exact | None = None,
    approximation: str | None = None,
    release: str | None = None,
    solve_for: str | None = None,
) -> tuple[RiskRow, ...]:
    """Every bound on excess risk at the same question, one row for each theorem and edition.

    What a comparison shows side by side, such as the approximation, is refused where it is given.

    >>> rows = compare_risk(features=10, radius=1, marginals=2, marginal_error="0.01")
    >>> [row.edition for row in rows if row.answer is not None and not row.answer.vacuous]
    ['sharp', 'sharp']
    """
    said = {name: value for name, value in locals().items() if value is not None}
    from bounds.risk.compare import compare_risk as answer

    return answer(**said)


def query_lower_bound(*, log_n: Exact | None = None, query_constant: Exact | None = None) -> QueryLowerBound:
    """Theorem 4.1 of zhou2024: every condition of its proof, the ln n from which on it holds, and where it is empty.

    >>> report = query_lower_bound(query_constant=1)
    >>> next(c.smallest.value for c in report.conditions if "1/4" in c.statement and c.smallest)
    8886111
    """
    from bounds.risk.query_lower_bound import query_lower_bound as answer

    return answer(log_n=log_n, query_constant=query_constant)
