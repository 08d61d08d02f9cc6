"""Signs of the coefficients of the best model on the real table, and how large they can be, from a release alone.

The best model is the one of a class with the least mean loss, penalty included, on the private records themselves; a
model trained from the release is near it. Only certificates of degree 2 are used. They hold on the event of first and
second moments, which involves no model and no coefficient; so all signs and intervals, for any number of models and
classes, hold together without dividing beta. Degree 4 would need a held-out model, and beta would be divided again.
Nothing is said about a population or about causes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from bounds.certify.classes import ModelClass
from bounds.certify.model_certificate import model_certificate
from bounds.errors import NotCertified, ParameterError, UsageError
from bounds.exact import show_rational
from bounds.inference.coefficients import CoefficientEnd, CoefficientEnds
from bounds.shown import Shown
from mechanisms.infer.findings import Interval
from mechanisms.models.certify.evidence import evidence_of
from mechanisms.models.event import known_moments
from mechanisms.models.model import Model
from mechanisms.models.splits import SPLITS, splits
from release.moments.file import MomentRelease
from release.parameters import DEFAULT_BETA

Claim: TypeAlias = Literal["sign", "lower", "upper"]
"""What a certificate proves about a coefficient: its sign, or one end of its interval."""
_MOST_NAMED = 12


@dataclass(frozen=True, kw_only=True)
class CertainCoefficient:
    """What is certain about one coefficient of every best model of the class."""

    name: str
    feature: int
    """Its place, the intercept last."""
    trained: Fraction
    """The coefficient of the model; it lies between the ends, since the model is in the class and may be the best."""
    lower: CoefficientEnd | None
    """None if it was not asked for."""
    upper: CoefficientEnd | None

    @property
    def sign(self) -> int:
        """1 or -1 if every best model has a coefficient of that sign, else 0."""
        return sum(end.sign for end in (self.lower, self.upper) if end is not None and end.is_sign_certain)

    @property
    def bound(self) -> Fraction | None:
        """No model of the class whose coefficient is 0 or has the other sign has an objective below the model's by more
        than this; negative if the sign is certain. None: nothing was proved."""
        end = self.lower if self.trained > 0 else self.upper
        return None if self.trained == 0 or end is None or end.found is None else end.found.value

    @property
    def lo(self) -> Fraction | None:
        return None if self.lower is None else self.lower.end

    @property
    def hi(self) -> Fraction | None:
        return None if self.upper is None else self.upper.end


@dataclass(frozen=True, kw_only=True)
class SignsAnswer(Shown):
    """Everything holds together, except with probability beta, for every best model of the class on the real table."""

    release: MomentRelease
    model: Model
    compared_with: ModelClass
    beta: Fraction
    coefficients: tuple[CertainCoefficient, ...]
    intervals: bool
    """Whether both ends were asked for, or only the side that decides the sign."""

    @property
    def certain(self) -> int:
        """How many signs are certain."""
        return sum(one.sign != 0 for one in self.coefficients)

    def of(self, name: str) -> CertainCoefficient:
        for one in self.coefficients:
            if one.name == name:
                return one
        raise UsageError(f"{name[:60]} is not among the coefficients that were asked for")

    def interval(self, name: str) -> Interval:
        """The coefficient and its ends as an interval, like other conclusions; an end that the class sets is None."""
        one = self.of(name)
        return Interval(
            name=name,
            about="table",
            kind="exact",
            level=1 - self.beta,
            estimate=float(one.trained),
            lo=None if one.lower is None or one.lower.found is None else one.lo,
            hi=None if one.upper is None or one.upper.found is None else one.hi,
            is_certified=True,
            simultaneous=True,
            note=self._note(one),
        )

    @property
    def conclusions(self) -> tuple[Interval, ...]:
        """Coefficients of certain sign first, otherwise in the order of the model."""
        ordered = sorted(self.coefficients, key=lambda one: one.sign == 0)
        return tuple(self.interval(one.name) for one in ordered)

    def _note(self, one: CertainCoefficient) -> str:
        notes = ["of every model of the class with the least objective on the real table"]
        asked = [end for end in (one.lower, one.upper) if end is not None]
        if any(end.found is None for end in asked):
            notes.append("if an end is missing, the moments exclude no more than the class does")
        elif len(asked) == 1:
            notes.append("the other end was not asked for")
        elif not asked:
            notes.append("no end was asked for, as the model's own coefficient is 0")
        return "; ".join(notes)

    def certificate(self, name: str, claim: Claim = "sign") -> dict[str, Any]:
        """The file that proves a sign or an end of the interval, for an independent checker."""
        one = self.of(name)
        if claim == "sign":
            chosen = next((e for e in (one.lower, one.upper) if e is not None and e.is_sign_certain), None)
            if chosen is None:
                raise NotCertified(f"certificate: the sign of {name[:60]} is not certain")
            threshold = Fraction(0)
        else:
            chosen = one.lower if claim == "lower" else one.upper
            if chosen is None:
                raise UsageError(f"certificate: the {claim} end of {name[:60]} was not asked for")
            threshold = chosen.end
        resting_on = evidence_of(self.release, self.model, loss=self.compared_with.loss, beta=self.beta, weighted=False)
        return model_certificate(chosen.at(threshold), self.compared_with, resting_on, name=name)


def infer_signs(
    release: MomentRelease,
    model: Model,
    compared_with: ModelClass,
    *,
    beta: Fraction = DEFAULT_BETA,
    features: Sequence[str] | None = None,
    intervals: bool = True,
    progress: Callable[[str], None] | None = None,
) -> SignsAnswer:
    """Signs, and with `intervals` both ends, of the coefficients of these names, or of all; the model is one of the
    class. Without `intervals` only the side of the model's own sign is looked at, which takes half the time."""
    if not 0 < beta < 1:
        raise ParameterError("beta", show_rational(beta), "greater than 0 and less than 1", "a failure probability")
    if release.feature_map.digest != model.feature_map.digest:
        raise UsageError("model: its feature map is not that of the release")
    places = _places(release.feature_map.names, features)
    say = progress or (lambda _: None)
    say("the model and its class")
    ends = CoefficientEnds(
        known_moments(release, beta),
        model.coefficients,
        compared_with,
        release.feature_map.margin_range(model.coefficients),
        splits=splits(release.feature_map, model.coefficients),
        tried=SPLITS,
    )
    found = []
    for place in places:
        name, trained = release.feature_map.names[place], model.coefficients[place]
        say(f"the coefficient of {name}")
        lower = ends.end(place, 1) if intervals or trained > 0 else None
        upper = ends.end(place, -1) if intervals or trained < 0 else None
        found.append(CertainCoefficient(name=name, feature=place, trained=trained, lower=lower, upper=upper))
    return SignsAnswer(
        release=release,
        model=model,
        compared_with=compared_with,
        beta=beta,
        coefficients=tuple(found),
        intervals=intervals,
    )


def _places(names: Sequence[str], chosen: Sequence[str] | None) -> list[int]:
    """In the order of the release, each once."""
    if chosen is None:
        return list(range(len(names)))
    for name in chosen:
        if name not in names:
            listed = ", ".join(names[:_MOST_NAMED]) + (", ..." if len(names) > _MOST_NAMED else "")
            raise ParameterError("features", name[:60], f"one of {listed}", "the coefficients of the model")
    return [place for place, name in enumerate(names) if name in chosen]
