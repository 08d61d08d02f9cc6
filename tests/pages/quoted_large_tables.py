"""Numbers of the page on large tables: the recorded benchmark, what follows from it, and limits of the code."""

from __future__ import annotations

from collections.abc import Iterator

from release.lake.expressions import MOST_CODES
from tests.pages.quoted import DEFINITION, SETTING, Page, recorded, thousands

_ROWS = 10**11
_CPU_HOUR, _GIGABYTE = 0.05, 0.005
"""Prices in dollars, which the page says are assumed."""


def _large_tables() -> Iterator[str]:
    measured = recorded("lake")
    for key in ("files", "folder_of_ten_times_as_many", "duckdb", "duckdb_by_hand"):
        yield f"| {measured[key]['cpu_s']:.1f} | {thousands(measured[key]['mb'])} |"
    hours = measured["cpu_s_per_million_more_rows"] * _ROWS / 10**6 / 3600
    terabytes = measured["bytes_per_row"] * _ROWS / 10**12
    yield f"{measured['bytes_per_row']:.1f} bytes a row"
    yield f"{measured['cpu_s_per_million_more_rows']:.3f} CPU seconds for a million more rows"
    yield f"reads {terabytes:.2f} TB and takes {hours:.1f} CPU hours"
    yield f"about {measured['duckdb_over_by_hand']:.1f} times what its own query takes"
    yield f"${hours * _CPU_HOUR:.2f} for counting and ${terabytes * 1000 * _GIGABYTE:.2f} for reading"
    yield f"more than {thousands(MOST_CODES)} codes"


LARGE_TABLES = Page(
    _large_tables,
    given={
        SETTING: (
            "a table of 10^7 rows and 15 columns",
            "10^11 rows, on paper",
            "over 10^11 rows",
            "15 columns of 2 to 20",
        ),
        DEFINITION: ("decimals of 38 digits", "of at most 38 digits"),
    },
)
