"""Certified polynomial approximation: functions, polynomials near them, and enclosures of how near they are."""
