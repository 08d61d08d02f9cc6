"""Where the randomness of noise comes from: the operating system in a release, a counted stream in a simulation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bounds.errors import UsageError
from bounds.exact import require_range
from release.noise.kinds import Mode, read_mode

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True, kw_only=True)
class Randomness:
    """The operating system in release mode; else the stream of that seed and run, or a stream that is at hand."""

    mode: Mode
    seed: int | None = None
    run: int = 0
    stream: np.random.Generator | None = None

    @property
    def is_simulated(self) -> bool:
        return self.mode == "simulate"


def read_randomness(
    mode: object, *, seed: int | None = None, run: int = 0, stream: np.random.Generator | None = None
) -> Randomness:
    """The randomness for a mode. A release takes no seed and no stream; a simulation needs one of them."""
    kind = read_mode(mode)
    if kind == "release" and (seed is not None or run != 0 or stream is not None):
        raise UsageError("seed is for --mode simulate: a release takes its randomness from the operating system")
    if kind == "simulate" and (seed is None) == (stream is None):
        raise UsageError("seed is missing: a simulation records its seed")
    if seed is not None:
        require_range("seed", seed, seed, least=0, below=2**128)
    require_range("run", run, run, least=0, below=2**64)
    return Randomness(mode=kind, seed=seed, run=run, stream=stream)
