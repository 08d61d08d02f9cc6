"""The distribution of the noise in simulated tables: variances, sums, and streams that overlap with no other."""

from __future__ import annotations

from math import exp, pi

import mpmath
import numpy as np
import pytest
from scipy import stats

from mechanisms.infer.chi_square.cell_noise import CellNoise, _discrete_gaussian
from mechanisms.infer.chi_square.draws import FIRST_STEP, FIT, INDEPENDENCE, PLAN, STUDY, blocks, stream
from release.noise.simulated import standard_gaussian

KINDS = ("gaussian", "discrete-gaussian", "laplace", "discrete-laplace")


def source(block: int = 0) -> np.random.Generator:
    return stream(seed=5, step=STUDY, block=block)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", [0.7, 6.4, 1500.0])
@pytest.mark.parametrize("cells", [1, 3])
def test_sums_have_the_stated_variance(kind: str, scale: float, cells: int) -> None:
    noise = CellNoise(kind=kind, scale=scale, step=0.5)  # type: ignore[arg-type]
    drawn = noise.sums(cells, (100, 400), source())
    assert abs(drawn.mean()) < 5 * np.sqrt(cells * noise.variance / drawn.size)
    assert drawn.var() == pytest.approx(cells * noise.variance, rel=0.05)
    if kind.startswith("discrete"):
        assert np.array_equal(drawn / 0.5, np.rint(drawn / 0.5))


def test_variances_are_those_of_the_laws() -> None:
    ks = range(-200, 201)
    gaussian = {k: mpmath.exp(-mpmath.mpf(k * k) / (2 * mpmath.mpf("0.7") ** 2)) for k in ks}
    laplace = {k: mpmath.exp(-mpmath.mpf(abs(k)) / mpmath.mpf("6.4")) for k in ks}
    for kind, scale, weights in (("discrete-gaussian", 0.7, gaussian), ("discrete-laplace", 6.4, laplace)):
        exact = sum(k * k * w for k, w in weights.items()) / sum(weights.values())
        noise = CellNoise(kind=kind, scale=scale, step=2.0)  # type: ignore[arg-type]
        assert noise.variance == pytest.approx(4 * float(exact), rel=1e-9)
    assert CellNoise(kind="laplace", scale=3.0, step=2.0).variance == pytest.approx(72)
    assert CellNoise(kind="gaussian", scale=3.0, step=2.0).deviation == pytest.approx(6)


@pytest.mark.parametrize("scale", [0.7, 2.5])
def test_discrete_gaussian_draws_follow_their_law(scale: float) -> None:
    noise = CellNoise(kind="discrete-gaussian", scale=scale, step=1.0)
    drawn = noise.sums(1, (40_000,), source(1))
    values, weights = _discrete_gaussian(scale)
    inside = np.abs(values) <= 2 * scale
    seen = np.array([(drawn == value).sum() for value in values[inside]])
    expected = weights[inside] * len(drawn)
    assert stats.chisquare([*seen, len(drawn) - seen.sum()], [*expected, len(drawn) - expected.sum()]).pvalue > 1e-4


def test_sums_of_discrete_gaussians_are_discrete_gaussian() -> None:
    """From deviation 2 on the weights differ by 2 exp(-(2 pi)^2); below, sums are drawn one by one."""
    mpmath.mp.dps = 40
    sd = mpmath.mpf(2)
    weight = {k: mpmath.exp(-mpmath.mpf(k * k) / (2 * sd**2)) for k in range(-60, 61)}
    total = sum(weight.values())
    for k in (0, 1, 5):
        convolved = sum(weight[j] * weight[k - j] for j in range(-40, 41)) / total**2
        both = {j: mpmath.exp(-mpmath.mpf(j * j) / (4 * sd**2)) for j in range(-80, 81)}
        assert abs(convolved / (both[k] / sum(both.values())) - 1) < 2.1 * exp(-((2 * pi) ** 2))
    small = CellNoise(kind="discrete-gaussian", scale=0.3, step=1.0).sums(2, (20_000,), source(2))
    _, weights = _discrete_gaussian(0.3)
    p0 = float((weights**2).sum())
    assert (small == 0).mean() == pytest.approx(p0, abs=0.01)


def test_streams_meet_no_release_and_no_other_test() -> None:
    assert min(FIT, INDEPENDENCE, STUDY, PLAN) >= FIRST_STEP
    assert len({FIT, INDEPENDENCE, STUDY, PLAN}) == 4
    mine = stream(seed=9, step=FIT, block=0).standard_normal(4).tolist()
    assert mine != standard_gaussian(4, seed=9)
    assert mine == stream(seed=9, step=FIT, block=0).standard_normal(4).tolist()
    assert mine != stream(seed=9, step=FIT, block=1).standard_normal(4).tolist()


def test_blocks_cover_all_and_keep_to_their_room() -> None:
    for count, numbers in ((999, 4), (1000, 2**20), (5, 2**23)):
        found = list(blocks(count, numbers=numbers))
        assert sum(size for _, size in found) == count
        assert [block for block, _ in found] == list(range(len(found)))
        assert all(size == 1 or size * numbers <= 2**22 for _, size in found)
