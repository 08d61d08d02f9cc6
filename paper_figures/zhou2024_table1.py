"""Table 1 of zhou2024: the size of the six tables, as printed and as counted."""

from __future__ import annotations

from typing import Any

from paper_figures import style
from paper_figures.figure import Figure, NotRun
from verify.claims.zhou2024_table1 import TABLE_1
from verify.real_tables import MISSING, NAMES, all_here, codes, domain


def compute() -> dict[str, Any]:
    if not all_here():
        raise NotRun(MISSING)
    rows = []
    for name in NAMES:
        records, dimensions = codes(name).shape
        rows.append(
            {
                "table": name.capitalize(),
                "printed_records": TABLE_1[name][0],
                "records": records,
                "training_records": records - -(-records // 5),
                "printed_dimensions": TABLE_1[name][1],
                "dimensions": dimensions,
                "most_levels": max(domain(name).values()),
            }
        )
    return {"rows": rows}


def draw(data: dict[str, Any], figure: Any) -> None:
    columns = ["table", "records\nprinted", "records\ncounted", "80 % for\ntraining"]
    columns += ["columns\nprinted", "columns\ncounted", "levels, widest\ncolumn"]
    shown = ("printed_records", "records", "training_records", "printed_dimensions", "dimensions", "most_levels")
    rows = [[row["table"], *(f"{row[key]:,}" for key in shown)] for row in data["rows"]]
    wrong = {i for i, row in enumerate(data["rows"]) if row["records"] != row["printed_records"]}
    style.table(figure.subplots(), columns, rows, marked=wrong)


FIGURE = Figure(
    name="zhou2024-table1",
    title="The tables of the experiments: one printed size is that of a training part",
    source="zhou2024, Table 1",
    caption=(
        "Printed: the numbers of the paper. Counted: the released tables, with the label. Marked: differences. "
        "For Churn, the paper prints the size of the training part of an 80/20 split."
    ),
    compute=compute,
    draw=draw,
    size=(7.6, 3.4),
)
