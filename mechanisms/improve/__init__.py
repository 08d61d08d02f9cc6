"""Bringing a finished table near to a release: weights for its rows, and rows taken by weight."""
