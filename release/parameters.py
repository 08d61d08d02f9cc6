"""Every parameter of a release, declared once: kind, choices, default, range, meaning, for help and checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from bounds.errors import ParameterError, UsageError
from bounds.exact import parse_rational
from bounds.parameter import Parameter, Range, read_numbers
from bounds.parameters import PARAMETERS
from bounds.privacy.adjacency import Adjacency, read_adjacency
from release.data.columns import INSIDE, MIDDLE
from release.large_delta import DELTA_RULE

if TYPE_CHECKING:
    from release.noise.kinds import Mode

ASK, DATA, HOW, MARGINALS = "privacy", "table and features", "settings", "marginals only"
ACCURACY, FLOORS = "accuracy only", "floors only"
GROUPS = (ASK, DATA, HOW, MARGINALS, ACCURACY, FLOORS)
MOST_RECORDS = 10**12
LOG_METHODS = ("aim", "mst", "tree", "gen", "rap", "rap++", "gem", "merf")
"""Methods that keep a log."""
MOST_POINTS = 20_000
"""Relaxed rows of rap and rap++."""
_WEIGHT = Range(least=Fraction(1, 10**6), most=10**6, reason="a squared weight")

TABLE = Parameter(
    "table", "", "table to read: CSV with a header, or Parquet", "file", metavar="TABLE", role="read", positional=True
)
ADDRESS = Parameter(
    "address",
    "",
    "address of the table, if it is not a file: parquet:FOLDER, duckdb:FILE, postgres://HOST/DATABASE, spark:local, or "
    "another one that Ibis knows; passwords come only from the environment",
    metavar="ADDRESS",
    spelled="--from",
)
TABLE_NAME = Parameter(
    "table_name",
    "",
    "name of the table at that address, as NAME or SCHEMA.NAME; a folder of files needs none",
    metavar="NAME",
    spelled="--table",
)
ELSEWHERE = (ADDRESS, TABLE_NAME)
"""A table that is not a file."""
SYNTHETIC = Parameter(
    "synthetic",
    "",
    "distance and accuracy: a finished public table of the same schema, from any tool",
    "file",
    metavar="SYNTHETIC",
    role="read",
    positional=True,
    optional=True,
    hint="name the finished table to compare, after the real one",
)
SCHEMA = Parameter(
    "schema",
    DATA,
    "public schema of the table (see `synthbounds schema`)",
    "file",
    metavar="FILE",
    role="read",
    hint="give the public schema of the table (--schema; see `synthbounds schema`)",
)
IGNORE_EXTRA = Parameter("ignore_extra", DATA, "leave out columns that are not in the schema", "flag")
SEED = Parameter(
    "seed", HOW, "simulate: seed of the noise", "integer", Range(least=0, below=2**64, reason="seed"), default=0
)
VALUES = Parameter(
    "values",
    DATA,
    "value written for a bin of numbers or dates: {choices} (drawn within the bin)",
    "choice",
    choices=(MIDDLE, INSIDE),
    default=MIDDLE,
)
BETA = Parameter(
    "beta",
    ASK,
    "failure probability of radii, distances and errors (default {default}); for moments, giving it states the radii",
    "rational",
    Range(above=0, below=1, reason="a probability"),
    metavar="B",
    default="0.05",
)
DEFAULT_BETA = BETA.number()
"""Failure probability of what is certified, unless another one is given."""

ACCOUNT = Parameter(
    "account",
    ASK,
    "account of the people in the table; spending is recorded there before noise is drawn (see `synthbounds account`)",
    "file",
    metavar="FILE",
    role="kept",
)

_TABLE = (
    Parameter(
        "mode",
        ASK,
        "release, or simulate (noise from numpy, for study only)",
        "choice",
        choices=("release", "simulate"),
        hint="give --mode release, or --mode simulate for study only",
    ),
    Parameter(
        "adjacency",
        ASK,
        "which tables are neighbours: replace-one (n is public) or add-remove (with --least-size); a release must say",
        "choice",
        choices=tuple(a.value for a in Adjacency),
        hint="a release must say replace-one or add-remove (--adjacency)",
    ),
    Parameter(
        "epsilon",
        ASK,
        "total privacy parameter epsilon, including what is reserved",
        "rational",
        PARAMETERS["epsilon"].range,
        hint="give the privacy to be spent in total (--epsilon)",
    ),
    Parameter(
        "dp_delta",
        ASK,
        f"total privacy parameter delta; {DELTA_RULE}",
        "rational",
        PARAMETERS["dp_delta"].range,
        hint="Gaussian noise needs a privacy parameter delta (--dp-delta)",
    ),
    Parameter(
        "reserve",
        ASK,
        "share of the budget (of mu^2) reserved for one later query",
        "rational",
        Range(least=0, below=1, reason="a share"),
        metavar="SHARE",
        default=0,
    ),
    Parameter(
        "least_size",
        ASK,
        "add-remove: public lower bound on the number of records",
        "integer",
        Range(least=1, most=MOST_RECORDS, reason="number of records"),
        metavar="N0",
    ),
    ACCOUNT,
    SCHEMA,
    Parameter(
        "label",
        DATA,
        "column that a model predicts; it has two values or, for moments, any numbers",
        metavar="COLUMN",
        hint="name the column that a model predicts (--label)",
    ),
    Parameter("positive", DATA, "value of the label that counts as +1", metavar="VALUE", otherwise="the last one"),
    Parameter("weight", HOW, "squared weight of the first moments", "rational", _WEIGHT, metavar="A2", default="1/2"),
    Parameter(
        "fourth_weight", HOW, "squared weight of the fourth moments", "rational", _WEIGHT, metavar="C2", default=1
    ),
    SEED,
    Parameter(
        "one_hot",
        DATA,
        "columns with one feature per value, in addition to unordered columns of more than two values",
        "list",
        metavar="COLUMN",
    ),
    Parameter(
        "linear",
        DATA,
        "columns with a single feature that is linear in the code; all: every other column",
        "list",
        metavar="COLUMN",
    ),
    Parameter("by_value", DATA, "columns with a single feature that is linear in the number", "list", metavar="COLUMN"),
    Parameter(
        "reduced",
        DATA,
        "columns with one feature per value except the first; all: every one-hot column",
        "list",
        metavar="COLUMN",
    ),
    IGNORE_EXTRA,
    Parameter("fourth", HOW, "also release fourth moments", "flag"),
)
_ON_CELLS = tuple(name for name in PARAMETERS["mechanism"].choices if not name.startswith("contrast-"))
"""A release of tables publishes their noisy cells, with noise on each of them."""
_MARGINALS = (
    BETA,
    Parameter("mechanism", MARGINALS, "noise: {choices}", kind="choice", choices=_ON_CELLS, otherwise="the cheapest"),
    Parameter(
        "pairs",
        MARGINALS,
        "pairs of columns to tabulate (default: all; none if no pair follows)",
        "list",
        metavar="A:B",
        optional=True,
    ),
    Parameter(
        "one_way",
        MARGINALS,
        "columns to tabulate on their own",
        "list",
        metavar="COLUMN",
        optional=True,
        otherwise="those in no pair",
    ),
)
WORKLOAD = Parameter(
    "workload",
    ACCURACY,
    "queries: pairs, degree:D (all tables of D columns), cells:D, monomials:D, moments:D, thresholds:D (a family "
    "up to degree D), or FILE.json with sets of columns, or with thresholds, mixed marginals or moments of numbers",
    metavar="W",
    role="read",
    hint="name the queries whose errors are released (such as --workload pairs)",
)
NORM = Range(least=Fraction(1, 10**6), most=1000, reason="a norm")
FLOOR_NORMS = Parameter(
    "tau", FLOORS, "largest norms of models, with features in the unit ball", "list", metavar="T", otherwise="2 5 10 20"
)
FLOOR_LOSS = Parameter("loss", FLOORS, kind="choice", choices=("logistic", "squared", "hinge"), default="logistic")
FLOOR_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in (FLOOR_NORMS, FLOOR_LOSS)}
RELEASE_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _TABLE}
MARGINAL_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _MARGINALS}
SHARED = ("mode", "adjacency", "epsilon", "dp_delta", "least_size", "account", "schema", "seed", "ignore_extra")
"""Parameters of every release."""
ENCODING_PARAMETERS = ("one_hot", "linear", "by_value", "reduced")
FEATURE_PARAMETERS = ("label", "positive", *ENCODING_PARAMETERS)
"""Parameters that decide the features of a model."""
DEFAULT_WEIGHT = RELEASE_PARAMETERS["weight"].number()
"""Second moments matter more to a certificate; with this squared weight of the first ones it is nearly smallest."""


def require_given(given: Mapping[str, object], *names: str) -> None:
    """Refuse a release that lacks one of these."""
    for name in names:
        RELEASE_PARAMETERS[name].require(given.get(name))


def read_privacy(
    mode: object, adjacency: object, *, seed: object = None, least_size: object = None
) -> tuple[Mode, Adjacency]:
    """How noise is drawn and what it protects: the rules of every release, before it sees a record.

    A release says its adjacency and takes its randomness from the operating system; a simulation may leave both out.
    """
    from release.noise.kinds import read_mode
    from release.noise.randomness import read_randomness

    kind = read_mode(mode)
    if kind == "release":
        read_randomness(kind, seed=None if seed is None else 0)  # a release takes no seed, whatever it is
        RELEASE_PARAMETERS["adjacency"].require(adjacency)
    return kind, read_neighbours(
        PARAMETERS["adjacency"].default if adjacency is None else adjacency, least_size=least_size
    )


def read_neighbours(adjacency: object, *, least_size: object) -> Adjacency:
    """The adjacency; a public least size goes with add-remove, where the number of records is private."""
    found = read_adjacency(adjacency)
    if (found is Adjacency.ADD_REMOVE) != (least_size is not None):
        raise UsageError(
            "least-size is for --adjacency add-remove, which needs it: a public lower bound on the number of records"
        )
    return found


def read_release_numbers(given: Mapping[str, object]) -> dict[str, Fraction]:
    """The given numbers, exactly, each checked against its range; None means not given."""
    return read_numbers(RELEASE_PARAMETERS, given, of="a release of moments")


def read_norms(said: Iterable[object] | None) -> tuple[Fraction, ...]:
    """The norms of floors, exactly and in increasing order; None means the usual ones."""
    texts = FLOOR_NORMS.otherwise.split() if said is None else list(said)
    norms = [parse_rational(text, FLOOR_NORMS.name) for text in texts]
    for text, norm in zip(texts, norms, strict=True):
        NORM.check(FLOOR_NORMS.name, norm, text)
        if norms.count(norm) > 1:
            raise ParameterError(FLOOR_NORMS.name, text, "given once")
    return tuple(sorted(norms))


def read_marginal_numbers(given: Mapping[str, object]) -> dict[str, Fraction]:
    """The given numbers, exactly, each checked against its range; None means not given."""
    known = MARGINAL_PARAMETERS | {name: RELEASE_PARAMETERS[name] for name in SHARED}
    return read_numbers(known, given, of="a release of marginals")


KIND = Parameter(
    "kind",
    "",
    "what to release: {choices}",
    "choice",
    metavar="KIND",
    choices=("moments", "marginals", "floors", "distance", "accuracy"),
    positional=True,
)
