"""Numbers on the proof page about Fenchel-Young losses: its inequality, which must hold, on random tables."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import Any

import numpy as np

RANDOM_TABLES, MOST_RECORDS, MOST_DIMENSIONS = 4000, 7, 4


def largest_quotient() -> Fraction:
    """Quotient of the two sides of (b), truncated to two digits; the left side is never larger."""
    gains, bounds = zip(*map(_both_sides, range(3)), strict=True)
    gain, bound = np.concatenate(gains), np.concatenate(bounds)
    assert gain.size == RANDOM_TABLES * 3 * 2
    assert (gain <= bound + 1e-11 * (1 + np.abs(bound))).all()
    # If both sides are tiny, the quotient would consist of rounding errors.
    return Fraction(floor(100 * (gain / bound)[bound > 1e-6].max()), 100)


def _both_sides(kind: int) -> tuple[Any, Any]:
    """F(w) - F(v) and the bound (b) for every table, for two models v; `kind` says which u."""
    random = np.random.Generator(np.random.Philox(key=kind))
    shape = (RANDOM_TABLES, MOST_RECORDS, MOST_DIMENSIONS)
    used = np.arange(MOST_DIMENSIONS) < random.integers(1, MOST_DIMENSIONS + 1, (RANDOM_TABLES, 1))
    z = _in_ball(random, shape, 1.0) * used[:, None]
    records = np.arange(MOST_RECORDS) < random.integers(1, MOST_RECORDS + 1, (RANDOM_TABLES, 1))
    share = records / records.sum(axis=1, keepdims=True)
    tau, ridge, mu = np.exp(random.uniform(-3, 3, (3, RANDOM_TABLES)))
    ridge *= random.integers(0, 2, RANDOM_TABLES)
    reach = (tau * random.uniform(1, 2, RANDOM_TABLES))[:, None]
    w, v = (_in_ball(random, (RANDOM_TABLES, MOST_DIMENSIONS), size * tau) * used for size in (2, 1))
    margin = np.einsum("tnd,td->tn", z, w)
    c1, c3 = random.normal(0, 0.2, (2, RANDOM_TABLES, 1))
    u = (np.tanh(margin / 2) / 2, c1 * margin + c3 * margin**3, random.normal(0, 0.5, margin.shape))[kind]
    gap = _psi(margin) + _conjugate(u, reach) - margin * u
    gradient = np.einsum("tn,tn,tnd->td", share, u - 0.5, z)
    pull = gradient + (ridge + mu)[:, None] * w
    bound = (share * gap).sum(axis=1) + _squared(pull) / (2 * (ridge + mu)) + mu / 2 * (tau**2 - _squared(w))
    best = w - pull / (ridge + mu)[:, None]  # where the right side is reached if the ball allows it
    best *= np.minimum(1, tau / np.sqrt(_squared(best)))[:, None]

    def risk(model: Any) -> Any:
        score = np.einsum("tnd,td->tn", z, model)
        return (share * np.logaddexp(0, -score)).sum(axis=1) + ridge / 2 * _squared(model)

    gains = [risk(w) - risk(model) for model in (v, best)]
    return np.concatenate(gains), np.concatenate([bound, bound])


def _in_ball(random: np.random.Generator, shape: tuple[int, ...], radius: Any) -> Any:
    """Random directions, lengths uniform up to the radius."""
    drawn = random.standard_normal(shape)
    length = random.random(shape[:-1]) * radius
    return drawn * (length / np.linalg.norm(drawn, axis=-1))[..., None]


def _squared(vectors: Any) -> Any:
    return (vectors**2).sum(axis=-1)


def _psi(t: Any) -> Any:
    return np.logaddexp(t / 2, -t / 2)


def _conjugate(u: Any, reach: Any) -> Any:
    """sup of s u - psi(s) over |s| <= reach, at the s where its slope vanishes, cut off at the ends."""
    inside = np.abs(u) < 0.5
    s = np.where(inside, 2 * np.arctanh(np.where(inside, 2 * u, 0)), np.sign(u) * np.inf)
    s = np.clip(s, -reach, reach)
    return s * u - _psi(s)
