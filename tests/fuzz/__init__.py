"""Hostile input of every kind, from a seed: `python -m tests.fuzz` runs cases in this process and judges each.

A case is a kind and a number, and is the same in every run. It fails if an exception comes out of the command line, if
the exit code is not documented or means a bug, if an error is not one line, if a value of a private table is printed or
written, if files are left half-written, or if a certificate is accepted whose claims are false or that two readers
could read differently.
"""
