"""Noise through contrasts: not the answers get it, but integers of which the answers are exact combinations.

Cube noise goes to all contrasts alike. Gaussian noise has one deviation per table of contrasts and is continuous noise
rounded to integers, so that its privacy is that of the continuous noise, and the rounding affects an answer only by
that of a fine lattice. Only public numbers are used here. Proof: docs/proofs/synthbounds.lattice-noise.md, (i) to (k).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bounds.contrasts import ContrastFacts
from bounds.exact import root_at_least
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.gaussian import analytic_gaussian
from bounds.privacy.sensitivity import Sensitivity
from release.noise.kinds import CONTRAST_KINDS, ContrastKind, Mode, NoisePlan, deviations
from release.noise.lattice import finest, hidden_in
from release.noise.quantiles import largest_combination, largest_noise

_DIGITS = 15
_LEAST_DEVIATION = 2**10
"""Of the noise of an answer in lattice steps: rounding is small in comparison."""


@dataclass(frozen=True, kw_only=True)
class Through:
    """Contrasts of `answers` queries, and what noise needs to know about them."""

    mechanism: ContrastKind
    denominator: int
    """Contrasts are integers over it."""
    blocks: tuple[tuple[int, Fraction], ...]
    """The number of contrasts, and the relative variance of the noise on each of them; block after block."""
    facts: ContrastFacts
    answers: int
    parts: int
    """An answer is a whole number of such parts of a lattice step."""
    is_exact: bool
    """Whether every combination is one, or must be rounded to one."""

    @property
    def count(self) -> int:
        return sum(count for count, _ in self.blocks)


def plan_through(
    way: Through,
    *,
    epsilon: Fraction,
    dp_delta: Fraction | None,
    size: int,
    adjacency: Adjacency,
    beta: Fraction,
    mode: Mode,
) -> NoisePlan:
    """The plan for noise on these contrasts; the certified quantile is that of the largest error of an answer."""
    if CONTRAST_KINDS[way.mechanism] == "linf":
        dp_delta = None
        sensitivity, refinement = _widest(way, size, adjacency)
        scale = sensitivity.amount / epsilon
        noise = largest_noise("linf", mode, count=way.count, scale=scale, beta=beta)
        steps = way.facts.gain * (noise + _rounding(adjacency))
    else:
        assert dp_delta is not None
        calibration = analytic_gaussian(epsilon=epsilon, dp_delta=dp_delta, adjacency=adjacency, digits=_DIGITS)
        sensitivity, refinement = _farthest(way, size, adjacency, calibration.safe_ratio)
        scale = calibration.safe_sigma(sensitivity, digits=_DIGITS)
        pairs = zip(way.blocks, deviations(way.blocks, scale), strict=True)
        variance = way.facts.spread * max(sd**2 / weight for (_, weight), sd in pairs)
        # An answer moves by less than rounding moves every contrast.
        steps = largest_combination(variance, count=way.answers, beta=beta) + Fraction(1, 2) + _rounding(adjacency)
    unit = Fraction(1, size * way.denominator * refinement)
    return NoisePlan(
        mechanism=way.mechanism,
        mode=mode,
        epsilon=epsilon,
        dp_delta=dp_delta,
        adjacency=adjacency,
        sensitivity=sensitivity,
        scale=scale,
        count=way.count,
        size=size,
        denominator=way.denominator,
        refinement=refinement,
        beta=beta,
        quantile=(steps + (0 if way.is_exact else Fraction(1, 2 * way.parts))) * unit,
        alternatives=(),
        blocks=way.blocks,
        parts=way.parts,
    )


def _rounding(adjacency: Adjacency) -> Fraction:
    """How far the lattice moves a contrast before its noise."""
    return Fraction(1, 2) if adjacency is Adjacency.ADD_REMOVE else Fraction(0)


def _widest(way: Through, size: int, adjacency: Adjacency) -> tuple[Sensitivity, int]:
    """How far one record moves one contrast, in steps of the lattice, and the refinement of it."""
    hidden = adjacency is Adjacency.ADD_REMOVE
    refinement = finest(size) if hidden else 1
    amount = Fraction(way.facts.width * way.denominator * refinement)
    return Sensitivity(norm="sup", amount=amount, adjacency=adjacency, n_is_public=not hidden), refinement


def _farthest(way: Through, size: int, adjacency: Adjacency, ratio: Fraction) -> tuple[Sensitivity, int]:
    """How far one record moves all contrasts, each divided by its relative deviation, and the refinement."""
    hidden = adjacency is Adjacency.ADD_REMOVE
    plain, facts = way.facts.moved * way.denominator**2, way.facts
    rounded = sum(count / weight for count, weight in way.blocks)
    refinement = 1
    while plain * refinement**2 * facts.spread * ratio**2 < _LEAST_DEVIATION**2 or (
        hidden and plain * refinement**2 < 4 * finest(size) ** 2 * rounded
    ):
        refinement *= 2
    amount = plain * refinement**2
    if hidden:
        less = hidden_in(amount, size)
        amount = max(amount, less + rounded + 2 * root_at_least(less * rounded))
    return Sensitivity(norm="L2", amount=amount, adjacency=adjacency, n_is_public=not hidden), refinement
