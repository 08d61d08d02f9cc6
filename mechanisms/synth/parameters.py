"""What `synth` takes in addition to what its linear programme takes, and which method each option belongs to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bounds.errors import UsageError
from bounds.parameter import Parameter, Range
from mechanisms.select.settings import (
    AIM,
    DEGREES,
    GEM,
    GEN,
    MERF,
    MODEL_MB,
    MOST_ROUNDS,
    MST,
    POINTS,
    RAP,
    RAP_PP,
    ROUNDS_PER_COLUMN,
    TABLE_CELLS,
    THRESHOLDS,
    TOO_MANY_ROUNDS,
    TREE,
)
from mechanisms.select.workload import MOST_CELLS
from release.parameters import LOG_METHODS, MOST_POINTS, RELEASE_PARAMETERS, TABLE
from release.statistics.query_limits import MOST_QUERIES

AUTO, MOMENTS, LP, INDEPENDENT = "auto", "moments", "lp", "independent"
LOGGED = LOG_METHODS
"""Methods that measure tables of counts, one after the other, and keep everything in a log."""
METHODS = (MOMENTS, LP, INDEPENDENT, *LOGGED)
AUTOMATIC = (MOMENTS, TREE, LP, INDEPENDENT)
"""Methods that may be chosen if none is named."""
MOST_AT_ONCE = 1000
GROUP, LOG_GROUP = "method", "methods that keep a log"

METHOD = Parameter(
    "method",
    GROUP,
    "{default} (default; chosen by public facts), moments (one-way tables and products of columns; needs a delta), lp "
    "(promises an error in advance), independent (only one-way tables); with a delta, tables of counts: tree (pairs "
    "on a tree, and pairs with the label), aim (chosen round by round), mst (a spanning tree), gen (all tables of D "
    "columns), rap (tables, by relaxed rows), rap++ (also numbers without bins), gem and merf (small networks)",
    "choice",
    choices=(AUTO, *METHODS),
    default=AUTO,
)
LABEL = replace(
    RELEASE_PARAMETERS["label"],
    group=GROUP,
    text="moments, tree: column whose relations to the others get less noise; rap, rap++, merf and, with --distance, "
    "others: column that models will predict",
)
LABELS = Parameter(
    "labels",
    GROUP,
    "rap, rap++: several columns that models will predict, instead of --label",
    "list",
    metavar="COLUMN",
)
NUMBERS = Parameter(
    "numbers",
    LOG_GROUP,
    "rap++: columns to treat as numbers, without bins",
    "list",
    metavar="COLUMN",
    otherwise="ordered columns of many values without missing cells",
)
DISTANCE_SHARE = Parameter(
    "distance",
    GROUP,
    "with --label: share of the budget for measuring how far the finished table is from the real one; not for lp or "
    "independent",
    "rational",
    Range(above=0, below=1, reason="a share"),
    metavar="SHARE",
)
LOG_OPTIONS = (
    Parameter(
        "most_cells",
        LOG_GROUP,
        "aim: largest number of cells in a table to preserve",
        "integer",
        Range(least=2, most=MOST_CELLS, reason="cells of a table"),
        metavar="C",
        default=TABLE_CELLS,
    ),
    Parameter(
        "model_mb",
        LOG_GROUP,
        "largest size of the model, in megabytes",
        "integer",
        Range(least=1, most=10**5, reason="megabytes"),
        metavar="MB",
        default=MODEL_MB,
    ),
    Parameter(
        "rounds",
        LOG_GROUP,
        "aim: the budget of a round is the total divided by T",
        "integer",
        Range(most=MOST_ROUNDS, reason=TOO_MANY_ROUNDS),
        metavar="T",
        otherwise=f"{ROUNDS_PER_COLUMN} per column",
    ),
)
"""Of methods whose distribution is a graphical model."""
POINT_OPTIONS = (
    Parameter(
        "top",
        LOG_GROUP,
        "rap, rap++: number of tables or thresholds chosen in a round",
        "integer",
        Range(least=1, most=MOST_AT_ONCE, reason="chosen in a round"),
        metavar="K",
        otherwise="depends on the method",
    ),
    Parameter(
        "thresholds",
        LOG_GROUP,
        "rap++: number of linear thresholds of the numbers to draw and choose among",
        "integer",
        Range(least=1, most=MOST_QUERIES, reason="queries"),
        metavar="Q",
        default=THRESHOLDS,
    ),
    Parameter(
        "mixed",
        LOG_GROUP,
        "rap++: number of mixed marginals (two numbers, each at most a level, by a label) to draw besides thresholds",
        "integer",
        Range(least=1, most=MOST_QUERIES, reason="queries"),
        metavar="Q",
        otherwise="none",
    ),
    Parameter(
        "points",
        LOG_GROUP,
        "rap, rap++: number of relaxed rows to fit",
        "integer",
        Range(least=10, most=MOST_POINTS, reason="relaxed rows"),
        metavar="R",
        default=POINTS,
    ),
)
IMPOSSIBLE = Parameter(
    "impossible",
    LOG_GROUP,
    "impossible combinations of values, publicly known to occur in no record",
    "file",
    metavar="FILE",
    role="read",
)
LOG_FILE = Parameter(
    "log",
    LOG_GROUP,
    "write the log to FILE: every noisy table and every choice, with its cost",
    "file",
    metavar="FILE",
    role="written",
    otherwise="next to the table, under its name with .log.json",
)
REDRAW = Parameter(
    "redraw",
    LOG_GROUP,
    "draw new rows from a log, with only --k, --seed and --values; no table is read and nothing is spent",
    "file",
    metavar="LOG",
    role="read",
)
TABLE_TO_READ = replace(TABLE, optional=True, hint="name the table, or a log to draw new rows from (--redraw LOG)")
RELEASE_FILE = Parameter(
    "release",
    "",
    "write the noisy numbers behind the table to FILE, for `certify` and `train`",
    "file",
    metavar="FILE",
    role="written",
    otherwise="next to the table, under its name with .release.json; not for lp or methods with a log",
)
_ROUNDS = replace(
    LOG_OPTIONS[-1],
    text=f"{LOG_OPTIONS[-1].text}; rap, rap++, gem: number of rounds",
    otherwise=f"aim: {LOG_OPTIONS[-1].otherwise}; others: from public facts",
)
SYNTH_OPTIONS = (METHOD, LABEL, LABELS, DISTANCE_SHARE, *LOG_OPTIONS[:-1], _ROUNDS, *POINT_OPTIONS, NUMBERS)
"""Options of all methods except the linear programme, apart from files."""

_ONLY_LP = (
    "accuracy",
    "family",
    "measure",
    "m",
    "rows",
    "solver",
    "variant",
    "lipschitz",
    "cells_per_axis",
    "bernstein_degree",
    "bernstein_order",
    "bandwidth",
    "certificate",
    "anyway",
    "exact",
)
GRAPHICAL = (AIM, MST, TREE, GEN)
"""Methods whose distribution is a graphical model, except for a tilt of gen."""
KNOWING_LABELS = (MOMENTS, TREE, RAP, RAP_PP, MERF)
"""Methods that preserve more of how other columns relate to a label."""
TAKEN_BY: dict[str, tuple[str, ...]] = dict.fromkeys(_ONLY_LP, (LP,)) | {
    "label": (MOMENTS, *LOGGED),
    "labels": (RAP, RAP_PP),
    "distance": (MOMENTS, *LOGGED),
    "mechanism": (LP, INDEPENDENT),
    "release": (MOMENTS, INDEPENDENT),
    "degree": (LP, AIM, GEN, RAP, RAP_PP),
    "most_cells": (AIM,),
    "model_mb": GRAPHICAL,
    "rounds": (AIM, RAP, RAP_PP, GEM),
    "top": (RAP, RAP_PP),
    "thresholds": (RAP_PP,),
    "mixed": (RAP_PP,),
    "numbers": (RAP_PP,),
    "points": (RAP, RAP_PP),
    "impossible": GRAPHICAL,
    "log": LOGGED,
}
"""Options that not every method takes."""
TAKEN_BY_REDRAW = ("redraw", "k", "seed", "synthetic", "values", "format", "output", "report", "force")
"""New rows from a log take these and nothing else; the rest is in the log."""


def degree_of_all(degree: Parameter) -> Parameter:
    """The linear programme's degree, in words that include the other methods that take it."""
    return replace(
        degree,
        text="lp: queries on at most D attributes; aim, rap, rap++: preserve tables of D columns; gen: measure all",
        default=None,
        otherwise=f"{degree.default}; aim: {DEGREES[AIM]}",
    )


def takers(given: Iterable[str]) -> tuple[tuple[str, ...], str | None]:
    """The methods that take all of these options, and the last option that left out one."""
    left: tuple[str, ...] = METHODS
    deciding = None
    for name in given:
        if name in TAKEN_BY and not set(left) <= set(TAKEN_BY[name]):
            left, deciding = tuple(method for method in left if method in TAKEN_BY[name]), name
    return left, deciding


def require_taken(method: str, given: Iterable[str]) -> None:
    """Refuse by name an option of another method."""
    for name in given:
        if method not in TAKEN_BY.get(name, METHODS):
            option = name.replace("_", "-")
            raise UsageError(f"{option} is for --method {' or '.join(TAKEN_BY[name])}, not for {method}")


def require_redraw(given: Iterable[str]) -> None:
    """Refuse by name what a log has already decided."""
    for name in given:
        if name not in TAKEN_BY_REDRAW:
            option = name.replace("_", "-")
            raise UsageError(f"{option} is not for --redraw: rows of a log take only k, seed, synthetic and values")


def may_take(method: str, said: str | None, given: Iterable[str]) -> bool:
    """Whether the table may be made by that method, as far as the given options decide."""
    if said not in (None, AUTO):
        return said == method
    left = takers(given)[0]
    return method in left and (
        method in AUTOMATIC or len(left) == 1
    )  # options may leave one that is never chosen automatically
