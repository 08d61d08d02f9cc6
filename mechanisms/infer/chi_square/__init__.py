"""Tests of shares and of independence from noisy tables, using the distribution of the noise, not synthetic rows."""
