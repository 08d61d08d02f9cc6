"""Rigorous quadrature that can be interrupted.

An exception must not leave the integrand of acb.integral: the library goes on with it, which ends in a SystemError or
worse. An exception in the integrand is kept here, the integrand is nan from then on, and the exception is raised when
the library has returned. A signal whose handler would raise in the middle waits in the same way.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from flint import acb

Integrand = Callable[[acb, bool], acb]


def integral(integrand: Integrand, start: acb, stop: acb) -> acb:
    """The integral along the segment; an exception in between is raised afterwards."""
    raised: list[BaseException] = []
    nothing = acb("nan")
    with _held_signals() as came:

        def guarded(z: acb, analytic: bool) -> acb:
            if raised or came:
                return nothing
            try:
                return integrand(z, analytic)
            except BaseException as error:  # anything at all would be lost in the library
                raised.append(error)
                return nothing

        found = acb.integral(guarded, start, stop)
    if raised:
        raise raised[0]
    return found


@contextmanager
def _held_signals() -> Iterator[list[int]]:
    """Signals that arrive meanwhile; their own handlers are called at the end. Only the main thread handles signals."""
    came: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield came
        return

    def hold(number: int, frame: FrameType | None) -> None:
        came.append(number)

    handlers = {int(number): signal.getsignal(number) for number in signal.valid_signals()}
    own = {number: handler for number, handler in handlers.items() if callable(handler)}
    for number in own:
        signal.signal(number, hold)
    try:
        yield came
    finally:
        for number, handler in own.items():
            signal.signal(number, handler)
        for number in came:
            own[number](number, None)
