"""Cube K-norm noise on sign contrasts, which combine to the cells: the coefficient Q of the largest error.

Guarantee: with probability at least 1 - gamma no answer is off by more than Q/(n epsilon).
"""

from bounds.pieces.noise import noise_theorem

THEOREM = noise_theorem(
    "contrast-linf", "Cube K-norm noise on contrasts", "epsilon", ("contrast_gain", "rank", "gamma")
)
