"""The mathematics of synthbounds: exact inputs, enclosures, theorems and the solver for n, m and k.

Nothing here reads data, draws random numbers or prints.
"""
