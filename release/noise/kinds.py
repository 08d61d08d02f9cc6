"""What a noise is: its kind, its scale, what it protects, what it costs and how large it gets.

Only descriptions live here. Everything is in steps of the lattice: answers are integers over size * denominator *
refinement (see release.noise.lattice), and `unit` brings steps to the scale of the answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal, TypeAlias, get_args

from bounds.enclosure import Enclosure
from bounds.errors import ParameterError
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.concentrated import zcdp_epsilon
from bounds.privacy.sensitivity import Norm, Sensitivity, require_norm
from bounds.privacy.statements import DP, ZCDP, Statement

LatticeKind: TypeAlias = Literal["laplace", "linf", "gaussian"]
NoiseKind: TypeAlias = LatticeKind | Literal["rounded-gaussian"]
Mode: TypeAlias = Literal["release", "simulate"]

LATTICE_KINDS: tuple[LatticeKind, ...] = get_args(LatticeKind)
NOT_A_RELEASE = "NOT A RELEASE: the noise of a simulation comes from numpy and does not protect anybody"
NORM_OF: dict[LatticeKind, Norm] = {"laplace": "L1", "linf": "sup", "gaussian": "L2"}


@dataclass(frozen=True, kw_only=True)
class Noise:
    """Noise on a vector of integers: `scales` is one for all of them, or one for each.

    Laplace and l_inf noise have the scale b, Gaussian noise its standard deviation: discrete in `gaussian`, continuous
    and then rounded in `rounded-gaussian`. `cost` is what it promises for that sensitivity, proved where the scale was
    chosen; a simulation has the cost of the release that it stands for.
    """

    kind: NoiseKind
    scales: Fraction | tuple[Fraction, ...]
    count: int
    sensitivity: Sensitivity
    cost: Statement
    mode: Mode
    """Scales for exact samplers are rounded up, and discrete Gaussian noise is larger than what it stands for."""

    @property
    def additive_cost(self) -> Statement:
        """What it costs where releases add up: discrete Gaussian noise has a rho, from which its cost was computed."""
        if self.kind != "gaussian" or isinstance(self.scales, tuple):
            return self.cost
        return gaussian_rho(self.sensitivity, self.scales)


def gaussian_rho(sensitivity: Sensitivity, sd: Fraction) -> ZCDP:
    """Gaussian noise on integers, discrete or not, is rho-zCDP with rho = (L2 sensitivity)^2 / (2 sd^2), exactly."""
    squared = require_norm(sensitivity, "L2").amount
    return ZCDP(rho=Enclosure.of(squared / (2 * sd**2)), adjacency=sensitivity.adjacency)


@dataclass(frozen=True, kw_only=True)
class Alternative:
    """A mechanism that was compared, and the certified quantile of its largest noise on the scale of the answers."""

    mechanism: LatticeKind
    scale: Fraction
    quantile: Fraction


@dataclass(frozen=True, kw_only=True)
class NoisePlan:
    """Noise on `count` integer sums: enough for (epsilon, dp_delta) under the adjacency; dp_delta is None if pure.

    `size` is the public number of records under replace-one, and a public least number under add-remove, where the
    number itself stays hidden. `scale` is in lattice steps: b of Laplace and l_inf noise, the standard deviation of
    Gaussian noise before it is made discrete. Except with probability `beta`, no answer is off by more than `quantile`;
    under add-remove this supposes that there are at least `size` records.
    """

    mechanism: LatticeKind
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
        """What was asked for: the budget out of which the noise is paid."""
        return DP(epsilon=Enclosure.of(self.epsilon), delta=Enclosure.of(self.dp_delta or 0), adjacency=self.adjacency)

    @cached_property
    def cost(self) -> DP:
        """What the noise costs, never more than was asked for; in a simulation, what it stands for."""
        if self.mode == "simulate":
            return self.total
        if self.dp_delta is None:
            epsilon = Enclosure.of(self.sensitivity.amount / self.scale)
            return DP(epsilon=epsilon, delta=Enclosure.of(0), adjacency=self.adjacency)
        return zcdp_epsilon(gaussian_rho(self.sensitivity, self.scale), dp_delta=self.dp_delta)

    @property
    def noise(self) -> Noise:
        return Noise(
            kind=self.mechanism,
            scales=self.scale,
            count=self.count,
            sensitivity=self.sensitivity,
            cost=self.cost,
            mode=self.mode,
        )


def read_mode(value: object) -> Mode:
    """The mode from its name."""
    if value == "release":
        return "release"
    if value == "simulate":
        return "simulate"
    raise ParameterError("mode", value, "release or simulate")
