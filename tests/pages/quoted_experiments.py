"""Numbers of the part of docs/figures.md about the ledger's verdicts on experiments: from claims and their rules."""

from __future__ import annotations

from collections.abc import Iterator

from verify.claims.zhou2024_runs import loss_by_synthesis
from verify.claims.zhou2024_runs_table2 import LEAST_RUNS, is_inside, runs
from verify.claims.zhou2024_table2 import EPSILONS, PRINTED, splits
from verify.experiments.compared import MOST_OF_PAIRS
from verify.experiments.rerun import ONE_IN
from verify.experiments.statistics import LEVEL, SIGNIFICANT

_TENTH = 10


def quotes() -> Iterator[str]:
    assert ONE_IN == _TENTH
    yield "makes a tenth of the runs again"
    yield f"predictive interval of our runs at {100 * LEVEL:.2f} %"
    yield f"says so at {SIGNIFICANT}"
    assert MOST_OF_PAIRS == 0.9
    yield "which nine of ten of its"
    cells = [(name, metric, epsilon) for name, metric in PRINTED for epsilon in EPSILONS]
    judged = [cell for cell in cells if len(runs(*cell)) >= LEAST_RUNS]
    assert all(is_inside(*cell) for cell in judged)
    yield f"Of the {len(cells)} printed means of synthetic data in Table 2 of zhou2024, {len(judged)} have"
    yield f"{len(judged)} have ten runs of ours"
    yield "but at 0.25 more of them are far off"
    count = len(splits("heart", "accuracy"))
    lost = [loss_by_synthesis("heart", metric)[0] for metric in ("accuracy", "loss")]
    yield f"the mean of {count} splits of Heart its printed accuracy at epsilon 2"
    yield f"is {lost[0]:.3f} lower and its risk {lost[1]:.3f} higher, where 0.022 and 0.032 are said"
