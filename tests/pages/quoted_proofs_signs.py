"""Numbers on the proof page about signs of coefficients: a recorded benchmark."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.coefficient_signs import CERTIFIED, EVENTS, TABLES
from tests.pages.quoted import SETTING, Page, decimal, recorded


def _coefficient_signs() -> Iterator[str]:
    found = [recorded("coefficient_signs")[table] for table in TABLES]
    yield f"| {CERTIFIED} releases each | {' | '.join(table.capitalize() for table in TABLES)} |"
    rows = {
        "coefficients": [str(one["coefficients"]) for one in found],
        "certain signs, mean (least)": [f"{_short(one['certain_mean'])} ({one['certain_least']})" for one in found],
        "of these wrong": [str(one["certain_but_wrong"]) for one in found],
        "width of an interval, median": [decimal(one["width_median"], 3) for one in found],
        f"failures of the event in {EVENTS} releases": [str(one["events_failed"]) for one in found],
        "wrong signs of the trained model, without certificates": [
            f"{one['trained_sign_wrong']} of {one['trained_coefficients']}" for one in found
        ],
    }
    for words, cells in rows.items():
        yield f"| {words} | {' | '.join(cells)} |"
    assert all(one["compatible_with_beta"] and not one["intervals_missed"] for one in found)
    yield f"all {sum(one['proved_by_the_checker'] for one in found)}."


def _short(value: float) -> str:
    return f"{value:g}"


PAGES = {
    "synthbounds.coefficient-signs": Page(
        _coefficient_signs, {SETTING: (r"$\varepsilon=1$, $\delta=10^{-6}$, $\beta=.05$, replace-one",)}
    )
}
