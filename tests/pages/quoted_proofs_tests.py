"""Numbers on the proof page about tests of noisy tables: a recorded benchmark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from benchmarks.rejections import DROWNED, LEAST, MOST, NEAR, PAIRS, SLOW
from tests.pages.quoted import SETTING, Page, decimal, recorded, thousands


def _noisy_chi_square() -> Iterator[str]:
    found = recorded("rejections")
    yield f"from {thousands(found['releases'])} simulated releases each"
    for section, pairs in (("level", PAIRS), ("level_epsilon_0.1", DROWNED)):
        for table, first, second, _ in pairs:
            rows = _rows(found[section], f"{table} {first}:{second} ")
            cells = [_span(row[key] for row in rows) for key in ("asymptotic", "simulated", "synthetic_rows")]
            yield f"| {table} {first}:{second} | {' | '.join(cells)} |"
    for text, row in _powers(found):
        keys = ("planned", "asymptotic", "simulated", "worst_case", "without_privacy")
        yield f"| {text} | {' | '.join(decimal(row[key], 2) for key in keys)} |"
    assert not found["recommended_outside"]
    assert not found["below_the_worst_case"]
    assert found["power_off_by_at_most_with_drowned"] <= NEAR
    yield f"always between {decimal(LEAST, 2)} and {decimal(MOST, 2)}: from {_span(_simulated(found))}."
    off, drowned = (found[f"power_off_by_at_most{which}"] for which in ("", "_with_drowned"))
    yield f"off by at most {decimal(off, 3)} where no cell is drowned, and by {decimal(drowned, 3)} anywhere"
    assert found["fit_level_compatible"]
    yield f"The fit of the cells is rejected in {_span(found['fit_level'].values())} of the releases"
    missed, first = decimal(found["effects_missed_at_most"], 3), thousands(found["releases"] // SLOW)
    yield f"misses it in at most {missed} of the first {first} releases"
    yield f"in at most {decimal(found['real_tables_missed_at_most'], 3)}."


def _simulated(found: dict[str, Any]) -> Iterator[float]:
    for section in ("level", "level_epsilon_0.1"):
        yield from (row["simulated"] for row in found[section].values())


def _powers(found: dict[str, Any]) -> Iterator[tuple[str, dict[str, float]]]:
    """Where something is open: the plan is neither sure nor far from any power."""
    for text, row in found["power"].items():
        if 0.2 <= row["planned"] <= 0.99:
            yield text, row


def _rows(rows: dict[str, dict[str, float]], start: str) -> list[dict[str, float]]:
    return [row for text, row in rows.items() if text.startswith(start)]


def _span(values: Iterable[float]) -> str:
    found = list(values)
    return f"{decimal(min(found), 3)} to {decimal(max(found), 3)}"


PAGES = {
    "synthbounds.noisy-chi-square": Page(
        _noisy_chi_square,
        {SETTING: (r"$\delta=10^{-6}$, replace-one, nominal level .05", "$199$ tables", r"$\varepsilon=0.1$")},
    )
}
