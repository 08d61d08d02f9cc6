"""How small the certificate of a planned gradient query is on real tables, at total epsilon 1.1 and confidence 0.95.

Replace-one, dp_delta = 1/n^2. Each draw makes a release, trains on synthetic points, asks for the gradient at the model
and certifies it; medians are over draws, and the true gain of the best model is shown with them. A share of 1/6 leaves
the release the budget of epsilon 1. CPU seconds are those of one draw with one query. Two counts of failures are
compared with the 5 % that are allowed: many answers for a few models, and fresh releases with so small a share for the
query that the release chooses to assist it. Nothing is measured without the tables.
"""

from __future__ import annotations

import statistics
import sys
import time
from fractions import Fraction
from typing import Any

import numpy as np

from benchmarks.measure import main
from bounds import clopper_pearson
from mechanisms.models.certify.from_moments import class_for
from mechanisms.models.confirm.ask import plan_confirmation
from mechanisms.models.confirm.prove import confirm
from mechanisms.models.confirm.second_round import corrected_model
from mechanisms.models.train.from_release import train_from_release
from mechanisms.models.train.newton import mean_loss, train, train_on_table
from mechanisms.models.train.synthetic import TiltedPoints, tilted_points
from mechanisms.models.train.targets import release_targets
from release.data.columns import LevelColumn
from release.data.schema import PUBLIC, Schema
from release.gradient.file import GradientQuery
from release.gradient.make import ask_gradient
from release.gradient.planned import plan_gradient
from release.moments.file import MomentRelease
from release.moments.make import make_release
from release.noise.randomness import read_randomness
from release.noise.simulated import stream_of
from release.statistics.features import FeatureMap, build_feature_map
from release.statistics.gradients import norm_squared, slope_sums
from verify import real_tables

TABLES = ("adult", "dutch")
EPSILON, FAILURE = Fraction(11, 10), Fraction(1, 20)
CASES: dict[str, dict[str, Fraction]] = {
    "tau 5": {"tau": Fraction(5)},
    "tau 10": {"tau": Fraction(10)},
    "ridge 0.001": {"ridge": Fraction(1, 1000)},
}
TARGETS = {("adult", "tau 5"): 0.001, ("adult", "tau 10"): 0.011, ("dutch", "tau 5"): 0.0006}
FIRST_PART = Fraction(3, 10)
"""Part of the reserved budget for the first of two rounds."""
SEED = 1
COVERED, COVERED_SHARE = ("tau 5", "tau 10"), Fraction(3, 10)
ASSISTED_SHARE = Fraction(1, 20)

Model = tuple[Fraction, ...]


def run(*, quick: bool) -> dict[str, Any]:
    draws, shares = (3, (Fraction(1, 6),)) if quick else (20, (Fraction(1, 6), Fraction(3, 10)))
    found: dict[str, Any] = {"draws": draws, "epsilon": float(EPSILON), "failure": float(FAILURE)}
    for name in TABLES:
        if not real_tables.is_here(name):
            found[name] = real_tables.MISSING
            continue
        for share in shares:
            for case in CASES:
                found[f"{name}, {case}, share {share}"] = _Study(name, case, share).measure(draws)
    here = [name for name in TABLES if real_tables.is_here(name)]
    if here:
        found["coverage"] = coverage(here, models=2 if quick else 5, answers=20 if quick else 100)
        found["coverage_with_chosen_lines"] = chosen_lines(here, draws=4 if quick else 250)
    return found


def coverage(names: list[str], *, models: int, answers: int) -> dict[str, Any]:
    """How often a certificate fails: for trained models, many noisy answers to the same query. Promised: FAILURE."""
    trials = failures = 0
    largest = 0.0
    for name in names:
        for case in COVERED:
            study = _Study(name, case, COVERED_SHARE)
            for draw in range(models):
                release, _, model = study.model(draw)
                gain = study.objective(model) - study.best
                plan = plan_gradient(release, model, seed=SEED, run=0)
                exact = slope_sums(study.codes, plan.slopes).values
                for run in range(answers):
                    plan = plan_gradient(release, model, seed=SEED, run=1000 * (draw + 1) + run)
                    stream = stream_of(read_randomness("simulate", seed=SEED + 2**96, run=plan.run or 0))
                    noise = stream.standard_normal(len(exact)).tolist()
                    sums = (value + round(float(plan.deviation) * z) for value, z in zip(exact, noise, strict=True))
                    query = GradientQuery(**plan.public(), sums=tuple(sums))
                    bound = float(confirm(query, release, failure=FAILURE, **study.compared).bound)
                    trials, failures = trials + 1, failures + (gain > bound)
                    largest = max(largest, gain / bound)
    return counted(trials, failures, largest)


def chosen_lines(names: list[str], *, draws: int) -> dict[str, Any]:
    """The same with everything redrawn, and the line chosen from the release as in `confirm`."""
    trials = failures = assisted = 0
    largest = 0.0
    for name in names:
        study = _Study(name, "tau 5", ASSISTED_SHARE)
        for draw in range(draws):
            release = study.release(1000 + draw)
            model = train_from_release(release, tau=study.compared["tau"]).model
            planned = plan_confirmation(release, model, class_for(model), beta=FAILURE, seed=1000 + draw)
            bound = float(planned.ask(study.codes).bound)
            gain = study.objective(model.coefficients) - study.best
            assisted += bool(planned.line.offset or planned.line.slope)
            trials, failures = trials + 1, failures + (gain > bound)
            largest = max(largest, gain / bound)
    return {"assisted": assisted, **counted(trials, failures, largest)}


def counted(trials: int, failures: int, largest: float) -> dict[str, Any]:
    low, high = clopper_pearson.interval(failures, trials, 0.999)
    return {
        "certificates": trials,
        "failures": failures,
        "frequency": round(failures / trials, 5),
        "interval_999": [round(low, 5), round(high, 5)],
        "promised": float(FAILURE),
        "largest_ratio": round(largest, 3),
    }


def feature_map_of(name: str) -> FeatureMap:
    """All columns are linear, and the last one is the label."""
    names, sizes = real_tables.columns(name), real_tables.domain(name)
    columns = tuple(LevelColumn(column, tuple(str(i) for i in range(sizes[column]))) for column in names)
    return build_feature_map(Schema(columns, PUBLIC), label=names[-1])


class _Study:
    """One table, one class of models and one share of the budget for queries."""

    def __init__(self, name: str, case: str, share: Fraction) -> None:
        self.name, self.case, self.share = name, case, share
        self.compared, self.feature_map = CASES[case], feature_map_of(name)
        self.codes = real_tables.codes(name)
        self.n = len(self.codes)
        features = self.feature_map.features(self.codes) / float(self.feature_map.one)
        self.table = (features, self.feature_map.labels(self.codes), np.full(self.n, 1 / self.n))
        best = train_on_table(self.codes, self.feature_map, **self.compared)
        self.best = self.objective(best.coefficients)

    def objective(self, coefficients: Model) -> float:
        penalty = self.compared.get("ridge", Fraction(0)) / 2 * norm_squared(self.feature_map, coefficients)
        return mean_loss(coefficients, *self.table, loss="logistic") + float(penalty)

    def measure(self, draws: int) -> dict[str, Any]:
        one, two, seconds = [], [], []
        for draw in range(draws):
            start = time.process_time()
            release, points, model = self.model(draw)
            asked = ask_gradient(self.codes, release, model, seed=SEED, run=draw)
            bound = float(confirm(asked.query, asked.release, failure=FAILURE, **self.compared).bound)
            seconds.append(time.process_time() - start)
            one.append((bound, self.objective(model) - self.best))
            two.append(self.two_rounds(release, points, model, draw))
        target = TARGETS.get((self.name, self.case))
        median = statistics.median(bound for bound, _ in one)
        return {
            "median": round(median, 6),
            "worst": round(max(bound for bound, _ in one), 6),
            "true_gain": round(statistics.median(gain for _, gain in one), 6),
            "two_rounds_median": round(statistics.median(bound for bound, _ in two), 6),
            "two_rounds_true_gain": round(statistics.median(gain for _, gain in two), 6),
            "violations": sum(gain > bound for bound, gain in one + two),
            "largest_ratio": round(max(gain / bound for bound, gain in one + two), 3),
            "target": target,
            "meets_target": None if target is None else median <= target,
            "cpu_seconds": round(statistics.median(seconds), 2),
        }

    def release(self, draw: int) -> MomentRelease:
        return make_release(
            self.codes,
            self.feature_map,
            epsilon=EPSILON,
            dp_delta=Fraction(1, self.n**2),
            adjacency="replace-one",
            mode="simulate",
            reserve=self.share,
            seed=SEED,
            run=draw,
        )

    def model(self, draw: int) -> tuple[MomentRelease, TiltedPoints, Model]:
        release = self.release(draw)
        points = tilted_points(release_targets(release), seed=draw)
        trained = train(
            points.features,
            points.labels,
            points.weights,
            squared_norm=self.feature_map.squared_norm,
            **self.compared,  # type: ignore[arg-type]
        )
        return release, points, trained.coefficients

    def two_rounds(self, release: MomentRelease, points: TiltedPoints, model: Model, draw: int) -> tuple[float, float]:
        """The same budget in two queries: the first moves the model, the second certifies it. Bound and true gain."""
        first = ask_gradient(self.codes, release, model, part=FIRST_PART, seed=SEED, run=draw)
        seen = confirm(first.query, first.release, failure=FAILURE, **self.compared)
        moved = corrected_model(
            points.features,
            points.labels,
            points.weights,
            squared_norm=self.feature_map.squared_norm,
            loss="logistic",
            coefficients=model,
            gradient=seen.gradient,
            deviation=seen.certificate.errors.deviation,
            **self.compared,  # type: ignore[arg-type]
        ).coefficients
        second = ask_gradient(self.codes, first.release, moved, previous=first.query, seed=SEED, run=draw)
        bound = confirm(second.query, second.release, failure=FAILURE, **self.compared).bound
        return float(bound), self.objective(moved) - self.best


if __name__ == "__main__":
    sys.exit(main("confirm", __doc__ or "", run))
