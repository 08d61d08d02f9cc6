"""Every parameter of a planned query, declared once: its range and meaning, for the command line and checks."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from bounds.parameters import Parameter, Range, read_numbers
from lp.moments.certify_parameters import CERTIFY_PARAMETERS, CLASS, SURE
from lp.moments.parameters import RELEASE_PARAMETERS

BUDGET = "the budget that is kept"
GROUPS = (CLASS, SURE, BUDGET)

_TABLE = (
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
CONFIRM_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _TABLE}


def read_confirm_numbers(given: Mapping[str, object]) -> dict[str, Fraction]:
    """The numbers among the given values, exactly, checked against what they may be; None is not given."""
    return read_numbers(CONFIRM_PARAMETERS, given, of="a planned query")
