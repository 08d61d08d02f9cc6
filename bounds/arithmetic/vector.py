"""numpy arithmetic for sweeps and plots: whole arrays at once, in floating point, labelled an estimate."""

from __future__ import annotations

from functools import lru_cache, reduce
from typing import Any

import numpy as np

from bounds.arithmetic import LARGEST_EXACT_SHAPE, LARGEST_EXACT_SUM, MOST_EXACT_TRIALS, SMALLEST_EXACT_TAIL


class VectorArithmetic:
    """Numbers are numpy float64 arrays or scalars."""

    name = "numpy"
    certified = False

    def ratio(self, numerator: int, denominator: int = 1) -> Any:
        return np.float64(numerator) / np.float64(denominator)

    def settled(self, x: Any) -> Any:
        return x

    def pi(self) -> Any:
        return np.float64(np.pi)

    def log(self, x: Any) -> Any:
        return np.log(x)

    def log_ratio(self, x: Any, y: Any) -> Any:
        return np.log(x) / np.log(y)

    def exp(self, x: Any) -> Any:
        return np.exp(x)

    def expm1(self, x: Any) -> Any:
        return np.expm1(x)

    def sqrt(self, x: Any) -> Any:
        return np.sqrt(x)

    def power(self, x: Any, y: Any) -> Any:
        return np.power(x, y)

    def gamma(self, x: Any) -> Any:
        return _scipy_special().gamma(x)

    def max(self, *xs: Any) -> Any:
        return reduce(np.maximum, xs)

    def min(self, *xs: Any) -> Any:
        return reduce(np.minimum, xs)

    def ceil(self, x: Any) -> Any:
        return np.ceil(x)

    def theta(self, x: Any) -> Any:
        x = np.asarray(x, dtype=np.float64)
        fast = np.maximum(x, np.pi**2 / x)  # Poisson summation: one of the two is at least pi
        series = 1 + 2 * sum(np.exp(-fast * j * j) for j in range(1, 5))
        return np.where(x < np.pi, np.sqrt(np.pi / x) * series, series)

    def laplace_max_quantile(self, count: Any, failure: Any) -> Any:
        inside = np.minimum(failure, 1)
        with np.errstate(divide="ignore"):
            value = -np.log(-np.expm1(np.log1p(-inside) / count))
        return np.where(np.asarray(failure) >= 1, 0, value)

    def gamma_quantile(self, shape: Any, failure: Any) -> Any:
        inside, u = np.minimum(failure, 1), -np.log(np.minimum(failure, 1))
        exact = _scipy_special().gammainccinv(np.minimum(shape, LARGEST_EXACT_SHAPE), inside)
        return np.where(np.asarray(shape) > LARGEST_EXACT_SHAPE, shape + np.sqrt(2 * shape * u) + u, exact)

    def normal_max_quantile(self, count: Any, failure: Any) -> Any:
        with np.errstate(divide="ignore"):
            tail = -np.expm1(np.log1p(-np.minimum(failure, 1)) / count)
        return np.sqrt(2) * _scipy_special().erfcinv(tail)

    def normal_within(self, x: Any) -> Any:
        return _scipy_special().erf(x / np.sqrt(2))

    def gaussian_factor(self, epsilon: Any, dp_delta: Any) -> Any:
        epsilon, dp_delta = np.broadcast_arrays(
            np.asarray(epsilon, dtype=np.float64), np.asarray(dp_delta, dtype=np.float64)
        )
        special = _scipy_special()

        def spent(factor: Any) -> Any:
            shift = 1 / (2 * factor)
            return special.ndtr(shift - epsilon * factor) - np.exp(
                epsilon + special.log_ndtr(-shift - epsilon * factor)
            )

        low = np.full(epsilon.shape, 1e-12)
        high = np.sqrt(2 * np.log(1.25 / dp_delta)) / epsilon + 1 / np.sqrt(2 * epsilon) + 1
        for _ in range(200):
            middle = np.sqrt(low * high)
            enough = spent(middle) <= dp_delta
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        return high

    def half_normal_sum_bound(self, count: Any, exponent: Any) -> Any:
        count, exponent = np.broadcast_arrays(np.asarray(count, dtype=np.float64), np.asarray(exponent, dtype=float))
        log_ndtr = _scipy_special().log_ndtr
        low, high = np.full(count.shape, 1e-9), np.sqrt(2 * exponent / count) + 4
        for _ in range(100):  # t K'(t) - K(t) grows with t
            t = (low + high) / 2
            above = t * np.exp(-t * t / 2 - log_ndtr(t)) / np.sqrt(2 * np.pi)
            short = count * (t * t / 2 + above - np.log(2) - log_ndtr(t)) < exponent
            low, high = np.where(short, t, low), np.where(short, high, t)
        return (count * (t * t / 2 + np.log(2) + log_ndtr(t)) + exponent) / t

    def half_normal_sum_quantile(self, count: Any, sums: Any, failure: Any) -> Any:
        tail = -np.expm1(np.log1p(-np.asarray(failure, float)) / sums)
        exact = np.vectorize(_half_normal_sum_quantile, otypes=[float])(count, tail)
        by_chernoff = (np.asarray(count) > LARGEST_EXACT_SUM) | (tail < SMALLEST_EXACT_TAIL)
        return np.where(by_chernoff, self.half_normal_sum_bound(count, np.log(sums / failure)), exact)

    def binomial_sum(self, n: Any, most: Any, x: Any) -> Any:
        most = np.asarray(most)
        binom = _scipy_special().binom
        return sum(np.where(i <= most, binom(n, i) * x**i, 0.0) for i in range(int(np.max(most)) + 1))

    def binomial(self, n: Any, k: Any) -> Any:
        return _scipy_special().binom(n, k)

    def zcdp_epsilon(self, rho: Any, dp_delta: Any) -> Any:
        rho, dp_delta = np.broadcast_arrays(np.asarray(rho, dtype=np.float64), np.asarray(dp_delta, dtype=np.float64))
        low, high = np.full(rho.shape, 1e-12), 1 / dp_delta
        for _ in range(200):  # rho x^2 + log(1 + x) grows with x
            x = np.sqrt(low * high)
            enough = rho * x * x + np.log1p(x) >= -np.log(dp_delta)
            low, high = np.where(enough, low, x), np.where(enough, x, high)
        return np.maximum((2 * x + 1) * rho - np.log1p(1 / x), 0)

    def binomial_below(self, trials: Any, success: Any, least: Any) -> Any:
        trials, least = np.asarray(trials, dtype=np.float64), np.asarray(least, dtype=np.float64)
        counted = np.minimum(trials, MOST_EXACT_TRIALS)
        inside = np.maximum(counted - least + 1, 1)
        value = np.where(counted < least, 1.0, _scipy_special().betainc(inside, least, 1 - success))
        mean = trials * success
        chernoff = np.where(mean <= least, 1.0, np.exp(-((mean - least) ** 2) / (2 * np.maximum(mean, 1))))
        return np.where(trials > MOST_EXACT_TRIALS, np.minimum(chernoff, value), value)

    def logistic_truncation(self, radius: Any, half_degree: Any) -> Any:
        radius, half_degree = np.broadcast_arrays(np.asarray(radius, float), np.asarray(half_degree, float))
        angles = (np.arange(2048) + 0.5) * (np.pi / 2048)  # none of them is pi/2
        halves = radius[..., None] * np.cos(angles) / 2
        values = np.abs(halves) + np.log1p(np.exp(-2 * np.abs(halves))) - np.log(2)
        odd = 2 * half_degree[..., None] + 1
        kernel = np.where(half_degree[..., None] % 2 == 0, 1, -1) * np.cos(odd * angles) / np.cos(angles)
        return np.mean(values * kernel, axis=-1)


@lru_cache(maxsize=4096)
def _half_normal_sum_quantile(count: float, tail: float) -> float:
    """By Laplace inversion along a ray from near the saddle, with Gauss's rule on growing pieces."""
    if count > LARGEST_EXACT_SUM or tail < SMALLEST_EXACT_TAIL:
        return np.nan
    erfc = _scipy_special().erfc
    nodes, weights = np.polynomial.legendre.leggauss(32)
    edges = np.concatenate([[0], 2.0 ** np.arange(-3, 10)]) / np.sqrt(count)
    centre, half = (edges[1:] + edges[:-1])[:, None] / 2, (edges[1:] - edges[:-1])[:, None] / 2
    along, step = 0.5 + 1j, (half * weights).ravel()
    z = min(2.0, np.sqrt(-2 * np.log(tail) / count) + 1 / np.sqrt(count)) + along * (centre + half * nodes).ravel()
    with np.errstate(all="ignore"):
        cumulant = count * (z * z / 2 + np.log(erfc(-z / np.sqrt(2))))
        low = max(0.0, 0.8 * count - 4 * np.sqrt(count))
        high = float(VECTOR.half_normal_sum_bound(count, -np.log(tail)))
        for _ in range(60):
            x = (low + high) / 2
            found = np.nansum(step * (np.exp(cumulant - z * x) / z * along).imag) / np.pi
            low, high = (x, high) if found > tail else (low, x)
    return float(x)


def _scipy_special() -> Any:
    """scipy is slow to import, and only sweeps that use a special function need it."""
    import scipy.special

    return scipy.special


VECTOR = VectorArithmetic()
