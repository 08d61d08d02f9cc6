"""The errors of a synthetic table as a picture: bars for columns, a heat map for pairs, stamped as not private."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mechanisms.evaluate.evaluation import NEVER_PRIVATE, Evaluation
from release.data.tables import printable
from synthbounds.render.error_picture import picture_format

_MOST_SHOWN = 40
"""Columns at most; if there are more, the worst are drawn."""
_LONGEST = 18
_UNIT = "share of rows that would have to change"
_FEW = 16
"""Up to this many columns leave room for numbers in the cells."""


def evaluation_picture(found: Evaluation, path: Path) -> bytes:
    """The picture in the format of the file."""
    from paper_figures.figure import Figure
    from paper_figures.make import pictures

    suffix, data = picture_format(path), _data(found)
    count = len(data["names"])
    left_out = len(found.by_column) - count
    more = f"; the {count} columns with the largest errors of {len(found.by_column)}" if left_out else ""
    figure = Figure(
        name="evaluation",
        title="How far the synthetic table is from the real one",
        source="exact counts, no noise",
        caption=(
            "Share of synthetic rows that would have to change until a column (left), or two columns together (right), "
            "had the shares of the real table: the total variation distance; "
            f"{found.n:,} real and {found.k:,} synthetic rows{more}."
        ),
        compute=lambda: data,
        draw=_draw,
        size=(4.2 + (1.6 + 0.34 * max(count, 8) if data["pairs"] else 1.5), 2.0 + 0.26 * max(count, 6)),
    )
    return pictures(figure, data, (suffix,))[suffix]


def _data(found: Evaluation) -> dict[str, Any]:
    """Columns by their errors, largest first, and the errors of their pairs."""
    shown = sorted(range(len(found.by_column)), key=lambda u: (-found.by_column[u], u))[:_MOST_SHOWN]
    pairs = [[found.by_pair.get((min(u, v), max(u, v))) for v in shown] for u in shown]
    return {
        "names": [_short(found.schema.names[u]) for u in shown],
        "errors": [found.by_column[u] for u in shown],
        "pairs": pairs if found.by_pair else None,
    }


def _short(name: str) -> str:
    name = printable(name).replace("$", r"\$")
    return name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"


def _draw(data: dict[str, Any], figure: Any) -> None:
    from paper_figures import style

    names, errors, places = data["names"], data["errors"], range(len(data["names"]))
    wide = data["pairs"] is not None
    panels = figure.subplots(1, 2 if wide else 1, squeeze=False, width_ratios=[1, 1.5] if wide else [1])[0]
    bars = panels[0].barh(places, errors, color=style.BLUE, height=0.7)
    panels[0].bar_label(bars, [f"{error:.3f}" for error in errors], padding=2, fontsize=6.8, color=style.GREY)
    panels[0].set(title="Single columns", xlim=(0, max([*errors, 1e-9]) * 1.25), ylim=(len(names) - 0.4, -0.6))
    panels[0].set_yticks(places, names)
    panels[0].set_xlabel(_UNIT)
    if wide:
        _heat(figure, panels[1], names, data["pairs"])
    figure.text(
        0.5, 0.5, "NOT PRIVATE", rotation=20, fontsize=44, color=style.RED, alpha=0.34, ha="center", va="center"
    )
    figure.suptitle(NEVER_PRIVATE, fontsize=7.2, color=style.RED, x=0.01, ha="left")


def _heat(figure: Any, axes: Any, names: list[str], pairs: list[list[float | None]]) -> None:
    import numpy as np

    from paper_figures import style

    values = np.array([[np.nan if error is None else error for error in row] for row in pairs])
    top = max(float(np.nanmax(values)), 1e-9)
    image = axes.imshow(values, cmap="cividis_r", vmin=0, vmax=top, aspect="auto")
    axes.grid(False)
    axes.set_title("Pairs of columns")
    axes.set_xticks(range(len(names)), names, rotation=60, ha="right", rotation_mode="anchor")
    axes.set_yticks(range(len(names)), names)
    if len(names) <= _FEW:
        digits = 3 if 2 * len(names) <= _FEW + 4 else 2
        for u, row in enumerate(pairs):
            for v, error in enumerate(row):
                if error is not None:
                    colour = "white" if error > top / 2 else style.BLACK
                    axes.text(
                        v, u, f"{error:.{digits}f}".lstrip("0"), ha="center", va="center", fontsize=5.6, color=colour
                    )
    figure.colorbar(image, ax=axes, shrink=0.85, label=_UNIT)
