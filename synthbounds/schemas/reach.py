"""Parts of reports on models that say what the class reaches over its norm, and from what a norm was chosen."""

from __future__ import annotations

from synthbounds.schemas.parts import ESTIMATE, SHOWN, Fields, many, maybe, obj

_AT: Fields = {"loss_est": ESTIMATE, "accuracy_est": ESTIMATE}
OVER_TAU: Fields = {
    "over_tau": (
        maybe(many(obj({"tau": SHOWN, **_AT}), 1)),
        "what the best model of each norm reaches on synthetic records; null where there are none",
    ),
    "model_est": (maybe(obj(_AT)), "the same of this model"),
    "constant_est": (maybe(obj(_AT)), "the same of the best constant score"),
}
CHOSEN: Fields = {
    "tau_from": (
        maybe(many(obj({"tau": SHOWN, "loss_est": ESTIMATE, "certificate_est": maybe(ESTIMATE)}), 1)),
        "what tau was chosen from, the least sum; null where it was given",
    ),
    **OVER_TAU,
}
