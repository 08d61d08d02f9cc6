"""Floors under certificates of a model on a real table: for those from its release, and from any such mechanism.

A look-alike of the table is searched for, then what matters is proved: the distance of its exact sums in deviations of
the noise, and the excess of the model on it. For mechanisms in general a few records are replaced by the one that is
worst for the model. This needs the table: it is a study, not private.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

import numpy as np

from bounds.certify.certificate_floor import share_above, squared_shift
from release.moments.planned import MomentPlan
from release.statistics.moments import moment_sums
from verify.certificate_runs import BETA, Truth
from verify.look_alike import LOSS, ROUNDS, LookAlike, deviations_of, look_alike, with_replaced
from verify.table_excess import Records, excess_on

HALF_SHIFT = Fraction(16448, 10_000)
"""At this distance and beta = .05, a share of one half of all releases can be proved."""

Model = tuple[Fraction, ...]


@dataclass(frozen=True, kw_only=True)
class CertificateFloor:
    """Every valid certificate is at least `excess` in at least a `share` of all releases of the real table."""

    excess: Fraction
    share: Fraction
    table: LookAlike


def release_floor(
    truth: Truth, plan: MomentPlan, model: Model, *, tau: Fraction, rounds: int = ROUNDS
) -> CertificateFloor:
    """For every certificate from a release of first and second moments by that plan."""
    table = look_alike(truth, plan, model, tau=tau, radius=float(HALF_SHIFT), rounds=rounds)
    sums = moment_sums(np.repeat(table.codes, table.counts, axis=0), truth.feature_map)
    shift = squared_shift(truth.sums.counted.values, sums.counted.values, deviations_of(plan))
    return CertificateFloor(
        excess=excess_of(truth, table, model, tau=tau),
        share=share_above(squared_shift=shift, failure=BETA).lo,
        table=table,
    )


def mechanism_floor(truth: Truth, plan: MomentPlan, model: Model, *, tau: Fraction) -> CertificateFloor:
    """For every certificate from any mechanism with the Gaussian privacy mu of that plan, replace-one."""
    squared = plan.mu_squared_spent
    records = isqrt(int(HALF_SHIFT**2 / squared))
    table = with_replaced(truth, plan, model, tau=tau, records=records)
    return CertificateFloor(
        excess=excess_of(truth, table, model, tau=tau),
        share=share_above(squared_shift=records**2 * squared, failure=BETA).lo,
        table=table,
    )


def excess_of(truth: Truth, table: LookAlike, model: Model, *, tau: Fraction) -> Fraction:
    """A lower bound on a model's excess on a table, for example a model from another release."""
    features = truth.feature_map
    signed = features.features(table.codes) * features.labels(table.codes)[:, None].astype(np.int64)
    records = Records(signed=signed.tolist(), counts=table.counts.tolist(), one=features.one)
    if records.n != truth.n:
        raise AssertionError("a table of n records looks like another one of n records")
    return excess_on(records, model, table.better, tau=tau, squared_norm=features.squared_norm, loss=LOSS).lo
