"""Small symmetric matrices and their full noise, shared by the tests of spectra."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Floats = NDArray[np.float64]

RISK = 1e-6
"""With which a test of a probability may fail by chance: its draws are fixed."""


def full_noise(generator: np.random.Generator, order: int) -> Floats:
    """Deviation 1 on the diagonal, 1/sqrt 2 off it."""
    half = np.triu(generator.standard_normal((order, order)), 1) / np.sqrt(2)
    found: Floats = half + half.T + np.diag(generator.standard_normal(order))
    return found


def symmetric(values: list[float], generator: np.random.Generator) -> Floats:
    """With these eigenvalues, in a random basis."""
    basis = np.linalg.qr(generator.standard_normal((len(values), len(values))))[0]
    found: Floats = basis @ np.diag(values) @ basis.T
    return (found + found.T) / 2


def rational(matrix: Floats) -> list[list[Fraction]]:
    return [[Fraction(x) for x in row] for row in ((matrix + matrix.T) / 2).tolist()]


def leading(matrix: Floats, rank: int) -> Floats:
    """The projection on the largest eigenvectors."""
    vectors = np.linalg.eigh(matrix)[1][:, -rank:]
    found: Floats = vectors @ vectors.T
    return found


def is_plausible(failures: int, draws: int, most: float) -> bool:
    """Whether so many failures can be, if each has at most this probability."""
    return bool(stats.binom.sf(failures - 1, draws, most) > RISK)


def is_about(failures: int, draws: int, exactly: float) -> bool:
    """Whether so many failures can be, if each has this probability."""
    return is_plausible(failures, draws, exactly) and bool(stats.binom.cdf(failures, draws, exactly) > RISK)
