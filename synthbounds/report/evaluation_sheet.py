"""The page of a synthetic table compared with the real one: measured errors, never private, and stamped as such."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mechanisms.evaluate.evaluation import NEVER_PRIVATE, Evaluation
from release.data.tables import printable
from synthbounds.report.cautions import NOT_A_LEGAL_OPINION, NOT_THE_POPULATION
from synthbounds.report.sheet import Cautions, CellError, Certified, Details, HeatMap, Part, Sheet

if TYPE_CHECKING:
    from synthbounds.render.document import Document

MOST_SHOWN = 40
"""Columns at most; if there are more, the worst are shown."""
_HOLDER = (
    "These numbers describe the real table, without noise. The page is only for people who may see that table; if the "
    "table is public or made up, everybody may see the page."
)
_DISTANCE = "Total variation distance: half the sum of absolute differences of shares."
_ONE_TABLE = "The errors are those of this one synthetic table. Another one would have other errors."
_MEASURED = "Nothing here is certified: errors were measured by looking at both tables."


def evaluation_sheet(found: Evaluation, document: Document) -> Sheet:
    """What was measured, in a sentence and a map."""
    one, *wider = (table.errors for table in found.tables)
    said = (
        f"For a single column to have the real percentages, {_share(one.mean)} of the rows would have to change on "
        f"average, {_share(one.largest)} at most"
    )
    if wider and wider[0].mean is not None:
        said += f"; for two columns combined, {_share(wider[0].mean)}, {_share(wider[0].largest)} at most"
    detail = "0 % means the same percentages, 100 % that the tables have no value in common."
    for row in found.scores.rows if found.scores is not None else ():
        detail += (
            f" {row.learner.capitalize()} trained on synthetic rows is right for {_share(row.synthetic.accuracy)} of "
            f"the test rows; trained on real rows, for {_share(row.real.accuracy)}."
        )
    certified = Certified(f"{said}.", "measured, not certified", detail, holds=False, experts=_DISTANCE)
    parts: list[Part] = [certified, *_map(found)]
    cautions = Cautions((_HOLDER, _MEASURED, _ONE_TABLE, NOT_THE_POPULATION, NOT_A_LEGAL_OPINION))
    return Sheet(
        "A synthetic table compared with the real one",
        f"{found.k:,} synthetic rows, {found.n:,} real ones",
        (*parts, cautions, Details(document)),
        stamp=NEVER_PRIVATE,
    )


def _map(found: Evaluation) -> list[Part]:
    errors = found.by_column
    if not found.by_pair:
        return []
    shown = sorted(sorted(range(len(errors)), key=lambda u: (-errors[u], u))[:MOST_SHOWN])
    left_out = "" if len(shown) == len(errors) else f" Shown are the {len(shown)} columns with the largest errors."
    values = tuple(
        tuple(_cell(errors[u] if u == v else found.by_pair.get((v, u))) for v in shown if v <= u) for u in shown
    )
    return [
        HeatMap(
            "Each pair of columns: measured error",
            tuple(printable(found.schema.names[u]) for u in shown),
            values,
            "rows that would have to change, in %",
            f"For every two columns to be combined as in the real table, counted exactly; on the diagonal, for one "
            f"column alone.{left_out}",
            certified=False,
        )
    ]


def _cell(error: float | None) -> CellError | None:
    return None if error is None else CellError(error, f"{100 * error:.2g}")


def _share(value: float | None) -> str:
    return "an unknown share" if value is None else f"{100 * value:.1f} %"
