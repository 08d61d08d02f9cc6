"""A class of linear models of a feature map over which a least loss is taken, and its reach, exactly.

Norms are those of coefficients times sqrt(P). The intercept counts in them, or it is separate and at most a public
number in absolute value. A ridge on its own bounds the norm of the best model. Proof:
docs/proofs/synthbounds.excess-query.md, parts (c) and (f).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from bounds.certify.classes import loss_at_zero
from bounds.certify.loss_ranges import oscillation, supremum
from bounds.certify.margin_losses import find_loss
from bounds.errors import NotApplicable, ParameterError
from bounds.exact import require_range, root_at_least, show_rational
from bounds.privacy.adjacency import Adjacency
from release.statistics.features import FeatureMap
from release.statistics.fixed_margins import LARGEST_REACH


@dataclass(frozen=True, kw_only=True)
class LinearClass:
    """Norm at most tau, or (ridge/2) norm^2 added to the mean loss, or both."""

    feature_map: FeatureMap
    loss: str = "logistic"
    tau: Fraction | None = None
    ridge: Fraction | None = None
    intercept: Fraction | None = None
    """The largest absolute value of an intercept that does not count in the norm; None if it counts."""

    def __post_init__(self) -> None:
        find_loss(self.loss)
        self.feature_map.require_two_values("losses are for a label +1 or -1")
        if self.tau is None and self.ridge is None:
            raise ParameterError("tau", "none, without a ridge", "one of them", "else no range of losses is known")
        for name, value in (("tau", self.tau), ("ridge", self.ridge)):
            if value is not None:
                require_range(name, value, value, above=0, most=10**6)
        if self.intercept is not None:
            require_range("intercept", self.intercept, self.intercept, least=0, most=LARGEST_REACH)
        if self.reach > LARGEST_REACH:
            name, size = ("tau", self.tau) if self.radius == self.tau else ("ridge", self.ridge)
            assert size is not None
            allowed = "smaller" if name == "tau" else "larger"
            reason = f"models of the class, intercept included, may have scores of at most {LARGEST_REACH} in size"
            raise ParameterError(name, show_rational(size), allowed, reason)

    @property
    def text(self) -> str:
        """The class in words."""
        parts = [] if self.tau is None else [f"of norm at most {show_rational(self.tau)}"]
        parts += [] if self.ridge is None else [f"with ridge {show_rational(self.ridge)}"]
        parts += [] if self.intercept is None else [f"beside an intercept of at most {show_rational(self.intercept)}"]
        return f"linear models {', '.join(parts)}"

    @cached_property
    def radius(self) -> Fraction:
        """The best model has no larger norm."""
        found = [] if self.tau is None else [self.tau]
        if self.ridge is not None:
            found.append(root_at_least(2 * loss_at_zero(self.loss) / self.ridge))
            if find_loss(self.loss).slope_range is not None:  # slopes from -1 to 0
                found.append(1 / self.ridge)
        return min(found)

    @cached_property
    def reach(self) -> Fraction:
        """At least the largest absolute score of a model of this norm."""
        if self.intercept is None:
            return self.radius
        squared_norm = self.feature_map.squared_norm
        return root_at_least(self.radius**2 * (squared_norm - 1) / squared_norm) + self.intercept

    def moved(self, adjacency: Adjacency) -> Fraction:
        """How far one record moves the least sum of losses."""
        if adjacency is Adjacency.REPLACE_ONE:
            return oscillation(self.loss, self.reach)
        if self.ridge is not None:
            raise NotApplicable("ridge: under add-remove n is not public, and the penalty is n times the ridge")
        return supremum(self.loss, self.reach)

    @property
    def _counted(self) -> int:
        """The number of coefficients, from the first on, that count in the norm."""
        return self.feature_map.size - (self.intercept is not None)

    def norm_squared(self, coefficients: Sequence[Fraction]) -> Fraction:
        """Of the coefficients that count."""
        return self.feature_map.squared_norm * sum((c * c for c in coefficients[: self._counted]), Fraction(0))

    def penalty(self, coefficients: Sequence[Fraction], n: int) -> Fraction:
        """What the ridge adds to the sum of n losses."""
        return Fraction(0) if self.ridge is None else n * self.ridge / 2 * self.norm_squared(coefficients)

    def inside(self, values: Sequence[float]) -> tuple[Fraction, ...]:
        """These coefficients, or a little less of them, so that they are exactly a model of the class."""
        found = [Fraction(value) for value in values]
        less = 2.0**-52
        while self.norm_squared(found) > self.radius**2:
            norm = float(self.norm_squared([Fraction(value) for value in values])) ** 0.5
            found = [Fraction(value * min(1.0, float(self.radius) / norm) * (1 - less)) for value in values]
            less *= 2
        if self.intercept is not None:
            last = Fraction(values[-1])
            found[-1] = max(-self.intercept, min(self.intercept, last))
        return tuple(found)

    def most(self, pull: Sequence[Fraction], n: int) -> Fraction:
        """At least the maximum of pull times coefficients minus the penalty, over the class."""
        counted = sum((g * g for g in pull[: self._counted]), Fraction(0)) / self.feature_map.squared_norm
        apart = Fraction(0) if self.intercept is None else self.intercept * abs(pull[-1])
        size = root_at_least(counted) if counted else Fraction(0)
        if self.ridge is None:
            return self.radius * size + apart
        weight = n * self.ridge
        if size <= weight * self.radius:
            return size**2 / (2 * weight) + apart
        return self.radius * size - weight * self.radius**2 / 2 + apart
