"""What the local page answers: its files, and questions, which go to the engine's process as they were sent.

The files are read once, when the server starts, so that no request opens one. There is no cookie and no state but the
queue of questions. What a request must be like is in `guard`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request as Received
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bounds.errors import OUR_BUG, UsageError
from synthbounds.web import MOST_QUESTION
from synthbounds.web.connection import TRUST
from synthbounds.web.engine_process import Asked, Busy, EngineProcess, failed
from synthbounds.web.guard import ASK, QUESTIONS, Guard, Refusal, Request
from synthbounds.web.work.desk import Desk
from synthbounds.web.work.routes import routes as routes_of_work
from synthbounds.web.work.routes import takes

PAGE = Path(__file__).parent / "page"
KINDS = {".css": "text/css", ".html": "text/html", ".js": "text/javascript", ".json": "application/json"}
BODY_SECONDS = 10.0
"""For the body of a question to arrive; it follows its headers at once unless somebody plays tricks."""
QUIET_SECONDS = 15.0
"""After this long without a point, a comment says that the curve is still being computed."""


def page_files(folder: Path = PAGE) -> dict[str, Response]:
    """Every file of the page by its address, read now. The index says that its engine is a server."""
    found = sorted(path for path in folder.iterdir() if path.suffix in KINDS) if folder.is_dir() else []
    files = {f"/{path.name}": Response(path.read_bytes(), media_type=KINDS[path.suffix]) for path in found}
    if "/index.html" in files:
        index = (folder / "index.html").read_bytes().replace(b"<html ", b'<html data-engine="server" ', 1)
        files["/"] = files["/index.html"] = Response(index, media_type=KINDS[".html"])
    return files


def application(engine: EngineProcess, port: int, token: str, desk: Desk) -> Starlette:
    """The page, the place where questions are asked, and the guided way, behind the guard."""
    files = page_files()

    async def ask(received: Received) -> Response:
        try:
            async with asyncio.timeout(BODY_SECONDS):
                text = (await _body(received)).decode()
            question = json.loads(text)
        except TimeoutError:
            return refused(Refusal(408, f"the question did not arrive within {BODY_SECONDS:g} seconds"))
        except (ValueError, RecursionError):
            question = None
        if not isinstance(question, dict):
            return refused(Refusal(400, "a question is one JSON object"))
        line = text.replace("\n", " ").replace("\r", " ")
        return _Told(engine, line, in_events=question.get("ask") == "curve")

    def fetch(name: str) -> Callable[[Received], Awaitable[Response]]:
        async def file(_: Received) -> Response:
            return files[name]

        return file

    guard = Guard(port=port, token=token, files=files.keys(), takes={**QUESTIONS, **takes(desk.most_upload)})
    routes = [
        Route(ASK, ask, methods=["POST"]),
        *routes_of_work(desk),
        *(Route(name, fetch(name)) for name in files),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(_Guarded, guard=guard)],
        exception_handlers={Exception: _our_bug},
    )


async def _our_bug(_: Received, error: Exception) -> Response:
    return _json(500, failed(OUR_BUG, f"a bug of ours: {type(error).__name__}"))


async def _body(received: Received) -> bytes:
    body = b""
    async for part in received.stream():
        body += part
        if len(body) > MOST_QUESTION:  # h11 enforces the stated length; this is for other protocols
            raise ValueError
    return body


def refused(why: Refusal) -> Response:
    """One line, in the form of an answer; the connection ends, so that nothing unread is taken for a request."""
    return _json(why.status, failed(UsageError.exit_code, why.reason), connection="close")


def _json(status: int, text: str, **headers: str) -> Response:
    return Response(text, status, headers, "application/json")


class _Guarded:
    """Lets through what the guard does not refuse."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self._app, self._guard = app, guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        query = scope["query_string"]
        target = scope["raw_path"] + (b"?" + query if query else b"")
        why = self._guard.refuse(Request(scope["method"], target, scope["headers"]))
        if why is None and scope["method"] == "POST":  # a question, which has shown the token
            scope["state"][TRUST]()
        await (self._app if why is None else refused(why))(scope, receive, send)


class _Told(Response):
    """What the engine says to a question: one object, or events as they come; who goes away is not answered."""

    def __init__(self, engine: EngineProcess, question: str, *, in_events: bool) -> None:
        self._engine, self._question, self._in_events = engine, question, in_events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            with self._engine.asked(self._question) as asked:
                telling = asyncio.create_task((self._events if self._in_events else self._object)(asked, send))
                leaving = asyncio.create_task(_left(receive))
                try:
                    await asyncio.wait((telling, leaving), return_when=asyncio.FIRST_COMPLETED)
                finally:
                    telling.cancel()
                    leaving.cancel()
                    await asyncio.gather(telling, leaving, return_exceptions=True)
        except Busy:
            why = Refusal(503, "other questions are being answered: ask again")
            await refused(why)(scope, receive, send)

    async def _object(self, asked: Asked, send: Send) -> None:
        last = ""
        while (message := await asked.messages.get()) is not None:
            last = message
        body = last.encode()
        await send(_start(b"application/json", (b"content-length", b"%d" % len(body))))
        await send({"type": "http.response.body", "body": body})

    async def _events(self, asked: Asked, send: Send) -> None:
        await send(_start(b"text/event-stream; charset=utf-8"))
        goes_on = True
        while goes_on:
            try:
                async with asyncio.timeout(QUIET_SECONDS):
                    messages: list[str | None] = [await asked.messages.get()]
            except TimeoutError:
                await send({"type": "http.response.body", "body": b": keep-alive\n\n", "more_body": True})
                continue
            while not asked.messages.empty():
                messages.append(asked.messages.get_nowait())
            goes_on = messages[-1] is not None
            text = "".join(f"data: {message}\n\n" for message in messages if message is not None)
            await send({"type": "http.response.body", "body": text.encode(), "more_body": goes_on})


def _start(kind: bytes, *headers: tuple[bytes, bytes]) -> Message:
    return {"type": "http.response.start", "status": 200, "headers": [(b"content-type", kind), *headers]}


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
