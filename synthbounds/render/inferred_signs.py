"""Certain signs of the best model's coefficients, as blocks of a document and as JSON."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from bounds.certify.model_certificate import exact_text
from bounds.enclosure import decimal_text
from bounds.exact import show_rational
from bounds.inference.coefficients import CoefficientEnd
from mechanisms.infer.signs import CertainCoefficient, SignsAnswer
from synthbounds.render.certification import class_text, objective_text
from synthbounds.render.document import Answer, Block, Facts, Table, Title, Vacuous
from synthbounds.render.inferred import SPENT
from synthbounds.render.numbers import down, nearest_text, up

NOTHING = (
    "No sign is certain: among the models whose coefficient has the other sign, or is 0, one may be as good. A smaller "
    "norm, more records or a larger budget make more signs certain."
)
_DIGITS = 4
_WORDS = {1: "positive", -1: "negative", 0: "not certain"}


def signs_sentence(answer: SignsAnswer) -> str:
    """What is certified, in one sentence."""
    sure = decimal_text((1 - answer.beta) * 100, 6, up=False)
    best = f"every {class_text(answer.compared_with)} that has the least {objective_text(answer.compared_with)}"
    asked = len(answer.coefficients)
    counted = f"{answer.certain} of the {asked} coefficients asked about have" if asked > 1 else "the coefficient has"
    if answer.certain:
        return f"With confidence {sure} %, {counted} the sign shown in {best}."
    among = f"among the {asked} coefficients" if asked > 1 else "of the coefficient"
    return f"At confidence {sure} %, the release makes no sign certain {among} asked about, in {best}."


def signs_blocks(answer: SignsAnswer) -> tuple[Block, ...]:
    """How many signs are certain, then every coefficient, then what that rests on."""
    count = f"{answer.certain} of {len(answer.coefficients)}"
    blocks: list[Block] = [
        Title("Signs of the best model's coefficients", signs_sentence(answer)),
        Answer((("signs", count, "coefficients of the best model are certain to have the sign shown"),)),
    ]
    if not answer.certain:
        blocks.append(Vacuous(NOTHING))
    return (*blocks, _table(answer), Facts(tuple(_facts(answer))))


def signs_details(answer: SignsAnswer) -> dict[str, Any]:
    """What is special to signs; numbers as text are exact and certified."""
    compared = answer.compared_with
    return {
        "statement": signs_sentence(answer),
        "beta": show_rational(answer.beta),
        "loss": compared.loss,
        "tau": _text(compared.tau),
        "ridge": _text(compared.ridge),
        "intercept": compared.intercept,
        "certain": answer.certain,
        "coefficients": [_coefficient(one) for one in answer.coefficients],
    }


def _coefficient(one: CertainCoefficient) -> dict[str, Any]:
    return {
        "name": one.name,
        "place": one.feature,
        "trained": exact_text(one.trained),
        "sign": one.sign,
        "bound": None if one.bound is None else decimal_text(one.bound, 12, up=True),
        "lower": _text(one.lo),
        "upper": _text(one.hi),
        "lower_is_of_class": None if one.lower is None else one.lower.found is None,
        "upper_is_of_class": None if one.upper is None else one.upper.found is None,
    }


def _text(value: Fraction | None) -> str | None:
    return None if value is None else exact_text(value)


def _table(answer: SignsAnswer) -> Table:
    columns = ("coefficient", "of the model", "sign in the best", *(("from", "to") if answer.intervals else ()))
    rows = []
    for one in answer.coefficients:
        ends = (_end(one.lower, upper=False), _end(one.upper, upper=True)) if answer.intervals else ()
        rows.append((one.name, nearest_text(one.trained, _DIGITS) if one.trained else "0", _WORDS[one.sign], *ends))
    marked = frozenset(place for place, one in enumerate(answer.coefficients) if one.sign)
    right = frozenset({1, 3, 4} if answer.intervals else {1})
    return Table("Coefficients", columns, tuple(rows), right=right, marked=marked, legend="the sign is certain")


def _end(end: CoefficientEnd | None, *, upper: bool) -> str:
    """In brackets if it is that of the class."""
    if end is None:
        return "-"
    shown = up(end.end, _DIGITS) if upper else down(end.end, _DIGITS)
    return f"({shown})" if end.found is None else shown


def _facts(answer: SignsAnswer) -> list[tuple[str, str]]:
    rows = [
        ("About", "exactly the records of the release's table, not a population they may be drawn from"),
        (
            "Level",
            f"exact and certified: the probability that any of them, sign or end, is wrong is at most "
            f"{show_rational(answer.beta)}, for every table, as they hold on one event",
        ),
        ("Scale", "features from -1 to 1, or 0 and 1 for values of a column; the intercept is that of a feature 1"),
        ("Without privacy", "the best model could be computed: every sign would be known, and every width be 0"),
    ]
    if any(end is not None and end.found is None for one in answer.coefficients for end in (one.lower, one.upper)):
        rows.append(("Class", "an end in brackets is that of the class itself, and says nothing about the table"))
    return [*rows, ("Proof", "docs/proofs/synthbounds.coefficient-signs.md"), ("Spent", SPENT)]
