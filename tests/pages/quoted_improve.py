"""Numbers on the page about improving a finished table: limits of the work, and what was recorded of it."""

from __future__ import annotations

from collections.abc import Iterator

from mechanisms.improve.parameters import IMPROVE_PARAMETERS
from mechanisms.improve.wanted import OUT_OF_REACH
from mechanisms.improve.weights import LEAST_EFFECTIVE
from mechanisms.projection.price import LADDER
from paper_figures._wang2023_runs import NAMES, improvements, runs
from tests.pages.quoted import Page, recorded

_TITLES = {"adult": "Adult", "compas": "Compas", "dutch": "Dutch"}


def rows() -> Iterator[str]:
    """Excess risk and cost, a table a row."""
    found = recorded("improve")
    for name, title in _TITLES.items():
        line = found[name]
        excess = " | ".join(f"{line[f'excess_{key}']:.4f}" for key in ("epsilon_1", "epsilon_2", "improved"))
        yield f"| {title} | {excess} | {line['effective_size']:.2f} | {line['projection_cpu_s']:.2f} |"


def correlations() -> str:
    """Mean improvement by table, and how many draws improve."""
    parts = []
    for name, title in NAMES.items():
        values = improvements(runs("mst", name, 2), "soft")
        parts.append(f"{title} {sum(values) / len(values):.0%} ({sum(value > 0 for value in values)})")
    return ", ".join(parts)


def quotes() -> Iterator[str]:
    assert len(LADDER) == 10
    yield f"the one among ten, from {LADDER[0]} to {LADDER[-1]:,}"
    yield f"`--gamma` (default {IMPROVE_PARAMETERS['gamma'].default}"
    yield f"Below {LEAST_EFFECTIVE * 100:.0f} % a warning"
    yield f"at least {LEAST_EFFECTIVE * 100:.0f} % of the rows keep their say"
    assert OUT_OF_REACH == 4
    draws = {recorded("improve")[name]["draws"] for name in _TITLES} | {len(runs("mst", name, 2)) for name in NAMES}
    (number,) = draws
    yield f"replace-one, over {number} draws"
    yield f"on average over {number} draws"
    yield from rows()
    yield correlations()


IMPROVE = Page(quotes)
