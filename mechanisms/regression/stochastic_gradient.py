"""DP-SGD for a linear model: clipped gradients of Poisson samples with Gaussian noise. A baseline, for simulations.

A record is in a step with probability q = batch/size, independently of the others; the sum of the clipped gradients
gets noise N(0, sigma^2 C^2) and is divided by the public expected batch size, never by the actual one. Neighbours:
add-remove. The gradient of a linear model is its slope times the features, so clipping the slope suffices, and no
gradient of a single record is ever formed. Sampling and accounting are in floats, so nothing here can be released.

All settings are public: the size, the features and the budget fix a plan before a record is seen. Its defaults were
chosen by theory and on tables to which no claim refers. The model is the mean of the later half of the steps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from bounds.errors import NotApplicable, ParameterError
from bounds.exact import Exact, parse_rational, require_range
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.statements import DP
from mechanisms.regression.sampled_noise import Uses, noise_multiplier_est
from release.noise.randomness import Randomness
from release.one_thread import one_thread
from release.statistics.features import FeatureMap

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes

    Floats = NDArray[np.float64]
    Singles = NDArray[np.float32]

GradientLoss = Literal["logistic", "squared"]
LOSSES: tuple[GradientLoss, ...] = get_args(GradientLoss)
EPOCHS, SHARE, CLIP = 18, 10, 2.0
"""Defaults: passes over the records, number of batches per pass, and clipping norm."""
LARGEST_RATE, ADDED_UP = 24, 1.0
"""The default rate is the first over P, or less, so that the noise in a coefficient adds up to at most the second."""
NOT_RELEASED = (
    "mode = release: DP-SGD is simulated only: its sampling and its accountant are in floats, which no proof covers"
)


@dataclass(frozen=True, kw_only=True)
class StochasticPlan:
    """Settings fixed before a record is seen; `size` is n if it is public, else a public number near it."""

    features: FeatureMap
    loss: GradientLoss
    size: int
    epsilon: Fraction
    dp_delta: Fraction
    batch: int
    epochs: Fraction
    clip: float
    rate: float
    """Rate of a step along the mean clipped gradient, whose norm is at most `clip`."""
    runs: Uses = ()
    """All steps covered by the same noise, if the plan is one of several."""

    def __post_init__(self) -> None:
        if self.loss not in LOSSES:
            raise ParameterError("loss", self.loss, " or ".join(LOSSES), "gradients of DP-SGD")
        if self.loss == "logistic":
            self.features.require_two_values("for the logistic loss")
        require_range("size", self.size, self.size, least=1)
        require_range("batch", self.batch, self.batch, least=1, most=self.size)
        for name in ("epochs", "clip", "rate"):
            require_range(name, getattr(self, name), getattr(self, name), above=0)

    @property
    def adjacency(self) -> Adjacency:
        return Adjacency.ADD_REMOVE

    @property
    def chance(self) -> float:
        """q, the probability of each record to be in each step."""
        return self.batch / self.size

    @property
    def steps(self) -> int:
        return max(1, round(self.epochs * self.size / self.batch))

    @property
    def uses(self) -> Uses:
        return self.runs or ((self.chance, self.steps),)

    @cached_property
    def noise_multiplier_est(self) -> float:
        """sigma: the deviation of the noise on a sum, relative to the clipping norm."""
        return noise_multiplier_est(self.uses, epsilon=self.epsilon, dp_delta=self.dp_delta)

    @property
    def cost_est(self) -> DP:
        """The privacy of all steps together, by an accountant in floats; n stays private."""
        return DP(epsilon=self.epsilon, delta=self.dp_delta, adjacency=self.adjacency)  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True, eq=False)
class StochasticFit:
    """A simulated model, intercept last, and the plan that states its cost."""

    coefficients: Floats
    plan: StochasticPlan


def plan_stochastic(
    features: FeatureMap,
    *,
    size: int,
    epsilon: Exact,
    dp_delta: Exact,
    loss: GradientLoss = "logistic",
    batch: int | None = None,
    epochs: Exact = EPOCHS,
    clip: float = CLIP,
    rate: float | None = None,
) -> StochasticPlan:
    """Settings from public facts alone; a default rate depends on the noise, so it needs the accountant."""
    passes = parse_rational(epochs, "epochs")
    planned = StochasticPlan(
        features=features,
        loss=loss,
        size=size,
        epsilon=parse_rational(epsilon, "epsilon"),
        dp_delta=parse_rational(dp_delta, "dp_delta"),
        batch=-(-size // SHARE) if batch is None else batch,
        epochs=passes,
        clip=clip,
        rate=LARGEST_RATE / features.squared_norm if rate is None else rate,
    )
    if rate is not None:
        return planned
    noise = planned.noise_multiplier_est * clip / planned.batch * sqrt(planned.steps)
    return replace(planned, rate=min(planned.rate, ADDED_UP / noise))


def run_stochastic(records: Codes, plan: StochasticPlan, randomness: Randomness) -> StochasticFit:
    """All steps of the plan; refused outside simulations, before a record is looked at."""
    from release.noise.simulated import stream_of

    if not randomness.is_simulated:
        raise NotApplicable(NOT_RELEASED)
    values, labels = single_precision(records, plan.features)
    with one_thread():
        found = _descend(values, labels, plan, stream_of(randomness))
    return StochasticFit(coefficients=found, plan=plan)


def single_precision(records: Codes, features: FeatureMap) -> tuple[Singles, Singles]:
    """Features and labels; both have at most 21 bits, so nothing is rounded."""
    values = features.features(records).astype(np.float32)
    values /= np.float32(features.one)
    return values, (features.labels(records) / features.label_one).astype(np.float32)


def _descend(values: Singles, labels: Singles, plan: StochasticPlan, stream: np.random.Generator) -> Floats:
    longest = np.float32(plan.clip) / np.sqrt(np.einsum("ij,ij->i", values, values))
    p, deviation = values.shape[1], plan.noise_multiplier_est * plan.clip
    place, later, first = np.zeros(p), np.zeros(p), plan.steps // 2
    for step in range(plan.steps):
        rows = poisson_sample(len(values), plan.chance, stream)
        total = clipped_sum(values[rows], labels[rows], longest[rows], place, plan.loss)
        place = place - plan.rate / plan.batch * (total + deviation * stream.standard_normal(p))
        if step >= first:
            later += place
    return np.asarray(later / (plan.steps - first))


def clipped_sum(values: Singles, labels: Singles, longest: Singles, place: Floats, loss: GradientLoss) -> Floats:
    """The sum over records of slope times features, each no longer than the clip: `longest` is the clip over |f|."""
    scores = values @ place.astype(np.float32)
    slopes = scores - labels if loss == "squared" else -labels / (1 + np.exp(np.minimum(labels * scores, 80)))
    return np.asarray(np.clip(slopes, -longest, longest) @ values, dtype=np.float64)


def poisson_sample(size: int, chance: float, stream: np.random.Generator) -> NDArray[np.int64]:
    """Independent sampling of this many rows with that probability, by geometric gaps between sampled rows."""
    if chance >= 1:
        return np.arange(size)
    expected = size * chance
    found: list[NDArray[np.int64]] = []
    last = -1
    while last < size:
        gaps = stream.geometric(chance, size=int(expected + 4 * sqrt(expected)) + 4)
        found.append(last + np.cumsum(gaps))
        last = int(found[-1][-1])
    rows = np.concatenate(found)
    return rows[rows < size]
