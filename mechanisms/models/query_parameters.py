"""Every parameter of planned queries, declared once, for help and checks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from bounds.parameter import Parameter, Range, read_numbers
from mechanisms.models.parameters import CERTIFICATE, CERTIFY_PARAMETERS, CLASS, MODEL, SURE, file_parameter
from release.parameters import ACCOUNT, IGNORE_EXTRA, SEED
from release.parameters import TABLE as TABLE_FILE
from release.statistics.prediction_choices import (
    DEFAULT_BINS,
    DEFAULT_CLIP,
    MODEL_SOURCES,
    MOST_BINS,
    PREDICTION_LOSSES,
)

BUDGET = "reserved budget"
PREDICTIONS = "predictions of any model"
CONFIRM_GROUPS = (MODEL, CLASS, PREDICTIONS, SURE, BUDGET)
PREDICTED_LOSS, AUC, CALIBRATED = "loss", "auc", "calibration"
PREDICTED_ASKS = (PREDICTED_LOSS, AUC, CALIBRATED)
_CLASS_SIZE = Range(least=1, most=10**12, reason="lower bound on the size of a class")
AUTO, EXCESS, GRADIENT = "auto", "excess", "gradient"

_CONFIRM_TABLE = (
    Parameter(
        "ask",
        SURE,
        "excess: how much more the model loses than the best one it is compared with; gradient: the gradient of the "
        "mean loss at the model; {default} (default): whichever is expected to certify more; in rounds, the gradient; "
        "with --predictions: loss (default), auc or calibration",
        "choice",
        choices=(AUTO, EXCESS, GRADIENT, *PREDICTED_ASKS),
        default=AUTO,
    ),
    CERTIFY_PARAMETERS["tau"],
    CERTIFY_PARAMETERS["ridge"],
    Parameter(
        "largest_intercept",
        CLASS,
        "with a free intercept: the largest absolute value to compare with",
        "rational",
        Range(above=0, most=1000, reason="absolute value of an intercept"),
        metavar="B",
        otherwise="large enough, by the moments of the release",
    ),
    Parameter(
        "model_from",
        MODEL,
        "source of the model: public knowledge, a release, or this very table (then the model is not private)",
        "choice",
        choices=MODEL_SOURCES,
        hint="say where the model comes from (--model-from public, release or table)",
    ),
    Parameter(
        "loss",
        PREDICTIONS,
        "loss of the predictions: log (of clipped probabilities), zero-one (errors) or brier (squares)",
        "choice",
        choices=PREDICTION_LOSSES,
        hint="log, zero-one or brier (--loss)",
    ),
    Parameter(
        "clip",
        PREDICTIONS,
        "log loss: probabilities are clipped to lie between C and 1 - C",
        "rational",
        Range(least=Fraction(1, 10**6), below=Fraction(1, 2), reason="a probability"),
        metavar="C",
        otherwise=str(DEFAULT_CLIP),
    ),
    Parameter(
        "least_positive",
        PREDICTIONS,
        "for --ask auc: lower bound on the records with the positive label",
        "integer",
        _CLASS_SIZE,
    ),
    Parameter(
        "least_other",
        PREDICTIONS,
        "for --ask auc: lower bound on the records with the other label",
        "integer",
        _CLASS_SIZE,
    ),
    Parameter(
        "bins",
        PREDICTIONS,
        "for --ask calibration: number of equal bins of the probability",
        "integer",
        Range(least=1, most=MOST_BINS, reason="bins of equal width"),
        otherwise=str(DEFAULT_BINS),
    ),
    CERTIFY_PARAMETERS["beta"],
    Parameter(
        "part",
        BUDGET,
        "share of the reserved budget that this query spends; the rest pays for a second one",
        "rational",
        Range(above=0, most=1, reason="a share of the reserved budget"),
        metavar="SHARE",
        default=1,
    ),
    file_parameter("previous", BUDGET, "previous query, if what it left pays for this one", "QUERY"),
    replace(SEED, group=BUDGET, text="for a simulated release: seed of the noise"),
)
CONFIRM = (
    replace(TABLE_FILE, text="table of the release: CSV with a header, or Parquet"),
    file_parameter("release", "", "release; its file is marked as spent", "RELEASE", positional=True),
    file_parameter(
        "model",
        "",
        "model, as written by `synthbounds train`; with --predictions, any file, of which a digest is kept",
        "MODEL",
        positional=True,
        optional=True,
        hint="give the file of a linear model, or --predictions",
    ),
    *_CONFIRM_TABLE,
    Parameter(
        "predictions",
        PREDICTIONS,
        "CSV with a header and one number per record, in the order of the table; of several files, the best is chosen",
        "list",
        metavar="FILE",
        role="read",
    ),
    Parameter(
        "against",
        CLASS,
        "compare with these models instead, as written by `synthbounds train`",
        "list",
        metavar="MODEL",
        role="read",
    ),
    CERTIFICATE,
    replace(ACCOUNT, group=BUDGET),
    replace(IGNORE_EXTRA, group=BUDGET),
    Parameter(
        "anyway",
        BUDGET,
        "ask even if no gain over the release alone, or over no data, is expected",
        "flag",
    ),
)
"""All that the command takes, files included."""
CONFIRM_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in _CONFIRM_TABLE}


def read_confirm_numbers(given: Mapping[str, object]) -> dict[str, Fraction]:
    """The given numbers, exactly, each checked against its range; None means not given."""
    return read_numbers(CONFIRM_PARAMETERS, given, of="a planned query")
