"""Section V of bojkovic2024: its statements against eigenvectors, inverses and tests of simulated noise."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2, norm

import synthbounds as sb

Matrix = NDArray[np.float64]
GAMMA = "0.05"
DRAWS = 400


def value(theorem: str, route: str, **quantities: Any) -> float | None:
    """What a route says; nothing where it refuses."""
    rows = sb.evaluate(f"bojkovic2024.{theorem}", **quantities)
    (found,) = (row.value for row in rows if row.route == route)
    return None if found is None else float(found.hi)


def noise(rng: np.random.Generator, size: int, sd: float) -> Matrix:
    """Symmetric, with half of the variance beside the diagonal."""
    raw = rng.normal(0, sd / sqrt(2), (size, size))
    return (raw + raw.T) / sqrt(2)


def operator_norm(matrix: Matrix) -> float:
    return float(np.abs(np.linalg.eigvalsh(matrix)).max())


def allowed(draws: int, share: float) -> float:
    """Failures that a correct statement has less often than once in many thousand runs."""
    return draws * share + 4 * sqrt(draws * share)


def test_the_noise_has_the_law_of_the_statements() -> None:
    rng = np.random.default_rng(1)
    drawn = np.array([noise(rng, 3, 2.0) for _ in range(4000)])
    assert drawn[:, 0, 0].var() == pytest.approx(4, rel=0.1)
    assert drawn[:, 0, 1].var() == pytest.approx(2, rel=0.1)
    assert (drawn == drawn.transpose(0, 2, 1)).all()


def test_entries_give_the_norm_times_the_order_and_no_less() -> None:
    assert operator_norm(np.full((6, 6), 0.25)) == pytest.approx(1.5)
    printed = value("covariance", "as printed", features=6, delta="1/32")
    assert printed == pytest.approx(1.5)


@pytest.mark.parametrize(("size", "gap"), [(2, 1.0), (5, 0.4), (9, 0.3)])
def test_angles_of_first_eigenvectors(size: int, gap: float) -> None:
    rng, sd = np.random.default_rng(size), 0.02
    turned = np.linalg.qr(rng.normal(size=(size, size)))[0]
    real = turned @ np.diag([1 + gap, 1, *np.linspace(0.2, 0.9, size - 2)]) @ turned.T
    first, failed, judged = turned[:, 0], 0, 0
    for _ in range(DRAWS // 4):
        error = noise(rng, size, sd)
        eigenvalues, vectors = np.linalg.eigh(real + error)
        asked = {
            "features": size, "noise_sd": "0.02", "gamma": GAMMA, "second_radius": f"{operator_norm(error):.9f}",
            "noisy_gap": f"{eigenvalues[-1] - eigenvalues[-2]:.9f}",
        }  # fmt: skip
        sine = sqrt(max(0, 1 - float(first @ vectors[:, -1]) ** 2))
        single, double = (
            value("principal-component", r, **asked) for r in ("gap of the noisy matrix", "twice the angle")
        )
        assert single is None or sine <= single + 1e-6
        assert double is None or (sine <= double + 1e-6 and single is not None and double <= single + 1e-6)
        column = value("principal-component", "one column of the noise", **asked)
        if column is not None:
            judged += 1
            failed += sine > column
            assert double is not None
            assert column <= double + 1e-12
    assert judged > DRAWS // 8
    assert failed <= allowed(judged, float(GAMMA))


def test_the_variance_of_noisy_eigenvalues_has_its_chi_square_law() -> None:
    size, sd, rng = 6, 0.05, np.random.default_rng(4)
    real = np.diag(np.linspace(2, 1, size))
    least, above = sd**2 / 2 * chi2.ppf(0.95, size - 1), 0
    for _ in range(2000):
        noisy = real + noise(rng, size, sd)
        above += float((noisy @ noisy)[0, 0] - noisy[0, 0] ** 2) > least
    assert abs(above - 100) <= 4 * sqrt(95)
    found = value(
        "principal-component", "one column of the noise", features=size, noise_sd="0.05", gamma=GAMMA, noisy_gap=1,
        second_radius="0.49",
    )  # fmt: skip
    assert found == pytest.approx(sqrt((1 - sqrt(1 - 4 * least)) / 2), rel=1e-9)


@pytest.mark.parametrize("size", [2, 7])
def test_columns_of_inverses_and_coefficients(size: int) -> None:
    rng, sd, first = np.random.default_rng(size), 0.02, 0.03
    turned = np.linalg.qr(rng.normal(size=(size, size)))[0]
    real = turned @ np.diag(np.linspace(0.3, 1, size)) @ turned.T
    vector = rng.normal(size=size)
    column, coefficients = np.linalg.inv(real)[:, 0], np.linalg.solve(real, vector)
    failed = {"column": 0, "all directions alike": 0, "along and across": 0}
    for _ in range(DRAWS):
        matrix, noisy_vector = real + noise(rng, size, sd), vector + rng.normal(0, first, size)
        found, solved = np.linalg.inv(matrix)[:, 0], np.linalg.solve(matrix, noisy_vector)
        least = np.linalg.eigvalsh(matrix)[0]
        failed["column"] += np.linalg.norm(found - column) > column_bound(size, sd, least, float(np.linalg.norm(found)))
        for route, (squared, matrix_part) in regions(size, sd, first).items():
            bound = region_bound(least, float(np.linalg.norm(solved)), squared, matrix_part)
            failed[route] += np.linalg.norm(solved - coefficients) > bound
    assert max(failed.values()) <= allowed(DRAWS, float(GAMMA))
    asked = {
        "features": size, "noise_sd": "0.02", "first_sd": "0.03", "gamma": GAMMA, "noisy_least": "0.3",
        "noisy_norm": "1.5", "column_norm": "2.5",
    }  # fmt: skip
    assert value("graph", "one column", **asked) == pytest.approx(column_bound(size, sd, 0.3, 2.5), rel=1e-9)
    for route, parts in regions(size, sd, first).items():
        assert value("least-squares", route, **asked) == pytest.approx(region_bound(0.3, 1.5, *parts), rel=1e-9)


def quantiles(size: int) -> tuple[float, float, float]:
    return float(chi2.ppf(0.95, size)), float(chi2.ppf(0.975, 1)), float(chi2.ppf(0.975, size - 1))


def column_bound(size: int, sd: float, least: float, norm_of_column: float) -> float:
    together, along, across = quantiles(size)
    length = sd * sqrt(min(together, along + across / 2))
    return length * norm_of_column / (least - length)


def regions(size: int, sd: float, first: float) -> dict[str, tuple[float, float]]:
    together, along, across = quantiles(size)
    return {
        "all directions alike": (first**2 * together, sd**2 * together),
        "along and across": (first**2 * (along + across), sd**2 * (along + across / 2)),
    }


def region_bound(least: float, norm_of_solution: float, vector_part: float, matrix_part: float) -> float:
    """The largest D with (least D)^2 <= vector_part + matrix_part (norm + D)^2, by bisection."""
    low, high = 0.0, 1e6
    for _ in range(200):
        middle = (low + high) / 2
        inside = (least * middle) ** 2 <= vector_part + matrix_part * (norm_of_solution + middle) ** 2
        low, high = (middle, high) if inside else (low, middle)
    return low


def test_the_chi_square_test_that_knows_the_noise_keeps_its_level() -> None:
    shares, n, sd, rng = np.array([0.1, 0.2, 0.3, 0.4]), 2000, 15.0, np.random.default_rng(7)
    counts = rng.multinomial(n, shares, 20_000) + rng.normal(0, sd, (20_000, 4))
    moved = counts - (counts.sum(axis=1, keepdims=True) - n) / 4 - n * shares
    flat = np.eye(4) - 1 / 4
    inverse = np.linalg.pinv(n * (np.diag(shares) - np.outer(shares, shares)) + sd**2 * flat)
    critical = value("chi-square", "statistic that knows the noise", categories=4, gamma=GAMMA)
    assert critical == pytest.approx(chi2.ppf(0.95, 3), rel=1e-9)
    rejected = float((np.einsum("ij,jk,ik->i", moved, inverse, moved) > critical).mean())
    assert rejected == pytest.approx(0.05, abs=0.008)
    usual = float((n * (moved**2 / n**2 / shares).sum(axis=1) > critical).mean())
    assert usual > 0.12  # the noise ignored


def test_taking_errors_off_shares_rejects_whenever_adding_them_does() -> None:
    """Both keep the level when every error is as large as it may be, and only one of them can reject large effects."""
    rng, n, error = np.random.default_rng(9), 1000, 0.02
    for shares in (np.full(5, 0.2), np.array([0.1, 0.2, 0.3, 0.4])):
        asked = {"categories": len(shares), "gamma": GAMMA, "n": n, "delta": "0.0025"}
        asked["inverse_shares"] = f"{(1 / shares).sum():.12f}"
        usual = value("chi-square", "errors taken off the shares", **asked)
        assert usual == pytest.approx(chi2.ppf(0.975, len(shares) - 1), rel=1e-9)
        added = value("chi-square", "as printed", **{**asked, "gamma": "0.025"})
        assert added is not None
        for effect in (0.0, 0.05, 0.2):
            moved = shares + effect * np.eye(len(shares))[0]
            exact = rng.multinomial(n, moved / moved.sum(), 4000) / n
            seen = exact + rng.choice([-error, error], exact.shape)
            first = n * ((seen - shares) ** 2 / shares).sum(axis=1) > added
            left = np.maximum(np.abs(seen - shares) - error, 0)
            second = n * (left**2 / shares).sum(axis=1) > usual
            assert not (first & ~second).any()
            assert effect > 0 or second.mean() <= 0.035
    large, equal = np.array([1.0, 0, 0, 0, 0]), np.full(5, 0.2)
    left = np.maximum(np.abs(large - equal) - 0.4, 0)
    assert 1000 * (left**2 / equal).sum() == pytest.approx(800)
    never = value("chi-square", "as printed", categories=5, gamma=GAMMA, n=1000, delta="0.05", inverse_shares=25)
    assert never is not None
    assert 1000 * ((large - equal) ** 2 / equal).sum() == pytest.approx(4000)
    assert never > 4000


def test_equal_shares_divide_by_the_variance_of_the_noise() -> None:
    asked = {"categories": 5, "gamma": GAMMA, "n": 800, "noise_sd": 9}
    assert value("chi-square", "equal shares", **asked) == pytest.approx(chi2.ppf(0.95, 4) * (1 + 5 * 81 / 800))


@pytest.mark.parametrize(("route", "drawn"), [("rounded rows", False), ("drawn rows", True)])
def test_coverage_of_rows_taken_for_records(route: str, drawn: bool) -> None:
    n, k, p, sd, rng = 40_000, 30_000, 0.3, 0.002, np.random.default_rng(11)
    noisy = rng.binomial(n, p, 20_000) / n + rng.normal(0, sd, 20_000)
    rows = rng.binomial(k, noisy.clip(0, 1)) / k if drawn else np.rint(noisy * k) / k
    z = norm.ppf(0.975)
    covered = float((np.abs(rows - p) <= z * np.sqrt(rows * (1 - rows) / k)).mean())
    said = value("naive-interval", route, gamma=GAMMA, n=n, k=k, proportion="0.3", noise_sd="0.002")
    assert said == pytest.approx(covered, abs=0.012)
    half = value(
        "proportion",
        "drawn rows" if drawn else "noisy share",
        gamma=GAMMA,
        n=n,
        k=k,
        proportion="0.3",
        noise_sd="0.002",
    )
    assert half is not None
    assert float((np.abs(rows - p) <= half).mean()) == pytest.approx(0.95, abs=0.008)


def test_the_corrected_half_width_is_six_delta() -> None:
    """2 + 3 sqrt(2/3) + sqrt(3/2) for two or more queries, 6 for one: the slack of the proof pays for the sampling."""
    assert 2 + 3 * sqrt(2 / 3) + sqrt(3 / 2) < 6
    asked = {"gamma": GAMMA, "F": 9, "k": 500}
    printed, corrected = (
        value("proportion", "as printed", **asked),
        value("proportion", "proportion behind the records", **asked),
    )
    assert printed is not None
    assert corrected == pytest.approx(printed * 3 / 4)


def test_the_grid_counts_its_points() -> None:
    asked = {"features": 3, "radius": "1.2", "slope": 2, "grid_error": "0.5", "D": 3}
    assert value("grid", "middles of cells", **asked) == pytest.approx(10**3)  # 4.8/0.5 = 9.6 cells a side
    assert value("grid", "as printed", **asked) == pytest.approx(10.6**3)
    assert value("grid", "moments", **asked) == 19
