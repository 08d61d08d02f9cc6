"""Recorded runs of the experiments of wang2023 as a table next to the printed Tables 1 and 3."""

from __future__ import annotations

import statistics
from functools import cache
from typing import Any

from paper_figures import style
from paper_figures.figure import Figure, NotRun
from verify.experiments.recorded import recorded_lines

WAYS = ("soft", "box-denoised", "box")
SHOWN = {"soft": "soft price (ours)", "box-denoised": "box, denoised (as in the paper)", "box": "only the box"}
NAMES = {"adult": "Adult", "compas": "Compas", "law": "Law", "dutch": "Dutch", "churn": "Churn"}
GENERATORS = {"mst": "MST", "aim": "AIM"}
SCORES = ("f1", "js", "ikl")
PRINTED = {
    2: {"mst": (0.22, 0.55, 0.56), "aim": (0.13, 0.61, 0.61)},
    4: {"mst": (0.1, 0.55, 0.55), "aim": (0.29, 0.61, 0.61)},
}
"""For Adult, the only table in common: utility improvement, F1 without and with post-processing."""


@cache
def _runs() -> dict[tuple[str, str, int], list[dict[str, Any]]]:
    found: dict[tuple[str, str, int], list[dict[str, Any]]] = {}
    for line in sorted(recorded_lines("wang2023"), key=lambda line: int(line["set"])):
        found.setdefault((line["generator"], line["table"], int(line["epsilon"])), []).append(line)
    return found


def runs(generator: str, table: str, epsilon: int) -> list[dict[str, Any]]:
    """The recorded runs of this kind, by the number of the set; there may be none."""
    return _runs().get((generator, table, epsilon), [])


def improvements(lines: list[dict[str, Any]], way: str) -> list[float]:
    """1 - error after / error without post-processing, of the correlation matrix, for each run."""
    return [1 - line[way]["corr"] / line["whole"]["corr"] for line in lines]


def rows_at(epsilon: int) -> list[dict[str, Any]]:
    """A row for every generator and table that was run at this epsilon in total."""
    found = []
    for generator in GENERATORS:
        for table in NAMES:
            lines = runs(generator, table, epsilon)
            if not lines:
                continue
            row: dict[str, Any] = {"generator": generator, "table": table, "runs": len(lines)}
            row["real_f1_est"] = lines[0]["real_f1"]
            row["without"] = {score: statistics.fmean(line["whole"][score] for line in lines) for score in SCORES}
            for way in WAYS:
                values = improvements(lines, way)
                row[way] = {
                    "improvement_est": statistics.fmean(values),
                    "deviation_est": statistics.stdev(values) if len(values) > 1 else 0.0,
                    "better": sum(value > 0 for value in values),
                    "kept": sum(line[way]["price"] == way.partition("-")[0] for line in lines),
                    **{score: statistics.fmean(line[way][score] for line in lines) for score in SCORES},
                }
            found.append(row)
    if not found:
        raise NotRun("verify.experiments.wang2023 has recorded no runs: run it in a checkout")
    return found


def _compute_at(epsilon: int) -> dict[str, Any]:
    printed = {name: list(values) for name, values in PRINTED[epsilon].items()}
    return {"epsilon": epsilon, "printed_adult": printed, "rows": rows_at(epsilon)}


def _draw_table(data: dict[str, Any], figure: Any) -> None:
    """Improvement by every method, then scores without post-processing and with the soft price."""
    columns = [
        "table",
        "mechanism",
        "runs",
        "soft price\n(ours)",
        "box,\ndenoised",
        "only the\nbox",
        "printed\n(Adult)",
    ]
    columns += [
        "F1\nwithout",
        "F1\nsoft",
        "F1\nreal",
        "JS\nwithout",
        "JS\nsoft",
        "inverse KL\nwithout",
        "inverse KL\nsoft",
    ]
    cells = []
    for row in data["rows"]:
        soft, without = row["soft"], row["without"]
        line = [NAMES[row["table"]], GENERATORS[row["generator"]], str(row["runs"])]
        for way in WAYS:
            given_up = row["runs"] - row[way]["kept"]
            mark = f"\n{given_up} given up" if given_up else ""
            line.append(f"{row[way]['improvement_est']:.2f} ± {row[way]['deviation_est']:.2f}{mark}")
        printed = data["printed_adult"][row["generator"]][0] if row["table"] == "adult" else None
        line.append("-" if printed is None else f"{printed:g}")
        line += [f"{without['f1']:.3f}", f"{soft['f1']:.3f}", f"{row['real_f1_est']:.3f}"]
        line += [f"{value:.3f}" for score in ("js", "ikl") for value in (without[score], soft[score])]
        cells.append(line)
    style.table(figure.subplots(), columns, cells)


def table_figure(number: int, *, epsilon: int) -> Figure:
    """The table of the paper with this number, at this epsilon in total."""
    return Figure(
        name=f"wang2023-table{number}",
        title=f"Synthetic tables improved on five columns, epsilon {epsilon} in total",
        source=f"wang2023, Table {number}; recorded runs of verify.experiments.wang2023",
        caption=_caption(epsilon),
        compute=lambda: _compute_at(epsilon),
        draw=_draw_table,
        size=(14.0, 6.0),
    )


def _caption(epsilon: int) -> str:
    return (
        "Utility improvement, 1 - (error of the correlation matrix of five columns) / (that of a table at epsilon "
        f"{epsilon}), mean and standard deviation: a table at {epsilon - 1} and moments at 1 against a table at "
        f"{epsilon}. Our implementation throughout, replace-one, delta 1/n^2 for each release, on our tables; the "
        "paper's tables are different except for Adult, and its budgets mix adjacencies. A box is given up, for the "
        "soft price, if it contains no weights or almost no rows are left: such runs are counted."
    )
