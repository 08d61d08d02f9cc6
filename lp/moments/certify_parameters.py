"""Every parameter of certificates for models, declared once: its range and meaning, for the command line and checks."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from bounds.parameters import PARAMETERS, Parameter, Range, read_numbers
from lp.moments.parameters import RELEASE_PARAMETERS
from lp.moments.training_parameters import TRAINING_PARAMETERS

CLASS, SURE, PLAN = "the models it is compared with", "confidence", "planning, with --plan and without files"
GROUPS = (CLASS, SURE, PLAN)
_SIZE = Range(least=1, most=10**12, reason="number of records")

_TABLE = (
    Parameter(
        "tau",
        CLASS,
        "all models of norm at most T, features in the unit ball (default: as the model was trained, else its norm)",
        "rational",
        Range(least=Fraction(1, 10**6), most=1000, reason="a norm"),
        metavar="T",
    ),
    Parameter(
        "ridge",
        CLASS,
        "compare mean loss plus (LAM/2) norm^2, over all models unless --tau is given, too",
        "rational",
        TRAINING_PARAMETERS["ridge"].range,
        metavar="LAM",
    ),
    Parameter("loss", CLASS, "logistic, squared, hinge, or another loss of `approx` (default: that of the model)"),
    Parameter("intercept", CLASS, "inside: it counts in the norm; free: it does not (default: as in the model)"),
    Parameter(
        "beta",
        SURE,
        "probability with which the certificate may fail (default 0.05)",
        "rational",
        Range(above=0, below=1, reason="a probability"),
        metavar="B",
    ),
    Parameter("n", PLAN, "records that the table will have", "integer", _SIZE, metavar="N"),
    Parameter("epsilon", PLAN, "privacy to be spent in total", "rational", PARAMETERS["epsilon"].range),
    Parameter("dp_delta", PLAN, "privacy parameter delta (default 1/n^2)", "rational", PARAMETERS["dp_delta"].range),
    Parameter("adjacency", PLAN, RELEASE_PARAMETERS["adjacency"].help),
    Parameter(
        "features",
        PLAN,
        "features with the intercept, each linear in its column",
        "integer",
        Range(least=2, most=1000, reason="features with the intercept"),
        metavar="P",
    ),
    Parameter(
        "reserve", PLAN, "share of the budget kept for one query", "rational", RELEASE_PARAMETERS["reserve"].range
    ),
    Parameter(
        "target",
        PLAN,
        "the certificate that is wanted: leave out --n or --epsilon to have it solved for",
        "rational",
        Range(least=Fraction(1, 10**9), most=1000, reason="excess risk"),
        metavar="X",
    ),
    Parameter("like", PLAN, "an earlier release whose moments are taken for those to come", metavar="RELEASE"),
)
CERTIFY_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _TABLE}


def read_certify_numbers(given: Mapping[str, object]) -> dict[str, Fraction]:
    """The numbers among the given values, exactly, checked against what they may be; None is not given."""
    return read_numbers(CERTIFY_PARAMETERS, given, of="certificates")
