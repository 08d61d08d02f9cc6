"""An approximation, and the verdict on a certificate, as a document and as JSON."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from bounds.approximation.approximate import METHODS
from bounds.approximation.context import Context
from bounds.approximation.result import Approximation
from bounds.enclosure import Enclosure
from bounds.exact import show_rational
from synthbounds.render.document import Answer, Block, Document, Facts, Table, Title
from synthbounds.render.numbers import enclosure_text, json_enclosure, nearest_text

_MOST_ROWS = 24
_DIGITS = 15


def approximation_document(answer: Approximation, known: Context) -> Document:
    question = answer.question
    method, _, iterations = answer.method.partition(":")
    title = METHODS[method].title + {"": "", "inf": ", limit"}.get(iterations, f", h = {iterations}")
    ends = f"[{show_rational(question.left)}, {show_rational(question.right)}]"
    name = question.function.name
    meaning = f", {question.function.meaning}" if question.function.meaning else ""
    # a levelled error is equally large at every point of its reference: none of them is the place
    place = f"x = {nearest_text(answer.norm.at, 8)}" if answer.lower is None else f"{len(answer.lower.points)} points"
    blocks: list[Block] = [
        Title(f"{title} of degree {answer.degree}", f"for {name} on {ends}{meaning}"),
        Answer(
            (
                ("error", _number(answer.error), f"largest |f - P|, reached at {place}"),
                ("sum |a_k|", _number(answer.coefficient_sum), "all coefficients in powers of x"),
                *_objective_row(answer),
            )
        ),
        Facts(tuple(_facts(answer, known))),
        _coefficients(answer),
    ]
    return tuple(blocks)


def _objective_row(answer: Approximation) -> tuple[tuple[str, str, str], ...]:
    if answer.objective is None:
        return ()
    s = show_rational(answer.objective.marginal_error)
    return (("value", _number(answer.objective.value), f"2 osc(P - f) + 2 s sum_(k>=1) |a_k| R^k, s = {s}"),)


def _number(enclosure: Enclosure) -> str:
    if enclosure.lo <= 0 < enclosure.hi:
        return f"at most {enclosure.decimal(3)[1]}"
    return enclosure_text(enclosure, _DIGITS)


def _facts(answer: Approximation, known: Context) -> list[tuple[str, str]]:
    facts: list[tuple[str, str]] = []
    least = answer.minimax_error
    if answer.method == "minimax" and answer.lower is not None and least is not None:
        claim = f"no polynomial of degree {answer.degree} has a smaller error"
        facts.append(("Least", f"{claim}: it alternates on these points"))
    elif least is not None and 0 < least.hi < answer.error.lo:
        times = nearest_text(answer.error.hi / least.lo, 4)
        least_text = f"{_number(least)} is the least error of any polynomial of degree {answer.degree} (minimax)"
        facts.append(("Least", f"{least_text}; the error of this one is {times} times as large"))
    if answer.objective is not None:
        gap = nearest_text(answer.objective.gap, 2)
        facts.append(("Least", f"no polynomial of this degree has a value smaller by more than {gap} (moment problem)"))
    facts += [("Bound", f"{enclosure_text(b.value, 10)} by {b.theorem}") for b in known.bounds]
    constants = [("f", known.slopes.slope), ("f'", known.slopes.curvature)]
    shown = [f"{name} {enclosure_text(c, 10)}" for name, c in constants if c is not None]
    if shown:
        facts.append(("Lipschitz", "; ".join(shown)))
    kinks = answer.question.kinks
    if kinks:
        places = ", ".join(nearest_text(k, 8) if k else "0" for k in kinks[:8])
        facts.append(("Kinks", f"x = {places}"))
    width = answer.error.hi - answer.error.lo
    relative = nearest_text(width / answer.error.hi, 2) if answer.error.lo > 0 else "undecided"
    facts.append(("Certified", f"both sides, relative width {relative}; {answer.precision} bits"))
    facts += [("Note", note) for note in answer.notes]
    return facts


def _coefficients(answer: Approximation) -> Table:
    rows = [(str(k), _coefficient(c)) for k, c in enumerate(answer.coefficients)]
    hidden = len(rows) - _MOST_ROWS
    title = "Coefficients"
    if hidden > 0:
        title = f"Coefficients (the first {_MOST_ROWS}; --format json has all {len(rows)})"
    return Table(title, ("power of x", "coefficient"), tuple(rows[:_MOST_ROWS]), right=frozenset({0, 1}))


def _coefficient(enclosure: Enclosure) -> str:
    if enclosure.lo == enclosure.hi == 0:
        return "0"
    if enclosure.lo <= 0 <= enclosure.hi:
        return f"within {enclosure.decimal(2)[1]} of 0"
    return nearest_text(enclosure.midpoint, _DIGITS)


def approximation_payload(answer: Approximation, known: Context) -> dict[str, Any]:
    question, objective = answer.question, answer.objective
    return {
        "function": question.function.name,
        "expression": question.function.text,
        "interval": [show_rational(question.left), show_rational(question.right)],
        "degree": answer.degree,
        "method": answer.method,
        "error": json_enclosure(answer.error),
        "attained_at": json_enclosure(Enclosure.of(answer.norm.at)),
        "minimax_error": json_enclosure(answer.minimax_error),
        "coefficient_sum": json_enclosure(answer.coefficient_sum),
        "coefficients": [json_enclosure(c) for c in answer.coefficients],
        "lipschitz": {
            "function": json_enclosure(known.slopes.slope),
            "derivative": json_enclosure(known.slopes.curvature),
        },
        "bounds": [{"theorem": b.theorem, "value": json_enclosure(b.value)} for b in known.bounds],
        "kinks": [json_enclosure(Enclosure.of(k)) for k in question.kinks],
        "objective": None
        if objective is None
        else {
            "marginal_error": show_rational(objective.marginal_error),
            "radius": show_rational(objective.radius),
            "value": json_enclosure(objective.value),
            "gap": json_enclosure(Enclosure(Fraction(0), max(objective.gap, Fraction(0)))),
        },
        "notes": list(answer.notes),
        "certified": True,
    }
