"""Principal components and edges from private moments: what certified statements cover and say, beside naive routes.

Second moments and covariance of real tables, epsilon 1, dp_delta 1e-6, replace-one, weight 1/2, integer codes, the last
column the label; simulated noise, new in every run. The certified code itself is run on every release. A statement is
about the table, so its truth is known; all are at level 0.95. Naive is who takes rows drawn from the noisy moments for
data: the usual intervals of eigenvalues (Anderson's, of n normal records), or what a bootstrap of them says of angles.
Edges: pairs of columns whose partial correlation has a certain sign, beside those that are significant without privacy
(Fisher's z, shared out over the pairs). Their simultaneous sets are simulated in floats, against the certified code on
the first releases.
"""

from __future__ import annotations

import statistics
import sys
import time
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.measure import main
from bounds.certify.radii import chi_radius, normal_interval
from bounds.clopper_pearson import interval
from mechanisms.infer.noisy_matrix import NoisyMatrix, noisy_matrix
from mechanisms.infer.regression.edges import edges_from_release
from mechanisms.infer.regression.equation import equations
from mechanisms.infer.regression.float_pivot import FloatPivot
from mechanisms.infer.spectrum import spectrum_of, try_eigenvector
from mechanisms.infer.spectrum_answer import Spectrum, SpectrumOf
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

LEVEL, RANK = Fraction(19, 20), 2
COVERED = ("adult", "compas", "dutch", "law")
DRAWN_EDGES = ("dutch", "adult", "law", "churn", "compas")
CHECKED = 3
"""Releases on which sets in floats are compared with the certified code."""
_OF: tuple[SpectrumOf, ...] = ("moments", "covariance")
_SURE = 0.999
_Z = 1.959964
_SLACK = 1e-12
"""Of truths that are computed in floats."""


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
        """In the unit ball."""
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


def run(*, quick: bool) -> dict[str, Any]:
    if not all(map(real_tables.is_here, DRAWN_EDGES)):
        return {"all": f"not run: {real_tables.MISSING}"}
    runs = 40 if quick else 2000
    found: dict[str, Any] = {"runs": runs, "level": float(LEVEL), "rank": RANK}
    for name in COVERED:
        for of in _OF:
            found[f"{of} of {name}"] = spectrum(Table(name), of, runs)
    for name in DRAWN_EDGES:
        found[f"edges of {name}"] = edges(Table(name), drawn=2 if quick else 10, simulated=runs)
    return found


def spectrum(table: Table, of: SpectrumOf, runs: int) -> dict[str, Any]:
    """How often every statement is true, and what it says in the median."""
    real = table.matrix(of)
    values, vectors = np.linalg.eigh(real)
    truth = _Truth(real, values[::-1], vectors[:, ::-1])
    vector = _leading_vector(table, of)
    n, covered, said, naive = table.sums.n, {}, {}, {}
    generator, seconds = np.random.default_rng(5), []
    for number in range(runs):
        matrix = noisy_matrix(table.release(number))
        start = time.process_time()
        found = spectrum_of(matrix, rank=RANK, level=LEVEL, of=of)
        seconds.append(time.process_time() - start)
        for key, is_true in truth.checks(found).items():
            covered.setdefault(key, []).append(is_true)
        covered.setdefault("eigenvector set", []).append(try_eigenvector(matrix, vector, of=of, level=LEVEL).is_inside)
        for key, number_said in truth.figures(found).items():
            said.setdefault(key, []).append(number_said)
        for key, is_true in truth.naive(_noisy(matrix, of), n, generator, with_rows=number < 100).items():
            naive.setdefault(key, []).append(is_true)
    counts = {key: sum(known) for key, known in covered.items()}
    return {
        "coverage": {key: round(count / runs, 4) for key, count in counts.items()},
        "told": {key: round(sum(x is not None for x in known) / runs, 3) for key, known in said.items()},
        "median": {key: _median(known) for key, known in said.items()},
        "compatible_with_level": all(interval(count, runs, _SURE)[1] >= float(LEVEL) for count in counts.values()),
        "eigenvector_set_is_exact": _holds(counts["eigenvector set"], runs),
        "naive_coverage": {key: round(sum(known) / len(known), 3) for key, known in naive.items()},
        "cpu_ms": round(1000 * statistics.median(seconds), 1),
    }


@dataclass(frozen=True)
class _Truth:
    real: Floats
    values: Floats
    vectors: Floats

    def checks(self, found: Spectrum) -> dict[str, bool]:
        """For every interval of an answer whether it has what it is about."""
        noisy = np.array([one.weights for one in found.components]).T
        along = float(np.trace(noisy.T @ self.real @ noisy))
        head, trace = float(self.values[:RANK].sum()), float(self.values.sum())
        cosines = np.linalg.svd(self.vectors[:, :RANK].T @ noisy, compute_uv=False)
        span = float(np.sqrt(np.maximum(1 - cosines**2, 0).sum()))
        checked = {
            "share along the noisy components": _has(found.share_explained, along / trace),
            "variance lost": _has(found.loss, max(head - along, 0.0)),
            "sine between the spans": _has(found.span_sine, span),
            "share of the largest": _has(found.share, head / trace),
            "sum of the largest": _has(found.total, head),
            "variance along the noisy components": _has(found.explained, along),
            "largest eigenvalue": _has(found.largest, float(self.values[0])),
            "all eigenvalues": all(map(_has, found.eigenvalues, self.values.tolist())),
        }
        for place, one in enumerate(found.components):
            sine = float(np.sqrt(max(1 - float(self.vectors[:, place] @ noisy[:, place]) ** 2, 0.0)))
            checked[f"sine of component {place + 1}"] = _has(one.sine, sine)
            checked[f"eigenvalue {place + 1} by itself"] = _has(one.eigenvalue, float(self.values[place]))
        return checked

    def figures(self, found: Spectrum) -> dict[str, float | None]:
        noisy = np.array([one.weights for one in found.components]).T
        cosine = float(self.vectors[:, 0] @ noisy[:, 0])
        lost = float(self.values[:RANK].sum() - np.trace(noisy.T @ self.real @ noisy))
        return {
            "sine of component 1": _end(found.components[0].sine.hi),
            "the same by Davis and Kahan": _end(found.classical.sine),
            "actual sine": float(np.sqrt(max(1 - cosine**2, 0.0))),
            "sine between the spans": _end(found.span_sine.hi),
            "variance lost": _end(found.loss.hi),
            "the same by the norm": _end(found.classical.loss),
            "actual loss": max(lost, 0.0),
            "largest eigenvalue above": _end(found.largest.hi) - (found.largest.estimate or 0.0),
            "radius of all": _end(found.classical.radius),
            "width of the share": found.share_explained.width,
        }

    def naive(self, noisy: Floats, n: int, generator: np.random.Generator, *, with_rows: bool) -> dict[str, bool]:
        """Whether intervals that ignore the noise have the truth: n normal records with the noisy moments."""
        values, vectors = np.linalg.eigh(noisy)
        values = np.maximum(values[::-1], 0)
        inside = np.abs(values - self.values) <= _Z * values * np.sqrt(2 / n)
        found = {"largest": bool(inside[0]), "second": bool(inside[1]), "smallest": bool(inside[-1])}
        if with_rows:
            root = vectors[:, ::-1] * np.sqrt(values)
            angles = []
            for _ in range(100):  # the covariance of n normal records, whitened, is the identity and this
                half = np.triu(generator.standard_normal(noisy.shape)) * np.sqrt(1 / n)
                drawn = root @ (np.eye(len(values)) + half + half.T) @ root.T
                angles.append(_sine(np.linalg.eigh(drawn)[1][:, -1], vectors[:, -1]))
            most = float(np.quantile(angles, float(LEVEL)))
            found["sine of component 1 by bootstrap"] = _sine(self.vectors[:, 0], vectors[:, -1]) <= most
        return found


def _leading_vector(table: Table, of: SpectrumOf) -> list[Fraction]:
    """Of the real matrix; with minus its mean score, for the covariance."""
    vector = np.linalg.eigh(table.matrix(of))[1][:, -1]
    if of == "covariance":
        vector = np.append(vector, -float(table.whole[:-2, -2] @ vector))
    return [Fraction(x) for x in vector.tolist()]


def _noisy(matrix: NoisyMatrix, of: SpectrumOf) -> Floats:
    p = matrix.label
    moments = np.array([[float(matrix.entry(i, j).value) for j in range(p)] for i in range(p)]) / matrix.squared_norm
    if of == "moments":
        return moments
    found: Floats = moments[:-1, :-1] - np.outer(moments[:-1, -1], moments[:-1, -1]) / moments[-1, -1]
    return found


def edges(table: Table, *, drawn: int, simulated: int) -> dict[str, Any]:
    """Signs that are certain, and how often all statements of a release are true at once."""
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
            outside += not (_has(edge.correlation, truth) and (edge.sharper is None or _has(edge.sharper, truth)))
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
        "compatible_with_level": all(interval(x, simulated, _SURE)[1] >= float(LEVEL) for x in (joint, single)),
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
    """As `equations` has it, without rationals."""
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


def _sine(first: Floats, second: Floats) -> float:
    return float(np.sqrt(max(1 - float(first @ second) ** 2, 0.0)))


def _has(found: Any, truth: float) -> bool:
    return (found.lo is None or float(found.lo) <= truth + _SLACK) and (
        found.hi is None or truth <= float(found.hi) + _SLACK
    )


def _holds(count: int, runs: int) -> bool:
    lo, hi = interval(count, runs, _SURE)
    return lo <= float(LEVEL) <= hi


def _end(end: Fraction | None) -> Any:
    return None if end is None else float(end)


def _median(known: list[float | None]) -> float | None:
    """Where a statement says nothing it counts as the worst."""
    ranked = sorted(float("inf") if x is None else x for x in known)
    middle = ranked[len(ranked) // 2]
    return None if middle == float("inf") else float(f"{middle:.4g}")


if __name__ == "__main__":
    sys.exit(main("spectrum", __doc__ or "", run))
