"""Every parameter of training, certificates and planned queries, declared once, for the command line and checks."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from bounds.parameters import PARAMETERS, Parameter, Range, read_numbers
from release.parameters import RELEASE_PARAMETERS

MODEL, TABLE = "the model", "the synthetic table"
TRAINING_GROUPS = (MODEL, TABLE)
DEFAULT_TAU = Fraction(5)
MOST_ROWS = 10**7

_TRAINING_TABLE = (
    Parameter(
        "tau",
        MODEL,
        "largest norm of the model, features scaled to the unit ball (default 5, unless --ridge is given)",
        "rational",
        Range(least=Fraction(1, 10**6), most=10**6, reason="a norm"),
        metavar="T",
    ),
    Parameter(
        "ridge",
        MODEL,
        "add (LAM/2) norm^2 to the mean loss, instead of --tau",
        "rational",
        Range(least=Fraction(1, 10**12), most=10**6, reason="weight of half the squared norm"),
        metavar="LAM",
    ),
    Parameter("loss", MODEL, "logistic (default), squared or hinge"),
    Parameter("intercept", MODEL, "inside (default): it counts in the norm; free: neither norm nor ridge sees it"),
    Parameter(
        "k",
        TABLE,
        "synthetic records for --synthetic (default: as many as the release speaks of, at most 1,000,000)",
        "integer",
        Range(least=1, most=MOST_ROWS, reason="synthetic records"),
    ),
    Parameter(
        "points",
        TABLE,
        "records that are drawn and weighted (default 20,000)",
        "integer",
        Range(least=100, most=10**6, reason="points to be weighted"),
    ),
    Parameter(
        "seed",
        TABLE,
        "seed of the points; the noise is in the release already (default 0)",
        "integer",
        Range(least=0, below=2**64, reason="seed"),
    ),
)
TRAINING_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _TRAINING_TABLE}

CLASS, SURE, PLAN = "the models it is compared with", "confidence", "planning, with --plan and without files"
CERTIFY_GROUPS = (CLASS, SURE, PLAN)
_SIZE = Range(least=1, most=10**12, reason="number of records")

_CERTIFY_TABLE = (
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
CERTIFY_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _CERTIFY_TABLE}

BUDGET = "the budget that is kept"
CONFIRM_GROUPS = (CLASS, SURE, BUDGET)

_CONFIRM_TABLE = (
    CERTIFY_PARAMETERS["tau"],
    CERTIFY_PARAMETERS["ridge"],
    CERTIFY_PARAMETERS["beta"],
    Parameter(
        "part",
        BUDGET,
        "share of what is kept that this query spends; the rest pays for a second one (default 1)",
        "rational",
        Range(above=0, most=1, reason="a share of what is kept"),
        metavar="SHARE",
    ),
    Parameter("previous", BUDGET, "the query before, where its rest pays for this one", metavar="QUERY"),
    Parameter(
        "seed",
        BUDGET,
        "for a simulated release: seed of the noise (default 0)",
        "integer",
        RELEASE_PARAMETERS["seed"].range,
    ),
)
CONFIRM_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _CONFIRM_TABLE}


def read_training_numbers(given: Mapping[str, object]) -> dict[str, Fraction]:
    """The numbers among the given values, exactly, checked against what they may be; None is not given."""
    return read_numbers(TRAINING_PARAMETERS, given, of="training")


def read_certify_numbers(given: Mapping[str, object]) -> dict[str, Fraction]:
    """The numbers among the given values, exactly, checked against what they may be; None is not given."""
    return read_numbers(CERTIFY_PARAMETERS, given, of="certificates")


def read_confirm_numbers(given: Mapping[str, object]) -> dict[str, Fraction]:
    """The numbers among the given values, exactly, checked against what they may be; None is not given."""
    return read_numbers(CONFIRM_PARAMETERS, given, of="a planned query")
