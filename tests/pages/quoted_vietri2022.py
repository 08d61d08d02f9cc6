"""Numbers and verdicts of the part of docs/figures.md about vietri2022: from recorded runs."""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from paper_figures._vietri2022_runs import EPSILONS, SHOWN, TITLES, best_on, better_on, mean, runs
from paper_figures.vietri2022_figure1 import best_fixed, errors
from verify.claims.vietri2022_runs import CLAIMS
from verify.experiments import vietri2022 as study
from verify.experiments import vietri2022_annealing as annealing

SCORES = {
    "mixed_mean": "mixed marginals",
    "thresholds_mean": "thresholds",
    "tables_l1": "tables",
    "macro_f1": "macro F1",
    "auc": "area",
    "cpu_s": "CPU seconds",
}
_MIXED = {"rap++": ("rap++", "aim", "mixed_mean", "less"), "aim": ("aim", "merf", "mixed_mean", "less")}
_SETS = ("no", "one", "two", "three", "four", "five")


def quotes() -> Iterator[str]:
    yield f"of more than {study.SETTINGS['aim']['most_codes']} codes in {study.SETTINGS['aim']['most_codes']} parts"
    yield f"{_SETS[study.SETS['rap++']]} splits"
    yield f"Means over the {_SETS[len(TITLES)]} tables, at epsilon {EPSILONS[0]} and at {EPSILONS[1]}"
    real = mean("real", "acs_mobility", None, "macro_f1")
    assert mean("rap++", "acs_mobility", "1", "macro_f1") > real
    yield f"At {EPSILONS[0]} models of rows by AIM and MST"
    yield from table()
    yield from verdicts()


def table() -> Iterator[str]:
    """Means over tables, a method a row: a cell has those at both budgets."""
    yield f"| method | {' | '.join(SCORES.values())} |"
    yield "|---|" + "---|" * len(SCORES)
    for method, shown in SHOWN.items():
        yield f"| {shown} | {' | '.join(_cell(method, score) for score in SCORES)} |"


def _cell(method: str, score: str) -> str:
    found = []
    for epsilon in EPSILONS:
        there = [mean(method, name, epsilon, score) for name in TITLES if runs(method, name, epsilon)]
        digits = {"mixed_mean": 4, "thresholds_mean": 4, "cpu_s": 1}.get(score, 3)
        found.append(f"{statistics.fmean(there):.{digits}f}" if len(there) == len(TITLES) else "-")
    return ", ".join(found)


def verdicts() -> Iterator[str]:
    """Rows of the table of statements."""
    yield _annealing()
    claims = {claim.id: claim.expected.value.replace("-", " ") for claim in CLAIMS}
    for claim, statement, method, other, score, what in (
        ("fig2-mixed", "Figure 2: RAP++ has less error on mixed marginals than PGM", *_MIXED["rap++"]),
        ("pgm-merf", "Section 5.2: PGM has less error on them than DP-MERF", *_MIXED["aim"]),
        ("fig4-pgm", "Figure 4: RAP++ has a higher F1 than PGM", "rap++", "aim", "macro_f1", "more"),
        ("fig4-rap", "Figure 4: a higher F1 than RAP", "rap++", "rap", "macro_f1", "more"),
        ("fig4-merf", "Figure 4: a higher F1 than DP-MERF", "rap++", "merf", "macro_f1", "more"),
    ):
        counted = ((epsilon, better_on(method, other, epsilon, score)) for epsilon in EPSILONS)
        found = (
            f"{claims[f'vietri2022.runs.{claim}-at-{e}']} here at {e}: {what} on {_SETS[more]}, "
            f"{_contrary(what)} on {_SETS[less]}"
            for e, (more, less) in counted
        )
        yield f"| {statement} | {'; '.join(found)} |"
    at = ", ".join(f"{_SETS[best_on('rap++', e, 'macro_f1')]} at {e}" for e in EPSILONS)
    yield f"RAP++ has the highest mean F1 of all on {at}"
    times = {e: [mean("rap++", name, e, "cpu_s") / mean("aim", name, e, "cpu_s") for name in TITLES] for e in EPSILONS}
    found = (f"{min(of):.0f} to {max(of):.0f} times the CPU seconds of AIM at {e}" for e, of in times.items())
    statement = "Abstract: two to five times faster than the best comparable technique"
    yield f"| {statement} | not reproduced here: RAP++ takes {', '.join(found)} |"
    assert min(times["0.1"] + times["1"]) > 1


def _contrary(what: str) -> str:
    return {"less": "more", "more": "less"}[what]


def _annealing() -> str:
    """Figure 1."""
    said, holds = [], set()
    for name in annealing.TABLES:
        once, at = errors(name, "mean")["once"][0], best_fixed(name, "mean")
        least = errors(name, "mean")[f"{at:g}"][0]
        holds.add(once < least)
        how = "reproduced" if once < least else "not reproduced"
        said.append(f"{how} on {TITLES[name]}, where its mean error is {once:.4f}, and {least:.4f} at sigma = {at:g}")
    assert holds == {True, False}
    return f"| Figure 1: annealing has less error than every fixed temperature | mixed here: {'; '.join(said)} |"
