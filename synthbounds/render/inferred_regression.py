"""Regressions asked of a release as blocks of a document and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bounds.exact import show_rational
from mechanisms.infer.findings import Interval
from mechanisms.infer.regression.answer import RegressionAnswer, Weakness
from mechanisms.infer.regression.units import Unit
from synthbounds.render.document import Answer, Block, Facts, Table, Title, Vacuous
from synthbounds.render.inferred import SPENT, end_text

PROOF = "docs/proofs/synthbounds.noisy-regression.md"
NAIVE = (
    "do not use the usual standard errors from synthetic rows, or from the noisy moments as if they were exact: they "
    "ignore the noise and are too small"
)
SCALE = "features from -1 to 1, indicators 0 or 1; a response of two values is -1 or 1"
_DIRECTION_SHOWN, _LEAST_WEIGHT, _NAMED = 4, 0.1, 3


def regression_sentence(answer: RegressionAnswer) -> str:
    """The answer as a statistician would write it."""
    regular = [j for j, name in enumerate(answer.names) if name != "intercept"] or [0]
    level = show_rational(answer.level * 100)
    of = "Ridge regression" if answer.ridge else "Least squares"
    sure = f"{level} % confidence" + (" for all formulas together" if answer.any_formula else "")
    if not answer.is_bounded:
        return (
            f"{of} of {answer.response} with {_counted(len(answer.names))}: the noise is too large to bound all of "
            f"them at {level} %; {_advice(answer.weakness)}."
        )
    what = f"{of} of {answer.response} with {_counted(len(answer.names))}"
    pairs = zip(answer.names, answer.joint, strict=True)
    certain = [(name, found) for name, found in pairs if found.sign and name != "intercept"]
    if len(regular) > 1 and certain:
        largest = sorted(certain, key=lambda pair: -abs(pair[1].estimate or 0))[:_NAMED]
        named = ", ".join(f"{name} ({_span(found)})" for name, found in largest)
        more = "" if len(certain) <= _NAMED else f" and {len(certain) - _NAMED} more"
        return f"{what}: with {sure}, all at once, these have a certain sign in the table: {named}{more}."
    place = regular[0]
    alone = answer.coefficients[place] if answer.coefficients else answer.joint[place]
    first = alone if alone.is_bounded else answer.joint[place]
    none = "; no column has a certain sign when all hold at once" if len(regular) > 1 else ""
    return f"{what}: with {sure} the coefficient of {answer.names[place]} in the table is {_span(first)}{none}."


def regression_blocks(answer: RegressionAnswer) -> tuple[Block, ...]:
    """What the coefficients of the table are, one by one and all at once; then what that rests on."""
    rows = [
        ("coefficients", f"{answer.certain} of {len(answer.names)}", "have a certain sign, all at once, certified"),
    ]
    if answer.is_bounded:
        rows += [
            (one.name, _span(one), "of the table: the share of variance that is explained")
            for one in answer.explained[:1]
        ]
    blocks: list[Block] = [Title(f"Regression: {answer.formula}", regression_sentence(answer)), Answer(tuple(rows))]
    if answer.weakness is not None:
        blocks.append(Vacuous(_weakness_text(answer, answer.weakness)))
    blocks.append(_table(answer))
    if answer.is_bounded:
        blocks += _unit_table(answer)
    if answer.population and answer.population[0].is_bounded:
        blocks += [_population_table(answer), _anyhow_table(answer)]
    return (*blocks, Facts(tuple(_facts(answer))))


def regression_details(answer: RegressionAnswer) -> dict[str, Any]:
    """What no interval says."""
    weakness = answer.weakness
    return {
        "formula": answer.formula,
        "response": answer.response,
        "response_text": answer.response_text,
        "ridge": show_rational(answer.ridge) if answer.ridge else None,
        "any_formula": answer.any_formula,
        "references": list(answer.references),
        "bounded": answer.is_bounded,
        "signs_certain": answer.certain,
        "signal_est": answer.signal,
        "unit_ball_factor_est": answer.scale,
        "coefficients": [
            {
                "name": name,
                "first_order_est": None
                if first is None
                else {"lo": first.lo, "hi": first.hi, "deviation": first.deviation},
                "unit": unit_payload(unit),
            }
            for name, first, unit in zip(
                answer.names, answer.first_order or (None,) * len(answer.names), answer.units, strict=True
            )
        ],
        "weakness": None
        if weakness is None
        else {
            "direction_est": dict(zip(answer.names, weakness.direction, strict=True)),
            "unbounded_for_sure": weakness.is_proved,
            "signal_est": weakness.signal,
            "signal_needed": weakness.needed,
            "drop": list(weakness.drop),
        },
        "notes": list(answer.notes),
        "proof": PROOF,
    }


def _table(answer: RegressionAnswer) -> Table:
    columns: tuple[str, ...] = ("coefficient", "estimate", "alone: from", "to", "all at once: from", "to")
    rows: tuple[tuple[str, ...], ...]
    if answer.any_formula:
        columns = ("coefficient", "estimate", "all at once, any formula: from", "to")
        rows = tuple(
            (name, estimate_text(joint), *ends_text(joint))
            for name, joint in zip(answer.names, answer.joint, strict=True)
        )
    else:
        rows = tuple(
            (alone.name, estimate_text(alone), *ends_text(alone), *ends_text(joint))
            for alone, joint in zip(answer.coefficients, answer.joint, strict=True)
        )
    marked = frozenset(place for place, found in enumerate(answer.joint) if found.sign)
    return Table(
        "Coefficients of the table",
        columns,
        rows,
        right=frozenset(range(1, len(columns))),
        marked=marked,
        legend="the sign is certain, all at once",
    )


def _unit_table(answer: RegressionAnswer) -> Iterator[Table]:
    rows = []
    one_by_one = bool(answer.coefficients) and answer.coefficients[0].is_bounded
    shown_ones = answer.coefficients if one_by_one else answer.joint
    for name, found, unit in zip(answer.names, shown_ones, answer.units, strict=True):
        if unit is not None and found.estimate is not None:
            ends = sorted(end * unit.factor for end in (found.lo, found.hi) if end is not None)
            shown = tuple(end_text(end, up=up) for end, up in zip(ends, (False, True), strict=True)) if ends else None
            rows.append((name, f"{found.estimate * float(unit.factor):.4g}", *(shown or ("no end",) * 2), unit.text))
    if rows:
        columns = ("coefficient", "estimate", "from", "to", "what it is")
        yield Table(
            f"In units of the table, {'each alone' if one_by_one else 'all at once'}",
            columns,
            tuple(rows),
            right=frozenset({1, 2, 3}),
        )


def _population_table(answer: RegressionAnswer) -> Table:
    rows = tuple(
        (name, estimate_text(found), *ends_text(found), _width(found), half_text(_halved(found.width_without_privacy)))
        for name, found in zip(answer.names, answer.population, strict=True)
    )
    columns = ("coefficient", "estimate", "from", "to", "half-width", "without privacy")
    title = "Coefficients of the population (asymptotic, if all residuals vary alike)"
    return Table(title, columns, rows, right=frozenset({1, 2, 3, 4, 5}))


def _anyhow_table(answer: RegressionAnswer) -> Table:
    rows = tuple(
        (name, *ends_text(found), _width(found))
        for name, found in zip(answer.names, answer.population_anyhow, strict=True)
    )
    title = "Coefficients of the population (asymptotic, however residuals vary)"
    return Table(title, ("coefficient", "from", "to", "half-width"), rows, right=frozenset({1, 2, 3}))


def _facts(answer: RegressionAnswer) -> Iterator[tuple[str, str]]:
    level = show_rational(answer.level)
    yield "About", f"least squares on the records of the table themselves; response: {answer.response_text}"
    yield "All at once", f"all hold together with probability at least {level}; ends are certified"
    if answer.coefficients:
        yield "Each alone", _alone_text(answer.coefficients[0], level)
    yield "Missing ends", "count as correct: among releases for which an interval has ends, its level need not hold"
    if answer.explained:
        yield "R squared", "; ".join(_share_text(one) for one in answer.explained)
    if answer.population and answer.population[0].is_bounded:
        yield "Population", f"{answer.population[0].note}; or {answer.population_anyhow[0].note}"
    if answer.ridge:
        shown = show_rational(answer.ridge)
        yield "Ridge", f"{shown}: ({shown}/2) norm^2 is added to half the mean squared error, features in the unit ball"
    yield "Scale", SCALE
    if answer.references:
        yield "Compared with", ", ".join(answer.references) + ": left out, since indicators add up to the intercept"
    if answer.any_formula:
        yield (
            "Chosen",
            "the level is for all formulas, responses, ridges and penalties together, even if chosen afterwards",
        )
    else:
        yield "Chosen", "the levels hold for a formula chosen without looking at this release"
    yield "Warning", NAIVE
    yield "Spent", SPENT
    yield "Proof", PROOF
    for note in answer.notes:
        yield "Note", note


def _alone_text(found: Interval, level: str) -> str:
    if not found.is_bounded:
        return f"each holds with probability at least {level}, for every table and noise; {found.note}"
    if found.kind != "exact":
        return f"each holds with probability {level}: {found.note}; ends found by search, estimates from inside"
    return (
        f"the set of each holds with probability at least {level}, for every table and noise; its ends were found by "
        "search and are estimates from inside"
    )


def _weakness_text(answer: RegressionAnswer, weakness: Weakness) -> str:
    """The combination of coefficients about which the equations say nothing, and what helps."""
    weights = sorted(zip(weakness.direction, answer.names, strict=True), key=lambda pair: -abs(pair[0]))
    shown = [(w, name) for w, name in weights if abs(w) >= _LEAST_WEIGHT][:_DIRECTION_SHOWN]
    combination = " ".join(f"{'+' if w > 0 else '-'} {abs(w):.2f} {name}" for w, name in shown).removeprefix("+ ")
    sure = "is unbounded" if weakness.is_proved else "could not be shown to be bounded"
    return (
        f"the set of all coefficients {sure}: for the combination {combination} the signal of the equations is "
        f"{weakness.signal:.2g} times their noise, and {weakness.needed:.3g} times is needed; {_advice(weakness)}"
    )


def _advice(weakness: Weakness | None) -> str:
    if weakness is None or not weakness.drop:
        return "name fewer columns, or give a ridge"
    return f"drop {', '.join(weakness.drop)}, or give a ridge"


def _share_text(found: Interval) -> str:
    sure = "certified" if found.is_certified else found.kind
    return f"{_span(found)} ({sure}{': ' if found.note else ''}{found.note})"


def _counted(count: int) -> str:
    return "one coefficient" if count == 1 else f"{count} coefficients"


def _span(found: Interval) -> str:
    if found.lo is None and found.hi is None:
        return "without bounds"
    return f"{end_text(found.lo, up=False)} to {end_text(found.hi, up=True)}"


def estimate_text(found: Interval) -> str:
    return "-" if found.estimate is None else f"{found.estimate:.4g}"


def ends_text(found: Interval) -> tuple[str, str]:
    return end_text(found.lo, up=False), end_text(found.hi, up=True)


def _width(found: Interval) -> str:
    return half_text(_halved(found.width))


def _halved(width: float | None) -> float | None:
    return None if width is None else width / 2


def half_text(half: float | None) -> str:
    return "-" if half is None else f"{half:.3g}"


def unit_payload(unit: Unit | None) -> dict[str, str] | None:
    return None if unit is None else {"factor": show_rational(unit.factor), "text": unit.text}
