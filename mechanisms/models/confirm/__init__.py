"""One planned query about a model, and what its answer proves."""
