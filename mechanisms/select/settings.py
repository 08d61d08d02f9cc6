"""The methods that keep a log, by name, and their settings where nobody says."""

from release.parameters import LOG_METHODS

AIM, MST, TREE, GEN, RAP, RAP_PP, GEM, MERF = LOG_METHODS
DEGREES = {AIM: 3, GEN: 2}
"""Columns of a table."""
TABLE_CELLS = 10**6
"""Of the largest table that AIM keeps."""
MODEL_MB = 100
ROUNDS_PER_COLUMN = 16
MOST_ROUNDS = 10**4
TOO_MANY_ROUNDS = "every round fits the model again"
"""Why there are no more of them."""
THRESHOLDS, POINTS = 20_000, 1_000
"""Of rap++: how many are drawn to choose among; of rap and rap++: how many relaxed rows are fitted."""
