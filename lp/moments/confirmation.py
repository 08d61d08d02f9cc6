"""What the answer to a planned query proves: the certificate of its model, with every error between answer and data.

Public numbers and the two private answers come in, nothing else. Where the query took a line out of the slopes, the
release's moments put it back; their noise is then bounded for all models at once, since the model was made from them.
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
from bounds.certify.radii import chi_radius, joint_radii
from bounds.errors import NotApplicable, UsageError
from bounds.exact import require_range
from bounds.privacy.adjacency import Adjacency
from lp.moments.budget import root_at_least
from lp.moments.query import GradientQuery
from lp.moments.release import MomentRelease
from lp.moments.slopes import norm_squared

RELEASE_SHARE = Fraction(1, 5)
"""Part of the failure probability for the release's own noise, where the query needs its moments."""


@dataclass(frozen=True, kw_only=True)
class Confirmation:
    """The certificate of a query; what may fail is the noise of the query, and that of the release where it is used."""

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
    intercept_reach: Fraction | None = None,
) -> Confirmation:
    """The certificate that no model of norm at most tau (default: the model's own) gains more than `bound` on the data.

    With `ridge` the risk is penalised by (ridge/2) norm^2, and tau may be left out. The model must have been fixed
    before the query, `failure` and the class before its answer was seen.
    """
    require_range("failure", failure, failure, above=0, below=1, reason="a probability")
    if query.release_id != release.reservation_id:
        raise UsageError("release: this query belongs to another release")
    release.require_plausible_size()
    if ridge and release.adjacency is Adjacency.ADD_REMOVE:
        raise NotApplicable("ridge: under add-remove the number of records is not public, which the penalty needs")
    if tau is None and ridge == 0:
        tau = default_tau(query)
    release_failure = failure * RELEASE_SHARE if _is_assisted(query) else Fraction(0)
    compared = GradientClass(
        squared_norm=query.feature_map.squared_norm, tau=tau, ridge=ridge, intercept_reach=intercept_reach
    )
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


def expected_bound(
    plan: GradientQuery,
    release: MomentRelease,
    *,
    failure: Fraction,
    along: Fraction,
    across: Fraction = Fraction(0),
    tau: Fraction | None = None,
    ridge: Fraction = Fraction(0),
) -> Fraction:
    """The bound to expect of a planned query, an estimate for choosing among plans: see `planned_certificate`."""
    norm = default_tau(plan)
    if tau is None and ridge == 0:
        tau = norm
    release_failure = failure * RELEASE_SHARE if _is_assisted(plan) else Fraction(0)
    compared = GradientClass(squared_norm=plan.feature_map.squared_norm, tau=tau, ridge=ridge)
    return planned_certificate(
        dimension=plan.feature_map.size,
        norm=norm,
        along=along,
        across=across,
        errors=query_errors(plan, release, compared, release_failure=release_failure),
        compared=compared,
        failure=failure - release_failure,
    )


def default_tau(query: GradientQuery) -> Fraction:
    """The norm of the model, rounded up in the 15th digit."""
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
    query: GradientQuery, release: MomentRelease, compared: GradientClass, *, release_failure: Fraction
) -> GradientErrors:
    """Everything between the noisy gradient and the true one, on the scale of f."""
    p, size, norm = query.feature_map.size, query.stated_size, query.feature_map.squared_norm
    root_norm, root_p = root_at_least(Fraction(norm)), root_at_least(Fraction(p))
    shift, slack = query.slopes.slope_error * root_norm, query.slopes.slack
    if query.adjacency is Adjacency.ADD_REMOVE:
        # An error of every record, over a size that is not known: bounded in the loss, |e.(v - w)| for each of them.
        assert compared.tau is not None
        apart = compared.tau + default_tau(query) + (compared.intercept_reach or 0)
        shift, slack = Fraction(0), slack + query.slopes.slope_error * apart
    if _is_assisted(query):
        shift += _release_error(query, release, release_failure)
    return GradientErrors(
        deviation=query.deviation / (query.unit * size),
        shift=shift,
        grid=root_p / (2 * query.unit * size),
        slack=slack,
    )


def _is_assisted(query: GradientQuery) -> bool:
    return bool(query.offset or query.slope)


def _release_error(query: GradientQuery, release: MomentRelease, failure: Fraction) -> Fraction:
    """A bound on || offset dM1 - slope dM2 coef || for every model at once, d the noise of the release's moments."""
    p, norm = query.feature_map.size, query.feature_map.squared_norm
    scale = Fraction(release.size, release.stated_size)  # noise is stated for means over `size`
    root_norm, root_p = root_at_least(Fraction(norm)), root_at_least(Fraction(p))
    size = root_at_least(sum((c * c for c in query.coefficients), Fraction(0))) if any(query.coefficients) else 0
    first_cost = query.offset * release.noise_first * root_norm
    second_cost = query.slope * size * release.noise_second * norm
    grid = query.offset * root_p * release.grid_first + query.slope * size * p * release.grid_second
    if not query.slope:
        return scale * (first_cost * chi_radius(p, failure) + grid)
    r1, r2 = joint_radii(p, failure, first_weight=first_cost, second_weight=second_cost)
    return scale * (first_cost * r1 + second_cost * r2 + grid)
