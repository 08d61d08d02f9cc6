"""Least squares from a private release: formulas, coefficients, edges between columns, and what to expect of them."""
