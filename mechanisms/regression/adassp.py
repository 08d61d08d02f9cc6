"""AdaSSP (Wang 2018; Algorithm 5 of ddssp2024) from one budget: noisy sums, and a ridge by a noisy least eigenvalue.

A release of moments of weight 1 keeps a third of its mu^2, which pays for the least eigenvalue of the sums of f f'.
Under add-remove each of X'X, X'y and the eigenvalue then has noise of sqrt(3)/mu times its sensitivity. The released
numbers are integers, so both modes are possible. Proof: docs/proofs/synthbounds.adassp.md.

The ridge and the coefficients are computed from published numbers, in floats. If the noisy matrix with the ridge is
positive definite, they are as printed. Otherwise, which the ridge makes rare, the printed inverse minimises nothing, so
the negative part is first set to 0, as in least_squares.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import log, sqrt
from typing import TYPE_CHECKING

import numpy as np

from bounds.exact import Exact, root_at_least
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.statements import GaussianDP
from mechanisms.regression.least_squares import least_squares
from mechanisms.regression.sums import Sums, sums_of_release
from release.measure import Measurement, measure
from release.moments.file import MomentRelease
from release.moments.make import MomentRequest
from release.noise.kinds import Mode, Noise
from release.reserving import QUERY
from release.spending import spending
from release.statistics.features import FeatureMap
from release.statistics.least_eigenvalue import eigenvalue_sensitivity, least_eigenvalue
from release.statistics.moments import moment_sums
from release.statistics.statistic import RECORD_STEPS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.source import Records
    from release.moments.planned import MomentPlan

    Floats = NDArray[np.float64]

LEAST_EIGENVALUE = "least eigenvalue"
SHARE = Fraction(1, 3)
"""Part of mu^2 for the eigenvalue."""
FAILURE = 0.05
"""Failure probability of a bound of the algorithm, as printed."""


@dataclass(frozen=True, kw_only=True, eq=False)
class AdaSSP:
    """What is published, and what is computed from it."""

    release: MomentRelease
    """The release; its reservation is spent, since it has paid for the eigenvalue."""
    least_eigenvalue: Measurement
    """An integer, with RECORD_STEPS to a unit of the sums of f f'."""

    @cached_property
    def sums(self) -> Sums:
        return sums_of_release(self.release)

    @property
    def least_eigenvalue_est(self) -> float:
        """An approximate lower bound on the least eigenvalue, never negative."""
        scale = self.least_eigenvalue.noise.scales
        assert isinstance(scale, Fraction)
        noisy, sd = self.least_eigenvalue.values[0] / RECORD_STEPS, float(scale) / RECORD_STEPS
        return max(0.0, noisy - sd * sqrt(2 * log(1 / FAILURE)))

    @property
    def ridge_est(self) -> float:
        """The ridge required by the noise on the matrix, less the records' own least eigenvalue."""
        return max(0.0, self.sums.gram_sd * eigenvalue_reach(len(self.sums.cross)) - self.least_eigenvalue_est)

    @cached_property
    def coefficients(self) -> Floats:
        """Coefficients of least squares on y, intercept last, on the scale of the features."""
        return solve_with_ridge(self.sums, self.ridge_est)


def run_adassp(
    records: Records,
    feature_map: FeatureMap,
    *,
    epsilon: Exact,
    dp_delta: Exact,
    adjacency: Adjacency | str,
    mode: Mode | str,
    n0: Exact | None = None,
    seed: Exact | None = None,
    run: int = 0,
) -> AdaSSP:
    """Count the sums and their least eigenvalue exactly, and draw the noise, once; arguments as of make_release."""
    asked = MomentRequest(
        feature_map,
        epsilon=epsilon,
        dp_delta=dp_delta,
        adjacency=adjacency,
        mode=mode,
        n0=n0,
        weight=1,
        reserve=SHARE,
        seed=seed,
        run=run,
    )
    with spending(is_private=not asked.randomness.is_simulated):
        sums = moment_sums(records, feature_map)
        exact = least_eigenvalue(sums, feature_map)
        release = asked.release_sums(sums)
        measurement, _ = measure(
            exact,
            eigenvalue_noise(release),
            release.ledger,
            what=LEAST_EIGENVALUE,
            randomness=asked.randomness.at_step(1),  # noise that is independent of the moments'
            reserve=QUERY,
            kept_as=release.kept_as,
            header={"kind": LEAST_EIGENVALUE, "release": release.reservation_id},
        )
    return AdaSSP(release=release.with_reservation_spent(), least_eigenvalue=measurement)


def eigenvalue_noise(plan: MomentPlan) -> Noise:
    """Noise in steps of the eigenvalue, for all that a release of moments keeps."""
    sensitivity = eigenvalue_sensitivity(plan.feature_map, plan.adjacency)
    kept = plan.mu_squared_reserved
    return Noise(
        kind="rounded-gaussian",
        scales=root_at_least(sensitivity.squared / kept),
        count=1,
        sensitivity=sensitivity,
        cost=GaussianDP(mu_squared=kept, adjacency=plan.adjacency),
        mode=plan.mode,
    )


def eigenvalue_reach(p: int) -> float:
    """Bound on the eigenvalues of p x p noise of deviation 1, failing with a small probability, as printed."""
    return sqrt(p * log(2 * p * p / FAILURE))


def solve_with_ridge(sums: Sums, ridge: float) -> Floats:
    """(G + ridge)^-1 h if that is a minimum, else the same with G without its negative part."""
    try:
        factor = np.linalg.cholesky(sums.gram + ridge * np.eye(len(sums.cross)))
    except np.linalg.LinAlgError:
        return least_squares(sums, ridge=ridge)
    found: Floats = np.linalg.solve(factor.T, np.linalg.solve(factor, sums.cross))
    return found
