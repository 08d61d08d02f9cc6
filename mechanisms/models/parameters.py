"""Every parameter of training, certificates and planned queries, declared once, for help and checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from bounds.parameter import Parameter, Range, Role, read_numbers
from bounds.parameters import PARAMETERS
from release.parameters import BETA as RADII_BETA
from release.parameters import ENCODING_PARAMETERS, FEATURE_PARAMETERS, IGNORE_EXTRA, RELEASE_PARAMETERS, SEED

MODEL, TABLE = "model", "synthetic table"
CHOSEN = "label and features, for a finished table or a release without its own"
TRAINING_GROUPS = (MODEL, TABLE, CHOSEN)
MOST_ROWS = 10**7
INTERCEPTS = ("inside", "free")


def file_parameter(name: str, group: str, text: str, metavar: str, *, role: Role = "read", **more: Any) -> Parameter:
    return Parameter(name, group, text, "file", metavar=metavar, role=role, **more)


_TRAINING_TABLE = (
    Parameter(
        "tau",
        MODEL,
        "largest norm of the model, with features in the unit ball (default {default}, unless --ridge is given); "
        "auto: chosen from the release",
        "rational",
        Range(least=Fraction(1, 10**6), most=10**6, reason="a norm"),
        metavar="T",
        default=5,
    ),
    Parameter(
        "ridge",
        MODEL,
        "add (LAM/2) norm^2 to the mean loss, instead of --tau",
        "rational",
        Range(least=Fraction(1, 10**12), most=10**6, reason="weight of half the squared norm"),
        metavar="LAM",
    ),
    Parameter("loss", MODEL, kind="choice", choices=("logistic", "squared", "hinge"), default="logistic"),
    Parameter(
        "intercept",
        MODEL,
        "{default} (default): the intercept counts in norm and ridge; free: it counts in neither",
        "choice",
        choices=INTERCEPTS,
        default="inside",
    ),
    Parameter(
        "k",
        TABLE,
        "number of rows for --synthetic",
        "integer",
        Range(least=1, most=MOST_ROWS, reason="rows of the synthetic table"),
        otherwise="as many as records in the release, at most 1,000,000",
    ),
    Parameter(
        "points",
        TABLE,
        "number of rows to draw and weight",
        "integer",
        Range(least=100, most=10**6, reason="points to be weighted"),
        default=20_000,
    ),
    replace(SEED, group=TABLE, text="seed of these rows; the noise is already in the release"),
)
TRAINING_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _TRAINING_TABLE}
DEFAULT_TAU = TRAINING_PARAMETERS["tau"].number()
TRAINED_LABELS = "training is for labels +1 and -1; `synthbounds regress RELEASE --loss squared` takes numbers"
"""Why a label that is a number is refused."""
TRAIN = (
    file_parameter(
        "release",
        "",
        "release of moments, cross moments or marginals, or a finished table, .csv or .parquet",
        "RELEASE",
        positional=True,
    ),
    *_TRAINING_TABLE,
    replace(
        RELEASE_PARAMETERS["label"],
        group=CHOSEN,
        text="column that the model predicts; it has two values",
        otherwise="the label of the release",
    ),
    replace(RELEASE_PARAMETERS["positive"], group=CHOSEN),
    replace(RELEASE_PARAMETERS["schema"], group=CHOSEN, text="public schema of a finished table"),
    *(replace(RELEASE_PARAMETERS[name], group=CHOSEN) for name in ENCODING_PARAMETERS),
    replace(IGNORE_EXTRA, group=CHOSEN),
    file_parameter("synthetic", TABLE, "also write synthetic rows: .csv or .parquet", "FILE", role="written"),
    file_parameter("query", MODEL, "correct the model of this query by its answer", "QUERY"),
)
"""All that the command takes, files included."""

CLASS, SURE, PLAN = "models to compare with", "confidence", "planning, with --plan and without files"
FEATURES = "label, for a release of cross moments, and features, for one of marginals"
CERTIFY_GROUPS = (CLASS, SURE, PLAN, FEATURES)
_SIZE = Range(least=1, most=10**12, reason="number of records")

_CERTIFY_TABLE = (
    Parameter(
        "tau",
        CLASS,
        "all models of norm at most T, with features in the unit ball",
        "rational",
        Range(least=Fraction(1, 10**6), most=1000, reason="a norm"),
        metavar="T",
        otherwise="as in training, else the norm of the model",
    ),
    Parameter(
        "ridge",
        CLASS,
        "compare mean loss plus (LAM/2) norm^2, over all models unless --tau is also given",
        "rational",
        TRAINING_PARAMETERS["ridge"].range,
        metavar="LAM",
    ),
    Parameter("loss", CLASS, "logistic, squared, hinge, or another loss of `approx`", otherwise="that of the model"),
    Parameter(
        "intercept",
        CLASS,
        "inside: the intercept counts in the norm; free: it does not",
        "choice",
        choices=INTERCEPTS,
        otherwise="as in the model",
    ),
    replace(RADII_BETA, group=SURE, text="failure probability of the certificate"),
    Parameter("n", PLAN, "number of records that the table will have", "integer", _SIZE, metavar="N"),
    Parameter("epsilon", PLAN, "total privacy parameter epsilon", "rational", PARAMETERS["epsilon"].range),
    Parameter("dp_delta", PLAN, "privacy parameter delta (default 1/n^2)", "rational", PARAMETERS["dp_delta"].range),
    replace(
        RELEASE_PARAMETERS["adjacency"],
        group=PLAN,
        text="which tables are neighbours: {choices}",
        otherwise="replace-one",
    ),
    Parameter(
        "features",
        PLAN,
        "number of features, including the intercept, each linear in its column",
        "integer",
        Range(least=2, most=1000, reason="number of features, including the intercept"),
        metavar="P",
    ),
    Parameter(
        "reserve", PLAN, "share of the budget reserved for one query", "rational", RELEASE_PARAMETERS["reserve"].range
    ),
    Parameter(
        "target",
        PLAN,
        "certificate to reach; leave out --n or --epsilon to have it found",
        "rational",
        Range(least=Fraction(1, 10**9), most=1000, reason="excess risk"),
        metavar="X",
    ),
    file_parameter("like", PLAN, "earlier release whose moments stand in for those to come", "RELEASE"),
)
CERTIFICATE = file_parameter("certificate", SURE, "write the proof, for `synthbounds check`", "FILE", role="written")
CERTIFY = (
    file_parameter(
        "release", "", "release, as written by `synthbounds release`", "RELEASE", positional=True, optional=True
    ),
    file_parameter("model", "", "model, as written by `synthbounds train`", "MODEL", positional=True, optional=True),
    *_CERTIFY_TABLE,
    Parameter("held_out", SURE, "declare that the model does not depend on the noise of the fourth moments", "flag"),
    file_parameter("query", SURE, "also use the answer to this query at the model", "QUERY"),
    CERTIFICATE,
    Parameter("thorough", SURE, "also try the Fenchel-Young theorem", "flag"),
    *(replace(RELEASE_PARAMETERS[name], group=FEATURES) for name in FEATURE_PARAMETERS),
    Parameter("plan", PLAN, "predict the certificate before anything is spent", "flag"),
    Parameter("fourth", PLAN, "plan with fourth moments", "flag"),
)
"""All that the command takes, files included."""
CERTIFY_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _CERTIFY_TABLE}


def read_training_numbers(given: Mapping[str, object]) -> dict[str, Fraction]:
    """The given numbers, exactly, each checked against its range; None means not given."""
    return read_numbers(TRAINING_PARAMETERS, given, of="training")


def read_certify_numbers(given: Mapping[str, object]) -> dict[str, Fraction]:
    """The given numbers, exactly, each checked against its range; None means not given."""
    return read_numbers(CERTIFY_PARAMETERS, given, of="certificates")
