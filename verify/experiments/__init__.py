"""Experiments of the papers, made again by programs of our own: a module a study, and the runs that were recorded.

A claim about an experiment is judged by the recorded runs; whoever has the tables can make them again. They stand here,
below the figures that draw them, because the ledger's verdicts rest on them.
"""
