"""A generator fitted to noisy sums of random Fourier features, by their exact expectation under product distributions.

If columns are independent, the expected wave of a phase is the product of the expected waves of the columns. So the
expected features of the rows drawn from a latent point are known exactly; see docs/proofs/synthbounds.
fourier-features.md, (e). Waves are complex numbers, cosine and sine in one. A step looks at some of the frequencies.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mechanisms.generators.fit_tables import add_columns, falling
from release.statistics.fourier_features import STEPS, TURN

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from mechanisms.generators.fit_tables import ColumnTargets
    from mechanisms.generators.network import Network
    from mechanisms.generators.outputs import Outputs
    from release.log.steps import AnswersStep
    from release.statistics.fourier_features import FourierFeatures

    Floats = NDArray[np.float32]
    Waves = NDArray[np.complex64]

AT_ONCE = 100
"""Number of frequencies that a step looks at, drawn at random."""


@dataclass(frozen=True, eq=False)
class FeatureTarget:
    """Mean waves of the records, and what every output of a column adds to a phase."""

    label: int | None
    waves: Mapping[int, Waves]
    """For every column and output the expected wave of its codes, with a column for each frequency."""
    wanted: Waves
    """A line for each frequency, with a number for every value of the label."""

    @property
    def frequencies(self) -> int:
        return len(self.wanted)


def feature_target(features: FourierFeatures, step: AnswersStep, outputs: Outputs, *, total: float) -> FeatureTarget:
    """What a log says about the features, with codes distributed within an output as in the one-way tables."""
    sums = np.array(step.sums, dtype=np.float64).reshape(features.count, 2, features.labels) / (total * STEPS)
    waves = {}
    for u in features.turning:
        turned = np.exp(2j * np.pi / TURN * features.weights(u)) * outputs.within(u)[:, None]
        found = np.zeros((outputs.sizes[u], features.count), dtype=np.complex128)
        np.add.at(found, np.array(outputs.groups[u]), turned)
        waves[u] = found.astype(np.complex64)
    return FeatureTarget(features.label, waves, (sums[:, 0] + 1j * sums[:, 1]).astype(np.complex64))


def fit_features(
    network: Network,
    target: FeatureTarget,
    columns: ColumnTargets,
    stream: np.random.Generator,
    *,
    steps: int,
) -> None:
    """This many steps from the present network; `columns` are weighted like the features."""
    for step in range(steps):
        chosen = stream.permutation(target.frequencies)[:AT_ONCE]
        shares = network.forward()
        gradient = np.zeros_like(shares)
        add_wave_gradient(gradient, shares, target, chosen, network.blocks)
        add_columns(gradient, shares, columns)
        network.step(gradient, falling(step / steps))


def residual_waves(network: Network, target: FeatureTarget) -> float:
    """Root mean square of the residuals, over cosines and sines."""
    every = np.arange(target.frequencies)
    left = mean_waves(network.forward(), target, every, network.blocks) - target.wanted
    return float(np.sqrt(np.mean(np.abs(left) ** 2) / 2))


def mean_waves(shares: Floats, target: FeatureTarget, chosen: NDArray[np.intp], blocks: Sequence[slice]) -> Waves:
    """Waves of the mixture, for the chosen frequencies and every value of the label."""
    product: Waves = np.prod(_factors(shares, target, chosen, blocks), axis=0)
    return _mean(product, _labels(shares, target, blocks))


def add_wave_gradient(
    gradient: Floats, shares: Floats, target: FeatureTarget, chosen: NDArray[np.intp], blocks: Sequence[slice]
) -> None:
    """Gradient of the sum of squared distances over all frequencies, estimated from the chosen ones."""
    factors = _factors(shares, target, chosen, blocks)
    before = [np.ones_like(factors[0])]
    for factor in factors:
        before.append(before[-1] * factor)
    labels = _labels(shares, target, blocks)
    residual = _mean(before[-1], labels) - target.wanted[chosen]
    residual *= np.float32(2 * target.frequencies / (len(chosen) * len(shares)))
    # a change d of a product p changes the loss by the real part of d times `slope`
    slope = labels @ residual.conj().T
    if target.label is not None:
        gradient[:, blocks[target.label]] += (before[-1] @ residual.conj()).real
    for u, factor, others in reversed(list(zip(target.waves, factors, before, strict=False))):
        waves, own = np.take(target.waves[u], chosen, axis=1), (slope * others).conj()
        gradient[:, blocks[u]] += _halves(own) @ _halves(waves).T
        slope *= factor


def _factors(shares: Floats, target: FeatureTarget, chosen: NDArray[np.intp], blocks: Sequence[slice]) -> list[Waves]:
    """The expected wave of every column, with a line for each point."""
    return [
        (shares[:, blocks[u]] @ _halves(np.take(waves, chosen, axis=1))).view(waves.dtype)
        for u, waves in target.waves.items()
    ]


def _halves(waves: Waves) -> Floats:
    """Cosines and sines separately: products of real numbers are faster, and half as many."""
    found: Floats = np.ascontiguousarray(waves).view(waves.real.dtype)
    return found


def _labels(shares: Floats, target: FeatureTarget, blocks: Sequence[slice]) -> Floats:
    """Shares of the values of the label, or all of a point in one column."""
    return np.ones((len(shares), 1), np.float32) if target.label is None else shares[:, blocks[target.label]]


def _mean(product: Waves, labels: Floats) -> Waves:
    """Sums over the points, by the value of the label."""
    found: Waves = product.T @ labels.astype(product.dtype)
    found /= np.float32(len(labels))
    return found
