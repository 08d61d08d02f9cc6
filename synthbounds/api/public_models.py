"""Linear models from public sources other than moments: a finished synthetic table, or a release of marginals.

Nothing is spent. Features follow from the schema or are named.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from bounds.exact import Exact
from synthbounds.api.comparisons import open_synthetic
from synthbounds.api.tables import open_schema

if TYPE_CHECKING:
    from mechanisms.models.train.from_public import PublicTraining
    from release.data.schema import Schema
    from release.data.source import Records
    from release.marginals.file import Marginals

__all__ = ["train_marginals", "train_table"]


def train_table(
    finished: str | Path | Records,
    schema: str | Path | Schema,
    *,
    label: str,
    positive: str | None = None,
    one_hot: Iterable[str] = (),
    linear: Iterable[str] = (),
    by_value: Iterable[str] = (),
    reduced: Iterable[str] = (),
    tau: Exact | None = None,
    ridge: Exact | None = None,
    loss: str | None = None,
    intercept: str | None = None,
    ignore_extra: bool = False,
) -> PublicTraining:
    """A linear model trained on a finished table, which is public: never give the real one.

    `certify_distance` says how good it is on the real table, from `release_distance` with the same label and features.
    """
    from mechanisms.models.train.from_public import train_from_table
    from release.parameters import RELEASE_PARAMETERS
    from release.statistics.features import choose_features

    RELEASE_PARAMETERS["schema"].require(schema)
    RELEASE_PARAMETERS["label"].require(label)
    public = open_schema(schema, mode="simulate")
    features = choose_features(
        public, label=label, positive=positive, one_hot=one_hot, linear=linear, by_value=by_value, reduced=reduced
    )
    source = open_synthetic(finished, public, ignore_extra=ignore_extra)
    return train_from_table(source, features, tau=tau, ridge=ridge, loss=loss, intercept=intercept)


def train_marginals(
    release: str | Path | Marginals,
    *,
    label: str,
    positive: str | None = None,
    one_hot: Iterable[str] = (),
    linear: Iterable[str] = (),
    by_value: Iterable[str] = (),
    reduced: Iterable[str] = (),
    tau: Exact | None = None,
    ridge: Exact | None = None,
    loss: str | None = None,
    intercept: str | None = None,
    points: Exact | None = None,
    seed: Exact | None = None,
) -> PublicTraining:
    """A linear model trained on points with the moments that released marginals determine, for any label.

    Pairs of columns that are in no table are left out: for them, the points follow from the other moments.
    """
    from mechanisms.models.certify.marginal_moments import moments_of_marginals
    from mechanisms.models.train.from_public import train_from_marginals
    from release.marginals.read import read_marginals
    from release.parameters import DEFAULT_BETA, RELEASE_PARAMETERS
    from release.statistics.features import choose_features

    RELEASE_PARAMETERS["label"].require(label)
    found = read_marginals(release) if isinstance(release, str | Path) else release
    features = choose_features(
        found.schema, label=label, positive=positive, one_hot=one_hot, linear=linear, by_value=by_value, reduced=reduced
    )
    moments = moments_of_marginals(found, features, max(found.beta, DEFAULT_BETA))
    return train_from_marginals(
        found, moments, tau=tau, ridge=ridge, loss=loss, intercept=intercept, points=points, seed=seed
    )
