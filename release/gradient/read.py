"""Answers to planned queries read from files: every field is checked, and what follows from others is recomputed.

An answer is read together with the release it belongs to. A file that was changed, or that belongs to another release,
is refused with one line that says where.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bounds.certify.margin_losses import LOSSES
from bounds.errors import DataError
from release.files.fields import read_exact, read_integers
from release.files.strict_json import is_text, read_json_file, require_object, shown
from release.gradient.file import GradientQuery
from release.gradient.planned import GRADIENT
from release.moments.file import MomentRelease
from release.query.read import parse_answer

_CONTENT = {"feature_map", "model", "offset", "slope", "sensitivity", "noise", "sums"}


def read_query(path: str | Path, release: MomentRelease) -> GradientQuery:
    """The answer in a file, for that release."""
    text, where = read_json_file(path, "query")
    return parse_query(text, release, where=where)


def parse_query(text: str, release: MomentRelease, *, where: str = "query") -> GradientQuery:
    """The answer in JSON text, for that release; `where` begins every error message."""

    def read(fields: dict[str, Any], shared: dict[str, Any], where: str) -> GradientQuery:
        return _query(fields, shared, release, where)

    return parse_answer(text, release, read, kind=GRADIENT, content=_CONTENT, where=where)


def _query(fields: dict[str, Any], shared: dict[str, Any], release: MomentRelease, where: str) -> GradientQuery:
    model = require_object(fields["model"], f"{where}: model", {"digest", "loss", "coefficients"})
    p = release.feature_map.size
    if not isinstance(model["coefficients"], list) or len(model["coefficients"]) != p:
        raise DataError(f"{where}: model: coefficients: must be a list of {p}, one for each feature")
    if not is_text(model["loss"]) or model["loss"] not in LOSSES:
        raise DataError(f"{where}: model: loss = {shown(model['loss'])}: must be one of {', '.join(LOSSES)}")
    return GradientQuery(
        feature_map=release.feature_map,
        coefficients=tuple(
            read_exact(value, f"coefficients[{i}]", f"{where}: model") for i, value in enumerate(model["coefficients"])
        ),
        loss=str(model["loss"]),
        offset=read_exact(fields["offset"], "offset", where),
        slope=read_exact(fields["slope"], "slope", where),
        sums=read_integers(fields["sums"], p, f"{where}: sums"),
        **shared,
    )
