"""What may be concluded from a private release: intervals, tests, spectra, regressions, graphs, signs."""
