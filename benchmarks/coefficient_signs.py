"""Signs of the best logistic model's coefficients: how many a release makes certain, and whether these are right.

Integer codes, one feature a column, logistic loss, norm 2 with the intercept, epsilon 1, dp_delta 1e-6, replace-one;
simulated noise, new in every run. Everything certified rests on one event of the moments. The failures of that event
are counted over many releases; on some of these the certificates are made and compared with the real minimiser, and the
checker proves some of them again. For comparison: what the trained model would say without certificates, namely its
signs as they are, and those that the usual standard errors call significant, as if it had been fitted to as many real
records (with the real curvature, which favours it).
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.measure import main
from bounds.clopper_pearson import interval
from mechanisms.infer.signs import SignsAnswer, infer_signs
from mechanisms.models.certify.from_moments import class_for
from mechanisms.models.event import moment_radii
from mechanisms.models.train.from_release import train_from_release
from mechanisms.models.train.newton import train_on_table
from release.data.domain import Domain
from release.data.schema import schema_of_domain
from release.moments.file import MomentRelease
from release.moments.make import MomentRequest
from release.statistics.features import FeatureMap, build_feature_map
from release.statistics.moments import MomentSums, moment_sums
from verify import real_tables
from verify.checkers.model import check

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

TABLES, TAU, BETA = ("adult", "law", "dutch", "compas"), Fraction(2), Fraction(1, 20)
CONFIDENCE, NORMAL_QUANTILE = 0.999, 1.959964
CERTIFIED, CHECKED, WITH_ENDS, TRAINED, EVENTS = 18, 2, 3, 100, 2000


@dataclass(frozen=True)
class Case:
    """A real table with all its exact statistics."""

    features: FeatureMap
    sums: MomentSums
    f: Floats
    y: Floats
    weights: Floats
    """Multiplicities of the distinct records."""
    best: Floats
    """The coefficients of the real minimiser."""

    @classmethod
    def of(cls, name: str) -> Case:
        names, sizes = real_tables.columns(name), real_tables.domain(name)
        schema = schema_of_domain(Domain(tuple(sizes[column] for column in names), names))
        codes = real_tables.codes(name).astype(schema.domain.code_type)
        features = build_feature_map(schema, label=names[-1], one_hot=())
        distinct, counts = np.unique(codes, axis=0, return_counts=True)
        best = train_on_table(codes, features, tau=TAU).coefficients
        return cls(
            features,
            moment_sums(codes, features),
            features.features(distinct) / float(features.one),
            features.labels(distinct).astype(float),
            counts / len(codes),
            np.array([float(x) for x in best]),
        )

    def release(self, run: int) -> MomentRelease:
        asked = MomentRequest(
            self.features,
            epsilon=1,
            dp_delta="1e-6",
            adjacency="replace-one",
            mode="simulate",
            seed=7,
            run=run,
        )
        return asked.release_sums(self.sums)

    def usual_errors(self, v: Floats) -> Floats:
        """Standard errors of a model fitted to this many records."""
        share = 1 / (1 + np.exp(-self.f @ v))
        curvature = (self.f * (self.weights * share * (1 - share))[:, None]).T @ self.f
        return np.asarray(np.sqrt(np.diag(np.linalg.inv(curvature)) / self.sums.n))


def run(*, quick: bool) -> dict[str, Any]:
    share = 9 if quick else 1
    found: dict[str, Any] = {}
    for name in TABLES:
        if not real_tables.is_here(name):
            found[name] = f"not run: {real_tables.MISSING}"
            continue
        case = Case.of(name)
        certified = _certified(case, CERTIFIED // share)
        found[name] = {**certified, **_ends(case, WITH_ENDS // share), **_naive(case, TRAINED // share)}
        found[name] |= _events(case, EVENTS // share)
    return found


def _certified(case: Case, releases: int) -> dict[str, Any]:
    counts, wrong, seconds, checked = [], 0, [], 0
    for number in range(releases):
        release = case.release(number)
        model = train_from_release(release, tau=TAU).model
        start = time.process_time()
        answer = infer_signs(release, model, class_for(model), beta=BETA, intervals=False)
        seconds.append((time.process_time() - start) / len(answer.coefficients))
        counts.append(answer.certain)
        wrong += sum(bool(one.sign * case.best[one.feature] < 0) for one in answer.coefficients)
        checked += _proved_again(answer) if number < CHECKED else 0
    return {
        "coefficients": case.features.size,
        "releases": releases,
        "certain_least": min(counts),
        "certain_mean": round(statistics.fmean(counts), 2),
        "certain_most": max(counts),
        "certain_but_wrong": wrong,
        "proved_by_the_checker": checked,
        "cpu_s_a_coefficient": round(statistics.median(seconds), 2),
        "cpu_s_a_coefficient_most": round(max(seconds), 2),
    }


def _proved_again(answer: SignsAnswer) -> int:
    """All certain signs; the checker raises if it does not accept one."""
    certain = [one.name for one in answer.coefficients if one.sign]
    for name in certain:
        check(json.dumps(answer.certificate(name)))
    return len(certain)


def _ends(case: Case, releases: int) -> dict[str, Any]:
    missed, widths = 0, []
    for number in range(releases):
        release = case.release(number)
        model = train_from_release(release, tau=TAU).model
        answer = infer_signs(release, model, class_for(model), beta=BETA)
        for one in answer.coefficients:
            assert one.lo is not None
            assert one.hi is not None
            missed += not bool(float(one.lo) < case.best[one.feature] < float(one.hi))
            widths.append(float(one.hi - one.lo))
    if not widths:
        return {}
    return {"intervals": len(widths), "intervals_missed": missed, "width_median": round(statistics.median(widths), 3)}


def _naive(case: Case, releases: int) -> dict[str, Any]:
    """Rates over all coefficients of all releases."""
    wrong, significant, significant_wrong, covered = 0, 0, 0, 0
    for number in range(releases):
        model = train_from_release(case.release(number), tau=TAU).model
        v = np.array([float(x) for x in model.coefficients])
        half = NORMAL_QUANTILE * case.usual_errors(v)
        opposite = v * case.best < 0
        wrong += int(opposite.sum())
        significant += int((abs(v) > half).sum())
        significant_wrong += int((opposite & (abs(v) > half)).sum())
        covered += int((abs(v - case.best) <= half).sum())
    of = releases * case.features.size
    return {
        "trained_coefficients": of,
        "trained_sign_wrong": wrong,
        "usual_errors_significant": significant,
        "usual_errors_significant_but_wrong": significant_wrong,
        "usual_errors_95_cover_the_table's_best": round(covered / of, 3),
    }


def _events(case: Case, releases: int) -> dict[str, Any]:
    """How often the moments are farther from the real ones than their radii."""
    first_radius, second_radius = map(float, moment_radii(case.release(0), BETA))
    weighted = case.f * case.weights[:, None]
    first, second = weighted.T @ case.y, weighted.T @ case.f
    missed = 0
    for number in range(releases):
        release = case.release(number)
        away = np.linalg.norm(np.array(release.first, dtype=float) - first)
        spread = np.abs(np.linalg.eigvalsh(np.array(release.second, dtype=float) - second)).max()
        missed += bool(away > first_radius or spread > second_radius)
    least, most = interval(missed, releases, CONFIDENCE)
    return {
        "events": releases,
        "events_failed": missed,
        "events_failed_share": [round(least, 4), round(most, 4)],
        "compatible_with_beta": least <= float(BETA),
    }


if __name__ == "__main__":
    sys.exit(main("coefficient_signs", __doc__ or "", run))
