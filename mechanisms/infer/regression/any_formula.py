"""A radius that holds for every formula at once, even one chosen after a look at the release or by search.

The noise of any equations is a linear image of the noise of all entries of the release, and their distance is at most
the norm of the latter. Proof: docs/proofs/synthbounds.noisy-regression.md, (h).
"""

from __future__ import annotations

from fractions import Fraction

from bounds.certify.radii import chi_radius
from bounds.errors import NotApplicable
from bounds.inference.linear_pivot import rounding_norm
from mechanisms.infer.noisy_matrix import NoisyMatrix

ANY_NOTE = "for every formula at once, chosen afterwards"


def radius_of_any(matrix: NoisyMatrix, failure: Fraction) -> Fraction:
    """A bound on the norm of all noise of the release, in deviations, with probability at least 1 - failure."""
    count = len(matrix.names)
    known = (matrix.rows[i][j] for i in range(count) for j in range(i, count))
    noisy = [entry for entry in known if entry is not None and not entry.is_exact]
    if not noisy:
        raise NotApplicable("all moments of this release are public: there is nothing that noise hides")
    return chi_radius(len(noisy), failure) + rounding_norm([entry.rounding / entry.deviation for entry in noisy])
