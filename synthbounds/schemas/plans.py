"""Schema of the plan of a release."""

from __future__ import annotations

from mechanisms.planning.certificates import NORMS
from mechanisms.planning.parameters import KINDS, METHODS
from release.noise.kinds import PLAN_KINDS
from synthbounds.schemas.parts import (
    ADJACENCY,
    BOOLEAN,
    COUNT,
    DECIMAL,
    ESTIMATE,
    INTEGER,
    SHOWN,
    TEXT,
    Fields,
    Schema,
    choice,
    many,
    maybe,
    obj,
    output,
)

_MAYBE_SHOWN = maybe(SHOWN)
_ERROR = maybe(obj({"error": (DECIMAL, "rounded up"), "vacuous": (BOOLEAN, "no smaller than without any data")}))
_METHOD = choice(METHODS)
_WORK = obj(
    {
        "tables": (COUNT, "to preserve"),
        "candidates": (COUNT, "sets of columns to choose from"),
        "largest_cells": (COUNT, "of a candidate"),
        "noise_est": (DECIMAL, "deviation of a count, in records, at first"),
        "most_rounds": COUNT,
        "model_mb": (COUNT, "of the largest model"),
        "cpu_seconds_est": DECIMAL,
    }
)
_PLAN: Fields = {
    "columns": COUNT,
    "domain_size": INTEGER,
    "adjacency": ADJACENCY,
    "n_is_public": BOOLEAN,
    "n": (maybe(INTEGER), "null if it is private, or solved for"),
    "least_size": (maybe(INTEGER), "if n is private, unless it is solved for"),
    "beta": (SHOWN, "the probability with which errors may be larger, for each kind separately"),
    "epsilon": (SHOWN, "what the answer in words is about, or what n is solved for"),
    "dp_delta": (_MAYBE_SHOWN, "of rows that are not pure; null if n is solved for"),
    "wanted": maybe(obj({"error": SHOWN, "of": choice(KINDS), "method": maybe(_METHOD)})),
    "solutions": (
        many(
            obj(
                {
                    "method": _METHOD,
                    "parameter": choice(("epsilon", "n")),
                    "pure": BOOLEAN,
                    "value": (_MAYBE_SHOWN, "null if nothing is enough"),
                    "dp_delta": _MAYBE_SHOWN,
                    "error": (maybe(DECIMAL), "at the value"),
                    "neighbour": (_MAYBE_SHOWN, "one step below"),
                    "neighbour_error": (maybe(DECIMAL), "larger than acceptable; null if nothing is promised"),
                    "reason": TEXT,
                }
            )
        ),
        "what each method needs for the acceptable error",
    ),
    "rows": many(
        obj(
            {
                "method": _METHOD,
                "epsilon": SHOWN,
                "dp_delta": (_MAYBE_SHOWN, "null for pure privacy"),
                "noise": maybe(choice(PLAN_KINDS)),
                **{kind.replace("-", "_"): _ERROR for kind in KINDS},
                "reason": (TEXT, "why a kind of error is missing"),
                "work": (maybe(_WORK), "what AIM would do; null for other methods"),
            }
        )
    ),
    "certificates": (
        many(obj({"epsilon": SHOWN, "norm": choice(NORMS), "excess_est": maybe(ESTIMATE)})),
        "estimates, with delta",
    ),
    "without_certificates": (maybe(TEXT), "why there are none"),
}

PLANS: dict[str, tuple[str, str, Schema]] = {
    "output-plan": ("plan", "Errors of a release by method and epsilon.", output("plan", _PLAN)),
}
