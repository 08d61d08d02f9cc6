"""Logs of a small table, made as a method would make them: one-way tables, then twice a choice and a pair."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from bounds.privacy.ledger import Ledger
from release.log.file import MarginalLog
from release.log.impossible import Impossible
from release.log.make import OpenLog
from release.log.planned import LogPlan
from release.noise.randomness import Randomness, read_randomness
from release.statistics.statistic import RECORD_STEPS
from release.statistics.thresholds import Thresholds
from tests.cross_examples import SCHEMA, table

PAIRS = tuple((i, j) for i in range(5) for j in range(i + 1, 5))
GROUPS = ((0, 1, 2, 3, 4, 5, 5), (0, 1, 1), (0, 1), (0, 1), (0, 1, 2, 2, 3))
ZEROS = Impossible((0, 3), ((0, 1), (6, 0)))
"""Children own nothing, and the oldest own something."""


def plan(
    *,
    adjacency: str = "replace-one",
    size: int = 2000,
    mode: Any = "simulate",
    reserve: Fraction = Fraction(0),
    epsilon: object = 1,
    impossible: tuple[Impossible, ...] = (),
    method: str = "aim",
) -> LogPlan:
    ledger = Ledger.in_rho(epsilon=str(epsilon), dp_delta="1e-6", adjacency=adjacency)
    if reserve:
        ledger = ledger.reserve_share(reserve, "distance")
    return LogPlan(
        schema=SCHEMA,
        method=method,
        settings={"model_mb": 100} | ({"degree": 2, "most_cells": 1000, "rounds": 80} if method == "aim" else {}),
        mode=mode,
        ledger=ledger,
        stated_size=size,
        impossible=impossible,
    )


def randomness_of(plan: LogPlan, *, seed: int = 5, run: int = 0) -> Randomness:
    return read_randomness("simulate", seed=seed, run=run) if plan.is_simulated else read_randomness("release")


def run_log(opened: OpenLog, *, merged: bool = False) -> MarginalLog:
    """One-way tables; twice a choice by the size of the largest count, and the pair that was chosen.

    Where codes are merged, both choices come first, as in MST.
    """
    rho, wanted = opened.left, list(PAIRS)
    opened.measure([(place,) for place in range(5)], rho=rho / 2)
    if merged:
        opened.merge(GROUPS)
    found = []
    for last in (False, True):
        counts = opened.counts_of(wanted)
        scores = [int(counts[columns].max()) for columns in wanted]
        chosen = opened.choose(wanted, scores, moved=1, rho=rho / 8)
        wanted.remove(chosen)
        found.append(chosen)
        if not merged:
            opened.measure([chosen], rho=opened.left if last else rho / 8)
    if merged:
        opened.measure(sorted(found), rho=opened.left)
    return opened.close()


def records(n: int = 2000, *, possible: bool = False) -> np.ndarray[Any, Any]:
    found = table(n)
    if possible:
        found[found[:, 0] == 0, 3] = 0
        found[found[:, 0] == 6, 3] = 1
    return found


def made(*, merged: bool = False, seed: int = 5, run: int = 0, **asked: Any) -> MarginalLog:
    found = plan(method="mst" if merged else "aim", **asked)
    rows = records(possible=bool(found.impossible))
    return run_log(OpenLog(rows, found, randomness_of(found, seed=seed, run=run)), merged=merged)


LABELS = ("pays", "owns")
QUERIES = Thresholds(SCHEMA, numbers=(0,), by=(2, 3), count=40, seed=7)
"""Of age, by both labels in turn."""


def plan_with_queries(**asked: Any) -> LogPlan:
    """A plan whose method may ask thresholds, too."""
    sizes = {"degree": 2, "rounds": 2, "top": 3, "table_rounds": 1, "points": 10, "most_codes": 32}
    settings: dict[str, Any] = {"labels": LABELS, **sizes}
    return replace(plan(method="rap++", **asked), settings=settings, queries=(QUERIES,))


def log_with_queries(**asked: Any) -> MarginalLog:
    """One-way tables; a choice of three queries and their answers, twice; a choice of a table and the table between."""
    found = plan_with_queries(**asked)
    opened = OpenLog(records(), found, randomness_of(found))
    rho = opened.left
    opened.measure([(place,) for place in range(5)], rho=rho / 4)
    for last in (False, True):
        answers, starts = opened.answers(0), QUERIES.starts
        scores = [RECORD_STEPS * int(answers[start:end].max()) for start, end in pairwise(starts)]
        chosen = opened.choose_queries(0, scores, count=3, moved=RECORD_STEPS, rho=rho / 8)
        opened.ask(0, chosen, rho=opened.left if last else rho / 8)
        if not last:
            table = opened.choose([(2, 4), (3, 4)], [3, 5], moved=RECORD_STEPS, rho=rho / 16)
            opened.measure([table], rho=rho / 16)
    return opened.close()
