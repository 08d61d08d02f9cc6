"""Noise through contrasts at the size of real tables: CPU seconds from exact sums of queries to noisy answers.

`adult` has the levels of the 14 columns of the Adult table unchanged and all cells of up to two of them; the others are
queries of three attributes of two levels. Records are random, since nothing depends on them.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

from benchmarks.measure import main
from release.data.domain import Domain
from release.noise.choice import choose_noise
from release.noise.draw import draw
from release.noise.kinds import ContrastKind, Mode
from release.noise.lattice import lattice_sums
from release.noise.randomness import read_randomness
from release.statistics.contrasts import contrasts_for, ways_through
from release.statistics.families import FAMILIES
from release.statistics.family_sums import family_sums

RECORDS = 48_842
ADULT = (74, 9, 77, 16, 7, 15, 6, 5, 2, 23, 48, 96, 42, 2)
CASES = {
    "adult": ("cells", ADULT, 2),
    "cells_p20": ("cells", (2,) * 20, 3),
    "monomials_p40": ("monomials", (2,) * 40, 3),
}
KIND: ContrastKind = "contrast-gaussian"


def run(*, quick: bool) -> dict[str, Any]:
    modes: tuple[Mode, ...] = ("simulate",) if quick else ("simulate", "release")
    return {name: {mode: measured(*case, mode) for mode in modes} for name, case in CASES.items()}


def measured(name: str, sizes: tuple[int, ...], degree: int, mode: Mode) -> dict[str, Any]:
    """CPU seconds of every step, and the errors of the answers."""
    family = FAMILIES[name](Domain(sizes), degree)
    records = np.random.default_rng(1).integers(0, sizes, size=(RECORDS, len(sizes))).astype(np.uint8)
    sums = family_sums(family, records)
    clock = [time.process_time()]
    plan = choose_noise(
        family.facts, family.denominator, epsilon=1, dp_delta="1e-6", n=RECORDS, adjacency="replace-one", beta="0.05",
        mode=mode, mechanism=KIND, through=ways_through(family),
    )  # fmt: skip
    clock.append(time.process_time())
    contrasts = contrasts_for(family, KIND)
    assert contrasts is not None
    exact = lattice_sums(plan, contrasts.sums(sums, RECORDS), n=RECORDS)
    clock.append(time.process_time())
    noisy = draw(plan.noise, exact, read_randomness(mode, seed=1 if mode == "simulate" else None))
    clock.append(time.process_time())
    answers = contrasts.answers(noisy, one=plan.steps)
    clock.append(time.process_time())
    off = max(abs(float(a) - s / RECORDS / family.denominator) for a, s in zip(answers, sums, strict=True))
    steps = dict(zip(("plan", "contrasts", "noise", "answers"), np.diff(clock).round(2).tolist(), strict=True))
    return {
        "queries": family.count,
        "contrasts": plan.count,
        "cpu_s": steps | {"all": round(clock[-1] - clock[0], 2)},
        "quantile": round(float(plan.quantile), 6),
        "largest_error": round(off, 6),
    }


if __name__ == "__main__":
    sys.exit(main("contrasts", __doc__ or "", run))
