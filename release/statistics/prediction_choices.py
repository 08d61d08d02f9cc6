"""Possible questions about predictions, and the default ones: for questions and for parameters.

Nothing slow is imported, so that help is quick.
"""

from __future__ import annotations

from fractions import Fraction

LOG, ZERO_ONE, BRIER = "log", "zero-one", "brier"
PREDICTION_LOSSES = (LOG, ZERO_ONE, BRIER)
DEFAULT_CLIP = Fraction(1, 100)
DEFAULT_BINS, MOST_BINS = 10, 100
FROM_PUBLIC, FROM_RELEASE, FROM_TABLE = "public", "release", "table"
MODEL_SOURCES = (FROM_PUBLIC, FROM_RELEASE, FROM_TABLE)
