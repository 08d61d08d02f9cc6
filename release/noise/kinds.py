"""What a noise is: its kind, its scale, what it protects and how large it gets; and answers that carry it.

Only descriptions live here. Everything is in steps of the lattice: answers are integers over size * denominator *
refinement (see release.noise.lattice), and `unit` brings steps to the scale of the answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias, get_args

from bounds.errors import ParameterError
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.statements import DP

Mechanism: TypeAlias = Literal["laplace", "linf", "gaussian"]
Mode: TypeAlias = Literal["release", "simulate"]
Norm: TypeAlias = Literal["L1", "L2", "sup"]

MECHANISMS: tuple[Mechanism, ...] = get_args(Mechanism)
NOT_A_RELEASE = "NOT A RELEASE: the noise of a simulation comes from numpy and does not protect anybody"
NORM_OF: dict[Mechanism, Norm] = {"laplace": "L1", "linf": "sup", "gaussian": "L2"}


@dataclass(frozen=True, kw_only=True)
class LatticeSensitivity:
    """How far one record moves the integer vector: `amount` is the distance itself, in L2 its square."""

    norm: Norm
    amount: int
    adjacency: Adjacency


@dataclass(frozen=True, kw_only=True)
class Alternative:
    """A mechanism that was compared, and the certified quantile of its largest noise on the scale of the answers."""

    mechanism: Mechanism
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

    mechanism: Mechanism
    mode: Mode
    epsilon: Fraction
    dp_delta: Fraction | None
    adjacency: Adjacency
    sensitivity: LatticeSensitivity
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


@dataclass(frozen=True, kw_only=True)
class NoisyAnswers:
    """Noisy answers as numbers of lattice steps: integers in a release, floats in a simulation.

    `spent` is what the release costs; a simulation is not private, so there it is None.
    """

    noisy: tuple[int, ...] | tuple[float, ...]
    plan: NoisePlan
    simulated: bool
    spent: DP | None

    @property
    def answers(self) -> tuple[Fraction, ...]:
        """The noisy answers, exactly."""
        steps = self.plan.steps
        return tuple(Fraction(value) / steps for value in self.noisy)


def read_mode(value: object) -> Mode:
    """The mode from its name."""
    if value == "release":
        return "release"
    if value == "simulate":
        return "simulate"
    raise ParameterError("mode", value, "release or simulate")
