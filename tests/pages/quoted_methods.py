"""Numbers on the page that compares the methods: means of recorded runs, and the recorded benchmark of estimates."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator

from mechanisms.synth.choose import MOST_POINTS
from paper_figures.methods_compared import EPSILONS, METHODS, TABLES, auc_lost, means
from tests.pages.quoted import DEFINITION, SETTING, Page, recorded, thousands

RULED = ("moments", "tree", "aim")
_RAW = ("adult-raw", "compas-raw")
CLOSE, LIMIT = 0.002, 0.004


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
    for (table, epsilon), found in settings().items():
        noise = found[0]["noise_est"]
        lost, far = _marked([auc_lost(table, one) for one in found]), _marked([one["four_way"] for one in found])
        yield noise, f"| {significant(noise)} | {name_of(table)} | {epsilon} | {lost} | {far} |"


def settings() -> dict[tuple[str, str], list[dict[str, float]]]:
    """Table and epsilon, with the means of the three methods."""
    every = {(t, e): [means().get((t, m, True, e)) for m in RULED] for t in TABLES for e in EPSILONS}
    return {key: [one for one in found if one] for key, found in every.items() if all(found)}


def rule() -> Iterator[str]:
    """What the runs say on both sides of the limit."""
    lost = {key: [auc_lost(key[0], one) for one in found] for key, found in settings().items()}
    far = {key: [one["four_way"] for one in found] for key, found in settings().items()}
    noisy = [key for key, found in settings().items() if found[0]["noise_est"] > LIMIT]
    quiet = [key for key in settings() if key not in noisy]
    yield f"In {_within(noisy, lost, 0)} of {len(noisy)} settings with s above {LIMIT} `moments` loses the least area"
    yield f"`aim` in {_within(noisy, lost, 2)}"
    yield f"In {_within(quiet, far, 2)} of the {len(quiet)} with less noise `aim` is nearest in tables of four columns"
    yield f"loses the least area in {_within(quiet, lost, 2)}, `moments` in {_within(quiet, lost, 0)}"
    cpu = [[one["cpu_s"] for one in found] for found in settings().values()]
    times = [statistics.median(values) for values in zip(*cpu, strict=True)]
    yield "The median of CPU seconds is " + ", ".join(
        f"{time:.1f} for `{method}`" for time, method in zip(times, RULED, strict=True)
    )
    gained = [
        auc_lost(table, means()[table, "tree", False, e]) - auc_lost(table, means()[table, "tree", True, e])
        for table, e in settings()
        if table in _RAW
    ]
    yield f"`tree` loses {statistics.fmean(gained):.3f} more on average"
    gained = [
        auc_lost(table, means()[table, "moments", False, e]) - auc_lost(table, means()[table, "moments", True, e])
        for table, e in settings()
        if table in _RAW
    ]
    yield f"`moments` {statistics.fmean(gained):.3f}"


Setting = tuple[str, str]


def _within(keys: list[Setting], values: dict[Setting, list[float]], place: int) -> int:
    """How often this method is bold."""
    return sum(values[key][place] <= min(values[key]) + CLOSE for key in keys)


def significant(value: float) -> str:
    """Two digits that count."""
    return f"{value:.{1 - int(math.log10(value) // 1)}f}"


def _marked(values: list[float]) -> str:
    """The least is bold, and what is close to it."""
    return ", ".join(f"**{v:.3f}**" if v <= min(values) + CLOSE else f"{v:.3f}" for v in values)


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
    yield from rule()
    yield f"Where s is at most {LIMIT}"
    yield f"within {CLOSE} of it"
    yield f"domains of at most {MOST_POINTS:,} points"
    budgets = {e for *_, e in means() if e}
    counted = {e: min(int(found["draws"]) for (*_, at), found in means().items() if at == e) for e in budgets}
    yield f"means over at least {counted['1']} draws; at other budgets over at least {min(counted.values())}"


METHODS_COMPARED = Page(
    quotes,
    {
        SETTING: ("at most 10^6 cells", "its 1,000 steps"),
        DEFINITION: ("s = d / (n sqrt(1.4 rho))", "except with probability 0.05"),
    },
)
