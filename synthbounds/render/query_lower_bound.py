"""Where Theorem 4.1 of zhou2024 is empty, as a document and as JSON."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from bounds.enclosure import decimal_text
from bounds.exact import show_rational
from bounds.risk.query_lower_bound import Condition, Joint, QueryLowerBound
from bounds.solve import IntegerCertificate
from bounds.values import ValueResult
from synthbounds.render.document import Block, Document, Facts, Table, Title, Vacuous
from synthbounds.render.numbers import enclosure_text, integer_text, json_enclosure, json_integer

_DIGITS = 10
_LARGEST_IN_TABLE = 10**16
_EDITIONS = {
    "printed": "Definition B.1 as printed: m = 2 ln^5 n, gamma = 1/ln^3 n, d = c' ln n/(3 ln ln n)",
    "corrected": "Corrected: m = 2 ln^7 n, gamma = 1/ln^3 n, d = c' ln n/(3 ln ln n)",
    "sharp": "Sharp: gamma^(-1/3) = max(ln n/c, 9), m = 2 gamma^(-7/3), any order",
}
_QUOTED = "Theorem B.3 is Theorem 5 of dagan2020, quoted and not proved here; its constant c is not known"


def lower_document(report: QueryLowerBound) -> Document:
    c = "c is left open" if report.query_constant is None else f"c = {show_rational(report.query_constant)}"
    share = f"c' = {show_rational(report.share)}"
    blocks: list[Block] = [Title("Where the lower bound of Theorem 4.1 says something", f"{c}, {share}")]
    vacuous = not any(j.holds for j in report.joint if j.edition == "corrected")
    if vacuous:
        blocks.append(Vacuous(f"corrected edition: {report.empty}"))
    others = [(j.edition, j.sentence) for j in report.joint if not (vacuous and j.sentence == report.empty)]
    blocks.append(Facts((*others, *_earlier(report), ("Quoted", _QUOTED))))
    for edition in dict.fromkeys(k.edition for k in report.conditions):
        blocks.append(_table(edition, [k for k in report.conditions if k.edition == edition], report.log_n))
    if report.log_n is not None:
        blocks.append(Facts(tuple(_at(report)), title=f"At ln n = {show_rational(report.log_n)}"))
    if report.lower or report.upper:
        values = (("at least", report.lower), ("at most", report.upper))
        rows = tuple((f"{side}, {v.edition}", _value(v)) for side, found in values for v in found)
        blocks.append(Facts(rows, title="Excess risk"))
    return tuple(blocks)


def _earlier(report: QueryLowerBound) -> tuple[tuple[str, str], ...]:
    """Conditions that hold, fail and hold again as n grows."""
    twice = [(k.earlier, k) for k in report.conditions if k.earlier is not None and k.edition == "corrected"]
    if not twice:
        return ()
    last = decimal_text(max(e.hi for e, _ in twice), 6, up=True)
    names = ", ".join(k.statement for _, k in twice)
    return (("Earlier", f"{names} also hold for some ln n up to {last}, where gamma < 2^-6 fails"),)


def _table(edition: str, conditions: list[Condition], log_n: Fraction | None) -> Table:
    columns: tuple[str, ...] = ("condition", "needed for", "from ln n on", "from n on")
    if log_n is not None:
        columns = (*columns, "holds")
    rows: list[tuple[str, ...]] = []
    for k in conditions:
        row = (k.statement, k.role, _threshold(k), _records(k.smallest))
        rows.append(row if log_n is None else (*row, _truth(k.holds)))
    return Table(_EDITIONS[edition], columns, tuple(rows), right=frozenset({2, 3}))


def _threshold(condition: Condition) -> str:
    if not condition.known:
        return "depends on c"
    if condition.threshold is None:
        return "never"
    return enclosure_text(condition.threshold, _DIGITS)


def _records(smallest: IntegerCertificate | None) -> str:
    if smallest is None or smallest.value < _LARGEST_IN_TABLE:
        return integer_text(smallest.value if smallest else None)
    return decimal_text(Fraction(smallest.value), 6, up=True)


def _truth(holds: bool | None) -> str:
    return {True: "yes", False: "no", None: "-"}[holds]


def _at(report: QueryLowerBound) -> list[tuple[str, str]]:
    facts = [(f"{j.edition} conditions", _joint_truth(j)) for j in report.joint]
    if report.order is not None:
        facts.append(("d of Definition B.1", enclosure_text(report.order, _DIGITS)))
    if report.largest_order is not None:
        facts.append(("largest order, sharp", integer_text(report.largest_order)))
    return facts


def _joint_truth(joint: Joint) -> str:
    return {True: "all hold", False: "not all hold", None: "all that are known hold"}[joint.holds]


def _value(value: ValueResult) -> str:
    said = value.reason if value.value is None else enclosure_text(value.value, _DIGITS)
    return f"{said} [{value.route}]"


def lower_payload(report: QueryLowerBound) -> dict[str, Any]:
    return {
        "log_n": None if report.log_n is None else show_rational(report.log_n),
        "query_constant": None if report.query_constant is None else show_rational(report.query_constant),
        "share": show_rational(report.share),
        "empty": report.empty,
        "joint": [
            {
                "edition": j.edition,
                "feasible": j.feasible,
                "log_n": json_enclosure(j.threshold),
                "n": json_integer(j.smallest.value if j.smallest else None),
                "binding": j.binding,
                "sentence": j.sentence,
                "holds": j.holds,
            }
            for j in report.joint
        ],
        "conditions": [
            {
                "name": k.name,
                "statement": k.statement,
                "edition": k.edition,
                "needed_for": k.role,
                "asked_above": show_rational(k.start),
                "log_n": json_enclosure(k.threshold),
                "also_up_to": json_enclosure(k.earlier),
                "n": json_integer(k.smallest.value if k.smallest else None),
                "known": k.known,
                "holds": k.holds,
            }
            for k in report.conditions
        ],
        "order": json_enclosure(report.order),
        "largest_order": json_integer(report.largest_order),
        "lower": [_value_payload(v) for v in report.lower],
        "upper": [_value_payload(v) for v in report.upper],
        "quoted": _QUOTED,
    }


def _value_payload(value: ValueResult) -> dict[str, Any]:
    return {
        "edition": value.edition,
        "route": value.route,
        "value": json_enclosure(value.value),
        "reason": value.reason,
    }
