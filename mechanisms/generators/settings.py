"""What generators take, and what they are, where nobody says."""

GEM, MERF = "gem", "merf"
MOST_CODES = 32
"""Ordered columns of more codes have so many outputs, one for several neighbours."""
FEATURES = 500
ROUNDS_PER_COLUMN = 2
MOST_ROUNDS = 1000
MOST_OUTPUTS = 2048
"""Of a network: the tables of all pairs of them have twice as many megabytes at that size."""
POINTS = 300
"""Latent points, each a law of independent columns."""
