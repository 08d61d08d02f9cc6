"""Schemas of conclusions from a release, and of plans for them."""

from __future__ import annotations

from typing import get_args

from mechanisms.infer.parameters import QUESTIONS
from release.marginals.file import Origin
from synthbounds.schemas.inference_details import ABOUT, CONCLUSION, DETAILS, ENDS, KIND
from synthbounds.schemas.inference_plans import PLANS
from synthbounds.schemas.parts import (
    DIGEST,
    ESTIMATE,
    IS_SIMULATED,
    SHOWN,
    STAMP,
    TEXT,
    Fields,
    Schema,
    choice,
    either,
    has,
    many,
    maybe,
    output,
    when,
)

_FIRST: Fields = {
    "about": (maybe(ABOUT), "of the first conclusion, like the next four"),
    "kind": maybe(KIND),
    "level": maybe(SHOWN),
    "estimate": maybe(ESTIMATE),
    "interval": maybe(ENDS),
}
INFERENCES: dict[str, tuple[str, str, Schema]] = {
    "output-infer": (
        "infer",
        "What is concluded from a release: intervals that say in which sense they hold, and what else was found.",
        output(
            "infer",
            {
                "question": choice(QUESTIONS),
                "mode": (choice(get_args(Origin)), "elsewhere: tables that someone else made, taken on trust"),
                "stamp": STAMP,
                "release": (TEXT, "its kind"),
                "release_digest": DIGEST,
                **_FIRST,
                "conclusions": (many(CONCLUSION), "the most important first"),
                "details": either(*(body for name, body in DETAILS.items() if name != "fit")),
            },
            rules=[IS_SIMULATED, *(when("question", name, has(details=body), {}) for name, body in DETAILS.items())],
        ),
    ),
    "output-infer-plan": (
        "infer --plan",
        "What can be concluded from a planned release; nothing is spent, and nothing is certified about a table.",
        output(
            "infer",
            {"question": choice(PLANS), "plan": either(*PLANS.values())},
            rules=[when("question", name, has(plan=body), {}) for name, body in PLANS.items()],
        ),
    ),
}
