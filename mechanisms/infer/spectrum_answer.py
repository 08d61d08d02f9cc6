"""What a release says about principal components, as it is shown; nothing is computed here."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias, get_args

from bounds.inference.spectrum import Classical
from bounds.shown import Shown
from mechanisms.infer.findings import Interval

SpectrumOf: TypeAlias = Literal["moments", "covariance"]
"""Second moments of all features with the intercept, or the covariance matrix of the features without it."""
SPECTRUM_OF: tuple[SpectrumOf, ...] = get_args(SpectrumOf)


@dataclass(frozen=True, kw_only=True)
class Component:
    """An eigenvector of the noisy matrix, and what it says about the real one at its place."""

    place: int
    """1 for the largest eigenvalue."""
    weights: tuple[float, ...]
    """Weights of the features, of length 1; the largest in size is positive."""
    eigenvalue: Interval
    """Interval of this single real eigenvalue; without ends if the gaps do not tell which one it is."""
    sine: Interval
    """Sine of the angle between the noisy and the real eigenvector; without an upper end if the gaps do not tell."""

    @property
    def is_told(self) -> bool:
        return self.sine.hi is not None


@dataclass(frozen=True, kw_only=True)
class Spectrum(Shown):
    """Principal components of the real table from a private release. Every interval holds at the level on its own."""

    of: SpectrumOf
    names: tuple[str, ...]
    rank: int
    level: Fraction
    divisor: int
    """The number by which sums were divided."""
    n_is_public: bool
    squared_norm: int
    """Eigenvalues are those of the features divided by its root, which lie in the unit ball."""
    deviation: float
    """Deviation of the noise on a second moment of such a feature, an estimate."""
    eigenvalues: tuple[Interval, ...]
    """All eigenvalues, at once."""
    largest: Interval
    """Only the upper end, from one normal quantile."""
    components: tuple[Component, ...]
    total: Interval
    """The sum of the largest real eigenvalues."""
    explained: Interval
    """The real variance along the noisy components."""
    share: Interval
    share_explained: Interval
    span_sine: Interval
    """Root of the sum of squared sines between the noisy span and the real one."""
    loss: Interval
    """Explained variance lost, compared with the real components."""
    classical: Classical
    """Bounds from the norm of the noise alone, for comparison."""
    notes: tuple[str, ...]

    @property
    def conclusions(self) -> tuple[Interval, ...]:
        """First what the noisy components are worth together, then each of them, then eigenvalues."""
        each = tuple(found for one in self.components for found in (one.sine, one.eigenvalue))
        together = (self.share_explained, self.loss, self.span_sine)
        return (*together, *each, self.share, self.total, self.explained, self.largest, *self.eigenvalues)
