"""From a matrix of noisy moments to the equations that least squares solves: one response, some regressors, a ridge.

At the least squares coefficients b of the real table, A b = c, where A has the moments of the regressors and c those
with the response. The release gives noisy versions of both.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from bounds.errors import NotApplicable
from bounds.inference.linear_pivot import LinearPivot, rounding_norm
from mechanisms.infer.noisy_matrix import NoisyMatrix


def equations(
    matrix: NoisyMatrix, *, response: int, regressors: Sequence[int], ridge: Fraction = Fraction(0)
) -> LinearPivot:
    """The equations of the response and the regressors, by place. As in `train`, (ridge/2) norm^2 is added to half the
    mean squared error, with the norm on the unit ball, the intercept included."""
    if ridge and not matrix.n_is_public:
        raise NotApplicable(
            f"ridge = {float(ridge):g}: must be 0 under add-remove: n, which multiplies the ridge, is private"
        )
    inner = [[matrix.entry(i, j) for j in regressors] for i in regressors]
    outer = [matrix.entry(i, response) for i in regressors]
    apart = [inner[i][j] for i in range(len(regressors)) for j in range(i, len(regressors))] + outer
    added = ridge * matrix.squared_norm
    return LinearPivot(
        matrix=tuple(tuple(x.value + added * (i == j) for j, x in enumerate(row)) for i, row in enumerate(inner)),
        right=tuple(x.value for x in outer),
        variances=tuple(tuple(x.deviation**2 for x in row) for row in inner),
        right_variances=tuple(x.deviation**2 for x in outer),
        rounding=rounding_norm([x.rounding / x.deviation for x in apart if not x.is_exact]),
    )
