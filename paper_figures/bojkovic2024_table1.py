"""Table I of bojkovic2024 next to what its own theorems say, and the sizes in three editions."""

from __future__ import annotations

from typing import Any

import synthbounds as sb
from paper_figures import style
from paper_figures.figure import Figure

P = 10
QUESTION: dict[str, Any] = {"degree": 2, "epsilon": "0.2", "delta": "0.05", "gamma": "0.05"}
DENSITY: dict[str, Any] = {"tau": "0.5", "lipschitz": 1, "density_max": "1.5"}
EDITIONS = ("printed", "corrected", "sharp")
MECHANISMS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("Uniform sampling", "bojkovic2024.uniform", {}),
    ("Private histogram", "bojkovic2024.histogram-uniform", {}),
    ("Kernel estimate", "bojkovic2024.kde", DENSITY),
)
ENTRIES = {
    # the entry of the table, and the same from the theorem that it summarises; F queries, N points of the domain
    ("bojkovic2024.uniform", "n"): ("O(F log F)", "O(F log F)"),
    ("bojkovic2024.uniform", "k"): ("O(log F)", "O(log F)"),
    ("bojkovic2024.uniform", "m"): ("F + O(N) + 1", "F + O(N F) + 1"),
    ("bojkovic2024.histogram-uniform", "n"): ("O(F log F)", "O(F log F + N^3)"),
    ("bojkovic2024.histogram-uniform", "k"): ("O(log F)", "O(log F)"),
    ("bojkovic2024.histogram-uniform", "m"): ("F + O(1) + 1", "F + O(F) + 1"),
    ("bojkovic2024.kde", "n"): ("O(F log F)", "O(F log F + (3/tau)^p)"),
    ("bojkovic2024.kde", "k"): ("O(log F)", "O(log F)"),
    ("bojkovic2024.kde", "m"): ("F + O(1) + 1", "F + O(F) + 1"),
}
SIZES = {"n": "records |X|", "k": "synthetic rows |Y|", "m": "linear programme, m"}


def compute(p: int = P) -> dict[str, Any]:
    rows = []
    for mechanism, theorem, more in MECHANISMS:
        answers = {e: sb.require(theorem=theorem, edition=e, p=p, **QUESTION, **more) for e in EDITIONS}
        for size in SIZES:
            entry, theirs = ENTRIES[theorem, size]
            numbers = {edition: getattr(answer, size) for edition, answer in answers.items()}
            rows.append({"mechanism": mechanism, "size": size, "table": entry, "theorem": theirs, **numbers})
    return {"p": p, "rows": rows}


def shown(number: int | None) -> str:
    """With commas; a number of more than 12 digits as a power of ten, rounded up; a dash if none is needed."""
    if number is None:
        return "-"
    text = str(number)
    if len(text) <= 12:
        return f"{number:,}"
    head = -(-number // 10 ** (len(text) - 2))
    return f"{head / 10:.1f} x 10^{len(text) - 1}"


def draw_figure(data: dict[str, Any], figure: Any) -> None:
    axes = figure.subplots()
    columns = ["", "", "Table I prints", "its theorem says", *(f"{edition}, p = {data['p']}" for edition in EDITIONS)]
    rows, marked = [], set()
    for place, row in enumerate(data["rows"]):
        first = row["mechanism"] if row["size"] == "n" else ""
        rows.append([first, SIZES[row["size"]], row["table"], row["theorem"], *(shown(row[e]) for e in EDITIONS)])
        if row["table"] != row["theorem"]:
            marked.add(place)
    style.table(axes, columns, rows, marked=marked)


FIGURE = Figure(
    name="bojkovic2024-table1",
    title="Table I, corrected",
    source="Table I of bojkovic2024; numbers by synthbounds",
    caption="F queries, N points of the domain, other parameters fixed; in bold, the table omits what its theorem "
    "requires (histogram: for uniform records). These entries are right if F is held fixed for the programme, "
    "and the domain and nu for the records. Numbers: marginals of up to two of 10 attributes, epsilon = 0.2, "
    "delta = gamma = 0.05; kernel: Lipschitz constant 1, density from tau = 0.5 to 1.5. The proofs of the "
    "printed histogram and kernel theorems fail; for an accuracy as coarse as this the sharp edition measures "
    "only one-way answers (kernel: uniform points).",
    compute=compute,
    draw=draw_figure,
    size=(10.6, 3.9),
)
