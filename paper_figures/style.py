"""One style for all figures: colours that colour-blind people can tell apart, and distinct line styles and markers.

Colours are those of Okabe and Ito. Every series has its own colour, line style and marker, so figures can be read in
grey. Values printed in a paper are black throughout, with crosses. The same data give the same bytes: text stays
text in SVG, identifiers come from a fixed salt and no date is written.
"""

from __future__ import annotations

import textwrap
from typing import Any

BLACK, ORANGE, SKY, GREEN, YELLOW, BLUE, RED, PURPLE = (
    "#000000", "#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7",
)  # fmt: skip
GREY = "#666666"
DPI = 200

_SERIES = (
    (BLUE, "-", "o"),
    (RED, (0, (5, 2)), "s"),
    (GREEN, (0, (1, 1.2)), "^"),
    (PURPLE, (0, (5, 1.5, 1, 1.5)), "D"),
    (ORANGE, (0, (8, 2)), "v"),
    (SKY, (0, (3, 1, 1, 1, 1, 1)), "P"),
)
SETTINGS: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.labelsize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "legend.fontsize": 8,
    "legend.frameon": True,
    "legend.framealpha": 0.9,
    "legend.edgecolor": "#cccccc",
    "legend.handlelength": 3.2,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "svg.fonttype": "none",
    "svg.hashsalt": "synthbounds",
}


def series(place: int, *, marker: bool = True) -> dict[str, Any]:
    """Colour, line style and marker of the series with this number, from 0 to 5."""
    colour, line, shape = _SERIES[place]
    return {"color": colour, "linestyle": line} | ({"marker": shape} if marker else {})


def paper(*, line: bool = False) -> dict[str, Any]:
    """The style of numbers that a paper prints: black crosses, and a thin line if they form a curve."""
    return {
        "color": BLACK,
        "marker": "x",
        "markersize": 6,
        "markeredgewidth": 1.6,
        "linestyle": (0, (2, 2)) if line else "none",
        "linewidth": 1.0,
        "zorder": 5,
    }


def table(axes: Any, columns: list[str], rows: list[list[str]], *, marked: set[int] = frozenset()) -> None:  # type: ignore[assignment]
    """A table as a picture: the first column to the left, the others to the right, marked rows in bold on grey."""
    axes.set_axis_off()
    made = axes.table(
        cellText=rows, colLabels=columns, bbox=(0, 0, 1, 1), cellLoc="right", colWidths=_widths(columns, rows)
    )
    made.auto_set_font_size(False)
    made.set_fontsize(8.5)
    for (row, column), cell in made.get_celld().items():
        cell.set_linewidth(0.4)
        cell.set_edgecolor("#cccccc")
        if column == 0:
            cell.set_text_props(ha="left")
        if row == 0:
            cell.set_text_props(weight="bold")
        elif row - 1 in marked:
            cell.set_text_props(weight="bold")
            cell.set_facecolor("#eeeeee")


def _widths(columns: list[str], rows: list[list[str]]) -> list[float]:
    longest = [
        4 + max(len(part) for line in [columns, *rows] for part in line[i].split("\n")) for i in range(len(columns))
    ]
    return [length / sum(longest) for length in longest]


def plain_ticks(axis: Any) -> None:
    """Ticks of a logarithmic axis over a few powers of ten, at 1, 2 and 5, as plain numbers."""
    from matplotlib.ticker import FormatStrFormatter, LogLocator, NullLocator

    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FormatStrFormatter("%g"))
    axis.set_minor_locator(NullLocator())


def new_figure(size: tuple[float, float]) -> Any:
    """An empty matplotlib figure that makes room for all labels. Make, draw and save it within SETTINGS."""
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout="constrained")


def frame(figure: Any, *, title: str, caption: str) -> None:
    """The title above and the caption below the drawing."""
    width = figure.get_size_inches()[0]
    figure.suptitle(title, fontsize=11, fontweight="bold", x=0.01, ha="left")
    figure.supxlabel("\n".join(textwrap.wrap(caption, int(width * 17))), fontsize=7.5, color=GREY, x=0.01, ha="left")
