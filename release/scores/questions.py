"""Every kind of question that files may hold, by the name they give it."""

from __future__ import annotations

from bounds.errors import DataError
from release.data.schema import Schema
from release.files.strict_json import shown
from release.statistics.area_under_curve import AreaUnderCurve
from release.statistics.calibration import Calibration
from release.statistics.excess_over import ExcessOver
from release.statistics.label_counts import LabelCounts
from release.statistics.least_loss import LeastLoss
from release.statistics.model_loss import ModelLoss
from release.statistics.predicted_loss import PredictedLoss
from release.statistics.question import Question

_KINDS: tuple[type[Question], ...] = (
    AreaUnderCurve,
    Calibration,
    LabelCounts,
    PredictedLoss,
    ModelLoss,
    LeastLoss,
    ExcessOver,
)
QUESTIONS: dict[str, type[Question]] = {kind.KIND: kind for kind in _KINDS}


def question_of(body: object, schema: Schema, where: str) -> Question:
    """The question that an object of a file describes, for that schema; checked strictly by its kind."""
    kind = body.get("kind") if isinstance(body, dict) else None
    if not isinstance(kind, str) or kind not in QUESTIONS:
        raise DataError(f"{where}: kind = {shown(kind)}: must be one of {', '.join(QUESTIONS)}")
    return QUESTIONS[kind].from_json(body, schema, where)
