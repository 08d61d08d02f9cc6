"""Which requests the local page answers: only those of a browser that was given the address.

A page of another host that is open in the same browser can send requests here; it does not know the token, and what it
sends names a foreign origin, or reaches us under a foreign name (DNS rebinding). Every rule is a list of what is
allowed. Nothing is decoded, and no file is opened by a name from a request.
"""

from __future__ import annotations

import hmac
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from synthbounds.web import MOST_QUESTION

API = "/api/v1/"
"""The beginning of the addresses to which something is posted; everything else is a file of the page."""
ASK = f"{API}ask"
"""Where questions go."""
JSON_TEXT, BYTES = "application/json", "application/octet-stream"
MOST_HEADER_BYTES = 16 * 1024
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; worker-src 'self'"
)
"""What the page may load, whoever serves it."""
HEADERS = {
    "content-security-policy": f"{PAGE_POLICY}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "cache-control": "no-store",
}
"""Sent with every response, also with refusals."""


@dataclass(frozen=True)
class Refusal:
    """Why a request is not answered, in one line."""

    status: int
    reason: str


@dataclass(frozen=True)
class Request:
    """What is known about a request before its body is read; header names are in lower case."""

    method: str
    target: bytes
    """Path and query as they were sent."""
    headers: Sequence[tuple[bytes, bytes]]

    def all_of(self, name: bytes) -> list[bytes]:
        return [value for given, value in self.headers if given == name]

    def only(self, name: bytes) -> bytes | None:
        """The value of a header that was sent exactly once."""
        values = self.all_of(name)
        return values[0] if len(values) == 1 else None


@dataclass(frozen=True)
class Takes:
    """What may be posted to an address."""

    kind: str
    most: int
    """Bytes."""


QUESTIONS = {ASK: Takes(JSON_TEXT, MOST_QUESTION)}


@dataclass(frozen=True)
class Guard:
    """The rules, for one port, one token, the files of the page and what may be posted where."""

    port: int
    token: str
    files: Collection[str]
    takes: Mapping[str, Takes] = field(default_factory=lambda: QUESTIONS)

    def refuse(self, request: Request) -> Refusal | None:
        """Why not, or None; what is cheap and public is checked first."""
        takes = self._taken_at(request.target)
        return self._of_anything(request, takes) or (None if takes is None else self._of_posted(request, takes))

    def _taken_at(self, target: bytes) -> Takes | None:
        return next((takes for address, takes in self.takes.items() if target == address.encode()), None)

    def _of_anything(self, request: Request, takes: Takes | None) -> Refusal | None:
        if sum(len(name) + len(value) for name, value in request.headers) > MOST_HEADER_BYTES:
            return Refusal(431, f"headers have more than {MOST_HEADER_BYTES} bytes")
        host = request.only(b"host")
        if host not in (b"127.0.0.1:%d" % self.port, b"localhost:%d" % self.port):
            return Refusal(400, "Host is not the address that was printed")
        if any(site not in (b"same-origin", b"none") for site in request.all_of(b"sec-fetch-site")):
            return Refusal(403, "asked by another page")
        if any(origin != b"http://" + host for origin in request.all_of(b"origin")):
            return Refusal(403, "asked by a page of another origin")
        if takes is None and request.target not in {name.encode() for name in self.files}:
            return Refusal(404, "not a file of the page")
        if request.method not in (("GET", "HEAD") if takes is None else ("POST",)):
            return Refusal(405, "POST asks a question, GET fetches a file")
        return None

    def _of_posted(self, request: Request, takes: Takes) -> Refusal | None:
        given = request.only(b"authorization") or b""
        if not hmac.compare_digest(given, f"Bearer {self.token}".encode()):
            return Refusal(401, "open the page with the address that was printed")
        kind, _, more = (request.only(b"content-type") or b"").lower().partition(b";")
        if kind.strip() != takes.kind.encode() or more.strip() not in (b"", b"charset=utf-8"):
            what = "a question is JSON in UTF-8" if takes.kind == JSON_TEXT else "a file is sent as its bytes"
            return Refusal(415, f"{what} (Content-Type: {takes.kind})")
        length = request.only(b"content-length")
        what = "the question" if takes.kind == JSON_TEXT else "the file"
        if request.all_of(b"transfer-encoding") or request.all_of(b"content-encoding") or length is None:
            return Refusal(411, f"say how long {what} is (Content-Length), and send it as it is")
        if len(length) > 15 or not length.isdigit() or int(length) > takes.most:
            return Refusal(413, _too_long(takes))
        return None


def _too_long(takes: Takes) -> str:
    if takes.kind == JSON_TEXT:
        return f"a question has at most {takes.most} bytes"
    return f"a file has at most {takes.most:,} bytes here (serve --most-upload)"
