"""A release of marginals."""
