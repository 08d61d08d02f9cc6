"""Linear models from the log of a mechanism, such as AIM: its tables, and the distance of its finished table."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from bounds.exact import Exact
from synthbounds.api.estimators import AnyModel
from synthbounds.api.modelling import chosen_features, model_on
from synthbounds.api.tables import Say

if TYPE_CHECKING:
    from mechanisms.models.certify.from_log import LogCertificate
    from release.log.file import MarginalLog

__all__ = ["certify_log"]


def certify_log(
    release: str | Path | MarginalLog,
    model: AnyModel,
    *,
    label: str | None = None,
    positive: str | None = None,
    one_hot: Iterable[str] = (),
    linear: Iterable[str] = (),
    by_value: Iterable[str] = (),
    reduced: Iterable[str] = (),
    tau: Exact | None = None,
    ridge: Exact | None = None,
    loss: str | None = None,
    intercept: str | None = None,
    beta: Exact | None = None,
    progress: Say | None = None,
) -> LogCertificate:
    """How much better any model of the class can be on the real table, by the tables of a log or by its distance.

    The smaller bound counts. Features are those of the distance, or as for marginals.
    """
    from mechanisms.models.certify.from_log import certify_from_log
    from mechanisms.models.certify.from_moments import class_for
    from mechanisms.models.parameters import read_certify_numbers
    from release.log.read import read_log
    from release.parameters import DEFAULT_BETA

    numbers = read_certify_numbers({"tau": tau, "ridge": ridge, "beta": beta})
    found = read_log(release) if isinstance(release, str | Path) else release
    features = chosen_features(
        found.schema, label, positive=positive, one_hot=one_hot, linear=linear, by_value=by_value, reduced=reduced
    )
    if features is None and found.distance is not None:
        features = found.distance.feature_map
    fitted = model_on(model, found.schema, features)
    compared_with = class_for(
        fitted, tau=numbers.get("tau"), ridge=numbers.get("ridge"), loss=loss, intercept=intercept
    )
    return certify_from_log(found, fitted, compared_with, beta=numbers.get("beta", DEFAULT_BETA), progress=progress)
