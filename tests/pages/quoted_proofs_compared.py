"""Numbers on the proof pages about a finished table beside the real one, and queries of both: charges and trials."""

from __future__ import annotations

from collections.abc import Iterator

from bounds.enclosure import decimal_text
from bounds.exact import root_at_least
from bounds.privacy.adjacency import Adjacency
from release.data.domain import MOST_CODES
from release.statistics.conditional_counts import MOST_COLUMNS
from release.statistics.moment_distance import distance_sensitivity
from release.statistics.statistic import RECORD_STEPS
from tests.pages.quoted import SETTING, Page
from tests.release.comparison_examples import CONFIDENCE, DOMAIN

_DRAWS = (r"miss as often as $\beta=0.2$ says", f"of confidence {100 * CONFIDENCE:.1f} %")


def _distance() -> Iterator[str]:
    yield rf"With $h=\frac1{{{RECORD_STEPS}}}$ of a record"
    for adjacency, name in ((Adjacency.REPLACE_ONE, "replace-one"), (Adjacency.ADD_REMOVE, "add/remove")):
        l1, l2_squared = distance_sensitivity(adjacency)
        shown = (decimal_text(value / RECORD_STEPS, 6, up=True) for value in (root_at_least(l2_squared), l1))
        yield f"| {name} | {' | '.join(shown)} |"
    yield f"On a domain of {len(DOMAIN)} records"
    yield f"within 8 steps of {RECORD_STEPS} to a record"
    yield _DRAWS[1]


def _accuracy() -> Iterator[str]:
    yield _DRAWS[1]


def _queries() -> Iterator[str]:
    yield f"for {MOST_COLUMNS} columns of {MOST_CODES:,} codes"


PAGES = {
    "synthbounds.threshold-queries": Page(_queries),
    "synthbounds.table-distance": Page(_distance, {SETTING: ("moves one record in 120,000 pairs of sums", _DRAWS[0])}),
    "synthbounds.table-accuracy": Page(
        _accuracy, {SETTING: ("moves one record in 120,000 pairs of tables", _DRAWS[0])}
    ),
}
