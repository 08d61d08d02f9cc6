"""Descriptions of noise: its kind, its scale, what it protects, its cost and its size.

Only descriptions live here. Everything is in steps of the lattice: answers are integers over size * denominator *
refinement (see release.noise.lattice), and `unit` brings steps to the scale of the answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal, TypeAlias, get_args

from bounds.enclosure import Enclosure
from bounds.errors import ParameterError
from bounds.exact import root_at_least
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.concentrated import zcdp_epsilon
from bounds.privacy.sensitivity import Norm, Sensitivity, require_norm
from bounds.privacy.statements import DP, ZCDP, GaussianDP, Statement

LatticeKind: TypeAlias = Literal["laplace", "linf", "gaussian"]
ContrastKind: TypeAlias = Literal["contrast-linf", "contrast-gaussian"]
PlanKind: TypeAlias = LatticeKind | ContrastKind
NoiseKind: TypeAlias = LatticeKind | Literal["rounded-gaussian"]
Mode: TypeAlias = Literal["release", "simulate"]

LATTICE_KINDS: tuple[LatticeKind, ...] = get_args(LatticeKind)
CONTRAST_KINDS: dict[ContrastKind, NoiseKind] = {"contrast-linf": "linf", "contrast-gaussian": "rounded-gaussian"}
"""Plans that add noise to contrasts of the queries, and the noise that these get."""
PLAN_KINDS: tuple[PlanKind, ...] = (*LATTICE_KINDS, *CONTRAST_KINDS)
NOT_A_RELEASE = "NOT A RELEASE: the noise of a simulation comes from numpy and does not protect anybody"
NORM_OF: dict[LatticeKind, Norm] = {"laplace": "L1", "linf": "sup", "gaussian": "L2"}


@dataclass(frozen=True, kw_only=True)
class Noise:
    """Noise on a vector of integers: `scales` is one for all of them, or one for each.

    Laplace and l_inf noise have the scale b, Gaussian noise its standard deviation: discrete in `gaussian`, continuous
    and then rounded in `rounded-gaussian`. `cost` is its promise for this sensitivity, proved where the scale was
    chosen; a simulation has the cost of the release that it stands for.
    """

    kind: NoiseKind
    scales: Fraction | tuple[Fraction, ...]
    count: int
    sensitivity: Sensitivity
    cost: Statement
    mode: Mode
    """Scales for exact samplers are rounded up, and discrete Gaussian noise is larger than what it stands for."""
    adds_up_as: Statement | None = None
    """Its cost when releases add up, if that is more than the stated cost."""

    @property
    def additive_cost(self) -> Statement:
        """Its cost when releases add up: discrete Gaussian noise has a rho, from which its cost was computed."""
        if self.adds_up_as is not None:
            return self.adds_up_as
        if self.kind != "gaussian" or isinstance(self.scales, tuple):
            return self.cost
        return gaussian_rho(self.sensitivity, self.scales)


def gaussian_rho(sensitivity: Sensitivity, sd: Fraction) -> ZCDP:
    """Gaussian noise on integers, discrete or not, is rho-zCDP with rho = (L2 sensitivity)^2 / (2 sd^2), exactly."""
    squared = require_norm(sensitivity, "L2").amount
    return ZCDP(rho=Enclosure.of(squared / (2 * sd**2)), adjacency=sensitivity.adjacency)


@dataclass(frozen=True, kw_only=True)
class Alternative:
    """A mechanism that was compared, and the certified quantile of the largest error of an answer."""

    mechanism: PlanKind
    scale: Fraction
    quantile: Fraction


@dataclass(frozen=True, kw_only=True)
class NoisePlan:
    """Noise on `count` integer sums, the answers' or those of contrasts, from which the answers are computed: enough
    for (epsilon, dp_delta) under the adjacency; dp_delta is None if pure.

    `size` is the public number of records under replace-one, and a public least number under add-remove, where the
    number itself stays hidden. `scale` is in lattice steps: b of Laplace and l_inf noise, the standard deviation of
    Gaussian noise before it is made discrete. Except with probability `beta`, no answer is off by more than `quantile`;
    under add-remove this supposes that there are at least `size` records.
    """

    mechanism: PlanKind
    mode: Mode
    epsilon: Fraction
    dp_delta: Fraction | None
    adjacency: Adjacency
    sensitivity: Sensitivity
    scale: Fraction
    count: int
    size: int
    denominator: int
    refinement: int
    beta: Fraction
    quantile: Fraction
    alternatives: tuple[Alternative, ...]
    """Every mechanism that was allowed, the chosen one included."""
    blocks: tuple[tuple[int, Fraction], ...] = ()
    """Through contrasts: how many get noise of which relative variance; empty if the answers get it."""
    parts: int = 1
    """Answers are whole numbers of such parts of a lattice step."""

    @property
    def is_through_contrasts(self) -> bool:
        return bool(self.blocks)

    @property
    def n_is_public(self) -> bool:
        return self.adjacency is Adjacency.REPLACE_ONE

    @property
    def steps(self) -> int:
        """How many lattice steps make 1 on the scale of the answers."""
        return self.size * self.denominator * self.refinement

    @property
    def unit(self) -> Fraction:
        """One lattice step on the scale of the answers."""
        return Fraction(1, self.steps)

    @property
    def total(self) -> DP:
        """What was asked for: the budget that pays for the noise."""
        return DP(epsilon=Enclosure.of(self.epsilon), delta=Enclosure.of(self.dp_delta or 0), adjacency=self.adjacency)

    @cached_property
    def cost(self) -> DP:
        """The cost of the noise, never more than was asked for; in a simulation, of the noise that it stands for."""
        if self.mode == "simulate" or self.mechanism == "contrast-gaussian":
            return self.total
        if self.dp_delta is None:
            epsilon = Enclosure.of(self.sensitivity.amount / self.scale)
            return DP(epsilon=epsilon, delta=Enclosure.of(0), adjacency=self.adjacency)
        return zcdp_epsilon(gaussian_rho(self.sensitivity, self.scale), dp_delta=self.dp_delta)

    @property
    def noise(self) -> Noise:
        scales: Fraction | tuple[Fraction, ...] = self.scale
        adds_up_as = None
        if self.mechanism == "contrast-gaussian":
            each = zip(self.blocks, deviations(self.blocks, self.scale), strict=True)
            scales = tuple(sd for (count, _), sd in each for _ in range(count))
            adds_up_as = GaussianDP(mu_squared=self.sensitivity.squared / self.scale**2, adjacency=self.adjacency)
        return Noise(
            kind=CONTRAST_KINDS.get(self.mechanism, self.mechanism),  # type: ignore[arg-type]
            scales=scales,
            count=self.count,
            sensitivity=self.sensitivity,
            cost=self.cost,
            mode=self.mode,
            adds_up_as=adds_up_as,
        )


def deviations(blocks: Sequence[tuple[int, Fraction]], scale: Fraction) -> list[Fraction]:
    """The standard deviation of every block whose relative variance is given, rounded up."""
    known = {weight: root_at_least(weight * scale**2) for weight in {weight for _, weight in blocks}}
    return [known[weight] for _, weight in blocks]


def read_mode(value: object) -> Mode:
    """The mode from its name."""
    if value == "release":
        return "release"
    if value == "simulate":
        return "simulate"
    raise ParameterError("mode", value, "release or simulate")
