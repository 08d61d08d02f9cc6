"""Requests that no one should send, from a seed: broken bytes, foreign headers, odd targets, forbidden questions."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

from synthbounds.web.allowed import allowed
from synthbounds.web.guard import API, ASK
from tests.fuzz.asked import sound, spoilt

_PIECES = "/ .. . %2e%2e %2f \\ %00 ? # ; etc passwd page index.html main.js api v1 ask server.py ~ * : @ %".split()
_METHODS = "GET POST HEAD OPTIONS PUT DELETE TRACE CONNECT PATCH get PRI".split()
_NAMES = (
    "host origin sec-fetch-site authorization content-type content-length transfer-encoding content-encoding expect "
    "connection upgrade cookie x-forwarded-for x-forwarded-host forwarded te trailer range accept-encoding"
).split()
_VALUES = (
    "|null|*|evil.example|127.0.0.1|localhost|[::1]|none|same-site|cross-site|Bearer x|0|-1|5|99999999999999999999|"
    "1, 2|chunked|gzip, chunked|identity|100-continue|close|keep-alive, Upgrade|websocket|h2c|text/plain|"
    "application/json; charset=utf-7|bytes=0-|\x00|\xff|a\r\nb: c|application/json"
).split("|")


class Hostile:
    """Requests for one server; `secret` is a file that no answer may depend on."""

    def __init__(self, seed: int, *, port: int, token: str, secret: str) -> None:
        self._random = random.Random(seed)
        self._host, self._token = f"127.0.0.1:{port}", token
        said = "|-1|0|1|1e9|1e-9|1/0|nan|inf|10|0.2|9999999999999999999999|--output|-h|'; DROP|\ud800|\x00|\u202e|true"
        self._said = [*said.split("|"), secret, f"file://{secret}", f"@{secret}", "../" * 9 + "etc/passwd", "x" * 5000]

    def __iter__(self) -> Iterator[bytes]:
        kinds = (self._question, self._broken, self._head, self._target, self._noise, self._work, self._upload)
        while True:
            yield self._random.choices(kinds, (5, 4, 4, 3, 1, 6, 2))[0]()

    def _one(self, values: list[str]) -> str:
        return self._random.choice(values)

    def _value(self, depth: int = 0) -> object:
        kind = self._random.randrange(12 if depth < 3 else 6)
        if kind < 6:
            return self._one(self._said)
        if kind < 8:
            return self._random.choice([None, True, False, 0, -1, 1.5, 10**30, float("nan"), float("inf")])
        if kind < 10:
            return [self._value(depth + 1) for _ in range(self._random.randrange(4))]
        return {self._one(self._said): self._value(depth + 1) for _ in range(self._random.randrange(4))}

    def _body(self) -> bytes:
        r = self._random
        command = r.choice([*allowed(), "synth", "release", "serve", "schema", "../x", 5])
        names = [*allowed().get(str(command), ()), "output", "schema", "nu", "certificate", "format", "p", "epsilon"]
        options: object = {r.choice(names): self._value() for _ in range(r.randrange(6))}
        if r.random() < 0.3:
            options = {"p": "5", "degree": "2", "epsilon": "0.2", "accuracy": "0.4", "failure": "0.05", **dict(options)}  # type: ignore[call-overload]
        asked: dict[str, object] = {"ask": r.choice(["answer"] * 6 + ["curve", "curve", "forms", "x", None])}
        asked |= {"command": command, "options": options if r.random() < 0.9 else self._value()}
        if asked["ask"] == "curve":
            asked |= {"over": r.choice(["epsilon", "p", "output", 5]), "values": [self._value() for _ in range(5)]}
        if r.random() < 0.1:
            asked.pop(r.choice(list(asked)))
        text = json.dumps(asked if r.random() < 0.95 else self._value(), indent=r.choice([None, None, 1]))
        return text.encode()

    def _request(self, body: bytes, line: str = f"POST {ASK} HTTP/1.1", **headers: str) -> bytes:
        given = {
            "host": self._host,
            "authorization": f"Bearer {self._token}",
            "content-type": "application/json",
            "content-length": str(len(body)),
            **headers,
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in given.items())
        return f"{line}\r\n{head}\r\n".encode("latin-1", "replace") + body

    def _question(self) -> bytes:
        return self._request(self._body())

    def _work(self) -> bytes:
        """For the guided way; few of these become jobs."""
        r = self._random
        name = r.choice([*["work"] * 4, "job", "stop", "file", "state", "demo", "upload", "nothing"])
        asked: dict[str, object] = spoilt(r, sound(r))
        if name in ("job", "stop", "file"):
            asked = {"job": r.choice(["j1", "j2", "j9", self._one(self._said)]), "name": self._one(self._said)}
        if r.random() < 0.2:
            asked[r.choice(["table", "name", "release", "ticket", "options"])] = self._value()
        body = json.dumps(asked).encode()
        if r.random() < 0.1:
            body = body[: r.randrange(len(body) + 1)]
        return self._request(body, f"POST {API}{name} HTTP/1.1")

    def _upload(self) -> bytes:
        r = self._random
        starts = [b"", b"a,b\n", b"PK\x03\x04", b"\xff\xfe", b"PAR1", b"{", b"\x1f\x8b", b"\x00"]
        body = r.choice(starts) + r.choice([b"", b"1,2\n" * r.randrange(100), r.randbytes(r.randrange(500))])
        headers = {
            "content-type": "application/octet-stream",
            "x-name": self._one([*self._said, "%2e%2e%2fx", "a.csv"]),
        }
        if r.random() < 0.2:
            headers["content-length"] = r.choice(["0", "9" * 12, "-1", str(len(body) + 5), "1e3"])
        return self._request(body, f"POST {API}upload HTTP/1.1", **headers)

    def _broken(self) -> bytes:
        r = self._random
        request = bytearray(r.choice([self._question, self._work, self._upload])())
        for _ in range(r.randrange(1, 5)):
            place, length = r.randrange(len(request) + 1), r.randrange(1, 20)
            change = r.randrange(4)
            if change == 0:
                request[place : place + length] = r.randbytes(length)
            elif change == 1:
                del request[place : place + length]
            elif change == 2:
                request[place:place] = request[place : place + length]
            else:
                request[place:place] = r.choice([b"\r\n", b"\n", b"\r\n\r\n", b"\x00", b": ", b"{", b'"', b"\xff"])
        return bytes(request if r.random() < 0.8 else request[: r.randrange(len(request) + 1)])

    def _head(self) -> bytes:
        changed = {self._one(_NAMES): self._one(_VALUES) for _ in range(self._random.randrange(1, 4))}
        if self._random.random() < 0.1:
            changed["x"] = "y" * self._random.choice([10_000, 20_000, 100_000])
        if self._random.random() < 0.1:
            changed["content-length"] = self._random.choice(["65537", "300000"])
        return self._request(self._body(), **changed)

    def _target(self) -> bytes:
        pieces = "".join(self._one(_PIECES) for _ in range(self._random.randrange(8)))
        posted = [f"{API}{name}" for name in ("ask", "work", "upload", "file")]
        target = self._random.choice([f"/{pieces}", f"/{pieces}", f"/{pieces}", *posted])
        version = self._random.choice(["HTTP/1.1"] * 5 + ["HTTP/1.0", "HTTP/2", "HTTP/9.9", ""])
        return self._request(b"", f"{self._one(_METHODS)} {target} {version}")

    def _noise(self) -> bytes:
        return self._random.randbytes(self._random.randrange(1, 300))
