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

MODEL, TABLE = "the model", "the synthetic table"
CHOSEN = "label and features, where a release has none of its own, and for a finished table"
TRAINING_GROUPS = (MODEL, TABLE, CHOSEN)
MOST_ROWS = 10**7
INTERCEPTS = ("inside", "free")


def file_parameter(name: str, group: str, text: str, metavar: str, *, role: Role = "read", **more: Any) -> Parameter:
    return Parameter(name, group, text, "file", metavar=metavar, role=role, **more)


_TRAINING_TABLE = (
    Parameter(
        "tau",
        MODEL,
        "largest norm of the model, features scaled to the unit ball (default {default}, unless --ridge is given); "
        "auto: chosen on the release",
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
        "{default} (default): it counts in the norm; free: neither norm nor ridge sees it",
        "choice",
        choices=INTERCEPTS,
        default="inside",
    ),
    Parameter(
        "k",
        TABLE,
        "synthetic records for --synthetic",
        "integer",
        Range(least=1, most=MOST_ROWS, reason="synthetic records"),
        otherwise="as many as the release speaks of, at most 1,000,000",
    ),
    Parameter(
        "points",
        TABLE,
        "records that are drawn and weighted",
        "integer",
        Range(least=100, most=10**6, reason="points to be weighted"),
        default=20_000,
    ),
    replace(SEED, group=TABLE, text="seed of the points; the noise is in the release already"),
)
TRAINING_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _TRAINING_TABLE}
DEFAULT_TAU = TRAINING_PARAMETERS["tau"].number()
TRAINED_LABELS = "training is for +1 and -1; `synthbounds regress RELEASE --loss squared` takes numbers"
"""Why a label that is a number is refused."""
TRAIN = (
    file_parameter(
        "release",
        "",
        "a release of moments, cross moments or marginals, or a finished table, .csv or .parquet",
        "RELEASE",
        positional=True,
    ),
    *_TRAINING_TABLE,
    replace(
        RELEASE_PARAMETERS["label"],
        group=CHOSEN,
        text="the column that the model predicts; it has two values",
        otherwise="the one that a release names",
    ),
    replace(RELEASE_PARAMETERS["positive"], group=CHOSEN),
    replace(RELEASE_PARAMETERS["schema"], group=CHOSEN, text="of a finished table"),
    *(replace(RELEASE_PARAMETERS[name], group=CHOSEN) for name in ENCODING_PARAMETERS),
    replace(IGNORE_EXTRA, group=CHOSEN),
    file_parameter("synthetic", TABLE, "write synthetic records, too: .csv or .parquet", "FILE", role="written"),
    file_parameter("query", MODEL, "move the model of a query by its answer", "QUERY"),
)
"""All that the command takes, files included."""

CLASS, SURE, PLAN = "the models it is compared with", "confidence", "planning, with --plan and without files"
FEATURES = "the label, for a release of cross moments, and the features, for one of marginals"
CERTIFY_GROUPS = (CLASS, SURE, PLAN, FEATURES)
_SIZE = Range(least=1, most=10**12, reason="number of records")

_CERTIFY_TABLE = (
    Parameter(
        "tau",
        CLASS,
        "all models of norm at most T, features in the unit ball",
        "rational",
        Range(least=Fraction(1, 10**6), most=1000, reason="a norm"),
        metavar="T",
        otherwise="as the model was trained, else its norm",
    ),
    Parameter(
        "ridge",
        CLASS,
        "compare mean loss plus (LAM/2) norm^2, over all models unless --tau is given, too",
        "rational",
        TRAINING_PARAMETERS["ridge"].range,
        metavar="LAM",
    ),
    Parameter("loss", CLASS, "logistic, squared, hinge, or another loss of `approx`", otherwise="that of the model"),
    Parameter(
        "intercept",
        CLASS,
        "inside: it counts in the norm; free: it does not",
        "choice",
        choices=INTERCEPTS,
        otherwise="as in the model",
    ),
    replace(RADII_BETA, group=SURE, text="probability with which the certificate may fail"),
    Parameter("n", PLAN, "records that the table will have", "integer", _SIZE, metavar="N"),
    Parameter("epsilon", PLAN, "privacy to be spent in total", "rational", PARAMETERS["epsilon"].range),
    Parameter("dp_delta", PLAN, "privacy parameter delta (default 1/n^2)", "rational", PARAMETERS["dp_delta"].range),
    replace(RELEASE_PARAMETERS["adjacency"], group=PLAN),
    Parameter(
        "features",
        PLAN,
        "features with the intercept, each linear in its column",
        "integer",
        Range(least=2, most=1000, reason="features with the intercept"),
        metavar="P",
    ),
    Parameter(
        "reserve", PLAN, "share of the budget kept for one query", "rational", RELEASE_PARAMETERS["reserve"].range
    ),
    Parameter(
        "target",
        PLAN,
        "the certificate that is wanted: leave out --n or --epsilon to have it solved for",
        "rational",
        Range(least=Fraction(1, 10**9), most=1000, reason="excess risk"),
        metavar="X",
    ),
    file_parameter("like", PLAN, "an earlier release whose moments are taken for those to come", "RELEASE"),
)
CERTIFICATE = file_parameter("certificate", SURE, "write the proof, for `synthbounds check`", "FILE", role="written")
CERTIFY = (
    file_parameter("release", "", "a file written by `synthbounds release`", "RELEASE", positional=True, optional=True),
    file_parameter(
        "model", "", "a model file, as `synthbounds train` writes it", "MODEL", positional=True, optional=True
    ),
    *_CERTIFY_TABLE,
    Parameter("held_out", SURE, "the model does not depend on the noise of the fourth moments", "flag"),
    file_parameter("query", SURE, "use the answer to a query at this model, too", "QUERY"),
    CERTIFICATE,
    Parameter("thorough", SURE, "try the Fenchel-Young theorem, too", "flag"),
    *(replace(RELEASE_PARAMETERS[name], group=FEATURES) for name in FEATURE_PARAMETERS),
    Parameter("plan", PLAN, "predict the certificate before anything is spent", "flag"),
    Parameter("fourth", PLAN, "plan with fourth moments", "flag"),
)
"""All that the command takes, files included."""
CERTIFY_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _CERTIFY_TABLE}


def read_training_numbers(given: Mapping[str, object]) -> dict[str, Fraction]:
    """The numbers among the given values, exactly, checked against what they may be; None is not given."""
    return read_numbers(TRAINING_PARAMETERS, given, of="training")


def read_certify_numbers(given: Mapping[str, object]) -> dict[str, Fraction]:
    """The numbers among the given values, exactly, checked against what they may be; None is not given."""
    return read_numbers(CERTIFY_PARAMETERS, given, of="certificates")
