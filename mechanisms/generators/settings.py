"""Limits of generators, and their default settings."""

GEM, MERF = "gem", "merf"
MOST_CODES = 32
"""Ordered columns of more codes have this many outputs, each for several neighbouring codes."""
FEATURES = 500
ROUNDS_PER_COLUMN = 2
MOST_ROUNDS = 1000
MOST_OUTPUTS = 2048
"""Most outputs of a network: at that size the tables of all pairs of them take twice as many megabytes."""
POINTS = 300
"""Number of latent points, each a distribution of independent columns."""
