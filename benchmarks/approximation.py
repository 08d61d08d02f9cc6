"""Minimax polynomials of log(1 + e^x): ours, certified, against Sollya, baryrat, mpmath and an LP, in one run.

In CPU seconds. Every competitor gets the same function, interval and degree; the error of its polynomial is then
measured on a grid in high precision and compared with the certified least error. Competitors that are not installed are
skipped with a message.
"""

from __future__ import annotations

import resource
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import synthbounds as sb
from benchmarks.measure import main

DEGREE, LEFT, RIGHT = 20, -5, 5
TABLE_INTERVALS = ("-1,1", "-5,5", "-20,20")
SOLLYA = "prec=165;{};quit;"
REMEZ = "remez(log(1+exp(x)),{degree},[{left};{right}])"


def run(*, quick: bool) -> dict[str, Any]:
    repeats = 5 if quick else 25
    answer = _ours()
    ours, sollya = _side_by_side(repeats)
    least = answer.minimax_error
    assert least is not None
    result: dict[str, Any] = {
        "softplus20_cpu_s": round(ours, 5),
        "softplus20_error": least.decimal(20)[1],
        "softplus20_relative_width": f"{float((least.hi - least.lo) / least.hi):.1e}",
        "softplus20_certificate_check_cpu_s": round(_median_cpu(lambda: _checked(answer), 3), 4),
    }
    if sollya is None:
        result["sollya"] = "not run: sollya is not installed (Debian package sollya)"
    result["sollya_remez20_cpu_s"] = None if sollya is None else round(sollya, 4)
    result["ratio_to_sollya"] = None if sollya is None else round(ours / sollya, 4)
    result["table_cpu_s"] = round(_table(), 3)
    for name, compete in (("baryrat", _baryrat), ("mpmath_chebyfit", _chebyfit), ("highs_lp", _highs)):
        for degree in (DEGREE,) if quick else (8, 9, DEGREE, 40):
            result[f"{name}_degree_{degree}"] = _compared(compete, degree)
    result["within_target"] = result["table_cpu_s"] <= 3 and (sollya is None or ours <= sollya / 10)
    return result


def _median_cpu(action: Callable[[], Any], repeats: int) -> float:
    samples = []
    for _ in range(repeats):
        start = time.process_time()
        action()
        samples.append(time.process_time() - start)
    return statistics.median(samples)


def _checked(answer: Any) -> None:
    if not sb.check_certificate(sb.certificate(answer)):
        raise AssertionError("the checker must accept our own certificate")


def _table() -> float:
    """The whole table of degrees 2 to 40 on three intervals, every entry certified."""
    start = time.process_time()
    for interval in TABLE_INTERVALS:
        for degree in range(2, 41):
            sb.approximate("softplus", interval=interval, degree=degree)
    return time.process_time() - start


def _ours() -> Any:
    return sb.approximate("softplus", interval=f"{LEFT},{RIGHT}", degree=DEGREE)


def _side_by_side(repeats: int) -> tuple[float, float | None]:
    """Medians of both, measured in turns so that a busy machine slows both down; Sollya without its start-up."""
    program = shutil.which("sollya")
    remez = REMEZ.format(degree=DEGREE, left=LEFT, right=RIGHT)
    ours, theirs = [], []
    for _ in range(repeats):
        ours.append(_median_cpu(_ours, 3))
        if program is not None:
            theirs.append(_child(program, remez) - _child(program, "1+1"))
    return statistics.median(ours), statistics.median(theirs) if theirs else None


def _child(program: str, command: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([program], input=SOLLYA.format(command), text=True, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _compared(compete: Callable[[int], Callable[[Any], Any]], degree: int) -> dict[str, Any] | str:
    """The time, and how much the largest error on a grid exceeds the least possible one."""
    try:
        start = time.process_time()
        polynomial = compete(degree)
        seconds = time.process_time() - start
        error = _error_on_a_grid(polynomial)
    except ImportError as missing:
        return f"not run: {missing.name} is not installed"
    except Exception as failure:
        return f"failed: {type(failure).__name__}: {str(failure)[:80]}"
    least = sb.approximate("softplus", interval=f"{LEFT},{RIGHT}", degree=degree).minimax_error
    assert least is not None
    excess = error / float(least.hi) - 1
    return {"cpu_s": round(seconds, 4), "excess_over_least_error": f"{excess:.2e}", "certified": False}


def _error_on_a_grid(polynomial: Callable[[Any], Any]) -> float:
    import mpmath

    with mpmath.workdps(40):
        xs = [LEFT + (RIGHT - LEFT) * mpmath.mpf(k) / 3000 for k in range(3001)]
        return float(max(abs(mpmath.log(1 + mpmath.exp(x)) - polynomial(x)) for x in xs))


def _baryrat(degree: int) -> Callable[[Any], Any]:
    import baryrat

    rational = baryrat.brasil(lambda x: np.logaddexp(0, x), (LEFT, RIGHT), (degree, 0), info=False)
    return lambda x: float(rational(np.array([float(x)]))[0])


def _chebyfit(degree: int) -> Callable[[Any], Any]:
    import mpmath

    with mpmath.workdps(30):
        coefficients = mpmath.chebyfit(lambda x: mpmath.log(1 + mpmath.exp(x)), [LEFT, RIGHT], degree + 1)
    return lambda x: mpmath.polyval(coefficients, x)


def _highs(degree: int) -> Callable[[Any], Any]:
    """The minimax error on a Chebyshev grid, as a linear programme in the Chebyshev basis."""
    from scipy.optimize import linprog

    z = np.cos(np.pi * (np.arange(20 * degree) + 0.5) / (20 * degree))
    x = (LEFT + RIGHT) / 2 + (RIGHT - LEFT) / 2 * z
    values, table = np.logaddexp(0, x), np.polynomial.chebyshev.chebvander(z, degree)
    ones = np.ones((len(z), 1))
    rows = np.vstack([np.hstack([table, -ones]), np.hstack([-table, -ones])])
    found = linprog(
        [0] * (degree + 1) + [1],
        A_ub=rows,
        b_ub=np.concatenate([values, -values]),
        bounds=[(None, None)] * (degree + 2),
        method="highs",
    )
    series = np.polynomial.chebyshev.Chebyshev(found.x[:-1], domain=[LEFT, RIGHT])
    return lambda x: float(series(float(x)))


if __name__ == "__main__":
    sys.exit(main("approximation", __doc__ or "", run))
