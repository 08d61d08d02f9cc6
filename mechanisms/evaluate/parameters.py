"""Every parameter of an evaluation, declared once: kind, default, range and meaning, for help and for checks."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from bounds.parameter import Parameter, Range
from release.parameters import IGNORE_EXTRA, SCHEMA, SEED, SYNTHETIC

TABLES, SCORES = "tables", "scores of learners"
GROUPS = (TABLES, SCORES)
IN_SAMPLE, OUT_OF_SAMPLE = "in-sample", "out-of-sample"
MOST_WAYS = 6

_TABLE = (
    Parameter(
        "real", "", "real table: CSV with a header, or Parquet", "file", metavar="REAL", role="read", positional=True
    ),
    replace(SYNTHETIC, text="synthetic table, with the same schema", optional=False),
    replace(SCHEMA, group=TABLES, text="schema of both tables (see `synthbounds schema`)"),
    Parameter(
        "degree",
        TABLES,
        "errors of tables of 1 to D columns",
        "integer",
        Range(least=1, most=MOST_WAYS, reason="columns of a table"),
        metavar="D",
        default=2,
    ),
    Parameter(
        "label",
        SCORES,
        "column of two values that learners predict; without it, there are no scores",
        metavar="COLUMN",
    ),
    Parameter("test", SCORES, "test rows: a table that is used for nothing else", "file", metavar="FILE", role="read"),
    Parameter(
        "held_out",
        SCORES,
        "test rows: a random share of REAL, used for nothing else here",
        "rational",
        Range(least=Fraction(1, 10**6), below=1, reason="a share of the rows"),
        metavar="SHARE",
    ),
    replace(SEED, group=SCORES, text="with --held-out: seed of the choice of rows"),
    Parameter(
        "protocol",
        SCORES,
        "whether the synthetic table was also made from the test rows, which only you know: {choices}",
        "choice",
        choices=(IN_SAMPLE, OUT_OF_SAMPLE),
        otherwise=f"{OUT_OF_SAMPLE} with --test, {IN_SAMPLE} with --held-out",
    ),
    replace(IGNORE_EXTRA, group=TABLES),
)
EVALUATE_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _TABLE}
PICTURE = Parameter(
    "picture", "", "draw the errors of columns and pairs: .svg, .png or .pdf", "file", metavar="FILE", role="written"
)
EVALUATE = (*_TABLE, PICTURE)
"""All that the command takes, files included."""
