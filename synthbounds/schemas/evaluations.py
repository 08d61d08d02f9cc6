"""Schema of an evaluation: errors and scores of a synthetic table compared with the real one."""

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
            "mean": (maybe(ESTIMATE), "null if there are none"),
            "largest": maybe(ESTIMATE),
            "where": (TEXT, "the largest is"),
            "undefined": (COUNT, "without an error, such as a correlation with a constant column"),
        }
    ),
    "Absolute differences between the two tables.",
)
_SCORES = part(
    "scores",
    obj({"accuracy": maybe(_SHARE), "auc": maybe(_SHARE), "log_loss": maybe(ESTIMATE), "reason": TEXT}),
    "Of one learner on the test rows; null for the stated reason.",
)
_TABLES = obj(
    {
        "ways": (whole(1, MOST_WAYS), "columns of each table"),
        "sets": (COUNT, "of this many columns"),
        "counted": (COUNT, "of them; a sample if there are too many"),
        "too_large": (maybe(COUNT), "left out for their number of cells; null if not all were looked at"),
        "mean": maybe(_SHARE),
        "largest": maybe(_SHARE),
        "worst": (many(obj({"columns": TEXTS, "error": _SHARE})), "largest first"),
    }
)
_EVALUATION: Fields = {
    "stamp": (const(NEVER_PRIVATE), "always"),
    "n": (COUNT, "real rows, without test rows"),
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
                "positive": (TEXT, "the value whose probability is predicted"),
                "protocol": choice((IN_SAMPLE, OUT_OF_SAMPLE)),
                "protocol_is_stated": (BOOLEAN, "by the user; otherwise assumed"),
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
        "A synthetic table compared with the real one.",
        output("evaluate", _EVALUATION),
    ),
}
