"""Laplace noise on all queries: the coefficient Q of the largest error.

Guarantee: with probability at least 1 - gamma no answer is off by more than Q/(n epsilon).
"""

from bounds.pieces.noise import noise_theorem

THEOREM = noise_theorem("laplace", "Laplace noise on all queries", "epsilon", ("Delta_1", "F_varying", "gamma"))
