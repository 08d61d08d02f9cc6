"""What may be asked of predictions, and what is asked where nothing is said: for questions and for parameters.

Nothing heavy is imported, so that help is quick.
"""

from __future__ import annotations

from fractions import Fraction

LOG, ZERO_ONE, BRIER = "log", "zero-one", "brier"
PREDICTION_LOSSES = (LOG, ZERO_ONE, BRIER)
DEFAULT_CLIP = Fraction(1, 100)
DEFAULT_BINS, MOST_BINS = 10, 100
