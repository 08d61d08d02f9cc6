"""Gaussian noise on all queries: the coefficient Q of the largest error.

Guarantee: with probability at least 1 - gamma no answer is off by more than Q/(n epsilon).
"""

from bounds.pieces.noise import noise_theorem

THEOREM = noise_theorem(
    "gaussian",
    "Gaussian noise on all queries",
    "(epsilon, dp-delta)",
    ("Delta_2_squared", "F_varying", "gamma", "epsilon", "dp_delta"),
)
