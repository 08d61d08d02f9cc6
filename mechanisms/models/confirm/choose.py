"""Which question to ask about a model, its gradient or its excess; public facts alone decide.

The bound of an excess is a formula. That of a gradient is an estimate, which includes how much of a gradient synthetic
records missed on the tables measured in studies, since a model of large norm is mostly wrong there; plans use the same
estimate. The question with the smaller bound is asked. In rounds, where an answer moves the model, it is the gradient.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from bounds.certify.classes import INSIDE, ModelClass
from bounds.errors import NotApplicable, ParameterError
from mechanisms.models.confirm.ask import PlannedConfirmation, plan_confirmation
from mechanisms.models.confirm.excess import PlannedExcess, plan_excess
from mechanisms.models.model import Model
from mechanisms.models.query_parameters import EXCESS, GRADIENT
from release.moments.file import MomentRelease
from release.query.file import Query
from release.reserving import ReservingRelease


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What is to be confirmed, whichever question is asked."""

    release: ReservingRelease
    model: Model
    compared_with: ModelClass | None
    """None if the model is compared with those of `against`."""
    against: Sequence[Model] = ()
    largest_intercept: Fraction | None = None
    beta: Fraction
    part: Fraction = Fraction(1)
    previous: Query | None = None
    seed: int | None = None
    model_from: str | None = None

    def plan(self, ask: str) -> PlannedConfirmation | PlannedExcess:
        """The query that is asked for, or whichever is expected to certify more."""
        if ask == EXCESS:
            return self.excess()
        return self.gradient() if ask == GRADIENT else self.either()

    def gradient(self) -> PlannedConfirmation:
        """The query for the gradient; refused if it cannot certify anything."""
        release, compared_with = self.release, self.compared_with
        if not isinstance(release, MomentRelease):
            raise NotApplicable("ask = gradient: only a release of moments pays for it; ask for the excess")
        if compared_with is None or self.largest_intercept is not None:
            raise NotApplicable("ask = gradient: says nothing about a set of models or an intercept outside the norm")
        return plan_confirmation(
            release,
            self.model,
            compared_with,
            beta=self.beta,
            part=self.part,
            previous=self.previous,
            seed=self.seed,
        )

    def excess(self) -> PlannedExcess:
        return plan_excess(
            self.release,
            self.model,
            self.compared_with,
            beta=self.beta,
            against=self.against,
            largest_intercept=self.largest_intercept,
            part=self.part,
            previous=self.previous,
            seed=self.seed,
            model_from=self.model_from,
        )

    def either(self) -> PlannedConfirmation | PlannedExcess:
        """Whichever is expected to certify more."""
        gradient = self._possible_gradient()
        if gradient is None:
            return self.excess()
        if self.part < 1 or self.previous is not None:
            return gradient
        try:
            excess = self.excess()
        except (NotApplicable, ParameterError):
            return gradient
        return gradient if gradient.with_missed() < excess.expected else excess

    def _possible_gradient(self) -> PlannedConfirmation | None:
        release, compared_with = self.release, self.compared_with
        fits = (
            isinstance(release, MomentRelease)
            and compared_with is not None
            and compared_with.intercept == INSIDE
            and self.model.feature_map.digest == release.feature_map.digest
        )
        try:
            return self.gradient() if fits else None
        except (NotApplicable, ParameterError):
            return None
