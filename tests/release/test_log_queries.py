"""Logs that ask public queries besides tables: charges, noise, choices of several, and files read strictly."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import permutations
from math import exp
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from bounds import clopper_pearson
from bounds.errors import BudgetError, DataError, ParameterError
from release import measure as measure_module
from release.files.digest import digest_of
from release.log.make import OpenLog
from release.log.read import parse_log
from release.log.steps import AnswersStep, QueriesChoiceStep, answers_noise, choice_plan
from release.noise.draw import draw_exponential
from release.noise.randomness import read_randomness
from synthbounds.schemas import json_schema
from tests.log_examples import QUERIES, log_with_queries, plan_with_queries, randomness_of, records

KINDS: list[dict[str, Any]] = [{}, {"adjacency": "add-remove", "size": 1500}, {"mode": "release"}]


@pytest.mark.parametrize("asked", KINDS)
def test_charges_of_choices_and_answers_are_what_their_noise_costs(asked: dict[str, Any]) -> None:
    log = log_with_queries(**asked)
    assert sum((step.rho for step in log.steps), Fraction(0)) == log.ledger.total
    moved = 2 if log.size_is_exact else 1
    choices, answers = log.query_choices, log.answers
    assert [len(step.chosen) for step in choices] == [3, 3]
    assert [step.queries for step in answers] == [step.chosen for step in choices]
    assert len({query for step in choices for query in step.chosen}) == 6
    for step in answers:
        assert step.rho * Fraction(999999, 10**6) < 3 * moved / (2 * step.sd**2) <= step.rho
        assert len(step.sums) == len(QUERIES.places(step.queries)) == 6
    for left, choice in zip((40, 37), choices, strict=True):
        plan = choice_plan(left, moved=1, rho=choice.rho, adjacency=log.adjacency, winners=3)
        assert choice.rho * Fraction(999999, 10**6) < 3 * plan.epsilon**2 / 8 <= choice.rho


def test_without_noise_a_log_holds_the_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure_module, "draw", lambda noise, values, randomness: tuple(values))
    exact = QUERIES.sums(records())
    for step in log_with_queries().answers:
        assert step.sums == tuple(exact[QUERIES.places(step.queries)].tolist())


@pytest.mark.parametrize("asked", KINDS)
def test_a_file_reads_back_as_what_was_written(asked: dict[str, Any]) -> None:
    found = log_with_queries(**asked)
    Draft202012Validator(json_schema("release-marginal-log")).validate(json.loads(found.to_text()))
    again = parse_log(found.to_text())
    assert again == found
    assert again.to_text() == found.to_text()


def test_what_is_not_left_or_makes_no_sense_costs_nothing() -> None:
    plan = plan_with_queries()
    opened = OpenLog(records(), plan, randomness_of(plan))
    scores, left = [0] * 40, opened.left
    for error, line, call in (
        (BudgetError, "only", lambda: opened.ask(0, [1], rho=2 * left)),
        (BudgetError, "only", lambda: opened.choose_queries(0, scores, count=1, moved=1, rho=2 * left)),
        (ParameterError, "one for each query", lambda: opened.choose_queries(0, [1], count=1, moved=1, rho=left)),
        (ParameterError, "between 1 and 40", lambda: opened.choose_queries(0, scores, count=41, moved=1, rho=left)),
        (ParameterError, "different ones", lambda: opened.ask(0, [1, 1], rho=left)),
        (ParameterError, "different ones", lambda: opened.ask(0, [40], rho=left)),
        (ParameterError, "different ones", lambda: opened.ask(0, [], rho=left)),
    ):
        with pytest.raises(error, match=line):
            call()
        assert (opened.left, opened.steps) == (left, ())


def test_several_are_chosen_one_after_the_other_without_those_before() -> None:
    """The law of ordered pairs: each is drawn in proportion to exp(rate score) among those that are left."""
    scores, rate, draws = (0, 3, 1, 2), Fraction(1, 2), 6000
    weights = [exp(0.5 * score) for score in scores]
    for source in ("simulate", "release"):
        base = read_randomness("simulate", seed=3) if source == "simulate" else read_randomness("release")
        drawn = [
            draw_exponential(rate, scores, base.at_step(i) if source == "simulate" else base, count=2)
            for i in range(draws)
        ]
        for first, second in permutations(range(4), 2):
            law = weights[first] / sum(weights) * weights[second] / (sum(weights) - weights[first])
            low, high = clopper_pearson.interval(drawn.count((first, second)), draws, 0.99999)
            assert low <= law <= high


def test_answers_of_many_queries_have_the_noise_of_one_charge() -> None:
    for adjacency, moved in (("replace-one", 2), ("add-remove", 1)):
        found = plan_with_queries(adjacency=adjacency)
        noise = answers_noise(QUERIES, (3, 9, 1), Fraction(1, 50), found.adjacency, "release")
        assert (noise.count, noise.sensitivity.squared) == (6, 3 * moved)


def _forged(change: Any) -> str:
    body = log_with_queries().body()
    change(body)
    return json.dumps({**body, "digest": digest_of(body)})


def _step(place: int, **fields: Any) -> Any:
    return lambda body: body["steps"][place].update(fields)


FORGED: dict[str, tuple[Any, str]] = {
    "no queries": (lambda body: body.pop("queries"), r"answers_of = 0|queries_of = 0"),
    "kind": (lambda body: body["queries"][0].update(kind="x"), "kind = .*: must be one of thresholds"),
    "count": (lambda body: body["queries"][0].update(count=3), "different ones, from 0 to 2"),
    "seed": (lambda body: body["queries"][0].update(seed=7), "seed.*must be"),
    "numbers": (lambda body: body["queries"][0].update(numbers=["x"]), "columns of the schema"),
    "number as label": (lambda body: body["queries"][0].update(by=["age"]), "another column"),
    "twice": (lambda body: body["steps"][9].update(chosen=body["steps"][5]["chosen"]), "was chosen before"),
    "same": (_step(5, chosen=[1, 1, 2]), "different ones"),
    "workload": (_step(5, queries_of=1), "the log has 1 workloads"),
    "rho": (_step(6, rho="1/3"), r"steps\[6\]: sd = .* follows from its rho"),
    "fewer": (lambda body: body["steps"][6]["sums"].pop(), "sums: has 5 entries"),
    "huge": (_step(6, sums=[str(10**20)] * 6), "no noise yields others"),
    "other answers": (lambda body: body["steps"][6]["queries"].reverse(), r"rap\+\+ has choices of tables or of"),
    "method": (lambda body: body.update(method="gem", settings={"rounds": 1}), "queries: gem has none"),
    "points": (lambda body: body["settings"].update(points=10**6), "points = 1000000: must be .* to 20,000"),
    "labels": (lambda body: body["settings"].update(labels=["owns", "pays"]), "in the order of the schema"),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_file_is_refused_with_one_line(name: str) -> None:
    change, line = FORGED[name]
    with pytest.raises(DataError, match=line) as caught:
        parse_log(_forged(change))
    assert "\n" not in str(caught.value)


def test_steps_of_a_simulation_do_not_depend_on_what_came_before() -> None:
    plan = plan_with_queries()
    one, other = (OpenLog(records(), plan, randomness_of(plan)) for _ in range(2))
    one.measure([(0,)], rho=one.left / 4)
    other.choose_queries(0, [0] * 40, count=2, moved=1, rho=other.left / 4)
    assert one.ask(0, [5, 2], rho=one.left / 5) == other.ask(0, [5, 2], rho=other.left / 5)
    assert isinstance(other.steps[0], QueriesChoiceStep)
    assert isinstance(other.steps[1], AnswersStep)
    assert np.unique(other.steps[0].chosen).size == 2
