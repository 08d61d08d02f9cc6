"""A finished table brought near to a release: weights of its rows, and rows by weights."""
