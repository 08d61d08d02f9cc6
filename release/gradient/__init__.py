"""A release of the gradient of a risk at one model."""
