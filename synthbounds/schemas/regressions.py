"""Schema of the report on a private regression."""

from __future__ import annotations

from bounds.certify.verdict import INFORMATIVE, VACUOUS, WEAK
from mechanisms.regression.parameters import LOSSES, METHODS
from synthbounds.schemas.accounts import IN_ACCOUNT
from synthbounds.schemas.parts import (
    BOOLEAN,
    DECIMAL,
    DIGEST,
    IS_SIMULATED,
    NORM,
    SHOWN,
    SIZE_IS_SAID,
    SIZES,
    TEXT,
    Schema,
    by_name,
    choice,
    many,
    matching,
    maybe,
    obj,
    output,
)
from synthbounds.schemas.reports import MADE, MAYBE_DECIMAL, MAYBE_SHOWN

_COEFFICIENT = matching(r"-?[0-9]+(?:\.[0-9]+)?(?:E[+-]?[0-9]+)?")
_SPENT = obj(
    {
        "paid": (BOOLEAN, "false for a simulation, and if a release was given"),
        "epsilon": SHOWN,
        "dp_delta": SHOWN,
        **SIZES,
        "sensitivities": (
            many(obj({"what": TEXT, "norm": NORM, "value": DECIMAL})),
            "of each question to the records: how far one record moves it, rounded up",
        ),
    },
    rules=[SIZE_IS_SAID],
)
REGRESSIONS: dict[str, tuple[str, str, Schema]] = {
    "output-regress": (
        "regress",
        "On a private regression; the model itself is a file.",
        output(
            "regress",
            {
                "method": choice(METHODS),
                **MADE,
                "model": (TEXT, "the file that contains it"),
                "release": (maybe(TEXT), "the file of the noisy numbers behind it, if there is one"),
                "release_digest": maybe(DIGEST),
                "feature_map_digest": DIGEST,
                "loss": choice(LOSSES),
                "label": TEXT,
                "positive": (maybe(TEXT), "null if the label is a number"),
                "label_range": (maybe(many(SHOWN, 2, 2)), "the numbers that labels of -1 and 1 stand for"),
                "prediction": (TEXT, "how it follows from a score, in words"),
                "tau": MAYBE_SHOWN,
                "norm": (DECIMAL, "with the intercept, rounded up"),
                "coefficients": (by_name(_COEFFICIENT), "by feature, exact decimal text"),
                "intercept": _COEFFICIENT,
                "facts": (by_name(TEXT), "how it came about, in words"),
                "spent": (_SPENT, "nothing if it was made from a release"),
                "excess_upper": (MAYBE_DECIMAL, "certified; null if nothing is, see not_certified"),
                "beta": MAYBE_SHOWN,
                "verdict": maybe(choice((INFORMATIVE, WEAK, VACUOUS))),
                "not_certified": (maybe(TEXT), "why"),
                "hint": (maybe(TEXT), "what would be better, from the same release"),
            },
            IN_ACCOUNT,
            rules=[IS_SIMULATED],
        ),
    )
}
