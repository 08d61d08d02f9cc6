"""Schema of an evaluation: errors and scores of a synthetic table beside the real one."""

from __future__ import annotations

from mechanisms.evaluate.evaluation import NEVER_PRIVATE
from mechanisms.evaluate.learners import LEARNERS
from mechanisms.evaluate.parameters import IN_SAMPLE, MOST_WAYS, OUT_OF_SAMPLE
from synthbounds.render.evaluation import CONVENTION, RELATIONS
from synthbounds.schemas.parts import (
    BOOLEAN,
    COUNT,
    ESTIMATE,
    SHOWN,
    TEXT,
    TEXTS,
    Fields,
    Schema,
    choice,
    const,
    many,
    maybe,
    obj,
    output,
    part,
    whole,
)

_SHARE = {"type": "number", "minimum": 0, "maximum": 1}
_ERRORS = part(
    "errors",
    obj(
        {
            "count": COUNT,
            "mean": (maybe(ESTIMATE), "null where there are none"),
            "largest": maybe(ESTIMATE),
            "where": (TEXT, "the largest is"),
            "undefined": (COUNT, "have no error, as a correlation with a column that never changes"),
        }
    ),
    "Absolute differences between the two tables.",
)
_SCORES = part(
    "scores",
    obj({"accuracy": maybe(_SHARE), "auc": maybe(_SHARE), "log_loss": maybe(ESTIMATE), "reason": TEXT}),
    "Of one learner on the test rows; null for the reason that is said.",
)
_TABLES = obj(
    {
        "ways": (whole(1, MOST_WAYS), "columns of each table"),
        "sets": (COUNT, "of so many columns"),
        "counted": (COUNT, "of them; a sample where there are too many"),
        "too_large": (maybe(COUNT), "left out for their cells; null where not all were looked at"),
        "mean": maybe(_SHARE),
        "largest": maybe(_SHARE),
        "worst": (many(obj({"columns": TEXTS, "error": _SHARE})), "largest first"),
    }
)
_EVALUATION: Fields = {
    "stamp": (const(NEVER_PRIVATE), "always"),
    "n": (COUNT, "real rows, test rows not among them"),
    "k": (COUNT, "synthetic rows"),
    "errors": obj(
        {
            "convention": const(CONVENTION),
            "tables": many(_TABLES, 1, MOST_WAYS),
            "columns": many(obj({"name": TEXT, "error": _SHARE}), 1),
            **dict.fromkeys(RELATIONS, _ERRORS),
        }
    ),
    "scores": maybe(
        obj(
            {
                "label": TEXT,
                "positive": (TEXT, "the value whose chance is predicted"),
                "protocol": choice((IN_SAMPLE, OUT_OF_SAMPLE)),
                "protocol_is_stated": (BOOLEAN, "by whoever asked; otherwise supposed"),
                "test_rows": COUNT,
                "held_out": (maybe(SHOWN), "share of the real rows; null for a table of test rows"),
                "seed": maybe(COUNT),
                "without_label": (COUNT, "rows that are left out"),
                "learners": many(
                    obj({"name": choice(LEARNERS), "settings": TEXT, "real": _SCORES, "synthetic": _SCORES})
                ),
            }
        )
    ),
}
EVALUATIONS: dict[str, tuple[str, str, Schema]] = {
    "output-evaluate": (
        "evaluate",
        "A synthetic table beside the real one.",
        output("evaluate", _EVALUATION),
    ),
}
