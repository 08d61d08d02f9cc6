"""Schemas of reports on queries: by a gradient, for an excess, and about predictions."""

from __future__ import annotations

from mechanisms.models.query_parameters import EXCESS, GRADIENT, PREDICTED_ASKS
from release.reserving import OPEN, SPENT
from release.statistics.prediction_choices import MODEL_SOURCES, PREDICTION_LOSSES
from synthbounds.schemas.accounts import IN_ACCOUNT
from synthbounds.schemas.parts import (
    BOOLEAN,
    COUNT,
    DECIMAL,
    DIGEST,
    ENCLOSURE,
    ESTIMATE,
    INTEGER,
    IS_SIMULATED,
    SHORT_DIGEST,
    SHOWN,
    SIZE_IS_SAID,
    SIZES,
    TEXT,
    Fields,
    Schema,
    choice,
    const,
    many,
    maybe,
    obj,
    output,
    whole,
)
from synthbounds.schemas.reports import MADE, MAYBE_DECIMAL, MAYBE_SHOWN, SEED
from synthbounds.schemas.trained import CERTIFY, CLASS, QUERY, VERDICT

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
        "the file in which the reserve is now marked as spent; null for a simulation that wrote nothing",
    ),
    "model": obj({"file": TEXT, "norm": DECIMAL, "made": TEXT}),
}
_CONFIRM: Fields = {
    "ask": const(GRADIENT),
    "statement": TEXT,
    "excess_upper": (DECIMAL, "the bound, rounded up"),
    "expected_est": (ESTIMATE, "before the query"),
    "beta": (SHOWN, "its failure probability"),
    "class": obj(CLASS),
    **MADE,
    "query": obj({"file": maybe(TEXT), **QUERY}),
    "privacy": _PRIVACY,
    **_PAID,
    **SEED,
}
_SCORES: Fields = {
    "digest": DIGEST,
    "model_digest": (maybe(DIGEST), "null if no model file was named"),
    "model_from": (maybe(TEXT), "where the model comes from; null if that was not said"),
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
    "verdict": VERDICT,
    "verdict_reason": TEXT,
    "excess_upper": (DECIMAL, "the bound, rounded up"),
    "risk_upper": (DECIMAL, "of the model"),
    "penalty": (DECIMAL, "that a ridge adds to the model's risk"),
    "floor_lower": (MAYBE_DECIMAL, "of every compared model; null for a set of models, or if n is private"),
    "constant_risk_lower": (MAYBE_DECIMAL, "of every constant score"),
    "beta": (SHOWN, "the failure probability of all of it together"),
    "class": (
        maybe(
            obj(
                {
                    **CLASS,
                    "largest_intercept": (MAYBE_SHOWN, "that was asked for, if the intercept is free"),
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
    "model": CERTIFY["model"],
}
_PREDICTED: Fields = {
    "ask": choice(PREDICTED_ASKS),
    "statement": TEXT,
    "beta": (SHOWN, "the failure probability of all of it together"),
    "loss": (maybe(choice(PREDICTION_LOSSES)), "null for areas and bins"),
    "clip": (MAYBE_SHOWN, "of probabilities, for the log loss"),
    "least_sizes": (maybe(obj({"positive": INTEGER, "other": INTEGER})), "of both classes, declared, for an area"),
    "interval": (maybe(ENCLOSURE), "of the mean loss or the area, certified; null for bins"),
    "verdict": maybe(VERDICT),
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
            "among": (maybe(COUNT), "models from which it was chosen"),
        }
    ),
    **MADE,
    "privacy": _PRIVACY,
    **SEED,
}
_PAYING: Fields = {"digest": DIGEST, "kind": TEXT, "reservation_state": choice((OPEN, SPENT))}

CONFIRMED: dict[str, tuple[str, str, Schema]] = {
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
