"""Figure 5 of zhou2024: one synthetic table, three labels. The paper prints no numbers."""

from __future__ import annotations

from typing import Any

from paper_figures import style
from paper_figures._zhou2024_runs import HELD_OUT, PAPER, TEXT, over_sets, runs
from paper_figures.figure import Figure

FIRST = {"dutch": "occupation", "adult": "income>50K", "law": "pass_bar"}
"""The label of each table in the other figures."""
SERIES = {"real": "real records, no privacy", PAPER: TEXT[PAPER], HELD_OUT: TEXT[HELD_OUT]}


def compute() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, first in FIRST.items():
        chosen = {
            "real": runs("real", name, epsilon=None),
            PAPER: runs("aim", name, epsilon="1", protocol=PAPER),
            HELD_OUT: runs("aim", name, epsilon="1"),
        }
        labels = {first: {k: [run["accuracy"] for run in of] for k, of in chosen.items()}}
        for label in chosen["real"][0]["labels"]:
            labels[label] = {k: [run["labels"][label] for run in of] for k, of in chosen.items()}
        found[name] = {
            label: {
                k: {"mean_est": s.mean, "standard_error_est": s.standard_error, "sets": s.count}
                for k, s in ((k, over_sets(values)) for k, values in of.items())
            }
            for label, of in labels.items()
        }
    return {"tables": found}


def draw(data: dict[str, Any], figure: Any) -> None:
    panels = figure.subplots(1, len(data["tables"]))
    for axes, (name, labels) in zip(panels, data["tables"].items(), strict=True):
        for place, (key, text) in enumerate(SERIES.items()):
            means = [of[key]["mean_est"] for of in labels.values()]
            axes.errorbar(
                means,
                [line + 0.28 * (place - 1) for line in range(len(labels))],
                xerr=[2 * of[key]["standard_error_est"] for of in labels.values()],
                capsize=3,
                **style.series(place) | {"linestyle": "none"},
                label=text,
            )
            for line, mean in enumerate(means):
                at = (mean, line + 0.28 * (place - 1))
                axes.annotate(f"{mean:.3f}", at, (0, 5), textcoords="offset points", ha="center", fontsize=7)
        axes.set_yticks(range(len(labels)), labels=[label.replace("_", "\n") for label in labels])
        axes.set_ylim(len(labels) - 0.5, -0.6)
        axes.set(xlabel="mean test accuracy", title=name.capitalize())
        axes.margins(x=0.2)
    handles, texts = panels[0].get_legend_handles_labels()
    figure.legend(handles, texts, loc="outside upper center", ncols=3)


FIGURE = Figure(
    name="zhou2024-figure5",
    title="One table by AIM, three labels, epsilon = 1",
    source="zhou2024, Figure 5, which prints no numbers; recorded runs of verify.experiments.zhou2024",
    caption=(
        "The same synthetic tables as in Table 2, with other columns as the label; means over ten sets or splits with "
        "two standard errors. The relationship of Adult has six values and a multinomial model: the paper does not say "
        "how it made it binary."
    ),
    compute=compute,
    draw=draw,
    size=(10.4, 4.8),
)
