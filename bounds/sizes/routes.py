"""Run one route of an edition at a setting: check its hypotheses and decide every integer it requires."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from bounds.arithmetic.ball import BALL
from bounds.enclosure import (
    BallNumber,
    Enclosure,
    Truth,
    Undecided,
    as_fmpq,
    at_most,
    decimal_text,
    precision_in_force,
    with_growing_precision,
)
from bounds.errors import NotApplicable, NotCertified
from bounds.exact import show_rational
from bounds.model import COUNTS, Derived, Edition, Formula, Hypothesis, Route, Term, Theorem
from bounds.privacy.adjacency import Adjacency
from bounds.quantities import Choices, Quantities
from bounds.sizes.requirement import TermResult
from bounds.sizes.setting import Setting
from bounds.solve import IntegerCertificate, enclose, smallest_integer_at_least, smallest_integer_where


@dataclass(frozen=True)
class RouteOutcome:
    """What one route requires at one setting."""

    route: Route
    choices: Choices
    counts: Mapping[str, int]
    terms: tuple[TermResult, ...]
    values: Mapping[str, Fraction]
    precision: int

    def size(self) -> tuple[int, int, int]:
        """Fewest records first, then reference points, then synthetic records."""
        return self.counts.get("n", 0), self.counts.get("m", 0), self.counts.get("k", 0)

    @cached_property
    def formulas(self) -> Formulas:
        """The route's formulas at the decided sizes."""
        return Formulas(self.route.derived, self.values, self.choices)


class Formulas:
    """Formulas of a route at exact values; what they share is computed once at each precision."""

    def __init__(
        self, derived: tuple[Derived, ...], values: Mapping[str, Fraction], choices: Choices | None = None
    ) -> None:
        self._derived, self._choices = derived, choices
        self._exact = {name: as_fmpq(value) for name, value in values.items()}
        self._known: dict[int, Quantities] = {}

    def quantities(self, **more: int) -> Quantities:
        """As exact rationals and balls, at the precision in force; `more` replaces known ones."""
        if more:
            moved = {name: as_fmpq(value) for name, value in more.items()}
            return Quantities(BALL, {**self._exact, **moved}, self._derived, self._choices)
        bits = precision_in_force()
        if bits not in self._known:
            self._known[bits] = Quantities(BALL, self._exact, self._derived, self._choices)
        return self._known[bits]

    def enclose(self, formula: Formula) -> Enclosure:
        """A tight enclosure of a formula."""
        return enclose(lambda: formula(self.quantities(), BALL))


def run_route(theorem: Theorem, edition: Edition, route: Route, setting: Setting) -> RouteOutcome:
    choices = setting.choices(route)
    values = setting.base_values()
    _check_fit(theorem, edition, route, setting, choices)
    _check_hypotheses(theorem, edition, route, values)
    counts: dict[str, int] = {}
    terms: list[TermResult] = []
    bits = 0
    if route.rows and choices.k_given:
        counts["k"] = int(values["k"])
    elif "k" in values:
        values = {name: v for name, v in values.items() if name != "k"}
    for name in route.positive:
        _require_positive(theorem, edition, route, name, values, choices)
    for quantity in COUNTS:
        if quantity == "k" and route.rows and (choices.k_given or choices.density_released):
            continue
        own = [t for t in route.terms if t.quantity == quantity]
        if not own:
            continue
        formulas = Formulas(route.derived, values, choices)
        decided = [decide_term(t, formulas) for t in own]
        largest = max(range(len(own)), key=lambda i: (decided[i][0].value, decided[i][1].midpoint))
        for i, (term, (certificate, threshold)) in enumerate(zip(own, decided, strict=True)):
            given = quantity == "k" and choices.k_given  # then no term decides it
            binding = i == largest and not given
            terms.append(TermResult(quantity, term.name, threshold, certificate, binding, term.note))
            bits = max(bits, certificate.precision)
        counts[quantity] = decided[largest][0].value
        values[quantity] = Fraction(counts[quantity])
    if setting.k is not None and not route.rows and "k" in counts:
        if setting.k < counts["k"]:
            raise NotApplicable(
                f"k = {setting.k}: {theorem.id} ({edition.name}) asks for at least {counts['k']} synthetic records"
            )
        counts["k"] = setting.k
    return RouteOutcome(route, choices, counts, tuple(terms), values, bits)


def _check_fit(theorem: Theorem, edition: Edition, route: Route, setting: Setting, choices: Choices) -> None:
    where = f"{theorem.id} ({edition.name})"
    if edition.name == "printed" and setting.adjacency is not Adjacency.REPLACE_ONE:
        raise NotApplicable(f"adjacency = add-remove: {where} is stated for replace-one only")
    if route.mechanisms and not choices.mechanisms:
        raise NotApplicable(f"mechanism = {setting.mechanism}: the route {route.name} of {where} does not use it")
    if route.rows and not choices.rows and not choices.density_released:
        raise NotApplicable(f"rows = {setting.rows}: the route {route.name} of {where} does not use them")
    if route.one_way:
        _require_one_way(where, route, setting)
    if not route.mechanisms and setting.mechanism not in (None, "laplace"):
        raise NotApplicable(f"mechanism = {setting.mechanism}: {where} is stated for Laplace noise only")
    if not route.rows and setting.rows not in (None, "sampling"):
        raise NotApplicable(f"rows = {setting.rows}: {where} draws its synthetic records independently")
    if not route.rows and choices.density_released and theorem.direction == "sufficient":
        raise NotApplicable(f"release = density: {where} is stated for synthetic records")


def _require_one_way(where: str, route: Route, setting: Setting) -> None:
    family, accuracy = setting.family, 8 * setting.numbers["delta"]
    if family.one_way is None:
        raise NotApplicable(f"family = {family.name}: its one-way answers imply nothing about the others ({where})")
    least = min(family.plain, family.centred)
    if accuracy <= least:
        shown = decimal_text(least, 6, up=True)
        raise NotApplicable(f"accuracy = {show_rational(accuracy)}: a {route.name} promises no less than {shown}")


def _check_hypotheses(theorem: Theorem, edition: Edition, route: Route, values: Mapping[str, Fraction]) -> None:
    q = Quantities(BALL, values)
    for hypothesis in route.hypotheses:
        if hypothesis.holds is not None and hypothesis.blocking and not hypothesis.holds(q):
            raise NotApplicable(_violation(theorem, edition, hypothesis, values))


def _violation(theorem: Theorem, edition: Edition, hypothesis: Hypothesis, values: Mapping[str, Fraction]) -> str:
    name = next((word for word in hypothesis.text.split() if word in values), "")
    start = f"{name} = {show_rational(values[name])}: " if name else ""
    reason = f" ({hypothesis.why})" if hypothesis.why else ""
    return f"{start}{theorem.id} ({edition.name}) asks that {hypothesis.text}{reason}"


def _require_positive(
    theorem: Theorem,
    edition: Edition,
    route: Route,
    name: str,
    values: Mapping[str, Fraction],
    choices: Choices,
) -> None:
    def positive() -> bool:
        number = getattr(quantities(route.derived, values, choices), name)
        answer = at_most(number, 0)
        if answer is Truth.UNKNOWN:
            raise Undecided
        return answer is Truth.FALSE

    if with_growing_precision(positive)[0]:
        return
    if not choices.k_given:
        raise NotApplicable(f"{theorem.id} ({edition.name}): the accuracy leaves no room for noise")
    k = int(values["k"])
    spent = enclose_formula(lambda q, A: q.e_k, route.derived, values, choices)
    raise NotApplicable(
        f"k = {k}: this few synthetic records alone cost {decimal_text(spent.hi, 6, up=True)} of the accuracy "
        f"{show_rational(8 * values['delta'])}; {_fewest_rows(route, name, values, choices)} are needed"
    )


def _fewest_rows(route: Route, name: str, values: Mapping[str, Fraction], choices: Choices) -> str:
    """The fewest synthetic records that leave something of the accuracy for noise, if that can be computed."""

    def left(k: int) -> BallNumber:
        number: BallNumber = getattr(quantities(route.derived, {**values, "k": Fraction(k)}, choices), name)
        return number

    try:
        fewest = smallest_integer_where(left, start=int(values["k"]))
    except NotCertified:  # some number of them leaves nothing at all, exactly
        return "more"
    return f"at least {fewest.value + (1 if fewest.margin_at_value.hi == 0 else 0)}"


def quantities(
    derived: tuple[Derived, ...], values: Mapping[str, Fraction], choices: Choices | None = None
) -> Quantities:
    """The quantities of a route as exact rationals and balls, at the precision in force."""
    return Formulas(derived, values, choices).quantities()


def decide_term(term: Term, formulas: Formulas) -> tuple[IntegerCertificate, Enclosure]:
    """The integer that one term forces, proved, and the enclosure of its real threshold."""

    def number(**more: int) -> BallNumber:
        value: BallNumber = term.formula(formulas.quantities(**more), BALL)
        return value

    if term.kind == "threshold":
        return smallest_integer_at_least(number)
    start = 1
    if term.start is not None:
        start = max(1, round(formulas.enclose(term.start).midpoint))
    certificate = smallest_integer_where(lambda value: number(**{term.quantity: value}), start=start)
    return certificate, Enclosure(Fraction(certificate.value - 1), Fraction(certificate.value))


def enclose_formula(
    formula: Formula, derived: tuple[Derived, ...], values: Mapping[str, Fraction], choices: Choices | None = None
) -> Enclosure:
    """A tight enclosure of a formula at exact values."""
    return Formulas(derived, values, choices).enclose(formula)


def derived_in_use(outcome: RouteOutcome) -> list[Derived]:
    """The derived quantities that exist with the mechanisms and rows that are allowed."""
    choices = outcome.choices
    adjacency = "replace-one" if choices.exchanges_records else "add-remove"
    used = (*choices.mechanisms, *choices.rows, adjacency)
    return [d for d in outcome.route.derived if not d.needs or d.needs in used]


def enclose_derived(name: str, outcome: RouteOutcome) -> Enclosure:
    """A derived quantity at the decided sizes; a value the user gave takes its place."""
    return outcome.formulas.enclose(lambda q, A: getattr(q, name))
