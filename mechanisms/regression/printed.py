"""SSP and AdaSSP with the noise that ddssp2024 prints, or that its published program adds: for study, in simulations.

SSP is Section 2.2, each part at the whole epsilon; its noise is not enough for both together, except for small epsilon.
AdaSSP is Algorithm 5: three parts, each with its share of epsilon and delta, which is more noise than they need. The
noise on X'X is independent on the upper triangle, with the same deviation on and off the diagonal. The cost of either
is computed, not promised: `privacy` is its Gaussian privacy and `epsilon_ub` its epsilon at the requested delta.
Claims: ddssp2024.D.adassp-total, ddssp2024.P2-5.classical. Noise is from numpy: nothing here can be released.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import log, sqrt
from typing import TYPE_CHECKING

import numpy as np
from flint import arb

from bounds.enclosure import Enclosure, as_fmpq, precision
from bounds.errors import NotApplicable
from bounds.exact import Exact
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.gaussian import gaussian_epsilon
from bounds.privacy.statements import GaussianDP
from mechanisms.regression.adassp import eigenvalue_reach
from mechanisms.regression.sums import sums_of_records
from release.noise.randomness import read_randomness
from release.parameters import read_release_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mechanisms.regression.sums import Sums
    from release.data.domain import Codes
    from release.noise.kinds import Mode
    from release.statistics.features import FeatureMap

    Floats = NDArray[np.float64]

PRINTED = (Fraction(1, 3), Fraction(1, 3), Fraction(1, 3))
"""Shares of epsilon and delta for the least eigenvalue, X'X and X'y."""
PROGRAM = (Fraction(1, 3), Fraction(19, 30), Fraction(1, 30))
"""The same in the program that the authors published, where X'y gets a twentieth of the last two thirds."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PrintedFit:
    """A simulated model with the requested budget, and the actual cost of all its noise."""

    coefficients: Floats
    epsilon: Fraction
    dp_delta: Fraction
    privacy: GaussianDP
    """Privacy of all parts together, under add-remove: mu^2 rounded up."""
    mode: Mode = "simulate"

    @cached_property
    def epsilon_ub(self) -> Fraction:
        """The least epsilon at dp_delta that the noise guarantees, rounded up."""
        return gaussian_epsilon(self.privacy, dp_delta=self.dp_delta).epsilon.hi

    @property
    def keeps_promise(self) -> bool:
        return self.epsilon_ub <= self.epsilon

    @property
    def text(self) -> str:
        """What must be stated with the model."""
        kept = "is kept" if self.keeps_promise else "is NOT kept"
        return (
            f"epsilon = {self.epsilon}, dp_delta = {self.dp_delta}, add-remove: {kept}; all parts together are private "
            f"at epsilon = {float(self.epsilon_ub):.6g}"
        )


@dataclass(frozen=True)
class _Setting:
    """Exact sums of a table, and the stream of all noise."""

    sums: Sums
    squared_norm: int
    epsilon: Fraction
    dp_delta: Fraction
    stream: np.random.Generator

    def noisy_matrix(self, sd: float) -> Floats:
        p = len(self.sums.cross)
        upper = np.triu(sd * self.stream.standard_normal((p, p)))
        return self.sums.gram + upper + np.triu(upper, 1).T

    def noisy_cross(self, sd: float) -> Floats:
        return self.sums.cross + sd * self.stream.standard_normal(len(self.sums.cross))

    def fit(self, coefficients: Floats, mu_squared: Fraction) -> PrintedFit:
        return PrintedFit(
            coefficients=coefficients,
            epsilon=self.epsilon,
            dp_delta=self.dp_delta,
            privacy=GaussianDP(mu_squared=mu_squared, adjacency=Adjacency.ADD_REMOVE),
        )


def printed_ssp(
    records: Codes,
    feature_map: FeatureMap,
    *,
    epsilon: Exact,
    dp_delta: Exact,
    mode: Mode | str,
    seed: Exact | None = None,
    run: int = 0,
) -> PrintedFit:
    """SSP of Section 2.2: the inverse of the noisy X'X times the noisy X'y, whatever its eigenvalues are."""
    found = _setting(records, feature_map, epsilon, dp_delta, mode, seed, run)
    inside = Fraction(5, 4) / found.dp_delta
    ratio = sqrt(log(inside)) / float(found.epsilon)
    gram = found.noisy_matrix(ratio * found.squared_norm)
    cross = found.noisy_cross(ratio * sqrt(found.squared_norm))
    return found.fit(_solved(gram, cross), 2 * found.epsilon**2 / _log_at_most(inside))


def printed_adassp(
    records: Codes,
    feature_map: FeatureMap,
    *,
    epsilon: Exact,
    dp_delta: Exact,
    mode: Mode | str,
    seed: Exact | None = None,
    run: int = 0,
    split: tuple[Fraction, Fraction, Fraction] = PRINTED,
) -> PrintedFit:
    """AdaSSP of Algorithm 5, or with the split of the published program."""
    found = _setting(records, feature_map, epsilon, dp_delta, mode, seed, run)
    norm = found.squared_norm
    logs = [2 / (share * found.dp_delta) for share in split]
    least, matrix, cross = (sqrt(log(x)) / float(share * found.epsilon) for x, share in zip(logs, split, strict=True))
    exact = float(np.linalg.eigvalsh(found.sums.gram)[0])
    noise = least * float(found.stream.standard_normal())
    lowered = max(0.0, exact + norm * (noise - least * sqrt(log(logs[0]))))
    ridge = max(0.0, least * eigenvalue_reach(len(found.sums.cross)) * norm - lowered)
    gram = found.noisy_matrix(matrix * norm) + ridge * np.eye(len(found.sums.cross))
    coefficients = _solved(gram, found.noisy_cross(cross * sqrt(norm)))
    parts = ((share * found.epsilon) ** 2 / _log_at_most(x) for x, share in zip(logs, split, strict=True))
    return found.fit(coefficients, sum(parts, Fraction(0)))


def _setting(
    records: Codes,
    feature_map: FeatureMap,
    epsilon: Exact,
    dp_delta: Exact,
    mode: Mode | str,
    seed: Exact | None,
    run: int,
) -> _Setting:
    from release.noise.simulated import stream_of

    if mode == "release":
        raise NotApplicable("mode = release: noise as printed is for studies, in floats; run_adassp can be released")
    numbers = read_release_numbers({"epsilon": epsilon, "dp_delta": dp_delta, "seed": seed})
    randomness = read_randomness(mode, seed=None if seed is None else int(numbers["seed"]), run=run)
    return _Setting(
        sums_of_records(records, feature_map),
        feature_map.squared_norm,
        numbers["epsilon"],
        numbers["dp_delta"],
        stream_of(randomness),
    )


def _solved(gram: Floats, cross: Floats) -> Floats:
    return np.asarray(np.linalg.solve(gram, cross), dtype=np.float64)


def _log_at_most(number: Fraction) -> Fraction:
    with precision(128):
        return Enclosure.of(arb(as_fmpq(number)).log()).lo
