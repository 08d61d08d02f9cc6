"""Every method, ours and other projects', on every table at every budget, from the runs of benchmarks.tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from docs_site.text import plain, table
from paper_figures.methods_compared import EPSILONS, TABLES, means, refused, versions

OURS = ("moments", "aim", "tree", "mst", "gen", "rap", "rap++", "gem", "merf", "independent")
PEERS = ("smartnoise-mst", "smartnoise-aim", "opendp-aim")
HEAD = ("method", "epsilon", "CPU s", "one-way", "pairs", "four-way", "logistic", "trees", "certified")
INTRODUCTION = """\
# Benchmark

These are the numbers of every method on eight tables, at every budget that was run. [Methods
compared](methods-compared.md) describes the runs and draws conclusions. Distances are total variation to the records
that the method saw, means over tables of one, two and four columns. *Logistic* and *trees* are accuracy/area under the
curve of models trained on the synthetic rows and tested on records that nothing else has read. *Certified* is the
largest error of a share of any column, proved from the release alone, except with probability 0.05; other projects
prove none. Privacy is (epsilon, 1/n^2), replace-one.

**Other projects** run with their own defaults, as installed from their package index, and are told how many
codes every column has. There one record is added or removed, which needs about half the noise of replace-one.
Their noise has no seed, and each was run once. CPU seconds are those of the release, the fit and the rows."""
STEPPED = """\
**Rows of mbi.** Rows "as shipped" are those of the default of mbi 1.1.0, which smartnoise-synth 1.0.8 requires (at
least 1.1, below 2). It draws columns within groups in the same order, so that columns which are independent in the
model, given their parents, are correlated in the rows; and it conditions only on the measured tables, which matters
if these overlap, as in AIM. Its author found and fixed both faults in 2.0.0 ([pull request
145](https://github.com/ryan112358/mbi/pull/145)). A second line gives rows of the same model without the first fault,
drawn one by one."""


def benchmark_page() -> str:
    parts = [INTRODUCTION, STEPPED, f"Versions: {'; '.join(versions())}."]
    for name in TABLES:
        real = means()[name, "real", True, None]
        size = f"{real['n']:,.0f} records to learn from, {real['columns']:.0f} columns"
        parts += [f"## {_title(name)}", f"{size}.", table(HEAD, _rows(name), frozenset({1, 2}))]
    return "\n\n".join(parts) + "\n"


def _rows(name: str) -> Iterator[tuple[str, ...]]:
    yield ("real records", "", "", *_scores(means()[name, "real", True, None], ""), "")
    for method in (*OURS, *PEERS):
        for epsilon in EPSILONS:
            found = means().get((name, method, True, epsilon))
            if found is not None:
                certified = found.get("certified_one_way")
                last = "" if certified is None else f"{certified:.3f}"
                shown = f"`{method}`" if method in OURS else f"{plain(method)}, as shipped"
                yield (shown, epsilon, f"{found['cpu_s']:,.1f}", *_scores(found, ""), last)
                if "sampled_pairs" in found:
                    yield (f"{plain(method)}, drawn one by one", epsilon, "", *_scores(found, "sampled_"), "")
            elif why := refused().get((name, method, epsilon)):
                yield (plain(method), epsilon, plain(why), *[""] * 6)


def _scores(found: Mapping[str, float], which: str) -> tuple[str, ...]:
    distances = (f"{found[which + name]:.3f}" for name in ("one_way", "pairs", "four_way"))
    learned = (
        f"{found[f'{which}{name}_accuracy']:.3f}/{found[f'{which}{name}_auc']:.3f}" for name in ("logistic", "trees")
    )
    return (*distances, *learned)


def _title(name: str) -> str:
    return name.replace("-", ", ").capitalize()
