"""One planned query at a model, and what its answer proves."""
