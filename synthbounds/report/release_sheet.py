"""The pages of releases of numbers: moments, marginals, floors, and comparisons of a finished table with the real one.

Only the release itself enters, so whoever has the published file can make the page again.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from bounds.exact import show_rational
from mechanisms.synth.one_way import measured_shares
from release.accuracy.file import AccuracyRelease
from release.data.tables import printable
from release.distance.file import MOST_FIRST, MOST_SECOND, DistanceRelease
from release.floors.file import FloorRelease
from release.floors.intervals import Floors, floor_intervals
from release.marginals.file import Marginals
from release.moments.file import MomentRelease
from release.moments.shares import moment_shares
from release.noise.kinds import NOT_A_RELEASE
from synthbounds.render.numbers import down, up
from synthbounds.report.cautions import (
    NO_MORE_THAN_CERTIFIED,
    NOT_A_LEGAL_OPINION,
    NOT_THE_POPULATION,
    OTHER_RELEASES,
    SIMULATED,
    SMALL_GROUPS,
    may_fail,
)
from synthbounds.report.one_person import one_person
from synthbounds.report.plain import in_brackets, points, surely, unless_text
from synthbounds.report.shares import bar_columns, said_of_columns
from synthbounds.report.sheet import Bars, Cautions, Certified, Curve, CurveLine, Details, Part, Sheet
from synthbounds.report.spending import spending_of
from synthbounds.report.table_sheet import MOST_PAIRED, error_map, source_text

if TYPE_CHECKING:
    from release.data.schema import Schema
    from release.private_release import Release
    from release.statistics.measured_shares import MeasuredShares
    from synthbounds.render.document import Document

NamedRelease: TypeAlias = MomentRelease | Marginals | FloorRelease | DistanceRelease | AccuracyRelease
_NEGATIVE = (
    "Released percentages may be negative and need not add up to 100: each has its own noise, and nothing is corrected."
)

_NO_SHARES = (
    "Moments include the shares of columns with two values and of columns encoded one-hot; for other columns they "
    "include means of features, which are not shares."
)
_NO_TABLE = "No released table counts these columns."
_PURPOSE = (
    "Use these numbers for percentages of the columns that were counted, alone or together, as far as the errors below "
    "allow; not for single people, small groups or columns that were not counted together, about which nothing on this "
    "page is certified."
)
MOST_LISTED = 12
"""Columns that are named one by one."""


def release_sheet(found: NamedRelease, document: Document, beta: Fraction) -> Sheet:
    """The page of a release, by its kind; `beta` is the probability that what is certified fails."""
    if isinstance(found, Marginals):
        return _marginals(found, document)
    if isinstance(found, MomentRelease):
        return _moments(found, document, beta)
    if isinstance(found, FloorRelease):
        return _floors(found, floor_intervals(found, beta), document)
    return _distance(found, document, beta) if isinstance(found, DistanceRelease) else _accuracy(found, document, beta)


def _marginals(found: Marginals, document: Document) -> Sheet:
    """Tables of single columns as bars; what is known about pairs as a map."""
    own = {u: m for u, m in enumerate(measured_shares(found, found.beta)) if m is not None}
    radius = max(table.radius for table in found.tables)
    sure = found.beta, None if found.n_is_public else found.size
    pairs = {table.columns: table.radius for table in found.tables}
    parts: list[Part] = [
        Certified(
            f"{surely(*sure)}: no released percentage is off by more than {points(radius)} points.",
            "certified" if radius < Fraction(1, 2) else "says hardly anything",
            f"{len(found.tables):,} tables with {sum(len(t.counts) for t in found.tables):,} cells; "
            "all of this is true at once.",
            holds=radius < Fraction(1, 2),
            experts=f"Every released share is within {up(radius, 2)} of the real table's, {unless_text(*sure)}.",
        ),
    ]
    pictures: list[Part] = _bars(found.schema, own, sure, _NO_TABLE)
    named = sorted({place for columns in pairs for place in columns})[:MOST_PAIRED]
    if any(len(columns) == 2 for columns in pairs):
        left_out = "" if len(named) < MOST_PAIRED else f" Shown are the first {MOST_PAIRED} columns."
        pictures.append(
            error_map(
                "Each pair of columns: how far a released percentage can be off",
                found.schema,
                named,
                lambda u, v: max(own[u].radius) if u == v else pairs.get((u, v)),
                "at most, in points",
                "On the diagonal: one column alone, its percentages summed from the table that needs the fewest cells; "
                f"hatched pairs were not released, or have so much noise that nothing is certified.{left_out}",
            )
        )
    return _sheet(
        "Private tables of counts",
        found,
        parts,
        pictures,
        document,
        found.beta,
        (_NEGATIVE, SMALL_GROUPS),
        schema=found.schema,
        purpose=_PURPOSE if radius < Fraction(1, 2) else "",
    )


def _moments(found: MomentRelease, document: Document, beta: Fraction) -> Sheet:
    """The shares that moments contain, if they contain any; else their noise, which is in the details."""
    schema, features = found.feature_map.schema, found.feature_map
    sure = beta, None if found.size_is_exact else found.stated_size
    shares = moment_shares(found, beta)
    parts: list[Part] = [
        Certified(
            f"This release contains means of products of features. From them, linear models of {features.label} can "
            "be trained and certified without the table.",
            "On its own this says nothing about a model",
            f"{features.size:,} features; the mean of a product of two has noise of standard deviation "
            f"{up(found.noise_second, 2)}, features scaled to the unit ball. The command certify says how good a "
            "model is.",
            is_neutral=True,
        ),
    ]
    return _sheet(
        "Private moments",
        found,
        parts,
        _bars(schema, shares, sure, _NO_SHARES),
        document,
        beta,
        (_NEGATIVE, SMALL_GROUPS),
        schema=schema,
    )


def _floors(found: FloorRelease, floors: Floors, document: Document) -> Sheet:
    """The least losses over the norm, with both ends of their intervals."""
    sure = surely(floors.beta, None if found.size_is_exact else found.stated_size)
    if found.contradiction is not None:
        said = Certified(f"Nothing is certified: {found.contradiction}.", "nothing", holds=False)
        return _sheet("Floors of linear models", found, [said], [], document, floors.beta, ())
    best = floors.floors[-1]
    sentence = Certified(
        f"{sure}: no linear model of norm at most {show_rational(best.tau)} has a mean {found.loss} loss below "
        f"{down(best.mean.lo, 3)} on the real table, and one has {up(best.mean.hi, 3)} or less.",
        "certified",
        "Any other model can be compared with these floors: no linear model gets below them, and the loss of a model "
        "above them is what it may lose to the best linear one.",
    )
    lines = (
        CurveLine("at least", tuple((floor.tau, floor.mean.lo) for floor in floors.floors), True, "from_right"),
        CurveLine("at most", tuple((floor.tau, floor.mean.hi) for floor in floors.floors), False, "from_left"),
    )
    curve = Curve(
        "The least loss by the norm of the model",
        "norm of the coefficients, at most",
        f"least mean {found.loss} loss",
        lines,
        f"{sure}, the real least loss is between the lines, at all norms from the first to the last at once. "
        "It falls as the norm grows, so a bound also holds up to the next norm asked for: the lines are "
        "steps.",
    )
    pictures: list[Part] = [curve] if len(floors.floors) > 1 else []
    return _sheet("Floors of linear models", found, [sentence], pictures, document, floors.beta, ())


def _distance(found: DistanceRelease, document: Document, beta: Fraction) -> Sheet:
    """Two numbers, and what they are for."""
    near = found.distance(beta)
    is_vacuous = near.first >= MOST_FIRST or near.second >= MOST_SECOND
    kind, real, also = "means", "of the real table's", "means of"
    if not found.size_is_exact:  # n is private, and sums are all that is known
        kind, also = "sums over the real table", "those of"
        real = f"of the synthetic table's means, if divided by {found.stated_size:,}, the least size,"
    said = Certified(
        f"{surely(beta, None)}: {kind} of the label times a feature are within {up(near.first, 2)} {real} in "
        f"Euclidean norm, and {also} products of two features within {up(near.second, 2)} in operator norm.",
        "says nothing" if is_vacuous else "certified",
        "Features are scaled to the unit ball. With this file, linear models trained on the synthetic table can be "
        "certified on the real one.",
        holds=not is_vacuous,
    )
    return _sheet("How close a synthetic table is", found, [said], [], document, beta, ())


def _accuracy(found: AccuracyRelease, document: Document, beta: Fraction) -> Sheet:
    """The largest and the mean error over a workload."""
    errors = found.errors(beta)
    is_vacuous = errors.largest >= 1
    said = Certified(
        f"{surely(beta, None)}: no answer of the synthetic table to the {found.workload.count:,} queries is further "
        f"than {up(errors.largest, 2)} from the real table's, and on average they are within {up(errors.mean, 2)}.",
        "says nothing" if is_vacuous else "certified",
        f"The queries: {found.workload.text}.",
        holds=not is_vacuous,
    )
    return _sheet("Errors of a synthetic table", found, [said], [], document, beta, ())


def _bars(
    schema: Schema, measured: dict[int, MeasuredShares], sure: tuple[Fraction, int | None], missing: str
) -> list[Part]:
    """The columns whose shares were released; `missing` says why the others were not."""
    if not measured:
        return []
    columns = bar_columns(schema, measured=measured)
    others = [printable(name) for place, name in enumerate(schema.names) if place not in measured]
    notes = (
        in_brackets(*sure),
        f"Not drawn: {_listed(others)}. {missing}" if others else "",
        said_of_columns(schema, columns),
    )
    return [
        Bars(
            "Each column as released",
            columns,
            "the real one is in here",
            " ".join(note for note in notes if note),
            f"Each real share is inside its bracket, all at once, {unless_text(*sure)}.",
        )
    ]


def _listed(names: list[str]) -> str:
    """The first names, and how many more there are."""
    more = len(names) - MOST_LISTED
    *first, last = names if more <= 0 else [*names[:MOST_LISTED], f"{more:,} more"]
    return f"{', '.join(first)} and {last}" if first else last


def _sheet(
    title: str,
    found: Release,
    first: list[Part],
    pictures: list[Part],
    document: Document,
    beta: Fraction,
    more: tuple[str, ...],
    *,
    schema: Schema | None = None,
    purpose: str = "",
) -> Sheet:
    """The sentence, the person, the budget, the pictures, what not to conclude, and the whole answer."""
    ledger = found.cost
    person = None if ledger is None else one_person(ledger, is_simulated=found.is_simulated)
    stated = getattr(found, "stated_size", None) or getattr(found, "size", 0)
    supposed = "" if found.n_is_public else "a table that is assumed to have at least "
    size = f"of {supposed}{stated:,} records{'' if schema is None else source_text(schema)}"
    cautions = (
        *((SIMULATED,) if found.is_simulated else ()),
        *more,
        NO_MORE_THAN_CERTIFIED,
        may_fail(show_rational(beta)),
        NOT_THE_POPULATION,
        OTHER_RELEASES,
        NOT_A_LEGAL_OPINION,
    )
    parts: tuple[Part, ...] = (
        *first,
        *(() if person is None else (person,)),
        *(() if ledger is None else (spending_of(ledger, is_simulated=found.is_simulated),)),
        *pictures,
        Cautions(cautions),
        Details(document),
    )
    return Sheet(title, size, parts, stamp=NOT_A_RELEASE if found.is_simulated else None, purpose=purpose)
