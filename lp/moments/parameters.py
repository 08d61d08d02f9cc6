"""Every parameter of a release of moments, declared once: its range and meaning, for the command line and checks."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from bounds.parameters import PARAMETERS, Parameter, Range, read_numbers
from lp.parameters import SYNTH_PARAMETERS

ASK, DATA, HOW = "privacy", "the table and the features", "how it is done"
GROUPS = (ASK, DATA, HOW)
MOST_RECORDS = 10**12
DEFAULT_BETA = Fraction(1, 20)
"""Failure probability of what is certified, where none is said."""
DEFAULT_WEIGHT = Fraction(1, 2)
"""Second moments matter more to a certificate: with this squared weight of the first ones it is nearly smallest."""
_WEIGHT = Range(least=Fraction(1, 10**6), most=10**6, reason="a squared weight")

_TABLE = (
    Parameter("mode", ASK, SYNTH_PARAMETERS["mode"].help),
    Parameter("adjacency", ASK, SYNTH_PARAMETERS["adjacency"].help),
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
        SYNTH_PARAMETERS["least_size"].help,
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
RELEASE_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _TABLE}


def read_release_numbers(given: Mapping[str, object]) -> dict[str, Fraction]:
    """The numbers among the given values, exactly, checked against what they may be; None is not given."""
    return read_numbers(RELEASE_PARAMETERS, given, of="a release of moments")
