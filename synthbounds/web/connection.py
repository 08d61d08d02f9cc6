"""One connection of the local page: uvicorn's, with a limit to how many there are and to how long one may take."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from synthbounds.web.guard import HEADERS

MOST_CONNECTIONS = 64
HEADER_SECONDS = 10.0
"""For the headers of a request to arrive, counted from the connection or from their first byte."""
WRITE_SECONDS = 10.0
"""For what was written to be read; a client that does not read is not waited for."""
TRUST = "trust"
"""The name under which an application finds what to call when a request has shown the token."""


class Connection(H11Protocol):
    """Ended if a request does not arrive in time, if an answer is not read, or if there are too many."""

    _deadline: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None
    _is_trusted = False

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.app_state = {**self.app_state, TRUST: self._trust}

    def _trust(self) -> None:
        self._is_trusted = True

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)  # so that we are told of every byte that is not taken
        self._since = self.loop.time()
        self._set_deadline(expects=True)
        if len(self.connections) > MOST_CONNECTIONS:
            self._make_room()

    def _make_room(self) -> None:
        """Drop the oldest connection that has shown no token, which is this one if all others have."""
        strangers = [one for one in self.connections if isinstance(one, Connection) and not one._is_trusted]
        oldest = min(strangers, key=lambda one: one._since)
        self.connections.discard(oldest)  # its transport says so only later
        oldest.transport.abort()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unread = self.loop.call_later(WRITE_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        self._forget_unread()
        super().resume_writing()

    def _forget_unread(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._set_deadline(expects=self.cycle is None or self.cycle.response_complete)

    def connection_lost(self, exc: Exception | None) -> None:
        self._set_deadline(expects=False)
        self._forget_unread()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """If a response has begun already, there is no way to say so."""
        headers = [*HEADERS.items(), ("content-type", "text/plain; charset=utf-8"), ("connection", "close")]
        with contextlib.suppress(h11.LocalProtocolError):
            for event in (h11.Response(status_code=400, headers=headers), h11.Data(msg.encode()), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _set_deadline(self, *, expects: bool) -> None:
        if not expects and self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        elif expects and self._deadline is None:
            self._deadline = self.loop.call_later(HEADER_SECONDS, self.transport.abort)
