"""What the server does about an engine that is slow, breaks off, or answers a client that has gone."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from synthbounds.web.connection import MOST_CONNECTIONS
from synthbounds.web.engine_process import MOST_WAITING
from tests.synthbounds.web.serving import TOLD, Served, children, received, served, wait_until_gone

WHO = {"ask": "answer"}
HOLD = {"ask": "answer", "do": "hold"}
ENDLESS = {"ask": "curve", "do": "points", "count": 10**9}


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with served(*TOLD) as found:
        yield found


@pytest.fixture(scope="module")
def strict() -> Iterator[Served]:
    """Whose engine is ended at once where nobody waits."""
    with served(*TOLD, STOP_SECONDS="0", QUIET_SECONDS="0.05") as found:
        yield found


@pytest.fixture(scope="module")
def hasty() -> Iterator[Served]:
    with served(*TOLD, ANSWER_SECONDS="0.5", HEADER_SECONDS="0.2", BODY_SECONDS="0.2") as found:
        yield found


def test_a_question_that_nobody_waits_for_ends_the_engine(strict: Served) -> None:
    before = strict.answer(WHO)["pid"]
    with strict.asking(HOLD):
        pass
    assert strict.answer(WHO)["pid"] != before
    wait_until_gone(before)


def test_a_curve_that_nobody_waits_for_stops_at_the_next_point(server: Served) -> None:
    before = server.answer(WHO)["pid"]
    with server.asking(ENDLESS) as connection:
        assert connection.recv(10_000).startswith(b"HTTP/1.1 200 ")
    assert server.answer(WHO)["pid"] == before


def test_a_stop_is_for_one_question_only(server: Served) -> None:
    for _ in range(20):
        with server.asking({**ENDLESS, "count": 3}):
            pass
        _, _, body = server.ask({**ENDLESS, "count": 5})
        assert body.count(b'"point"') == 5


def test_an_engine_that_starts_is_not_ended_by_a_question_that_nobody_waits_for(tmp_path: Path) -> None:
    file = tmp_path / "start"
    with served(*TOLD, STARTS_WITH=str(file), STOP_SECONDS="0") as server:
        before = children(server.process.pid)
        for _ in range(3):
            with server.asking(ENDLESS) as connection:
                assert connection.recv(15) == b"HTTP/1.1 200 OK"
        file.touch()
        assert before in ([], [server.answer(WHO)["pid"]])


def test_events_go_on_where_nothing_is_said_for_a_while(strict: Served) -> None:
    with strict.asking({"ask": "curve", "do": "hold"}) as connection:
        text = b""
        while text.count(b": keep-alive\n\n") < 2:
            text += connection.recv(1000)
    assert b"content-type: text/event-stream" in text


def test_the_queue_is_fair_and_has_an_end(strict: Served) -> None:
    assert strict.answer(WHO)["last"]  # nothing of another test is left
    with ExitStack() as waiting:
        holding = waiting.enter_context(strict.asking({"ask": "curve", "do": "hold"}))
        assert holding.recv(1000)  # the head is sent when a question has its place
        others = []
        for number in range(MOST_WAITING):
            others.append(waiting.enter_context(strict.asking({"ask": "curve", "number": number})))
            assert others[-1].recv(15, socket.MSG_PEEK) == b"HTTP/1.1 200 OK"
        status, _, body = strict.ask(WHO)
        assert (status, json.loads(body)["exit_code"]) == (503, 2)
        others.pop(3).close()  # a place for another
        last = waiting.enter_context(strict.asking({"ask": "curve", "number": "last"}))
        while last.recv(15, socket.MSG_PEEK) != b"HTTP/1.1 200 OK":  # the server has not noticed yet
            last = waiting.enter_context(strict.asking({"ask": "curve", "number": "last"}))
        holding.close()
        found = [json.loads(data(received(other)[2])) for other in (*others, last)]
    assert [one["asked"]["number"] for one in found] == [0, 1, 2, 4, 5, 6, 7, "last"]
    assert len({one["pid"] for one in found}) == 1


def data(events: bytes) -> str:
    """The one event that is not a sign of life."""
    (found,) = (line for line in events.decode().splitlines() if line.startswith("data: "))
    return found.removeprefix("data: ")


@pytest.mark.parametrize(("what", "code"), [("abort", 7), ("kill", 7), ("fill", 7), ("leave", 70)])
def test_an_engine_that_breaks_off_is_replaced(server: Served, what: str, code: int) -> None:
    before = server.answer(WHO)["pid"]
    found = server.answer({"ask": "answer", "do": what})
    assert (found["last"], found["exit_code"]) == (True, code)
    assert "\n" not in found["error"]
    assert what != "kill" or found["error"] == "the engine was ended by the system, perhaps for want of memory"
    assert server.answer(WHO)["pid"] != before
    events = server.ask({"ask": "curve", "do": what})[2]
    assert json.loads(data(events))["exit_code"] == code


def test_an_engine_that_ends_between_questions_is_replaced(server: Served) -> None:
    before = server.answer(WHO)["pid"]
    (child,) = children(server.process.pid) or [before]
    assert child == before
    os.kill(before, signal.SIGKILL)
    wait_until_gone(before)
    while (after := server.answer(WHO)).get("pid") is None:
        assert after["exit_code"] == 7
    assert after["pid"] != before


def test_what_the_engine_prints_is_no_answer(server: Served) -> None:
    assert json.loads(data(server.ask({"ask": "curve", "do": "print"})[2]))["exit_code"] == 0


def test_odd_text_arrives_as_it_was_sent(server: Served) -> None:
    odd = "\u2028 \x85 \\ud800 \x00 \U0001f600 \ud800"
    assert server.answer({**WHO, "odd": odd})["asked"]["odd"] == odd
    body = json.dumps({**WHO, "odd": odd[:-1]}, ensure_ascii=False).encode()
    assert json.loads(server.ask(body)[2])["asked"]["odd"] == odd[:-1]


@pytest.mark.parametrize("kind", ["answer", "curve"])
def test_an_answer_has_so_much_time_and_no_more(hasty: Served, kind: str) -> None:
    before = who(hasty)
    found = json.loads(hasty.ask({"ask": kind, "do": "spin"})[2].decode().strip().removeprefix("data: "))
    assert (found["exit_code"], found["error"]) == (130, "interrupted: no answer within 0.5 seconds")
    assert who(hasty) != before


def test_a_curve_has_so_much_time_in_all() -> None:
    with served(*TOLD, CURVE_SECONDS="0.5") as server:
        *points, last = server.ask(ENDLESS)[2].decode().strip().split("\n\n")
        found = json.loads(last.removeprefix("data: "))
        told = f"interrupted: a curve has 0.5 seconds, and only {len(points)} points were ready by then; ask for fewer"
        assert (found["last"], found["exit_code"], found["error"]) == (True, 130, told)
        assert server.answer(WHO)["exit_code"] == 0


def who(server: Served) -> int:
    """The engine, where a busy machine may need several attempts."""
    while not (found := json.loads(server.ask(WHO)[2] or b"{}")).get("pid"):
        pass
    return int(found["pid"])


def test_a_request_that_does_not_come_is_not_waited_for(hasty: Served) -> None:
    assert hasty.send(b"") == (0, {}, b"")
    assert hasty.send(b"POST /api/v1/ask HTTP/1.1\r\nhost: ") == (0, {}, b"")
    status, headers, _ = hasty.send(hasty.head(1000) + b"{")
    assert (status, headers["connection"]) == (408, "close")
    body = json.dumps(WHO).encode()
    status = 0
    while status != 200:
        with hasty.connect() as connection, suppress(ConnectionError):  # also the second on a connection
            connection.sendall(hasty.head(len(body)) + body)
            status = received(connection)[0]
            connection.sendall(b"POST /api")
            assert connection.recv(1) == b""


def test_the_oldest_stranger_makes_room_for_whoever_comes(server: Served) -> None:
    body = json.dumps(WHO).encode()
    with ExitStack() as opened:
        known = opened.enter_context(server.connect())
        known.sendall(server.head(len(body)) + body)
        assert received(known)[0] == 200
        strangers = [opened.enter_context(server.connect()) for _ in range(MOST_CONNECTIONS)]
        with suppress(ConnectionResetError):
            assert strangers[0].recv(1) == b""
        assert server.ask(WHO)[0] == 200
        with suppress(ConnectionResetError):
            assert strangers[1].recv(1) == b""
        for connection in (known, strangers[2]):
            connection.sendall(server.head(len(body)) + body)
            assert received(connection)[0] == 200


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_whoever_does_not_read_is_not_waited_for() -> None:
    def sockets() -> int:
        return sum(os.readlink(file).startswith("socket:") for file in folder.iterdir() if file.is_symlink())

    with served(*TOLD, WRITE_SECONDS="0.2") as server, socket.socket() as connection:
        folder = Path(f"/proc/{server.process.pid}/fd")
        before = sockets()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(("127.0.0.1", server.port))
        connection.sendall(b"GET /style.css HTTP/1.1\r\nhost: 127.0.0.1:%d\r\n\r\n" % server.port * 2000)
        assert connection.recv(1, socket.MSG_PEEK)
        while sockets() > before:  # far more than the system keeps for us is still to be said
            time.sleep(0.01)
