"""Excess risk of a linear model that is trained on synthetic data: bounds, comparisons, and Theorem 4.1 of zhou2024."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from bounds.exact import Exact
from bounds.shown import Rows
from synthbounds.api.questions import RiskQuestion, RiskSetting, asks, said

if TYPE_CHECKING:
    from bounds.risk.answer import RiskAnswer
    from bounds.risk.compare import RiskRow
    from bounds.risk.query_lower_bound import QueryLowerBound

__all__ = ["compare_risk", "query_lower_bound", "risk"]


@asks(RiskQuestion, "features")
def risk(**question: Unpack[RiskQuestion]) -> RiskAnswer:
    """Excess risk of a linear model trained on synthetic data: an upper bound, what some data attain, the smallest n.

    Give the features, tau or radius, and either marginals with marginal_error, or epsilon, dp_delta and failure with n
    or target.

    >>> known = risk(features=10, radius=1, marginals=2, marginal_error="0.01")
    >>> known.bound.decimal(6)[1], known.route
    ('0.0130757', 'quadratic bias')
    >>> risk(features=10, radius=1, epsilon=1, dp_delta="1e-6", failure="1/1048576", target="0.1").n
    13361
    """
    from bounds.risk.evaluate import risk as answer

    return answer(**said(question))


@asks(RiskSetting, "features")
def compare_risk(**question: Unpack[RiskSetting]) -> Rows[RiskRow]:
    """Every bound on excess risk for the same question, one row for each theorem and edition.

    Parameters that a comparison shows side by side, such as the approximation, are refused.

    >>> rows = compare_risk(features=10, radius=1, marginals=2, marginal_error="0.01")
    >>> [row.edition for row in rows if row.answer is not None and not row.answer.vacuous]
    ['sharp', 'sharp']
    """
    from bounds.risk.compare import RiskRow
    from bounds.risk.compare import compare_risk as answer

    return Rows(answer(**said(question)), of=RiskRow)


def query_lower_bound(*, log_n: Exact | None = None, query_constant: Exact | None = None) -> QueryLowerBound:
    """Theorem 4.1 of zhou2024: every condition of its proof, the ln n from which it holds, and where it is empty.

    >>> report = query_lower_bound(query_constant=1)
    >>> next(c.smallest.value for c in report.conditions if "1/4" in c.statement and c.smallest)
    8886111
    """
    from bounds.risk.query_lower_bound import query_lower_bound as answer

    return answer(log_n=log_n, query_constant=query_constant)
