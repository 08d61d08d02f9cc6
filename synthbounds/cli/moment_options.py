"""Options of the commands about private moments. Values stay text: they are parsed and checked where they are used."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mechanisms.models.parameters import (
    BUDGET,
    CERTIFY_GROUPS,
    CERTIFY_PARAMETERS,
    CONFIRM_GROUPS,
    CONFIRM_PARAMETERS,
    MODEL,
    PLAN,
    SURE,
    TABLE,
    TRAINING_GROUPS,
    TRAINING_PARAMETERS,
)
from release.parameters import DATA, GROUPS, HOW, MARGINAL_PARAMETERS, MARGINALS, RELEASE_PARAMETERS
from synthbounds.cli.option_groups import add_groups

FEATURES = "the features, for a release of marginals"


def add_release(commands: Any, make: Callable[..., Any]) -> None:
    """The command `release`; `make` adds a command with what all have in common."""
    command = make(
        commands,
        "release",
        "private moments or marginals of a table, from which linear models are certified",
        "synthbounds release moments people.csv --schema people.schema.json --label income --epsilon 1 "
        "--dp-delta 1e-9 --adjacency replace-one --mode release --output release.json",
    )
    command.add_argument("kind", metavar="KIND", help="what is released: moments or marginals")
    command.add_argument("table", metavar="TABLE", help="a table, CSV with a header or Parquet")
    groups = add_groups(command, (*GROUPS, MARGINALS), RELEASE_PARAMETERS, MARGINAL_PARAMETERS)
    groups[DATA].add_argument(
        "--one-hot",
        metavar="COLUMN",
        nargs="+",
        action="extend",
        help="columns with one feature for each value instead of one that is linear in the code",
    )
    groups[DATA].add_argument(
        "--ignore-extra", action="store_true", help="leave out columns that are not in the schema"
    )
    groups[HOW].add_argument("--fourth", action="store_true", help="release fourth moments, too")
    for option, metavar, text in (
        ("--pairs", "A:B", "pairs of columns that get a table (default: all; none if no pair follows)"),
        ("--one-way", "COLUMN", "columns that get a table of their own (default: those in no pair)"),
    ):
        groups[MARGINALS].add_argument(option, metavar=metavar, nargs="*", action="extend", help=text)


def add_train(commands: Any, make: Callable[..., Any]) -> None:
    """The command `train`."""
    command = make(
        commands,
        "train",
        "a linear model trained on a synthetic table that is made from released moments alone",
        "synthbounds train release.json --tau 5 --output model.json",
    )
    command.add_argument("release", metavar="RELEASE", help="a file written by `synthbounds release moments`")
    groups = add_groups(command, TRAINING_GROUPS, TRAINING_PARAMETERS)
    groups[TABLE].add_argument("--synthetic", metavar="FILE", help="write synthetic records, too: .csv or .parquet")
    groups[MODEL].add_argument("--query", metavar="QUERY", help="move the model of a query by its answer")


def add_certify(commands: Any, make: Callable[..., Any]) -> None:
    """The command `certify`."""
    command = make(
        commands,
        "certify",
        "how much better any other linear model can be on the table that is not seen, from the release alone",
        "synthbounds certify release.json model.json",
    )
    command.add_argument("release", nargs="?", metavar="RELEASE", help="a file written by `synthbounds release`")
    command.add_argument("model", nargs="?", metavar="MODEL", help="a model file, as `synthbounds train` writes it")
    groups = add_groups(command, (*CERTIFY_GROUPS, FEATURES), CERTIFY_PARAMETERS)
    groups[SURE].add_argument(
        "--held-out", action="store_true", help="the model does not depend on the noise of the fourth moments"
    )
    groups[SURE].add_argument("--query", metavar="QUERY", help="use the answer to a query at this model, too")
    groups[SURE].add_argument("--certificate", metavar="FILE", help="write the proof, for `synthbounds check`")
    groups[SURE].add_argument("--thorough", action="store_true", help="try the Fenchel-Young theorem, too")
    for name in ("label", "positive"):
        parameter = RELEASE_PARAMETERS[name]
        groups[FEATURES].add_argument(parameter.option, metavar=parameter.metavar, help=parameter.help)
    groups[FEATURES].add_argument(
        "--one-hot", metavar="COLUMN", nargs="+", action="extend", help="columns with one feature for each value"
    )
    groups[PLAN].add_argument("--plan", action="store_true", help="predict the certificate before anything is spent")
    groups[PLAN].add_argument("--fourth", action="store_true", help="plan with fourth moments")


def add_confirm(commands: Any, make: Callable[..., Any]) -> None:
    """The command `confirm`."""
    command = make(
        commands,
        "confirm",
        "spend what a release reserved on one query at a fixed model, and certify the model by the answer",
        "synthbounds confirm people.csv release.json model.json --output query.json",
    )
    command.add_argument("table", metavar="TABLE", help="the table of the release, CSV with a header or Parquet")
    command.add_argument("release", metavar="RELEASE", help="the release; its file is marked as spent")
    command.add_argument("model", metavar="MODEL", help="a model file, as `synthbounds train` writes it")
    groups = add_groups(command, CONFIRM_GROUPS, CONFIRM_PARAMETERS)
    groups[BUDGET].add_argument(
        "--ignore-extra", action="store_true", help="leave out columns that are not in the schema"
    )
    groups[BUDGET].add_argument(
        "--anyway",
        action="store_true",
        help="ask also where the bound of the release alone is expected to be no larger",
    )
