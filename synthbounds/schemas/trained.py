"""Schemas of reports on models: train and certify."""

from __future__ import annotations

from bounds.certify.verdict import INFORMATIVE, VACUOUS, WEAK
from mechanisms.models.model import FREE, INSIDE
from mechanisms.models.query_parameters import EXCESS, GRADIENT
from mechanisms.models.train.from_public import FINISHED
from release.cross_moments.file import CROSS_MOMENTS
from release.distance.planned import DISTANCE
from release.log.planned import MARGINAL_LOG
from release.marginals.file import MARGINALS, ORIGINS
from release.reserving import OPEN, SPENT
from synthbounds.schemas.files import LOSS
from synthbounds.schemas.parts import (
    ADJACENCY,
    BOOLEAN,
    COUNT,
    DECIMAL,
    DIGEST,
    ENCLOSURE,
    ESTIMATE,
    INTEGER,
    IS_SIMULATED,
    MODE,
    NULL,
    SHORT_DIGEST,
    SHOWN,
    SIZE_IS_SAID,
    SIZES,
    STAMP,
    TEXT,
    TEXTS,
    Fields,
    Schema,
    choice,
    const,
    many,
    matching,
    maybe,
    obj,
    output,
    whole,
)
from synthbounds.schemas.reach import CHOSEN, OVER_TAU
from synthbounds.schemas.reports import MADE, MAYBE_DECIMAL, MAYBE_SHOWN

_INTERCEPT = choice((INSIDE, FREE))
_TRAIN: Fields = {
    **MADE,
    "model": (TEXT, "the file that contains it"),
    "release_digest": DIGEST,
    "feature_map_digest": DIGEST,
    "features": many(TEXT, 1),
    "coefficients": (many(matching(r"-?[0-9]+(?:\.[0-9]+)?(?:E[+-]?[0-9]+)?"), 1), "exact decimal text"),
    "loss": LOSS,
    "tau": MAYBE_SHOWN,
    "ridge": MAYBE_SHOWN,
    "intercept": _INTERCEPT,
    "norm": (DECIMAL, "with the intercept, rounded up"),
    "risk_est": (ESTIMATE, "mean loss on the synthetic rows, not certified"),
    "points": COUNT,
    "seed": (INTEGER, "of the points"),
}
_TRAINED: Fields = {
    **CHOSEN,
    "zero_risk_est": (ESTIMATE, "the same for the zero model"),
    "gap_est": (maybe(ESTIMATE), "how far that is above its least value; null with a free intercept"),
    "gradient_est": ESTIMATE,
    "effective_size_est": ESTIMATE,
    "statistics": (COUNT, "moments that were fitted"),
    "largest_residual_sd_est": ESTIMATE,
    "settled": (BOOLEAN, "whether the weights did"),
    "synthetic": maybe(
        obj({"file": TEXT, "k": INTEGER, "distinct_points": COUNT, "largest_residual_sd_est": ESTIMATE})
    ),
}
_TRAINED_CROSS: Fields = {
    "kind": const(CROSS_MOMENTS),
    **{name: said for name, said in _TRAIN.items() if name != "seed"},
    "label": TEXT,
    "positive": TEXT,
    **CHOSEN,
    "zero_risk_est": _TRAINED["zero_risk_est"],
    "gap_est": _TRAINED["gap_est"],
    "gradient_est": ESTIMATE,
    "stages": (COUNT, "in which the distribution was fitted"),
    "residual_sd_est": (ESTIMATE, "the residual before the last stage, in deviations of the noise"),
}
_TRAINED_PUBLIC: Fields = {
    **{name: said for name, said in _TRAINED_CROSS.items() if name not in ("stages", "residual_sd_est", *CHOSEN)},
    "kind": choice((FINISHED, MARGINALS)),
    "mode": (maybe(choice(ORIGINS)), "of the release; null for a finished table"),
    "release_digest": maybe(DIGEST),
    "missing_pairs": (many(many(TEXT, 2, 2)), "of columns that are in no table"),
}
_CORRECTED: Fields = {
    "query_digest": DIGEST,
    "old_risk_est": (ESTIMATE, "of the model that was asked about"),
    "kept_est": (ESTIMATE, "the share of the observed difference that was taken for real"),
}
QUERY: Fields = {
    "digest": DIGEST,
    "model_digest": DIGEST,
    "reservation": SHORT_DIGEST,
    "round": whole(1),
    "previous": maybe(DIGEST),
    "loss": LOSS,
    "offset": SHOWN,
    "slope": SHOWN,
    "sensitivity": obj({"norm": const("L2"), "value": DECIMAL}),
    "mu_squared": DECIMAL,
    "mu_squared_left": DECIMAL,
    "left_state": maybe(choice((OPEN, SPENT))),
    "bound": DECIMAL,
    "beta": SHOWN,
    "failure": (obj(dict.fromkeys(("across", "along_lo", "along_hi", "release"), SHOWN)), "how beta is divided"),
    "breakdown": obj(
        {
            "observed": (DECIMAL, "what the noisy gradient would allow: not a bound"),
            "along": (
                maybe(obj({"observed": ENCLOSURE, "lo": DECIMAL, "hi": DECIMAL})),
                "null if the gradient is bounded as a whole",
            ),
            "across": obj({"observed": ENCLOSURE, "hi": DECIMAL}),
            "noise_deviation": DECIMAL,
            "other_errors": DECIMAL,
            "slack": DECIMAL,
            "scale": TEXT,
        }
    ),
}
CLASS: Fields = {"tau": MAYBE_SHOWN, "ridge": MAYBE_SHOWN, "intercept": _INTERCEPT, "loss": TEXT}
VERDICT = choice((INFORMATIVE, WEAK, VACUOUS))
CERTIFY: Fields = {
    "statement": TEXT,
    "verdict": VERDICT,
    "verdict_reason": (TEXT, "what it says about the model"),
    "excess_upper": (DECIMAL, "the bound, rounded up"),
    "excess": (maybe(ENCLOSURE), "of the best route from moments; null if the query gives the bound"),
    "beta": (SHOWN, "its failure probability"),
    "by_query": BOOLEAN,
    "class": obj({**CLASS, "R": (DECIMAL, "no score of a compared model is larger")}),
    "degree": COUNT,
    "uniform_over_models": (BOOLEAN, "whether its event covers any number of models"),
    "breakdown": many(obj({"name": TEXT, "enclosure": ENCLOSURE})),
    "routes": many(obj({"name": TEXT, "degree": COUNT, "bound": MAYBE_DECIMAL, "reason": maybe(TEXT)})),
    "query": maybe(obj(QUERY)),
    "event": obj(
        {
            "beta": SHOWN,
            "first_radius": DECIMAL,
            "second_radius": DECIMAL,
            "weighted_radius": MAYBE_DECIMAL,
            "scale": TEXT,
        }
    ),
    "trivial_bounds": (
        obj(
            {
                "zero_risk": DECIMAL,
                "largest_gap": DECIMAL,
                "constant_risk_lower": (MAYBE_DECIMAL, "null if the label is a number"),
                "model_risk_upper": DECIMAL,
                "model_penalty": (DECIMAL, "of a ridge; counted with the risk"),
            },
            {"constant_gain_lower": (DECIMAL, "of the risk below any constant score's; if the label is a number")},
        ),
        "on which the verdict is based",
    ),
    **OVER_TAU,
    "model": obj({"features": many(TEXT, 1), "norm": DECIMAL, "made": TEXT, "release": maybe(TEXT)}),
}
_FROM: Fields = {"digest": DIGEST, "stamp": STAMP, **SIZES, "feature_map_digest": DIGEST}
_FROM_MOMENTS: Fields = {
    "release": obj({**_FROM, "mode": MODE, "epsilon": SHOWN, "dp_delta": SHOWN}, rules=[IS_SIMULATED, SIZE_IS_SAID]),
    "improvements": (
        many(obj({"name": TEXT, "change": TEXT, "excess_est": ESTIMATE})),
        "what would make the bound smaller",
    ),
}
_FROM_MARGINALS: Fields = {
    "release": obj(
        {
            **_FROM,
            "kind": const(MARGINALS),
            "mode": choice(ORIGINS),
            "epsilon": MAYBE_SHOWN,
            "dp_delta": MAYBE_SHOWN,
            "route": (choice(("cells", "law")), "by the distribution of the noise, or by the radius of cells"),
            "uniform_over_maps": (BOOLEAN, "whether its event covers any number of labels and encodings"),
            "missing_pairs": (many(many(TEXT, 2, 2)), "of columns that are in no table"),
            "missing_columns": TEXTS,
        },
        rules=[IS_SIMULATED, SIZE_IS_SAID],
    ),
    "improvements": NULL,
}
_FROM_LOG: Fields = {
    "release": obj(
        {
            **_FROM,
            "kind": const(MARGINAL_LOG),
            "mode": MODE,
            "epsilon": MAYBE_SHOWN,
            "dp_delta": MAYBE_SHOWN,
            "method": TEXT,
            "by": (choice(("tables", "distance")), "of the log, whichever gives the smaller bound"),
            "tables_bound": DECIMAL,
            "distance_bound": (MAYBE_DECIMAL, "null if the log has no distance for these features"),
            "uniform_over_maps": (BOOLEAN, "whether its event covers any number of labels and encodings"),
            "missing_pairs": (many(many(TEXT, 2, 2)), "of columns that are in no table"),
            "missing_columns": TEXTS,
        },
        rules=[IS_SIMULATED, SIZE_IS_SAID],
    ),
    "improvements": NULL,
}
_FROM_DISTANCE: Fields = {
    "release": obj(
        {
            **_FROM,
            "kind": const(DISTANCE),
            "mode": MODE,
            "epsilon": (MAYBE_SHOWN, "of the budget that paid; null if only mu^2 is known"),
            "dp_delta": MAYBE_SHOWN,
            "mu_squared": (MAYBE_DECIMAL, "of Gaussian noise; null for purely private noise"),
            "synthetic": obj({"rows": INTEGER, "digest": DIGEST}),
        },
        rules=[IS_SIMULATED, SIZE_IS_SAID],
    ),
    "improvements": NULL,
}
_FROM_CROSS: Fields = {
    "release": obj(
        {
            **_FROM,
            "kind": const(CROSS_MOMENTS),
            "mode": MODE,
            "epsilon": MAYBE_SHOWN,
            "dp_delta": MAYBE_SHOWN,
            "label": TEXT,
            "positive": TEXT,
        },
        rules=[IS_SIMULATED, SIZE_IS_SAID],
    ),
    "improvements": NULL,
}
_FORECAST: Fields = {"ask": choice((EXCESS, GRADIENT)), "reserve": SHOWN, "excess_est": ESTIMATE}
_PLAN: Fields = {
    "plan": const(True),
    "solved_for": maybe(choice(("n", "epsilon"))),
    "target": MAYBE_SHOWN,
    "n": INTEGER,
    "epsilon": SHOWN,
    "dp_delta": DECIMAL,
    "adjacency": ADJACENCY,
    "reserve": SHOWN,
    "beta": SHOWN,
    "excess_est": ESTIMATE,
    "degree2_est": ESTIMATE,
    "degree4_est": maybe(ESTIMATE),
    "verdict_est": VERDICT,
    "query": (maybe(obj({**_FORECAST, "pays": BOOLEAN})), "the best of the queries"),
    "queries": many(obj(_FORECAST)),
    "event": obj({"first_radius": DECIMAL, "second_radius": DECIMAL}),
    "guess": (TEXT, "what is used for the moments of the table"),
}

MODELS: dict[str, tuple[str, str, Schema]] = {
    "output-train": (
        "train",
        "On a model; the model itself is a file.",
        output("train", {**_TRAIN, **_TRAINED}, rules=[IS_SIMULATED]),
    ),
    "output-train-query": (
        "train --query",
        "On a model that the answer to a query corrected.",
        output("train", {**_TRAIN, **_CORRECTED}, rules=[IS_SIMULATED]),
    ),
    "output-train-cross-moments": (
        "train, from cross moments",
        "On a model from a release of cross moments; the model itself is a file.",
        output("train", _TRAINED_CROSS, rules=[IS_SIMULATED]),
    ),
    "output-train-public": (
        "train, from marginals or on a finished table",
        "On a model from marginals or from a finished table; the model itself is a file.",
        output("train", _TRAINED_PUBLIC, rules=[IS_SIMULATED]),
    ),
    "output-certify-cross-moments": (
        "certify, from cross moments",
        "A bound on the excess risk of a model, from cross moments.",
        output("certify", {**CERTIFY, **_FROM_CROSS}),
    ),
    "output-certify": (
        "certify",
        "A bound on the excess risk of a model, from moments.",
        output("certify", {**CERTIFY, **_FROM_MOMENTS}),
    ),
    "output-certify-marginals": (
        "certify, from marginals",
        "A bound on the excess risk of a model, from marginals.",
        output("certify", {**CERTIFY, **_FROM_MARGINALS}),
    ),
    "output-certify-distance": (
        "certify, from a distance",
        "A bound on the excess risk of a model, from the distance of a finished table.",
        output("certify", {**CERTIFY, **_FROM_DISTANCE}),
    ),
    "output-certify-log": (
        "certify, from a log",
        "A bound on the excess risk of a model, from the log of a mechanism.",
        output("certify", {**CERTIFY, **_FROM_LOG}),
    ),
    "output-certify-plan": ("certify --plan", "What to expect from a certificate.", output("certify", _PLAN)),
}
