"""A search for a table whose release looks like that of the real one, and on which a model is as bad as possible.

Shares of records are chosen by a convex programme: the mean difference of the losses of the given model and of another
one should be large, while the moments stay within a ball, measured in standard deviations of their noise. Records enter
by pricing, one column of the table after another, over the whole public domain; the other model is trained on the
shares found, and this is repeated. Finally, shares become numbers of records. The search is local and in floating
point: a result is worth what `verify.certificate_floor` proves about it. It sees the table, so it is for studies only.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from mechanisms.models.losses import find_training_loss
from mechanisms.models.train.newton import train
from release.moments.planned import MomentPlan
from release.one_thread import one_thread
from verify.certificate_runs import Truth, stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Codes = NDArray[np.int64]

LOSS = "logistic"
ROUNDS = 28
"""Rounds of shares, another model, and new records."""
_FIRST_ROUNDS, _HELD = 4, 1
"""Rounds from each of two models, and how many of these rounds keep the model."""
_RECORDS = 500
"""Records of the real table among those that may have a share in a round."""
_ASCENTS, _SWEEPS = 200, 3
_BEYOND = 1.15
"""The next records are priced for a model this much farther away, which they would allow."""
_KEPT = 1e-7
"""A smaller share is the solver's rounding of zero."""
_NARROWER = 0.98
"""Multiplies the radius if the rounded table is too far away."""
_SLACK_COST = 5.0
"""Cost of the column that stands for the real table."""
_REPLACEMENTS = 3
_PART = 7
"""Key of the streams of random numbers."""


@dataclass(frozen=True, eq=False)
class LookAlike:
    """Records of the public domain with their numbers, n in all, and a model that is better there."""

    codes: Codes
    counts: Codes
    better: tuple[Fraction, ...]
    shift_est: float
    """Distance of the moments, in standard deviations of their noise."""
    excess_est: float


def look_alike(
    truth: Truth, plan: MomentPlan, model: tuple[Fraction, ...], *, tau: Fraction, radius: float, rounds: int = ROUNDS
) -> LookAlike:
    """The best table found whose moments are within `radius` deviations; the real one, if there is none better."""
    with one_thread():
        return _Search(truth, plan, model, tau).run(radius, rounds)


def with_replaced(
    truth: Truth, plan: MomentPlan, model: tuple[Fraction, ...], *, tau: Fraction, records: int
) -> LookAlike:
    """The real table with this many records replaced by the one that is worst for the model."""
    with one_thread():
        return _Search(truth, plan, model, tau).replace(records)


def deviations_of(plan: MomentPlan) -> tuple[Fraction, ...]:
    """Deviation of the noise on every sum, in the order of the statistic."""
    scales = plan.noise.scales
    assert isinstance(scales, tuple)
    return scales


@dataclass(frozen=True, eq=False)
class _State:
    """Between rounds: the best table so far, records that may have shares, the other model, the radius in use."""

    found: LookAlike
    codes: Codes
    other: Floats
    within: float


class _Search:
    """One table, one release, one model and the logistic loss; features on the scale of f."""

    def __init__(self, truth: Truth, plan: MomentPlan, model: tuple[Fraction, ...], tau: Fraction) -> None:
        self.n, self.tau, self.map = truth.n, tau, truth.feature_map
        self.w = _floats(model)
        self.value = find_training_loss(LOSS).value
        self.generator = stream(_PART, 0)
        self.label_place = self.map.schema.names.index(self.map.label)
        self.positive = self.map.schema.columns[self.label_place].texts.index(
            self.map.require_two_values("logistic loss")
        )
        self.sizes = [column.size for column in self.map.schema.columns]
        p, one = self.map.size, float(self.map.one)
        deviations = np.array([float(scale) for scale in deviations_of(plan)])
        self.scales = self.n * np.repeat([one, one * one], [p, p * (p + 1) // 2]) / deviations
        self.target = np.array([float(value) for value in truth.sums.counted.values]) / deviations
        self.upper = np.triu_indices(p)
        self.blocks = [np.array(block, dtype=float) / one for block in self.map.blocks]
        self.real, self.often = np.unique(np.asarray(truth.codes, dtype=np.int64), axis=0, return_counts=True)

    def run(self, radius: float, rounds: int) -> LookAlike:
        """From two models, the best one of the real table and half of the given one; then on from the better."""
        real = self._table(self.real, self.often)
        first = min(_FIRST_ROUNDS, rounds)
        starts = [_State(real, self._sample(), v, radius) for v in (_floats(real.better), self.w / 2)]
        ends = [self._climb(start, radius, first, held=_HELD) for start in starts]
        state = max(ends, key=lambda end: end.found.excess_est)
        return self._climb(state, radius, rounds - first).found

    def _climb(self, state: _State, radius: float, rounds: int, *, held: int = 0) -> _State:
        """Rounds; in the first ones the other model is kept while records are found for it."""
        found, codes, v, within = state.found, state.codes, state.other, state.within
        for done in range(rounds):
            shares, dual = self._shares(codes, v, within)
            kept = shares > _KEPT
            table = self._table(*self._rounded(codes[kept], shares[kept]))
            # rounding moves the moments, by more in small tables
            within *= _NARROWER if table.shift_est > radius else 1 / _NARROWER**0.5
            if table.shift_est <= radius and table.excess_est > found.excess_est:
                found = table
            if done >= held:
                v = self.w + _BEYOND * (_floats(table.better) - self.w)
                v *= min(1.0, float(self.tau) / max(float(np.linalg.norm(v)) * self.map.squared_norm**0.5, 1e-9))
            starts = np.concatenate([codes[np.argsort(-shares, kind="stable")[:_ASCENTS]], self._random()])
            codes = np.unique(np.concatenate([codes[kept], self._ascend(starts, v, dual), self._sample()]), axis=0)
        return _State(found, codes, v, within)

    def replace(self, records: int) -> LookAlike:
        """The records with the smallest gain leave, and as many copies of the record with the largest enter."""
        found = self._table(self.real, self.often)
        for _ in range(_REPLACEMENTS):
            v = _floats(found.better)
            ends = self._ascend(np.concatenate([self._random(), self._sample()]), v, np.zeros(len(self.target)))
            worst = ends[[int(self._gains(ends, v).argmax())]]
            order, left = np.argsort(self._gains(self.real, v), kind="stable"), self.often.copy()
            before = np.concatenate([[0], np.cumsum(left[order])[:-1]])
            left[order] -= np.clip(records - before, 0, left[order])
            codes, counts = np.concatenate([self.real, worst]), np.append(left, records)
            table = self._table(codes[counts > 0], counts[counts > 0])
            if table.excess_est > found.excess_est:
                found = table
        return found

    def _features(self, codes: Codes) -> tuple[Floats, Floats]:
        return self.map.features(codes) / float(self.map.one), self.map.labels(codes).astype(float)

    def _moments(self, codes: Codes) -> Floats:
        """A column for each record: the moments of a share of 1, in standard deviations."""
        f, y = self._features(codes)
        products = f[:, self.upper[0]] * f[:, self.upper[1]]
        found: Floats = (np.hstack([f * y[:, None], products]) * self.scales).T
        return found

    def _gains(self, codes: Codes, v: Floats) -> Floats:
        f, y = self._features(codes)
        found: Floats = self.value(y * (f @ self.w)) - self.value(y * (f @ v))
        return found

    def _sample(self) -> Codes:
        count = min(len(self.real), _RECORDS)
        return self.real[self.generator.choice(len(self.real), count, replace=False)]

    def _random(self) -> Codes:
        return np.stack([self.generator.integers(0, size, _ASCENTS) for size in self.sizes], axis=1)

    def _shares(self, codes: Codes, v: Floats, radius: float) -> tuple[Floats, Floats]:
        """The best shares within the ball and the multipliers of the moments.

        One more column has the moments of the real table at a high cost, so that a solution always exists.
        """
        import clarabel
        from scipy import sparse

        moved = self._moments(codes) - self.target[:, None]
        d, k = moved.shape
        cost = np.append(-self._gains(codes, v), _SLACK_COST)
        # b - A q in the cones: sum q = 1, q >= 0, (radius, moved q) in the second-order cone
        rows = np.vstack([np.ones((1, k)), np.zeros((1, k)), -moved])
        last = np.zeros((d + 2, 1))
        last[0] = 1.0
        both = sparse.csc_matrix(np.hstack([rows, last]))
        a = sparse.vstack([both[:1], -sparse.identity(k + 1, format="csc"), both[1:]], format="csc")
        b = np.concatenate([[1.0], np.zeros(k + 1), [radius], np.zeros(d)])
        cones: list[Any] = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(k + 1), clarabel.SecondOrderConeT(d + 1)]
        settings = clarabel.DefaultSettings()
        settings.verbose, settings.max_threads = False, 1
        solution = clarabel.DefaultSolver(sparse.csc_matrix((k + 1, k + 1)), cost, a, b, cones, settings).solve()
        shares = np.maximum(np.array(solution.x)[:k], 0.0)
        # stationarity: cost + A'z = 0, so a record is worth its gain plus z.moved
        return shares / shares.sum(), np.array(solution.z)[k + 3 :]

    def _ascend(self, codes: Codes, v: Floats, dual: Floats) -> Codes:
        """From these records, change one column at a time to the value that is worth most."""
        p = self.map.size
        weighted = dual * self.scales
        linear = weighted[:p]
        form = np.zeros((p, p))
        form[self.upper] = weighted[p:] / 2
        form = form + form.T
        codes = codes.copy()
        f, y = self._features(codes)
        for _ in range(_SWEEPS):
            start = 0
            for place, block in zip(self.map.places, self.blocks, strict=True):
                part = slice(start, start + block.shape[1])
                start += block.shape[1]
                old = f[:, part]
                score_w = (f @ self.w - old @ self.w[part])[:, None] + block @ self.w[part]
                score_v = (f @ v - old @ v[part])[:, None] + block @ v[part]
                cross = f @ form[:, part] - old @ form[part, part]
                worth = self.value(y[:, None] * score_w) - self.value(y[:, None] * score_v)
                worth += y[:, None] * (block @ linear[part]) + 2 * cross @ block.T
                worth += np.einsum("li,ij,lj->l", block, form[part, part], block)
                best = worth.argmax(axis=1)
                codes[:, place] = best
                f[:, part] = block[best]
            scores_w, scores_v, straight = f @ self.w, f @ v, f @ linear
            up = self.value(scores_w) - self.value(scores_v) + straight
            down = self.value(-scores_w) - self.value(-scores_v) - straight
            codes[:, self.label_place] = np.where(up >= down, self.positive, 1 - self.positive)
            y = self.map.labels(codes).astype(float)
        return np.unique(codes, axis=0)

    def _rounded(self, codes: Codes, shares: Floats) -> tuple[Codes, Codes]:
        """n records: shares rounded down, and the largest remainders up."""
        whole = shares / shares.sum() * self.n
        counts = np.floor(whole).astype(np.int64)
        counts[np.argsort(counts - whole, kind="stable")[: self.n - int(counts.sum())]] += 1
        return codes[counts > 0], counts[counts > 0]

    def _table(self, codes: Codes, counts: Codes) -> LookAlike:
        shares = counts / self.n
        f, y = self._features(codes)
        better = train(f, y, shares, squared_norm=self.map.squared_norm, tau=self.tau, loss=LOSS).coefficients
        shift = float(np.linalg.norm(self._moments(codes) @ shares - self.target))
        return LookAlike(codes, counts, better, shift, float(shares @ self._gains(codes, _floats(better))))


def _floats(model: tuple[Fraction, ...]) -> Floats:
    return np.array([float(c) for c in model])
