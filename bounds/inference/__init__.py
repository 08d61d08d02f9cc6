"""Confidence statements from noisy numbers whose law of noise is known, in ball arithmetic."""
