"""Small logs of noisy tables, and the estimates they determine, by brute force over all records."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from mechanisms.pgm.certificate import certify_fit
from mechanisms.pgm.dual import SHARE
from mechanisms.pgm.estimate import Estimator
from mechanisms.pgm.measured import MeasuredTable


@dataclass(frozen=True)
class Example:
    sizes: tuple[int, ...]
    total: float
    tables: tuple[MeasuredTable, ...]
    impossible: dict

    def estimator(self):
        estimator = Estimator(self.sizes, self.total, impossible=self.impossible)
        for table in self.tables:
            estimator.add(table)
        return estimator


def others(sizes, scope):
    return tuple(u for u in range(len(sizes)) if u not in scope)


def random_example(stream, *, columns=5, sd=None, with_zeros=False, by_cell=False):
    """One-way tables of all columns and some wider ones; some of them twice, with noise that has no right sum."""
    sizes = tuple(int(stream.integers(2, 4)) for _ in range(columns))
    total = float(stream.integers(50, 5000))
    law = stream.dirichlet(np.full(int(np.prod(sizes)), 0.4)).reshape(sizes)
    wide = [c for width in (2, 3) for c in combinations(range(columns), width)]
    chosen = [wide[i] for i in stream.choice(len(wide), size=min(len(wide), int(stream.integers(2, 6))), replace=False)]
    impossible = {}
    if with_zeros:
        for scope in (wide[int(stream.integers(len(wide)))], chosen[0]):
            cells = stream.random([sizes[u] for u in scope]) < 0.3
            cells.flat[0] = False
            law = np.where(cells.reshape([sizes[u] if u in scope else 1 for u in range(columns)]), 0.0, law)
            impossible[scope] = cells
        law = law / law.sum()
    tables = []
    for scope in [*((u,) for u in range(columns)), *chosen, chosen[-1]]:
        deviation = float(np.exp(stream.uniform(0, 4))) if sd is None else sd
        counts = total * law.sum(axis=others(sizes, scope))
        if by_cell:
            deviation = deviation * np.exp(stream.uniform(-1, 1, counts.shape))
        tables.append(
            MeasuredTable(columns=scope, counts=counts + stream.normal(0, deviation, counts.shape), sd=deviation)
        )
    return Example(sizes, total, tuple(tables), impossible)


def joint_of(model):
    """The law of a model from its potentials, over all records, and log Z."""
    layout = model.law.layout
    logs = np.zeros(model.sizes)
    for scope, table in zip(layout.scopes, layout.tables(model.law.potentials), strict=True):
        logs = logs + table.reshape([model.sizes[u] if u in scope else 1 for u in range(len(model.sizes))])
    top = logs.max()
    weights = np.exp(logs - top)
    return weights / weights.sum(), float(np.log(weights.sum()) + top)


def exact_estimate(example, bases):
    """The estimate by Newton steps on the dual over all records, all tables apart, and its own gap.

    Written without anything of the estimator: every table has its rows of a 0-1 matrix over all possible records.
    """
    sizes, total = example.sizes, example.total
    records = np.indices(sizes).reshape(len(sizes), -1)
    for scope, cells in example.impossible.items():
        records = records[:, ~cells[tuple(records[list(scope)])]]
    base = np.sum([np.log(bases[u])[records[u]] for u in range(len(sizes))], axis=0)
    rows, counted, deviations = [], [], []
    for table in example.tables:
        cell = np.ravel_multi_index(tuple(records[list(table.columns)]), table.counts.shape)
        rows.append(np.arange(table.counts.size)[:, None] == cell[None, :])
        counted.append(table.counts.ravel())
        deviations.append(table.deviations.ravel())
    matrix, counted, deviations = (
        np.concatenate(rows).astype(float),
        np.concatenate(counted),
        np.concatenate(deviations),
    )
    price = deviations**2 / (SHARE * total)
    theta = np.zeros(len(counted))

    def at(theta):
        logs = base + theta @ matrix
        top = logs.max()
        weights = np.exp(logs - top)
        value = top + np.log(weights.sum()) - theta @ counted / total + 0.5 * price @ theta**2
        law = weights / weights.sum()
        return value, law, matrix @ law - counted / total + price * theta

    value, law, slope = at(theta)
    for _ in range(200):
        mean = matrix @ law
        step = np.linalg.solve((matrix * law) @ matrix.T - np.outer(mean, mean) + np.diag(price), -slope)
        length = 1.0
        while length > 1e-6:
            new = at(theta + length * step)
            if new[0] <= value + 1e-4 * length * (slope @ step) + 1e-13 * abs(value):
                break
            length /= 2
        theta = theta + length * step
        value, law, slope = new
        gap = 0.5 * float((((total * slope) / deviations) ** 2).sum())
        if gap < 1e-18:
            break
    found = np.zeros(sizes)
    found[tuple(records)] = law
    return found, gap


TOTAL_OF_COINS = 1e6


def sharpness(moved):
    """The certified distance over the true one, for two fair coins and a table of both that is off by so much.

    The noise weighs as much as the price, and the model is the base: in the limit of small differences both are equal.
    """
    estimator = Estimator((2, 2), TOTAL_OF_COINS)
    counts = TOTAL_OF_COINS / 4 + moved * np.array([[1.0, -1.0], [-1.0, 1.0]])
    estimator.add(MeasuredTable(columns=(0, 1), counts=counts, sd=(TOTAL_OF_COINS * SHARE / 4) ** 0.5))
    start = estimator.fit(enough=np.inf)
    end = estimator.fit(enough=1e-20, most_steps=500)
    return float(certify_fit(start).l1) / float(np.abs(joint_of(start)[0] - joint_of(end)[0]).sum())
