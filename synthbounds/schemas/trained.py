"""Schemas of reports on models: train, certify and confirm."""

from __future__ import annotations

from typing import get_args

from bounds.certify.verdict import INFORMATIVE, VACUOUS, WEAK
from mechanisms.models.certify.marginal_moments import RouteName
from mechanisms.models.confirm.any_model import MODEL_SOURCES
from mechanisms.models.model import FREE, INSIDE
from mechanisms.models.parameters import EXCESS, GRADIENT, PREDICTED_ASKS
from mechanisms.models.train.from_public import FINISHED
from release.cross_moments.file import CROSS_MOMENTS
from release.distance.planned import DISTANCE
from release.marginals.file import MARGINALS, ORIGINS
from release.reserving import OPEN, SPENT
from release.statistics.predicted_loss import PREDICTION_LOSSES
from synthbounds.schemas.accounts import IN_ACCOUNT
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
from synthbounds.schemas.reports import MADE, MAYBE_DECIMAL, MAYBE_SHOWN, SEED

_INTERCEPT = choice((INSIDE, FREE))
_TRAIN: Fields = {
    **MADE,
    "model": (TEXT, "the file that holds it"),
    "release_digest": DIGEST,
    "feature_map_digest": DIGEST,
    "features": many(TEXT, 1),
    "coefficients": (many(matching(r"-?[0-9]+(?:\.[0-9]+)?(?:E[+-]?[0-9]+)?"), 1), "exact decimal text"),
    "loss": LOSS,
    "tau": MAYBE_SHOWN,
    "ridge": MAYBE_SHOWN,
    "intercept": _INTERCEPT,
    "norm": (DECIMAL, "with the intercept, rounded up"),
    "risk_est": (ESTIMATE, "mean loss on the synthetic records, not certified"),
    "points": COUNT,
    "seed": (INTEGER, "of the points"),
}
_TRAINED: Fields = {
    **CHOSEN,
    "zero_risk_est": (ESTIMATE, "the same of the model that is zero"),
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
    "stages": (COUNT, "in which the law was fitted"),
    "residual_sd_est": (ESTIMATE, "what was left to fit before the last stage, in deviations of the noise"),
}
_TRAINED_PUBLIC: Fields = {
    **{name: said for name, said in _TRAINED_CROSS.items() if name not in ("stages", "residual_sd_est")},
    "kind": choice((FINISHED, MARGINALS)),
    "mode": (maybe(choice(ORIGINS)), "of the release; null for a finished table"),
    "release_digest": maybe(DIGEST),
    "missing_pairs": (many(many(TEXT, 2, 2)), "of columns that no table shows"),
}
_CORRECTED: Fields = {
    "query_digest": DIGEST,
    "old_risk_est": (ESTIMATE, "of the model that was asked about"),
    "kept_est": (ESTIMATE, "the share of the observed difference that was taken for real"),
}
_QUERY: Fields = {
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
                "null where the gradient is bounded as a whole",
            ),
            "across": obj({"observed": ENCLOSURE, "hi": DECIMAL}),
            "noise_deviation": DECIMAL,
            "other_errors": DECIMAL,
            "slack": DECIMAL,
            "scale": TEXT,
        }
    ),
}
_CLASS: Fields = {"tau": MAYBE_SHOWN, "ridge": MAYBE_SHOWN, "intercept": _INTERCEPT, "loss": TEXT}
_VERDICT = choice((INFORMATIVE, WEAK, VACUOUS))
_CERTIFY: Fields = {
    "statement": TEXT,
    "verdict": _VERDICT,
    "verdict_reason": (TEXT, "what it says of the model"),
    "excess_upper": (DECIMAL, "the bound, rounded up"),
    "excess": (maybe(ENCLOSURE), "of the best route from moments; null where the query gives the bound"),
    "beta": (SHOWN, "the probability with which it may fail"),
    "by_query": BOOLEAN,
    "class": obj({**_CLASS, "R": (DECIMAL, "no score of a compared model is larger")}),
    "degree": COUNT,
    "uniform_over_models": (BOOLEAN, "whether its event serves any number of models"),
    "breakdown": many(obj({"name": TEXT, "enclosure": ENCLOSURE})),
    "routes": many(obj({"name": TEXT, "degree": COUNT, "bound": MAYBE_DECIMAL, "reason": maybe(TEXT)})),
    "query": maybe(obj(_QUERY)),
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
                "constant_risk_lower": MAYBE_DECIMAL,
                "model_risk_upper": DECIMAL,
                "model_penalty": (DECIMAL, "of a ridge; counted with the risk"),
            }
        ),
        "what the verdict is taken from",
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
            "route": (choice(get_args(RouteName)), "by the law of the noise, or by the radius of cells"),
            "missing_pairs": (many(many(TEXT, 2, 2)), "of columns that no table shows"),
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
            "epsilon": (MAYBE_SHOWN, "of the budget that paid; null where only mu^2 is known"),
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
    "verdict_est": _VERDICT,
    "query": (maybe(obj({**_FORECAST, "pays": BOOLEAN})), "the best of the queries"),
    "queries": many(obj(_FORECAST)),
    "event": obj({"first_radius": DECIMAL, "second_radius": DECIMAL}),
    "guess": (TEXT, "what stands for the moments of the table"),
}
_PRIVACY = obj(
    {
        **SIZES,
        "epsilon": SHOWN,
        "dp_delta": SHOWN,
        "mu_squared": (DECIMAL, "in total"),
        "mu_squared_spent": (MAYBE_DECIMAL, "so far; null in a simulation"),
        "epsilon_spent": MAYBE_DECIMAL,
    },
    rules=[SIZE_IS_SAID],
)
_PAID: Fields = {
    "release": obj({"file": TEXT, "digest": DIGEST, "reservation_state": choice((OPEN, SPENT))}),
    "replaced": (
        maybe(TEXT),
        "the file in which what was kept is now marked as spent; null for a simulation that wrote nothing",
    ),
    "model": obj({"file": TEXT, "norm": DECIMAL, "made": TEXT}),
}
_CONFIRM: Fields = {
    "ask": const(GRADIENT),
    "statement": TEXT,
    "excess_upper": (DECIMAL, "the bound, rounded up"),
    "expected_est": (ESTIMATE, "before the query"),
    "beta": (SHOWN, "the probability with which it may fail"),
    "class": obj(_CLASS),
    **MADE,
    "query": obj({"file": maybe(TEXT), **_QUERY}),
    "privacy": _PRIVACY,
    **_PAID,
    **SEED,
}
_SCORES: Fields = {
    "digest": DIGEST,
    "model_digest": (maybe(DIGEST), "null where no file of a model was named"),
    "model_from": (maybe(TEXT), "where the model comes from; null where that was not said"),
    "reservation": SHORT_DIGEST,
    "round": whole(1),
    "previous": maybe(DIGEST),
    "mu_squared": DECIMAL,
    "mu_squared_left": DECIMAL,
    "left_state": maybe(choice((OPEN, SPENT))),
    "questions": many(
        obj(
            {
                "kind": TEXT,
                "text": TEXT,
                "share": (SHOWN, "of the query's budget"),
                "moved": (DECIMAL, "by one record, at most: in L2, of the sums"),
                "noise_deviation": (DECIMAL, "of a mean"),
            }
        ),
        1,
    ),
}
_EXCESS: Fields = {
    "ask": const(EXCESS),
    "statement": TEXT,
    "verdict": _VERDICT,
    "verdict_reason": TEXT,
    "excess_upper": (DECIMAL, "the bound, rounded up"),
    "risk_upper": (DECIMAL, "of the model"),
    "penalty": (DECIMAL, "that a ridge adds to the model's risk"),
    "floor_lower": (MAYBE_DECIMAL, "of every compared model; null for a set of models, or where n is private"),
    "constant_risk_lower": (MAYBE_DECIMAL, "of every constant score"),
    "beta": (SHOWN, "the probability with which any of it may fail"),
    "class": (
        maybe(
            obj(
                {
                    **_CLASS,
                    "largest_intercept": (MAYBE_SHOWN, "that was asked for, where the intercept is free"),
                    "any_intercept": (BOOLEAN, "whether that is enough for the best model"),
                }
            )
        ),
        "null for a set of models",
    ),
    "against": (maybe(COUNT), "models of the set; null for a class"),
    **MADE,
    "privacy": _PRIVACY,
    **SEED,
}
_CONFIRM_EXCESS: Fields = {
    **_EXCESS,
    "expected_est": (ESTIMATE, "for a model as good as the best, before the query"),
    "query": obj({"file": maybe(TEXT), **_SCORES}),
    **_PAID,
}
_CERTIFY_EXCESS: Fields = {
    **_EXCESS,
    "by_query": const(True),
    "query": obj(_SCORES),
    "release": obj({"digest": DIGEST, "kind": TEXT, "reservation_state": choice((OPEN, SPENT))}),
    "model": _CERTIFY["model"],
}
_PREDICTED: Fields = {
    "ask": choice(PREDICTED_ASKS),
    "statement": TEXT,
    "beta": (SHOWN, "the probability with which any of it may fail"),
    "loss": (maybe(choice(PREDICTION_LOSSES)), "null for areas and bins"),
    "clip": (MAYBE_SHOWN, "of probabilities, for the log loss"),
    "least_sizes": (maybe(obj({"positive": INTEGER, "other": INTEGER})), "of both classes, declared, for an area"),
    "interval": (maybe(ENCLOSURE), "of the mean loss or the area, certified; null for bins"),
    "verdict": maybe(_VERDICT),
    "verdict_reason": maybe(TEXT),
    "constant_risk_lower": (MAYBE_DECIMAL, "of every constant prediction"),
    "floors": (
        many(
            obj(
                {
                    "tau": (SHOWN, "the largest norm"),
                    "floor": (ENCLOSURE, "the least mean loss of linear models"),
                    "difference": (
                        ENCLOSURE,
                        "the model's mean loss minus that; below 0 it is better than all of them",
                    ),
                }
            )
        ),
        "with a release of floors of the same loss",
    ),
    "bins": many(
        obj(
            {
                "from": SHOWN,
                "to": SHOWN,
                "noisy_size": INTEGER,
                "share": (ENCLOSURE, "of positives, certified for all bins at once"),
                "may_be_calibrated": (BOOLEAN, "whether a prediction of the bin is in that interval"),
            }
        )
    ),
    "model": obj(
        {
            "name": (TEXT, "of the file of predictions"),
            "digest": (maybe(DIGEST), "SHA-256 of the file of the model"),
            "from": choice(MODEL_SOURCES),
            "is_private": (BOOLEAN, "false for a model that was trained on these records"),
            "note": TEXT,
            "among": (maybe(COUNT), "models of which it was chosen"),
        }
    ),
    **MADE,
    "privacy": _PRIVACY,
    **SEED,
}
_PAYING: Fields = {"digest": DIGEST, "kind": TEXT, "reservation_state": choice((OPEN, SPENT))}

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
        output("certify", {**_CERTIFY, **_FROM_CROSS}),
    ),
    "output-certify": (
        "certify",
        "A bound on the excess risk of a model, from moments.",
        output("certify", {**_CERTIFY, **_FROM_MOMENTS}),
    ),
    "output-certify-marginals": (
        "certify, from marginals",
        "A bound on the excess risk of a model, from marginals.",
        output("certify", {**_CERTIFY, **_FROM_MARGINALS}),
    ),
    "output-certify-distance": (
        "certify, from a distance",
        "A bound on the excess risk of a model, from the distance of a finished table.",
        output("certify", {**_CERTIFY, **_FROM_DISTANCE}),
    ),
    "output-certify-plan": ("certify --plan", "What to expect of a certificate.", output("certify", _PLAN)),
    "output-certify-excess": (
        "certify --query, of an excess",
        "A bound on the excess risk of a model, by the answer to a query for it.",
        output("certify", _CERTIFY_EXCESS, rules=[IS_SIMULATED]),
    ),
    "output-confirm-excess": (
        "confirm --ask excess",
        "A bound on the excess risk of a model, by a query for the excess.",
        output("confirm", _CONFIRM_EXCESS, IN_ACCOUNT, rules=[IS_SIMULATED]),
    ),
    "output-confirm-predictions": (
        "confirm --predictions",
        "Certified intervals of the loss, the area or the calibration of any model, by a query.",
        output(
            "confirm",
            {
                **_PREDICTED,
                "query": obj({"file": maybe(TEXT), **_SCORES}),
                "release": obj({"file": TEXT, **_PAYING}),
                "replaced": _PAID["replaced"],
                "half_width_est": (ESTIMATE, "of the interval, before the query"),
            },
            IN_ACCOUNT,
            rules=[IS_SIMULATED],
        ),
    ),
    "output-certify-predictions": (
        "certify --query, about predictions",
        "The same from published files.",
        output(
            "certify",
            {**_PREDICTED, "by_query": const(True), "query": obj(_SCORES), "release": obj(_PAYING)},
            rules=[IS_SIMULATED],
        ),
    ),
    "output-confirm": (
        "confirm --ask gradient",
        "A bound on the excess risk of a model, by a query for the gradient.",
        output("confirm", _CONFIRM, IN_ACCOUNT, rules=[IS_SIMULATED]),
    ),
}
