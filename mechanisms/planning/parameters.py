"""Every parameter of a plan, declared once: kind, choices, default, range and meaning, for help and for checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from bounds.parameter import Parameter, Range, read_numbers
from bounds.parameters import PARAMETERS
from mechanisms.synth import parameters as synth
from release.parameters import BETA, MOST_RECORDS, RELEASE_PARAMETERS, SCHEMA

ONE_WAY, TWO_WAY, MOMENTS = "one-way", "two-way", "moments"
KINDS = (ONE_WAY, TWO_WAY, MOMENTS)
"""Of errors."""
INDEPENDENT, CROSS_MOMENTS, LP = synth.INDEPENDENT, synth.MOMENTS, synth.LP
LOGGED = synth.GRAPHICAL
"""Methods with a log whose rows are near its tables; how near those of others come is known afterwards alone."""
MARGINALS = "marginals"
"""A release of tables of all pairs, beside the methods of `synth`."""
METHODS = (INDEPENDENT, CROSS_MOMENTS, MARGINALS, LP, *LOGGED)
KNOWN, ASK = "what is known", "what is wanted"
GROUPS = (KNOWN, ASK)

_TABLE = (
    replace(SCHEMA, group=KNOWN),
    Parameter(
        "n",
        KNOWN,
        "records of the table, a public number",
        "integer",
        Range(least=1, most=MOST_RECORDS, reason="number of records"),
        metavar="N",
    ),
    replace(RELEASE_PARAMETERS["least_size"], group=KNOWN, text="add-remove: records that the table has at least"),
    replace(PARAMETERS["adjacency"], group=KNOWN),
    Parameter(
        "label",
        KNOWN,
        "a column with two values that a model is to predict: certificates are planned, too",
        metavar="COLUMN",
    ),
    Parameter(
        "epsilon",
        ASK,
        "privacy that is spoken of; with --error, what n is solved for",
        "rational",
        PARAMETERS["epsilon"].range,
        otherwise="1 in words, 0.1 to 10 in tables",
    ),
    Parameter(
        "dp_delta",
        ASK,
        "privacy parameter delta of what is not pure",
        "rational",
        PARAMETERS["dp_delta"].range,
        otherwise="1/n^2",
    ),
    replace(BETA, group=ASK, text="probability with which errors may be larger (default {default})"),
    Parameter(
        "error",
        ASK,
        "the largest error that is wanted: epsilon is solved for, or n where epsilon is given",
        "rational",
        Range(least=Fraction(1, 10**9), most=1, reason="error of a share or a moment"),
        metavar="X",
    ),
    Parameter("of", ASK, "with --error, of what: {choices}", "choice", choices=KINDS, default=ONE_WAY),
    Parameter(
        "method", ASK, "with --error, by what: {choices}", "choice", choices=METHODS, otherwise="whichever needs least"
    ),
)
PLAN_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _TABLE}
PICTURE = Parameter(
    "picture",
    "",
    "draw the errors over epsilon: .svg, .png or .pdf",
    "file",
    metavar="FILE",
    role="written",
)
PLAN = (*_TABLE, PICTURE)
"""All that the command takes, files included."""


def read_plan_numbers(given: Mapping[str, object]) -> dict[str, Fraction]:
    """The numbers among the given values, exactly, checked against what they may be; None is not given."""
    return read_numbers(PLAN_PARAMETERS, given, of="a plan")
