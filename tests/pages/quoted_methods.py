"""Numbers on the page that compares the methods: means of recorded runs, and the recorded benchmark of estimates."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator

from mechanisms.synth.choose import LITTLE_NOISE, MOST_POINTS
from paper_figures.methods_compared import EPSILONS, METHODS, TABLES, means
from tests.pages.quoted import DEFINITION, SETTING, Page, recorded, thousands

RULED = ("moments", "tree", "aim")
_RAW = ("adult-raw", "compas-raw")
CLOSE, MIDDLE = 0.002, 0.004


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
        lost, far = _marked([one["auc_lost"] for one in found]), _marked([one["four_way"] for one in found])
        yield noise, f"| {significant(noise)} | {name_of(table)} | {epsilon} | {lost} | {far} |"


def settings() -> dict[tuple[str, str], list[dict[str, float]]]:
    """Table and epsilon, with the means of the three methods."""
    every = {(t, e): [means().get((t, m, True, e)) for m in RULED] for t in TABLES for e in EPSILONS}
    return {key: [one for one in found if one] for key, found in every.items() if all(found)}


def rule() -> Iterator[str]:
    """What the runs say where there is little noise, and where there is more."""
    noise = {key: found[0]["noise_est"] for key, found in settings().items()}
    quiet = [key for key in noise if noise[key] <= LITTLE_NOISE]
    middle = [key for key in noise if LITTLE_NOISE < noise[key] <= MIDDLE]
    noisy = [key for key in noise if noise[key] > MIDDLE]
    models, four = "auc_lost", "four_way"
    yield f"In the {len(quiet)} settings with s at most {LITTLE_NOISE} `aim` is best for models in"
    yield f"{_best(quiet, models, 'aim')}, and for tables of four columns in {_best(quiet, four, 'aim')}"
    yield f"In the {len(middle)} from there to {MIDDLE} it is best for tables of four columns in"
    yield f"{_best(middle, four, 'aim')}, and for models in {_best(middle, models, 'aim')}"
    yield f"`moments` in {_best(middle, models, 'moments')}"
    yield f"In the {len(noisy)} with more noise `moments` is best for models in {_best(noisy, models, 'moments')}"
    yield f"and for tables of four columns in {_best(noisy, four, 'moments')}"
    yield f"`aim` in {_best(noisy, models, 'aim')} and {_best(noisy, four, 'aim')}"
    yield f"`tree` in {_best(noisy, models, 'tree')} and {_best(noisy, four, 'tree')}"
    times = zip(*([one["cpu_s"] for one in found] for found in settings().values()), strict=True)
    said = (f"{statistics.median(values):.1f} for `{method}`" for values, method in zip(times, RULED, strict=True))
    yield "The median of CPU seconds is " + ", ".join(said)
    nearer = sum(tree["one_way"] <= aim["one_way"] for _, tree, aim in settings().values())
    yield f"One-way tables are nearer by `tree` than by `aim` in {nearer} of {len(noise)}"
    slowest = max(found[2]["cpu_s"] for found in settings().values())
    yield f"up to {slowest:.0f} CPU seconds"
    yield f"`tree` loses {_without_label('tree'):.3f} more on average, `moments` {_without_label('moments'):.3f}"


def _without_label(method: str) -> float:
    """Area that is lost by not telling the label, mean over raw tables and budgets."""
    kept = [(table, epsilon) for table, epsilon in settings() if table in _RAW]
    told, untold = (
        [means()[table, method, label, epsilon]["auc_lost"] for table, epsilon in kept] for label in (True, False)
    )
    return statistics.fmean(untold) - statistics.fmean(told)


def _best(keys: list[tuple[str, str]], what: str, method: str) -> int:
    """In how many settings this method is bold."""
    values = [[one[what] for one in settings()[key]] for key in keys]
    return sum(found[RULED.index(method)] <= min(found) + CLOSE for found in values)


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
    yield f"within {CLOSE} of it"
    yield f"domains of at most {MOST_POINTS:,} points"
    at_one, elsewhere = _fewest_draws("1"), min(_fewest_draws(epsilon) for epsilon in EPSILONS)
    yield f"means over {_WORDS[at_one]} draws; at other budgets there is {_WORDS[elsewhere]} or more"
    theirs = recorded("pgm")["opendp_aim_compas"]
    yield f"version {theirs['version']}, takes {theirs['cpu_s']:.0f} CPU s and {thousands(theirs['mb'])} MB"


def _fewest_draws(epsilon: str) -> int:
    """Of the methods that were run everywhere."""
    found = (one for (_, method, _, at), one in means().items() if at == epsilon and method != "gen")
    return int(min(one["draws"] for one in found))


_WORDS = ("none", "one", "two", "three", "four", "five")


METHODS_COMPARED = Page(
    quotes,
    {
        SETTING: ("at most 10^6 cells", "its 1,000 steps"),
        DEFINITION: ("s = d / (n mu sqrt(0.7))", "except with probability 0.05"),
    },
)
