"""Parts of reports on models: how well models of several norms do, and from what a norm was chosen."""

from __future__ import annotations

from synthbounds.schemas.parts import ESTIMATE, SHOWN, Fields, many, maybe, obj

_AT: Fields = {"loss_est": ESTIMATE, "accuracy_est": ESTIMATE}
OVER_TAU: Fields = {
    "over_tau": (
        maybe(many(obj({"tau": SHOWN, **_AT}), 1)),
        "how well the best model of each norm does on synthetic rows; null if there are none",
    ),
    "model_est": (maybe(obj(_AT)), "the same for this model"),
    "constant_est": (maybe(obj(_AT)), "the same for the best constant score"),
}
CHOSEN: Fields = {
    "tau_from": (
        maybe(many(obj({"tau": SHOWN, "loss_est": ESTIMATE, "certificate_est": maybe(ESTIMATE)}), 1)),
        "from what tau was chosen, by the least sum; null if it was given",
    ),
    **OVER_TAU,
}
