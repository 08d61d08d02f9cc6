"""The guided way as addresses: what comes in is checked and streamed, what goes out is JSON, events or a file."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from starlette.requests import ClientDisconnect
from starlette.requests import Request as Received
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from bounds.errors import OUR_BUG, OutputError, SynthboundsError, UsageError
from synthbounds.web.guard import API, BYTES, JSON_TEXT, Takes
from synthbounds.web.work.desk import Desk
from synthbounds.web.work.jobs import Busy, Job

MOST_WORK = 2**20
"""Bytes of one request; a schema is the longest part of it."""
PART_SECONDS = 30.0
"""For the next bytes of an upload to arrive."""
QUIET_SECONDS = 15.0
_PART_BYTES = 2**16
_MOST_NAME = 400
_STATUS = {2: 400, 3: 422, 6: 507}


def takes(most_upload: int) -> dict[str, Takes]:
    """What each address takes."""
    asked = {f"{API}{name}": Takes(JSON_TEXT, MOST_WORK) for name in ("demo", "work", "job", "stop", "file", "state")}
    return asked | {f"{API}upload": Takes(BYTES, most_upload)}


def routes(desk: Desk) -> list[Route]:
    """One for each address."""

    async def upload(received: Received) -> Response:
        name = unquote(received.headers.get("x-name", "")[:_MOST_NAME], errors="replace") or "table"
        size = int(received.headers["content-length"])
        found = await desk.uploads.receive(name, _parts(received), size)
        return _said(found.to_json())

    async def demo(received: Received) -> Response:
        return _said(desk.demo((await _asked(received)).get("name")).to_json())

    async def work(received: Received) -> Response:
        return _said({"job": desk.work(await _asked(received)).id})

    async def job(received: Received) -> Response:
        found = desk.made.job(await _asked(received))
        return StreamingResponse(_events(found), media_type="text/event-stream")

    async def stop(received: Received) -> Response:
        found = desk.made.job(await _asked(received))
        desk.jobs.stop(found)
        return _said({"job": found.id, "state": found.state})

    async def file(received: Received) -> Response:
        asked = await _asked(received)
        place, most = desk.made.file(asked), asked.get("most")
        if most is not None and (type(most) is not int or most < 0):
            raise UsageError("most: must be a number of bytes")
        size = place.stat().st_size
        length = size if most is None else min(most, size)
        head = {
            "content-disposition": f"attachment; filename*=UTF-8''{quote(place.name)}",
            "content-length": str(length),
        }
        return StreamingResponse(_bytes(place, length), headers=head, media_type="application/octet-stream")

    async def state(received: Received) -> Response:
        return _said(desk.state(await _asked(received)))

    found = {"upload": upload, "demo": demo, "work": work, "job": job, "stop": stop, "file": file, "state": state}
    return [Route(f"{API}{name}", _answered(action), methods=["POST"]) for name, action in found.items()]


def _answered(action: Callable[[Received], Awaitable[Response]]) -> Callable[[Received], Awaitable[Response]]:
    """The same, with whatever goes wrong as one line."""

    async def answer(received: Received) -> Response:
        try:
            return await action(received)
        except SynthboundsError as error:
            return _failed(_STATUS.get(error.exit_code, 400), error.exit_code, " ".join(str(error).split()))
        except Busy:
            return _failed(503, UsageError.exit_code, "other jobs are waiting: ask again when one has ended")
        except TimeoutError:
            return _failed(408, UsageError.exit_code, "the request did not arrive in time")
        except OSError as error:
            return _failed(507, OutputError.exit_code, f"cannot read or write ({error.strerror})")
        except ClientDisconnect:
            return Response(status_code=400)
        except Exception as error:
            return _failed(500, OUR_BUG, f"a bug of ours: {type(error).__name__}")

    return answer


def _said(body: dict[str, Any]) -> Response:
    text = json.dumps({"last": True, "exit_code": 0, "error": None, **body})
    return Response(text, media_type="application/json")


def _failed(status: int, exit_code: int, error: str) -> Response:
    """The connection ends, so that nothing unread is taken for a request."""
    text = json.dumps({"last": True, "exit_code": exit_code, "error": error})
    return Response(text, status, {"connection": "close"}, "application/json")


async def _parts(received: Received) -> AsyncIterator[bytes]:
    """The body as it comes; a client that stops sending is not waited for."""
    stream = received.stream()
    while True:
        async with asyncio.timeout(PART_SECONDS):
            try:
                part = await anext(stream)
            except StopAsyncIteration:
                return
        if part:
            yield part


async def _asked(received: Received) -> dict[str, Any]:
    """The body as one object, read strictly."""
    text = b""
    async for part in _parts(received):
        text += part
    try:
        found = json.loads(text.decode(), parse_constant=_refuse, parse_float=_exact)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise UsageError("a request is one JSON object, without NaN, and with numbers that a float holds exactly")
    return found


def _refuse(_: str) -> None:
    raise ValueError


def _exact(text: str) -> float:
    """A number that is written back exactly as it was read."""
    from decimal import Decimal

    value = float(text)
    if Decimal(repr(value)) != Decimal(text):
        raise ValueError
    return value


async def _events(job: Job) -> AsyncIterator[bytes]:
    async for message in job.messages(QUIET_SECONDS):
        yield b": quiet\n\n" if message is None else f"data: {json.dumps(message)}\n\n".encode()


def _no_link(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW)


async def _bytes(place: Path, length: int) -> AsyncIterator[bytes]:
    with open(place, "rb", opener=_no_link) as stream:
        while length > 0 and (part := stream.read(min(_PART_BYTES, length))):
            length -= len(part)
            yield part
