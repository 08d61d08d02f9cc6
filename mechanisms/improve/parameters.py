"""What `improve` takes: the finished table, the release it is brought near to, and how."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from bounds.parameter import Parameter, Range
from bounds.privacy.adjacency import Adjacency
from release.parameters import IGNORE_EXTRA

FILES, HOW, COST = "what comes out", "how it is done", "what the table has cost"
GROUPS = (FILES, HOW, COST)
SOFT, BOX = "soft", "box"
ALL, CORRELATION = "all", "correlation"

IMPROVE = (
    Parameter(
        "table",
        "",
        "a finished table, CSV with a header or Parquet, public: ours or another tool's, never the private one",
        "file",
        metavar="SYNTHETIC",
        role="read",
        positional=True,
    ),
    Parameter(
        "release",
        "",
        "what its rows are weighted by: moments, marginals, a log, or one-way tables and cross moments",
        "file",
        metavar="RELEASE",
        role="read",
        hint="name the release that the table is brought near to (--release FILE.json)",
    ),
    Parameter(
        "weights",
        FILES,
        "a weight for each row of SYNTHETIC, in its order; they add up to the number of rows",
        "file",
        metavar="W.csv",
        role="written",
    ),
    Parameter(
        "synthetic",
        FILES,
        "rows of SYNTHETIC in proportion to their weights, as they are: .csv or .parquet, like SYNTHETIC",
        "file",
        metavar="OUT",
        role="written",
    ),
    Parameter(
        "k",
        FILES,
        "rows of OUT",
        "integer",
        Range(least=1, most=10**7, reason="synthetic records"),
        otherwise="as many as SYNTHETIC has",
    ),
    Parameter(
        "fit",
        HOW,
        "{choices}: of the release all, or only first and second moments, which determine correlations",
        "choice",
        choices=(ALL, CORRELATION),
        default=ALL,
    ),
    Parameter(
        "price",
        HOW,
        "{choices}: what is left to fit costs as much as the noise makes it worth, or none is left beyond gamma, as in "
        "wang2023",
        "choice",
        choices=(SOFT, BOX),
        default=SOFT,
    ),
    Parameter(
        "strength",
        HOW,
        "soft: an error of sqrt(2 S) deviations of the noise costs one nat; next to 0 fits everything",
        "rational",
        Range(least=Fraction(1, 10**12), most=10**12, reason="a price"),
        metavar="S",
        otherwise="the one with the least estimated error",
    ),
    Parameter(
        "gamma",
        HOW,
        "box: how far a statistic may be off, on its own scale",
        "rational",
        Range(least=0, most=1, reason="a distance"),
        metavar="G",
        default="1e-5",
    ),
    Parameter("denoise", HOW, "box: first take the nearest numbers that rows of SYNTHETIC can have", "flag"),
    Parameter(
        "start",
        HOW,
        "weights of the rows to start from, a file as --weights writes it",
        "file",
        metavar="W.csv",
        role="read",
        otherwise="all rows alike",
    ),
    replace(IGNORE_EXTRA, group=HOW, text="leave columns alone that the release does not know"),
    Parameter(
        "features", HOW, "correlation: of these columns", "list", metavar="COLUMN", otherwise="all that the release has"
    ),
    Parameter("table_spent", COST, "what SYNTHETIC has cost, as you know", metavar="EPSILON[,DELTA]"),
    Parameter(
        "table_adjacency",
        COST,
        "under which adjacency: {choices}",
        "choice",
        metavar="ADJACENCY",
        choices=tuple(adjacency.value for adjacency in Adjacency),
    ),
)
"""All that the command takes, files included."""
IMPROVE_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in IMPROVE}
