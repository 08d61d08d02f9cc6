"""Every parameter of the account of a table, declared once, for help and checks."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from bounds.parameter import Parameter, Range, read_numbers
from bounds.parameters import PARAMETERS
from bounds.privacy.adjacency import Adjacency
from release.parameters import ASK

ACCOUNT_GROUPS = (ASK,)
ACCOUNT_COMMAND = (
    Parameter(
        "action",
        "",
        "{choices}: make an account of which nothing is spent, or say what was",
        "choice",
        metavar="ACTION",
        choices=("open", "show"),
        positional=True,
    ),
    Parameter("file", "", "the account", "file", metavar="FILE", role="kept", positional=True),
    Parameter("name", ASK, "open: who the people are", metavar="NAME", hint="say who the people are (--name)"),
    Parameter(
        "adjacency",
        ASK,
        "open: replace-one (how many they are is public) or add-remove",
        "choice",
        choices=tuple(a.value for a in Adjacency),
        hint="an account must say replace-one or add-remove (--adjacency)",
    ),
    Parameter(
        "epsilon",
        ASK,
        "open: what may be spent in total; without --dp-delta by pure privacy alone",
        "rational",
        PARAMETERS["epsilon"].range,
    ),
    Parameter(
        "dp_delta",
        ASK,
        "open: the account counts rho, which is read as epsilon at this delta",
        "rational",
        PARAMETERS["dp_delta"].range,
    ),
    Parameter(
        "rho",
        ASK,
        "open: what may be spent in total, instead of --epsilon",
        "rational",
        Range(above=0, most=10**6, reason="zero-concentrated privacy"),
        metavar="RHO",
    ),
)
"""All that the command takes."""
ACCOUNT_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in ACCOUNT_COMMAND}


def read_account_numbers(given: Mapping[str, object]) -> dict[str, Fraction]:
    """The numbers among the given values, exactly, checked against what they may be; None is not given."""
    return read_numbers(ACCOUNT_PARAMETERS, given, of="an account")
