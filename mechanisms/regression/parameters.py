"""What `regress` takes: methods, losses, and the settings of each method, all of them public."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction

from bounds.errors import UsageError
from bounds.parameter import Parameter, Range, read_numbers
from mechanisms.models.parameters import TRAINING_PARAMETERS
from mechanisms.select.settings import AIM, MST
from mechanisms.synth.parameters import LOG_OPTIONS
from mechanisms.synth.parameters import TAKEN_BY as SYNTH_TAKEN_BY
from release.parameters import (
    ACCOUNT,
    BETA,
    ENCODING_PARAMETERS,
    IGNORE_EXTRA,
    RELEASE_PARAMETERS,
    SEED,
)

MODEL, PRIVACY, DATA = "model", "privacy, for a table", "table and features"
MARGINALS, SURROGATE, SGD = "dd-ssp, aim-synth and mst-synth", "surrogate of the loss", "dp-sgd only"
GROUPS = (MODEL, PRIVACY, DATA, MARGINALS, SURROGATE, SGD)

SSP_EDGE, SSP, ADASSP, DD_SSP = "ssp-edge", "ssp", "adassp", "dd-ssp"
OBJPERT, DP_SGD, AIM_SYNTH, MST_SYNTH = "objpert", "dp-sgd", "aim-synth", "mst-synth"
METHODS = (SSP_EDGE, SSP, ADASSP, DD_SSP, OBJPERT, DP_SGD, AIM_SYNTH, MST_SYNTH)
ROWS = {AIM_SYNTH: AIM, MST_SYNTH: MST}
"""Methods that train on rows, with the mechanism that makes them."""
SQUARED, LOGISTIC, POISSON = "squared", "logistic", "poisson"
LOSSES = (SQUARED, LOGISTIC, POISSON)
PRINTED, SHARP, GAUSSIAN = "printed", "sharp", "gaussian"
GRAPHICAL, MIXTURE = "graphical", "mixture"
CHEBYSHEV, MINIMAX, PUBLISHED = "chebyshev", "minimax", "published"

GIVEN = Parameter(
    "given",
    "",
    "real table, CSV with a header or Parquet, or a release made from one: moments, marginals, or a log",
    "file",
    metavar="TABLE|RELEASE",
    role="read",
    positional=True,
)
_MODEL = (
    Parameter(
        "method",
        MODEL,
        "for a table: ssp-edge (noisy sums, with a ridge as large as their noise), ssp (without that ridge), adassp, "
        "dd-ssp (sums from private marginals), objpert (noise in the objective), dp-sgd (only simulations), "
        "aim-synth, mst-synth (trained on synthetic rows); for a release: the one for its kind",
        "choice",
        choices=METHODS,
        otherwise=f"{SSP_EDGE}; dd-ssp for marginals and logs",
    ),
    Parameter(
        "loss",
        MODEL,
        "squared, logistic (a label of two values), or poisson (counts; with dd-ssp and ssp-edge)",
        "choice",
        choices=LOSSES,
        otherwise="logistic for a label of two values, squared for numbers",
    ),
    replace(
        TRAINING_PARAMETERS["tau"],
        group=MODEL,
        text="largest norm of the model, with features in the unit ball",
        default=None,
        otherwise="none; poisson: where its surrogate ends",
    ),
    Parameter(
        "edition",
        MODEL,
        "ssp, adassp and objpert: printed (as in ddssp2024; for ssp and adassp, for study only), {default} (default) "
        "or, for objpert, gaussian (at a cost that an account in rho can record)",
        "choice",
        choices=(PRINTED, SHARP, GAUSSIAN),
        default=SHARP,
    ),
    replace(BETA, group=MODEL, text="failure probability of the certificate (default {default})"),
)
_PRIVACY = (
    *(replace(RELEASE_PARAMETERS[name], group=PRIVACY) for name in ("mode", "adjacency")),
    replace(RELEASE_PARAMETERS["epsilon"], group=PRIVACY, text="total privacy parameter epsilon"),
    *(replace(RELEASE_PARAMETERS[name], group=PRIVACY) for name in ("dp_delta", "least_size")),
    replace(ACCOUNT, group=PRIVACY),
    replace(SEED, group=PRIVACY),
)
_DATA = (
    replace(RELEASE_PARAMETERS["schema"], group=DATA),
    replace(
        RELEASE_PARAMETERS["label"],
        group=DATA,
        text="column to predict: two values, or numbers",
        otherwise="the label of a release of moments",
    ),
    *(replace(RELEASE_PARAMETERS[name], group=DATA) for name in ("positive", *ENCODING_PARAMETERS)),
    replace(IGNORE_EXTRA, group=DATA),
    replace(
        RELEASE_PARAMETERS["weight"], group=DATA, text="ssp and ssp-edge: squared weight of the sums with the label"
    ),
)
_MARGINALS = (
    Parameter(
        "marginals",
        MARGINALS,
        "dd-ssp, for a table: method that releases the marginals, {choices}",
        "choice",
        choices=(AIM, MST),
        default=AIM,
    ),
    Parameter(
        "estimate",
        MARGINALS,
        "model fitted to a log: {default} (default), or mixture (of independent columns, as in the paper's ablation)",
        "choice",
        choices=(GRAPHICAL, MIXTURE),
        default=GRAPHICAL,
    ),
    Parameter(
        "most_codes",
        MARGINALS,
        "aim: ordered columns with more codes than this, except the label, are cut into this many parts in tables with "
        "other columns",
        "integer",
        Range(least=2, most=10**6, reason="codes"),
        metavar="C",
        default=16,
    ),
    *(replace(option, group=MARGINALS) for option in LOG_OPTIONS),
)
_SURROGATE = (
    Parameter(
        "surrogate",
        SURROGATE,
        "{default} (default), chebyshev (interpolation, as in the paper), or published (as in the paper's program)",
        "choice",
        choices=(MINIMAX, CHEBYSHEV, PUBLISHED),
        default=MINIMAX,
    ),
    Parameter(
        "degree",
        SURROGATE,
        "dd-ssp: degree of the polynomial, even",
        "integer",
        Range(least=2, most=6, reason="moments of higher degree are too many"),
        default=2,
    ),
    Parameter(
        "reach",
        SURROGATE,
        "the surrogate is near the loss at scores from -R to R",
        "rational",
        Range(above=0, most=100, reason="a score"),
        metavar="R",
        otherwise="6; poisson: 1",
    ),
)
_SGD = (
    Parameter(
        "batch",
        SGD,
        "expected number of records in a step",
        "integer",
        Range(least=1, reason="records"),
        metavar="B",
        otherwise="a tenth of --least-size",
    ),
    Parameter(
        "epochs", SGD, "passes over the records", "integer", Range(least=1, most=1000, reason="passes"), default=18
    ),
    Parameter(
        "clip", SGD, "largest norm of a gradient", "rational", Range(above=0, most=1000, reason="a length"), default=2
    ),
    Parameter(
        "rate",
        SGD,
        "step size",
        "rational",
        Range(above=0, most=10**6, reason="a rate"),
        otherwise="depends on the noise",
    ),
    Parameter("tune", SGD, "choose the rate on a part of the records, which the fit then lacks", "flag"),
)
KEPT = Parameter(
    "release",
    "",
    "write the noisy numbers behind the model to FILE, for `certify` and for further models",
    "file",
    metavar="FILE",
    role="written",
    otherwise="next to the model, under its name with .release.json; objpert and dp-sgd have none",
)
REGRESS = (GIVEN, KEPT, *_MODEL, *_PRIVACY, *_DATA, *_MARGINALS, *_SURROGATE, *_SGD)
"""All that the command takes, files included."""
REGRESS_PARAMETERS: dict[str, Parameter] = {parameter.name: parameter for parameter in REGRESS}

_BY_SUMS = (SSP_EDGE, SSP)
_OF_LOGS = ("most_codes", *(option.name for option in LOG_OPTIONS))
TAKEN_BY: dict[str, tuple[str, ...]] = {
    "weight": _BY_SUMS,
    "edition": (SSP, ADASSP, OBJPERT),
    "marginals": (DD_SSP,),
    "estimate": (DD_SSP, *ROWS),
    **dict.fromkeys(_OF_LOGS, (DD_SSP, *ROWS)),
    "degree": (DD_SSP,),
    **dict.fromkeys(("surrogate", "reach"), (DD_SSP, ADASSP, *_BY_SUMS)),
    **{parameter.name: (DP_SGD,) for parameter in _SGD},
}
"""Options that not every method takes."""
OF_MECHANISMS: dict[str, tuple[str, ...]] = {"most_codes": (AIM,)} | {
    option.name: SYNTH_TAKEN_BY[option.name] for option in LOG_OPTIONS
}
"""Settings of logs that not every mechanism has."""


def is_study(method: str, edition: str | None) -> bool:
    """Whether the noise is the printed one, with which nothing may be released."""
    return method in (SSP, ADASSP) and edition == PRINTED


def keeps_release(method: str, edition: str | None) -> bool:
    """Whether something is measured that can be kept next to the model."""
    return method not in (OBJPERT, DP_SGD) and not is_study(method, edition)


OF_A_TABLE = (*(p.name for p in _PRIVACY), "schema", "ignore_extra", "weight", "edition", "marginals", *_OF_LOGS)
"""What a release has already decided."""


def require_taken(method: str, given: Iterable[str]) -> None:
    """Refuse by name an option of another method."""
    for name in given:
        if method not in TAKEN_BY.get(name, METHODS):
            option = name.replace("_", "-")
            raise UsageError(f"{option} is for --method {' or '.join(TAKEN_BY[name])}, not for {method}")


def read_regression_numbers(given: Mapping[str, object]) -> dict[str, Fraction]:
    """The given numbers, exactly, each checked against its range; None means not given."""
    return read_numbers(REGRESS_PARAMETERS, given, of="a regression")
