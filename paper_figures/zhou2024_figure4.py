"""Figure 4 of zhou2024: accuracy at epsilon 1 by AIM and by training with noise, all on the same held-out splits."""

from __future__ import annotations

from typing import Any

from paper_figures import style
from paper_figures._zhou2024_runs import metric_of, over_sets, printed, runs
from paper_figures.figure import Figure
from verify.real_tables import NAMES

METHODS = {
    "real": (None, "no privacy"),
    "aim": ("1", "AIM"),
    "descent": ("1", "noisy gradient descent"),
    "algorithm-6": ("1", "Algorithm 6 as published"),
}


def compute() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in NAMES:
        rows = {}
        for method, (epsilon, _) in METHODS.items():
            sets = metric_of("accuracy", method, name, epsilon=epsilon)
            rows[method] = {"mean_est": sets.mean, "standard_error_est": sets.standard_error, "splits": sets.count}
        ahead = over_sets(_differences(name))
        found[name] = rows | {
            "descent_ahead_est": ahead.mean,
            "descent_ahead_error_est": ahead.standard_error,
            "printed_real": printed(name, "accuracy", None),
            "printed_aim": printed(name, "accuracy", "1"),
        }
    return {"tables": found}


def _differences(name: str) -> list[float]:
    """Accuracy of noisy gradient descent minus that of AIM, split by split."""
    both = (runs(method, name, epsilon="1") for method in ("descent", "aim"))
    return [ours["accuracy"] - theirs["accuracy"] for ours, theirs in zip(*both, strict=True)]


def draw(data: dict[str, Any], figure: Any) -> None:
    panels = figure.subplots(2, 3, sharey=True)
    words = [text for _, text in METHODS.values()]
    for axes, (name, found) in zip(panels.flat, data["tables"].items(), strict=True):
        for place, method in enumerate(METHODS):
            row = found[method]
            axes.errorbar(
                row["mean_est"],
                place,
                xerr=2 * row["standard_error_est"],
                capsize=3,
                **style.series(place) | {"linestyle": "none"},
            )
            text = f"{row['mean_est']:.3f}"
            axes.annotate(text, (row["mean_est"], place), (0, 6), textcoords="offset points", ha="center", fontsize=7.5)
        axes.plot([found["printed_real"], found["printed_aim"]], [0, 1], **style.paper(), label="printed in Table 2")
        axes.set_title(name.capitalize())
        axes.margins(x=0.15)
    panels[0, 0].set_yticks(range(len(words)), labels=words)
    panels[0, 0].set_ylim(len(words) - 0.5, -0.8)
    for axes in panels[-1]:
        axes.set_xlabel("mean test accuracy")
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside upper right")


FIGURE = Figure(
    name="zhou2024-figure4",
    title="Private models at epsilon = 1, by tables and by training with noise",
    source="zhou2024, Figure 4, which prints no numbers, and Table 2 for the crosses",
    caption=(
        "Means over ten splits with two standard errors; every method sees the same 80 % of the records; add-remove, "
        "delta = 1/n^2. Gradient descent uses all records, its noise is composed exactly, its settings are fixed in "
        "advance by public numbers. Algorithm 6 has the noise and the settings of the published program, whose true "
        "epsilon is smaller; the paper does not say how they were chosen. PATE is left out: it needs public records."
    ),
    compute=compute,
    draw=draw,
    size=(9.4, 5.4),
)
