"""Numbers on the proof page about shares from noisy tables: a recorded benchmark."""

from __future__ import annotations

from collections.abc import Iterator

from tests.pages.quoted import SETTING, Page, decimal, recorded, thousands

_RELEASES = {"one": "one table", "pairs": "all pairs", "laplace": "one table, pure"}


def _shares() -> Iterator[str]:
    found = recorded("shares")
    yield f"{thousands(found['runs'])} runs a row"
    for row in found["shares"]:
        effective = "" if row["effective_over_n"] is None else decimal(row["effective_over_n"], 3)
        cells = (
            f"{row['table_name'].capitalize()}, `{row['share']}`",
            _RELEASES[row["release"]],
            decimal(row["table"]["covers"], 3),
            decimal(row["population"]["covers"], 3),
            f"{row['width_over_usual']:.2f}",
            effective,
            decimal(row["naive_rows"], 2),
        )
        yield f"| {' | '.join(cells)} |"
    yield f"compatible in {found['exact_compatible']} of {found['exact_statements']} statements"
    yield f"often enough in all {found['cautious_often_enough']}"
    assert found["cautious_often_enough"] == found["cautious_statements"]
    assert found["certified_agrees"]
    yield f"{thousands(found['runs'] // 2)} runs a row: the share"
    for row in found["groups"]:
        levels = (
            row[name]["covers"] for name in ("fieller_table", "fieller_population", "difference", "log_odds_ratio")
        )
        cells = (
            f"{row['table_name'].capitalize()}, `{row['share']}` by `{row['by']}`",
            _RELEASES[row["release"]],
            *(decimal(level, 3) if level < 1 else "1" for level in levels),
            decimal(row["naive_difference"], 2),
            f"{row['difference_width_over_usual']:.2f}",
        )
        yield f"| {' | '.join(cells)} |"


PAGES = {
    "synthbounds.noisy-proportion": Page(
        _shares, {SETTING: (r"$\varepsilon=1$, $\delta=10^{-6}$, replace-one, level $95\%$", "at $99.9\\%$")}
    )
}
