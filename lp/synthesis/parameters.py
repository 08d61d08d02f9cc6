"""Every parameter of a synthesis, declared once: its range and what it means, for the command line and for checks."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from bounds.parameters import LEAST_POSITIVE, PARAMETERS, Parameter, Range
from release.parameters import RELEASE_PARAMETERS

ASK, DATA, HOW, MEASURE = "privacy and accuracy", "the table and the queries", "how it is done", "private measures"
GROUPS = (ASK, DATA, HOW, MEASURE)

_TABLE = (
    Parameter("mode", ASK, RELEASE_PARAMETERS["mode"].help),
    Parameter("adjacency", ASK, RELEASE_PARAMETERS["adjacency"].help),
    Parameter("epsilon", ASK, "privacy, in total", "rational", PARAMETERS["epsilon"].range),
    Parameter("dp_delta", ASK, PARAMETERS["dp_delta"].help, "rational", PARAMETERS["dp_delta"].range),
    Parameter(
        "accuracy",
        ASK,
        "largest error of any query that is to be promised (default: whatever n allows)",
        "rational",
        Range(least=LEAST_POSITIVE, most=2, reason="error of a query"),
    ),
    Parameter(
        "failure",
        ASK,
        "probability with which promise and certificate may fail (default 0.05)",
        "rational",
        Range(least=LEAST_POSITIVE, below=1, reason="a probability"),
    ),
    replace(RELEASE_PARAMETERS["least_size"], group=ASK),
    Parameter("schema", DATA, "public schema of the table (see `synthbounds schema`)", metavar="FILE"),
    Parameter(
        "family",
        DATA,
        "monomials, parities, cells, thresholds or moments (default: monomials for two levels, else cells)",
    ),
    Parameter(
        "degree",
        DATA,
        "queries on at most D attributes (default 2)",
        "integer",
        Range(least=1, most=64, reason="most attributes in one query"),
        metavar="D",
    ),
    Parameter("measure", HOW, "reference points: uniform (default), histogram, grid or bernstein"),
    Parameter(
        "m",
        HOW,
        "reference points to draw (default: every point, what the theorem asks for, or 100,000)",
        "integer",
        Range(least=1, most=2**26, reason="reference points"),
    ),
    Parameter(
        "k",
        HOW,
        "synthetic records (default: so many that they cost a quarter of the accuracy)",
        "integer",
        Range(least=1, most=10**7, reason="synthetic records"),
    ),
    Parameter("rows", HOW, "rounding (of an LP vertex, default) or sampling (from the density of most entropy)"),
    Parameter("mechanism", HOW, "laplace, linf or gaussian (default: the cheapest)"),
    Parameter("solver", HOW, "auto (default), interior-point, columns or simplex; whichever, its answer is certified"),
    Parameter(
        "seed",
        HOW,
        "simulate: seed of all randomness (default 0)",
        "integer",
        Range(least=0, below=2**64, reason="seed"),
    ),
    Parameter("variant", MEASURE, "histogram, grid: plain, mixed, shifted or covering (default: the proved one)"),
    Parameter(
        "lipschitz",
        MEASURE,
        "real attributes: Lipschitz constant of the density, for the promise",
        "rational",
        PARAMETERS["lipschitz"].range,
        metavar="L",
    ),
    Parameter(
        "cells_per_axis",
        MEASURE,
        "grid: cells on each axis (default: what the theorem asks for, or 4)",
        "integer",
        Range(least=1, most=2**16, reason="cells on an axis"),
        metavar="Q",
    ),
    Parameter(
        "bernstein_degree",
        MEASURE,
        "bernstein: degree on each axis",
        "integer",
        Range(least=1, most=1000, reason="degree of a Bernstein polynomial"),
        metavar="D",
    ),
    Parameter(
        "bernstein_order",
        MEASURE,
        "bernstein: iterations (default 1)",
        "integer",
        Range(least=1, most=16, reason="iterations"),
        metavar="H",
    ),
    Parameter(
        "bandwidth",
        MEASURE,
        "bernstein: bandwidth of the kernel",
        "rational",
        Range(least=Fraction(1, 1000), most=10, reason="bandwidth on the unit cube"),
        metavar="B",
    ),
)
SYNTH_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _TABLE}
