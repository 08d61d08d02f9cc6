"""Noise on integer sums: which is cheapest, how large it gets, and how it is drawn, for simulations and for releases.

`choice` compares the mechanisms by certified quantiles (`quantiles`) and returns a `plan`; `lattice` says how answers
become integers under either adjacency, and `through` plans noise on contrasts, from which answers are computed.
`release` draws exact discrete noise from the randomness of the operating system and takes no seed; `cube` is its
sampler of l_inf noise. `simulate` draws continuous noise from numpy, which is not private, and nothing that a release
uses imports it. Proofs: docs/proofs/synthbounds.lattice-noise.md.
"""
