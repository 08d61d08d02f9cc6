"""Tests of shares and of independence from noisy tables: with the law of the noise, not with synthetic rows."""
