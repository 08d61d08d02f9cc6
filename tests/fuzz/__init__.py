"""Hostile input of every kind, from a seed: `python -m tests.fuzz` runs cases in this process and judges each.

A case is a kind and a number, and the same case is the same in every run. It fails where an exception comes out of the
command line, where the exit code is not documented or says that it is a bug, where an error is not one line, where a
value of a private table is said or written, where files are left half-written, and where a certificate is accepted
whose claims are false or that two readers could read differently.
"""
