"""A generator fitted to noisy sums of random Fourier features, by their exact expectation under laws of products.

Where columns are independent, the expected wave of a phase is the product of the expected waves of the columns, so a
latent point has its features exactly, as do the rows that are drawn from it; see docs/proofs/synthbounds.
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
"""Frequencies that a step looks at: all of them take turns by chance."""


@dataclass(frozen=True, eq=False)
class FeatureTarget:
    """Mean waves that the records have, and what every output of a column adds to a phase."""

    label: int | None
    waves: Mapping[int, Waves]
    """By column: for every output the expected wave of its codes, a column a frequency."""
    wanted: Waves
    """A line a frequency, with a number for every value of the label."""

    @property
    def frequencies(self) -> int:
        return len(self.wanted)


def feature_target(features: FourierFeatures, step: AnswersStep, outputs: Outputs, *, total: float) -> FeatureTarget:
    """What a log says of the features, with the codes within an output as one-way tables have them."""
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
    """So many steps from where the network is; `columns` are weighted as the features are."""
    for step in range(steps):
        chosen = stream.permutation(target.frequencies)[:AT_ONCE]
        shares = network.forward()
        gradient = np.zeros_like(shares)
        add_wave_gradient(gradient, shares, target, chosen, network.blocks)
        add_columns(gradient, shares, columns)
        network.step(gradient, falling(step / steps))


def residual_waves(network: Network, target: FeatureTarget) -> float:
    """Root mean square of what is left to fit, over cosines and sines."""
    every = np.arange(target.frequencies)
    left = mean_waves(network.forward(), target, every, network.blocks) - target.wanted
    return float(np.sqrt(np.mean(np.abs(left) ** 2) / 2))


def mean_waves(shares: Floats, target: FeatureTarget, chosen: NDArray[np.intp], blocks: Sequence[slice]) -> Waves:
    """Of the mixture, for the chosen frequencies and every value of the label."""
    product: Waves = np.prod(_factors(shares, target, chosen, blocks), axis=0)
    return _mean(product, _labels(shares, target, blocks))


def add_wave_gradient(
    gradient: Floats, shares: Floats, target: FeatureTarget, chosen: NDArray[np.intp], blocks: Sequence[slice]
) -> None:
    """Of the sum of squared distances over all frequencies, as the chosen ones say it."""
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
    """The expected wave of every column, a line a point."""
    return [
        (shares[:, blocks[u]] @ _halves(np.take(waves, chosen, axis=1))).view(waves.dtype)
        for u, waves in target.waves.items()
    ]


def _halves(waves: Waves) -> Floats:
    """Cosines and sines by turns: products of real numbers are faster, and half as many."""
    found: Floats = np.ascontiguousarray(waves).view(waves.real.dtype)
    return found


def _labels(shares: Floats, target: FeatureTarget, blocks: Sequence[slice]) -> Floats:
    """Shares of the values of the label, or all of a point in one column."""
    return np.ones((len(shares), 1), np.float32) if target.label is None else shares[:, blocks[target.label]]


def _mean(product: Waves, labels: Floats) -> Waves:
    """Over the points, by the value of the label."""
    found: Waves = product.T @ labels.astype(product.dtype)
    found /= np.float32(len(labels))
    return found
