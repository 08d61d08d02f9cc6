"""Numbers on the page about any model: defaults that code has, and what the benchmark measured."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.any_model import BETA, EPSILON
from mechanisms.models.confirm.any_model import CHOICE_PART
from release.statistics.prediction_choices import DEFAULT_BINS, DEFAULT_CLIP
from tests.pages.quoted import NAME, SETTING, Page, recorded

_NAMES = {"adult": "Adult", "dutch": "Dutch", "compas": "Compas"}


def rows() -> Iterator[str]:
    """The table, line by line."""
    found = recorded("any_model")
    yield "| table | n | error rate | log loss | Brier score | area |"
    yield "|---|---|---|---|---|---|"
    for table, name in _NAMES.items():
        ours = found[table]
        cells = (f"{ours[ask]['true']:.4f} ± {ours[ask]['half_width']:.5f}" for ask in ("error", "log", "brier", "auc"))
        yield f"| {name} | {ours['n']:,} | {' | '.join(cells)} |"


def forest() -> str:
    gains = (-recorded("any_model")[table]["beside_linear_models"]["forest"]["difference_hi"]["10"] for table in _NAMES)
    adult, dutch, _ = (f"{gain:.3f}" for gain in gains)
    return f"by at least {adult} on Adult and {dutch} on Dutch"


def _quotes() -> Iterator[str]:
    yield from (row for row in rows() if "±" in row)
    yield forest()
    yield f"(default {DEFAULT_CLIP})"
    yield f"(default {DEFAULT_BINS})"
    yield f"at a total epsilon of {float(EPSILON)}"
    yield f"confidence {100 * float(1 - BETA):.0f} %"
    assert CHOICE_PART.denominator == 4  # a quarter, in words


ANY_MODEL = Page(_quotes, {NAME: ("SHA-256",), SETTING: ("of norm 10 by",)})
