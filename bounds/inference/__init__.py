"""Confidence statements from noisy numbers with a known noise distribution, in ball arithmetic."""
