"""The page of a synthetic table: what is certified about it, its columns against what was released, and every pair.

Everything on it follows from the release, the finished table and public facts: whoever has the published files can
make it again, except for tables by the linear programme, whose noisy answers are in no file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from bounds.exact import show_rational
from mechanisms.synth.log_summary import summarise
from mechanisms.synth.one_way import measured_shares
from mechanisms.synth.pair_errors import COLUMNS, pair_errors
from release.data.tables import printable
from release.log.file import MarginalLog
from release.noise.kinds import NOT_A_RELEASE
from synthbounds.render.numbers import up
from synthbounds.render.private_table import TRIVIAL
from synthbounds.report.cautions import (
    NO_MORE_THAN_CERTIFIED,
    NOT_A_LEGAL_OPINION,
    NOT_THE_POPULATION,
    OTHER_RELEASES,
    ROWS_ARE_NOBODY,
    SIMULATED,
    SMALL_GROUPS,
    may_fail,
)
from synthbounds.report.one_person import one_person
from synthbounds.report.plain import in_brackets, points, surely, unless_text
from synthbounds.report.shares import bar_columns, said_of_columns, synthetic_shares
from synthbounds.report.sheet import Bars, Cautions, CellError, Certified, Details, HeatMap, Part, Sheet
from synthbounds.report.spending import spending_of, spending_row

if TYPE_CHECKING:
    from bounds.privacy.ledger import Ledger
    from lp.synthesis.run import Synthesis
    from mechanisms.synth.private_table import PrivateTable
    from release.data.schema import Schema
    from synthbounds.render.document import Document

MOST_PAIRED = 40
"""Columns of the map of pairs."""
WEAK = Fraction(1, 10)
"""A larger error of a share leaves little to see."""
_UNIT = "largest error, in points"
_IN_HERE = "the real one is in here"
Pair = tuple[int, int]


def private_table_sheet(found: PrivateTable, document: Document) -> Sheet:
    """Of a table made from a release."""
    known, schema = found.known, found.schema
    sure = known.beta, known.least_size
    shares = synthetic_shares(found.rows, schema)
    own = {u: m for u, m in enumerate(measured_shares(found.release, known.beta)) if m is not None}
    paired = _paired(known.one_way)
    errors = pair_errors(found, paired)
    best = {pair: one.error for pair, one in errors.items()}
    weak = {pair for pair, one in errors.items() if one.by == COLUMNS}
    columns = bar_columns(schema, measured=own, synthetic=shares, within=known.one_way)
    bars = Bars(
        "Each column: released and synthetic",
        columns,
        _IN_HERE,
        f"{in_brackets(*sure)} {said_of_columns(schema, columns)}",
        f"Each real share is inside its bracket, all at once, {unless_text(*sure)}.",
    )
    ledger = found.release.cost
    assert ledger is not None, "it was made here"
    return _sheet(
        found.k,
        schema,
        _certified(max(known.one_way), best if len(paired) == len(shares) else {}, sure),
        max(known.one_way),
        bars,
        _map(schema, paired, known.one_way, best, sure, weak=weak),
        ledger,
        document,
        beta=known.beta,
        is_simulated=found.is_simulated,
        spent_on=summarise(found.release).parts if isinstance(found.release, MarginalLog) else None,
        note="" if not found.is_redrawn else "New rows of a log spend nothing; this is what the log cost.",
    )


def programme_sheet(found: Synthesis, schema: Schema, document: Document) -> Sheet:
    """Of a table by the linear programme."""
    from bounds.privacy.adjacency import Adjacency
    from lp.synthesis.cell_errors import cell_errors

    question, noise = found.plan.question, found.plan.noise
    public = question.adjacency is Adjacency.REPLACE_ONE
    sure = noise.beta, None if public else question.size
    known = cell_errors(found, ()).columns
    paired = _paired(known)
    errors = cell_errors(found, paired)
    best = {} if found.noise_exceeded else errors.pairs
    columns = bar_columns(
        schema,
        measured={},
        synthetic=synthetic_shares(found.rows, schema),
        within=[Fraction(1)] * len(known) if found.noise_exceeded else known,
    )
    bars = Bars(
        "Each column of the synthetic table",
        columns,
        _IN_HERE,
        "The noisy answers of this method are in no file, so only percentages of the synthetic table are drawn. "
        f"{in_brackets(*sure)} {said_of_columns(schema, columns)}",
        f"Each real share is inside its bracket, all at once, {unless_text(*sure)}.",
    )
    sentence = _certified(Fraction(1), {}, sure)
    if not found.noise_exceeded:
        whole = best if len(paired) == len(known) else {}
        sentence = _certified(max(known), whole, sure, query=found.accuracy)
    return _sheet(
        found.plan.k,
        schema,
        sentence,
        Fraction(1) if found.noise_exceeded else max(known),
        bars,
        _map(schema, paired, known, best, sure, weak=errors.weak & best.keys()),
        found.ledger,
        document,
        beta=noise.beta,
        is_simulated=found.seed is not None,
    )


def _sheet(
    k: int,
    schema: Schema,
    certified: Certified,
    share: Fraction,
    bars: Bars,
    pairs: HeatMap | None,
    ledger: Ledger,
    document: Document,
    *,
    beta: Fraction,
    is_simulated: bool,
    spent_on: Mapping[str, Fraction] | None = None,
    note: str = "",
) -> Sheet:
    person = one_person(ledger, is_simulated=is_simulated)
    spent = spending_of(ledger, is_simulated=is_simulated, note=note)
    parts: list[Part] = [
        certified,
        *([] if person is None else [person]),
        spent if not spent_on else replace(spent, rows=tuple(spending_row(*row) for row in spent_on.items())),
        bars,
        *([] if pairs is None else [pairs]),
        Cautions(
            (
                *((SIMULATED,) if is_simulated else ()),
                ROWS_ARE_NOBODY,
                SMALL_GROUPS,
                NO_MORE_THAN_CERTIFIED,
                may_fail(show_rational(beta)),
                NOT_THE_POPULATION,
                OTHER_RELEASES,
                NOT_A_LEGAL_OPINION,
            )
        ),
        Details(document),
    ]
    return Sheet(
        "A synthetic table",
        f"{k:,} rows of {len(schema.columns):,} columns{source_text(schema)}",
        tuple(parts),
        stamp=NOT_A_RELEASE if is_simulated else None,
        purpose=_purpose(certified, share, pairs, len(schema.columns)),
    )


def source_text(schema: Schema) -> str:
    """Where the columns and their possible values come from, as the schema says it."""
    return f"; columns and values: {printable(schema.note)}" if schema.note else ""


def _purpose(certified: Certified, share: Fraction, pairs: HeatMap | None, columns: int) -> str:
    """What the certificate allows, and what nothing is certified about."""
    if not certified.holds:
        return "Use this table to try programs and formats, not for conclusions: hardly anything is certified about it."
    use, never = "the answers that the method was asked for", "relations of columns"
    if share < TRIVIAL:
        cells = [] if pairs is None else [cell for row, line in enumerate(pairs.values) for cell in line[:row]]
        promised = sum(cell is not None and not cell.is_weak and cell.value < TRIVIAL for cell in cells)
        use = "percentages of one column"
        if promised:
            every = promised == columns * (columns - 1) // 2
            use += " and of two columns" if every else " and of those pairs whose relation the map below promises"
            never = "relations of three or more columns"
    return (
        f"Use this table for {use}, as far as the errors below allow; not for single people, small groups or {never}, "
        "about which nothing on this page is certified."
    )


def _certified(
    share: Fraction,
    pairs: Mapping[Pair, Fraction],
    sure: tuple[Fraction, int | None],
    *,
    query: Fraction | None = None,
) -> Certified:
    """The sentence: single columns first, then pairs, then what the method itself promises."""
    if share >= TRIVIAL and (query is None or query >= TRIVIAL):
        said = (
            "Hardly anything is certified about this table: there is so much noise that some share may have any value."
        )
        return Certified(said, "says hardly anything", "A larger epsilon or more records would say more.", holds=False)
    said = f"no percentage of one column is off by more than {points(share)} points"
    exact = f"Every share of a single column is within {up(share, 2)} of the real table's"
    if share >= TRIVIAL:
        assert query is not None
        exact = f"Every answer that the method was asked for is within {up(query, 2)} of the real table's"
        said = f"e{exact[1:]}"
    if pairs:
        ranked = sorted(pairs.values())
        middle, worst = ranked[(len(ranked) - 1) // 2], ranked[-1]
        if worst < TRIVIAL:
            half = "" if middle == worst else f", and {points(middle)} points or less for half of the pairs"
            said += f"; of two columns combined, by {points(worst)} points at worst{half}"
            half = "" if middle == worst else f" (for half of the pairs, within {up(middle, 2)})"
            exact += f", and every share of two columns together within {up(worst, 2)}{half}"
        elif middle < TRIVIAL:
            said += f"; of two columns combined, by {points(middle)} points or less for half of the pairs"
            exact += f", and for half of the pairs of columns every share of both together within {up(middle, 2)}"
    detail = "One point is one record in a hundred. All of this is true at once."
    if share > WEAK:
        detail += " Errors of this size hide most of what a table can show; more records or a larger epsilon help."
    return Certified(
        f"{surely(*sure)}: {said}.",
        "certified, but weak" if share > WEAK else "certified",
        detail,
        experts=f"{exact}, {unless_text(*sure)}.",
    )


def _paired(known: Sequence[Fraction]) -> list[int]:
    """The columns of the map: all, or those whose shares are known least precisely, in their order."""
    ranked = sorted(range(len(known)), key=lambda u: (-known[u], u))
    return sorted(ranked[:MOST_PAIRED])


def _map(
    schema: Schema,
    paired: Sequence[int],
    known: Sequence[Fraction],
    pairs: Mapping[Pair, Fraction],
    sure: tuple[Fraction, int | None],
    *,
    weak: Set[Pair],
) -> HeatMap | None:
    """Every pair by its certified error, single columns on the diagonal."""
    if len(paired) < 2:
        return None
    said = [
        "For every two columns: the most by which the percentage of any combination of their values can differ from "
        "the real table's; on the diagonal, for one column alone."
    ]
    exact = f"These errors are certified, all at once, {unless_text(*sure)}."
    if weak:
        said.append(f"For {len(weak):,} of {len(pairs):,} pairs (dotted) no relation is promised.")
        exact += (
            " Dotted pairs were not measured together, or too roughly: their errors follow from single columns, and "
            "nothing promises that the synthetic table preserves how they go together."
        )
    if len(paired) < len(known):
        said.append(f"Shown are the {len(paired)} of {len(known):,} columns whose shares are known least precisely.")
    return error_map(
        "Each pair of columns: certified error",
        schema,
        paired,
        lambda u, v: known[u] if u == v else pairs.get((u, v)),
        _UNIT,
        " ".join(said),
        weak=weak,
        experts=exact,
    )


def error_map(
    title: str,
    schema: Schema,
    columns: Sequence[int],
    error: Callable[[int, int], Fraction | None],
    unit: str,
    note: str,
    *,
    weak: Set[Pair] = frozenset(),
    experts: str = "",
) -> HeatMap:
    """A certified map; `error` is asked for u <= v, and 1 says nothing."""

    def cell(u: int, v: int) -> CellError | None:
        found = error(u, v)
        return None if found is None or found >= 1 else CellError(found, points(found), (u, v) in weak)

    values = tuple(tuple(cell(v, u) for v in columns if v <= u) for u in columns)
    return HeatMap(title, tuple(printable(schema.names[u]) for u in columns), values, unit, note, experts)
