"""Helper statements at given numbers: the value each edition of a lemma gives, enclosed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from bounds.arithmetic.ball import BALL
from bounds.enclosure import Enclosure
from bounds.errors import NotApplicable, NotCertified, ParameterError, SynthboundsError, UsageError
from bounds.exact import parse_rational
from bounds.model import Theorem
from bounds.quantities import SYMBOLS, Kind, Quantities
from bounds.shown import Shown
from bounds.sizes.routes import Formulas, decide_term
from bounds.sizes.setting import build_setting

_LARGEST_DEGREE = 10**6
_SETTING_NAMES = {"p", "t", "degree", "family", "queries"}


@dataclass(frozen=True)
class ValueResult(Shown):
    """The result of one route of one edition at the given numbers."""

    edition: str
    route: str
    name: str
    value: Enclosure | None
    integer: int | None = None
    reason: str = ""
    violated: tuple[str, ...] = ()
    """Hypotheses that are not met but do not prevent the value: each says what it then means."""


def exact_values(raw: Mapping[str, object]) -> dict[str, Fraction]:
    """Exact numbers from raw ones; p, t, degree and family are expanded into the facts of that family."""
    values: dict[str, Fraction] = {}
    if _SETTING_NAMES & raw.keys():
        family: dict[str, Any] = {name: v for name, v in raw.items() if name in {*_SETTING_NAMES, "dp_delta"}}
        family.setdefault("p", 1)
        if "queries" not in family:
            family.setdefault("degree", 1)
        values = build_setting(**family).base_values()
    for name, value in raw.items():
        if name in _SETTING_NAMES:
            continue
        if name not in SYMBOLS:
            raise UsageError(f"{name[:40]} is not a quantity: see what the theorem needs with `synthbounds explain ID`")
        values[name] = parse_rational(value, name)
        _require_kind(name, values[name], value)
    return values


def _require_kind(name: str, number: Fraction, shown: object) -> None:
    kind = SYMBOLS[name].kind
    if kind in (Kind.COUNT, Kind.DEGREE) and (number.denominator != 1 or not 1 <= number <= 10**100):
        raise ParameterError(name, shown, "a whole number from 1 to 1e100")
    if kind is Kind.DEGREE and number > _LARGEST_DEGREE:
        raise ParameterError(name, shown, f"at most {_LARGEST_DEGREE:,}", "formulas need its factorial")
    if abs(number) > 10**100:
        raise ParameterError(name, shown, "at most 1e100")
    if kind is Kind.PROBABILITY and not 0 < number < 1:
        raise ParameterError(name, shown, "greater than 0 and less than 1")
    if kind is not Kind.SIGNED and number < 0:
        raise ParameterError(name, shown, "at least 0")


def evaluate_value(theorem: Theorem, raw: Mapping[str, object], edition: str | None = None) -> tuple[ValueResult, ...]:
    """Every edition and route of a helper statement at the given numbers; refusals carry their reason."""
    if theorem.direction != "value":
        raise UsageError(f"{theorem.id} asks for sizes: use `synthbounds require --theorem {theorem.id}`")
    values = exact_values(raw)
    for name in theorem.inputs:
        if name not in values:
            raise UsageError(f"{theorem.id} needs {name}: {SYMBOLS[name].meaning}")
    results = [
        _one(theorem, e.name, route_index, values)
        for e in theorem.editions
        if edition in (None, e.name)
        for route_index in range(len(e.routes))
    ]
    if not results:
        raise NotApplicable(f"{theorem.id} has no {edition} edition")
    return tuple(results)


def _one(theorem: Theorem, edition: str, route_index: int, values: Mapping[str, Fraction]) -> ValueResult:
    found = theorem.edition(edition)
    assert found is not None
    route = found.routes[route_index]
    term = route.terms[0]
    missing = [name for name in route.inputs if name not in values]
    if missing:
        return ValueResult(edition, route.name, term.name, None, reason=f"needs {', '.join(missing)}")
    q = Quantities(BALL, values)
    violated: list[str] = []
    for hypothesis in route.hypotheses:
        if hypothesis.holds is not None and not hypothesis.holds(q):
            why = f" ({hypothesis.why})" if hypothesis.why else ""
            if not hypothesis.blocking:
                violated.append(hypothesis.text + why)
                continue
            return ValueResult(edition, route.name, term.name, None, reason=f"asks that {hypothesis.text}{why}")
    try:
        formulas = Formulas(route.derived, values)
        if term.quantity == "m":
            certificate, threshold = decide_term(term, formulas)
            return ValueResult(edition, route.name, term.name, threshold, certificate.value)
        value = formulas.enclose(term.formula)
    except (NotApplicable, NotCertified, ZeroDivisionError) as error:
        reason = str(error) if isinstance(error, SynthboundsError) else "a quantity is divided by zero"
        return ValueResult(edition, route.name, term.name, None, reason=reason)
    return ValueResult(edition, route.name, term.name, value, violated=tuple(violated))
