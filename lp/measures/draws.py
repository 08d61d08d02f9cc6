"""Random draws from an existing measure: exact draws by integer weights, and the source of the randomness.

For a private measure these draws are post-processing, so they need not be hidden or exact for privacy. They are exact
anyway: an index is drawn with probability weight / total, in integers. No noise is drawn here.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import ParameterError
from release.noise.kinds import read_mode
from release.noise.randomness import read_randomness

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_POINTS = 2**26
_MOST_TOTAL_BITS = 62


def draw_generator(*, simulated: bool, generator: np.random.Generator | None) -> np.random.Generator:
    """The stream from which reference points are drawn: the caller's in a simulation, else one nobody can predict."""
    if read_randomness("simulate" if simulated else "release", stream=generator).stream is not None:
        assert generator is not None
        return generator
    return np.random.Generator(np.random.Philox(np.random.SeedSequence()))  # 128 bits from the operating system


def require_mode(mode: str) -> bool:
    """Whether the mode is a simulation."""
    return read_mode(mode) == "simulate"


def require_points(m: int) -> None:
    if not 1 <= m <= MOST_POINTS:
        raise ParameterError("m", m, f"between 1 and {MOST_POINTS}", "reference points that are drawn")


def integer_weights(values: Sequence[int] | Sequence[float]) -> NDArray[np.int64]:
    """Weights in proportion to these values, none negative, whose total is below 2^62; all equal if all are zero.

    Integers stay unchanged if they fit; otherwise, and for floats, the weights keep the leading 62 bits of the total.
    That rounding is public and comes after the noise.
    """
    if isinstance(values[0], int):
        total = sum(int(value) for value in values)
        excess = max(0, total.bit_length() - _MOST_TOTAL_BITS)
        found = np.array([int(value) >> excess for value in values], dtype=np.int64)
    else:
        floats = np.asarray(values, dtype=np.float64)
        exponent = int(np.frexp(floats.sum())[1])
        found = np.floor(np.ldexp(floats, _MOST_TOTAL_BITS - 1 - exponent)).astype(np.int64)
    return found if found.any() else np.ones(len(values), dtype=np.int64)


def draw_indices(weights: NDArray[np.int64], m: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """m independent indices, each with probability weight / total, exactly."""
    ends = np.cumsum(weights, dtype=np.int64)
    found: NDArray[np.int64] = np.searchsorted(ends, generator.integers(ends[-1], size=m), side="right")
    return found


def draw_flags(probability: Fraction, m: int, generator: np.random.Generator) -> NDArray[np.bool_]:
    """m independent events of this probability, exactly."""
    return generator.integers(probability.denominator, size=m) < probability.numerator
