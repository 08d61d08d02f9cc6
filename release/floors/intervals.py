"""What a release of floors says: an interval for every floor and the least loss of a constant, simultaneously.

A tenth of beta is for the counts of labels. Noise on floors is independent, so the quantile of its maximum, which is
Sidak's, serves all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bounds.certify.noisy_scores import LabelSizes, difference, label_sizes, noise_reach, sum_of
from bounds.certify.verdict import constant_risk
from bounds.enclosure import Enclosure
from bounds.exact import require_range
from release.floors.file import FloorRelease

LABEL_PART = Fraction(1, 10)
"""Of beta, for the counts of labels."""


@dataclass(frozen=True, kw_only=True)
class Floor:
    """The least mean loss of linear models of norm at most tau."""

    tau: Fraction
    mean: Enclosure


@dataclass(frozen=True, kw_only=True)
class Floors:
    """All of it is true at once, except with probability beta."""

    beta: Fraction
    label_failure: Fraction
    """The part of beta for the counts of labels; the rest is for the floors."""
    floors: tuple[Floor, ...]
    sizes: LabelSizes
    constant_lo: Fraction
    """No constant score has a smaller mean loss."""


def floor_intervals(release: FloorRelease, beta: Fraction) -> Floors:
    """Intervals of all floors; under add-remove the noisy counts bound the number of records from above."""
    require_range("beta", beta, beta, above=0, below=1, reason="a probability")
    label_failure = beta * LABEL_PART
    sizes = label_sizes(
        release.answers[-1],
        deviation=release.questions.deviations(release.own_cost)[-1],
        failure=label_failure,
        adjacency=release.adjacency,
        stated_size=release.stated_size,
    )
    totals = floor_sums(release, beta - label_failure)
    found = tuple(Floor(tau=tau, mean=least_mean(total, sizes)) for tau, total in totals)
    constant = constant_risk(release.loss, sizes.mean_label_ub)
    assert constant is not None
    return Floors(beta=beta, label_failure=label_failure, floors=found, sizes=sizes, constant_lo=constant)


def floor_sums(release: FloorRelease, failure: Fraction) -> list[tuple[Fraction, Enclosure]]:
    """The norm and the least sum of losses of every floor, all at once except with this probability."""
    *answers, _ = release.answers
    *deviations, _ = release.questions.deviations(release.own_cost)
    found = []
    for tau, floor, (answer,), deviation in zip(release.taus, release.floors, answers, deviations, strict=True):
        reach = noise_reach(deviation, failure, len(release.taus)) + Fraction(1, 2)
        found.append((tau, sum_of(answer, reach=reach, above=floor.gap, unit=floor.unit)))
    return found


def least_mean(total: Enclosure, sizes: LabelSizes) -> Enclosure:
    """Over the number of records; no loss is negative."""
    found = difference(total, Enclosure.of(0), sizes.size)
    return Enclosure(max(found.lo, Fraction(0)), max(found.hi, Fraction(0)))
