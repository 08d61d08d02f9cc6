"""Is what a certificate claims true? Decided without the checkers: by mpmath, HiGHS, and the theorem in numpy.

These are approximate: they can show that a claim is false by more than rounding, and that is what tests of the checkers
ask. Nothing here is trusted with proving anything.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import mpmath
import numpy as np
from flint import arb
from scipy import stats

from bounds.certify.goe import eigenvalues_above
from lp.study.reference import highs_model
from release.data.domain import Domain
from release.statistics.families import build_family

_SAMPLES = 120
_ROOM = 1e-9


def fraction(text: str) -> Fraction:
    top, slash, power = text.partition("/2^")
    return Fraction(int(top), 2 ** int(power)) if slash else Fraction(text)


# approximations


def approximation_is_true(c: dict[str, Any]) -> bool:
    """Every claim, at points: no sampled error is above, and the named points reach what is said."""
    with mpmath.workdps(60):
        return _approximation_is_true(c)


def _approximation_is_true(c: dict[str, Any]) -> bool:
    code = compile(re.sub(r"(\d+)", r"mpf(\1)", c["function"].replace("^", "**")), "function", "eval")
    names = {"mpf": mpmath.mpf, "exp": mpmath.exp, "log": mpmath.log, "max": max, "__builtins__": {}}
    tiny = mpmath.mpf(10) ** -45

    def real(value: Fraction) -> Any:
        return mpmath.mpf(value.numerator) / value.denominator

    def f(x: Fraction) -> Any:
        return eval(code, names, {"x": real(x)})  # noqa: S307 - a text that the checker has accepted

    polynomial = [fraction(a) for a in c["polynomial"]]
    left, right = (fraction(end) for end in c["interval"])

    def error(x: Fraction) -> Any:
        return abs(f(x) - real(sum((a * x**k for k, a in enumerate(polynomial)), Fraction(0))))

    lo, hi = (real(fraction(c["error"][end])) for end in ("lo", "hi"))
    places = [left + (right - left) * Fraction(i, _SAMPLES) for i in range(_SAMPLES + 1)]
    places += [fraction(cell[0]) for cell in c["cells"][:_SAMPLES]]
    if any(error(x) > hi * (1 + tiny) + tiny for x in places):
        return False
    if error(fraction(c["attained"])) < lo * (1 - tiny) - tiny:
        return False
    total = sum(map(abs, polynomial), Fraction(0))
    if not fraction(c["coefficient_sum"]["lo"]) <= total <= fraction(c["coefficient_sum"]["hi"]):
        return False
    radius = max(abs(left), abs(right))
    for name, variation in (("minimax", 1), ("objective", 4)):
        if name in c and not _least_is_true(c, name, variation, f, real, polynomial, radius, tiny):
            return False
    return True


def _least_is_true(
    c: dict[str, Any],
    name: str,
    variation: int,
    f: Any,
    real: Any,
    polynomial: list[Fraction],
    radius: Fraction,
    tiny: Any,
) -> bool:
    said = c[name]
    points = [fraction(x) for x in said["points"]]
    s = fraction(said.get("marginal_error", "0"))
    if "weights" in said:
        weights = [fraction(w) for w in said["weights"]]
        moments = [sum((w * (x / radius) ** k for x, w in zip(points, weights, strict=True)), Fraction(0))
                   for k in range(c["degree"] + 1)]  # fmt: skip
        if moments[0] != 0 or max(map(abs, moments)) > 2 * s or sum(map(abs, weights)) > variation:
            return False
    else:  # a linear system instead of the products of differences
        matrix = mpmath.matrix(len(points), len(points))
        for k, x in product(range(len(points)), points):
            matrix[k, points.index(x)] = real(x / radius) ** k
        right = mpmath.matrix([0] * (len(points) - 1) + [1])
        with mpmath.workdps(60 + 4 * len(points)):
            found = list(mpmath.lu_solve(matrix, right))
        scale = sum(abs(w) for w in found)
        weights = [variation * w / scale for w in found]
    reached = abs(
        sum((f(x) * (real(w) if isinstance(w, Fraction) else w)) for x, w in zip(points, weights, strict=True))
    )
    if reached < real(fraction(said["lo"])) - mpmath.mpf(10) ** -25:
        return False
    cost = variation * fraction(c["error"]["hi"])
    cost += 2 * s * sum((abs(a) * radius**k for k, a in enumerate(polynomial) if k), Fraction(0))
    return cost <= fraction(said["hi"])


# densities


def density_is_true(c: dict[str, Any]) -> bool:
    """HiGHS solves the programme of the file once more."""
    optimum = density_optimum(c)
    return float(Fraction(c["lower"])) <= optimum + _ROOM and float(Fraction(c["upper"])) >= optimum - _ROOM


def density_optimum(c: dict[str, Any]) -> float:
    domain = Domain(tuple(c["sizes"]))
    family = build_family(c["family"], domain, c["degree"])
    rows = {tuple(_factors(family, row)): i for i, row in enumerate(family.rows)}
    points = domain.points(np.arange(domain.size)) if c["points"] == "full" else np.array(c["points"])
    values = family.values(points.astype(domain.code_type)) / family.denominator
    order = [rows[tuple((p[0], p[1]) for p in q)] for q in c["queries"]]
    return highs_model(values[order], np.array([float(Fraction(t)) for t in c["targets"]])).value_est


def _factors(family: Any, row: tuple[int, ...]) -> list[tuple[int, int]]:
    by_level = family.name in ("cells", "thresholds")
    features = [family.features[a] for a in row]
    return [(f.attribute, f.table.index(1) if by_level else f.degree) for f in features]


# models

_LOSSES: dict[str, Any] = {
    "log(1+exp(-x))": lambda t: np.logaddexp(0, -t),
    "max(0,1-x)": lambda t: np.maximum(0, 1 - t),
    "(1-x)^2/2": lambda t: (1 - t) ** 2 / 2,
}


def model_is_true(c: dict[str, Any]) -> bool:
    """The hypotheses of the theorem in floats: radii, class, forms, domination on a grid, and X of part (a)."""
    numbers = _Numbers(c)
    return numbers.radii_hold() and numbers.class_holds() and numbers.dominates() and numbers.bound_holds()


class _Numbers:
    def __init__(self, c: dict[str, Any]) -> None:
        def array(value: Any) -> Any:
            nested = isinstance(value, list)
            return np.array([array(part) for part in value]) if nested else float(fraction(value))

        self.c, self.p, self.degree = c, len(c["first"]), 2 * len(c["forms"])
        self.w, self.n, self.one = array(c["coefficients"]), c["size"], 2 ** c["bits"]
        self.m1 = array(c["first"]) / (self.n * self.one)
        upper = np.zeros((self.p, self.p))
        for i, row in enumerate(c["second"]):
            upper[i, i:] = array(row) / (self.n * self.one**2)
        self.m2 = upper + np.triu(upper, 1).T
        self.forms, self.absolute = array(c["forms"]), array(c["absolute"])
        self.alpha, self.k = array(c["label"]), array(c["radii"])
        self.s, self.mu, self.balls = array(c["label_scale"]), array(c["ball_multipliers"]), array(c["balls"])
        self.bound, self.a0, self.eta = (array(c[key]) for key in ("bound", "constant", "excess"))
        self.free, self.norm = c["intercept"] == "free", c["squared_norm"]
        self.tau, self.ridge, self.near = (None if c[k] is None else array(c[k]) for k in ("tau", "ridge", "near"))
        self.reach, self.noise = array(c["reach"]), array(c["noise"])
        self.half: dict[str, Any] | None = c.get("half")
        low, high = (self.m2[-1, -1] - self.k[1], self.m2[-1, -1] + self.k[1])
        self.shares = (low, high) if c["adjacency"] == "add-remove" else (1.0, 1.0)
        self.groups = self._groups()

    def _groups(self) -> list[tuple[float, float, float]]:
        found, place = [(0.0, self.w[-1], self.w[-1])], 0
        for block in self.c["blocks"]:
            rows = np.array(block) / self.one
            scores = rows @ self.w[place : place + rows.shape[1]]
            feature = self.c["feature"]
            here = feature is not None and place <= feature < place + rows.shape[1]
            values = rows[:, feature - place] if here else np.zeros(len(rows))
            found = [
                (u + v, low + scores[values == v].min(), high + scores[values == v].max())
                for u, low, high in found
                for v in sorted(set(values))
            ]
            place += rows.shape[1]
        return found

    def radii_hold(self) -> bool:
        p, c = self.p, self.c
        failures = [float(fraction(x)) for x in c["failures"]]
        steps = self.n * self.one
        tails = [stats.chi.sf(max(0, (self.k[0] * steps - math.sqrt(p) / 2) / self.noise[0]), p)]
        sd = max(self.noise[1], self.noise[2] * math.sqrt(2))
        tails.append(_matrix_tail(p, (self.k[1] * steps * self.one - p / 2) / sd))
        if self.degree == 4:
            sd = max(math.sqrt(m) * x for m, x in zip((1, 4, 6, 12, 24), self.noise[3:], strict=True))
            left = self.k[2] * steps * self.one**3 - abs(self.w).sum() ** 2 * p / 2
            tails.append(self._contraction_tail(left / (sd * (self.w @ self.w))))
        each = all(tail <= f * (1 + 1e-6) for tail, f in zip(tails, failures, strict=True))
        return each and sum(failures) <= float(fraction(c["beta"])) * (1 + 1e-12) and float(fraction(c["beta"])) < 1

    def _contraction_tail(self, r: float) -> float:
        c, low, x = (float(fraction(v)) for v in self.c["contraction"])
        m, hazard = self.p - 1, float(stats.norm.pdf(x) / stats.norm.sf(x))
        f = [0.5 * math.log(r - at) - 0.5 * math.log(r - hazard / 2 - at) for at in (c, low)]
        slope = (1 / (r - hazard / 2 - low) - 1 / (r - low)) / 2
        a2 = (f[0] - f[1] - slope * (c - low)) / (c - low) ** 2
        a1, a0 = slope - 2 * a2 * low, f[1] - slope * low + a2 * low**2
        log = hazard * (x - r) + m * a0 + a1**2 * m / (12 * (1 - a2 / 3)) - m * (m + 1) / 4 * math.log(1 - a2 / 3)
        return _matrix_tail(m, c * math.sqrt(6)) + 2 * float(stats.norm.sf(x)) * math.exp(log)

    def class_holds(self) -> bool:
        zero = float(_LOSSES[self.c["loss"]](np.array(0.0)))
        if self.shares[0] <= 0:
            return False
        if self.near is not None:
            inside = self.tau is None or self.norm * (self.w @ self.w) <= self.tau**2 * (1 + _ROOM)
            falls = 2 * self.bound < (self.ridge or 0) * self.near**2
            needed = [self.near**2 / self.norm]
            far = max(max(abs(low), abs(high)) for _, low, high in self.groups) + self.near
            fits = inside and falls and not self.free
        else:
            lengths = [self.tau, None if self.ridge is None else math.sqrt(2 * zero / self.ridge)]
            length = min(x for x in lengths if x is not None)
            needed, far, fits = [length**2 / self.norm], length, True
            if self.free:
                share = (self.shares[0] - abs(self.m1[-1]) - self.k[0]) / (2 * self.shares[1])
                fits = share > 0
                spread = length + zero / share
                needed, far = [*needed, spread**2], length + spread
        if self.half is not None:  # others are left out because this model is better, so it must be one of the class
            counted = self.w[:-1] if self.free else self.w
            fits = fits and self.near is None
            fits = fits and (self.tau is None or self.norm * (counted @ counted) <= self.tau**2 * (1 + _ROOM))
        large = all(ball >= r * (1 - 1e-12) for ball, r in zip(self.balls, needed, strict=True))
        return bool(fits and large and self.reach >= far * (1 - 1e-12))

    def dominates(self) -> bool:
        phi = _LOSSES[self.c["loss"]]
        for u, low, high in self.groups:
            grid = np.meshgrid(np.linspace(low, high, 60), np.linspace(-self.reach, self.reach, 121))
            s, v = (axis.ravel() for axis in grid)
            b = np.stack([np.ones_like(s), s, v, np.full_like(s, u)][: len(self.alpha)])
            quadratic = np.einsum("in,ij,jn->n", b, self.forms[0], b)
            if self.degree == 4:
                quadratic = quadratic + s**2 * np.einsum("in,ij,jn->n", b, self.forms[1], b)
            for y in (1, -1):
                gap = phi(y * s) - phi(y * v) - (self.a0 + y * (self.alpha @ b) + quadratic)
                if gap.max() > self.eta + _ROOM:
                    return False
        return True

    def bound_holds(self) -> bool:
        """Part (a): c, l and K as they stand on the page."""
        if any(np.linalg.eigvalsh(h - sign * g).min() < -1e-12 * (1 + abs(h).max())
               for g, h in zip(self.forms, self.absolute, strict=True) for sign in (1, -1)):  # fmt: skip
            return False
        if self.s <= 0 or self.mu.min() < 0 or (self.bound < 0) != (self.half is not None):
            return False
        if self.half is not None and (self.half["sign"] not in (1, -1) or fraction(self.half["multiplier"]) < 0):
            return False
        return all(self._excess(share) <= self.bound + 1e-9 * abs(self.bound) + 1e-12 for share in self.shares)

    def _excess(self, share: float) -> float:
        p, w, eye = self.p, self.w, np.eye(self.p)
        penalised = eye.copy()
        if self.free:
            penalised[-1, -1] = 0
        half = (self.ridge or 0) * self.norm / 2
        fixed = {0: eye[-1], 1: w} | ({3: eye[self.c["feature"]]} if self.c["feature"] is not None else {})
        a = sum(self.alpha[i] * b for i, b in fixed.items())
        moments, radii = [self.m2 / share], [self.k[1] / share]
        if self.degree == 4:
            moments.append(self._weighted() / share)
            radii.append(self.k[2] / share)
        m1, k1 = self.m1 / share, self.k[0] / share
        c = self.a0 + a @ m1 + half * (w @ penalised @ w) + k1 / 2 * (a @ a / self.s + self.s)
        line = self.alpha[2] / 2 * m1 + k1 * self.alpha[2] / (2 * self.s) * a
        matrix = half * penalised - k1 * self.alpha[2] ** 2 / (2 * self.s) * eye
        for g, h, m, k in zip(self.forms, self.absolute, moments, radii, strict=True):
            matrix = matrix - g[2, 2] * m - k * h[2, 2] * eye
            for i, left in fixed.items():
                line = line + g[i, 2] * (m @ left) + k * h[i, 2] * left
                for j, right in fixed.items():
                    c += g[i, j] * (left @ m @ right) + k * h[i, j] * (left @ right)
        centre = w if self.near is not None else np.zeros(p)
        multipliers = np.full(p, self.mu[0])
        multipliers[-1] = self.mu[-1]
        matrix, line = matrix + np.diag(multipliers), line + multipliers * centre
        if np.linalg.eigvalsh(matrix).min() <= 0:
            return math.inf
        rest = self.mu @ self.balls - multipliers @ centre**2
        if self.half is not None:
            push = self.half["sign"] * float(fraction(self.half["multiplier"]))
            line = line - push / 2 * eye[self.half["coefficient"]]
            rest = rest + push * float(fraction(self.half["threshold"]))
        return float(self.eta + c + rest + line @ np.linalg.solve(matrix, line))

    def _weighted(self) -> Any:
        p, found = self.p, np.zeros((self.p, self.p))
        keys = combinations_with_replacement(range(p), 4)
        sums = dict(zip(keys, (float(x) for x in self.c["fourth"]), strict=True))
        for i, j, k, m in product(range(p), repeat=4):
            found[i, j] += self.w[k] * self.w[m] * sums[tuple(sorted((i, j, k, m)))]
        return found / (self.n * self.one**4)


def _matrix_tail(p: int, r: float) -> float:
    """The closed form that the search uses, where the checker integrates."""
    return float(2 * eigenvalues_above(p, arb(max(r, 0.0)))) if r > 0 else 1.0
