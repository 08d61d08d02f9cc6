"""The second moments of features and label as one symmetric matrix, each entry with the deviation of its noise.

Entries are sums over the records divided by a public number: n, or under add-remove the least size. So equations that
do not change when all sums are multiplied need no n. An entry is exact if it is public, and unknown if the release does
not have it. The noise of different entries is independent, Gaussian, and rounded to a lattice.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bounds.errors import UsageError
from bounds.listing import listed
from mechanisms.infer.public_entries import public_entries
from release.moments.file import MomentRelease

_MOST_NAMED = 12


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A number with Gaussian noise of this deviation, and off by at most `rounding` besides; both 0 if it is exact."""

    value: Fraction
    deviation: Fraction
    rounding: Fraction

    @property
    def is_exact(self) -> bool:
        return self.deviation == 0 and self.rounding == 0


Row = tuple[Entry | None, ...]


@dataclass(frozen=True, kw_only=True)
class NoisyMatrix:
    """Means of products of the named numbers, two by two; None is an entry that the release does not have."""

    names: tuple[str, ...]
    """Names of the features, the intercept, and last the label."""
    rows: tuple[Row, ...]
    divisor: int
    """What sums were divided by: the public number of records, or the least number if the size is private."""
    n_is_public: bool
    digest: str
    """Digest of the release."""
    squared_norm: int
    """Largest squared norm of the features of a record: on the unit ball a coefficient is its root times as large."""

    @property
    def label(self) -> int:
        """The place of the label."""
        return len(self.names) - 1

    @property
    def intercept(self) -> int:
        return len(self.names) - 2

    def place(self, name: str) -> int:
        if name not in self.names:
            raise UsageError(f"{name[:60]} is not a feature of the release: it has {listed(self.names, _MOST_NAMED)}")
        return self.names.index(name)

    def entry(self, i: int, j: int) -> Entry:
        """The entry of two numbers, which the release must have."""
        found = self.rows[i][j]
        if found is None:
            raise UsageError(
                f"the release has no mean of {self.names[i]} times {self.names[j]}: a numeric label, or any label of a "
                "table of private size, can be explained but cannot explain anything"
            )
        return found


def noisy_matrix(release: MomentRelease) -> NoisyMatrix:
    """All that a release of moments says about products of two numbers, with public entries set exactly."""
    features, noise = release.feature_map, release.deviations
    p, divisor = features.size, release.stated_size
    unit, label_unit = divisor * features.one**2, divisor * features.one * features.label_one
    known = public_entries(features, n_is_public=release.size_is_exact)

    def entry(i: int, j: int) -> Entry | None:
        i, j = min(i, j), max(i, j)
        if (i, j) in known:
            return Entry(value=known[i, j], deviation=Fraction(0), rounding=Fraction(0))
        if j < p:
            deviation = noise.second_diagonal if i == j else noise.second_off_diagonal
            return Entry(
                value=Fraction(release.second_sums[i][j - i], unit),
                deviation=deviation / unit,
                rounding=Fraction(1, 2 * unit),
            )
        if i == j:
            return None
        return Entry(
            value=Fraction(release.first_sums[i], label_unit),
            deviation=noise.first / label_unit,
            rounding=Fraction(1, 2 * label_unit),
        )

    return NoisyMatrix(
        names=(*features.names, features.label),
        rows=tuple(tuple(entry(i, j) for j in range(p + 1)) for i in range(p + 1)),
        divisor=divisor,
        n_is_public=release.size_is_exact,
        digest=release.digest,
        squared_norm=features.squared_norm,
    )
