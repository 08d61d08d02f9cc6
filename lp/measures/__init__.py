"""Reference measures: the source of the points over which the linear programme optimises.

`uniform` ignores the data, `tree` is made from the noisy answers alone: neither costs privacy. `histogram` is Algorithm
2 of bojkovic2024 on every point of the domain, `grid` the same on cells of several codes (`cells`), `bernstein`
Algorithm 3 on a Gaussian kernel estimate (`kernel`, `iterated`). Each is made once, privately, and then sampled as
often as wanted: drawing is post-processing (`draws`). Noise comes only from release.noise. Nothing here depends on the
linear programme, and only `tree` depends on the queries.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from bounds.privacy.statements import DP

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from bounds.privacy.adjacency import Adjacency
    from bounds.privacy.ledger import Ledger
    from bounds.privacy.sensitivity import Sensitivity
    from release.data.domain import Codes, Domain
    from release.measure import Measurement


@dataclass(frozen=True, kw_only=True)
class Paid:
    """What a measure was made from: noisy numbers, and the ledger that paid for them."""

    measurement: Measurement
    ledger: Ledger

    @property
    def scale(self) -> Fraction:
        """Of the noise, the same everywhere."""
        scales = self.measurement.noise.scales
        assert not isinstance(scales, tuple)
        return scales


@dataclass(frozen=True, kw_only=True)
class ReferencePoints:
    """Distinct points of the domain, in the order of their codes, and what they cost."""

    codes: Codes | None
    """The points, duplicates collapsed; None stands for every point of the domain."""
    multiplicity: NDArray[np.int64] | None
    """How often each was drawn: for information, since a duplicate column adds nothing to a linear programme."""
    drawn: int
    """m, duplicates counted."""
    paid: Paid | None
    """None for a measure that ignores the data and costs nothing."""
    description: str

    @property
    def full(self) -> bool:
        return self.codes is None

    @property
    def epsilon_spent(self) -> Fraction:
        cost = None if self.paid is None else self.paid.measurement.noise.cost
        return cost.epsilon.hi if isinstance(cost, DP) else Fraction(0)

    @property
    def adjacency(self) -> Adjacency | None:
        return None if self.sensitivity is None else self.sensitivity.adjacency

    @property
    def sensitivity(self) -> Sensitivity | None:
        return None if self.paid is None else self.paid.measurement.noise.sensitivity

    @property
    def private(self) -> bool:
        """Whether anything computed from the points may be released."""
        return self.paid is None or not self.paid.measurement.is_simulated


def collapse(codes: Codes, domain: Domain, *, drawn: int, paid: Paid | None, description: str) -> ReferencePoints:
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
        paid=paid,
        description=description,
    )
