"""What was fixed before an answer, read from its file: question, model, failure probability; from closed sets."""

from __future__ import annotations

import re
from typing import Any

from bounds.errors import DataError
from release.files.fields import read_choice, read_exact, read_integer
from release.files.strict_json import is_text, require_object, shown
from release.parameters import BETA
from release.scores.planned import CHOICE_SHARE, SHARE_OF_CHOICE
from release.statistics.area_under_curve import AreaUnderCurve
from release.statistics.calibration import Calibration
from release.statistics.excess_over import ExcessOver
from release.statistics.model_loss import ModelLoss
from release.statistics.predicted_loss import PredictedLoss
from release.statistics.prediction_choices import MODEL_SOURCES
from release.statistics.question import Questions

_EXCESS = "excess"
_ASKS = {
    ModelLoss.KIND: _EXCESS,
    ExcessOver.KIND: _EXCESS,
    PredictedLoss.KIND: "loss",
    AreaUnderCurve.KIND: "auc",
    Calibration.KIND: "calibration",
}
"""What is asked, by the kind of the first question."""
_LONGEST_NAME = 200
_ALWAYS = {"ask", "beta", "model", "model_from"}


def read_about(body: object, questions: Questions, where: str) -> dict[str, Any]:
    """The texts, each of them checked, for those questions."""
    kind = questions.questions[0].KIND
    if kind not in _ASKS:
        raise DataError(f"{where}: the first question is of the kind {kind}, which is not asked about a model")
    of_excess = _ASKS[kind] == _EXCESS
    chosen = {CHOICE_SHARE, "among"}
    may_choose = not of_excess and kind != Calibration.KIND
    needed = _ALWAYS if of_excess else _ALWAYS | {"name"}
    fields = require_object(body, where, needed, chosen if may_choose else set())
    read_choice(fields["ask"], (_ASKS[kind],), f"{where}: ask")
    read_exact(fields["beta"], "beta", where, allowed=BETA.range)
    model, name = fields["model"], fields.get("name")
    if not (is_text(model) and re.fullmatch("[0-9a-f]{64}", model)) and (of_excess or model is not None):
        raise DataError(f"{where}: model = {shown(model)}: must be a digest")
    if fields["model_from"] is not None or not of_excess:
        read_choice(fields["model_from"], MODEL_SOURCES, f"{where}: model_from")
    if not of_excess and not (is_text(name) and name and str(name).isprintable() and len(str(name)) <= _LONGEST_NAME):
        raise DataError(f"{where}: name = {shown(name)}: must be a printable name of up to {_LONGEST_NAME} characters")
    if not chosen.isdisjoint(fields):
        require_object(fields, where, chosen | set(fields))  # both or none
        read_exact(fields[CHOICE_SHARE], CHOICE_SHARE, where, allowed=SHARE_OF_CHOICE)
        if not is_text(fields["among"]):
            raise DataError(f"{where}: among = {shown(fields['among'])}: must be a whole number in quotes")
        read_integer(fields["among"], f"{where}: among", least=2, either=True)
    return {key: None if value is None else str(value) for key, value in fields.items()}
