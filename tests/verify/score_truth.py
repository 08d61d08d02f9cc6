"""Is what a certificate of scores claims true? Decided in mpmath and numpy, without the checkers and the provers.

Ends are turned into probabilities: how likely the noise is that would make a claim false.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
import numpy as np
from mpmath import mpf

from tests.verify.certificate_truth import fraction

_ROOM = mpf(10) ** -25
_PHI: dict[str, Any] = {
    "logistic": lambda m: mpmath.log1p(mpmath.exp(-m)) if m > 0 else -m + mpmath.log1p(mpmath.exp(m)),
    "hinge": lambda m: max(mpf(0), 1 - m),
    "squared": lambda m: (1 - m) ** 2 / 2,
}
_OF_PREDICTIONS = {"log": ("logistic", 1), "brier": ("squared", mpf(1) / 2)}


def scores_are_true(c: dict[str, Any]) -> bool:
    with mpmath.workdps(50):
        return _Scores(c).hold()


def _real(value: str | int | Fraction) -> Any:
    exact = fraction(value) if isinstance(value, str) else Fraction(value)
    return mpf(exact.numerator) / exact.denominator


def _tail(z: Any) -> Any:
    return mpmath.erfc(z / mpmath.sqrt(2)) / 2


@cache
def _quantile(failure: Any) -> Any:
    """By bisection of the tail itself."""
    low, high = mpf(0), mpf(60)
    for _ in range(180):
        middle = (low + high) / 2
        low, high = (middle, high) if _tail(middle) > failure else (low, middle)
    return high


class _Scores:
    def __init__(self, c: dict[str, Any]) -> None:
        self.c, self.n, self.hidden = c, c["size"], c["adjacency"] == "add-remove"
        self.rows = c["questions"]
        self.floor_rows = [] if c["floors"] is None else c["floors"]["questions"]
        self.failures = {event: _real(value) for event, value in c["failures"].items()}

    def hold(self) -> bool:
        total = sum(fraction(value) for value in self.c["failures"].values())
        if not total <= fraction(self.c["beta"]) < 1 or min(self.failures.values()) <= 0:
            return False
        claims = getattr(self, f"_{self.c['ask']}")
        return self._costs_hold() and self._one_label() and bool(claims(self.c["claims"]))

    # what it cost

    def _costs_hold(self) -> bool:
        mu, choice = fraction(self.c["mu_squared"]), self.c["choice"]
        if choice is not None:
            share = fraction(choice["share"])
            odds = mpmath.exp(_real(choice["epsilon"]))
            half = mpmath.sqrt(_real(share * mu)) / 2
            if not _tail(-half) / _tail(half) >= odds - _ROOM or not 0 < share < 1:
                return False
            mu *= 1 - share
        floors = self.c["floors"]
        parts = [(self.rows, self.c["features"], mu)]
        parts += [] if floors is None else [(self.floor_rows, floors["features"], fraction(floors["mu_squared"]))]
        return all(self._cost_holds(*part) for part in parts)

    def _cost_holds(self, rows: list[dict[str, Any]], features: Any, mu: Fraction) -> bool:
        spent = sum((fraction(row["moved"]) / fraction(row["deviation"])) ** 2 for row in rows)
        if spent > mu or sum(fraction(row["share"]) for row in rows) > 1:
            return False
        return all(_real(row["moved"]) >= self._moved(row, features) * (1 - mpf(10) ** -40) for row in rows)

    def _moved(self, row: dict[str, Any], features: Any) -> Any:
        """In steps, less what rounding and keeping within a range may take off."""
        q, unit, error = row["question"], _real(row["unit"]), _real(row["error"])
        kind = q["kind"]
        if kind in ("label-counts", "calibration"):
            return mpf(1) if self.hidden else mpmath.sqrt(2)
        if kind == "area-under-curve":
            parts = [mpf(1) / q["least_positive"], mpf(1) / q["least_other"]]
            return (max(parts) if self.hidden else sum(parts)) / unit + 1
        if kind == "predicted-loss":
            clip = None if q["clip"] is None else _real(q["clip"])
            low, high = (0, mpf(1)) if clip is None else (-mpmath.log(1 - clip), -mpmath.log(clip))
            return ((high if self.hidden else high - low) - (0 if clip is None else 2 * error)) / unit
        if kind == "least-loss":
            return self._range(q["loss"], self._class_reach(q)) / unit + q["gap"]
        own = self._reach(q["coefficients"], features)
        if kind == "model-loss":
            return (self._range(q["loss"], own) - 2 * error) / unit
        return max((self._apart(q, own, other, features) - 2 * error) / unit for other in q["others"])

    def _range(self, loss: str, reach: Any) -> Any:
        """The loss is convex and largest on the left; its least value is looked for on the whole interval."""
        ends = [reach, min(reach, mpf(1)), mpf(0)]
        return _PHI[loss](-reach) - (0 if self.hidden else min(_PHI[loss](end) for end in ends))

    def _apart(self, q: dict[str, Any], own: Any, other: list[str], features: Any) -> Any:
        far = self._reach(other, features)
        phi = _PHI[q["loss"]]
        least = [min(phi(reach), phi(min(reach, mpf(1)))) for reach in (own, far)]
        difference = [str(fraction(a) - fraction(b)) for a, b in zip(q["coefficients"], other, strict=True)]
        near = self._reach(difference, features) * (1 + max(own, far) if q["loss"] == "squared" else 1)
        up, down = min(phi(-own) - least[1], near), min(phi(-far) - least[0], near)
        return max(up, down) if self.hidden else up + down

    def _reach(self, coefficients: list[str], features: Any) -> Any:
        w, place = [fraction(x) for x in coefficients], 0
        ends = [w[-1], w[-1]]
        for block in features["blocks"]:
            width = len(block[0])
            scores = [sum(x * y for x, y in zip(row, w[place : place + width], strict=True)) for row in block]
            ends = [ends[0] + Fraction(min(scores)) / 2 ** features["bits"],
                    ends[1] + Fraction(max(scores)) / 2 ** features["bits"]]  # fmt: skip
            place += width
        return _real(max(abs(end) for end in ends))

    def _class_reach(self, q: dict[str, Any]) -> Any:
        norms = [] if q["tau"] is None else [_real(q["tau"])]
        if q["ridge"] is not None:
            norms.append(mpmath.sqrt(2 * _PHI[q["loss"]](mpf(0)) / _real(q["ridge"])))
            norms += [] if q["loss"] == "squared" else [1 / _real(q["ridge"])]
        if q["intercept"] is None:
            return min(norms)
        return min(norms) * mpmath.sqrt(1 - mpf(1) / self._squared_norm(q)) + _real(q["intercept"])

    def _squared_norm(self, q: dict[str, Any]) -> int:
        return 1 + sum(encoding != "none" for encoding in q["feature_map"]["encodings"].values())

    def _one_label(self) -> bool:
        said = [row["question"].get("feature_map", row["question"]) for row in [*self.rows, *self.floor_rows]]
        return len({(q["label"], q["positive"]) for q in said}) == 1

    # what is claimed

    def _row(self, kind: str) -> dict[str, Any]:
        rows = [row for row in self.rows if row["question"]["kind"] == kind]
        if kind == "label-counts" and not rows:
            rows = [row for row in self.floor_rows if row["question"]["kind"] == kind]
        (row,) = rows
        return row

    def _numbers(self, row: dict[str, Any]) -> tuple[Any, Any, Any]:
        """The answer, its deviation and half a step, all in losses."""
        unit = _real(row["unit"])
        return _real(row["answer"][0]) * unit, _real(row["deviation"]) * unit, unit / 2

    def _excess(self, claims: dict[str, Any]) -> bool:
        own, labels = self._row("model-loss"), self._row("label-counts")
        kinds = {row["question"]["kind"] for row in self.rows}
        answer, deviation, half = self._numbers(own)
        error, penalty, least_mean = _real(own["error"]), mpf(0), mpf(0)
        if "excess-over" in kinds:
            over = self._row("excess-over")
            middle, spread, rounding = self._numbers(over)
            slack, added = rounding, _real(over["error"])
            same = over["question"]["coefficients"], over["question"]["loss"]
        else:
            least = self._row("least-loss")
            q = least["question"]
            floor, other, rounding = self._numbers(least)
            middle, spread = answer - floor, mpmath.sqrt(deviation**2 + other**2)
            slack, added = half + rounding + q["gap"] * _real(least["unit"]), error
            if q["ridge"] is not None:
                w = [_real(x) for x in own["question"]["coefficients"]]
                w = w if q["intercept"] is None else w[:-1]
                penalty = _real(q["ridge"]) / 2 * self._squared_norm(q) * sum(x * x for x in w)
            lowest = floor - rounding - q["gap"] * _real(least["unit"])
            if claims["floor"] is not None:
                z = (lowest - _real(claims["floor"]) * self.n) / other
                unlikely = _tail(z) <= self.failures["class"] + _ROOM
                if self.hidden or not (unlikely or _real(claims["floor"]) <= 0):
                    return False
                least_mean = max(mpf(0), (lowest - _quantile(self.failures["class"]) * other) / self.n)
            same = own["question"]["coefficients"], q["loss"]
        # noise beyond this makes the claim false
        z = ((_real(claims["excess"]) - added - penalty) * self.n - middle - slack) / spread
        fine = _tail(z) <= self.failures["difference"] + _ROOM
        fine &= not self.hidden or _real(claims["excess"]) >= added
        # or both what the model loses and the least of the class would have to be on the wrong side
        total = answer + half + _quantile(self.failures["model"]) * deviation
        most = (max(total, mpf(0)) if self.hidden else total) / self.n + error + penalty
        fine |= _real(claims["excess"]) >= most - least_mean - _ROOM
        fine &= _real(claims["excess"]) >= 0
        z = ((_real(claims["risk"]) - error) * self.n - answer - half) / deviation
        fine &= _tail(z) <= self.failures["model"] + _ROOM
        fine &= not self.hidden or _real(claims["risk"]) >= error
        counts = [int(x) for x in labels["answer"]]
        apart = _quantile(self.failures["labels"]) * _real(labels["deviation"]) * mpmath.sqrt(2)
        mean = (abs(counts[0] - counts[1]) + 1 + apart) / self.n
        fine &= _real(claims["constant"]) <= self._constant(own["question"]["loss"], mean) + _ROOM
        gain = _real(claims["constant"]) - _real(claims["risk"]) - penalty
        fine &= not claims["informative"] or _real(claims["excess"]) < gain
        return bool(fine) and same == (own["question"]["coefficients"], own["question"]["loss"])

    def _constant(self, loss: str, mean: Any) -> Any:
        """The least mean loss of a constant score or probability: convex, so it is searched for."""
        if mean >= 1:
            return mpf(0)
        p = (1 + mean) / 2
        if loss in ("logistic", "log"):
            return -p * mpmath.log(p) - (1 - p) * mpmath.log(1 - p)
        if loss in ("squared", "brier"):
            at = mean if loss == "squared" else p
            phi = _PHI["squared"] if loss == "squared" else (lambda x: x)
            if loss == "squared":
                return p * phi(at) + (1 - p) * phi(-at)
            return p * (1 - at) ** 2 + (1 - p) * at**2
        return min(p, 1 - p) * (2 if loss == "hinge" else 1)

    def _sizes(self) -> tuple[Any, Any, Any]:
        row = self._row("label-counts")
        a, b = (int(x) for x in row["answer"])
        d, f = _real(row["deviation"]), self.failures["labels"]
        if not self.hidden:
            half = (_quantile(f / 2) * d * mpmath.sqrt(2) + 1) / 2
            low, high = (min(max(mpf(a - b + self.n) / 2 + s * half, 0), self.n) for s in (-1, 1))
            return (low, high), (self.n - high, self.n - low), (mpf(self.n), mpf(self.n))
        both, each = _quantile(f / 6) * d * mpmath.sqrt(2) + 1, _quantile(f / 6) * d + mpf(1) / 2
        total = (max(mpf(self.n), a + b - both), max(mpf(self.n), a + b + both))
        ends = [tuple(min(max(x + s * each, mpf(0)), total[1]) for s in (-1, 1)) for x in (a, b)]
        return ends[0], ends[1], total

    def _mean_label(self) -> Any:
        positive, other, _ = self._sizes()
        pairs = [(positive[1], other[0]), (other[1], positive[0])]
        return max((x - y) / (x + y) if x + y > 0 else mpf(1) for x, y in pairs)

    def _sum(self, row: dict[str, Any], failure: Any) -> tuple[Any, Any]:
        answer, deviation, half = self._numbers(row)
        gap = row["question"].get("gap", 0) * _real(row["unit"])
        reach = _quantile(failure / 2) * deviation + half
        return answer - reach - gap, answer + reach

    def _between(self, said: dict[str, str], low: Any, high: Any) -> bool:
        return bool(_real(said["lower"]) <= low + _ROOM and _real(said["upper"]) >= high - _ROOM)

    def _floor_sums(self, rows: list[dict[str, Any]]) -> list[tuple[Any, Any]]:
        least = [row for row in rows if row["question"]["kind"] == "least-loss"]
        each = 1 - (1 - self.failures["floors"]) ** (mpf(1) / len(least))
        return [self._sum(row, each) for row in least]

    def _mean(self, low: Any, high: Any) -> tuple[Any, Any]:
        size = self._sizes()[2]
        return min(low / n for n in size), max(high / n for n in size)

    def _floors(self, claims: dict[str, Any]) -> bool:
        sums = self._floor_sums(self.rows)
        pairs = zip(claims["floors"], sums, strict=True)
        fine = all(self._between(said, *(max(end, mpf(0)) for end in self._mean(*ends))) for said, ends in pairs)
        loss = self._row_of_floors()["question"]["loss"]
        return fine and bool(_real(claims["constant"]) <= self._constant(loss, self._mean_label()) + _ROOM)

    def _row_of_floors(self) -> dict[str, Any]:
        rows = [row for row in self.rows if row["question"]["kind"] == "least-loss"]
        assert len({row["question"]["loss"] for row in rows}) == 1
        return rows[0]

    def _loss(self, claims: dict[str, Any]) -> bool:
        own = self._row("predicted-loss")
        q, error = own["question"], _real(own["error"])
        low, high = self._sum(own, self.failures["model"])
        mean = self._mean(low, high)
        largest = mpf(1) if q["clip"] is None else -mpmath.log(_real(q["clip"]))
        fine = self._between(claims["risk"], max(mean[0], mpf(0)), min(mean[1] + error, largest))
        fine &= bool(_real(claims["constant"]) <= self._constant(q["loss"], self._mean_label()) + _ROOM)
        fine &= not claims["better"] or fraction(claims["risk"]["upper"]) < fraction(claims["constant"])
        if claims["compared"] is None:
            return fine
        loss, part = _OF_PREDICTIONS[q["loss"]]
        least = [row for row in self.floor_rows if row["question"]["kind"] == "least-loss"]
        for said, row, ends in zip(claims["compared"], least, self._floor_sums(self.floor_rows), strict=True):
            apart = self._mean(low - part * ends[1], high - part * ends[0])
            fine &= row["question"]["loss"] == loss and self._between(said, apart[0], apart[1] + error)
        return fine

    def _auc(self, claims: dict[str, Any]) -> bool:
        own = self._row("area-under-curve")
        positive, other, _ = self._sizes()
        low, high = self._sum(own, self.failures["model"])
        low, high = max(low, mpf(0)), max(high, mpf(0)) + _real(own["error"])
        declared = own["question"]["least_positive"], own["question"]["least_other"]
        for least, (fewest, most) in zip(declared, (positive, other), strict=True):
            low *= max(mpf(1), least / most) if most > 0 else 1
            high = high * max(mpf(1), least / fewest) if fewest > 0 else mpf(1)
        return self._between(claims["area"], min(low, mpf(1)), min(high, mpf(1)))

    def _calibration(self, claims: dict[str, Any]) -> bool:
        """No share outside what is claimed goes with the answers: looked for on a grid."""
        row = self._row("calibration")
        counts, d = [int(x) for x in row["answer"]], float(_real(row["deviation"]))
        each = 1 - (1 - self.failures["bins"]) ** (mpf(2) / len(counts))
        z = float(_quantile(each / 2))
        grid = np.linspace(0, 1, 20_001)
        for said, a, b in zip(claims["bins"], counts[::2], counts[1::2], strict=True):
            away = np.abs((1 - grid) * a - grid * b)
            possible = grid[away <= z * d * np.sqrt((1 - grid) ** 2 + grid**2) + 0.5]
            lower, upper = (float(_real(said[end])) for end in ("lower", "upper"))
            if len(possible) and (possible.min() < lower - 1e-12 or possible.max() > upper + 1e-12):
                return False
            if a + b <= 0 and (lower > 0 or upper < 1):
                return False
        return True
