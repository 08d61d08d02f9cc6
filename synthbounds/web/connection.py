"""One connection of the local page: uvicorn's, with a limit to how many there are and to how long one may dawdle."""

from __future__ import annotations

import asyncio
import contextlib

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from synthbounds.web.guard import HEADERS

MOST_CONNECTIONS = 64
HEADER_SECONDS = 10.0
"""For the headers of a request to arrive, counted from the connection or from their first byte."""


class Connection(H11Protocol):
    """Ended where a request does not arrive in time, or where there are too many."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
        else:
            self._set_deadline(expects=True)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._set_deadline(expects=self.cycle is None or self.cycle.response_complete)

    def connection_lost(self, exc: Exception | None) -> None:
        self._set_deadline(expects=False)
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Where a response has begun already, there is no way to say so."""
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
