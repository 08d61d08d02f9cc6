"""The density programme: matrices, solvers, exact certificates."""
