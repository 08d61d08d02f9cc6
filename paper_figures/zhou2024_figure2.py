"""Figure 2 of zhou2024: how far AIM's tables are from the real ones, over epsilon. The paper prints no numbers."""

from __future__ import annotations

from typing import Any

from paper_figures import style
from paper_figures._zhou2024_runs import EPSILONS, HELD_OUT, PAPER, TEXT, over_epsilon
from paper_figures.figure import Figure
from verify.real_tables import NAMES


def compute() -> dict[str, Any]:
    curves = {name: {p: over_epsilon("error", name, p) for p in (PAPER, HELD_OUT)} for name in NAMES}
    return {"epsilon": [float(e) for e in EPSILONS], "tables": curves}


def draw(data: dict[str, Any], figure: Any) -> None:
    panels = figure.subplots(1, 2, sharey=True)
    for axes, protocol in zip(panels, (PAPER, HELD_OUT), strict=True):
        for place, (name, curves) in enumerate(data["tables"].items()):
            found = curves[protocol]
            axes.errorbar(
                found["epsilon"],
                found["mean_est"],
                yerr=found["deviation_est"],
                capsize=2,
                **style.series(place),
                label=name.capitalize(),
            )
        axes.set(xscale="log", xlabel="epsilon", title=TEXT[protocol], ylim=(0, 1))
        axes.set_xticks(data["epsilon"], labels=[f"{e:g}" for e in data["epsilon"]])
        axes.set_xticks([], minor=True)
    panels[0].set_ylabel("mean total variation distance, 4-way tables")
    twice = panels[1].secondary_yaxis("right", functions=(lambda y: 2 * y, lambda y: y / 2))
    twice.set_ylabel("normalised L1 error of Section 5.5")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend([h[0] for h in handles], labels, loc="outside upper center", ncols=6)


FIGURE = Figure(
    name="zhou2024-figure2",
    title="How far tables by AIM are from the real ones",
    source="zhou2024, Figure 2, which prints no numbers; recorded runs of verify.experiments.zhou2024",
    caption=(
        "Means over ten sets, fewer on Dutch at epsilon 2, with their standard deviation, over all 4-way tables of "
        "at most 10^6 cells. The published "
        "program takes half the L1 distance of shares, the left axis; Section 5.5 defines twice that, the right one, "
        "over the selected tables. On the right AIM sees 80 % of the records, and is compared with these."
    ),
    compute=compute,
    draw=draw,
    size=(8.6, 4.4),
)
