"""Least squares from private moments: widths on real tables, and how often sets, intervals and R squared are right.

Integer codes, one feature a column, epsilon 1, dp_delta 1e-6, replace-one, weight 1/2; simulated noise, new in every
run. Half-widths are those of features in the unit ball, medians over coefficients. Coverage of the table's own
coefficients is over releases of the table; of the population's, over releases of samples of the same size drawn from
the table with replacement. First-order R squared is counted when it is reported. The naive route treats the noisy
moments, or rows that have them, as the data.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks.measure import main
from bounds.clopper_pearson import interval
from bounds.inference.linear_pivot import LinearPivot, joint_radius
from mechanisms.infer.noisy_matrix import NoisyMatrix, noisy_matrix
from mechanisms.infer.regression.ask import coefficients_from_release
from mechanisms.infer.regression.design import Design, design_of
from mechanisms.infer.regression.equation import equations
from mechanisms.infer.regression.explained import MOST_CURVED, explained_share, first_order_share, total_square
from mechanisms.infer.regression.float_pivot import FloatPivot
from mechanisms.infer.regression.one_by_one import Split
from mechanisms.infer.regression.population import largest_covariance, sampling_covariance
from mechanisms.infer.regression.rounding import Rounding
from release.data.columns import LevelColumn
from release.data.domain import Domain
from release.data.schema import Schema, schema_of_domain
from release.moments.file import MomentRelease
from release.moments.make import MomentRequest
from release.statistics.features import FeatureMap, build_feature_map
from release.statistics.moments import MomentSums
from verify import real_tables

LEVEL = Fraction(19, 20)
SURE = 0.999
"""Level of the Clopper-Pearson intervals that decide whether a coverage is compatible with the nominal level."""
Z = 1.959963984540054
DESIGNS = ((12, 0.0), (25, 0.0), (12, 0.005), (25, 0.005))
"""Number of columns of two values, and the share of the label that they explain."""
FORMULAS = {
    "dutch": "occupation ~ .",
    "law": "pass_bar ~ lsat + ugpa + fulltime + fam_inc + sex + race",
    "churn": "Churn Value ~ Tenure Months + Senior Citizen + Partner + Dependents + Online Security + Contract "
    "+ Paperless Billing",
    "adult": "income>50K ~ .",
    "compas": "two_year_recid ~ race + age + sex + priors_count + c_charge_degree",
    "heart": "output ~ sex + exng",
}


@dataclass(frozen=True, eq=False)
class Study:
    """A table with its features and its exact statistics."""

    features: FeatureMap
    formula: str
    records: np.ndarray
    """Features and label of every different record."""
    counts: np.ndarray

    @property
    def n(self) -> int:
        return int(self.counts.sum())

    def sums(self, counts: np.ndarray) -> MomentSums:
        """Exact, since all are integers below 2^53."""
        p = self.features.size
        x, y = self.records[:, :p], self.records[:, p]
        second = np.rint((x * counts[:, None]).T @ x).astype(np.int64)
        first = np.rint((y * counts) @ x).astype(np.int64)
        return MomentSums(
            n=self.n,
            first=tuple(map(int, first)),
            second=tuple(tuple(map(int, second[j, j:])) for j in range(p)),
            fourth=None,
        )

    def release(self, sums: MomentSums, run: int) -> MomentRelease:
        asked = MomentRequest(
            self.features,
            epsilon=1,
            dp_delta=Fraction(1, 10**6),
            adjacency="replace-one",
            mode="simulate",
            seed=22,
            run=run,
        )
        return asked.release_sums(sums)


def study_of(name: str) -> Study:
    names, sizes = real_tables.columns(name), real_tables.domain(name)
    schema = schema_of_domain(Domain(tuple(sizes[column] for column in names), names))
    codes = real_tables.codes(name).astype(schema.domain.code_type)
    features = build_feature_map(schema, label=FORMULAS[name].split(" ~ ")[0], one_hot=())
    distinct, counts = np.unique(codes, axis=0, return_counts=True)
    whole = np.column_stack([features.features(distinct), features.labels(distinct)]).astype(float)
    return Study(features, FORMULAS[name], whole, counts)


def widths(study: Study, releases: int) -> dict[str, Any]:
    """Seconds of whole answers."""
    sums = study.sums(study.counts)
    joint, ratios, seconds, certain, covered, unbounded = [], [], [], [], [], 0
    of_any = []
    true = coefficients(study, study.counts)[0]
    for run in range(releases):
        release = study.release(sums, run)
        start = time.process_time()
        found = coefficients_from_release(release, study.formula, level=LEVEL)
        seconds.append((time.process_time() - start) / len(found.names))
        whatever = coefficients_from_release(release, study.formula, any_formula=True, level=LEVEL)
        if whatever.is_bounded:
            of_any.append(statistics.median((one.width or 0) / 2 * found.scale for one in whatever.joint))
        if not found.is_bounded:
            unbounded += 1
        else:
            joint.append(statistics.median((one.width or 0) / 2 * found.scale for one in found.joint))
            certain.append(found.certain)
        if found.coefficients[0].is_bounded:
            ratios += [
                (one.width or 0) / (first.hi - first.lo)
                for one, first in zip(found.coefficients, found.first_order, strict=True)
            ]
            covered += [
                float(one.lo or 0) <= b <= float(one.hi or 0) for one, b in zip(found.coefficients, true, strict=True)
            ]
    return {
        "coefficients": len(true),
        "releases": releases,
        "joint_half_width_median": round(statistics.median(joint), 4) if joint else None,
        "joint_unbounded": unbounded,
        "any_formula_half_width_median": round(statistics.median(of_any), 4) if of_any else None,
        "any_formula_unbounded": releases - len(of_any),
        "signs_certain_mean": round(statistics.fmean(certain), 1) if certain else None,
        "alone_over_first_order_median": round(statistics.median(ratios), 3) if ratios else None,
        "alone_over_first_order_p95": round(float(np.quantile(ratios, 0.95)), 3) if ratios else None,
        "alone_intervals": len(covered),
        "alone_intervals_with_truth": round(statistics.fmean(covered), 4) if covered else None,
        "cpu_s_a_coefficient": round(statistics.median(seconds), 4),
    }


def coefficients(study: Study, counts: np.ndarray) -> tuple[np.ndarray, float, list[int]]:
    """Least squares of a table with these counts, its R squared, and the places of the regressors."""
    p = study.features.size
    x = study.records[:, :p] / study.features.one
    y = study.records[:, p]
    still = noisy_matrix(study.release(study.sums(study.counts), 0))
    places = list(design_of(study.formula, study.features, still).places)
    chosen = x[:, places]
    b = np.linalg.solve((chosen * counts[:, None]).T @ chosen, (y * counts) @ chosen)
    n = counts.sum()
    mean = counts @ y / n
    return b, float(1 - counts @ (y - chosen @ b) ** 2 / (counts @ (y - mean) ** 2)), places


def pieces(study: Study, sums: MomentSums, run: int) -> tuple[NoisyMatrix, Design, LinearPivot, FloatPivot]:
    matrix = noisy_matrix(study.release(sums, run))
    design = design_of(study.formula, study.features, matrix)
    pivot = equations(matrix, response=design.response_place, regressors=design.places)
    return matrix, design, pivot, FloatPivot.of(pivot)


def table_hits(study: Study, releases: int) -> dict[str, list[bool]]:
    """Whether sets and intervals from releases of the table contain its coefficients."""
    b, share, _ = coefficients(study, study.counts)
    sums = study.sums(study.counts)
    hits: dict[str, list[bool]] = {"set": [], "alone": [], "r_squared_first_order": []}
    split = rounding = None
    for run in range(releases):
        matrix, design, pivot, floats = pieces(study, sums, run)
        rounding = rounding or Rounding.of(matrix, response=design.response_place, regressors=design.places)
        split = split or Split.of(pivot, LEVEL, rounding.variation)
        radius = float(joint_radius(pivot, 1 - LEVEL))
        places = np.arange(len(b))
        points = np.broadcast_to(b, (len(b), len(b)))
        hits["set"].append(bool(floats.distances(b[None])[0] <= radius**2))
        distances, _, found, _ = rounding.added(floats).with_slopes(points, places)
        hits["alone"] += list((np.abs(found) <= split.z) & (distances <= split.radius**2))
        for one in explained_share(matrix, design, pivot, LEVEL, is_bounded=True, certified=False):
            hits["r_squared_first_order"].append(float(one.lo or 0) <= share <= float(one.hi or 1))
    return hits


def population_hits(study: Study, releases: int) -> dict[str, list[bool]]:
    """The same for samples of the table, which is the population; and the coverage when the noise is ignored."""
    b, _, _ = coefficients(study, study.counts)
    source = np.random.Generator(np.random.Philox(5))
    hits: dict[str, list[bool]] = {"population": [], "population_anyhow": [], "naive": []}
    split = None
    for run in range(releases):
        counts = source.multinomial(study.n, study.counts / study.n)
        matrix, design, pivot, floats = pieces(study, study.sums(counts), run)
        split = split or Split.of(pivot, LEVEL)
        sampling, _ = sampling_covariance(matrix, design, floats)
        points = np.broadcast_to(b, (len(b), len(b)))
        most = largest_covariance(study.features, matrix, design, floats)
        for told, covariance in (("population", sampling), ("population_anyhow", most)):
            drawn = FloatPivot.of(pivot, added=covariance)
            distances, _, found, _ = drawn.with_slopes(points, np.arange(len(b)))
            hits[told] += list((np.abs(found) <= split.z) & (distances <= split.radius**2))
        back = np.linalg.inv(floats.matrix)
        usual = np.sqrt(np.maximum(np.diag(back @ sampling @ back), 0))
        hits["naive"] += list(np.abs(floats.solution - b) <= Z * usual)
    return hits


def certified_r_squared(study: Study, releases: int) -> dict[str, Any]:
    """The certified interval is true more often than its level says."""
    _, share, _ = coefficients(study, study.counts)
    sums, held, width = study.sums(study.counts), [], []
    for run in range(releases):
        matrix, design, pivot, _ = pieces(study, sums, run)
        found = explained_share(matrix, design, pivot, LEVEL, is_bounded=True)
        if found[0].is_bounded:
            held.append(float(found[0].lo or 0) <= share <= float(found[0].hi or 1))
            width.append(found[0].width or 0)
    return {
        "releases": releases,
        "told": len(held),
        "covers": round(statistics.fmean(held), 4) if held else None,
        "half_width_median": round(statistics.median(width) / 2, 4) if width else None,
    }


def even_design(columns: int, share: float) -> Study:
    """Columns of two values that explain about this share of a label, evenly; 40,000 records."""
    levels = [LevelColumn(f"x{j}", ("0", "1")) for j in range(columns)]
    features = build_feature_map(Schema((*levels, LevelColumn("y", ("0", "1"))), "public"), label="y")
    half = np.random.default_rng(0).integers(0, 2, (1000, columns))
    codes = np.vstack([np.column_stack([half, np.full(1000, y)]) for y in (0, 1)]).astype(np.uint8)
    whole = np.column_stack([features.features(codes), features.labels(codes)]).astype(float)
    pull = (2 * half - 1).sum(axis=1) * (share / columns) ** 0.5
    return Study(features, "y ~ .", whole, np.rint(20 * (1 + np.concatenate([-pull, pull]))))


def rare_design() -> Study:
    """A column that is 1 in one record of a hundred, where the label is a fair coin; it is constant elsewhere."""
    levels = tuple(LevelColumn(name, ("0", "1")) for name in ("x", "y"))
    features = build_feature_map(Schema(levels, "public"), label="y")
    codes = np.array([[0, 0], [1, 0], [1, 1]], np.uint8)
    whole = np.column_stack([features.features(codes), features.labels(codes)]).astype(float)
    return Study(features, "y ~ x", whole, np.array([990_000, 5_000, 5_000]))


def first_order_told(study: Study, releases: int) -> dict[str, Any]:
    """How often first-order R squared is reported, how often it then misses, and its misses if always reported."""
    _, share, _ = coefficients(study, study.counts)
    sums, told, missed, always = study.sums(study.counts), 0, 0, 0
    for run in range(releases):
        matrix, design, pivot, _ = pieces(study, sums, run)
        total = total_square(matrix, design)
        found = None if total is None else first_order_share(design, pivot, total)
        if found is not None:
            misses, tells = abs(found.share - share) > Z * found.deviation, found.curved <= MOST_CURVED
            always, told, missed = always + misses, told + tells, missed + (misses and tells)
    return {"releases": releases, "share": round(share, 4), "told": told, "missed": missed, "missed_if_told": always}


def designs(releases: int) -> dict[str, Any]:
    """Cases that real tables do not show: almost nothing explained, and residuals only in a rare group."""
    found: dict[str, Any] = {
        f"{columns} columns that explain {share}": first_order_told(even_design(columns, share), releases)
        for columns, share in DESIGNS
    }
    found["a rare group"] = dict(coverages(population_hits(rare_design(), releases), releases))
    return found


def coverages(hits: dict[str, list[bool]], releases: int) -> Iterator[tuple[str, Any]]:
    for name, found in hits.items():
        if not found:
            continue
        share = statistics.fmean(found)
        # intervals of one release are not independent: compatibility is judged as if it had only one
        count = min(releases, len(found))
        lo, hi = interval(round(share * count), count, confidence=SURE)
        yield name, {"covers": round(share, 4), "of": len(found), "compatible": lo <= float(LEVEL) <= hi}


def run(*, quick: bool) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in FORMULAS:
        if not real_tables.is_here(name):
            found[name] = f"not run: {real_tables.MISSING}"
            continue
        study = study_of(name)
        releases = 50 if quick else 2000
        table, population = table_hits(study, releases), population_hits(study, releases)
        found[name] = {
            **widths(study, 3 if quick else 60),
            "coverage": dict(coverages(table, releases)),
            "coverage_population": dict(coverages(population, releases)),
            "r_squared_certified": certified_r_squared(study, 5 if quick else 200),
        }
    found["designs"] = designs(20 if quick else 2000)
    return found


if __name__ == "__main__":
    sys.exit(main("noisy_regression", __doc__ or "", run))
