"""Numbers on the proof pages about private regression."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from mpmath import log, mp, sqrt

from bounds.privacy.gaussian import analytic_gaussian
from release.statistics.statistic import RECORD_STEPS
from tests.pages.quoted import Page

DELTA = Fraction(1, 10**5)


def _adassp() -> Iterator[str]:
    needed = analytic_gaussian(epsilon=1, dp_delta=DELTA, adjacency="add-remove").ratio.lo
    with mp.workdps(20):
        one_budget = sqrt(3) * needed.numerator / needed.denominator
        printed = 3 * sqrt(log(6 * 10**5))
        yield rf"$\frac{{\sqrt3}}\mu={mp.nstr(one_budget, 9)}$; the deviations of Algorithm 5"
        yield f"as printed are {mp.nstr(printed, 9)} times the sensitivities"
    yield f"with $N={RECORD_STEPS}$"


PAGES = {"synthbounds.adassp": Page(_adassp, {"setting": (r"At $\varepsilon=1$ and $\delta=0.00001$",)})}
