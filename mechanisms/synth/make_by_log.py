"""From records to a synthetic table by a method that keeps a log: plan, log, model of the log, rows, what is known.

The rows are a function of the log, so anyone who has it can make the same ones, or others, and nothing more is spent.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from mechanisms.density_lp import PROGRAMME_PARAMETERS
from mechanisms.log_rows import rows_of
from mechanisms.mechanism import Public
from mechanisms.select.settings import AIM, DEGREES, GEM, GEN, MERF, MODEL_MB, MST, RAP, RAP_PP, TREE
from mechanisms.synth.choose import Choice
from mechanisms.synth.known import known_from_log
from mechanisms.synth.make import TableRequest, public_size
from mechanisms.synth.parameters import LABEL
from mechanisms.synth.private_table import PrivateTable
from release.log.make import Ended
from release.replay import NothingMore
from release.spending import spending

if TYPE_CHECKING:
    from mechanisms.log_rows import RowsFit
    from release.data.domain import Codes
    from release.data.schema import Schema
    from release.data.source import Source
    from release.log.file import MarginalLog
    from release.log.impossible import Impossible

Say = Callable[[str], None]
Run = Callable[..., "MarginalLog"]


def plan_method(
    method: str, public: Public, request: TableRequest, impossible: Sequence[Impossible]
) -> tuple[Any, Run]:
    """What the method would do, by public facts alone, and the function that runs it; refusals come before spending.

    A run that was interrupted before and is finished now passes the log as far as it was kept.
    """
    plan, run = _planned(method, public, request, impossible)

    def as_far_as_kept(*given: Any, **more: Any) -> MarginalLog:
        try:
            return run(*given, **more)
        except Ended as ended:
            return ended.log

    return plan, as_far_as_kept


def _planned(method: str, public: Public, request: TableRequest, impossible: Sequence[Impossible]) -> tuple[Any, Run]:
    assert request.dp_delta is not None
    asked: dict[str, Any] = {
        "epsilon": request.epsilon,
        "dp_delta": request.dp_delta,
        "mode": request.randomness.mode,
        "reserve": request.distance,
        "impossible": tuple(impossible),
        **request.settings,
    }
    if method in DEGREES:
        asked.setdefault("degree", min(DEGREES[method], len(public.schema.columns)))
    if method == AIM:
        from mechanisms.select.aim import run_aim
        from mechanisms.select.aim_plan import plan_aim

        return plan_aim(public, **asked), run_aim
    if method == MST:
        from mechanisms.select.mst import plan_mst, run_mst

        return plan_mst(public, **asked), run_mst
    if method == TREE:
        from mechanisms.select.tree import plan_tree, run_tree

        return plan_tree(public, label=request.label, **asked), run_tree
    if method in (RAP, RAP_PP):
        from mechanisms.rap.plan import plan_rap
        from mechanisms.rap.run import run_rap

        labels = request.labels or (() if request.label is None else (request.label,))
        return plan_rap(public, method=method, labels=labels, numbers=request.numbers, **asked), run_rap
    if method == GEM:
        from mechanisms.generators.gem import plan_gem, run_gem

        return plan_gem(public, **asked), run_gem
    if method == MERF:
        from mechanisms.generators.merf import plan_merf, run_merf

        return plan_merf(public, label=request.label, **asked), run_merf
    assert method == GEN
    from mechanisms.select.gen import plan_gen, run_gen

    return plan_gen(public, **asked), run_gen


def make_by_log(
    records: Codes | Source, request: TableRequest, schema: Schema, choice: Choice, *, say: Say | None = None
) -> PrivateTable:
    """Tables of counts, chosen and measured by the method, the model that they determine, and rows from it."""
    size = public_size(records, request.adjacency, request.least_size)
    features = None
    if request.distance:
        from release.statistics.features import choose_features

        features = choose_features(schema, label=_label(request))
        features.require_two_values("distances are for labels +1 and -1")
    impossible: tuple[Impossible, ...] = ()
    if request.impossible is not None:
        from release.log.impossible import read_impossible

        impossible = read_impossible(request.impossible, schema)
    public = Public(schema=schema, adjacency=request.adjacency, size=size)
    plan, run = plan_method(choice.method, public, request, impossible)
    request.require_memory(len(records), schema, more=4 * 10**6 * request.settings.get("model_mb", MODEL_MB))
    with spending(is_private=not request.randomness.is_simulated):
        if say is not None and choice.method == AIM:
            sets = len(plan.workload.candidates)
            say(f"at most {plan.most_rounds:,} rounds among {sets:,} sets of columns, {plan.model_mb:,} MB")
        log = run(records, plan, request.randomness, say=say)
        rows, fit = rows_of(log, request.rows_for(len(records)), say=say)
        if features is not None:
            from release.log.distance import with_distance

            with contextlib.suppress(NothingMore):  # interrupted before it was measured
                log = with_distance(log, records, rows, features, request.randomness)
        too_few = log.is_simulated and len(records) < size  # in a release this stays secret
        return _made(log, rows, fit, choice, beta=request.failure, too_few=too_few)


def redraw(
    log: MarginalLog, *, k: int | None = None, seed: int | None = None, beta: Fraction, say: Say | None = None
) -> PrivateTable:
    """Rows of a log: those that were made with it or, with a seed, others; reads no record and spends nothing."""
    most = PROGRAMME_PARAMETERS["k"].range
    if k is None and most is not None:
        most.check("n", log.stated_size, f"{log.stated_size}, as many rows; say how many (--k)")
    rows, fit = rows_of(log, log.stated_size if k is None else k, seed=seed, say=say)
    choice = Choice(log.method, "the method of the log")
    return replace(_made(log, rows, fit, choice, beta=beta, too_few=False), is_redrawn=True)


def _made(
    log: MarginalLog, rows: Codes, fit: RowsFit, choice: Choice, *, beta: Fraction, too_few: bool
) -> PrivateTable:
    target = log.ledger.target
    assert target is not None
    return PrivateTable(
        choice=choice,
        release=log,
        rows=rows,
        known=known_from_log(log, rows, beta),
        epsilon=target.epsilon.lo,
        dp_delta=target.delta.lo,
        fit=fit,
        distance=log.distance,
        too_few=too_few,
    )


def _label(request: TableRequest) -> str:
    LABEL.require(request.label)
    assert request.label is not None
    return request.label
