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
        "{choices}: open a new account, or show what has been spent",
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
        "open: replace-one (their number is public) or add-remove",
        "choice",
        choices=tuple(a.value for a in Adjacency),
        hint="an account must say replace-one or add-remove (--adjacency)",
    ),
    Parameter(
        "epsilon",
        ASK,
        "open: total epsilon that may be spent; without --dp-delta, on pure privacy only",
        "rational",
        PARAMETERS["epsilon"].range,
    ),
    Parameter(
        "dp_delta",
        ASK,
        "open: count spending in rho, and convert it to epsilon at this delta",
        "rational",
        PARAMETERS["dp_delta"].range,
    ),
    Parameter(
        "rho",
        ASK,
        "open: total rho that may be spent, instead of --epsilon",
        "rational",
        Range(above=0, most=10**6, reason="zero-concentrated privacy"),
        metavar="RHO",
    ),
)
"""All that the command takes."""
ACCOUNT_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in ACCOUNT_COMMAND}


def read_account_numbers(given: Mapping[str, object]) -> dict[str, Fraction]:
    """The given numbers, exactly, each checked against its range; None means not given."""
    return read_numbers(ACCOUNT_PARAMETERS, given, of="an account")
