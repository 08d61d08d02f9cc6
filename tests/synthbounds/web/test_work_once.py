"""A release is made once, whatever is sent again and from wherever; and the account agrees."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.synthbounds.web.working import RELEASE, SURVEY, Person, person

ACCOUNT = {"name": "people", "adjacency": "replace-one", "epsilon": "8"}


@pytest.fixture(scope="module")
def steward(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Person]:
    with person(tmp_path_factory.mktemp("once")) as one:
        one.done("account", name="people", action="open", options=ACCOUNT)
        one.upload(SURVEY.read_bytes(), "survey.csv")
        yield one


def spent(steward: Person) -> int:
    return int(steward.done("account", name="people")["body"]["spent"])


def made(steward: Person, options: dict[str, str]) -> str:
    """A release with these options, which no other test makes."""
    return str(
        steward.done("release", ticket=steward.prepared("t1", account="people", options=options)["ticket"])["release"]
    )


def names(steward: Person) -> list[str]:
    return [one["name"] for one in steward.say("state")["releases"]]


def at_once(asked: list[Callable[[], tuple[int, bytes]]]) -> list[dict[str, Any]]:
    """What each of several connections is told that ask at the same time."""
    with ThreadPoolExecutor(len(asked)) as tabs:
        return [json.loads(answer) for _, answer in [f.result() for f in [tabs.submit(one) for one in asked]]]


def test_reloading_and_two_tabs(steward: Person) -> None:
    """One ticket, sent by many at once and again later, starts one job, and its release is made once."""
    others, before = names(steward), spent(steward)
    ticket = steward.prepared("t1", account="people")["ticket"]
    ask = {"do": "release", "ticket": ticket}
    answers = at_once([lambda: steward.post("work", ask)] * 6)
    (job,) = {answer["job"] for answer in answers}
    last = steward.end_of(job)
    assert (last["exit_code"], last["spent"]) == (0, True)
    assert steward.say("work", **ask)["job"] == job
    assert names(steward) == [*others, last["release"]]
    assert spent(steward) == before + 1


@pytest.mark.slow
def test_two_browsers(steward: Person) -> None:
    """Two tickets of the same release, drawn before either was used: one is made, the other is told its name."""
    other = {**RELEASE, "values": "inside"}
    tickets = [steward.prepared("t1", account="people", options=other)["ticket"] for _ in range(2)]
    before = spent(steward)
    asked = [{"do": "release", "ticket": ticket} for ticket in tickets]
    answers = at_once([lambda one=one: steward.post("work", one) for one in asked])  # type: ignore[misc]
    (started,) = [answer for answer in answers if "job" in answer]
    refusals = [answer["error"] for answer in answers if "job" not in answer]
    made = steward.end_of(started["job"])["release"]
    assert len(refusals) == 1
    assert all("made already" in error and made in error for error in refusals)
    assert spent(steward) == before + 1
    for one in asked:  # going back
        status, answer = steward.post("work", one)
        assert status == 400 or json.loads(answer)["job"] == started["job"]
    assert spent(steward) == before + 1


def test_again_must_be_said(steward: Person) -> None:
    """The same release is prepared without a ticket; who wants it again says so, sees it, and gets it once."""
    options = {**RELEASE, "k": "500"}
    first = made(steward, options)
    asked: dict[str, Any] = {"account": "people", "options": options}
    shown = steward.prepared("t1", **asked)
    assert shown["ticket"] is None
    assert shown["same"] == [first]
    before = spent(steward)
    shown = steward.prepared("t1", again=True, **asked)
    twin = steward.prepared("t1", again=True, **asked)
    assert "spends again" in shown["warnings"][0]
    last = steward.done("release", ticket=shown["ticket"])
    assert last["spent"]
    assert "made already" in steward.refused("work", do="release", ticket=twin["ticket"])
    assert spent(steward) == before + 1


@pytest.mark.slow
def test_a_release_that_is_refused_leaves_nothing(steward: Person) -> None:
    """Too little is left in the account: nothing is drawn, kept or claimed."""
    before = steward.say("state")["releases"]
    dear = {**RELEASE, "epsilon": "9"}
    for _ in range(2):
        ticket = steward.prepared("t1", account="people", options=dear)["ticket"]
        last = steward.do("release", ticket=ticket)
        assert (last["exit_code"], last["spent"], last["files"]) == (2, False, [])
        assert "is left" in last["error"]
    assert steward.say("state")["releases"] == before


@pytest.mark.slow
def test_a_later_start_and_two_servers(steward: Person, tmp_path: Path) -> None:
    """Whoever starts again, or twice, on the same folder finds what was made; at the same time one of them makes it."""
    old, new = {**RELEASE, "k": "600"}, {**RELEASE, "epsilon": "1/2"}
    first = made(steward, old)
    with ExitStack() as servers:
        people = [servers.enter_context(person(steward.releases.parent)) for _ in range(2)]
        tickets = []
        for one in people:
            table = one.upload(SURVEY.read_bytes(), "the same.csv")["id"]
            assert one.prepared(table, options=old)["same"] == [first]
            tickets.append(one.prepared(table, options=new)["ticket"])
        asked = [
            (lambda one=one, ticket=ticket: one.post("work", {"do": "release", "ticket": ticket}))
            for one, ticket in zip(people, tickets, strict=True)
        ]
        answers = at_once(asked)  # type: ignore[arg-type]
        (winner,) = [i for i in range(2) if "job" in answers[i]]
        last = people[winner].end_of(answers[winner]["job"])
        assert last["spent"]
        assert last["release"] in answers[1 - winner]["error"]


def test_tickets_of_nobody(steward: Person) -> None:
    for wrong in ("", "x" * 24, "../../etc/passwd", "a" * 24 + ".used", None, 7, ["x"]):
        assert "ticket" in steward.refused("work", do="release", ticket=wrong)
