"""Conclusions from a private release: intervals, tests, spectra, regressions, graphs, signs."""
