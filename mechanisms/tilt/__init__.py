"""A distribution with one-way and pairwise terms, fitted to noisy tables and moments, and the rows drawn from it."""
