"""Privacy audits: whether a mechanism is as private as it claims to be, at given neighbouring inputs.

Three layers, strongest first: `exact` decides in rationals and balls, `ratio` knows the densities and samples,
`blackbox` has only samples. The sampling layers bound epsilon from below; if they find nothing, this says nothing about
privacy.
"""
