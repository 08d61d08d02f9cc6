"""A synthetic table from noisy moments alone: points of a product distribution, tilted to the moments, then rounded.

The columns of the base are independent. Each has the maximum-entropy distribution over its codes with the noisy first
and second moments of its features. Points drawn from it get the weights of mechanisms.projection.tilting, and k rows
are taken in proportion to them by systematic rounding. All of it is a function of the release and a public seed:
post-processing, which costs no privacy. Nothing is promised about the rows beyond what is reported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bounds.errors import NotApplicable
from bounds.exact import require_range
from mechanisms.models.parameters import TRAINED_LABELS, TRAINING_PARAMETERS
from mechanisms.models.train.targets import MomentTargets
from mechanisms.projection.kinds import MomentStatistics
from mechanisms.projection.tilting import Tilt, fit_tilt

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes

    Floats = NDArray[np.float64]

POINTS = int(TRAINING_PARAMETERS["points"].number())
MOST_POINTS = 10**6
MOST_FEATURES = 100
"""The cost of a Newton step grows with the number of points times the fourth power of this."""
_BASE, _ROUNDING = 0, 1


@dataclass(frozen=True, eq=False)
class TiltedPoints:
    """Weighted records whose moments are near the noisy ones; the label is a column among the codes."""

    targets: MomentTargets
    codes: Codes
    features: Floats
    """Features on the scale of f, with the intercept."""
    labels: Floats
    tilt: Tilt
    seed: int

    @property
    def weights(self) -> Floats:
        return self.tilt.weights


@dataclass(frozen=True, eq=False)
class SyntheticRows:
    """Records of equal weight, and how far rounding took their moments from the targets."""

    codes: Codes
    largest_residual_sd: float
    distinct: int


_SECONDS = 3.7e-10
"""CPU seconds of a fit for each point, and for each product of four features: measured with 45 and 60 features."""
_WORTH_SAYING = 20


def time_estimate(features: int, points: int = POINTS) -> str | None:
    """How long training takes, as an estimate, and how to shorten it; None if that is not worth saying."""
    seconds = _SECONDS * points * features**4
    if seconds < _WORTH_SAYING or features > MOST_FEATURES:
        return None
    shown = f"{seconds:.0f} seconds" if seconds < 100 else f"{seconds / 60:.0f} minutes"
    return f"{features} features: about {shown} of computing, an estimate; fewer points or features are faster"


def tilted_points(targets: MomentTargets, *, points: int = POINTS, seed: int = 0) -> TiltedPoints:
    """Points drawn from the product base and tilted to the targets."""
    require_range("points", points, points, least=100, most=MOST_POINTS)
    require_range("seed", seed, seed, least=0, below=2**64)
    feature_map = targets.feature_map
    feature_map.require_two_values(TRAINED_LABELS)
    if feature_map.size > MOST_FEATURES:
        raise NotApplicable(
            f"{feature_map.size} features: synthetic tables are fitted to at most {MOST_FEATURES}; "
            "encode fewer columns as one-hot (release with --linear COLUMN)"
        )
    codes = _base_points(targets, points, seed)
    features = feature_map.features(codes) / float(feature_map.one)
    labels = feature_map.labels(codes).astype(float)
    statistics, wanted, sds = _statistics(targets, features, labels)
    return TiltedPoints(targets, codes, features, labels, fit_tilt(statistics, wanted, sds), seed)


def synthetic_rows(points: TiltedPoints, k: int) -> SyntheticRows:
    """k records in proportion to the weights: each point k times its weight, rounded up or down.

    Points are ordered by label and then along the first moments, so that every stretch of that order gets its share.
    """
    require_range("k", k, k, least=1, most=10**7, reason="synthetic records")
    order = np.lexsort((points.features @ points.targets.first, points.labels))
    ends = np.cumsum(points.weights[order])
    offset = _generator(points.seed, _ROUNDING).random()
    reached = np.floor(ends / ends[-1] * k + offset).astype(np.int64)
    reached[-1] = k  # the offset is below 1, so this is what exact sums would give
    counts = np.diff(reached, prepend=0)
    taken = np.repeat(order, counts)
    weights = np.zeros(len(order))
    weights[order] = counts / k
    statistics, wanted, sds = _statistics(points.targets, points.features, points.labels)
    residuals = (statistics.means(weights) - wanted) / sds
    shuffled = taken[_generator(points.seed, _ROUNDING + 1).permutation(k)]
    return SyntheticRows(points.codes[shuffled], float(np.abs(residuals).max()), int((counts > 0).sum()))


def column_distribution(targets: MomentTargets, column: int) -> Floats:
    """The maximum-entropy distribution over the codes of a column, given only the noisy moments of its features."""
    feature_map = targets.feature_map
    block = np.array(feature_map.blocks[column], dtype=float) / feature_map.one
    start = sum(len(other[0]) for other in feature_map.blocks[:column])
    places = np.append(np.arange(start, start + block.shape[1]), feature_map.size - 1)
    values = np.column_stack([block, np.ones(len(block))])
    # Squares that are the same for every code say nothing; products within a block are zero.
    diagonal = np.flatnonzero((block**2 != block[0] ** 2).any(axis=0))
    means = np.arange(block.shape[1])
    pairs = (np.concatenate([means, diagonal]), np.concatenate([np.full(len(means), len(means)), diagonal]))
    statistics = MomentStatistics(values, np.ones(len(values)), np.empty(0, dtype=np.intp), pairs)
    entries = (places[pairs[0]], places[pairs[1]])
    return fit_tilt(statistics, targets.second[entries], targets.second_sd[entries]).weights


def _base_points(targets: MomentTargets, points: int, seed: int) -> Codes:
    feature_map = targets.feature_map
    schema = feature_map.schema
    uniforms = _generator(seed, _BASE).random((len(schema.columns), points))
    codes = np.empty((points, len(schema.columns)), dtype=schema.domain.code_type)
    for number, place in enumerate(feature_map.places):
        codes[:, place] = _codes_of(column_distribution(targets, number), uniforms[place])
    label = schema.names.index(feature_map.label)
    positive = schema.columns[label].texts.index(feature_map.require_two_values(TRAINED_LABELS))
    # E[y] is the first moment of the intercept; each label keeps some points for the tilt to choose from.
    share = float(np.clip((1 + targets.first[-1]) / 2, 0.01, 0.99))
    codes[:, label] = np.where(uniforms[label] < share, positive, 1 - positive)
    return codes


def _codes_of(probabilities: Floats, uniforms: Floats) -> NDArray[np.intp]:
    return np.searchsorted(np.cumsum(probabilities)[:-1], uniforms, side="right")


def _statistics(targets: MomentTargets, features: Floats, labels: Floats) -> tuple[MomentStatistics, Floats, Floats]:
    """All y f_i and those f_i f_j that are not the same number at every record of the domain."""
    rows, columns = np.triu_indices(targets.feature_map.size)
    varying = ~_constant_products(targets)[rows, columns]
    pairs = (rows[varying], columns[varying])
    statistics = MomentStatistics(features, labels, np.arange(targets.feature_map.size), pairs)
    wanted = np.concatenate([targets.first, targets.second[pairs]])
    return statistics, wanted, np.concatenate([targets.first_sd, targets.second_sd[pairs]])


def _constant_products(targets: MomentTargets) -> NDArray[np.bool_]:
    """Squares of two-valued features, products of two indicators of one column, and the square of the intercept."""
    feature_map = targets.feature_map
    found = np.zeros((feature_map.size, feature_map.size), dtype=bool)
    found[-1, -1] = True
    start = 0
    for block in feature_map.blocks:
        values = np.array(block, dtype=np.int64)
        width = values.shape[1]
        products = values[:, :, None] * values[:, None, :]
        found[start : start + width, start : start + width] = (products == products[0]).all(axis=0)
        start += width
    return found


def _generator(seed: int, purpose: int) -> np.random.Generator:
    # a key above those of simulated noise, whose streams the points must not share
    return np.random.Generator(np.random.Philox(key=seed + 2**127, counter=[0, 0, purpose, 0]))
