"""What `improve` takes: the finished table, the release it is fitted to, and how."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from bounds.parameter import Parameter, Range
from bounds.privacy.adjacency import Adjacency
from release.parameters import IGNORE_EXTRA

FILES, HOW, COST = "weights and rows", "fit", "cost of the table"
GROUPS = (FILES, HOW, COST)
SOFT, BOX = "soft", "box"
ALL, CORRELATION = "all", "correlation"

IMPROVE = (
    Parameter(
        "table",
        "",
        "finished public table, CSV with a header or Parquet: ours or another tool's, never the real one",
        "file",
        metavar="SYNTHETIC",
        role="read",
        positional=True,
    ),
    Parameter(
        "release",
        "",
        "release to fit the rows to: moments, marginals, a log, or one-way tables and cross moments",
        "file",
        metavar="RELEASE",
        role="read",
        hint="name the release to fit the table to (--release FILE.json)",
    ),
    Parameter(
        "weights",
        FILES,
        "write a weight for each row of SYNTHETIC, in its order; the weights add up to the number of rows",
        "file",
        metavar="W.csv",
        role="written",
    ),
    Parameter(
        "synthetic",
        FILES,
        "write rows of SYNTHETIC, unchanged, in proportion to their weights: .csv or .parquet, like SYNTHETIC",
        "file",
        metavar="OUT",
        role="written",
    ),
    Parameter(
        "k",
        FILES,
        "number of rows of OUT",
        "integer",
        Range(least=1, most=10**7, reason="rows of the synthetic table"),
        otherwise="as many as SYNTHETIC has",
    ),
    Parameter(
        "fit",
        HOW,
        "what to fit: {choices} (only first and second moments, which determine correlations)",
        "choice",
        choices=(ALL, CORRELATION),
        default=ALL,
    ),
    Parameter(
        "price",
        HOW,
        "{choices}: soft weighs every residual by its noise; box allows no residual beyond gamma, as in wang2023",
        "choice",
        choices=(SOFT, BOX),
        default=SOFT,
    ),
    Parameter(
        "strength",
        HOW,
        "soft: an error of sqrt(2 S) standard deviations of the noise costs one nat; near 0, everything is fitted",
        "rational",
        Range(least=Fraction(1, 10**12), most=10**12, reason="a price"),
        metavar="S",
        otherwise="the one with the least estimated error",
    ),
    Parameter(
        "gamma",
        HOW,
        "box: largest residual of a statistic, on its own scale",
        "rational",
        Range(least=0, most=1, reason="a distance"),
        metavar="G",
        default="1e-5",
    ),
    Parameter(
        "denoise", HOW, "box: first move the noisy numbers to the nearest ones that rows of SYNTHETIC can have", "flag"
    ),
    Parameter(
        "start",
        HOW,
        "start from these weights of the rows, in a file written by --weights",
        "file",
        metavar="W.csv",
        role="read",
        otherwise="equal weights",
    ),
    replace(IGNORE_EXTRA, group=HOW, text="accept columns that are not in the release, and leave them unchanged"),
    Parameter(
        "features", HOW, "correlation: fit only these columns", "list", metavar="COLUMN", otherwise="all of the release"
    ),
    Parameter("table_spent", COST, "what SYNTHETIC has cost, if you know it", metavar="EPSILON[,DELTA]"),
    Parameter(
        "table_adjacency",
        COST,
        "adjacency of that cost: {choices}",
        "choice",
        metavar="ADJACENCY",
        choices=tuple(adjacency.value for adjacency in Adjacency),
    ),
)
"""All that the command takes, files included."""
IMPROVE_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in IMPROVE}
