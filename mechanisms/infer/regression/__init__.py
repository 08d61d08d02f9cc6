"""Least squares from a private release: formulas, coefficients, edges between columns, and plans of their widths."""
