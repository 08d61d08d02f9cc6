"""Signals wait while they must not disturb: each is delivered afterwards, once, to its handler, and none is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from release.signals import SIGNALS, undisturbed
from tests.paths import ROOT

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="these signals are not here")


@pytest.fixture
def heard() -> Iterator[list[int]]:
    """Handlers that write down what they hear; the real ones come back."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    told: list[int] = []
    for number in SIGNALS:
        signal.signal(number, lambda number, _: told.append(number))
    yield told
    for number, handler in before.items():
        signal.signal(number, handler)


def handlers() -> list[Any]:
    return [signal.getsignal(number) for number in SIGNALS]


def test_each_is_told_once_and_in_its_order(heard: list[int]) -> None:
    before = handlers()
    with undisturbed():
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGTERM, signal.SIGINT):
            signal.raise_signal(number)
        assert not heard
    assert heard == [signal.SIGTERM, signal.SIGHUP, signal.SIGINT]
    assert handlers() == before


def test_the_usual_handler_waits_until_the_outermost_is_left(heard: list[int]) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    reached = []

    @undisturbed()
    def work() -> None:
        with undisturbed():
            signal.raise_signal(signal.SIGINT)
        reached.append("inner")
        with undisturbed():
            reached.append("next")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert reached == ["inner", "next"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_where_all_raise_all_are_told(heard: list[int]) -> None:
    def stop(number: int, _: object) -> None:
        heard.append(number)
        raise KeyboardInterrupt

    for number in SIGNALS:
        signal.signal(number, stop)
    with pytest.raises(KeyboardInterrupt), undisturbed():
        all(signal.raise_signal(number) is None for number in SIGNALS)
    assert heard == list(SIGNALS)
    assert handlers() == [stop] * len(SIGNALS)


def test_after_a_failure_it_is_told_all_the_same(heard: list[int]) -> None:
    before = handlers()

    @undisturbed()
    def work() -> None:
        signal.raise_signal(signal.SIGHUP)
        raise OSError("full")

    with pytest.raises(OSError, match="full"):
        work()
    assert heard == [signal.SIGHUP]
    assert handlers() == before


def test_what_comes_while_handlers_are_put_back_is_told(heard: list[int]) -> None:
    before = handlers()
    with undisturbed():
        waiting = signal.getsignal(signal.SIGTERM)
    assert callable(waiting)
    signal.signal(signal.SIGTERM, waiting)  # as if an exception had kept it from being put back
    signal.raise_signal(signal.SIGTERM)
    assert heard == [signal.SIGTERM]
    assert handlers() == before


def test_what_is_ignored_stays_ignored(heard: list[int]) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with undisturbed():
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        signal.raise_signal(signal.SIGHUP)
    assert not heard


def test_other_threads_and_simulations_change_no_handler(heard: list[int]) -> None:
    before, inside = handlers(), []

    def work() -> None:
        with undisturbed():
            inside.append(handlers())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    with undisturbed(False):
        inside.append(handlers())
        signal.raise_signal(signal.SIGTERM)
        assert heard == [signal.SIGTERM]
    assert inside == [before, before]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_process_without_handlers_ends_afterwards(number: int) -> None:
    code = f"""
import signal
from release.signals import SIGNALS, undisturbed
for each in SIGNALS:
    signal.signal(each, signal.SIG_DFL)
with undisturbed():
    signal.raise_signal({int(number)})
    print("kept", flush=True)
print("not ended")
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (-number, "kept\n")
