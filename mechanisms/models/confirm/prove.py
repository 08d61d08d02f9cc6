"""What the answer to a planned query proves: the certificate of its model, with all errors between answer and data.

Only public numbers and the two private answers enter. If the query took a line out of the slopes, the release's moments
restore it; their noise is then bounded for all models and lines at once, since both were chosen by the release. For the
same reason every query is charged for that event, even one that took no line.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bounds.certify.gradient import (
    GradientCertificate,
    GradientClass,
    GradientErrors,
    gradient_certificate,
    planned_certificate,
)
from bounds.errors import NotApplicable, UsageError
from bounds.exact import require_range, root_at_least
from bounds.privacy.adjacency import Adjacency
from mechanisms.models.event import moment_radii
from release.gradient.file import GradientQuery
from release.gradient.planned import GradientPlan
from release.moments.file import MomentRelease
from release.moments.planned import MomentPlan
from release.statistics.gradients import norm_squared

RELEASE_SHARE = Fraction(1, 20)
"""Part of the failure probability for the release's own noise; the release decided whether a query needs it."""


@dataclass(frozen=True, kw_only=True)
class Confirmation:
    """The certificate of a query; both the noise of the query and that of the release may fail."""

    certificate: GradientCertificate
    query_failure: Fraction
    release_failure: Fraction
    gradient: tuple[Fraction, ...]
    """The noisy gradient of the real risk, on the scale of f."""

    @property
    def bound(self) -> Fraction:
        return self.certificate.bound


def confirm(
    query: GradientQuery,
    release: MomentRelease,
    *,
    failure: Fraction,
    tau: Fraction | None = None,
    ridge: Fraction = Fraction(0),
) -> Confirmation:
    """The certificate that no model of norm at most tau (default: the model's own) gains more than `bound` on the data.

    With `ridge` the risk is penalised by (ridge/2) norm^2, and tau may be left out. The model must have been fixed
    before the query, and `failure` and the class before its answer was seen.
    """
    compared = _compared(query, release, failure=failure, tau=tau, ridge=ridge)
    release_failure = failure * RELEASE_SHARE
    gradient = noisy_gradient(query, release)
    certificate = gradient_certificate(
        gradient=gradient,
        coefficients=query.coefficients,
        errors=query_errors(query, release, compared, release_failure=release_failure),
        compared=compared,
        failure=failure - release_failure,
    )
    return Confirmation(
        certificate=certificate,
        query_failure=failure - release_failure,
        release_failure=release_failure,
        gradient=gradient,
    )


def _compared(
    query: GradientPlan, release: MomentPlan, *, failure: Fraction, tau: Fraction | None, ridge: Fraction
) -> GradientClass:
    """The class; refused if a query of that release can say nothing about it."""
    require_range("failure", failure, failure, above=0, below=1, reason="a probability")
    if query.release_id != release.reservation_id:
        raise UsageError("release: this query belongs to another release")
    release.require_plausible_size()
    if ridge and release.adjacency is Adjacency.ADD_REMOVE:
        raise NotApplicable("ridge: the penalty needs the number of records, which is private under add-remove")
    if tau is None and ridge == 0:
        tau = default_tau(query)
    return GradientClass(squared_norm=query.feature_map.squared_norm, tau=tau, ridge=ridge)


def expected_bound(
    plan: GradientPlan,
    release: MomentPlan,
    *,
    failure: Fraction,
    along: Fraction,
    across: Fraction = Fraction(0),
    tau: Fraction | None = None,
    ridge: Fraction = Fraction(0),
) -> Fraction:
    """The bound to expect of a planned query, an estimate for choosing among plans: see `planned_certificate`."""
    compared = _compared(plan, release, failure=failure, tau=tau, ridge=ridge)
    release_failure = failure * RELEASE_SHARE
    return planned_certificate(
        dimension=plan.feature_map.size,
        norm=default_tau(plan),
        along=along,
        across=across,
        errors=query_errors(plan, release, compared, release_failure=release_failure),
        compared=compared,
        failure=failure - release_failure,
    )


def default_tau(query: GradientPlan) -> Fraction:
    """The norm of the model, rounded up at the 15th digit."""
    squared = norm_squared(query.feature_map, query.coefficients)
    return root_at_least(squared) if squared else Fraction(0)


def noisy_gradient(query: GradientQuery, release: MomentRelease) -> tuple[Fraction, ...]:
    """The query's mean plus the line that was taken out: -offset times first moments, slope times second ones.

    Sums are divided by the stated size; under add-remove the true size is larger, and so the true gradient smaller.
    """
    size, one = query.stated_size, query.feature_map.one
    found = [Fraction(value, query.unit * size) for value in query.sums]
    if query.offset:
        found = [
            g - query.offset * Fraction(value, one * size) for g, value in zip(found, release.first_sums, strict=True)
        ]
    if query.slope:
        upper, p = release.second_sums, len(found)
        for i in range(p):
            row = (upper[min(i, j)][abs(i - j)] for j in range(p))
            product = sum((value * c for value, c in zip(row, query.coefficients, strict=True)), Fraction(0))
            found[i] += query.slope * product / (one**2 * size)
    return tuple(found)


def query_errors(
    query: GradientPlan, release: MomentPlan, compared: GradientClass, *, release_failure: Fraction
) -> GradientErrors:
    """Everything between the noisy gradient and the true one, on the scale of f."""
    p, size, norm = query.feature_map.size, query.stated_size, query.feature_map.squared_norm
    root_norm, root_p = root_at_least(Fraction(norm)), root_at_least(Fraction(p))
    shift, slack = query.slopes.slope_error * root_norm, query.slopes.slack
    if query.adjacency is Adjacency.ADD_REMOVE:
        # An error in every record, over an unknown size: bounded in the loss by |e.(v - w)| for each record.
        assert compared.tau is not None
        apart = compared.tau + default_tau(query)
        shift, slack = Fraction(0), slack + query.slopes.slope_error * apart
    if query.offset or query.slope:
        shift += _release_error(query, release, release_failure)
    return GradientErrors(
        deviation=query.deviation / (query.unit * size),
        shift=shift,
        grid=root_p / (2 * query.unit * size),
        slack=slack,
    )


def _release_error(query: GradientPlan, release: MomentPlan, failure: Fraction) -> Fraction:
    """A bound on || offset dM1 - slope dM2 coef || for all models and lines at once, with d the noise of the moments.

    `moment_radii` splits the failure probability by public numbers: a split to suit this line would depend on noise.
    """
    first, second = moment_radii(release, failure)
    scale = Fraction(release.size, release.stated_size)  # noise is stated for means over `size`
    size = root_at_least(sum((c * c for c in query.coefficients), Fraction(0))) if any(query.coefficients) else 0
    return scale * (query.offset * first + query.slope * size * second)
