"""A model from an existing release: moments, marginals or a log. Nothing else enters, and nothing is spent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from bounds.errors import UsageError
from mechanisms.log_rows import WITHOUT_MODEL, RowsOfLog
from mechanisms.models.model import Model
from mechanisms.models.train.newton import rounded_coefficients
from mechanisms.pgm.from_log import estimate_log
from mechanisms.pgm.model import Model as PgmModel
from mechanisms.regression.ask import Wish, only_said, read_wish
from mechanisms.regression.even_moments import moments_of_model, moments_of_release
from mechanisms.regression.fit import Fit, fit_rows, fit_sums
from mechanisms.regression.mixture import Mixture, mixture_of_log
from mechanisms.regression.parameters import (
    AIM_SYNTH,
    DD_SSP,
    MIXTURE,
    MST_SYNTH,
    OF_A_TABLE,
    ROWS,
    SSP,
    SSP_EDGE,
)
from mechanisms.regression.regression import Regression, Source, Spent
from mechanisms.regression.sums import sums_of_release
from mechanisms.regression.table_sources import sums_of_marginals, sums_of_model
from release.log.file import MarginalLog
from release.marginals.file import Marginals
from release.moments.file import MomentRelease
from release.parameters import FEATURE_PARAMETERS, RELEASE_PARAMETERS
from release.statistics.features import FeatureMap, choose_features

if TYPE_CHECKING:
    from release.data.schema import Schema

Say = Callable[[str], None]

METHODS_OF: dict[str, tuple[str, ...]] = {
    MomentRelease.KIND: (SSP_EDGE, SSP, DD_SSP),
    Marginals.KIND: (DD_SSP,),
    MarginalLog.KIND: (DD_SSP, AIM_SYNTH, MST_SYNTH),
}
"""The methods of each kind of release, the usual one first."""


def regress_release(release: Source, given: Mapping[str, object], *, say: Say | None = None) -> Regression:
    """The requested model; options that apply only to a table are refused by name."""
    said = only_said(given)
    for name in said:
        if name in OF_A_TABLE and name != "seed":
            raise UsageError(f"{name.replace('_', '-')} is for a table: the release has already decided it")
    known = METHODS_OF[release.KIND]
    method = str(said.pop("method", known[0]))
    if method not in known:
        raise UsageError(f"method = {method}: for a release of kind {release.KIND} must be one of {', '.join(known)}")
    if method in ROWS and isinstance(release, MarginalLog) and release.method != ROWS[method]:
        raise UsageError(f"method = {method}: the log was written by {release.method}, not by {ROWS[method]}")
    for name in ("estimate", "seed"):
        if name in said and not isinstance(release, MarginalLog):
            raise UsageError(f"{name} is for a log, but the release is of kind {release.KIND}")
    features = features_for(release, said)
    wish = read_wish({n: v for n, v in said.items() if n not in FEATURE_PARAMETERS}, method=method, features=features)
    found = fit_release(release, features, wish, say=say)
    return Regression(
        method=method,
        model=model_of_fit(found, features, wish, release),
        mode="simulate" if release.is_simulated else "release",
        spent=Spent(
            epsilon=Fraction(0),
            dp_delta=Fraction(0),
            adjacency=release.adjacency,
            size=release.size if isinstance(release, Marginals) else release.stated_size,
            sensitivities=(),
        ),
        release=release,
        facts=found.facts,
        is_new=False,
    )


def features_for(release: Source, said: Mapping[str, Any]) -> FeatureMap:
    """The features of a release of moments or, for tables, which have no label, those given by options."""
    if isinstance(release, MomentRelease):
        for name in FEATURE_PARAMETERS:
            if name in said:
                raise UsageError(
                    f"{name.replace('_', '-')} is for marginals, logs and tables: this release has its own"
                )
        return release.feature_map
    return named_features(release.schema, said)


def named_features(schema: Schema, said: Mapping[str, Any]) -> FeatureMap:
    RELEASE_PARAMETERS["label"].require(said.get("label"))
    return choose_features(schema, **{name: said[name] for name in FEATURE_PARAMETERS if name in said})


def fit_release(release: Source, features: FeatureMap, wish: Wish, *, say: Say | None = None) -> Fit:
    """Coefficients from the sums in the release, or from rows of its model."""
    if isinstance(release, MomentRelease):
        return fit_sums(sums_of_release(release), wish, lambda degree: moments_of_release(release, degree))
    if isinstance(release, Marginals):
        return fit_sums(sums_of_marginals(release, features), wish)
    law = estimated_law(release, wish, say=say)
    if wish.method in ROWS:
        return fit_rows(release, features, wish, law)
    sums = sums_of_model(release, law, features)
    return fit_sums(sums, wish, lambda degree: moments_of_model(release, law, features, degree))


def estimated_law(log: MarginalLog, wish: Wish, *, say: Say | None = None) -> PgmModel | Mixture | RowsOfLog:
    """What is fitted to a log: its model or its rows, or the mixture of the paper's ablation."""
    if wish.choice("estimate") == MIXTURE:
        return mixture_of_log(log, seed=wish.seed)
    if log.method in WITHOUT_MODEL:
        from mechanisms.regression.trained_rows import MOST_ROWS

        return RowsOfLog(log, min(max(1, round(log.total_est)), MOST_ROWS), say=say)
    return estimate_log(log, say=say)


def model_of_fit(found: Fit, features: FeatureMap, wish: Wish, release: Source | None) -> Model:
    """Coefficients as decimals within the requested norm, as a model that says how it was made.

    A model that names its release is taken to be independent of the noise of the fourth moments: a model made from them
    must not name it.
    """
    named = release is not None and not (found.uses_fourth and isinstance(release, MomentRelease))
    values = np.asarray(found.coefficients, dtype=np.float64).tolist()
    p = features.size
    decimals = rounded_coefficients(values, tau=found.tau, squared_norm=features.squared_norm, counted=p)
    return Model(
        feature_map=features,
        coefficients=decimals,
        loss=wish.loss,
        tau=found.tau,
        made=f"by synthbounds regress, method {wish.method}",
        release=release.digest if named and release is not None else None,
    )
