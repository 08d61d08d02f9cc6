"""Every parameter of a question, declared once: kind, choices, default, range, meaning, and which measure uses it.

The command line takes its options from this table, the setting its checks, and messages and pages their words.
"""

from __future__ import annotations

from fractions import Fraction

from bounds.model import EDITIONS
from bounds.parameter import Parameter, Range
from bounds.pieces.noise import MECHANISMS
from bounds.pieces.rows import LABELS as ROW_LABELS
from bounds.privacy.adjacency import Adjacency
from bounds.queries import FAMILIES, MOST_DIGITS

LEAST_POSITIVE = Fraction(1, 10**100)
ASK, DATA, HOW = "privacy and accuracy", "data and queries", "algorithm"

MEASURES = ("uniform", "histogram", "kde", "custom")
SOLVABLE = ("epsilon", "delta", "gamma", "accuracy", "failure", "degree")
EDITION = Parameter(
    "edition", "", "edition of the theorem: {choices}", "choice", choices=EDITIONS, default="sharp", filled=True
)
STATEMENT = {
    parameter.name: parameter
    for parameter in (
        Parameter(
            "measure", "", "measure of the reference points: {choices}", "choice", choices=MEASURES, default="uniform"
        ),
        EDITION,
        Parameter("theorem", "", "id of a theorem, instead of --measure", metavar="ID"),
        Parameter(
            "solve_for",
            "",
            "parameter to solve for, at a given --n: epsilon, accuracy, failure, delta, gamma or degree",
            "choice",
            metavar="X",
            choices=SOLVABLE,
        ),
        Parameter("n", "", "number of records, for --solve-for", "integer"),
    )
}
"""What `require` takes in addition to the parameters of the question itself."""

_TABLE = (
    Parameter(
        "epsilon",
        ASK,
        "privacy parameter epsilon; for the sharp edition, the total",
        "rational",
        Range(least=Fraction(1, 10**12), most=1000, reason="privacy parameter"),
        "epsilon",
    ),
    Parameter(
        "dp_delta",
        ASK,
        "delta of (epsilon, delta)-privacy; allows Gaussian noise",
        "rational",
        Range(least=LEAST_POSITIVE, below=1, reason="privacy parameter, not the accuracy delta"),
        "dp_delta",
    ),
    Parameter(
        "delta",
        ASK,
        "accuracy parameter of the paper; the promised accuracy is 8 delta",
        "rational",
        Range(least=LEAST_POSITIVE, most=1000, reason="accuracy parameter; the promise is 8 delta"),
        "delta",
    ),
    Parameter(
        "gamma",
        ASK,
        "failure parameter of the paper; the promise fails with probability at most 4 gamma",
        "rational",
        Range(least=LEAST_POSITIVE, below=1, reason="failure parameter"),
        "gamma",
    ),
    Parameter(
        "accuracy",
        ASK,
        "promised accuracy, 8 delta, instead of --delta",
        "rational",
        Range(least=LEAST_POSITIVE, most=8000, reason="8 delta"),
    ),
    Parameter(
        "failure",
        ASK,
        "failure probability, 4 gamma, instead of --gamma",
        "rational",
        Range(least=LEAST_POSITIVE, most=1, reason="4 gamma, a probability"),
    ),
    Parameter(
        "adjacency",
        ASK,
        "which tables are neighbours: {choices}",
        "choice",
        choices=tuple(a.value for a in Adjacency),
        default="replace-one",
    ),
    Parameter(
        "p",
        DATA,
        "number of attributes",
        "integer",
        Range(least=1, most=10**9, reason="number of attributes"),
        "p",
    ),
    Parameter(
        "t",
        DATA,
        "levels of each attribute",
        "integer",
        Range(least=2, most=10**6, reason="levels of each attribute"),
        "t",
        default=2,
    ),
    Parameter(
        "degree",
        DATA,
        "queries on at most D attributes",
        "integer",
        Range(least=1, most=10**9, reason="largest number of attributes in one query"),
        "degree",
        metavar="D",
    ),
    Parameter("family", DATA, "family of queries: {choices}", "choice", choices=tuple(FAMILIES), default="monomials"),
    Parameter(
        "queries",
        DATA,
        "number of arbitrary queries with values in [-1, 1], instead of --degree",
        "integer",
        Range(least=1, below=10**MOST_DIGITS, reason="number of queries"),
        metavar="F",
    ),
    Parameter(
        "k",
        DATA,
        "fix the number of rows of the synthetic table",
        "integer",
        Range(least=1, below=10**MOST_DIGITS, reason="number of rows of the synthetic table"),
        "k",
    ),
    Parameter(
        "tau1",
        DATA,
        "histogram: least probability of a domain point",
        "rational",
        Range(above=0, most=1, reason="probability of a domain point"),
        "tau1",
        "histogram",
        otherwise="records are uniform",
    ),
    Parameter(
        "tau2",
        DATA,
        "histogram: largest probability of a domain point",
        "rational",
        Range(above=0, most=1, reason="probability of a domain point"),
        "tau2",
        "histogram",
    ),
    Parameter(
        "tau",
        DATA,
        "kde: infimum of the density",
        "rational",
        Range(least=Fraction(1, 10**12), most=1, reason="a density on the unit cube has infimum at most 1"),
        "tau",
        "kde",
    ),
    Parameter(
        "lipschitz",
        DATA,
        "kde: Lipschitz constant of the density",
        "rational",
        Range(least=0, most=10**9, reason="Lipschitz constant of the density"),
        "L",
        "kde",
        "L",
    ),
    Parameter(
        "density_max",
        DATA,
        "kde: supremum of the density",
        "rational",
        Range(least=1, most=10**12, reason="a density on the unit cube has supremum at least 1"),
        "nu_max",
        "kde",
    ),
    Parameter(
        "kappa",
        DATA,
        "custom: bound on the Rényi condition number",
        "rational",
        Range(least=1, most=10**100, reason="a Rényi condition number is at least 1"),
        "K",
        "custom",
    ),
    Parameter("mechanism", HOW, "noise: {choices}", "choice", choices=tuple(MECHANISMS), otherwise="the cheapest"),
    Parameter("rows", HOW, "how rows are made: {choices}", "choice", choices=tuple(ROW_LABELS), otherwise="the fewest"),
    Parameter("release", HOW, "what is published: {choices}", "choice", choices=("rows", "density"), default="rows"),
)
PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _TABLE}


_SUPPLIED_BY = {
    "N": "a finite domain",
    "packing": "--degree with a family",
    "contrast_gain": "--family cells",
    "contrast_scatter": "--family cells or monomials",
}


def option_for(quantity: str) -> str:
    """The option that supplies a quantity, for messages about what is missing."""
    promise = {"delta": " (or --accuracy)", "gamma": " (or --failure)"}.get(quantity, "")
    found = next((p.option for p in _TABLE if p.quantity == quantity), None)
    if found is None:
        return _SUPPLIED_BY.get(quantity, quantity)
    return found + promise
