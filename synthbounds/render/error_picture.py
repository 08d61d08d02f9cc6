"""The plan of a release as a picture: errors over epsilon, a panel per kind, a colour per method, dashed without delta.

Lines are named where they end, so that no legend covers them; names that would touch are moved apart.
"""

from __future__ import annotations

from importlib.util import find_spec
from math import log10
from pathlib import Path
from typing import Any

from bounds.enclosure import decimal_text
from bounds.errors import NotApplicable, UsageError, how_to_install
from bounds.exact import show_rational
from mechanisms.planning.error_plan import ErrorPlan
from mechanisms.planning.parameters import KINDS, LOGGED, METHODS, MOMENTS, ONE_WAY, TWO_WAY
from mechanisms.planning.solve import delta_of

FORMATS = ("svg", "png", "pdf")
_PANELS = {ONE_WAY: "One-way shares", TWO_WAY: "Two-way cells", MOMENTS: "Cross moments"}
_APART = 0.052
"""Least distance of two names, as a share of the height."""
_WITH, _WITHOUT = "-", (0, (4, 2))


def picture_format(path: str | Path) -> str:
    """The format that a file's name asks for, and that can be drawn here."""
    suffix = Path(path).suffix.lower().removeprefix(".")
    if suffix not in FORMATS:
        raise UsageError(f"picture = {str(path)[:60]}: must end with {', '.join('.' + name for name in FORMATS)}")
    if find_spec("matplotlib") is None:
        raise UsageError(f"picture: matplotlib, which draws it, is not installed: {how_to_install('figures')}")
    return suffix


def error_picture(plan: ErrorPlan, path: Path) -> bytes:
    """The picture in the format of the file."""
    from paper_figures.figure import Figure
    from paper_figures.make import pictures

    if not plan.forecasts:
        raise UsageError(
            "picture: it shows errors over epsilon for a given number of records: give n, and leave epsilon out"
        )
    suffix, question = picture_format(path), plan.question
    data = {
        kind: [{**line, "points": [(float(x), float(y)) for x, y in line["points"]]} for line in lines]
        for kind, lines in error_curves(plan).items()
    }
    if not data:
        raise NotApplicable("picture: no method promises an error that is above 0 and not vacuous: nothing to draw")
    wanted = question.wanted
    size = f"n {'at least ' if question.adjacency.value == 'add-remove' else '= '}{question.size:,}"
    delta = "1/n^2 = " if question.dp_delta is None else ""
    figure = Figure(
        name="plan",
        title="How large the errors will be",
        source="certified before anything is spent",
        caption=(
            f"Largest error of all numbers of a kind at once, except with probability {show_rational(question.beta)}; "
            f"{len(question.schema.columns)} columns, {size}, {question.adjacency.value}, delta = {delta}"
            f"{decimal_text(delta_of(question.size or 1, question.dp_delta), 2, up=True)}. Solid: with delta; dashed: "
            "without."
        ),
        compute=lambda: data,
        draw=lambda curves, drawing: _draw(
            curves, drawing, {} if wanted is None else {wanted.kind: float(wanted.error)}
        ),
        size=(3.4 * max(len(data), 2) + 0.4, 4.1),
    )
    return pictures(figure, data, (suffix,))[suffix]


def error_curves(plan: ErrorPlan) -> dict[str, Any]:
    """Points of every line that is not empty, by kind: epsilon and error, without those that hold for any table.

    Methods with a log promise little before they choose, and are only in the tables.
    """
    found: dict[str, Any] = {}
    for kind in KINDS:
        lines = []
        for place, method in enumerate(method for method in METHODS if method not in LOGGED):
            for pure in (False, True):
                forecasts = [plan.at(method, epsilon, pure=pure) for epsilon in plan.epsilons]
                points = [
                    (one.budget.epsilon, error)
                    for one in forecasts
                    if (error := one.error(kind))  # no error at all has no place on a logarithmic axis
                ]
                if points:
                    lines.append({"place": place, "method": method, "pure": pure, "points": points})
        if lines:
            found[kind] = lines
    return found


def _draw(data: dict[str, Any], figure: Any, wanted: dict[str, float]) -> None:
    from paper_figures import style

    panels = figure.subplots(1, len(data), sharey=True, squeeze=False)[0]
    errors = [error for lines in data.values() for line in lines for _, error in line["points"]]
    epsilons = [epsilon for lines in data.values() for line in lines for epsilon, _ in line["points"]]
    low, high = min(errors) / 1.5, max(errors) * 1.5
    for axes, (kind, lines) in zip(panels, data.items(), strict=True):
        for line in lines:
            look = style.series(line["place"])
            axes.plot(
                *zip(*line["points"], strict=True),
                color=look["color"],
                marker=look["marker"],
                markersize=3.2,
                linestyle=_WITHOUT if line["pure"] else _WITH,
                markerfacecolor="white" if line["pure"] else look["color"],
            )
        if kind in wanted:
            axes.axhline(wanted[kind], color=style.GREY, linewidth=1.0, zorder=1)
            axes.annotate(
                f"wanted: {wanted[kind]:g}",
                xy=(1, wanted[kind]),
                xycoords=axes.get_yaxis_transform(),
                xytext=(0, 3),
                textcoords="offset points",
                fontsize=6.8,
                ha="right",
                color=style.GREY,
            )
        axes.set(xscale="log", yscale="log", title=_PANELS[kind], xlabel="epsilon", ylim=(low, high))
        axes.set_xlim(min(epsilons) / 1.15, max(epsilons) * 13)  # room for the names
        axes.set_xticks([tick for tick in (0.1, 1, 10, 100) if tick <= max(epsilons)])
        axes.minorticks_off()
        axes.xaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_major_formatter("{x:g}")
        _name_lines(axes, lines, low, high)
    panels[0].set_ylabel("largest error")


def _name_lines(axes: Any, lines: list[dict[str, Any]], low: float, high: float) -> None:
    """The method of every line at its right end; from the lowest upwards, each at least a little above the last."""
    from paper_figures import style

    last = -1.0
    for line in sorted(lines, key=lambda line: line["points"][-1][1]):
        epsilon, error = line["points"][-1]
        height = log10(error / low) / log10(high / low)
        last = max(height, last + _APART)
        axes.annotate(
            line["method"] + (", no delta" if line["pure"] else ""),
            xy=(epsilon, error),
            xytext=(epsilon * 1.2, low * (high / low) ** last),
            textcoords="data",
            fontsize=6.8,
            va="center",
            color=style.series(line["place"])["color"],
        )
