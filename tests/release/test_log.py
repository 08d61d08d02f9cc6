"""Logs: their charges, their allowed contents, files read strictly, structural zeros, accounts and recovery."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from bounds.errors import BudgetError, DataError, ParameterError, UsageError
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from bounds.privacy.statements import ZCDP
from release import measure as measure_module
from release.account.book import write_account
from release.account.file import open_account, read_account
from release.data.counting import counts
from release.files.digest import digest_of
from release.log.distance import with_distance
from release.log.impossible import Impossible, read_impossible
from release.log.make import OpenLog
from release.log.read import parse_log, read_log
from release.log.steps import ChoiceStep, TableStep, choice_plan, table_deviation, tables_noise
from release.parameters import MOST_RECORDS
from release.spending import spending
from release.statistics.features import build_feature_map
from release.statistics.statistic import RECORD_STEPS
from synthbounds.api.releases import open_release
from synthbounds.schemas import json_schema
from tests.cross_examples import SCHEMA
from tests.log_examples import GROUPS, PAIRS, ZEROS, made, plan, randomness_of, records, run_log

KINDS: list[dict[str, Any]] = [
    {},
    {"merged": True, "reserve": Fraction(1, 10)},
    {"adjacency": "add-remove", "size": 1500, "impossible": (ZEROS,)},
    {"mode": "release"},
]


# --- what is charged ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("asked", KINDS)
def test_charges_and_reservations_are_the_whole_budget(asked: dict[str, Any]) -> None:
    log = made(**asked)
    spent = sum((step.rho for step in log.steps), Fraction(0))
    assert spent + log.ledger.reserved == log.ledger.total
    assert (log.ledger.left, log.ledger.spent) == (0, spent)
    moved = 2 if log.size_is_exact else 1
    for step in log.steps:
        if isinstance(step, TableStep):
            assert step.rho * Fraction(999999, 10**6) < moved / (2 * step.sd**2) <= step.rho
            assert len(step.counts) == log.shape.cells(step.columns)
        else:
            found = choice_plan(len(step.candidates), moved=step.moved, rho=step.rho, adjacency=log.adjacency)
            assert step.rho * Fraction(999999, 10**6) < found.epsilon**2 / 8 <= step.rho
            assert found.rate == found.epsilon / (2 * step.moved * moved)
            assert step.chosen in step.candidates


def test_tables_measured_together_have_the_noise_of_one_charge() -> None:
    rho = Fraction(1, 50)
    for adjacency, moved in ((Adjacency.REPLACE_ONE, 2), (Adjacency.ADD_REMOVE, 1)):
        together = tables_noise(40, 5, rho, adjacency, "release")
        assert together.sensitivity.squared == 5 * moved
        assert together.scales == table_deviation(rho / 5, adjacency)


def test_what_is_not_left_is_refused_and_costs_nothing() -> None:
    opened = OpenLog(records(), plan(), randomness_of(plan()))
    with pytest.raises(BudgetError, match="only"):
        opened.measure([(0,)], rho=opened.left * 2)
    with pytest.raises(BudgetError, match="only"):
        opened.choose([(0,)], [1], moved=1, rho=opened.left * 2)
    assert opened.left == opened.plan.ledger.total
    opened.measure([(0,)], rho=opened.left / 2)
    with pytest.raises(UsageError, match="is left; the last step spends what is left"):
        opened.close()
    opened.measure([(0,)], rho=opened.left)
    with pytest.raises(BudgetError, match="only 0"):
        opened.measure([(0,)], rho=Fraction(1, 10**9))
    assert len(opened.close().steps) == 2


@pytest.mark.parametrize(
    ("call", "line"),
    [
        (lambda log: log.measure([(0,), (0,)], rho=log.left), "one of them twice"),
        (lambda log: log.measure([(1, 0)], rho=log.left), "increasing places"),
        (lambda log: log.choose([(0,), (1,)], [1], moved=1, rho=log.left), "a score each"),
        (lambda log: log.choose([(0,), (0,)], [1, 2], moved=1, rho=log.left), "all different"),
        (lambda log: log.choose([], [], moved=1, rho=log.left), "count = 0"),
        (lambda log: log.choose([(0,)], [1.5], moved=1, rho=log.left), "whole numbers"),
        (lambda log: log.choose([(0,)], [1], moved=0, rho=log.left), "at least 1 step"),
        (lambda log: log.merge(GROUPS[:4]), "for every column the merged code"),
        (lambda log: log.merge((*GROUPS[:4], (0, 2, 2, 2, 1, 1))), "for every column the merged code"),
        (lambda log: (log.merge(GROUPS), log.merge(GROUPS)), "codes are merged once"),
    ],
)
def test_what_makes_no_sense_is_refused_before_it_costs_anything(call: Any, line: str) -> None:
    opened = OpenLog(records(), plan(), randomness_of(plan()))
    with pytest.raises((ParameterError, UsageError), match=line):
        call(opened)
    assert opened.left == opened.plan.ledger.total


def test_a_log_begins_with_the_right_ledger_table_and_randomness() -> None:
    asked = plan()
    with pytest.raises(DataError, match="public number of records"):
        OpenLog(records(1999), asked, randomness_of(asked))
    with pytest.raises(UsageError, match="the randomness is for simulate"):
        OpenLog(records(), plan(mode="release"), randomness_of(asked))
    made(adjacency="add-remove", size=5)  # there the number of records is nobody's business
    ledger = Ledger.in_mu_squared(epsilon=1, dp_delta="1e-6", adjacency="replace-one")
    with pytest.raises(UsageError, match="paid in rho"):
        replace(asked, ledger=ledger)
    with pytest.raises(UsageError, match="is called 'distance'"):
        replace(asked, ledger=asked.ledger.reserve_share("1/2", "later"))
    spent = asked.ledger.spend(ZCDP(rho="0.001", adjacency="replace-one"), "before")
    with pytest.raises(UsageError, match="nothing is spent"):
        OpenLog(records(), replace(asked, ledger=spent), randomness_of(asked))


# --- what is measured --------------------------------------------------------------------------------------------


def test_without_noise_a_log_holds_the_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure_module, "draw", lambda noise, values, randomness: tuple(values))
    rows = records()
    for table in made().tables:
        exact = counts(rows, SCHEMA.domain.sizes, [table.columns])[table.columns]
        assert table.counts == tuple(exact.ravel().tolist())
    for table in made(merged=True).tables:
        merged = np.column_stack([np.array(group)[rows[:, j]] for j, group in enumerate(GROUPS)])
        known = rows if len(table.columns) == 1 else merged
        sizes = [int(known[:, j].max()) + 1 for j in table.columns]
        exact = np.zeros(sizes, dtype=int)
        np.add.at(exact, tuple(known[:, j].astype(int) for j in table.columns), 1)
        assert table.counts == tuple(exact.ravel().tolist())


def test_steps_have_streams_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A seed, a run and a place decide what is drawn, whatever came before; and no two are alike."""
    first, again = made(), made()
    assert first == again
    assert made(run=1) != first
    opened = OpenLog(records(), plan(), randomness_of(plan()))
    opened.measure([(4,)], rho=opened.left / 4)
    late = opened.measure([(4,)], rho=opened.left / 3)
    other = OpenLog(records(), plan(), randomness_of(plan()))
    other.choose(PAIRS, range(10), moved=1, rho=other.left / 4)
    assert other.measure([(4,)], rho=other.left / 3) == late
    assert opened.steps[0] != late[0]
    draw, drawn = measure_module.draw, list[int]()
    monkeypatch.setattr(measure_module, "draw", lambda *asked: drawn.append(asked[-1].step) or draw(*asked))
    log = made(reserve=Fraction(1, 10))
    with_distance(log, records(), records()[:50], build_feature_map(SCHEMA, label="pays"), randomness_of(plan()))
    assert len(drawn) == len(set(drawn)) == 4
    assert drawn[-1] > 2**32, "a longer log would draw from the stream of the distance"


def test_candidates_may_come_in_any_order() -> None:
    drawn = set()
    for order in (PAIRS, PAIRS[::-1]):
        opened = OpenLog(records(), plan(), randomness_of(plan()))
        score = {columns: 3 * sum(columns) for columns in PAIRS}
        drawn.add(opened.choose(order, [score[columns] for columns in order], moved=1, rho=opened.left))
        assert [step.candidates for step in opened.steps if isinstance(step, ChoiceStep)] == [PAIRS]
    assert len(drawn) == 1


def test_no_published_total_is_beyond_what_can_be_stated() -> None:
    """However large the noise: sums of scores stay whole numbers below 2^53."""
    found = made(adjacency="add-remove", size=1500)
    huge = [replace(step, counts=(10**16,) * len(step.counts)) for step in found.tables]
    assert found.total_said(huge) == MOST_RECORDS
    assert 2 * MOST_RECORDS * RECORD_STEPS + 2**26 < 2**53


def test_the_number_of_records_is_public_or_what_the_tables_say() -> None:
    assert made().total_est == 2000
    found = made(adjacency="add-remove", size=1500).total_est
    assert 0 < abs(found - 2000) < 60
    assert made(adjacency="add-remove", size=3000).total_est == 3000


# --- files -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("asked", KINDS)
def test_a_file_reads_back_as_what_was_written(asked: dict[str, Any], tmp_path: Path) -> None:
    found = made(**asked)
    path = tmp_path / "log.json"
    path.write_text(found.to_text(), encoding="utf-8")
    Draft202012Validator(json_schema("release-marginal-log")).validate(json.loads(found.to_text()))
    again = read_log(path)
    assert again == found
    assert open_release(path) == found
    assert again.to_text() == found.to_text()
    assert again.digest == found.digest


def forged(change: Any, **asked: Any) -> str:
    """A file that was changed and has a digest that fits: only what follows from other fields can give it away."""
    body = made(**asked).body()
    change(body)
    return json.dumps({**body, "digest": digest_of(body)})


def setting(*path: Any, to: Any) -> Any:
    """A change of one field."""

    def change(body: Any) -> None:
        for key in path[:-1]:
            body = body[key]
        body[path[-1]] = to(body[path[-1]]) if callable(to) else to

    return change


def cheaper(body: Any) -> None:
    """A table that says it cost less, with the noise that goes with it."""
    rho = Fraction(body["steps"][0]["rho"]) / 2
    body["steps"][0] |= {"rho": str(rho), "sd": str(table_deviation(rho, Adjacency.REPLACE_ONE))}


def of_method(method: str, **settings: Any) -> Any:
    """The steps of one method under the name of another, with its settings."""

    def change(body: Any) -> None:
        body |= {"method": method, "settings": settings}

    return change


def later_first(body: Any) -> None:
    body["steps"][5:] = body["steps"][:4:-1]


def chosen_otherwise(body: Any) -> None:
    """Another choice than the table that was measured after it."""
    step = body["steps"][5]
    step["choice"] = next(
        [SCHEMA.names[i] for i in pair] for pair in PAIRS if [SCHEMA.names[i] for i in pair] != step["choice"]
    )


def kept_back(body: Any) -> None:
    body["ledger"]["entries"] = []


FORGED: dict[str, tuple[Any, str]] = {
    "cheaper": (cheaper, "ledger: does not add up: all steps together cost"),
    "without entries": (kept_back, "ledger: does not add up: all steps together cost"),
    "a step less": (setting("steps", to=lambda steps: steps[:-1]), "ledger: does not add up"),
    "sd": (setting("steps", 0, "sd", to=lambda sd: str(Fraction(sd) / 2)), r"steps\[0\]: sd = .* follows from its rho"),
    "rho": (setting("steps", 0, "rho", to="1/3"), r"steps\[0\]: sd = .* follows from its rho"),
    "rho 0": (setting("steps", 0, "rho", to="0"), r"steps\[0\]: rho = 0: must be greater than 0"),
    "rho as a number": (setting("steps", 0, "rho", to=1), "must be an exact number in quotes"),
    "rate": (setting("steps", 5, "rate", to="1/7"), r"steps\[5\]: rate = .* follows from its rho"),
    "moved": (setting("steps", 5, "moved", to=2), r"steps\[5\]: rate = .* follows from its rho"),
    "moved 0": (setting("steps", 5, "moved", to=0), r"steps\[5\]: moved = 0: must be at least 1"),
    "chosen": (setting("steps", 5, "choice", to=["age"]), r"steps\[5\]: choice = .*: is not among its candidates"),
    "other column": (setting("steps", 5, "choice", to=["x"]), "must be a list of columns of the schema"),
    "order": (setting("steps", 5, "choice", to=["town", "age"]), "in the order of the schema"),
    "among none": (setting("steps", 5, "among", to=[]), "ranges of at least one candidate"),
    "among more": (setting("steps", 5, "among", to=[[0, 11]]), "must be a range of candidates"),
    "among touching": (setting("steps", 5, "among", to=[[0, 5], [5, 10]]), "must be a range of candidates"),
    "among fewer": (setting("steps", 5, "among", to=[[0, 3]]), "choice|candidates"),
    "candidates": (setting("candidates", to=lambda sets: [*sets, [0]]), "candidates = .* follows from the other"),
    "candidate": (setting("candidates", 0, to=[0, 9]), r"candidates\[0\] = .*: must be places of columns"),
    "table": (setting("steps", 0, "table", to=["town"]), r"steps\[0\]: counts: has 7 entries; must be a list of 3"),
    "no table": (setting("steps", 0, "table", to=[]), "at least one"),
    "counts": (setting("steps", 0, "counts", 0, to="x"), r"counts\[0\] = .*: must be a whole number"),
    "step": (setting("steps", 0, to={"what": 1}), r"steps\[0\]: \"what\" is not a field"),
    "groups": (setting("groups", to=[[0]]), "groups: must be null, or a list of 5 lists"),
    "merged": (setting("groups", to=[list(group) for group in GROUPS]), "counts: has .* entries"),
    "size": (setting("n", to=0), "n = 0: must be from 1 to"),
    "mode": (setting("mode", to="release"), "seed goes with mode simulate"),
    "stamp": (setting("stamp", to=None), "stamp = null"),
    "statistic": (setting("statistic", to="other"), "statistic = "),
    "seed": (setting("seed", to=5), "must be a whole number .* in quotes"),
    "adjacency": (setting("adjacency", to="add-remove"), "goes with least_size|the ledger is for"),
    "total": (setting("ledger", "total", to={"rho": "1/100000"}), "exceed the total"),
    "larger total": (setting("ledger", "total", to={"rho": "1"}), "is more than"),
    "currency": (
        lambda body: body["ledger"].update(total={"mu_squared": "5"}, target=None, entries=[]),
        "counts mu_squared: must count rho",
    ),
    "gen with choices": (of_method("gen", degree=2, model_mb=1, generator="estimate"), "gen has all tables of up to"),
    "mst that anneals": (of_method("mst", model_mb=1), "mst has choices of pairs that make a forest, then"),
    "tree of no label": (of_method("tree", model_mb=1, label="x"), "label = .*: must be one of"),
    "tree that anneals": (of_method("tree", model_mb=1, label="town"), "tree has tables with the label"),
    "generator": (of_method("gen", degree=2, model_mb=1, generator="x"), 'generator = "x": must be one of'),
    "no settings": (of_method("aim"), "settings: must be those of aim: degree, most_cells, model_mb, rounds"),
    "more settings": (lambda body: body["settings"].update(x=1), "those of aim"),
    "text for a number": (setting("settings", "model_mb", to="x"), 'model_mb = "x": must be a whole number'),
    "choices after tables": (later_first, "aim has choices, each with the table"),
    "another choice": (chosen_otherwise, "aim has choices, each with the table"),
    "not one-way first": (setting("steps", to=lambda steps: steps[1:5] + steps[:1] + steps[5:]), "must begin with"),
    "no groups here": (
        setting("groups", to=[[*range(size)] for size in SCHEMA.domain.sizes]),
        "codes are merged by mst, and by aim and rap and rap\\+\\+ and gem with most_codes",
    ),
    "huge counts": (
        setting("steps", 0, "counts", to=[str(-(10**40))] * 7),
        r"steps\[0\]: counts: must be between -2\^53 and 2\^53",
    ),
    "no target": (setting("ledger", "target", to=None), "ledger: target = null: must be the epsilon and delta"),
    "renamed codes": (
        setting("groups", to=[[6, *range(6)], [0, 1, 2], [0, 1], [0, 1], [*range(5)]]),
        "groups = other codes: must be .* numbered by first codes",
    ),
    "method": (setting("method", to=3), "method = 3: must be one of aim, mst, tree, gen"),
    "other method": (setting("method", to="zzz"), 'method = "zzz": must be one of aim, mst, tree, gen'),
    "settings": (setting("settings", "degree", to=[2]), "must be text, texts or a whole number"),
    "impossible": (setting("impossible", to=[{"columns": ["x"], "values": []}]), "columns of the schema"),
    "distance": (setting("distance", to={}), "distance: .* is missing"),
    "kind": (setting("kind", to="moments"), 'kind = "moments": must be "marginal-log"'),
    "extra": (lambda body: body.update(extra=1), "is not a field"),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_file_is_refused_with_one_line(name: str) -> None:
    change, line = FORGED[name]
    with pytest.raises(DataError, match=line) as caught:
        parse_log(forged(change))
    assert "\n" not in str(caught.value)


def test_a_changed_number_is_refused() -> None:
    body = made().to_json()
    body["steps"][0]["counts"][0] += 1
    with pytest.raises(DataError, match="digest: is not that of the content"):
        parse_log(json.dumps(body))


# --- the distance of the finished table --------------------------------------------------------------------------


@pytest.mark.parametrize("asked", [{}, {"adjacency": "add-remove", "size": 1500}, {"mode": "release"}])
def test_the_reservation_pays_for_the_distance_of_the_finished_table(asked: dict[str, Any]) -> None:
    log = made(reserve=Fraction(1, 10), **asked)
    rows = records()[::-1][:1000]
    found = with_distance(log, records(), rows, build_feature_map(SCHEMA, label="pays"), randomness_of(plan(**asked)))
    assert found.distance is not None
    assert found.ledger.left == found.ledger.reserved == 0
    assert found.rho == log.rho
    mu_squared = found.distance.price.mu_squared  # type: ignore[union-attr]
    assert mu_squared / 2 == found.ledger.total / 10
    assert found.rows_digest == log.rows_digest
    assert found.digest != log.digest
    Draft202012Validator(json_schema("release-marginal-log")).validate(json.loads(found.to_text()))
    assert parse_log(found.to_text()) == found
    first = found.distance.distance(Fraction(1, 20)).first
    assert 0 < first < Fraction(3, 4)
    with pytest.raises(BudgetError, match="is spent"):
        with_distance(found, records(), rows, build_feature_map(SCHEMA, label="pays"), randomness_of(plan(**asked)))


def test_a_distance_of_another_log_is_refused() -> None:
    one, other = (
        with_distance(
            made(reserve=reserve),
            records(),
            records()[:50],
            build_feature_map(SCHEMA, label="pays"),
            randomness_of(plan()),
        )
        for reserve in (Fraction(1, 10), Fraction(1, 5))
    )
    assert other.distance is not None
    body = one.body() | {"distance": other.distance.to_json()}
    with pytest.raises(DataError, match="distance: ledger: is not that of the log"):
        parse_log(json.dumps({**body, "digest": digest_of(body)}))
    body = one.body() | {"distance": None}
    with pytest.raises(DataError, match="a distance goes with an entry"):
        parse_log(json.dumps({**body, "digest": digest_of(body)}))


# --- structural zeros --------------------------------------------------------------------------------------------


def test_structural_zeros_are_read_by_label(tmp_path: Path) -> None:
    path = tmp_path / "impossible.json"
    texts = SCHEMA.columns[0].texts
    path.write_text(
        json.dumps({"impossible": [{"columns": ["owns", "age"], "values": [["no", texts[6]], ["yes", texts[0]]]}]})
    )
    (found,) = read_impossible(path, SCHEMA)
    assert found == ZEROS
    cells = found.cells(SCHEMA.domain.sizes)
    assert cells.shape == (7, 2)
    assert np.argwhere(cells).tolist() == [[0, 1], [6, 0]]


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ({}, "impossible is missing"),
        ({"impossible": {}}, "must be a list"),
        ({"impossible": [{"columns": ["x"], "values": [["1"]]}]}, "columns of the schema"),
        ({"impossible": [{"columns": ["owns", "owns"], "values": [["no", "no"]]}]}, "different columns"),
        ({"impossible": [{"columns": ["owns"], "values": []}]}, "at least one"),
        ({"impossible": [{"columns": ["owns"], "values": [["no", "yes"]]}]}, "a list of 1 values"),
        ({"impossible": [{"columns": ["owns"], "values": [["maybe"]]}]}, '"owns" = "maybe"'),
        ({"impossible": [{"columns": ["owns"], "values": [["no"], ["yes"]]}]}, "nothing is left"),
        ({"impossible": [{"columns": ["owns"], "values": [["no"]]}] * 2}, "given twice"),
    ],
)
def test_bad_structural_zeros_are_refused_with_one_line(body: Any, line: str, tmp_path: Path) -> None:
    path = tmp_path / "impossible.json"
    path.write_text(json.dumps(body))
    with pytest.raises(DataError, match=line):
        read_impossible(path, SCHEMA)


def test_a_record_that_cannot_be_is_told_to_its_holder_without_a_value() -> None:
    asked = plan(impossible=(Impossible((2,), ((0,),)), ZEROS), mode="release")
    rows = records(possible=True)
    rows[:, 2] = 1
    rows[1203, [0, 3]] = 6, 0
    with pytest.raises(DataError) as caught:
        OpenLog(rows, asked, randomness_of(asked))
    assert (
        str(caught.value) == "table: row 1204, columns age, owns: holds values that were declared impossible together"
    )


# --- accounts and recovery ---------------------------------------------------------------------------------------


def test_the_whole_log_is_booked_once_and_nothing_is_booked_twice(tmp_path: Path) -> None:
    path = tmp_path / "account.json"
    write_account(path, open_account(name="people", adjacency="replace-one", epsilon=2, dp_delta="1e-6"))
    asked = plan(mode="release", reserve=Fraction(1, 10))
    with spending(account=path):
        opened = OpenLog(records(), asked, randomness_of(asked))
        with pytest.raises(ParameterError):
            opened.measure([(9,)], rho=opened.left)
        assert not read_account(path).ledger.entries  # a refusal costs nothing
        log = run_log(opened)
        with_distance(log, records(), records()[:99], build_feature_map(SCHEMA, label="pays"), randomness_of(asked))
    entries = read_account(path).ledger.entries
    assert [entry.what.split(":")[0] for entry in entries] == ["marginal-log", "distance"]
    assert [float(entry.amount) for entry in entries] == pytest.approx(
        [float(log.rho), float(asked.ledger.reserved)], rel=1e-12
    )


def test_an_account_without_the_budget_refuses_before_the_noise(tmp_path: Path) -> None:
    path = tmp_path / "account.json"
    write_account(path, open_account(name="people", adjacency="replace-one", epsilon="1/2", dp_delta="1e-6"))
    asked = plan(mode="release")
    with spending(account=path, beside=tmp_path / "log.json"):
        opened = OpenLog(records(), asked, randomness_of(asked))
        with pytest.raises(BudgetError, match="is left for replace-one"):
            opened.measure([(0,)], rho=opened.left / 100)
        assert not opened.steps
    assert not read_account(path).ledger.entries
    assert not list(tmp_path.glob("*.recovery.json"))


def test_what_was_paid_for_survives_an_interrupt(tmp_path: Path) -> None:
    asked = plan(mode="release")
    opened = OpenLog(records(), asked, randomness_of(asked))

    def interrupted() -> None:
        with spending(beside=tmp_path / "log.json"):
            opened.measure([(0,), (1,)], rho=opened.left / 2)
            opened.choose([(0, 1), (0, 2)], [0, 10**6], moved=1, rho=opened.left / 2)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match="count epsilon as spent"):
        interrupted()
    kept = json.loads((tmp_path / "log.json.recovery.json").read_text())
    Draft202012Validator(json_schema("recovery")).validate(kept)
    tables, choice = kept["measurements"]
    paid = [step.counts for step in opened.steps if isinstance(step, TableStep)]
    assert tables["values"] == [*paid[0], *paid[1]]
    assert tables["names"] == [["age"], ["town"]]
    assert choice["name"] == ["age", "pays"]
    assert kept["header"]["schema"] == SCHEMA.to_json()
    assert Ledger.from_json(kept["ledger"]).left == opened.left
