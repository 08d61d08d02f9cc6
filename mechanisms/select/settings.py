"""The methods that keep a log, by name, and their default settings."""

from release.parameters import LOG_METHODS

AIM, MST, TREE, GEN, RAP, RAP_PP, GEM, MERF = LOG_METHODS
DEGREES = {AIM: 3, GEN: 2}
"""Number of columns of a table."""
TABLE_CELLS = 10**6
"""Cells of the largest table in AIM's workload."""
MODEL_MB = 100
ROUNDS_PER_COLUMN = 16
MOST_ROUNDS = 10**4
TOO_MANY_ROUNDS = "every round fits the model again"
"""Why there are no more rounds."""
THRESHOLDS, POINTS = 20_000, 1_000
"""For rap++, the number of thresholds drawn to choose among; for rap and rap++, the number of relaxed rows fitted."""
