"""Parameters that a release of marginals has and one of moments need not have, declared once."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from bounds.parameters import PARAMETERS, Parameter, Range, read_numbers
from lp.moments.parameters import ASK, RELEASE_PARAMETERS

MARGINALS = "marginals only"

_TABLE = (
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
MARGINAL_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _TABLE}
SHARED = ("mode", "adjacency", "epsilon", "dp_delta", "least_size", "schema", "seed")
"""Parameters of every release."""


def read_marginal_numbers(given: Mapping[str, object]) -> dict[str, Fraction]:
    """The numbers among the given values, exactly, checked against what they may be; None is not given."""
    known = MARGINAL_PARAMETERS | {name: RELEASE_PARAMETERS[name] for name in SHARED}
    return read_numbers(known, given, of="a release of marginals")
