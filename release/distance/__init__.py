"""A release of the distance of a synthetic table's moments from the real ones."""
