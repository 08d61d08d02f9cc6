"""The shipped methods as subjects of an audit: on all tables of a small domain, along histories of outputs.

The methods themselves run, with the log, the ledger and the scores that users have. `log-choice` and `log-counts` are
one choice and one measurement, whose distributions are known exactly; the others are whole runs, whose draws are added
up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from bounds.enclosure import Enclosure
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.concentrated import zcdp_delta, zcdp_epsilon
from bounds.privacy.ledger import Ledger
from bounds.privacy.statements import ZCDP
from mechanisms.generators.gem import plan_gem, run_gem
from mechanisms.generators.merf import plan_merf, run_merf
from mechanisms.mechanism import Public
from mechanisms.rap.plan import plan_rap
from mechanisms.rap.run import run_rap
from mechanisms.select import aim as aim_module
from mechanisms.select.aim_plan import plan_aim
from mechanisms.select.gen import plan_gen, run_gen
from mechanisms.select.mst import plan_mst, run_mst
from mechanisms.select.scores import Comparison, exact_counts, scores
from mechanisms.select.settings import RAP, RAP_PP
from mechanisms.select.tree import plan_tree, run_tree
from release.log.make import OpenLog
from release.log.planned import LogPlan
from release.noise.randomness import Randomness
from release.one_thread import one_thread
from release.statistics.mixed_marginals import MixedMarginals
from release.statistics.statistic import RECORD_STEPS
from release.statistics.thresholds import Thresholds
from verify.audit.cases import ADD, REPLACE
from verify.audit.exact import ExactLoss, discrete_gaussian_loss
from verify.audit.following import COUNTS, Cost, Draw, Run, most_expensive, replacing
from verify.audit.log_bugs import BUGGY_LOGS, BUGGY_QUERY_LOGS
from verify.audit.mechanism import Mechanism
from verify.audit.small_tables import COLUMNS, RECORDS, SCHEMA, all_neighbours, all_tables
from verify.audit.subject import DELTA, Subject

if TYPE_CHECKING:
    from release.data.domain import Codes
    from release.statistics.public_queries import PublicQueries
    from verify.audit.mechanism import Outputs

HISTORIES = 2
ROUNDS = 12
"""Rounds of AIM: enough that some are annealed before the last."""
_NOISE = Randomness(mode="simulate", seed=0)  # nothing is drawn from it: the outputs are given
QUERIES = (Thresholds(SCHEMA, (0, 1), (2,), 6, 0), MixedMarginals(SCHEMA, (0, 1), (2,), 6, 0))
_SETS = ((0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2))


@dataclass(frozen=True, kw_only=True)
class Followed:
    """A method on the small domain, and what it may cost."""

    run: Run
    rho: Fraction


def _public(adjacency: Adjacency) -> Public:
    return Public(schema=SCHEMA, adjacency=adjacency, size=RECORDS if adjacency is REPLACE else 1)


def _most(followed: Followed, adjacency: Adjacency) -> Cost:
    tables = all_tables(adjacency)
    pairs = all_neighbours(tables, adjacency)
    with one_thread():
        return most_expensive(followed.run, tables, pairs, histories=HISTORIES, allowed=followed.rho)


def _log_plan(adjacency: Adjacency, rho: Fraction, queries: tuple[PublicQueries, ...] = ()) -> LogPlan:
    ledger = Ledger.of(ZCDP(rho=rho, adjacency=adjacency))  # type: ignore[arg-type]
    size = _public(adjacency).size
    return LogPlan(schema=SCHEMA, method="audit", mode="simulate", ledger=ledger, stated_size=size, queries=queries)


def _choice(epsilon: Fraction, adjacency: Adjacency) -> Mechanism:
    """One choice among all tables by AIM's distance from a point mass, which moves as far as possible."""
    rho = epsilon**2 / 8

    def run(records: Codes) -> None:
        log = OpenLog(records, _log_plan(adjacency, rho), _NOISE)
        sizes = SCHEMA.domain.sizes
        counts = exact_counts(sizes, _SETS, log.counts_of)
        distances = Comparison(sizes, _SETS).distances(counts, _at_one_point, RECORDS)
        log.choose(_SETS, scores(distances, [1] * len(_SETS), [0] * len(_SETS)), moved=RECORD_STEPS, rho=rho)

    found = _most(Followed(run=run, rho=rho), adjacency)
    (one,), (other,) = found.first, found.second
    loss = ExactLoss(epsilon=Enclosure.of(one.loss_range(other)), delta=None, pair=found.pair)
    return _given(found, loss, epsilon=epsilon, delta=Fraction(0), adjacency=adjacency)


def _at_one_point(columns: Sequence[int]) -> Outputs:
    found = np.zeros([2] * len(columns))
    found[(0,) * len(columns)] = 1
    return found


def _counts(epsilon: Fraction, adjacency: Adjacency) -> Mechanism:
    """Three one-way tables measured together with all of the rho that (epsilon, delta) allows."""
    rho = Ledger.in_rho(epsilon=epsilon, dp_delta=DELTA, adjacency=adjacency).total

    def run(records: Codes) -> None:
        OpenLog(records, _log_plan(adjacency, rho), _NOISE).measure([(j,) for j in range(COLUMNS)], rho=rho)

    found = _most(Followed(run=run, rho=rho), adjacency)
    (one,), (other,) = found.first, found.second
    loss = discrete_gaussian_loss(one.moved(other), one.scale, epsilon=epsilon, delta=DELTA, pair=found.pair)
    return _given(found, loss, epsilon=epsilon, delta=DELTA, adjacency=adjacency)


def _method(epsilon: Fraction, adjacency: Adjacency, followed: Callable[[Any], Followed]) -> Mechanism:
    """A whole run: its most expensive history, read at delta as the ledger reads its total."""
    asked = {"epsilon": epsilon, "dp_delta": DELTA, "mode": "simulate"}
    found = _most(followed(asked), adjacency)
    if found.rho is None:
        loss = ExactLoss(epsilon=None, delta=Enclosure.of(1), pair=found.pair)
    else:
        stated = ZCDP(rho=found.rho, adjacency=adjacency)  # type: ignore[arg-type]
        loss = ExactLoss(
            epsilon=zcdp_epsilon(stated, dp_delta=DELTA).epsilon,
            delta=zcdp_delta(stated, epsilon=epsilon).delta,
            pair=found.pair,
        )
    return _given(found, loss, epsilon=epsilon, delta=DELTA, adjacency=adjacency)


def _aim(adjacency: Adjacency, bug: str | None = None) -> Callable[[Any], Followed]:
    def followed(asked: Any) -> Followed:
        plan = plan_aim(_public(adjacency), **asked, degree=2, rounds=ROUNDS)
        log = OpenLog if bug is None else BUGGY_LOGS[bug]

        def run(records: Codes) -> None:
            with replacing({(aim_module, "OpenLog"): log}):
                aim_module.run_aim(records, plan, _NOISE)

        return Followed(run=run, rho=plan.rho)

    return followed


def _planned(plan_of: Callable[..., Any], run_of: Callable[..., object], adjacency: Adjacency, **more: Any) -> Any:
    def followed(asked: Any) -> Followed:
        plan = plan_of(_public(adjacency), **asked, **more)
        return Followed(run=lambda records: run_of(records, plan, _NOISE), rho=plan.log.rho)

    return followed


def _queries(adjacency: Adjacency, bug: str | None = None) -> Callable[[Any], Followed]:
    """Rounds that choose two queries by the sum of their absolute errors and ask them: thresholds, mixed marginals.

    The errors are measured against impossible answers: more records than there are, all in one class. So replacing a
    record of one class by one of the other moves a score as far as possible, and other scores the other way.
    """

    def followed(asked: Any) -> Followed:
        total = Ledger.in_rho(epsilon=asked["epsilon"], dp_delta=asked["dp_delta"], adjacency=adjacency).total
        plan = _log_plan(adjacency, total, QUERIES)
        log_of = OpenLog if bug is None else BUGGY_QUERY_LOGS[bug]

        def run(records: Codes) -> None:
            log = log_of(records, plan, _NOISE)
            for workload, queries in enumerate(QUERIES):
                wanted = np.resize([2 * RECORDS, 0, 0, 2 * RECORDS], int(queries.starts[-1]))
                errors = np.add.reduceat(np.abs(log.answers(workload) - wanted), queries.starts[:-1])
                scores = [RECORD_STEPS * int(error) for error in errors]
                for _ in range(2):
                    part = total / (4 * len(QUERIES))
                    chosen = log.choose_queries(workload, scores, count=2, moved=RECORD_STEPS, rho=part)
                    log.ask(workload, chosen, rho=part)

        return Followed(run=run, rho=total)

    return followed


def _given(found: Cost, loss: ExactLoss, *, epsilon: Fraction, delta: Fraction, adjacency: Adjacency) -> Mechanism:
    """The draws along the most expensive history, as samples and as a density; the exact loss is known."""
    sides = found.first, found.second

    def sample(side: int, runs: int, g: np.random.Generator) -> Outputs:
        if not sides[side]:  # decided by unpublished information: the two sides do different things
            return np.full((runs, 1), float(side))
        return np.hstack([_sampled(draw, runs, g) for draw in sides[side]])

    return Mechanism(
        epsilon=epsilon,
        delta=delta,
        adjacency=adjacency,
        sample=sample,
        log_ratio=lambda x: _log_ratio(x, *sides),
        exact=lambda: loss,
    )


def _sampled(draw: Draw, runs: int, g: np.random.Generator) -> Outputs:
    inputs = np.array([float(value) for value in draw.inputs])
    if draw.kind == COUNTS:
        return np.asarray(np.rint(inputs + float(draw.scale) * g.standard_normal((runs, len(inputs)))))
    utilities = float(draw.scale) * (inputs - inputs.max()) + g.gumbel(size=(runs, len(inputs)))
    return np.asarray(utilities.argmax(axis=1)[:, None], dtype=np.float64)


def _log_ratio(x: Outputs, first: Sequence[Draw], second: Sequence[Draw]) -> Outputs:
    if not first:
        return np.where(x[:, 0] == 0, np.inf, -np.inf)
    found, start = np.zeros(len(x)), 0
    for one, other in zip(first, second, strict=True):
        a, b = (np.array([float(value) for value in draw.inputs]) for draw in (one, other))
        if one.kind == COUNTS:
            part, start = x[:, start : start + len(a)], start + len(a)
            found += (((part - b) ** 2 - (part - a) ** 2) / (2 * float(one.scale) ** 2)).sum(axis=1)
        else:
            part, start = x[:, start].astype(np.int64), start + 1
            logs = [float(one.scale) * (q - q.max()) for q in (a, b)]
            found += (logs[0] - np.logaddexp.reduce(logs[0]) - logs[1] + np.logaddexp.reduce(logs[1]))[part]
    return found


_TABLES = f"all tables of {RECORDS} records of three columns of two values, all neighbours"
_FEWER = f"all tables of at most {RECORDS} records of three columns of two values, all neighbours"
_RUNS = f"; {HISTORIES} histories, others may cost more"
_SHIPPED = "synthbounds"
_ADJACENCIES = ((REPLACE, "", _TABLES), (ADD, "-add-remove", _FEWER))


def _subjects() -> list[Subject]:
    found = []
    for adjacency, suffix, tables in _ADJACENCIES:
        found += [
            Subject(
                name=f"log-choice{suffix}", where=f"{_SHIPPED}, release.choose",
                title="the exponential mechanism as shipped, by integer scores, for rho = epsilon^2/8",
                inputs=tables, make=lambda e, a=adjacency: _choice(e, a), violates=False,  # type: ignore[misc]
            ),
            Subject(
                name=f"log-counts{suffix}", where=f"{_SHIPPED}, release.log",
                title="three one-way tables as shipped, discrete Gaussian noise, delta = 1e-5",
                inputs=tables, make=lambda e, a=adjacency: _counts(e, a), violates=False,  # type: ignore[misc]
            ),
        ]  # fmt: skip
        methods: dict[str, Callable[[Any], Followed]] = {
            "aim": _aim(adjacency),
            "mst": _planned(plan_mst, run_mst, adjacency),
            "tree": _planned(plan_tree, run_tree, adjacency, label=SCHEMA.names[0]),
            "gen": _planned(plan_gen, run_gen, adjacency, degree=2),
            "rap": _planned(plan_rap, run_rap, adjacency, method=RAP, rounds=2, top=1, points=20),
            "rap++": _planned(
                plan_rap, run_rap, adjacency, method=RAP_PP, labels=SCHEMA.names[2:], numbers=SCHEMA.names[:1],
                rounds=2, top=2, table_rounds=1, degree=2, thresholds=6, points=20,
            ),
            "gem": _planned(plan_gem, run_gem, adjacency, rounds=2),
            "merf": _planned(plan_merf, run_merf, adjacency, label=SCHEMA.names[2], features=20),
        }  # fmt: skip
        found.append(
            Subject(
                name=f"queries{suffix}", where=f"{_SHIPPED}, release.log",
                title="rounds that choose several queries and ask them: the cost of all draws, at delta = 1e-5",
                inputs=tables + _RUNS, violates=False,
                make=cache(partial(_method, adjacency=adjacency, followed=_queries(adjacency))),
            )
        )  # fmt: skip
        for name, method in methods.items():
            found.append(
                Subject(
                    name=f"{name}{suffix}", where=f"{_SHIPPED}, mechanisms",
                    title=f"a whole run of {name} as shipped: the cost of its draws, at delta = 1e-5",
                    inputs=tables + _RUNS, violates=False,
                    make=cache(partial(_method, adjacency=adjacency, followed=method)),
                )
            )  # fmt: skip
    for of, words, log_of, run_of in (
        ("aim", "AIM", BUGGY_LOGS, _aim),
        ("queries", "rounds of queries", BUGGY_QUERY_LOGS, _queries),
    ):
        for bug, log in log_of.items():
            found.append(
                Subject(
                    name=f"{of}-{bug}", where=f"{_SHIPPED}, a seeded bug",
                    title=f"{words} on a log in which {log.BUG}",
                    inputs=_TABLES + _RUNS, violates=True,
                    make=cache(partial(_method, adjacency=REPLACE, followed=run_of(REPLACE, bug))),
                )
            )  # fmt: skip
    return found


LOG_SUBJECTS = tuple(_subjects())
WHOLE_RUNS = frozenset(subject.name for subject in LOG_SUBJECTS if not subject.name.startswith("log-"))
"""All except one choice and one measurement."""
