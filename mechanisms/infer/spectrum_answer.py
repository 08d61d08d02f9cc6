"""What a release says of principal components, as it is shown: nothing is computed here."""

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
    """An eigenvector of the noisy matrix, and what it says of the real one at its place."""

    place: int
    """1 is that of the largest eigenvalue."""
    weights: tuple[float, ...]
    """Of the features, of length 1; the largest in size is positive."""
    eigenvalue: Interval
    """Of the real eigenvalue by itself; without ends where the gaps do not tell which one it is."""
    sine: Interval
    """Of the angle between the noisy eigenvector and the real one; without an upper end where it cannot be told."""

    @property
    def is_told(self) -> bool:
        return self.sine.hi is not None


@dataclass(frozen=True, kw_only=True)
class Spectrum(Shown):
    """Principal components of the real table from a private release. Every interval holds by itself at the level."""

    of: SpectrumOf
    names: tuple[str, ...]
    rank: int
    level: Fraction
    divisor: int
    """What sums were divided by."""
    n_is_public: bool
    squared_norm: int
    """Eigenvalues are those of features divided by its root, which lie in the unit ball."""
    deviation: float
    """Of the noise on a second moment of such a feature, an estimate."""
    eigenvalues: tuple[Interval, ...]
    """All of them, at once."""
    largest: Interval
    """The upper end alone: one normal quantile."""
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
    """Of explained variance, against the real components."""
    classical: Classical
    """What the norm of the noise alone gives, to compare with."""
    notes: tuple[str, ...]

    @property
    def conclusions(self) -> tuple[Interval, ...]:
        """What the noisy components are worth first, then each of them, then eigenvalues."""
        each = tuple(found for one in self.components for found in (one.sine, one.eigenvalue))
        together = (self.share_explained, self.loss, self.span_sine)
        return (*together, *each, self.share, self.total, self.explained, self.largest, *self.eigenvalues)
