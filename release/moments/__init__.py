"""A release of moments."""
