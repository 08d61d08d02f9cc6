"""RAP and RAP++: charges, measurements, and rows that are a function of the log and near its answers."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

from bounds.errors import DataError, ParameterError
from bounds.privacy.adjacency import Adjacency
from mechanisms.rap import run as run_module
from mechanisms.rap.plan import plan_rap
from mechanisms.rap.rounds import Round
from mechanisms.rap.rows import relaxed_rows, rows_of_rap
from mechanisms.rap.run import run_rap
from mechanisms.synth.known import answers_event, known_from_log, log_event
from release.data.domain import Domain
from release.data.schema import schema_of_domain
from release.log.file import MarginalLog
from release.log.impossible import Impossible
from release.log.read import parse_log
from release.log.steps import AnswersStep, ChoiceStep, QueriesChoiceStep, TableStep
from release.statistics.statistic import RECORD_STEPS
from release.statistics.thresholds import Thresholds
from tests.rap_examples import ADD, REPLACE, SCHEMA, N, made, planned, public, randomness, table

BETA = Fraction(1, 20)


def audit(log: MarginalLog) -> Iterator[str]:
    """What is wrong with how a log was paid and measured; from its steps alone, and with sensitivities worked out here.

    One record is in one cell of a table and adds 1 to one answer of a threshold; a replaced one changes two. A score is
    an L1 distance in steps of 1/RECORD_STEPS of a record, so one record moves it by RECORD_STEPS, two by twice that.
    """
    changed, exact = (2 if log.size_is_exact else 1), Fraction(10**6 - 1, 10**6)
    if sum((step.rho for step in log.steps), Fraction(0)) != log.ledger.total:
        yield "charges"
    asked, tables = [], []
    for step in log.steps:
        if isinstance(step, TableStep):
            tables.append(step.columns)
            cost = changed / (2 * step.sd**2)
        elif isinstance(step, AnswersStep):
            asked += [(step.workload, query) for query in step.queries]
            cost = len(step.queries) * changed / (2 * step.sd**2)
        else:
            if step.moved < RECORD_STEPS:
                yield "sensitivity of a score"
            continue
        if not step.rho * exact < cost <= step.rho:
            yield "noise"
    if len(set(asked)) < len(asked) or len(set(tables)) < len(tables):
        yield "measured twice"


@pytest.mark.parametrize("method", ["rap", "rap++"])
@pytest.mark.parametrize("adjacency", [REPLACE, ADD])
def test_charges_add_up_and_every_answer_is_noised_once(method: str, adjacency: Adjacency) -> None:
    log, plan = made(method, adjacency), planned(method, adjacency)
    assert list(audit(log)) == []
    assert log.ledger.left == 0
    assert plan.start + sum(part.rho for part in plan.rounds) == log.rho
    first = len(SCHEMA.columns)
    assert [step.columns for step in log.tables[:first]] == [(place,) for place in range(first)]
    assert sum(step.rho for step in log.tables[:first]) == plan.start
    rest = iter(log.steps[first:])
    for part in plan.rounds:
        if part.workload is None:
            chosen = [next(rest) for _ in range(part.top)]
            measured = [next(rest) for _ in range(part.top)]
            assert [step.chosen for step in chosen if isinstance(step, ChoiceStep)] == [
                step.columns for step in measured if isinstance(step, TableStep)
            ]
            halves = [sum(step.rho for step in half) for half in (chosen, measured)]
        else:
            choice, answers = next(rest), next(rest)
            assert isinstance(choice, QueriesChoiceStep)
            assert isinstance(answers, AnswersStep)
            assert choice.chosen == answers.queries
            assert len(choice.chosen) == part.top
            halves = [choice.rho, answers.rho]
        assert halves == [part.rho / 2] * 2
    assert not list(rest)


def _ask_again(run: Any, part: Round, workload: int) -> AnswersStep:
    """As the authors' program does: all that was ever chosen gets new noise in every round."""
    before = [query for step in run.log.steps if isinstance(step, QueriesChoiceStep) for query in step.chosen]
    quality = [0] * run.plan.log.queries[workload].count
    chosen = run.log.choose_queries(workload, quality, count=part.top, moved=RECORD_STEPS, rho=part.half)
    found: AnswersStep = run.log.ask(workload, (*before, *chosen), rho=part.half)
    return found


def test_seeded_bugs_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = planned(labels=("owns",))
    with monkeypatch.context() as patched:
        patched.setattr(run_module._Run, "_asks", _ask_again)
        assert "measured twice" in set(audit(run_rap(table(), plan, randomness())))
    with monkeypatch.context() as patched:
        patched.setattr(run_module, "RECORD_STEPS", RECORD_STEPS * 10_000 // 14_142)  # a score's L2, not its L1
        assert set(audit(run_rap(table(), plan, randomness()))) == {"sensitivity of a score"}
    with monkeypatch.context() as patched:
        patched.setattr(Thresholds, "squared_moved", lambda self, queries, adjacency: 1)
        assert set(audit(run_rap(table(), plan, randomness()))) == {"noise"}


@pytest.mark.parametrize("method", ["rap", "rap++"])
def test_rows_are_a_function_of_the_file(method: str) -> None:
    log = made(method)
    again = parse_log(log.to_text())
    assert again == log
    rows = rows_of_rap(log, 900).codes
    assert np.array_equal(rows_of_rap(again, 900).codes, rows)
    assert not np.array_equal(rows_of_rap(log, 900, seed=1).codes, rows)
    assert (rows.min(axis=0) >= 0).all()
    assert (rows.max(axis=0) < SCHEMA.domain.sizes).all()
    assert run_rap(table(), planned(method), randomness()) == log


def test_points_between_rounds_depend_on_what_was_published_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other records, the same published numbers: the same points, round by round."""
    seen: list[Any] = []
    real = vars(run_module)["fit"]

    def watched(*given: Any) -> float:
        found: float = real(*given)
        seen.append(given[1].copy())
        return found

    monkeypatch.setattr(run_module, "fit", watched)
    log = run_rap(table(), planned(), randomness())
    first, steps = seen[:], iter(log.steps)
    monkeypatch.setattr(run_module, "OpenLog", lambda records, plan, randomness: _Replayed(plan, steps))
    seen.clear()
    run_rap(table(N, 77), planned(), randomness())
    assert len(seen) == len(first) > 3
    assert all(np.array_equal(one, other) for one, other in zip(first, seen, strict=True))


class _Replayed:
    """A log that publishes what another one did, whatever the records are."""

    def __init__(self, plan: Any, steps: Any) -> None:
        self.plan, self._steps = plan, steps
        self.total_est, self.left = float(N), Fraction(0)

    def measure(self, sets: Any, *, rho: Fraction) -> Any:
        return tuple(next(self._steps) for _ in sets)

    def choose(self, candidates: Any, scores: Any, *, moved: int, rho: Fraction) -> Any:
        return next(self._steps).chosen

    def choose_queries(self, workload: int, scores: Any, *, count: int, moved: int, rho: Fraction) -> Any:
        return next(self._steps).chosen

    def ask(self, workload: int, queries: Any, *, rho: Fraction) -> Any:
        return next(self._steps)

    def counts_of(self, sets: Any) -> Any:
        return {s: np.zeros(planned().roles.shape.of(s), dtype=np.int64) for s in sets}

    def answers(self, workload: int) -> Any:
        return np.zeros(int(self.plan.queries[workload].starts[-1]), dtype=np.int64)

    def merge(self, groups: Any) -> None:
        pass

    def close(self) -> Any:
        return None


@pytest.mark.share(2)
@pytest.mark.parametrize("adjacency", [REPLACE, ADD])
def test_with_much_budget_rows_have_the_answers_of_the_records(adjacency: Adjacency) -> None:
    plan = planned(adjacency=adjacency, epsilon=100, rounds=15, top=5, points=300, thresholds=300, table_rounds=4)
    log = run_rap(table(), plan, randomness())
    rows = rows_of_rap(log, N).codes
    (queries,) = log.queries
    exact, made_of = queries.sums(table()) / N, queries.sums(rows) / N
    independent = queries.sums(
        np.column_stack([np.random.default_rng(u).permutation(c) for u, c in enumerate(table().T)])
    )
    errors = [np.abs(found - exact).mean() for found in (made_of, independent / N)]
    assert errors[0] < 0.01
    assert errors[0] < errors[1] / 5
    for place in range(6):
        codes = [np.bincount(t[:, place], minlength=SCHEMA.domain.sizes[place]) / N for t in (rows, table())]
        assert np.abs(codes[0] - codes[1]).sum() < 0.1
    residual = relaxed_rows(log).residual_est
    assert residual < 100  # deviations of next to no noise


@pytest.mark.parametrize("method", ["rap", "rap++"])
@pytest.mark.parametrize("adjacency", [REPLACE, ADD])
def test_certified_errors_hold_and_are_the_quantiles_of_the_noise(method: str, adjacency: Adjacency) -> None:
    log = made(method, adjacency)
    rows = rows_of_rap(log, 1000).codes
    known = known_from_log(log, rows, BETA)
    bounds, _ = log_event(log, BETA)
    spent = BETA / 2 + sum((BETA / 2 * step.rho / log.rho for step in log.steps[6:]), Fraction(0))
    assert spent <= BETA
    assert len(bounds) >= len(log.tables)
    assert sorted(known.queries) == list(range(len(log.queries)))
    for step, event in zip(log.answers, answers_event(log, BETA), strict=True):
        assert (event.queries, event.sums) == (step.queries, step.sums)
        failure = float(BETA / 2 * step.rho / log.rho)
        missed = 2 * NormalDist().cdf(-float(event.radius + Fraction(1, 2)) / float(step.sd))
        assert 1 - (1 - missed) ** len(step.sums) <= failure
        smaller = 2 * NormalDist().cdf(-float(event.radius - 1) / float(step.sd))
        assert 1 - (1 - smaller) ** len(step.sums) > failure
        exact = log.queries[step.workload].sums_of(table(), step.queries)
        assert np.abs(exact - np.array(step.sums)).max() <= event.radius
        off = log.queries[step.workload].sums_of(rows, step.queries) / 1000 - exact / N
        assert np.abs(off).max() <= float(known.queries[step.workload])
    for columns, error in known.tables.items():
        groups = log.groups
        assert groups is not None
        merged = [np.column_stack([np.array(g)[t[:, u]] for u, g in enumerate(groups)]) for t in (rows, table())]
        sizes = [log.shape.merged[u] for u in columns]
        cells = [
            np.bincount(np.ravel_multi_index(t[:, list(columns)].T, sizes), minlength=int(np.prod(sizes))) / len(t)
            for t in merged
        ]
        assert np.abs(cells[0] - cells[1]).max() <= float(error)


def test_a_radius_fails_no_more_often_than_it_says() -> None:
    """Noise drawn anew, many times, for the steps of one log: all radii of answers together."""
    log, beta = made(), Fraction(1, 2)
    events, stream, runs = answers_event(log, beta), np.random.default_rng(8), 2000
    allowed = float(sum((beta / 2 * step.rho / log.rho for step in log.answers), Fraction(0)))
    failed = np.zeros(runs, dtype=bool)
    for step, event in zip(log.answers, events, strict=True):
        noise = np.rint(stream.normal(0, float(step.sd), (runs, len(step.sums))))
        failed |= np.abs(noise).max(axis=1) > float(event.radius)
    assert 0 < failed.mean() < allowed + 4 * (allowed / runs) ** 0.5


def test_columns_have_the_roles_that_public_facts_give_them() -> None:
    plan = planned()
    assert plan.roles.numbers == (0, 2)  # visits has gaps
    assert plan.roles.layout.blocks == (4, 33, 2, 3)
    assert plan.log.settings == {
        "labels": ("owns", "grade"),
        "rounds": 4,
        "top": 3,
        "points": 80,
        "degree": 3,
        "most_codes": 32,
        "table_rounds": 2,
    }
    assert {place for columns in plan.candidates for place in columns} == {1, 3, 4, 5}
    assert all({4, 5} & set(columns) for columns in plan.candidates)
    assert planned(numbers=("pay",)).roles.numbers == (2,)
    alone = planned("rap", labels=())
    assert (alone.roles.numbers, alone.log.settings["degree"]) == ((), 2)
    assert len(alone.candidates) == 15
    assert alone.roles.layout.blocks[0] == 32
    assert len(planned("rap", labels=("owns",), top=2).candidates) == 10


def test_without_wishes_rounds_follow_from_the_budget() -> None:
    wishes: dict[str, Any] = {"rounds": None, "top": None, "table_rounds": None, "thresholds": 20_000}
    counts = []
    for epsilon in (1, 4, 50):
        plan = planned(epsilon=epsilon, **wishes)
        counts.append(sum(part.top for part in plan.rounds if part.workload == 0))
        assert sum(part.rho for part in plan.rounds) + plan.start == plan.log.ledger.left
    assert counts == sorted(counts)
    assert 1 <= counts[0] < counts[-1] == 500
    one_shot = planned(rounds=1, top=20, table_rounds=0)
    assert [(part.workload, part.top) for part in one_shot.rounds] == [(0, 20)]


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "top": ({"rounds": 50, "top": 4}, r"top = 4: .*1 to 3.*50 rounds choose among 150 thresholds, and none is chosen"),
    "rounds": ({"rounds": 151, "top": 1}, "none is chosen twice"),
    "no rounds": ({"rounds": 0}, "rounds = 0"),
    "tables": ({"table_rounds": 8}, "table_rounds = 8: .*0 to 4"),
    "label": ({"labels": ()}, "label = none: .*counts thresholds by its values; rap needs none"),
    "two labels": ({"labels": ("owns", "owns")}, "each column once"),
    "other label": ({"labels": ("own",)}, "a column of the schema"),
    "label is a number": ({"numbers": ("age",), "labels": ("age",)}, "another column"),
    "gaps": ({"numbers": ("visits",)}, "without missing cells"),
    "turns": ({"rounds": 1, "mixed": 5}, "rounds = 1: .*at least 2 .each kind of query has its turn"),
    "few mixed": ({"rounds": 4, "mixed": 5}, "top = 3: .*2 rounds choose among 5 mixed"),
    "points": ({"points": 0}, "points = 0"),
    "degree": ({"degree": 9}, "degree = 9: .*2 to the number of columns of categories, 4"),
    "most codes": ({"most_codes": 1}, "most_codes = 1: .*at least 2"),
    "impossible": ({"impossible": (Impossible((0, 1), ((0, 0),)),)}, "impossible = 1 facts: .*none"),
    "tables of rap": ({"method": "rap", "rounds": 4, "top": 4}, "among 15 tables"),
    "table rounds of rap": ({"method": "rap", "table_rounds": 1}, "all rounds choose tables"),
    "numbers of rap": ({"method": "rap", "numbers": ("age",)}, "numbers = age: .*not given"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_run_is_refused_before_anything_is_spent(name: str) -> None:
    settings, line = REFUSED[name]
    with pytest.raises(ParameterError, match=line) as caught:
        planned(**settings)
    assert "\n" not in str(caught.value)


def test_workloads_of_queries_take_turns() -> None:
    plan = planned(mixed=40, rounds=5)
    assert [part.workload for part in plan.rounds if part.workload is not None] == [0, 1, 0, 1, 0]
    log = run_rap(table(), plan, randomness())
    assert [step.workload for step in log.answers] == [0, 1, 0, 1, 0]
    assert list(audit(log)) == []
    assert parse_log(log.to_text()) == log
    known = known_from_log(log, rows_of_rap(log, 500).codes, BETA)
    assert sorted(known.queries) == [0, 1]


def test_many_categories_are_no_obstacle_beside_a_label() -> None:
    schema = schema_of_domain(Domain((2,) * 120 + (30,)))
    asked: dict[str, Any] = {"epsilon": Fraction(1), "dp_delta": Fraction(1, 10**6), "mode": "simulate"}
    wide = type(public())(schema=schema, adjacency=REPLACE, size=50)
    assert len(plan_rap(wide, method="rap++", labels=("x1",), **asked).candidates) == 119 * 118 // 2
    with pytest.raises(ParameterError, match="287,980 sets of columns are too many"):
        plan_rap(wide, method="rap", degree=3, **asked)


def test_without_numbers_or_without_tables() -> None:
    asked: dict[str, Any] = {"epsilon": Fraction(1), "dp_delta": Fraction(1, 10**6), "mode": "simulate"}
    narrow = public()
    few = schema_of_domain(Domain((2, 3, 2)))
    with pytest.raises(ParameterError, match=r"numbers = none: .*rap needs none"):
        plan_rap(type(narrow)(schema=few, adjacency=REPLACE, size=50), method="rap++", labels=("x1",), **asked)
    one = schema_of_domain(Domain((30, 2)))
    plan = plan_rap(
        type(narrow)(schema=one, adjacency=REPLACE, size=50),
        method="rap++",
        labels=(one.names[1],),
        **asked | {"points": 9},
    )
    rows = np.column_stack([np.arange(50) % 30, np.arange(50) // 25]).astype(np.uint8)
    log = run_rap(rows, plan, randomness())
    assert not log.choices
    assert list(audit(log)) == []
    assert parse_log(log.to_text()) == log
    assert rows_of_rap(log, 7).codes.shape == (7, 2)


def test_a_release_draws_exact_noise() -> None:
    log = made(mode="release")
    assert list(audit(log)) == []
    assert parse_log(log.to_text()) == log
    with pytest.raises(DataError, match="the public number of records"):
        run_rap(table()[:-1], planned(), randomness())
