"""Numbers on the page that compares the methods: means of recorded runs, and the recorded benchmark of estimates."""

from __future__ import annotations

from collections.abc import Iterator
from math import log10

from paper_figures.zhou2024_methods_compared import EPSILONS, METHODS, TABLES, auc_lost, means
from tests.pages.quoted import DEFINITION, SETTING, Page, recorded, thousands

RULED = ("moments", "tree", "aim")
_RAW = ("adult-raw", "compas-raw")


def name_of(table: str) -> str:
    return table.replace("-", ", ").capitalize()


def rows() -> Iterator[str]:
    """All methods at epsilon 1."""
    yield "| table | method | CPU s | one-way | pairs | four-way | logistic | trees | certified |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for table in TABLES:
        for method in ("real", *METHODS):
            for label in (True, False) if table in _RAW else (True,):
                found = means().get((table, method, label, None if method == "real" else "1"))
                if found is not None:
                    words = f"`{method}`" if method != "real" else "real rows"
                    yield f"| {name_of(table)} | {words}{'' if label else ', no label'} | {_cells(found)} |"


def _cells(found: dict[str, float]) -> str:
    cpu, certified = found.get("cpu_s"), found.get("certified_one_way")
    scores = (f"{found[f'{name}_accuracy']:.3f}/{found[f'{name}_auc']:.3f}" for name in ("logistic", "trees"))
    distances = (f"{found[name]:.3f}" for name in ("one_way", "pairs", "four_way"))
    first, last = "" if cpu is None else f"{cpu:.1f}", "" if certified is None else f"{certified:.3f}"
    return " | ".join((first, *distances, *scores, last))


def by_noise() -> Iterator[str]:
    """Three methods on every table at every budget, by the public noise."""
    yield "| s | table | epsilon | area lost: `moments`, `tree`, `aim` | four-way: `moments`, `tree`, `aim` |"
    yield "|---|---|---|---|---|"
    yield from (line for _, line in sorted(_by_noise()))


def _by_noise() -> Iterator[tuple[float, str]]:
    for table in TABLES:
        for epsilon in EPSILONS:
            found = [means().get((table, method, True, epsilon)) for method in RULED]
            if all(found):
                noise = found[0]["noise_est"]  # type: ignore[index]
                lost = _marked([auc_lost(table, one) for one in found if one])
                far = _marked([one["four_way"] for one in found if one])
                yield noise, f"| {significant(noise)} | {name_of(table)} | {epsilon} | {lost} | {far} |"


def significant(value: float) -> str:
    """Two digits that count."""
    return f"{value:.{1 - int(log10(value) // 1)}f}"


def _marked(values: list[float]) -> str:
    """The least is bold, as is what is not more than .002 above it."""
    return ", ".join(f"**{v:.3f}**" if v <= min(values) + 0.002 else f"{v:.3f}" for v in values)


def estimate_rows() -> Iterator[str]:
    """One estimate of the same log, ours and mbi's."""
    found = recorded("pgm")
    yield "| log of | ratio | ratio of the fit | CPU s | mbi, CPU s | loss | mbi, loss | certified distance |"
    yield "|---|---|---|---|---|---|---|---|"
    for table in ("adult", "compas"):
        fit = {key.removeprefix(f"{table}_"): value for key, value in found.items() if key.startswith(f"{table}_")}
        yield (
            f"| {table.capitalize()} | {fit['ratio_vs_mbi_process']:.0f} | {fit['ratio_vs_mbi_fit']:.0f} | "
            f"{fit['process_cpu_s']:.1f} | {fit['mbi_process_cpu_s']:.0f} | {thousands(round(fit['loss']))} | "
            f"{thousands(round(fit['mbi_loss']))} | {fit['l1']:.4f} |"
        )


def aim_rows() -> Iterator[str]:
    """All of AIM, from the command line."""
    yield "| table | CPU s, simulated | CPU s, released | MB | rounds | cells measured |"
    yield "|---|---|---|---|---|---|"
    for table, used in recorded("pgm")["aim"].items():
        yield (
            f"| {table.capitalize()} | {used['simulate_cpu_s']:.1f} | {used['release_cpu_s']:.1f} | "
            f"{max(used['simulate_mb'], used['release_mb'])} | {used['rounds']} | {thousands(used['cells'])} |"
        )


def quotes() -> Iterator[str]:
    yield from (row for row in (*rows(), *by_noise(), *estimate_rows(), *aim_rows()) if "|---" not in row)


METHODS_COMPARED = Page(quotes, {SETTING: (), DEFINITION: ()})
