"""Simulations and comparisons; not part of the algorithm."""
