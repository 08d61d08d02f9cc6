"""Schemas of files about scores: questions of every kind with their answers, queries for scores, and floors."""

from __future__ import annotations

from release.floors.planned import FLOORS
from release.moments.file import NOISE_LAW
from release.scores.planned import SCORES
from release.statistics.area_under_curve import AreaUnderCurve
from release.statistics.calibration import Calibration
from release.statistics.excess_over import ExcessOver
from release.statistics.label_counts import LabelCounts
from release.statistics.least_loss import LeastLoss
from release.statistics.model_loss import ModelLoss
from release.statistics.predicted_loss import PredictedLoss
from release.statistics.prediction_choices import PREDICTION_LOSSES
from synthbounds.schemas.files import (
    DRAWN,
    FEATURE_MAP,
    LOSS,
    OF_GRADIENTS,
    QUERY_FIELDS,
    QUERY_RULES,
    RELEASE_BUDGET,
    SEED_GOES_WITH_SIMULATION,
    STATED_SIZES,
    release_fields,
)
from synthbounds.schemas.parts import (
    FRACTION,
    INTEGER,
    IS_SIMULATED,
    MODE,
    SIZE_GOES_WITH_ADJACENCY,
    TEXT,
    Fields,
    Schema,
    by_name,
    choice,
    const,
    either,
    many,
    maybe,
    obj,
    part,
    text,
    whole,
)

_LABEL: Fields = {"label": text(1), "positive": TEXT}
_COEFFICIENTS = many(FRACTION, 1)
_OF_MODELS: Fields = {"feature_map": FEATURE_MAP, "loss": LOSS}
QUESTION = part(
    "question",
    either(
        obj({"kind": const(LabelCounts.KIND), **_LABEL}),
        obj({"kind": const(ModelLoss.KIND), **_OF_MODELS, "coefficients": _COEFFICIENTS}),
        obj(
            {
                "kind": const(LeastLoss.KIND),
                **_OF_MODELS,
                "tau": (maybe(FRACTION), "the largest norm"),
                "ridge": maybe(FRACTION),
                "intercept": (maybe(FRACTION), "the largest absolute value of one that does not count in the norm"),
                "gap": (INTEGER, "an answer without noise is at most this many steps too large"),
            }
        ),
        obj(
            {
                "kind": const(ExcessOver.KIND),
                **_OF_MODELS,
                "coefficients": _COEFFICIENTS,
                "others": many(_COEFFICIENTS, 1),
            }
        ),
        obj(
            {
                "kind": const(PredictedLoss.KIND),
                **_LABEL,
                "loss": choice(PREDICTION_LOSSES),
                "clip": (maybe(FRACTION), "probabilities are clipped to between this and 1 minus it"),
            }
        ),
        obj({"kind": const(AreaUnderCurve.KIND), **_LABEL, "least_positive": INTEGER, "least_other": INTEGER}),
        obj({"kind": const(Calibration.KIND), **_LABEL, "bins": whole(1)}),
    ),
    "What was asked, by kind.",
)
ASKED_FIELDS: Fields = {
    "question": QUESTION,
    "share": (FRACTION, "of what the whole costs"),
    "unit": (FRACTION, "of a step"),
    "moved": (FRACTION, "by one record, at most: in L2, in steps"),
    "deviation": (FRACTION, "of the noise, in steps"),
}
ASKED = obj(ASKED_FIELDS)
ANSWERED = obj({**ASKED_FIELDS, "answer": (many(INTEGER, 1), "noisy")})
ABOUT = part("about", by_name(maybe(TEXT)), "What was fixed before the answer: names with texts, or null.")
_SCORES = obj(
    {
        **{name: said for name, said in QUERY_FIELDS.items() if name not in OF_GRADIENTS},
        "kind": const(SCORES),
        "statistic": (text(1), "what the numbers are, in words"),
        "about": ABOUT,
        "noise": obj({"law": const(NOISE_LAW)}),
        "questions": many(ANSWERED, 1),
    },
    {**STATED_SIZES, **DRAWN},
    rules=QUERY_RULES,
)
_FLOORS = obj(
    {
        **release_fields(FLOORS, MODE, (text(1), "what the numbers are, in words")),
        "loss": LOSS,
        "tau": (many(FRACTION, 1), "norms, in increasing order"),
        "noise": obj({"law": const(NOISE_LAW)}),
        "budget": RELEASE_BUDGET,
        "feature_map": FEATURE_MAP,
        "questions": (many(ANSWERED, 2), "a floor for each norm, and counts of labels"),
    },
    {**STATED_SIZES, **DRAWN},
    rules=[SIZE_GOES_WITH_ADJACENCY, IS_SIMULATED, SEED_GOES_WITH_SIMULATION],
)
SCORE_FILES: dict[str, tuple[str, str, Schema]] = {
    "release-floors": ("Release of floors", "Noisy least losses of linear models. See docs/releases.md.", _FLOORS),
    "query-scores": ("Answer to a query for scores", "Noisy numbers about models. See docs/confirm.md.", _SCORES),
}
