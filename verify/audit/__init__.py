"""Privacy audits: is a mechanism as private as it claims to be, at given neighbouring inputs?

Three layers, strongest first: `exact` decides in rationals and balls, `ratio` knows the densities and samples,
`blackbox` has samples only. The sampling layers bound epsilon from below;
where they find nothing, nothing is said about privacy.
"""
