"""Data, randomness and the algorithm itself. So far: distributions as exact tables and the perturbed histogram."""
