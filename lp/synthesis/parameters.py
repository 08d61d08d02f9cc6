"""Every parameter of a synthesis, declared once: kind, choices, default, range and meaning, for help and for checks."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from bounds.parameter import Parameter, Range
from bounds.parameters import LEAST_POSITIVE, PARAMETERS
from release.large_delta import DELTA_RULE
from release.parameters import ACCOUNT, BETA, IGNORE_EXTRA, RELEASE_PARAMETERS, SCHEMA, SEED

ASK, DATA, HOW, MEASURE = "privacy and accuracy", "table and queries", "settings", "private measures"
GROUPS = (ASK, DATA, HOW, MEASURE)

_TABLE = (
    replace(RELEASE_PARAMETERS["mode"], group=ASK),
    replace(RELEASE_PARAMETERS["adjacency"], group=ASK),
    replace(RELEASE_PARAMETERS["epsilon"], group=ASK, text="total privacy parameter epsilon"),
    replace(PARAMETERS["dp_delta"], group=ASK, text=f"{PARAMETERS['dp_delta'].text}; {DELTA_RULE}"),
    Parameter(
        "accuracy",
        ASK,
        "largest error to be promised for any query",
        "rational",
        Range(least=LEAST_POSITIVE, most=2, reason="error of a query"),
        otherwise="the smallest that n allows",
    ),
    Parameter(
        "failure",
        ASK,
        "failure probability of the promise and of the certificate",
        "rational",
        Range(least=LEAST_POSITIVE, below=1, reason="a probability"),
        default=BETA.default,
    ),
    replace(RELEASE_PARAMETERS["least_size"], group=ASK),
    replace(SCHEMA, group=DATA),
    Parameter(
        "family",
        DATA,
        "family of queries: {choices}",
        kind="choice",
        choices=PARAMETERS["family"].choices,
        otherwise="monomials for two levels, else cells",
    ),
    Parameter(
        "degree",
        DATA,
        "queries on at most D attributes",
        "integer",
        Range(least=1, most=64, reason="largest number of attributes in one query"),
        metavar="D",
        default=2,
    ),
    Parameter(
        "measure",
        HOW,
        "measure of the reference points: {choices}",
        "choice",
        choices=("uniform", "tree", "histogram", "grid", "bernstein"),
        otherwise="uniform if every point is taken or --lipschitz is given, else tree",
    ),
    Parameter(
        "m",
        HOW,
        "number of reference points to draw",
        "integer",
        Range(least=1, most=2**26, reason="reference points"),
        otherwise="every point, as many as the theorem asks for, or 100,000",
    ),
    Parameter(
        "k",
        HOW,
        "number of rows of the synthetic table",
        "integer",
        Range(least=1, most=10**7, reason="rows of the synthetic table"),
        otherwise="as many as records: n, or --least-size if n is private",
    ),
    Parameter(
        "rows",
        HOW,
        "how rows are made: {default} (default; from a density on all points) or rounding (of an LP vertex; few "
        "distinct rows)",
        "choice",
        choices=("sampling", "rounding"),
        default="sampling",
    ),
    Parameter(
        "mechanism",
        HOW,
        "noise: {choices}",
        "choice",
        choices=PARAMETERS["mechanism"].choices,
        otherwise="the cheapest",
    ),
    Parameter(
        "solver",
        HOW,
        "{choices}; whichever it is, its answer is certified",
        "choice",
        choices=("auto", "interior-point", "columns", "simplex", "proportional", "blocks"),
        default="auto",
    ),
    replace(SEED, text="simulate: seed of all randomness"),
    Parameter(
        "variant",
        MEASURE,
        "variant of histogram or grid: {choices}",
        "choice",
        choices=("plain", "mixed", "shifted", "covering"),
        otherwise="the proved one",
    ),
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
        "grid: cells on each axis",
        "integer",
        Range(least=1, most=2**16, reason="cells on an axis"),
        metavar="Q",
        otherwise="as many as the theorem asks for, or 4",
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
        "bernstein: iterations",
        "integer",
        Range(least=1, most=16, reason="iterations"),
        metavar="H",
        default=1,
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
"""What an algorithm on given records takes."""
SYNTHETIC = Parameter(
    "synthetic",
    "",
    "write the synthetic table to FILE, .csv or .parquet",
    "file",
    metavar="FILE",
    role="written",
    hint="say where the synthetic table goes (--synthetic FILE.csv or .parquet)",
)
SYNTH_FLAGS = (
    Parameter(
        "certificate",
        "",
        "write the proof of the optimum for `synthbounds check`; it contains the noisy answers",
        "file",
        metavar="FILE",
        role="written",
    ),
    replace(ACCOUNT, group=ASK),
    replace(IGNORE_EXTRA, group=""),
    Parameter("anyway", "", "go on even if nothing can be promised in advance", "flag"),
    Parameter("exact", "", "solve to an exact rational vertex, with gap zero", "flag"),
)
