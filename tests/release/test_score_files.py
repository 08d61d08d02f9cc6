"""Answers to queries for scores, and floors: read strictly, every field broken once, budgets booked once, intervals."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction
from math import exp, log1p
from typing import Any

import numpy as np
import pytest

from bounds.certify.verdict import VACUOUS
from bounds.errors import DataError, NotCertified, ParameterError, UsageError
from bounds.privacy.adjacency import Adjacency
from mechanisms.models.certify.from_moments import class_for
from mechanisms.models.confirm.excess import ConfirmedExcess, plan_excess
from mechanisms.models.confirm.prove_excess import prove_excess
from mechanisms.models.model import Model
from mechanisms.models.train.least_risk import least_risk
from release.files.digest import digest_of
from release.files.strict_json import parse_json
from release.floors.file import FloorRelease
from release.floors.intervals import floor_intervals
from release.floors.make import FloorRequest
from release.floors.read import floors_of
from release.query.make import Payer
from release.scores.read import parse_scores
from release.statistics.question import Asked
from synthbounds.api.confirming import answer_certificate
from tests.moment_examples import feature_map, table

FEATURES = feature_map()
TABLE = table(800)
BETA = Fraction(1, 20)
MODEL = Model(feature_map=FEATURES, coefficients=(Fraction(1, 4),) * 7, tau=Fraction(2))


def floors(**changes: Any) -> FloorRelease:
    asked: dict[str, Any] = {
        "epsilon": 2,
        "dp_delta": "1e-6",
        "adjacency": "replace-one",
        "mode": "simulate",
        "seed": 3,
        "reserve": "1/2",
        "tau": ("1", "4"),
    }
    return FloorRequest(FEATURES, **(asked | changes)).release(TABLE, least_risk)


def asked(release: FloorRelease, **more: Any) -> ConfirmedExcess:
    return plan_excess(release, MODEL, class_for(MODEL), beta=BETA, seed=1, **more).ask(TABLE)


@pytest.fixture(scope="module")
def made() -> FloorRelease:
    return floors()


@pytest.fixture(scope="module")
def hidden() -> FloorRelease:
    return floors(adjacency="add-remove", least_size=700)


@pytest.fixture(scope="module")
def answer(made: FloorRelease) -> ConfirmedExcess:
    return asked(made)


@pytest.fixture(scope="module", params=["made", "hidden"])
def release(request: pytest.FixtureRequest) -> FloorRelease:
    found = request.getfixturevalue(request.param)
    assert isinstance(found, FloorRelease)
    return found


def reread(release: FloorRelease) -> FloorRelease:
    return floors_of(parse_json(release.to_text(), "release"), "release")


# --- floors ------------------------------------------------------------------------------------------------------


def test_a_file_is_read_as_it_was_written(made: FloorRelease, hidden: FloorRelease) -> None:
    for release in (made, hidden, made.with_reservation_spent(), floors(reserve=0)):
        assert reread(release) == release


def test_all_floors_have_the_same_noise_and_cost_what_is_said(release: FloorRelease) -> None:
    *deviations, labels = release.questions.deviations(release.own_cost)
    assert max(deviations) / min(deviations) < Fraction(1001, 1000)
    moved = [question.moved(release.adjacency) for question in release.questions.questions]
    spent = sum((m / d) ** 2 for m, d in zip(moved, (*deviations, labels), strict=True))
    assert Fraction(999, 1000) < spent / release.mu_squared_spent <= 1
    assert release.mu_squared_spent == release.mu_squared_reserved == release.mu_squared / 2


def test_intervals_hold_the_floors_and_a_constant(release: FloorRelease) -> None:
    found = floor_intervals(release, BETA)
    exact = release.questions.of(Asked(TABLE, minimise=least_risk))
    for floor, value, question in zip(found.floors, exact, release.floors, strict=False):
        assert floor.mean.lo <= value * question.unit / len(TABLE) <= floor.mean.hi
    share = float(np.mean(FEATURES.labels(TABLE) == 1))
    entropy = -share * np.log(share) - (1 - share) * np.log(1 - share)
    assert 0.5 < float(found.constant_lo) <= entropy
    wider = floor_intervals(release, BETA / 10)
    assert all(w.mean.lo <= f.mean.lo < f.mean.hi <= w.mean.hi for w, f in zip(wider.floors, found.floors, strict=True))


def test_intervals_fail_as_often_as_they_may(made: FloorRelease) -> None:
    """Over noise drawn anew: all floors at once, and the labels."""
    exact = np.array(made.questions.of(Asked(TABLE, minimise=least_risk)))
    scales = np.array([float(s) for s in made.noise.scales])  # type: ignore[union-attr]
    generator, wrong, runs = np.random.default_rng(0), 0, 400
    beta = Fraction(1, 2)
    for _ in range(runs):
        noise = np.rint(scales * generator.standard_normal(len(scales)))
        values = tuple(int(a + b) for a, b in zip(exact, noise, strict=True))
        found = floor_intervals(FloorRelease(**(made.public() | {"values": values})), beta)
        wrong += not all(
            floor.mean.lo <= value * question.unit / len(TABLE) <= floor.mean.hi
            for floor, value, question in zip(found.floors, exact.tolist(), made.floors, strict=False)
        )
    assert 0.34 < wrong / runs < 0.5  # nine tenths of a half are for the floors


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"tau": ("5", "5.0")}, "tau"),
        ({"tau": ("0",)}, "tau"),
        ({"tau": ("two",)}, "tau"),
        ({"tau": ()}, "tau"),
        ({"loss": "zero-one"}, "loss"),
        ({"least_size": 5}, "least-size"),
        ({"reserve": 1}, "reserve"),
    ],
)
def test_what_cannot_be_released(changes: dict[str, Any], name: str) -> None:
    with pytest.raises((ParameterError, UsageError), match=name):
        floors(**changes)


def test_a_least_size_that_the_counts_contradict(made: FloorRelease, hidden: FloorRelease) -> None:
    release = floors(adjacency="add-remove", least_size=90_000)
    with pytest.raises(DataError, match="least_size = 90000: the noisy counts say"):
        asked(release)
    with pytest.raises(DataError, match="least_size = 90000"):
        answer_certificate(release)
    assert (hidden.contradiction, made.contradiction) == (None, None)


def test_counts_of_a_query_that_contradict_the_least_size_leave_what_holds_without_data(hidden: FloorRelease) -> None:
    """The answer is spent: it is kept, and nothing is certified from it."""
    found = asked(hidden)
    assert found.proved.contradiction is None
    refuted = replace(found.query, values=(*found.query.values[:-2], -5000, 40))
    proved = prove_excess(refuted, found.release)
    assert proved.verdict.word == VACUOUS
    assert proved.verdict.reason.startswith("least_size = 700: the noisy counts say that the table has at most about 0")
    reach = max(map(abs, FEATURES.margin_range(MODEL.coefficients)))
    assert float(proved.bound) == float(proved.risk_hi) == pytest.approx(log1p(exp(reach)))
    assert proved.constant_lo == 0
    with pytest.raises(NotCertified, match="least_size = 700"):
        answer_certificate(found.release, refuted)


# --- the budget --------------------------------------------------------------------------------------------------


def test_a_reservation_pays_once(made: FloorRelease, answer: ConfirmedExcess) -> None:
    with pytest.raises(UsageError, match="reservation: is spent"):
        asked(answer.release)
    with pytest.raises(UsageError, match="nothing is reserved"):
        asked(floors(reserve=0))
    first = asked(made, part=Fraction(1, 3))
    second = asked(first.release, previous=first.query)
    assert first.query.mu_squared + second.query.mu_squared == made.mu_squared_reserved
    assert second.query.round == 2
    with pytest.raises(UsageError, match="is spent"):
        asked(first.release, previous=second.previous)


def test_a_real_query_needs_somebody_who_books() -> None:
    release = floors(mode="release", seed=None)
    with pytest.raises(UsageError, match="book is missing"):
        plan_excess(release, MODEL, class_for(MODEL), beta=BETA).ask(TABLE)
    kept: list[Payer] = []

    def refuses(payer: Payer) -> None:
        kept.append(payer)
        raise DataError("no")

    with pytest.raises(DataError, match="no"):
        plan_excess(release, MODEL, class_for(MODEL), beta=BETA).ask(TABLE, book=refuses)
    assert kept[0].release.reservation_state == "spent"


# --- every field of a file broken once ---------------------------------------------------------------------------


def broken(body: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Every field dropped, nulled, given another type, or a number that is a little off; the digest fits again."""
    found = []

    def at(path: tuple[Any, ...], value: Any) -> dict[str, Any]:
        changed: dict[str, Any] = json.loads(json.dumps(body))
        place = changed
        for key in path[:-1]:
            place = place[key]
        if value is ...:
            del place[path[-1]]
        else:
            place[path[-1]] = value
        del changed["digest"]
        return changed | {"digest": digest_of(changed)}

    def walk(value: Any, path: tuple[Any, ...]) -> None:
        if path == ("digest",):
            return
        name = ".".join(str(key) for key in path)
        if isinstance(value, dict | list):
            items = value.items() if isinstance(value, dict) else enumerate(value)
            for key, item in items:
                walk(item, (*path, key))
        elif isinstance(value, int):
            found.append((f"{name} + 1", at(path, value + 1)))
        elif isinstance(value, str):
            found.append((f"{name} longer", at(path, value + "1")))
        if path:
            found.append((f"{name} dropped", at(path, ...)))
            found.append((f"{name} a list", at(path, [value])))

    walk(body, ())
    return found


ANY_VALUE = ("answer", "seed", "run", "made", "n ", "least_size", "about.beta longer")
"""Where another value is another file, and as good as this one."""


def test_every_broken_field_of_floors_is_refused(made: FloorRelease) -> None:
    taken, said = [], []
    for what, body in broken(json.loads(made.to_text())):
        try:
            floors_of(parse_json(json.dumps(body), "release"), "release")
        except DataError as error:
            said.append(str(error))
        else:
            taken.append(what)
    strange = [what for what in taken if not any(name in what for name in ANY_VALUE)]
    assert not strange
    assert all(re.fullmatch("(release|query).*", line) for line in said)


def test_every_broken_field_of_an_answer_is_refused(answer: ConfirmedExcess) -> None:
    taken, said = [], []
    text = answer.query.to_text()
    assert parse_scores(text, answer.release) == answer.query
    for what, body in broken(json.loads(text)):
        try:
            parse_scores(json.dumps(body), answer.release)
        except DataError as error:
            said.append(str(error))
        else:
            taken.append(what)
    strange = [what for what in taken if not any(name in what for name in (*ANY_VALUE, "coefficients"))]
    assert not strange
    assert all(re.fullmatch("(release|query).*", line) for line in said)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("beta", (None, "x", "nan", "-1", "1", 1)),
        ("ask", (None, "x", "loss", [])),
        ("model", (None, "x", "0" * 63)),
        ("model_from", ("x", 1)),
        ("name", ("p.csv",)),
    ],
)
def test_what_was_fixed_is_from_closed_sets(name: str, values: tuple[Any, ...], answer: ConfirmedExcess) -> None:
    body = json.loads(answer.query.to_text())
    del body["digest"]
    for value in values:
        changed = body | {"about": body["about"] | {name: value}}
        with pytest.raises(DataError, match=f"^query: about: .*{name}"):
            parse_scores(json.dumps(changed | {"digest": digest_of(changed)}), answer.release)


def test_an_answer_belongs_to_its_release(hidden: FloorRelease, answer: ConfirmedExcess) -> None:
    with pytest.raises(DataError, match="belongs to another release"):
        parse_scores(answer.query.to_text(), floors(seed=4))
    assert asked(hidden).query.adjacency is Adjacency.ADD_REMOVE
