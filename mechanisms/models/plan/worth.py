"""Whether a planned query is worth its budget: what to expect from it, compared with what is known without it.

The expectation is an estimate, mostly too optimistic: a query that is not worth it by this estimate is not worth it.
Nothing is spent.
"""

from __future__ import annotations

from fractions import Fraction

from bounds.errors import NotApplicable, SynthboundsError
from mechanisms.models.certify.from_moments import certify_model
from mechanisms.models.confirm.ask import PlannedConfirmation
from mechanisms.models.confirm.excess import PlannedExcess
from mechanisms.models.confirm.prove_excess import known_without_data
from release.moments.file import MomentRelease


def require_that_it_pays(planned: PlannedConfirmation | PlannedExcess) -> None:
    """Refuse a query whose bound is expected to be no smaller than that of the release alone, or than one without data.

    It is refused only if nothing is gained; a plan advises against a query that gains less than a tenth. A query that
    leaves budget for another is asked to move the model, not for its certificate.
    """
    if planned.part < 1:
        return
    alone = _without_query(planned)
    if alone is not None and planned.expected >= alone:
        raise _not_worth_it(planned, f"that of the release alone is {float(alone):.4g}")
    if isinstance(planned, PlannedExcess):
        known = known_without_data(planned.plan)
        if planned.expected >= known:
            raise _not_worth_it(planned, f"{float(known):.4g} holds without any data")


def _not_worth_it(planned: PlannedConfirmation | PlannedExcess, known: str) -> NotApplicable:
    return NotApplicable(
        f"query: its bound is expected to be {float(planned.expected):.4g} at best, and {known}; nothing was spent "
        "(give --anyway to ask all the same)"
    )


def _without_query(planned: PlannedConfirmation | PlannedExcess) -> Fraction | None:
    release, compared_with = planned.release, planned.compared_with
    if not isinstance(release, MomentRelease) or compared_with is None:
        return None
    try:
        return certify_model(release, planned.model, compared_with, beta=planned.beta).bound
    except SynthboundsError:  # then the query is the only way
        return None
