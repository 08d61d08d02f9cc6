"""Every parameter of a question, declared once: its range, what it means, and which measure uses it.

The command line takes its options from this table, the setting its checks, and messages their words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from bounds.errors import UsageError
from bounds.exact import parse_integer, parse_rational, require_range
from bounds.queries import MOST_DIGITS

LEAST_POSITIVE = Fraction(1, 10**100)
ASK, DATA, HOW = "what is asked", "the data and the queries", "how it is done"


@dataclass(frozen=True)
class Range:
    """Where a number may lie anywhere; `above` and `below` are strict."""

    above: Fraction | int | None = None
    least: Fraction | int | None = None
    below: Fraction | int | None = None
    most: Fraction | int | None = None
    reason: str = ""

    def check(self, name: str, value: Fraction | int, shown: object) -> None:
        require_range(
            name,
            value,
            shown,
            above=self.above,
            least=self.least,
            below=self.below,
            most=self.most,
            reason=self.reason,
        )


@dataclass(frozen=True)
class Parameter:
    """One thing a user may say."""

    name: str
    group: str
    help: str
    kind: str = "choice"
    """rational, integer, or choice (text that the setting interprets)."""
    range: Range | None = None
    quantity: str = ""
    """Its name in formulas."""
    measure: str = ""
    """The only measure that uses it; empty where all do."""
    metavar: str | None = None

    @property
    def option(self) -> str:
        return "--" + self.name.replace("_", "-")


def read_numbers(parameters: Mapping[str, Parameter], given: Mapping[str, object], *, of: str) -> dict[str, Fraction]:
    """The numbers among the given values, exactly, checked against what they may be; None is not given."""
    numbers: dict[str, Fraction] = {}
    for name, value in given.items():
        if name not in parameters:
            raise UsageError(f"{name[:40]} is not a parameter of {of}")
        parameter = parameters[name]
        if value is None or parameter.kind == "choice":
            continue
        parse = parse_integer if parameter.kind == "integer" else parse_rational
        numbers[name] = Fraction(parse(value, name))
        if parameter.range is not None:
            parameter.range.check(name, numbers[name], value)
    return numbers


_TABLE = (
    Parameter(
        "epsilon",
        ASK,
        "privacy, total for the sharp edition",
        "rational",
        Range(least=Fraction(1, 10**12), most=1000, reason="privacy parameter"),
        "epsilon",
    ),
    Parameter(
        "dp_delta",
        ASK,
        "privacy parameter of (epsilon, delta)-privacy; allows Gaussian noise",
        "rational",
        Range(least=LEAST_POSITIVE, below=1, reason="privacy parameter, not the accuracy delta"),
        "dp_delta",
    ),
    Parameter(
        "delta",
        ASK,
        "accuracy parameter of the paper: the promise is 8 delta",
        "rational",
        Range(least=LEAST_POSITIVE, most=1000, reason="accuracy parameter; the promise is 8 delta"),
        "delta",
    ),
    Parameter(
        "gamma",
        ASK,
        "failure parameter of the paper: the promise fails with 4 gamma",
        "rational",
        Range(least=LEAST_POSITIVE, below=1, reason="failure parameter"),
        "gamma",
    ),
    Parameter(
        "accuracy",
        ASK,
        "8 delta, instead of --delta",
        "rational",
        Range(least=LEAST_POSITIVE, most=8000, reason="8 delta"),
    ),
    Parameter(
        "failure",
        ASK,
        "4 gamma, instead of --gamma",
        "rational",
        Range(least=LEAST_POSITIVE, most=1, reason="4 gamma, a probability"),
    ),
    Parameter("adjacency", ASK, "replace-one (default) or add-remove"),
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
        "levels of each attribute (default 2)",
        "integer",
        Range(least=2, most=10**6, reason="levels of each attribute"),
        "t",
    ),
    Parameter(
        "degree",
        DATA,
        "queries on at most D attributes",
        "integer",
        Range(least=1, most=10**9, reason="most attributes in one query"),
        "degree",
        metavar="D",
    ),
    Parameter("family", DATA, "monomials (default), parities, cells, thresholds or moments"),
    Parameter(
        "queries",
        DATA,
        "F arbitrary queries with values in [-1, 1], instead of --degree",
        "integer",
        Range(least=1, below=10**MOST_DIGITS, reason="number of queries"),
        metavar="F",
    ),
    Parameter(
        "k",
        DATA,
        "fix the number of synthetic records",
        "integer",
        Range(least=1, below=10**MOST_DIGITS, reason="number of synthetic records"),
        "k",
    ),
    Parameter(
        "tau1",
        DATA,
        "histogram: least probability of a domain point (default: uniform records)",
        "rational",
        Range(above=0, most=1, reason="probability of a domain point"),
        "tau1",
        "histogram",
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
    Parameter("mechanism", HOW, "laplace, linf or gaussian (default: the cheapest)"),
    Parameter("rows", HOW, "rounding, drawing or sampling (default: the fewest)"),
    Parameter("release", HOW, "rows (default) or density"),
)
PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _TABLE}
NUMBERS = tuple(p for p in _TABLE if p.kind != "choice")


def option_for(quantity: str) -> str:
    """The option that supplies a quantity, for messages about what is missing."""
    promise = {"delta": " (or --accuracy)", "gamma": " (or --failure)"}.get(quantity, "")
    found = next((p.option for p in _TABLE if p.quantity == quantity), None)
    if found is None:
        return {"N": "a finite domain", "packing": "--degree with a family"}.get(quantity, quantity)
    return found + promise
