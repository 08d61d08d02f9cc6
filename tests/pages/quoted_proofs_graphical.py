"""Numbers on the proof page about graphical estimates: the case in which the certified distance is sharp."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from tests.graphical_examples import TOTAL_OF_COINS, sharpness
from tests.pages.quoted import SETTING, Page, thousands


def _graphical_estimate() -> Iterator[str]:
    ratios = [ceil(sharpness(moved) * 10**5) / 10**5 for moved in (9_000, 2_000)]
    yield f"off by 9,000 of {thousands(int(TOTAL_OF_COINS) // 4)} records in each cell"
    yield f"is {ratios[0]:.5f} times the true one; off by 2,000, {ratios[1]:.5f} times."


PAGES = {"synthbounds.graphical-estimate": Page(_graphical_estimate, {SETTING: ("at $N=10^6$",)})}
