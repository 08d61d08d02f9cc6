"""Two runs with the same outputs on neighbouring tables: what one history reveals, exactly and by samples.

A history fixes what is asked. So its draws are independent noise on known integers: the log-ratio of both tables is
sampled in bulk, by the distribution of the release, in floats. The loss of the noise as requested is added up exactly;
adaptive composition does the rest (docs/proofs/synthbounds.ledger.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import logsumexp

from bounds.enclosure import Enclosure
from bounds.errors import UsageError
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.concentrated import zcdp_epsilon
from bounds.privacy.statements import ZCDP
from verify.audit.doors import EXPONENTIAL, Drawn
from verify.audit.exact import gaussian_loss
from verify.audit.mechanism import Mechanism

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from verify.audit.mechanism import Outputs

_TABLED = 2000
"""Discrete Gaussian noise up to this deviation is sampled by its probabilities; beyond, rounding is as good."""
_FAR = 400
"""Heights of a noisy maximum that are added up, in inverse rates."""
_FAR_ENOUGH, _MOST_HEIGHTS = 60, 2**20


@dataclass(frozen=True)
class History:
    """The draws on one table and on its neighbour, with the same outputs."""

    first: tuple[Drawn, ...]
    second: tuple[Drawn, ...]

    def __post_init__(self) -> None:
        pairs = zip(self.first, self.second, strict=True)
        if not all(one.is_like(other) for one, other in pairs):
            raise UsageError("history: the questions differ between the tables along the same outputs")

    def with_noise(self, factor: Fraction) -> History:
        """A bug: the noise of all draws is this many times what it should be."""

        def changed(drawn: Drawn) -> Drawn:
            by = factor if _is_noise(drawn) else 1 / factor
            return replace(drawn, scales=tuple(scale * by for scale in drawn.scales))

        return History(tuple(map(changed, self.first)), tuple(map(changed, self.second)))

    @property
    def size(self) -> Fraction:
        """For finding the worst pair: twice the rho of all draws, a pure one by its loss."""
        return sum((_size(one, other) for one, other in zip(self.first, self.second, strict=True)), Fraction(0))

    def loss(self, *, delta: Fraction, adjacency: Adjacency, is_simulated: bool = False) -> Enclosure:
        """The epsilon of all draws together at that delta: exact only for Laplace, l_inf and rounded Gaussian noise.

        Otherwise it is an upper bound by their rho, where a choice counts at most an eighth of its squared range. In a
        simulation all Gaussian noise is continuous.
        """
        pairs = list(zip(self.first, self.second, strict=True))
        kinds = {one.kind for one, _ in pairs}
        if kinds <= {"laplace", "linf"}:
            return Enclosure.of(sum((_pure(one, other) for one, other in pairs), Fraction(0)))
        if kinds <= ({"rounded-gaussian", "gaussian"} if is_simulated else {"rounded-gaussian"}):
            parts = [list(chain.from_iterable(side)) for side in zip(*(_moved(a, b) for a, b in pairs), strict=True)]
            moves, scales = parts
            if not moves:
                return Enclosure.of(0)
            lost = gaussian_loss([0] * len(moves), moves, [s**2 for s in scales], epsilon=Fraction(1), delta=delta)
            assert lost.epsilon is not None
            return lost.epsilon
        if self.size == 0:
            return Enclosure.of(0)
        stated = ZCDP(rho=Enclosure.of(self.size / 2), adjacency=adjacency)
        return zcdp_epsilon(stated, dp_delta=delta).epsilon

    def log_ratios(self, side: int, runs: int, g: np.random.Generator) -> Outputs:
        """For runs on one of the tables: the logarithm of how much more likely the first is than the second."""
        found = np.zeros(runs)
        for one, other in zip(self.first, self.second, strict=True):
            found += _sampled(one, other, side, runs, g)
        return found

    def log_ratio(self) -> float:
        """Of the outputs that this history has."""
        return sum(_observed(one, other) for one, other in zip(self.first, self.second, strict=True))


def mechanism_of(ratios: Sequence[Outputs], *, epsilon: Fraction, delta: Fraction, adjacency: Adjacency) -> Mechanism:
    """For the ratio layer: available log-ratios of the first and of the second table."""
    return Mechanism(
        epsilon=epsilon,
        delta=delta,
        adjacency=adjacency,
        sample=lambda side, runs, g: ratios[side][:runs, None],
        log_ratio=lambda x: x[:, 0],
    )


def _is_noise(drawn: Drawn) -> bool:
    return len(drawn.scales) == len(drawn.inputs) and drawn.kind in ("laplace", "linf", "gaussian", "rounded-gaussian")


def _moves(one: Drawn, other: Drawn) -> list[int]:
    return [b - a for a, b in zip(one.inputs, other.inputs, strict=True)]


def _moved(one: Drawn, other: Drawn) -> tuple[list[int], list[Fraction]]:
    """Moves and scales of the inputs that move."""
    pairs = [(move, scale) for move, scale in zip(_moves(one, other), one.scales, strict=True) if move]
    return [move for move, _ in pairs], [scale for _, scale in pairs]


def _pure(one: Drawn, other: Drawn) -> Fraction:
    """Of Laplace and l_inf noise."""
    sizes = [Fraction(abs(move)) / scale for move, scale in zip(*_moved(one, other), strict=True)]
    return max([Fraction(0), *sizes]) if one.kind == "linf" else sum(sizes, Fraction(0))


def _size(one: Drawn, other: Drawn) -> Fraction:
    if _is_noise(one) and one.kind in ("laplace", "linf"):
        return _pure(one, other) ** 2
    if _is_noise(one):
        return sum((move**2 / scale**2 for move, scale in zip(*_moved(one, other), strict=True)), Fraction(0))
    moves, (rate,) = _moves(one, other), one.scales
    lost = (rate * (max(moves) - min(moves))) ** 2
    # Losses of the exponential mechanism lie in an interval of this length; a noisy maximum loses this much either way.
    return len(one.output) * lost / 4 if one.kind == EXPONENTIAL else lost


def _ratio_of_noise(kind: str, noise: Outputs, moves: Outputs, scales: Outputs) -> Outputs:
    """`noise` is the outputs minus the first table's inputs, one row per run."""
    after = noise - moves
    if kind == "laplace":
        return np.asarray(((np.abs(after) - np.abs(noise)) / scales).sum(axis=1))
    if kind == "linf":
        return np.asarray((np.abs(after).max(axis=1) - np.abs(noise).max(axis=1)) / scales[0])
    return np.asarray((moves * (moves - 2 * noise) / (2 * scales**2)).sum(axis=1))


def _sampled(one: Drawn, other: Drawn, side: int, runs: int, g: np.random.Generator) -> Outputs:
    if not any(_moves(one, other)):
        return np.zeros(runs)
    if not _is_noise(one):
        return _chosen((_log_law(one), _log_law(other)), len(one.output), side, runs, g)
    if one.kind == "linf":  # its coordinates are not independent
        moves, scales = _moves(one, other), list(one.scales)
    else:
        moves, scales = _moved(one, other)
    shifts, sizes = np.array(moves, dtype=float), np.array([float(scale) for scale in scales])
    noise = np.column_stack(
        _cube(runs, sizes, g) if one.kind == "linf" else [_noise(one.kind, size, runs, g) for size in sizes]
    )
    return _ratio_of_noise(one.kind, noise + side * shifts, shifts, sizes)


def _noise(kind: str, scale: float, runs: int, g: np.random.Generator) -> Outputs:
    if kind == "laplace":
        chance = -np.expm1(-1 / scale)
        return np.asarray(g.geometric(chance, runs) - g.geometric(chance, runs), dtype=float)
    if kind == "gaussian" and scale < _TABLED:
        points = np.arange(-int(12 * scale) - 2, int(12 * scale) + 3)
        chances = np.exp(-(points**2) / (2 * scale**2))
        return np.asarray(points[np.searchsorted(np.cumsum(chances / chances.sum())[:-1], g.random(runs))], dtype=float)
    return np.rint(scale * g.standard_normal(runs))


def _cube(runs: int, scales: Outputs, g: np.random.Generator) -> list[Outputs]:
    radius = scales[0] * g.gamma(len(scales) + 1, size=runs)
    return [np.rint(radius * g.uniform(-1, 1, runs)) for _ in scales]


def _observed(one: Drawn, other: Drawn) -> float:
    if not any(_moves(one, other)):
        return 0.0
    if not _is_noise(one):
        places = np.array([[int(place)] for place in one.output])
        return float(_ratio_of_choices((_log_law(one), _log_law(other)), places)[0])
    noise = np.array([[float(out - value) for out, value in zip(one.output, one.inputs, strict=True)]])
    moves = np.array([float(move) for move in _moves(one, other)])
    sizes = np.array([float(scale) for scale in one.scales])
    return float(_ratio_of_noise(one.kind, noise, moves, sizes)[0])


def _chosen(logs: tuple[Outputs, Outputs], count: int, side: int, runs: int, g: np.random.Generator) -> Outputs:
    """This many places one after the other, each among those that remain."""
    chances = np.exp(logs[side])
    chances /= chances.sum()
    places = np.empty((count, runs), dtype=np.int64)
    for turn in range(count):
        again = np.ones(runs, dtype=bool)
        while again.any():
            places[turn, again] = g.choice(len(chances), size=int(again.sum()), p=chances)
            again = (places[:turn] == places[turn]).any(axis=0)
    return _ratio_of_choices(logs, places)


def _ratio_of_choices(logs: tuple[Outputs, Outputs], places: NDArray[np.int64]) -> Outputs:
    """A row of places for each turn."""
    found = np.zeros(places.shape[1])
    for sign, law in ((1, logs[0]), (-1, logs[1])):
        gone = np.zeros(places.shape[1])
        for turn in places:
            found += sign * (law[turn] - np.log1p(-gone))
            gone += np.exp(law[turn])
    return found


def _log_law(drawn: Drawn) -> Outputs:
    """Log-probabilities of every place as the first winner."""
    rate, scores = float(drawn.scales[0]), np.array([float(score - max(drawn.inputs)) for score in drawn.inputs])
    if drawn.kind == EXPONENTIAL:
        return np.asarray(rate * scores - logsumexp(rate * scores))
    return np.asarray(np.log(_noisy_maximum(rate, scores)))


def _noisy_maximum(rate: float, scores: Outputs) -> Outputs:
    """P(each is the first among the largest of scores and geometric noise)."""
    if _FAR / rate > _MOST_HEIGHTS:  # a fine lattice: exponential noise, in the middle of small steps
        step = _FAR_ENOUGH / _MOST_HEIGHTS / rate
        heights = (np.arange(_MOST_HEIGHTS) + 0.5) * step
        law, first = np.exp(-rate * heights) * rate * step, 0
    else:
        heights = np.arange(_FAR / rate + 1)
        law, first = np.exp(-rate * heights) * -np.expm1(-rate), 1
    found = []
    for i, own in enumerate(scores):
        chance = law.copy()
        for j, score in enumerate(scores):
            if j != i:
                most = own + heights - (j < i) * first
                below = -np.expm1(-rate * np.maximum(most - score + first, 0))
                chance = chance * np.where(most >= score, below, 0.0)
        found.append(chance.sum())
    return np.array(found)
