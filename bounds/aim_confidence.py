"""AIM's confidence about marginals it did not choose, and what one of its rounds costs.

Proof: docs/proofs/zhou2024.aim-confidence.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from bounds.enclosure import Enclosure, as_fmpq
from bounds.errors import ParameterError
from bounds.exact import Exact, parse_integer, parse_rational, require_range
from bounds.privacy.adjacency import Adjacency, read_adjacency
from bounds.privacy.statements import ZCDP, one_adjacency
from bounds.sizes.routes import enclose_formula
from bounds.solve import enclose
from bounds.theorems import zhou2024_aim_confidence as theorem

FORMULAS = {"printed": theorem.printed, "corrected": theorem.corrected, "sharp": theorem.sharp}


@dataclass(frozen=True, kw_only=True)
class AimRound:
    """One round of AIM: a marginal is chosen by the exponential mechanism and measured with Gaussian noise.

    The score of a marginal q is w_q (L1 distance of the real and the model's marginal - sqrt(2/pi) sigma n_q), the
    choice is proportional to exp(epsilon score/(2 D)) with D the largest weight.
    """

    epsilon: Fraction
    noise_sd: Fraction
    largest_weight: Fraction
    candidates: int
    adjacency: Adjacency

    def __post_init__(self) -> None:
        for name in ("epsilon", "noise_sd", "largest_weight"):
            object.__setattr__(self, name, _positive(getattr(self, name), name))
        object.__setattr__(self, "candidates", _whole(self.candidates, "candidates"))
        object.__setattr__(self, "adjacency", read_adjacency(self.adjacency))

    @property
    def cost(self) -> ZCDP:
        """What the round spends: epsilon^2/8 + 1/(2 sigma^2) for add-remove, epsilon^2/2 + 1/sigma^2 for replace-one.

        Adding a record moves a marginal by 1 and a score by its weight. Replacing one moves two cells by 1, which is 2
        in L1 and sqrt 2 in L2: the choice then costs as much as with 2 epsilon.
        """
        choice, measurement = self.epsilon**2 / 8, 1 / (2 * self.noise_sd**2)
        if self.adjacency is Adjacency.REPLACE_ONE:
            choice, measurement = 4 * choice, 2 * measurement
        return ZCDP(rho=Enclosure.of(choice + measurement), adjacency=self.adjacency)


@dataclass(frozen=True, kw_only=True)
class Measured:
    """The marginal that was chosen: its weight and cells, and how far the noisy counts are from the model's in L1."""

    weight: Fraction
    cells: int
    residual: Fraction

    def __post_init__(self) -> None:
        residual = parse_rational(self.residual, "residual")
        require_range("residual", residual, self.residual, least=0)
        object.__setattr__(self, "weight", _positive(self.weight, "weight"))
        object.__setattr__(self, "cells", _whole(self.cells, "cells"))
        object.__setattr__(self, "residual", residual)


@dataclass(frozen=True, kw_only=True)
class Confidence:
    """Except with the failure probability, the real marginal is within `bound` of the model's in L1."""

    bound: Enclosure
    failure: Enclosure
    edition: str
    adjacency: Adjacency


def aim_confidence(
    spent: AimRound,
    measured: Measured,
    *,
    weight: Exact,
    cells: Exact,
    noise_deviations: Exact,
    choice_exponent: Exact,
    edition: str = "sharp",
) -> Confidence:
    """How far the real marginal of a candidate is from the model's before the round; for all candidates at once.

    `noise_deviations` and `choice_exponent` are lambda1 and lambda2. The printed edition fails more often than it
    states when the weight of the measured marginal is above 1.
    """
    if not isinstance(edition, str) or edition not in FORMULAS:
        raise ParameterError("edition", edition, "printed, corrected or sharp")
    adjacency = one_adjacency(spent)
    if measured.weight > spent.largest_weight:
        raise ParameterError("weight", measured.weight, "at most the largest weight", "it was a candidate")
    own = _positive(weight, "weight")
    require_range("weight", own, weight, most=spent.largest_weight, reason="largest weight of a candidate")
    deviations = parse_rational(noise_deviations, "noise_deviations")
    require_range("noise_deviations", deviations, noise_deviations, least=0, most=1000)
    exponent = parse_rational(choice_exponent, "choice_exponent")
    require_range("choice_exponent", exponent, choice_exponent, least=0, most=10**6)
    values = {
        "weight": own,
        "cells": Fraction(_whole(cells, "cells")),
        "selected_weight": measured.weight,
        "selected_cells": Fraction(measured.cells),
        "largest_weight": spent.largest_weight,
        "candidates": Fraction(spent.candidates),
        "noise_sd": spent.noise_sd,
        "epsilon": spent.epsilon,
        "residual": measured.residual,
        "noise_deviations": deviations,
        "choice_exponent": exponent,
    }
    bound = enclose_formula(FORMULAS[edition], (), values)
    failure = enclose(lambda: (-arb(as_fmpq(deviations**2 / 2))).exp() + (-arb(as_fmpq(exponent))).exp())
    failure = Enclosure(min(failure.lo, Fraction(1)), min(failure.hi, Fraction(1)))
    return Confidence(bound=bound, failure=failure, edition=edition, adjacency=adjacency)


def _positive(value: Exact, name: str) -> Fraction:
    number = parse_rational(value, name)
    require_range(name, number, value, above=0, most=10**12)
    return number


def _whole(value: Exact, name: str) -> int:
    number = parse_integer(value, name)
    require_range(name, number, value, least=1, most=10**100)
    return number
