"""Certificates for one model and one release: radii of the noise and what follows from them."""
