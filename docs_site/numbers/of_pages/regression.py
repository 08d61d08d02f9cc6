"""Private regression: means of recorded runs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mechanisms.regression.surrogate import find_surrogate
from paper_figures._ddssp2024_runs import SHOWN, curve, real_score
from verify.regression_tables import NAMES

SCORED = ("ssp-edge", "objpert", "dp-sgd", "adassp", "adassp-printed", "objpert-printed", "dd-ssp", "aim-synth")
BUDGETS = (0.1, 1.0)


def scores() -> list[Any]:
    """At two budgets, a method a row, with a dash where there were no runs; then least squares without noise."""
    rows = [(SHOWN[method], [_at(method, name, epsilon) for name in NAMES for epsilon in BUDGETS]) for method in SCORED]
    return [*rows, ("no noise", [(real_score(name), real_score(name)) for name in NAMES])]


def _at(method: str, table: str, epsilon: float) -> Any:
    points = curve(method, table)
    return points["mean_est"][points["epsilon"].index(epsilon)] if epsilon in points["epsilon"] else "-"


def concave_to(degree: int) -> Fraction:
    """Cut after three digits."""
    end = find_surrogate("logistic", degree=degree, tau=Fraction(1)).concave_to
    assert end is not None
    return Fraction(int(end * 1000), 1000)
