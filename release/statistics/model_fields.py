"""Feature map, loss and coefficients in the description of a question: written exactly, read strictly."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from bounds.certify.margin_losses import LOSSES
from bounds.errors import DataError, ParameterError
from release.data.schema import Schema
from release.files.fields import read_choice, read_exact
from release.statistics.features import FeatureMap


def read_feature_map(fields: dict[str, Any], schema: Schema, where: str) -> FeatureMap:
    return FeatureMap.from_json(fields["feature_map"], schema, f"{where}: feature_map")


def read_loss(fields: dict[str, Any], where: str) -> str:
    return read_choice(fields["loss"], LOSSES, f"{where}: loss")


def coefficients_json(coefficients: Sequence[Fraction]) -> list[str]:
    return [str(c) for c in coefficients]


def read_coefficients(body: object, feature_map: FeatureMap, where: str) -> tuple[Fraction, ...]:
    if not isinstance(body, list) or len(body) != feature_map.size:
        raise DataError(f"{where}: must be a list of {feature_map.size}, one for each feature")
    return tuple(read_exact(value, f"[{i}]", where) for i, value in enumerate(body))


def require_loss(loss: str) -> None:
    if loss not in LOSSES:
        raise ParameterError("loss", loss, f"one of {', '.join(LOSSES)}")
