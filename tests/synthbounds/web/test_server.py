"""The local page over a real socket: questions and files are answered, hostile requests are not."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Iterator

import pytest

from synthbounds.web.application import PAGE, page_files
from synthbounds.web.engine import respond
from synthbounds.web.guard import ASK, HEADERS
from tests.synthbounds.web.serving import Served, received, served

OPTIONS = {"p": "10", "degree": "2", "epsilon": "0.2", "accuracy": "0.1", "failure": "0.05"}
QUESTION = {"ask": "answer", "command": "require", "options": OPTIONS}
CURVE = {**QUESTION, "ask": "curve", "over": "epsilon", "values": ["0.1", "0.2", "nonsense", "0.5"]}
PLAN = {"plan": True, "n": "5000", "epsilon": "1", "features": "10", "tau": "2"}


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with served() as found:
        yield found


def said(question: object) -> list[str]:
    return list(respond(json.dumps(question)))


def test_the_token_has_192_bits(server: Served) -> None:
    assert len(server.token) == 32  # of six bits each
    assert server.token.replace("-", "").replace("_", "").isalnum()


def test_answers_are_those_of_the_door(server: Served) -> None:
    status, headers, body = server.ask(QUESTION)
    assert (status, headers["content-type"]) == (200, "application/json")
    assert [body.decode()] == said(QUESTION)
    assert json.loads(body)["body"]["n"] == 9033
    wrong = {**QUESTION, "options": {**OPTIONS, "output": "x.json"}}
    assert json.loads(server.ask(wrong)[2])["exit_code"] == 2
    assert [server.ask(wrong)[2].decode()] == said(wrong)


def test_a_question_may_have_several_lines(server: Served) -> None:
    assert server.ask(json.dumps(QUESTION, indent=2).encode().replace(b"\n", b"\r\n"))[2] == server.ask(QUESTION)[2]


def test_a_curve_comes_as_events(server: Served) -> None:
    status, headers, body = server.ask(CURVE)
    assert (status, headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
    assert body.decode() == "".join(f"data: {message}\n\n" for message in said(CURVE))
    assert body.count(b"data: ") == 5


def test_a_plan_for_a_certificate(server: Served) -> None:
    found = server.answer({"ask": "answer", "command": "certify", "options": PLAN})
    assert (found["exit_code"], found["error"], found["body"]["command"]) == (0, None, "certify")


def test_connections_are_kept_for_the_next_question(server: Served) -> None:
    body = json.dumps(QUESTION).encode()
    with server.connect() as connection:
        for _ in range(3):
            connection.sendall(server.head(len(body)) + body)
            assert received(connection)[0] == 200


def test_every_file_of_the_page(server: Served) -> None:
    for name, file in page_files().items():
        request = f"GET {name} HTTP/1.1\r\nhost: localhost:{server.port}\r\n\r\n".encode()
        status, headers, body = server.send(request)
        assert (status, body) == (200, file.body)
        assert headers["content-type"] == file.headers["content-type"]
        assert headers.items() >= HEADERS.items()
    assert all(path.suffix in (".css", ".html", ".js", ".json") for path in PAGE.glob("*"))


def refused(server: Served, request: bytes, *statuses: int) -> None:
    """One line, no traceback, all headers, and the server goes on."""
    status, headers, body = server.send(request)
    assert status in statuses, (status, body)
    if status:
        assert headers.items() >= HEADERS.items()
        assert headers["connection"] == "close"
        assert not {"set-cookie", "server", "date", "access-control-allow-origin"} & headers.keys()
        assert b"\n" not in body
        assert b"Traceback" not in body
        assert server.token.encode() not in body


REPLACED = {
    "no token": ({"drop": "authorization"}, 401),
    "wrong token": ({"authorization": "Bearer " + "x" * 32}, 401),
    "rebound name": ({"host": "evil.example"}, 400),
    "no name": ({"drop": "host"}, 400),
    "foreign origin": ({"origin": "http://evil.example"}, 403),
    "opaque origin": ({"origin": "null"}, 403),
    "foreign page": ({"sec_fetch_site": "cross-site"}, 403),
    "neighbour on another port": ({"sec_fetch_site": "same-site"}, 403),
    "form": ({"content_type": "application/x-www-form-urlencoded"}, 415),
    "text": ({"content_type": "text/plain"}, 415),
    "300 kB": ({"content_length": "300000"}, 413),
    "chunked": ({"drop": "content-length", "transfer_encoding": "chunked"}, 411),
    "length and chunks": ({"transfer_encoding": "chunked"}, 411),
    "unknown coding": ({"transfer_encoding": "gzip, chunked"}, 400, 501),
    "no length": ({"drop": "content-length"}, 411),
    "negative length": ({"content_length": "-1"}, 400),
    "two lengths": ({"content_length": "5, 6"}, 400),
    "large header": ({"x": "y" * 20_000}, 431, 400),
    "header with a blank name": ({"x": "y\r\nz : z"}, 400),
    "header that is no text": ({"x": "\x00"}, 400),
}


@pytest.mark.parametrize("name", REPLACED)
def test_hostile_heads(server: Served, name: str) -> None:
    how, *statuses = REPLACED[name]
    body = json.dumps(QUESTION).encode()
    assert isinstance(how, dict)
    refused(server, server.head(len(body), **how) + body, *[status for status in statuses if isinstance(status, int)])


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("GET /../server.py HTTP/1.1", 404),
        ("GET /..%2fserver.py HTTP/1.1", 404),
        ("GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1", 404),
        ("GET //etc/passwd HTTP/1.1", 404),
        ("GET /page/index.html HTTP/1.1", 404),
        ("GET /__init__.py HTTP/1.1", 404),
        ("GET http://evil.example/ HTTP/1.1", 404),
        ("GET /?name=/etc/passwd HTTP/1.1", 404),
        ("GET /api/v1/ask HTTP/1.1", 405),
        ("OPTIONS /api/v1/ask HTTP/1.1", 405),
        ("OPTIONS * HTTP/1.1", 404),
        ("CONNECT evil.example:443 HTTP/1.1", 404),
        ("TRACE /api/v1/ask HTTP/1.1", 405),
        ("PUT /api/v1/ask HTTP/1.1", 405),
        ("GET / HTTP/1", 400),
        ("GET /", 400),
        ("GET /\x80 HTTP/1.1", 400),
        ("\x16\x03\x01\x02", 400),
    ],
)
def test_hostile_lines(server: Served, line: str, status: int) -> None:
    refused(server, f"{line}\r\nhost: 127.0.0.1:{server.port}\r\n\r\n".encode("latin-1"), status)


@pytest.mark.parametrize("target", ["/api/v1/ask?x", "/api/v1/%61sk", "/api/v1/ask/", "//api/v1/ask"])
def test_questions_go_to_one_place(server: Served, target: str) -> None:
    body = json.dumps(QUESTION).encode()
    refused(server, (server.head(len(body)) + body).replace(ASK.encode(), target.encode()), 404)


def test_headers_without_end(server: Served) -> None:
    refused(server, b"GET / HTTP/1.1\r\nx: " + b"y" * 40_000, 400)  # at once, not when the time is over


def test_old_requests_without_a_name(server: Served) -> None:
    refused(server, b"GET / HTTP/1.0\r\n\r\n", 400)
    refused(server, b"GET / HTTP/1.1\r\n\r\n", 400)
    host = b"host: 127.0.0.1:%d\r\n" % server.port
    refused(server, b"GET / HTTP/1.1\r\n" + host * 2 + b"\r\n", 400)
    refused(server, b"GET / HTTP/1.1\r\n" + host + b"host: evil.example\r\n\r\n", 400)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"answer"',
        b"[" * 30_000,
        b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
        b"9" * 60_000,
        b'{"ask": "answer"}{"ask": "answer"}',
        b'{"ask": "\xff"}',
        '{"ask": "forms"}'.encode("utf-16"),
        b"\xef\xbb\xbf" + b'{"ask": "forms"}',
        b"\x00" * 100,
    ],
    ids=lambda body: repr(body[:20]),
)
def test_what_is_no_question(server: Served, body: bytes) -> None:
    refused(server, server.head(len(body)) + body, 400)


@pytest.mark.parametrize(
    "question",
    [
        {},
        {"ask": "curve"},
        {"ask": ["answer"]},
        {"ask": "answer", "command": "synth", "options": {"table": "/etc/passwd"}},
        {"ask": "answer", "command": "require", "options": {"schema": "/etc/passwd"}},
        {"ask": "answer", "command": "require", "options": {"outp": "x"}},
        {"ask": "answer", "command": "certify", "options": {**PLAN, "query": "/etc/passwd"}},
        {"ask": "answer", "command": "renyi", "options": {"nu": "/etc/passwd"}},
        {"ask": "answer", "command": "serve", "options": {"port": "0"}},
        {"ask": "answer", "command": "../serve", "options": {}},
        {"ask": "answer", "command": "require", "options": {"p": 10}},
        {"ask": "answer", "command": "require", "options": {"p": "\ud800"}},
        {**CURVE, "values": ["1"] * 501},
        {**CURVE, "values": [{}] * 5},
    ],
    ids=str,
)
def test_questions_that_the_door_refuses(server: Served, question: object) -> None:
    status, headers, body = server.ask(question)
    assert status == 200
    text = body.decode().strip().removeprefix("data: ")
    found = json.loads(text)
    assert (found["last"], found["exit_code"]) == (True, 2)
    assert "\n" not in found["error"]
    assert "root:" not in text
    assert headers.items() >= HEADERS.items()


def test_nothing_is_smuggled_in_behind_a_refusal(server: Served) -> None:
    """What follows a request that was refused is not read as another."""
    body = json.dumps(QUESTION).encode()
    inner = server.head(len(body)) + body
    for how in ({"drop": "authorization"}, {"transfer_encoding": "chunked"}, {"content_length": "4"}):
        with server.connect() as connection:
            connection.sendall(server.head(len(inner), **how) + inner)
            text = b""
            try:
                while part := connection.recv(65536):
                    text += part
            except ConnectionError:
                pass
        assert text.count(b"HTTP/1.1 ") <= 1, text
        assert b"HTTP/1.1 200" not in text


def test_two_requests_at_once_are_answered_one_after_the_other(server: Served) -> None:
    body = json.dumps(QUESTION).encode()
    with server.connect() as connection:
        connection.sendall((server.head(len(body)) + body) * 2)
        assert received(connection)[2] == received(connection)[2] == said(QUESTION)[0].encode()


@pytest.mark.skipif(sys.platform != "linux", reason="has one loopback address")
def test_nothing_listens_but_the_loopback_interface(server: Served) -> None:
    with socket.socket() as other:  # another address of this machine, on the same port, is free
        other.bind(("127.0.0.2", server.port))
