"""Public entries of a matrix of moments: those that are the same in every table of n records.

The product of two features of one column takes one value for each code. If it is the same for all codes, the sum over
any n records is n times that value: 1 for the intercept's square and for the square of a column of two values coded -1
and 1, 0 for two indicators of one column. Noise on such an entry protects nothing, so the entry is set exactly instead.
If n is not public, only zeros are public.
"""

from __future__ import annotations

from fractions import Fraction

from release.statistics.features import FeatureMap

Place = tuple[int, int]


def public_entries(features: FeatureMap, *, n_is_public: bool) -> dict[Place, Fraction]:
    """Means of products of two features that do not depend on the records, by place, the smaller one first.

    The label stands after the last feature: its square is 1 if it has two values, and its products with features are
    not public.
    """
    found: dict[Place, Fraction] = {}
    start = 0
    for block in features.blocks:
        for i in range(len(block[0])):
            for j in range(i, len(block[0])):
                products = {row[i] * row[j] for row in block}
                if len(products) == 1:
                    found[start + i, start + j] = Fraction(products.pop(), features.one**2)
        start += len(block[0])
    found[start, start] = Fraction(1)
    if not features.label_is_number:
        found[start + 1, start + 1] = Fraction(1)
    return found if n_is_public else {place: value for place, value in found.items() if value == 0}
