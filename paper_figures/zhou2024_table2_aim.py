"""Table 2 of zhou2024 at epsilon 1: the printed means of AIM and ours, in both protocols."""

from __future__ import annotations

from typing import Any

from paper_figures import style
from paper_figures._zhou2024_runs import FAR_ERRORS, MOST_ERRORS, differences, verdict
from paper_figures.figure import Figure


def compute() -> dict[str, Any]:
    rows = differences()
    return {"rows": rows, "verdict": verdict(rows)}


def draw(data: dict[str, Any], figure: Any) -> None:
    rows = [
        [
            f"{row['table']}, {row['metric']}",
            f"{row['printed']:.3f}",
            f"{row['mean_est']:.4f}",
            f"{row['deviation_est']:.4f}",
            f"{row['standard_errors_away']:+.2f}",
            f"{row['held_out_est']:.4f}",
            f"± {row['held_out_error_est']:.4f}",
        ]
        for row in data["rows"]
    ]
    columns = ["", "printed", "ours", "sd of sets", "st. errors\naway", "held out", "st. error"]
    axes = figure.subplots()
    far = {i for i, row in enumerate(data["rows"]) if abs(row["standard_errors_away"]) > FAR_ERRORS}
    style.table(axes, columns, rows, marked=far)
    found = data["verdict"]
    axes.set_title(
        f"largest difference: {found['largest_est']:.2f} standard errors; beyond {FAR_ERRORS}: "
        f"{found['beyond_est']} of {found['differences']}",
        loc="left",
    )


FIGURE = Figure(
    name="zhou2024-table2-aim",
    title="Models trained on tables by AIM, epsilon = 1",
    source="zhou2024, Table 2, column 1; recorded runs of verify.experiments.zhou2024",
    caption=(
        "Ours: means over ten sets, each with ten models trained on 80 % of its rows and tested on 20 % of the real "
        "records, which AIM has seen, as in the published program; add-remove, delta = 1/n^2. The difference from the "
        "printed mean is in its standard errors, with theirs taken to equal ours and the printed value as exact; up to "
        f"{MOST_ERRORS} count as sampling error. Held out: split first, AIM sees 80 % of the records, models are "
        "tested on the others."
    ),
    compute=compute,
    draw=draw,
    size=(8.0, 6.2),
)
