"""A synthetic table from moments, and models trained on it."""
