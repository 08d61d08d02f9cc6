"""Mechanisms that choose which marginals to measure: each has a plan on public facts and a run that gives a log."""
