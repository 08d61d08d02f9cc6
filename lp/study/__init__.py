"""What is simulated or compared; no part of the algorithm."""
