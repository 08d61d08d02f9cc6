"""Simulation of the perturbed histogram (Algorithm 2 of bojkovic2024): the distribution of kappa.

Noise here comes from numpy and is for simulation only; nothing in this module may reach a release. Clipping and
normalising are those of lp.measures.histogram, which makes the histogram for the algorithm; `mixed` has weight 1/2
here, and the lift of `shifted` is not rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from bounds import clopper_pearson
from bounds.errors import ParameterError
from bounds.exact import require_range

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

VARIANTS = ("plain", "mixed", "shifted")
MOST_RUNS = 200_000
MOST_CELLS_DRAWN = 10**9


@dataclass(frozen=True)
class KappaSimulation:
    """Estimates from independent runs; `infinite` counts the runs with kappa infinite."""

    variant: str
    runs: int
    seed: int
    infinite: int
    infinite_low_est: float
    infinite_high_est: float
    """Clopper-Pearson interval for P(kappa infinite), 95 percent."""
    median_est: float
    q95_est: float
    largest_finite_est: float


def simulate_kappa(
    nu: Sequence[Fraction],
    *,
    n: int,
    epsilon: Fraction,
    runs: int,
    seed: int,
    variant: str = "plain",
    gamma: Fraction = Fraction(1, 20),
) -> KappaSimulation:
    """kappa(nu||mu) over runs that are numbered, so that neither order nor workers matter.

    plain: counts plus noise, clipped. mixed: half of that, half uniform. shifted: counts lifted by the
    (1 - gamma) bound on the noise before clipping.
    """
    import numpy as np

    if variant not in VARIANTS:
        raise ParameterError("variant", variant, "one of " + ", ".join(VARIANTS))
    require_range("simulate", runs, runs, least=1, most=MOST_RUNS, reason="runs")
    if runs * len(nu) > MOST_CELLS_DRAWN:
        raise ParameterError("simulate", runs, f"at most {MOST_CELLS_DRAWN // len(nu)}", "runs times points")
    probabilities = np.array([float(value) for value in nu])
    probabilities /= probabilities.sum()
    kappas = np.array(
        [_one_run(probabilities, n, float(epsilon), float(gamma), variant, seed, run) for run in range(runs)]
    )
    infinite = int(np.isinf(kappas).sum())
    low, high = clopper_pearson.interval(infinite, runs)
    finite = kappas[np.isfinite(kappas)]
    median, q95 = np.quantile(kappas, [0.5, 0.95], method="higher")
    return KappaSimulation(
        variant=variant,
        runs=runs,
        seed=seed,
        infinite=infinite,
        infinite_low_est=low,
        infinite_high_est=high,
        median_est=float(median),
        q95_est=float(q95),
        largest_finite_est=float(finite.max()) if finite.size else float("inf"),
    )


def _one_run(nu: NDArray[np.float64], n: int, epsilon: float, gamma: float, variant: str, seed: int, run: int) -> float:
    import numpy as np

    from lp.measures.histogram import normalised
    from release.noise.randomness import read_randomness
    from release.noise.simulated import stream_of

    generator = stream_of(read_randomness("simulate", seed=seed, run=run))
    counts = generator.multinomial(n, nu)
    lift = 2 / epsilon * np.log(nu.size / gamma) if variant == "shifted" else 0.0
    clipped = np.maximum(counts + generator.laplace(scale=2 / epsilon, size=nu.size) + lift, 0)
    mu = normalised(clipped, uniform_weight=0.5 if variant == "mixed" else 0.0)
    if mu is None:
        return float("inf")  # every cell is emptied: the measure is undefined, counted as infinite
    occupied = nu > 0
    if np.any(mu[occupied] == 0):
        return float("inf")
    return float(np.sum(nu[occupied] ** 2 / mu[occupied]))
