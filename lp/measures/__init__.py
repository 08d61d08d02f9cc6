"""Reference measures: where the points come from over which the linear programme optimises.

`uniform` ignores the data and costs no privacy. `histogram` is Algorithm 2 of bojkovic2024 on every point of the
domain, `grid` the same on cells of several codes (`cells`), `bernstein` Algorithm 3 on a Gaussian kernel estimate
(`kernel`, `iterated`). Each is made once, privately, and then drawn from as often as wanted: drawing is post-processing
(`draws`). Noise comes from release.noise alone. Nothing here knows the queries or the linear programme.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bounds.privacy.adjacency import Adjacency
    from bounds.privacy.sensitivity import Sensitivity
    from release.data.domain import Codes, Domain


@dataclass(frozen=True, kw_only=True)
class PrivacySpent:
    """What a measure cost. Only where `private` may anything computed from the measure be released."""

    epsilon: Fraction
    """Exactly what was spent; in a simulation, what a release with the same settings may spend at most."""
    adjacency: Adjacency | None
    """Which data sets the statement compares; None for a measure that ignores the data."""
    sensitivity: Sensitivity | None
    """How far one record moves what the noise was added to; None for a measure that ignores the data."""
    simulated: bool
    private: bool


IGNORES_THE_DATA = PrivacySpent(epsilon=Fraction(0), adjacency=None, sensitivity=None, simulated=False, private=True)


@dataclass(frozen=True, kw_only=True)
class ReferencePoints:
    """Distinct points of the domain, in the order of their codes, and what they cost."""

    codes: Codes | None
    """The points, duplicates collapsed; None stands for every point of the domain."""
    multiplicity: NDArray[np.int64] | None
    """How often each was drawn: for information, since a duplicate column adds nothing to a linear programme."""
    drawn: int
    """m, duplicates counted."""
    privacy: PrivacySpent
    description: str

    @property
    def full(self) -> bool:
        return self.codes is None

    @property
    def epsilon_spent(self) -> Fraction:
        return self.privacy.epsilon

    @property
    def adjacency(self) -> Adjacency | None:
        return self.privacy.adjacency

    @property
    def sensitivity(self) -> Sensitivity | None:
        return self.privacy.sensitivity

    @property
    def private(self) -> bool:
        return self.privacy.private


def collapse(codes: Codes, domain: Domain, *, drawn: int, privacy: PrivacySpent, description: str) -> ReferencePoints:
    """Reference points from points with repetitions."""
    import numpy as np

    if domain.size < 2**62:
        numbers, multiplicity = np.unique(domain.numbers(codes), return_counts=True)
        distinct = domain.points(numbers)
    else:
        distinct, multiplicity = np.unique(codes, axis=0, return_counts=True)
    return ReferencePoints(
        codes=distinct,
        multiplicity=multiplicity.astype(np.int64),
        drawn=drawn,
        privacy=privacy,
        description=description,
    )
