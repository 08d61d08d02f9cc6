"""Rényi condition numbers of probability tables: exact, and of the perturbed histogram, bounded and simulated.

A table is a list of exact probabilities, the name of a family such as zipf:32, or a CSV file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from bounds.errors import ParameterError, UsageError
from bounds.exact import Exact, parse_rational
from bounds.shown import Shown

if TYPE_CHECKING:
    from bounds.renyi import InfiniteKappa, RenyiReport
    from lp.study.distributions import ProbabilityTable
    from lp.study.perturbed_histogram import KappaSimulation

__all__ = ["PerturbedHistogram", "perturbed_histogram", "renyi"]

Probabilities: TypeAlias = "str | Sequence[Exact]"


@dataclass(frozen=True)
class PerturbedHistogram(Shown):
    """The histogram of n records with Laplace noise of scale 2/epsilon, as a reference measure."""

    n: int
    epsilon: Fraction
    infinite: InfiniteKappa
    """The probability that the condition number is infinite."""
    simulation: KappaSimulation | None


def renyi(nu: Probabilities, mu: Probabilities, through: Probabilities | None = None) -> RenyiReport:
    """Exact Rényi condition number of two probability tables, with its bounds.

    >>> renyi([".5", ".5"], [".25", ".75"]).kappa
    Fraction(4, 3)
    >>> renyi("zipf:2", "uniform:2").kappa
    Fraction(10, 9)
    """
    from bounds.renyi import condition_number
    from lp.study.distributions import aligned

    table = _table("nu", nu)
    middle = None if through is None else aligned(table, _table("through", through), "through")
    return condition_number(table.probabilities, aligned(table, _table("mu", mu), "mu"), middle)


def perturbed_histogram(
    nu: Probabilities,
    *,
    n: Exact,
    epsilon: Exact,
    simulate: Exact | None = None,
    variant: str = "plain",
    seed: Exact = 0,
) -> PerturbedHistogram:
    """How often the perturbed histogram of records from nu has an infinite condition number, and in `simulate` runs.

    >>> float(perturbed_histogram("uniform:2", n=10, epsilon=1).infinite.upper.hi) < 0.2
    True
    """
    from bounds.renyi import infinite_kappa_probability
    from lp.study.perturbed_histogram import simulate_kappa
    from synthbounds.api.parameters import RENYI

    if simulate is None and RENYI["variant"].choice(variant) != "plain":
        raise UsageError(f"variant {variant} is for --simulate")
    table = _table("nu", nu).probabilities
    records, privacy = int(RENYI["n"].number(n)), RENYI["epsilon"].number(epsilon)
    infinite = infinite_kappa_probability(table, records, privacy)
    simulation = None
    if simulate is not None:
        runs, key = int(RENYI["simulate"].number(simulate)), int(RENYI["seed"].number(seed))
        simulation = simulate_kappa(table, n=records, epsilon=privacy, runs=runs, seed=key, variant=variant)
    return PerturbedHistogram(records, privacy, infinite, simulation)


def _table(name: str, given: Probabilities) -> ProbabilityTable:
    from lp.study.distributions import ProbabilityTable, distribution

    if isinstance(given, str):
        return distribution(given, name)
    if not isinstance(given, Sequence):
        raise ParameterError(name, type(given).__name__, "a list of probabilities")
    return ProbabilityTable(tuple(parse_rational(value, name) for value in given))
