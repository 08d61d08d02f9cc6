"""Pairs of columns of real tables whose partial correlation has a certain sign; the tables with their exact moments."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bounds.certify.radii import chi_radius, normal_interval
from bounds.clopper_pearson import interval
from mechanisms.infer.noisy_matrix import NoisyMatrix, noisy_matrix
from mechanisms.infer.regression.edges import edges_from_release
from mechanisms.infer.regression.equation import equations
from mechanisms.infer.regression.float_pivot import FloatPivot
from mechanisms.infer.spectrum_answer import SpectrumOf
from release.data.domain import Domain
from release.data.schema import schema_of_domain
from release.moments.file import MomentRelease
from release.moments.make import MomentRequest
from release.statistics.features import FeatureMap, build_feature_map
from release.statistics.moments import MomentSums, moment_sums
from verify import real_tables

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

LEVEL = Fraction(19, 20)
SURE = 0.999
CHECKED = 3
"""Number of releases on which sets in floats are compared with the certified code."""
_SLACK = 1e-12
"""Tolerance for true values that are computed in floats."""


@dataclass(frozen=True)
class Table:
    """A real table with its exact moments."""

    name: str

    @cached_property
    def features(self) -> FeatureMap:
        names, sizes = real_tables.columns(self.name), real_tables.domain(self.name)
        schema = schema_of_domain(Domain(tuple(sizes[name] for name in names), names))
        return build_feature_map(schema, label=names[-1], one_hot=())

    @cached_property
    def sums(self) -> MomentSums:
        codes = real_tables.codes(self.name)
        return moment_sums(codes.astype(self.features.schema.domain.code_type), self.features)

    @cached_property
    def whole(self) -> Floats:
        """Means of products of features and label, two by two."""
        codes, features = real_tables.codes(self.name), self.features
        rows = np.column_stack([features.features(codes) / features.one, features.labels(codes)])
        found: Floats = rows.T @ rows / len(rows)
        return found

    def matrix(self, of: SpectrumOf) -> Floats:
        """Moments on the unit ball."""
        moments = self.whole[:-1, :-1] / self.features.squared_norm
        if of == "moments":
            return moments
        found: Floats = moments[:-1, :-1] - np.outer(moments[:-1, -1], moments[:-1, -1]) / moments[-1, -1]
        return found

    def release(self, run: int) -> MomentRelease:
        asked = MomentRequest(
            self.features,
            epsilon=1,
            dp_delta=Fraction(1, 10**6),
            adjacency="replace-one",
            mode="simulate",
            seed=11,
            run=run,
        )
        return asked.release_sums(self.sums)


def edges(table: Table, *, drawn: int, simulated: int) -> dict[str, Any]:
    """The number of certain signs, and how often all statements of a release are true at once."""
    whole, n, p = table.whole, table.sums.n, table.features.size
    intercept = p - 1
    nodes = [i for i in range(p + 1) if i != intercept]
    inverse = np.linalg.inv(whole)
    roots = np.sqrt(inverse.diagonal())
    real = -inverse / np.outer(roots, roots)
    pairs = [(i, j) for i in nodes for j in nodes if i < j]
    places = {name: place for place, name in enumerate((*table.features.names, table.features.label))}
    z = float(normal_interval((1 - LEVEL) / len(pairs)))
    significant = sum(abs(np.arctanh(real[i, j])) * np.sqrt(n - p - 2) > z for i, j in pairs)
    certain, searched, small, wrong, outside, untold, seconds = [], [], [], 0, 0, [], []
    for number in range(drawn):
        start = time.process_time()
        found = edges_from_release(table.release(number))
        seconds.append(time.process_time() - start)
        certain.append(len(found.certain))
        searched.append(len(found.sharper_certain))
        small.append(len(found.small))
        untold.append(len(found.untold))
        for edge in found.edges:
            truth = float(real[places[edge.first], places[edge.second]])
            wrong += edge.sign * truth < 0 or edge.sharper_sign * truth < 0
            outside += not (has(edge.correlation, truth) and (edge.sharper is None or has(edge.sharper, truth)))
    joint, single = _sets_cover(table, nodes, simulated)
    return {
        "pairs": len(pairs),
        "significant_without_privacy": int(significant),
        "certain_mean": round(statistics.fmean(certain), 1),
        "certain_by_search_mean": round(statistics.fmean(searched), 1),
        "small_mean": round(statistics.fmean(small), 1),
        "regressions_untold_mean": round(statistics.fmean(untold), 1),
        "releases": drawn,
        "wrong_signs": int(wrong),
        "intervals_that_miss": int(outside),
        "joint_sets_cover_all_at_once": round(joint / simulated, 4),
        "single_sets_cover_all_at_once": round(single / simulated, 4),
        "compatible_with_level": all(interval(x, simulated, SURE)[1] >= float(LEVEL) for x in (joint, single)),
        "cpu_s": round(statistics.median(seconds), 2),
    }


def _sets_cover(table: Table, nodes: list[int], simulated: int) -> tuple[int, int]:
    """How often all real regressions lie in their joint sets, and in all sets of single coefficients, in floats."""
    many, alpha = len(nodes), 1 - LEVEL
    z = float(normal_interval(alpha * Fraction(3, 4) / (many * (many - 1))))
    wide, first = float(chi_radius(many, alpha / 4 / many)), float(chi_radius(many, alpha / many))
    joint = single = 0
    for number in range(simulated):
        matrix = noisy_matrix(table.release(number))
        in_joint = in_single = True
        for response in nodes:
            regressors = [*(j for j in nodes if j != response), matrix.intercept]
            pivot = _float_pivot(matrix, response, regressors)
            whole = table.whole
            b = np.linalg.solve(whole[np.ix_(regressors, regressors)], whole[regressors, response])
            distance = float(np.sqrt(pivot.distances(b[None])[0]))
            if number < CHECKED:
                exact = equations(matrix, response=response, regressors=regressors)
                assert exact.contains([Fraction(x) for x in b.tolist()], Fraction(first)) == (distance <= first)
            normal = np.abs(pivot.statistics(np.tile(b, (many - 1, 1)), np.arange(many - 1)))
            in_joint &= distance <= first
            in_single &= distance <= wide and bool(normal.max() <= z)
        joint, single = joint + in_joint, single + in_single
    return joint, single


def _float_pivot(matrix: NoisyMatrix, response: int, regressors: list[int]) -> FloatPivot:
    """Like `equations`, but without rationals."""
    values, variances = _floats(matrix)
    inner = np.ix_(regressors, regressors)
    return FloatPivot.made(
        matrix=values[inner],
        right=values[regressors, response],
        variances=variances[inner],
        right_variances=variances[regressors, response],
    )


def _floats(matrix: NoisyMatrix) -> tuple[Floats, Floats]:
    entries = [[matrix.entry(i, j) for j in range(len(matrix.names))] for i in range(len(matrix.names))]
    values = np.array([[float(entry.value) for entry in row] for row in entries])
    return values, np.array([[float(entry.deviation) ** 2 for entry in row] for row in entries])


def has(found: Any, truth: float) -> bool:
    return (found.lo is None or float(found.lo) <= truth + _SLACK) and (
        found.hi is None or truth <= float(found.hi) + _SLACK
    )
