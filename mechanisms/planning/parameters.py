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
"""Methods with a log whose rows are near its tables; how near those of others come is known only afterwards."""
MARGINALS = "marginals"
"""A release of tables of all pairs, in addition to the methods of `synth`."""
METHODS = (INDEPENDENT, CROSS_MOMENTS, MARGINALS, LP, *LOGGED)
KNOWN, ASK = "public facts", "goal"
GROUPS = (KNOWN, ASK)

_TABLE = (
    replace(SCHEMA, group=KNOWN),
    Parameter(
        "n",
        KNOWN,
        "number of records of the table, a public number",
        "integer",
        Range(least=1, most=MOST_RECORDS, reason="number of records"),
        metavar="N",
    ),
    replace(RELEASE_PARAMETERS["least_size"], group=KNOWN),
    replace(PARAMETERS["adjacency"], group=KNOWN),
    Parameter(
        "label",
        KNOWN,
        "column of two values that a model predicts; certificates are planned, too",
        metavar="COLUMN",
    ),
    Parameter(
        "epsilon",
        ASK,
        "total privacy parameter epsilon; with --error, n is found for it",
        "rational",
        PARAMETERS["epsilon"].range,
        otherwise="1 in sentences, 0.1 to 10 in tables",
    ),
    Parameter(
        "dp_delta",
        ASK,
        "privacy parameter delta of methods that are not pure",
        "rational",
        PARAMETERS["dp_delta"].range,
        otherwise="1/n^2",
    ),
    replace(BETA, group=ASK, text="failure probability of the stated errors (default {default})"),
    Parameter(
        "error",
        ASK,
        "largest acceptable error: finds epsilon, or n if --epsilon is given",
        "rational",
        Range(least=Fraction(1, 10**9), most=1, reason="error of a share or a moment"),
        metavar="X",
    ),
    Parameter("of", ASK, "with --error: kind of error, {choices}", "choice", choices=KINDS, default=ONE_WAY),
    Parameter(
        "method",
        ASK,
        "with --error: method to use, {choices}",
        "choice",
        choices=METHODS,
        otherwise="whichever needs least",
    ),
)
PLAN_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _TABLE}
PICTURE = Parameter(
    "picture",
    "",
    "draw the errors against epsilon: .svg, .png or .pdf",
    "file",
    metavar="FILE",
    role="written",
)
PLAN = (*_TABLE, PICTURE)
"""All that the command takes, files included."""


def read_plan_numbers(given: Mapping[str, object]) -> dict[str, Fraction]:
    """The given numbers, exactly, each checked against its range; None means not given."""
    return read_numbers(PLAN_PARAMETERS, given, of="a plan")
