"""Rigorous quadrature passes on exceptions from inside the integrand."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading

import pytest
from flint import acb, arb

from bounds.enclosure import Undecided
from bounds.quadrature import integral


def test_it_encloses_an_integral() -> None:
    found = integral(lambda z, _: z * z, acb(0), acb(3)).real
    assert found.contains(9)
    assert found.rad() < arb(10) ** -10


@pytest.mark.parametrize("error", [Undecided(), KeyboardInterrupt(), ValueError("no")])
def test_what_the_integrand_raises_is_raised(error: BaseException) -> None:
    calls = 0

    def integrand(z: acb, analytic: bool) -> acb:
        nonlocal calls
        calls += 1
        if calls == 5:
            raise error
        return z.exp()

    with pytest.raises(type(error)) as caught:
        integral(integrand, acb(0), acb(3))
    assert caught.value is error
    assert calls == 5


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGALRM])
def test_a_signal_waits_until_the_library_has_returned(number: signal.Signals) -> None:
    class Stop(Exception):
        pass

    def stop(*_: object) -> None:
        raise Stop

    calls = 0

    def integrand(z: acb, analytic: bool) -> acb:
        nonlocal calls
        calls += 1
        if calls == 3:
            signal.raise_signal(number)
        return z.exp()

    before = signal.signal(number, stop)
    try:
        with pytest.raises(Stop):
            integral(integrand, acb(0), acb(3))
        assert signal.getsignal(number) is stop
    finally:
        signal.signal(number, before)
    assert calls == 3


def test_other_threads_integrate_too() -> None:
    found: list[acb] = []
    thread = threading.Thread(target=lambda: found.append(integral(lambda z, _: z, acb(0), acb(2))))
    thread.start()
    thread.join()
    assert found[0].real.contains(2)


def test_an_interrupted_command_says_so() -> None:
    """The interrupt comes from within, at a point that does not depend on the clock."""
    program = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background process may have been told to ignore it
import bounds.approximation.balls as balls
whole = balls.ComplexFunction.__call__
calls = 0
def counted(self, z, analytic):
    global calls
    calls += 1
    if calls == 40:
        signal.raise_signal(signal.SIGINT)
    return whole(self, z, analytic)
balls.ComplexFunction.__call__ = counted
from synthbounds.cli.run import run
sys.exit(run(["approx", "--function", "cosh(tanh(x))", "--interval=-2,2", "--degree", "8", "--method", "chebyshev"]))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 130, done.stderr
    assert "Traceback" not in done.stderr
    assert "bug" not in done.stderr
