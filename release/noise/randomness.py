"""The source of the randomness of noise: the operating system in a release, a counted stream in a simulation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bounds.errors import UsageError
from bounds.exact import require_range
from release.noise.kinds import Mode, read_mode

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, kw_only=True)
class Randomness:
    """The operating system in release mode; else the stream of this seed, run and step, or a given one."""

    mode: Mode
    seed: int | None = None
    run: int = 0
    step: int = 0
    """Of a simulated run that draws more than once."""
    stream: np.random.Generator | None = None

    def __post_init__(self) -> None:
        if self.mode == "release" and (self.seed is not None or self.run or self.step or self.stream is not None):
            raise UsageError("seed is for --mode simulate: a release takes its randomness from the operating system")
        if self.mode == "simulate" and (self.seed is None) == (self.stream is None):
            raise UsageError("seed is missing: a simulation records its seed")
        if self.seed is not None:
            require_range("seed", self.seed, self.seed, least=0, below=2**128)
        require_range("run", self.run, self.run, least=0, below=2**64)
        require_range("step", self.step, self.step, least=0, below=2**64)

    @property
    def is_simulated(self) -> bool:
        return self.mode == "simulate"

    def at_step(self, step: int) -> Randomness:
        """For draws at this step of a run: in a simulation a separate stream, whatever came before."""
        return replace(self, step=step) if self.is_simulated else self


def read_randomness(
    mode: object, *, seed: int | None = None, run: int = 0, stream: np.random.Generator | None = None
) -> Randomness:
    """The randomness for a mode. A release takes no seed and no stream; a simulation needs one of them."""
    return Randomness(mode=read_mode(mode), seed=seed, run=run, stream=stream)
