"""Noise on integer sums: the cheapest kind, its size, and drawing it, for simulations and for releases.

`choice` compares the mechanisms by certified quantiles (`quantiles`) and returns a `plan`; `lattice` makes integers of
answers under either adjacency, and `through` plans noise on contrasts, from which answers are computed. `release` draws
exact discrete noise from the randomness of the operating system and takes no seed; `cube` is its sampler of l_inf
noise. `simulate` draws continuous noise from numpy, which is not private, and nothing that a release uses imports it.
Proofs: docs/proofs/synthbounds.lattice-noise.md.
"""
