"""Which requests are let through, rule by rule."""

from __future__ import annotations

import pytest

from synthbounds.web import MOST_QUESTION
from synthbounds.web.guard import ASK, HEADERS, MOST_HEADER_BYTES, Guard, Request

TOKEN = "t" * 32
GUARD = Guard(port=8123, token=TOKEN, files={"/", "/index.html", "/main.js"})
FILE = {"host": "127.0.0.1:8123"}
QUESTION = {
    **FILE,
    "authorization": f"Bearer {TOKEN}",
    "content-type": "application/json",
    "content-length": "20",
    "origin": "http://127.0.0.1:8123",
    "sec-fetch-site": "same-origin",
}


def status(method: str, target: str, headers: dict[str, str], *more: tuple[str, str]) -> int:
    """200 where nothing is refused."""
    lines = [(name.encode(), value.encode()) for name, value in (*headers.items(), *more)]
    why = GUARD.refuse(Request(method, target.encode(), lines))
    assert why is None or (why.reason and "\n" not in why.reason and TOKEN not in why.reason)
    return 200 if why is None else why.status


@pytest.mark.parametrize("host", ["127.0.0.1:8123", "localhost:8123"])
def test_what_a_browser_with_the_address_sends_is_let_through(host: str) -> None:
    here = {"host": host}
    assert status("GET", "/", here | {"sec-fetch-site": "none"}) == 200
    assert status("HEAD", "/main.js", here) == 200
    assert status("POST", ASK, QUESTION | here | {"origin": f"http://{host}"}) == 200
    assert status("POST", ASK, QUESTION | {"content-type": "Application/JSON; charset=UTF-8"}) == 200
    assert status("POST", ASK, QUESTION | {"content-length": str(MOST_QUESTION)}) == 200


def test_a_client_that_is_no_browser_needs_the_token_alone() -> None:
    bare = {name: value for name, value in QUESTION.items() if name not in ("origin", "sec-fetch-site")}
    assert status("POST", ASK, bare) == 200


@pytest.mark.parametrize(
    "host",
    "127.0.0.1 localhost 127.0.0.1:8124 evil.example:8123 127.0.0.1:8123.evil.example [::1]:8123 LOCALHOST:8123 "
    "127.0.0.1:08123 0.0.0.0:8123 127.1:8123 2130706433:8123 127.0.0.1:8123, x@127.0.0.1:8123".split(),
)
def test_the_name_must_be_ours(host: str) -> None:
    assert status("GET", "/", {"host": host}) == 400
    assert status("POST", ASK, QUESTION | {"host": host}) == 400


def test_one_name_and_no_other() -> None:
    assert status("GET", "/", {}) == 400
    assert status("GET", "/", FILE, ("host", "127.0.0.1:8123")) == 400


@pytest.mark.parametrize("site", ["cross-site", "same-site", "", "Same-Origin", "none, same-origin"])
def test_another_page_cannot_ask(site: str) -> None:
    assert status("GET", "/", FILE | {"sec-fetch-site": site}) == 403
    assert status("POST", ASK, QUESTION | {"sec-fetch-site": site}) == 403
    assert status("POST", ASK, QUESTION, ("sec-fetch-site", site)) == 403


@pytest.mark.parametrize(
    "origin",
    "null http://127.0.0.1 http://127.0.0.1:8124 https://127.0.0.1:8123 http://localhost:8123 http://evil.example "
    "http://127.0.0.1:8123/ http://127.0.0.1:8123.evil.example".split(),
)
def test_another_origin_cannot_ask(origin: str) -> None:
    assert status("POST", ASK, QUESTION | {"origin": origin}) == 403
    assert status("POST", ASK, QUESTION, ("origin", origin)) == 403
    assert status("GET", "/", FILE | {"origin": origin}) == 403


@pytest.mark.parametrize(
    "target",
    "/../guard.py // //index.html /index.html/ /%69ndex.html /..%2fguard.py /index.html%00 * /./index.html "
    "/INDEX.HTML index.html http://127.0.0.1:8123/ /?x /index.html?x=/etc/passwd /api/v1/ask/ /api/v1/ask?x "
    "/api//v1/ask /api/v1/%61sk /api/v1/ /etc/passwd \\index.html".split(),
)
def test_only_listed_files_as_they_are_written(target: str) -> None:
    assert status("GET", target, FILE) == 404
    assert status("POST", target, QUESTION) == 404


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "get", "post", "X"])
def test_other_methods(method: str) -> None:
    assert status(method, "/", FILE) == 405
    assert status(method, ASK, QUESTION) == 405


def test_a_question_is_posted_and_a_file_is_not() -> None:
    assert status("GET", ASK, QUESTION) == 405
    assert status("HEAD", ASK, QUESTION) == 405
    assert status("POST", "/", QUESTION) == 405


@pytest.mark.parametrize(
    "given",
    f"|Bearer|Bearer |{TOKEN}|bearer {TOKEN}|Bearer {TOKEN[:-1]}|Bearer {TOKEN}t|Basic {TOKEN}|Bearer  {TOKEN}|"
    f"Bearer {TOKEN.upper()}|Bearer \u00e9".split("|"),
)
def test_the_token_must_be_exact(given: str) -> None:
    assert status("POST", ASK, QUESTION | {"authorization": given}) == 401


def test_one_token_and_no_other_place_for_it() -> None:
    bare = {name: value for name, value in QUESTION.items() if name != "authorization"}
    assert status("POST", ASK, bare) == 401
    assert status("POST", ASK, bare, ("cookie", f"token={TOKEN}")) == 401
    assert status("POST", ASK, QUESTION, ("authorization", f"Bearer {TOKEN}")) == 401
    assert status("POST", f"{ASK}?token={TOKEN}", bare) == 404


@pytest.mark.parametrize(
    "kind",
    "|text/plain|application/x-www-form-urlencoded|multipart/form-data; boundary=x|application/jsonp|"
    "application/json; charset=utf-16|text/plain; application/json|application/json, text/plain".split("|"),
)
def test_json_only(kind: str) -> None:
    assert status("POST", ASK, QUESTION | {"content-type": kind}) == 415
    assert status("POST", ASK, QUESTION, ("content-type", kind)) == 415


def test_the_length_is_said_once_and_is_small() -> None:
    bare = {name: value for name, value in QUESTION.items() if name != "content-length"}
    assert status("POST", ASK, bare) == 411
    assert status("POST", ASK, bare, ("transfer-encoding", "chunked")) == 411
    assert status("POST", ASK, QUESTION, ("transfer-encoding", "chunked")) == 411
    assert status("POST", ASK, QUESTION, ("content-encoding", "gzip")) == 411
    assert status("POST", ASK, QUESTION, ("content-length", "20")) == 411
    for length in (str(MOST_QUESTION + 1), "-1", "+5", "5_0", "0x10", "1e3", "", "9" * 5000, "\u0665"):
        assert status("POST", ASK, QUESTION | {"content-length": length}) == 413, length


def test_headers_are_small() -> None:
    assert status("GET", "/", FILE | {"x": "y" * (MOST_HEADER_BYTES - 50)}) == 200
    assert status("GET", "/", FILE | {"x": "y" * MOST_HEADER_BYTES}) == 431
    assert status("GET", "/", FILE, *[("x", "y")] * MOST_HEADER_BYTES) == 431


def test_what_every_response_says() -> None:
    rules = dict(rule.split(" ", 1) for rule in HEADERS["content-security-policy"].split("; "))
    assert rules["default-src"] == rules["frame-ancestors"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert all("*" not in value and "unsafe" not in value and "http" not in value for value in rules.values())
    assert HEADERS["x-content-type-options"] == "nosniff"
    assert HEADERS["referrer-policy"] == "no-referrer"
    assert HEADERS["cache-control"] == "no-store"
    assert HEADERS["cross-origin-opener-policy"] == HEADERS["cross-origin-resource-policy"] == "same-origin"
    assert not any(name.startswith("access-control") or name == "set-cookie" for name in HEADERS)
