"""A release of moments as statistics of rows: means of y f and of f f', or those that determine correlations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import NotApplicable
from mechanisms.improve.wanted import Wanted
from mechanisms.models.train.targets import release_targets
from mechanisms.projection.kinds import MomentStatistics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mechanisms.projection.statistics import Floats, Places
    from release.data.domain import Codes
    from release.moments.file import MomentRelease
    from release.statistics.features import FeatureMap


def wanted_moments(release: MomentRelease, rows: Codes, columns: Sequence[str] | None) -> Wanted:
    """All first and second moments; with `columns`, only those of their features, and of the label if it is named."""
    features = release.feature_map
    targets = release_targets(release)
    chosen = np.arange(features.size) if columns is None else _features_of(features, columns)
    labelled = columns is None or features.label in columns
    if columns is not None and labelled and features.label_is_number:
        raise NotApplicable(
            f"features = {features.label}: a release of moments says nothing about squares of a numeric label, so it "
            "determines no correlation with it"
        )
    singles = chosen if labelled else chosen[:0]
    pairs = upper_pairs(chosen)
    values = features.features(rows) / float(features.one)
    labels = features.labels(rows) / float(features.label_one)
    names = (*features.names[:-1], "")
    return moment_wanted(
        MomentStatistics(values, labels, singles, pairs),
        np.concatenate([targets.first[singles], targets.second[pairs]]),
        np.concatenate([targets.first_sd[singles], targets.second_sd[pairs]]),
        names,
        label=features.label,
        text=f"first and second moments of {len(chosen) - 1} features" + (f" and of {features.label}" * labelled),
    )


def moment_wanted(
    statistics: MomentStatistics, targets: Floats, sds: Floats, names: Sequence[str], *, label: str = "", text: str
) -> Wanted:
    """Moments with their names; the intercept has an empty name, since a factor of 1 need not be mentioned."""
    singles, (left, right) = statistics.singles, statistics.pairs
    still = np.array([bool((column == column[0]).all()) for column in statistics.features.T])
    still[[place for place, name in enumerate(names) if not name]] = False

    def name(place: int) -> str:
        if place < len(singles):
            return product_name(label, names[singles[place]])
        i, j = left[place - len(singles)], right[place - len(singles)]
        return product_name(names[i], names[j])

    repeated = np.concatenate([still[singles], still[left] | still[right]])
    return Wanted(statistics, targets, sds, name, text, repeated)


def upper_pairs(places: Places) -> tuple[Places, Places]:
    """Each paired with itself and all later ones."""
    rows, columns = np.triu_indices(len(places))
    return places[rows], places[columns]


def product_name(one: str, other: str) -> str:
    """A product in words; an empty name stands for 1.

    >>> product_name("age", ""), product_name("age", "age"), product_name("pays", "age")
    ('age', 'age squared', 'pays x age')
    """
    if not one or not other:
        return one or other or "records"
    return f"{one} squared" if one == other else f"{one} x {other}"


def _features_of(features: FeatureMap, columns: Sequence[str]) -> Places:
    """The features of these columns, and the intercept."""
    owners = [name for name, block in zip(features.columns, features.blocks, strict=True) for _ in block[0]]
    for column in columns:
        if column != features.label and column not in owners:
            raise NotApplicable(f"features = {column}: has no features in this release")
    return np.array([*(place for place, owner in enumerate(owners) if owner in columns), features.size - 1])
