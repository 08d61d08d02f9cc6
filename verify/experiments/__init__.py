"""Experiments of the papers, repeated by our own programs: one module per study, and the recorded runs.

A claim about an experiment is judged by the recorded runs; anyone who has the tables can repeat them. They are here,
below the figures that draw them, because the ledger's verdicts rest on them.
"""
