"""Every parameter of a release, declared once: its range and meaning, for the command line and checks."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from bounds.parameters import PARAMETERS, Parameter, Range, read_numbers

ASK, DATA, HOW, MARGINALS = "privacy", "the table and the features", "how it is done", "marginals only"
GROUPS = (ASK, DATA, HOW)
MOST_RECORDS = 10**12
DEFAULT_BETA = Fraction(1, 20)
"""Failure probability of what is certified, where none is said."""
DEFAULT_WEIGHT = Fraction(1, 2)
"""Second moments matter more to a certificate: with this squared weight of the first ones it is nearly smallest."""
_WEIGHT = Range(least=Fraction(1, 10**6), most=10**6, reason="a squared weight")

_TABLE = (
    Parameter("mode", ASK, "release, or simulate (noise from numpy, for study only)"),
    Parameter("adjacency", ASK, "replace-one (n is public) or add-remove (with --least-size); a release must say"),
    Parameter("epsilon", ASK, "privacy, in total, what is reserved included", "rational", PARAMETERS["epsilon"].range),
    Parameter("dp_delta", ASK, "privacy parameter delta, in total", "rational", PARAMETERS["dp_delta"].range),
    Parameter(
        "reserve",
        ASK,
        "share of the budget (of mu^2) that is kept for one later query (default 0)",
        "rational",
        Range(least=0, below=1, reason="a share"),
        metavar="SHARE",
    ),
    Parameter(
        "least_size",
        ASK,
        "add-remove: a public number of records that the table has at least",
        "integer",
        Range(least=1, most=MOST_RECORDS, reason="number of records"),
        metavar="N0",
    ),
    Parameter("schema", DATA, "public schema of the table (see `synthbounds schema`)", metavar="FILE"),
    Parameter("label", DATA, "the column that a model predicts; it has two values", metavar="COLUMN"),
    Parameter("positive", DATA, "the value of the label that is +1 (default: the last one)", metavar="VALUE"),
    Parameter("weight", HOW, "squared weight of the first moments (default 1/2)", "rational", _WEIGHT, metavar="A2"),
    Parameter(
        "fourth_weight", HOW, "squared weight of the fourth moments (default 1)", "rational", _WEIGHT, metavar="C2"
    ),
    Parameter(
        "seed",
        HOW,
        "simulate: seed of the noise (default 0)",
        "integer",
        Range(least=0, below=2**64, reason="seed"),
    ),
)
_MARGINALS = (
    Parameter(
        "beta",
        ASK,
        "probability with which radii may fail: of cells (default 0.05); of moments, which state them on request",
        "rational",
        Range(above=0, below=1, reason="a probability"),
        metavar="B",
    ),
    Parameter("mechanism", MARGINALS, PARAMETERS["mechanism"].help),
)
RELEASE_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _TABLE}
MARGINAL_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _MARGINALS}
SHARED = ("mode", "adjacency", "epsilon", "dp_delta", "least_size", "schema", "seed")
"""Parameters of every release."""


def read_release_numbers(given: Mapping[str, object]) -> dict[str, Fraction]:
    """The numbers among the given values, exactly, checked against what they may be; None is not given."""
    return read_numbers(RELEASE_PARAMETERS, given, of="a release of moments")


def read_marginal_numbers(given: Mapping[str, object]) -> dict[str, Fraction]:
    """The numbers among the given values, exactly, checked against what they may be; None is not given."""
    known = MARGINAL_PARAMETERS | {name: RELEASE_PARAMETERS[name] for name in SHARED}
    return read_numbers(known, given, of="a release of marginals")
