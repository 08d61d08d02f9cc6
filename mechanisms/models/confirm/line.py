"""Which line to take out of the slopes of a planned query: the one with the smallest expected certificate.

A query with a line needs less noise, but the release's moments must restore the line, with their own noise bounded for
all models. Which is better depends on the share of the budget and on the model. The choice uses only published numbers
and is made before the query. The certificate holds for all lines on one event, so estimates may decide here, and
nothing is certified.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import hypot, sqrt

from bounds.errors import NotApplicable
from mechanisms.models.confirm.prove import default_tau, expected_bound
from release.gradient.planned import GradientPlan, plan_gradient
from release.moments.planned import MomentPlan
from release.query.planned import QueryPlan

LINES = tuple(
    (Fraction(offset), Fraction(slope))
    for offset, slope in (
        (0, 0),
        (Fraction(1, 4), 0),
        (Fraction(1, 2), 0),
        (Fraction(1, 2), Fraction(1, 32)),
        (Fraction(1, 2), Fraction(1, 16)),
        (Fraction(1, 2), Fraction(1, 8)),
        (1, 1),
    )
)
"""Offset and slope: none, constants, and lines near the slope of the logistic loss; the last is that of the squared."""
TYPICAL = {"logistic": (0.5, 0.1), "hinge": (0.5, 0.1), "squared": (1.0, 1.0)}
"""The part of the slope of a loss that moments determine, roughly: a model trained on them carries its noise."""
MISSED = {"logistic": 4e-5, "hinge": 4e-5, "squared": 0.0}
"""Times the squared norm of a model: roughly how far its gradient on synthetic records is from the real one. Measured
for the logistic loss; for the squared loss the moments determine the gradient."""


@dataclass(frozen=True)
class PlannedLine:
    """A line, and the bound to expect with it, an estimate."""

    offset: Fraction
    slope: Fraction
    expected: Fraction


def rank_lines(
    release: MomentPlan,
    coefficients: Sequence[Fraction],
    *,
    failure: Fraction,
    along: Fraction,
    loss: str = "logistic",
    part: Fraction = Fraction(1),
    previous: QueryPlan | None = None,
    tau: Fraction | None = None,
    ridge: Fraction = Fraction(0),
    lines: Sequence[tuple[Fraction, Fraction]] = LINES,
    missed: float = 0.0,
) -> tuple[PlannedLine, ...]:
    """The lines that can be asked for with this model, the least expected bound first.

    Expected bounds are for comparing lines; they leave out what synthetic records miss, and mostly come out too small.
    `along` guesses minus the gradient in the direction of the model, such as the gradient's on synthetic points: the
    multiplier of training times the norm. `missed` guesses the norm of what synthetic records miss of the gradient.
    """
    found = []
    for offset, slope in lines:
        if (slope and loss == "hinge") or (slope == 1 and loss != "squared"):
            continue
        plan = plan_gradient(
            release,
            coefficients,
            loss=loss,
            offset=offset,
            slope=slope,
            part=part,
            previous=previous,
            seed=0 if release.is_simulated else None,
        )
        across = Fraction(hypot(_carried(plan, release), missed))
        expected = expected_bound(plan, release, failure=failure, along=along, across=across, tau=tau, ridge=ridge)
        found.append(PlannedLine(offset, slope, expected))
    if not found:
        raise NotApplicable("no line can be asked for with this model")
    return tuple(sorted(found, key=lambda line: line.expected))


def _carried(plan: GradientPlan, release: MomentPlan) -> float:
    """The size of the release's noise that a trained model carries in its gradient, whatever the line.

    A line takes some of it away again. Synthetic records miss about as much, which is not counted either.
    """
    offset, slope = TYPICAL[plan.loss]
    first = offset * float(release.noise_first)
    second = slope * float(default_tau(plan)) * float(release.noise_second) / sqrt(2)
    return sqrt(plan.feature_map.size * (first**2 + second**2))
