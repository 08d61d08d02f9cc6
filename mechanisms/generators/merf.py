"""DP-MERF of harder2021: a generator fitted to random Fourier features of the records, all released at once.

One-way tables take a small part of the budget, and all features together the rest, as one charge. With a label, there
are separate features for each of its values. Frequencies are public: they follow from the schema and a fixed seed.
Proofs: docs/proofs/synthbounds.fourier-features.md, synthbounds.marginal-log.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from bounds.errors import DataError
from mechanisms.generators.fit_features import feature_target, fit_features, residual_waves
from mechanisms.generators.fit_tables import column_targets
from mechanisms.generators.network import Network
from mechanisms.generators.outputs import (
    GeneratedRows,
    Mixture,
    Outputs,
    network_stream,
    refuse_impossible,
    require_outputs,
)
from mechanisms.generators.settings import FEATURES, MERF, MOST_CODES, POINTS
from mechanisms.pgm.from_log import stream_of_log
from mechanisms.select.aim_plan import neighbours_merged
from mechanisms.select.log_plan import plan_log
from release.log.make import OpenLog
from release.one_thread import one_thread
from release.statistics.fourier_features import STEPS, FourierFeatures
from release.statistics.public_queries import named_places

if TYPE_CHECKING:
    from mechanisms.mechanism import Public
    from release.data.domain import Codes
    from release.data.schema import Schema
    from release.data.source import Source
    from release.log.file import MarginalLog
    from release.log.impossible import Impossible
    from release.log.planned import LogPlan
    from release.log.steps import Groups
    from release.noise.kinds import Mode
    from release.noise.randomness import Randomness

Say = Callable[[str], None]
START = Fraction(1, 4)
"""The share of the budget that one-way tables take."""
_SEED = 0
"""Seed of the frequencies."""
_STEPS, _MOST_PASSES, _ENOUGH = 400, 3, 1.2
"""For the network: steps per pass, the most passes, and the distance from the features, in deviations of their noise,
at which fitting stops."""


@dataclass(frozen=True, kw_only=True)
class MerfPlan:
    """What DP-MERF would do with a table of this schema; everything in it is public."""

    log: LogPlan
    features: FourierFeatures

    @property
    def start(self) -> Fraction:
        """What the one-way tables cost together."""
        return START * self.log.ledger.left


def plan_merf(
    public: Public,
    *,
    epsilon: Fraction,
    dp_delta: Fraction,
    mode: Mode,
    label: str | None = None,
    reserve: Fraction = Fraction(0),
    features: int | None = None,
    impossible: Sequence[Impossible] = (),
) -> MerfPlan:
    """The plan; refuses what cannot be run, before any record is seen. `label` is the name of a column."""
    refuse_impossible(impossible, MERF)
    schema = public.schema
    place = None if label is None else named_places(schema, [label], "label")[0]
    require_outputs(schema, _groups(schema, place), MERF)
    count = min(FEATURES, FourierFeatures.most(schema, place)) if features is None else features
    drawn = FourierFeatures(schema, place, count, _SEED)
    log = plan_log(
        public,
        method=MERF,
        settings={},
        epsilon=epsilon,
        dp_delta=dp_delta,
        mode=mode,
        reserve=reserve,
        impossible=(),
        queries=(drawn,),
    )
    return MerfPlan(log=log, features=drawn)


def run_merf(records: Codes | Source, plan: MerfPlan, randomness: Randomness, *, say: Say | None = None) -> MarginalLog:
    """The log of one run; in release mode each run spends the budget again."""
    log = OpenLog(records, plan.log, randomness)
    log.measure([(u,) for u in range(len(plan.log.schema.columns))], rho=plan.start)
    step = log.ask(0, range(plan.features.count), rho=log.left)
    if say is not None:
        say(f"{len(step.sums):,} sums are released: {plan.features.text}")
    return log.close()


def rows_of_merf(log: MarginalLog, k: int, *, seed: int | None = None, say: Say | None = None) -> GeneratedRows:
    """k rows of the generator that the log determines: a function of the log and a seed."""
    features, (answers,) = _features(log), log.answers
    with one_thread():
        groups = _groups(log.schema, features.label)
        outputs = Outputs.of_tables(log.tables, total=log.total_est, groups=groups)
        target = feature_target(features, answers, outputs, total=log.total_est)
        unit = float(answers.sd) / STEPS
        columns = column_targets(outputs, [float(table.sd) for table in log.tables], unit=unit)
        stream = network_stream(log)
        network = Network(outputs.sizes, stream, points=POINTS)
        network.start_at(outputs.merged)
        for _ in range(_MOST_PASSES):
            fit_features(network, target, columns, stream, steps=_STEPS)
            residual = residual_waves(network, target) * log.total_est / unit
            if say is not None:
                say(f"the generator is {residual:.2f} deviations of the noise from the features")
            if residual <= _ENOUGH:
                break
        codes = Mixture(outputs, network.forward()).rows(k, stream_of_log(log, seed))
    return GeneratedRows(codes=codes.astype(log.schema.domain.code_type), residual_est=residual)


def _groups(schema: Schema, label: int | None) -> Groups | None:
    """Codes that share an output; values of the label have separate features, so each has its own output."""
    return neighbours_merged(schema, MOST_CODES, () if label is None else (schema.names[label],))


def _features(log: MarginalLog) -> FourierFeatures:
    """Features of the one workload that such a log has."""
    if len(log.queries) == 1 and isinstance(log.queries[0], FourierFeatures):
        return log.queries[0]
    raise DataError("log: must have one workload, of Fourier features (merf)")
