"""The promise of the numbers: the privacy statement, the guarantee, and whether it is vacuous."""

from __future__ import annotations

from fractions import Fraction

from bounds.enclosure import Enclosure, decimal_text, integer_text
from bounds.exact import show_rational
from bounds.model import Promise
from bounds.pieces.noise import MECHANISMS
from bounds.privacy.adjacency import Adjacency
from bounds.queries import QueryFamily
from bounds.sizes.requirement import DerivedResult, Guarantee, PrivacyStatement
from bounds.sizes.routes import RouteOutcome
from bounds.sizes.setting import Setting


def guarantee_of(outcome: RouteOutcome, setting: Setting, derived: tuple[DerivedResult, ...]) -> Guarantee:
    """The promise of the route at the decided sizes."""
    promise = outcome.route.promise
    if promise is None:
        raise AssertionError(f"the route {outcome.route.name} makes no promise")

    def value(formula_name: str) -> Enclosure:
        return outcome.formulas.enclose(getattr(promise, formula_name))

    accuracy, failure = value("accuracy"), value("failure")
    reasons = _vacuous_reasons(accuracy, failure, promise, setting)
    return Guarantee(
        accuracy=accuracy,
        failure_probability=failure,
        privacy=_privacy(outcome, setting, value("privacy"), derived),
        any_data=promise.any_data,
        vacuous=bool(reasons),
        reason="; ".join(reasons) or promise.failure_note,
    )


def _vacuous_reasons(accuracy: Enclosure, failure: Enclosure, promise: Promise, setting: Setting) -> list[str]:
    reasons = []
    trivial = setting.family.trivial_accuracy
    if accuracy.lo >= trivial:
        shown = show_rational(accuracy.lo)
        why = f"a table chosen without looking at the data has error at most {show_rational(trivial)}"
        reasons.append(f"accuracy {shown} is no promise: {why}")
    if failure.lo >= 1:
        reasons.append(f"failure probability {show_rational(failure.lo)} is no promise")
    return reasons


def chosen_mechanism(outcome: RouteOutcome, derived: tuple[DerivedResult, ...]) -> str:
    """The noise with the least coefficient among those the route may use; Laplace if it is fixed."""
    names = outcome.choices.mechanisms
    if not names:
        return "laplace"
    size = {d.name: d.enclosure.hi for d in derived}
    return min(names, key=lambda name: (size.get(MECHANISMS[name].coefficient, Fraction(0)), names.index(name)))


def _privacy(
    outcome: RouteOutcome, setting: Setting, epsilon: Enclosure, derived: tuple[DerivedResult, ...]
) -> PrivacyStatement:
    mechanism = MECHANISMS[chosen_mechanism(outcome, derived)]
    one_way = setting.family.one_way if outcome.route.one_way else None
    family = setting.family if one_way is None else one_way
    over = "n" if setting.adjacency is Adjacency.REPLACE_ONE else "n0"
    answers = f"{integer_text(family.varying)} answers"
    if outcome.route.noise_on_constants:
        total, moved = integer_text(family.total), integer_text(2 * family.total)
        sensitivity = f"all {total} answers together move by at most {moved}/{over} in L1"
    elif mechanism.name.startswith("contrast"):
        sensitivity = _contrasts_move(family, mechanism.norm, over)
    elif mechanism.norm == "L1":
        sensitivity = f"the {answers} together move by at most {_amount(family.l1_sensitivity)}/{over} in L1"
    elif mechanism.norm == "sup":
        sensitivity = f"each of the {answers} moves by at most {family.range_width}/{over}"
    else:
        squared = _amount(family.l2_sensitivity_squared)
        sensitivity = f"the {answers} together move by at most sqrt({squared})/{over} in L2"
    return PrivacyStatement(
        epsilon=epsilon,
        dp_delta=Enclosure.of(setting.numbers["dp_delta"]) if mechanism.needs_dp_delta else None,
        adjacency=setting.adjacency,
        sensitivity=sensitivity,
        least_public_size=None if setting.adjacency is Adjacency.REPLACE_ONE else outcome.counts["n"],
        mechanism=mechanism.label,
    )


def _amount(value: int | Fraction) -> str:
    return integer_text(int(value)) if value == int(value) else show_rational(value)


def _contrasts_move(family: QueryFamily, norm: str, over: str) -> str:
    facts = family.contrasts
    assert facts is not None
    contrasts = f"{integer_text(family.dimension)} contrasts"
    if norm == "sup":
        return f"each of the {contrasts} moves by at most {facts.width}/{over}"
    shown = decimal_text(facts.moved, 6, up=True)
    scaled = "each over the square root of its variance, together"
    return f"the {contrasts}, {scaled} move by at most sqrt({shown})/{over} in L2"
