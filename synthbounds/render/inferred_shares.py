"""What is concluded about shares, as blocks of a document and as JSON: of records, in a group, between groups."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from bounds.enclosure import decimal_text
from bounds.exact import show_rational
from mechanisms.infer.findings import Interval
from mechanisms.infer.shares.ask import ProportionAnswer
from mechanisms.infer.shares.conditional import ConditionalAnswer
from mechanisms.infer.shares.difference import DifferenceAnswer
from mechanisms.infer.shares.event import Event
from mechanisms.infer.shares.noisy_share import Way
from mechanisms.infer.shares.plan import ReleaseWidths, SharePlan
from mechanisms.infer.shares.rows import RowsAnswer
from mechanisms.infer.shares.share import RADIUS_FAILS, ShareAnswer
from mechanisms.infer.shares.uncounted import UncountedAnswer
from synthbounds.render.document import Answer, Block, Facts, Table, Title, Vacuous
from synthbounds.render.inferred import KINDS, SPENT, conclusions_table, end_text

PROOF = "docs/proofs/synthbounds.noisy-proportion.md"
NAIVE = (
    "do not compute this from synthetic rows as if they were records: the usual interval ignores the noise and the "
    "drawing of rows, and covers the truth less often than its level says"
)
WAYS: dict[Way, str] = {
    "gaussian": "Gaussian, known",
    "laplace": "Laplace, known; one table is used",
    "proxy": "only a sub-Gaussian tail: valid, but longer than necessary",
    "radius": "only how far a cell may be off: valid, but longer than necessary",
}
_SINGLE = "each interval holds at its level on its own"


def shares_blocks(answer: ProportionAnswer) -> tuple[Block, ...]:
    """The sentence, the two intervals asked for, then all of them, and what they rest on."""
    table, population = answer.conclusions[:2]
    rows = [("table", _between(table), _counts(table)), ("population", _between(population), _counts(population))]
    if isinstance(answer, DifferenceAnswer):
        odds = (answer.odds_table, answer.odds_population)
        rows += [("odds ratio", _between_odds(one), _counts(one)) for one in odds if one is not None]
    blocks: list[Block] = [Title(answer.text, _sentence(answer)), Answer(tuple(rows))]
    if warning := _excludes_nothing(answer):
        blocks.append(Vacuous(warning))
    return (*blocks, conclusions_table(answer.conclusions, "Intervals"), Facts(tuple(_facts(answer))))


def shares_details(answer: ProportionAnswer) -> dict[str, Any]:
    """What belongs to this kind of question; the conclusions themselves are shown in their common form."""
    found: dict[str, Any] = {
        "size": answer.size,
        "n_is_public": answer.n_is_public,
        "statement": _sentence(answer),
        "proof": PROOF,
    }
    if isinstance(answer, ShareAnswer):
        return found | {
            "asked": "share",
            "events": [_event(event) for event in answer.events],
            "noise": answer.way,
            "tables": answer.tables,
            "noise_deviation_est": answer.deviation,
            "effective_records_est": answer.effective_records,
            "records_to_quote": answer.quoted_records,
        }
    if isinstance(answer, ConditionalAnswer):
        return found | {
            "asked": "share in a group",
            "events": [_event(answer.event)],
            "given": _event(answer.given),
            "group_may_be_empty": answer.group_may_be_empty,
            "tables": answer.tables,
        }
    if isinstance(answer, DifferenceAnswer):
        return found | {
            "asked": "difference",
            "events": [_event(answer.event)],
            "groups": [
                {**_event(one.group), "records_est": one.records_est, "may_be_empty": one.may_be_empty}
                for one in answer.groups
            ],
            "tables": answer.tables,
        }
    if isinstance(answer, UncountedAnswer):
        return found | {
            "asked": "share of an unknown number of records",
            "events": [_event(event) for event in answer.events],
            "records_est": answer.records_est,
            "tables": answer.tables,
        }
    return found | {
        "asked": "share from rows",
        "events": [_event(event) for event in answer.events],
        "rows": answer.rows,
        "share_of_rows": show_rational(answer.rows_share),
        "certificate": answer.route,
        "bound_failure": show_rational(answer.bound_failure),
    }


def shares_plan_blocks(plan: SharePlan) -> tuple[Block, ...]:
    """The widths to expect of the release that was asked for, then of others."""
    asked, free = plan.releases[0], plan.width_without_privacy
    rows = [
        ("table", _number(asked.table_width), "width of the interval for the records of the table"),
        ("population", _number(asked.population_width), "width of the interval for what they are drawn from"),
    ]
    return (
        Title(f"Plan: {plan.text}", _plan_sentence(plan)),
        Answer(tuple(rows)),
        Table(
            "Widths, by what is released",
            ("release", "tables", "table", "population", "times without privacy", "effective records"),
            tuple(_plan_row(one, free) for one in plan.releases),
            right=frozenset({1, 2, 3, 4, 5}),
        ),
        Facts(tuple(_plan_facts(plan))),
    )


def shares_plan_details(plan: SharePlan) -> dict[str, Any]:
    return {
        "events": [_event(event) for event in plan.events],
        "given": None if plan.given is None else _event(plan.given),
        "size": plan.size,
        "n_is_public": plan.n_is_public,
        "epsilon": show_rational(plan.epsilon),
        "dp_delta": None if plan.dp_delta is None else show_rational(plan.dp_delta),
        "share": show_rational(plan.share),
        "group_share": None if plan.group_share is None else show_rational(plan.group_share),
        "level": show_rational(plan.level),
        "width_without_privacy": plan.width_without_privacy,
        "releases": [
            {
                "name": one.name,
                "tables": one.tables,
                "tables_used": one.used,
                "noise_deviation_est": one.deviation,
                "table_width": one.table_width,
                "population_width": one.population_width,
                "effective_records_est": one.effective_records,
            }
            for one in plan.releases
        ],
        "proof": PROOF,
    }


def _sentence(answer: ProportionAnswer) -> str:
    """One sentence that a statistician would write."""
    table, population = answer.conclusions[:2]
    sure = f"with confidence {percent(table.level)}"
    if isinstance(answer, DifferenceAnswer):
        first, second = (one.group.text for one in answer.groups)
        what = f"The share of {answer.event.text} among records with {first} minus that among records with {second}"
    elif isinstance(answer, ConditionalAnswer):
        what = f"The share of {answer.event.text} among records with {answer.given.text}"
    else:
        what = f"The share of {answer.text}"
    kind = {"exact": "", "asymptotic": ", asymptotically", "simulated": ", by simulation"}[population.kind]
    return (
        f"{what} is between {_ends(table)} in the table, {sure}, and between {_ends(population)} in the population it "
        f"was drawn from, {sure}{kind}."
    )


def _excludes_nothing(answer: ProportionAnswer) -> str:
    """What the reader must not miss: an interval that says nothing, and why."""
    empty = [found for found in answer.conclusions[:2] if (found.lo, found.hi) in (_ALL, _ALL_DIFFERENCES)]
    odds = answer.odds_population if isinstance(answer, DifferenceAnswer) else None
    if odds is not None and odds.lo is None and odds.hi is None:
        empty.append(odds)
    if not empty:
        return ""
    parts = [part for found in empty for part in found.note.split("; ") if "no records" in part]
    if RADIUS_FAILS in answer.conclusions[1].note:
        return f"Nothing is excluded about the population: {RADIUS_FAILS}. Ask at a lower level."
    if isinstance(answer, RowsAnswer):
        return "Nothing is excluded: what is certified about the rows allows any share. Noisy tables say more."
    why = parts[0] if parts else "the noise is larger than any share"
    return f"Nothing is excluded: {why}. Release fewer tables (one table of these columns has the least noise)."


_ALL = (Fraction(0), Fraction(1))
_ALL_DIFFERENCES = (Fraction(-1), Fraction(1))


def _facts(answer: ProportionAnswer) -> list[tuple[str, str]]:
    table, population = answer.conclusions[:2]
    rows = [
        ("About", "the table: its records themselves; the population: what they were drawn from, independently"),
        ("Level, table", f"{KINDS[table.kind]}; ends certified"),
        ("Level, population", KINDS[population.kind] + ("; ends certified" if population.is_certified else "")),
        ("At once", _SINGLE + ("; those of both groups hold together" if isinstance(answer, DifferenceAnswer) else "")),
    ]
    if population.width_without_privacy is not None and population.width is not None:
        ratio = population.width / population.width_without_privacy
        rows.append(
            (
                "Without privacy",
                f"width {population.width_without_privacy:.4g} in the population; this is {ratio:.3g} times that",
            )
        )
    if isinstance(answer, ShareAnswer):
        rows.append(("Noise", WAYS[answer.way]))
        if answer.effective_records is not None and answer.quoted_records is not None:
            quoted = f"{answer.quoted_records:,} of {answer.size:,}"
            rows.append(("Records", f"{quoted} would say as much without noise: the number to give to other software"))
    if isinstance(answer, RowsAnswer):
        rows.append(("Certificate", f"{answer.route}; {answer.rows:,} rows, about which nothing else is assumed"))
    else:
        rows.append(("Tables", f"{answer.tables:,} that contain it, weighted by their noise"))
    if not answer.n_is_public:
        least = f"at least {answer.size:,}, as the release assumes"
        if isinstance(answer, RowsAnswer):
            least = f"compared with {answer.size:,}, and as close to that as the certificate says"
        if isinstance(answer, UncountedAnswer):
            least = f"about {answer.records_est:,.0f}, as its tables show"
        rows.append(("Records", f"their number is private; {least}"))
    if notes := list(dict.fromkeys(part for found in answer.conclusions for part in found.note.split("; ") if part)):
        rows.append(("Note", "; ".join(notes)))
    rows += [("Warning", NAIVE), ("Spent", SPENT), ("Proof", PROOF)]
    return rows


def _plan_facts(plan: SharePlan) -> list[tuple[str, str]]:
    rows = [("Assumed", f"the share is {show_rational(plan.share)}")]
    if plan.group_share is not None:
        rows.append(("Group", f"has {show_rational(plan.group_share)} of the records{_evenly(plan)}"))
    if plan.width_without_privacy is not None:
        rows.append(("Without privacy", f"width {plan.width_without_privacy:.4g}"))
    budget = f"epsilon {show_rational(plan.epsilon)}" + (
        "" if plan.dp_delta is None else f", delta {show_rational(plan.dp_delta)}"
    )
    rows += [("Budget", f"{budget}; nothing is spent by a plan"), ("Proof", PROOF)]
    return rows


def _evenly(plan: SharePlan) -> str:
    """Said if nothing else was assumed, or it makes no difference."""
    is_even = plan.given is not None and plan.group_share == Fraction(len(plan.given.codes), plan.given.size)
    return ", as if all values were equally frequent (--group-share sets another share)" if is_even else ""


def _plan_sentence(plan: SharePlan) -> str:
    asked, free = plan.releases[0], plan.width_without_privacy
    times = "" if not free else f", {asked.population_width / free:.3g} times the width without privacy"
    who = f"{plan.size:,} records" if plan.n_is_public else f"{plan.size:,} records or more"
    return f"From {who} the interval for the population would be {asked.population_width:.4g} wide{times}."


def _plan_row(one: ReleaseWidths, free: float | None) -> tuple[str, ...]:
    return (
        one.name,
        f"{one.tables:,}",
        _number(one.table_width),
        _number(one.population_width),
        "-" if not free else f"{one.population_width / free:.3g}",
        "-" if one.effective_records is None else f"{int(one.effective_records):,}",
    )


def _between(found: Interval) -> str:
    return f"[{end_text(found.lo, up=False)}, {end_text(found.hi, up=True)}]"


def _between_odds(found: Interval) -> str:
    """No ratio is below 0, and if nothing is excluded it may have any value."""
    lo = "0" if found.lo is None else end_text(found.lo, up=False)
    return f"[{lo}, {end_text(found.hi, up=True)}" + (")" if found.hi is None else "]")


def _ends(found: Interval) -> str:
    return f"{end_text(found.lo, up=False)} and {end_text(found.hi, up=True)}"


def _counts(found: Interval) -> str:
    where = "in the table" if found.about == "table" else "in the population"
    return f"{where}; {found.kind}, level {percent(found.level)}"


def percent(level: Fraction) -> str:
    return f"{decimal_text(level * 100, 6, up=False)} %"


def _number(value: float) -> str:
    return f"{value:.4g}"


def _event(event: Event) -> dict[str, Any]:
    return {"column": event.name, "values": list(event.texts)}
