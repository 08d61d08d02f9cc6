"""Whether certificates of models are true: from a table to a certificate, many times, against the truth.

Run number i simulates a release of moments, makes a synthetic table from it, trains a model there and certifies it;
then it looks at the table, as only a study may, and computes how much better the best model of the class really is.
Runs go through the six real tables, if they are available, and random small ones, and through budgets, norms and
losses; every run has its own stream of random numbers. A simulation can refute a certificate; it never proves one.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np

from bounds.certify.classes import ModelClass
from bounds.certify.routes import all_routes, least
from mechanisms.models.event import known_moments
from mechanisms.models.splits import SPLITS, splits
from mechanisms.models.train.from_release import train_from_release
from mechanisms.models.train.newton import mean_loss, train_on_table
from release.data.columns import LevelColumn
from release.data.schema import PUBLIC, Schema
from release.moments.file import MomentRelease
from release.moments.make import MomentRequest
from release.statistics.features import FeatureMap, build_feature_map
from release.statistics.moments import MomentSums, moment_sums
from verify import real_tables

SEED = 61917
BETA = Fraction(1, 20)
EPSILONS = (Fraction(1, 2), Fraction(1), Fraction(2), Fraction(4))
TAUS = (Fraction(2), Fraction(5), Fraction(10))
LOSSES = ("logistic", "logistic", "squared", "logistic", "hinge", "logistic")
RANDOM, RANDOM_PRIVATE_SIZE = "random", "random, n private"
NAMES = (*real_tables.NAMES, RANDOM, RANDOM_PRIVATE_SIZE)
CYCLE = len(NAMES) * len(EPSILONS) * len(TAUS)
"""After this many runs every table has had every budget and norm; the losses alternate from cycle to cycle."""
POINTS = 4000
"""Rows of the synthetic table: fewer than by default, because the certificate judges a model however it was made."""


@dataclass(frozen=True)
class Truth:
    """A table with what only its holder knows: the exact sums of moments and the records."""

    feature_map: FeatureMap
    codes: Any
    sums: MomentSums

    @property
    def n(self) -> int:
        return self.sums.n

    def risk(self, coefficients: tuple[Fraction, ...], loss: str) -> float:
        features = self.feature_map.features(self.codes) / float(self.feature_map.one)
        shares = np.full(self.n, 1 / self.n)
        return mean_loss(coefficients, features, self.feature_map.labels(self.codes), shares, loss=loss)


@dataclass(frozen=True, kw_only=True)
class Setting:
    """The setting of run number i."""

    table: str
    epsilon: Fraction
    tau: Fraction
    loss: str


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What was certified, and what is true: no model of the class is better by more than `excess`."""

    setting: Setting
    n: int
    features: int
    bound: float
    excess: float
    """The risk of the model minus the smallest of the class, not rounded down: the training gap is added."""
    gap: float
    """How far the smallest risk may be below the one found, by convexity."""

    @property
    def holds(self) -> bool:
        return self.excess <= self.bound

    @property
    def ratio(self) -> float:
        return self.excess / self.bound


def stream(part: int, run: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=SEED, counter=[0, 0, part, run]))


def setting(run: int) -> Setting:
    """Tables turn fastest, then norms, then budgets."""
    place, name = divmod(run % CYCLE, len(NAMES))
    budget, norm = divmod(place, len(TAUS))
    loss = LOSSES[(run + run // CYCLE) % len(LOSSES)]
    return Setting(table=NAMES[name], epsilon=EPSILONS[budget], tau=TAUS[norm], loss=loss)


def can_run(run: int) -> bool:
    """Whether the table is available."""
    name = setting(run).table
    return name not in real_tables.NAMES or real_tables.is_here(name)


def pipeline(run: int) -> Outcome:
    """Release, synthetic table, training, certificate of degree 2 from the release alone; then the truth."""
    asked = setting(run)
    truth = real_table(asked.table) if asked.table in real_tables.NAMES else random_table(run)
    release = simulated_release(truth, run, epsilon=asked.epsilon, private_size=asked.table == RANDOM_PRIVATE_SIZE)
    model = train_from_release(release, tau=asked.tau, loss=asked.loss, points=POINTS, seed=run).model.coefficients
    bound = least_bound(release, model, asked.loss, asked.tau)
    smallest, gap = _least_risk(asked, truth)
    return Outcome(
        setting=asked,
        n=truth.n,
        features=truth.feature_map.size,
        bound=float(bound),
        excess=truth.risk(model, asked.loss) - smallest + gap,
        gap=gap,
    )


def event_holds(run: int) -> bool:
    """Whether the real moments are within the radii of the release of this run; may fail with probability BETA."""
    asked = setting(run)
    truth = real_table(asked.table) if asked.table in real_tables.NAMES else random_table(run)
    release = simulated_release(truth, run, epsilon=asked.epsilon, private_size=asked.table == RANDOM_PRIVATE_SIZE)
    known, one = known_moments(release, BETA), truth.feature_map.one
    # differences of integers first: their noise may be far below the last digit of the sums
    first = np.array([float(a - b) for a, b in zip(release.first_sums, truth.sums.first, strict=True)])
    rows = zip(release.second_sums, truth.sums.second, strict=True)
    p = truth.feature_map.size
    second = np.zeros((p, p))
    for j, row in enumerate(rows):
        second[j, j:] = [float(a - b) for a, b in zip(*row, strict=True)]
    second += np.triu(second, 1).T
    return bool(
        np.linalg.norm(first) / (release.size * one) <= float(known.first_radius)
        and np.linalg.norm(second, 2) / (release.size * one**2) <= float(known.second_radius)
    )


def simulated_release(
    truth: Truth, run: int, *, epsilon: Fraction, private_size: bool = False, fourth: bool = False
) -> MomentRelease:
    """A release with dp_delta = 1/n^2; if the size is private, half of it is the public minimum size."""
    asked = MomentRequest(
        truth.feature_map,
        epsilon=epsilon,
        dp_delta=Fraction(1, truth.n**2),
        adjacency="add-remove" if private_size else "replace-one",
        mode="simulate",
        n0=truth.n // 2 if private_size else None,
        fourth=fourth,
        seed=SEED,
        run=run,
    )
    return asked.release_sums(truth.sums)


def least_bound(release: MomentRelease, model: tuple[Fraction, ...], loss: str, tau: Fraction) -> Fraction:
    """The certified bound for all models of norm at most tau: the smallest of all routes, as in `certify`."""
    features = release.feature_map
    routes = all_routes(
        known_moments(release, BETA),
        model,
        ModelClass(loss=loss, tau=tau),
        features.margin_range(model),
        splits=splits(features, model)[:SPLITS],
    )
    value = least(routes).value
    assert value is not None
    return value


@cache
def real_table(name: str, *, fourth: bool = False) -> Truth:
    """All columns linear, the last one is the label."""
    names, sizes = real_tables.columns(name), real_tables.domain(name)
    columns = tuple(LevelColumn(column, tuple(str(i) for i in range(sizes[column]))) for column in names)
    feature_map = build_feature_map(Schema(columns, PUBLIC), label=names[-1])
    codes = real_tables.codes(name).astype(feature_map.schema.domain.code_type)
    return Truth(feature_map, codes, moment_sums(codes, feature_map, fourth=fourth))


def random_table(run: int) -> Truth:
    """One to five columns of two to six levels, linear or one-hot, dependent, with a label that depends on them."""
    generator = stream(1, run)
    sizes = generator.integers(2, 7, size=generator.integers(1, 6)).tolist()
    n = int(generator.integers(200, 6000))
    columns = tuple(LevelColumn(f"c{j}", tuple(str(i) for i in range(size))) for j, size in enumerate(sizes))
    schema = Schema((*columns, LevelColumn("label", ("no", "yes"))), PUBLIC)
    one_hot = [column.name for column in columns if generator.random() < 0.3]
    feature_map = build_feature_map(schema, label="label", one_hot=one_hot)
    shared = generator.random(n)
    codes = np.zeros((n, len(sizes) + 1), dtype=schema.domain.code_type)
    for j, size in enumerate(sizes):
        own = generator.random(n) ** generator.uniform(0.5, 3)
        codes[:, j] = np.minimum((np.where(generator.random(n) < 0.5, shared, own) * size).astype(int), size - 1)
    weights = generator.normal(size=feature_map.size) * generator.uniform(0.2, 4)
    scores = feature_map.features(codes) / feature_map.one @ weights
    codes[:, -1] = generator.random(n) < 1 / (1 + np.exp(-scores))
    return Truth(feature_map, codes, moment_sums(codes, feature_map))


def _least_risk(asked: Setting, truth: Truth) -> tuple[float, float]:
    if asked.table in real_tables.NAMES:
        return _least_real_risk(asked.table, asked.tau, asked.loss)
    return _trained(truth, asked.tau, asked.loss)


@cache
def _least_real_risk(name: str, tau: Fraction, loss: str) -> tuple[float, float]:
    return _trained(real_table(name), tau, loss)


def _trained(truth: Truth, tau: Fraction, loss: str) -> tuple[float, float]:
    best = train_on_table(truth.codes, truth.feature_map, tau=tau, loss=loss)
    assert best.gap_est is not None
    return best.risk_est, best.gap_est
