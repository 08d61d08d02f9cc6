"""Gaussian noise on orthogonal contrasts with one variance per order: the coefficient Q of the largest error.

Guarantee: with probability at least 1 - gamma no answer is off by more than Q/(n epsilon).
"""

from bounds.pieces.noise import noise_theorem

THEOREM = noise_theorem(
    "contrast-gaussian",
    "Gaussian noise on contrasts",
    "(epsilon, dp-delta)",
    ("contrast_scatter", "F_varying", "gamma", "epsilon", "dp_delta"),
)
