"""Which requests the local page answers: those of a browser that was given the address, and of nobody else.

A page of another host that is open in the same browser can send requests here; it does not know the token, and what it
sends names a foreign origin, or reaches us under a foreign name (DNS rebinding). Every rule is a list of what is
allowed. Nothing is decoded, and no file is opened by a name from a request.
"""

from __future__ import annotations

import hmac
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from synthbounds.web import MOST_QUESTION

ASK = "/api/v1/ask"
"""Where questions go; everything else is a file of the page."""
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
    """What is known of a request before its body is read; header names are in lower case."""

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
class Guard:
    """The rules, for one port, one token and the files of the page."""

    port: int
    token: str
    files: Collection[str]

    def refuse(self, request: Request) -> Refusal | None:
        """Why not, or None; what is cheap and public is looked at first."""
        return self._of_anything(request) or (self._of_question(request) if request.target == ASK.encode() else None)

    def _of_anything(self, request: Request) -> Refusal | None:
        if sum(len(name) + len(value) for name, value in request.headers) > MOST_HEADER_BYTES:
            return Refusal(431, f"headers have more than {MOST_HEADER_BYTES} bytes")
        host = request.only(b"host")
        if host not in (b"127.0.0.1:%d" % self.port, b"localhost:%d" % self.port):
            return Refusal(400, "Host is not the address that was printed")
        if any(site not in (b"same-origin", b"none") for site in request.all_of(b"sec-fetch-site")):
            return Refusal(403, "asked by another page")
        if any(origin != b"http://" + host for origin in request.all_of(b"origin")):
            return Refusal(403, "asked by a page of another origin")
        is_question = request.target == ASK.encode()
        if not is_question and request.target not in {name.encode() for name in self.files}:
            return Refusal(404, "not a file of the page")
        if request.method not in (("POST",) if is_question else ("GET", "HEAD")):
            return Refusal(405, "POST asks a question, GET fetches a file")
        return None

    def _of_question(self, request: Request) -> Refusal | None:
        given = request.only(b"authorization") or b""
        if not hmac.compare_digest(given, f"Bearer {self.token}".encode()):
            return Refusal(401, "open the page with the address that was printed")
        kind, _, more = (request.only(b"content-type") or b"").lower().partition(b";")
        if kind.strip() != b"application/json" or more.strip() not in (b"", b"charset=utf-8"):
            return Refusal(415, "a question is JSON in UTF-8 (Content-Type: application/json)")
        length = request.only(b"content-length")
        if request.all_of(b"transfer-encoding") or request.all_of(b"content-encoding") or length is None:
            return Refusal(411, "say how long the question is (Content-Length), and send it as it is")
        if len(length) > 9 or not length.isdigit() or int(length) > MOST_QUESTION:
            return Refusal(413, f"a question has at most {MOST_QUESTION} bytes")
        return None
