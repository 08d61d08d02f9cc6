"""Every parameter of training from a release, declared once: its range and meaning, for the command line and checks."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from bounds.parameters import Parameter, Range, read_numbers

MODEL, TABLE = "the model", "the synthetic table"
GROUPS = (MODEL, TABLE)
DEFAULT_TAU = Fraction(5)
MOST_ROWS = 10**7

_TABLE = (
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
TRAINING_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _TABLE}


def read_training_numbers(given: Mapping[str, object]) -> dict[str, Fraction]:
    """The numbers among the given values, exactly, checked against what they may be; None is not given."""
    return read_numbers(TRAINING_PARAMETERS, given, of="training")
