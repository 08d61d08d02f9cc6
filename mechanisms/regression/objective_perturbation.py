"""Logistic regression by objective perturbation: a secret Gaussian linear term, and the exact minimiser, rounded.

Guarantee: (epsilon, dp_delta)-private for tables that differ by one record added or removed, n not public.
Proof: docs/proofs/synthbounds.objective-perturbation.md. What is published is a function of the minimiser of the
objective with continuous noise; the case that nothing can be published is paid for. Editions: `printed` has the
constants of ddssp2024, Algorithm 6 (Kifer, Smith and Thakurta 2012); `sharp` has the exact Gaussian curve at the whole
of epsilon; `gaussian` has a ridge so strong that the whole curve holds: its cost is a mu^2, which adds up with other
noise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from flint import arb

from bounds.enclosure import as_fmpq, as_fraction, decimal_text
from bounds.errors import DataError, NotApplicable, ParameterError
from bounds.exact import Exact, parse_rational, require_range
from bounds.privacy.adjacency import Adjacency, read_adjacency
from bounds.privacy.gaussian import analytic_gaussian, gaussian_noise
from bounds.privacy.sensitivity import Sensitivity, l2_sensitivity
from bounds.privacy.statements import DP, Statement, read_delta, read_epsilon
from bounds.solve import enclose
from release.files.fields import read_exact
from release.noise.draw import Finer
from release.noise.kinds import Mode
from release.noise.randomness import Randomness
from release.parameters import MOST_RECORDS
from release.perturb import SecretNoise, perturb
from release.statistics.features import FeatureMap

if TYPE_CHECKING:
    from bounds.privacy.ledger import Ledger
    from mechanisms.regression.certified_minimum import Minimum
    from release.data.source import Records

ObjectiveEdition: TypeAlias = Literal["printed", "sharp", "gaussian"]
WHAT = "objective perturbation"
MOST_RIDGE = 10**12
_DIGITS = 10
_LEAST_DECIMALS = 6
RESERVE = Fraction(1, 2**200)
"""The part of dp_delta for the case that nothing is published, which depends on the records."""


@dataclass(frozen=True, kw_only=True)
class ObjectivePlan:
    """All public settings, fixed before a record is seen; make it with `plan_objective_perturbation`."""

    feature_map: FeatureMap
    edition: ObjectiveEdition
    epsilon: Fraction
    dp_delta: Fraction
    ridge: Fraction
    """The requested ridge: ridge/2 |theta|^2 is added to the sum of the losses."""
    delta: Fraction
    """Delta of the papers: the further ridge that privacy needs."""
    sigma: Fraction
    """The deviation of every coordinate of the linear term."""

    @property
    def strength(self) -> Fraction:
        """The factor of |theta|^2/2."""
        return self.delta + self.ridge

    @property
    def sensitivity(self) -> Sensitivity:
        return _sensitivity(self.feature_map)

    @property
    def cost(self) -> Statement:
        if self.edition == "gaussian":
            return gaussian_noise(sigma=self.sigma, sensitivity=self.sensitivity)
        return DP(epsilon=self.epsilon, delta=self.dp_delta, adjacency=Adjacency.ADD_REMOVE)  # type: ignore[arg-type]

    @property
    def decimals(self) -> int:
        """Decimals published: to a millionth, and to a millionth of what the noise would give without any records."""
        found = _LEAST_DECIMALS
        while 10 ** (found - _LEAST_DECIMALS) * self.sigma < self.strength:
            found += 1
        return found

    @property
    def step(self) -> Fraction:
        return Fraction(1, 10**self.decimals)

    @property
    def noise(self) -> SecretNoise:
        size = self.feature_map.size
        return SecretNoise(count=size, sd=self.sigma, sensitivity=self.sensitivity, cost=self.cost)

    @property
    def last_bits(self) -> int:
        """A rounding is given up if the minimiser is within 2^-last_bits of a point where it changes.

        For every table of at most MOST_RECORDS records this has a probability f with (e^epsilon + 1) f at most
        RESERVE dp_delta: (e) of the proof, with e < 2^(3/2), and 1 for 1/sqrt(2 pi).
        """
        curved = self.strength + MOST_RECORDS * self.sensitivity.squared / 4
        dense = 1 / self.sigma + 1 / (self.step * self.strength)
        per_distance = 2 * self.feature_map.size * curved * dense
        return ceil(per_distance / (RESERVE * self.dp_delta)).bit_length() + ceil(Fraction(3, 2) * self.epsilon) + 1

    def to_json(self) -> dict[str, Any]:
        numbers = {"epsilon": self.epsilon, "dp_delta": self.dp_delta, "ridge": self.ridge, "delta": self.delta}
        return {
            "kind": WHAT,
            "edition": self.edition,
            "adjacency": Adjacency.ADD_REMOVE.value,
            **{name: str(number) for name, number in numbers.items()},
            "sigma": str(self.sigma),
            "decimals": self.decimals,
            "features": self.feature_map.to_json(),
        }


@dataclass(frozen=True, kw_only=True)
class ObjectiveModel:
    """A logistic model: one coefficient for each feature, intercept last, exact decimals."""

    plan: ObjectivePlan
    coefficients: tuple[Fraction, ...]
    mode: Mode
    minimum: Minimum | None
    """How it was certified: only for the steward of the records, since no proof of privacy covers it.

    None if the model comes from a run that was interrupted."""

    def to_json(self) -> dict[str, Any]:
        """The part that may be published."""
        return {"mode": self.mode, "coefficients": [str(c) for c in self.coefficients]}


def plan_objective_perturbation(
    feature_map: FeatureMap,
    *,
    adjacency: Adjacency | str,
    epsilon: Exact,
    dp_delta: Exact,
    edition: ObjectiveEdition = "sharp",
    ridge: Exact = 0,
) -> ObjectivePlan:
    """The noise and the ridge that privacy needs, rounded to the safe side, from public facts alone."""
    feature_map.require_two_values("objective perturbation has the logistic loss")
    if edition not in get_args(ObjectiveEdition):
        raise ParameterError("edition", edition, " or ".join(get_args(ObjectiveEdition)))
    if read_adjacency(adjacency) is not Adjacency.ADD_REMOVE:
        raise NotApplicable(
            "adjacency = replace-one: objective perturbation is proved only for add-remove (two records move the "
            "noise in a direction that depends on the answer)"
        )
    eps, delta = as_fraction(read_epsilon(epsilon, above_zero=True)), as_fraction(read_delta(dp_delta))
    asked = parse_rational(ridge, "ridge")
    require_range("ridge", asked, ridge, least=0, most=MOST_RIDGE)
    most = Fraction(feature_map.squared_norm)
    if edition == "printed":
        sigma, needed = _up(_printed_sigma(most, eps, delta)), _up(most / (2 * eps))
    else:
        paid = delta * (1 - RESERVE)
        calibration = analytic_gaussian(epsilon=eps, dp_delta=paid, adjacency=adjacency, digits=_DIGITS)
        sigma = calibration.safe_sigma(_sensitivity(feature_map), digits=_DIGITS)
        least = 2 * sigma**2 if edition == "gaussian" else most / (eps + most / (2 * sigma**2))
        needed = max(Fraction(0), _up(least) - asked)
    return ObjectivePlan(
        feature_map=feature_map, edition=edition, epsilon=eps, dp_delta=delta, ridge=asked, delta=needed, sigma=sigma
    )


def run_objective_perturbation(
    plan: ObjectivePlan,
    records: Records,
    ledger: Ledger,
    *,
    randomness: Randomness,
    kept_as: str | None = None,
    book: Callable[[Ledger], None] | None = None,
) -> tuple[ObjectiveModel, Ledger]:
    """The model, and the ledger after paying for it. If a rounding is given up, nothing is returned.

    The cost is then spent all the same, and the error says so; ObjectivePlan.last_bits says how improbable that is.
    `book` is as in release.measure.
    """
    from mechanisms.regression.certified_minimum import Perturbed, find_minimum
    from mechanisms.regression.logistic_rows import logistic_rows

    rows = logistic_rows(records, plan.feature_map)

    def solve(drawn: Finer) -> ObjectiveModel:
        question = Perturbed(rows=rows, strength=plan.strength, noise=drawn)
        found = find_minimum(question, step=plan.step, last_bits=plan.last_bits)
        coefficients = tuple(c * plan.step for c in found.rounded)
        return ObjectiveModel(plan=plan, coefficients=coefficients, mode=randomness.mode, minimum=found)

    def read(kept: dict[str, Any]) -> ObjectiveModel:
        found = kept.get("coefficients")
        if not isinstance(found, list) or len(found) != plan.feature_map.size:
            raise DataError(f"recovery file: coefficients: must be {plan.feature_map.size} exact numbers")
        coefficients = tuple(read_exact(c, f"coefficients[{i}]", "recovery file") for i, c in enumerate(found))
        return ObjectiveModel(plan=plan, coefficients=coefficients, mode="release", minimum=None)

    return perturb(
        solve,
        plan.noise,
        ledger,
        what=WHAT,
        randomness=randomness,
        read=read,
        kept_as=kept_as,
        header=plan.to_json(),
        book=book,
    )


def _sensitivity(feature_map: FeatureMap) -> Sensitivity:
    return l2_sensitivity(
        squared=feature_map.squared_norm,
        adjacency=Adjacency.ADD_REMOVE,
        n_is_public=False,
        text="the linear term that gives the same least point with one record more or less",
    )


def _printed_sigma(most: Fraction, epsilon: Fraction, dp_delta: Fraction) -> Fraction:
    """sqrt(P (8 log(2/delta) + 4 epsilon))/epsilon."""

    def sigma() -> arb:
        inside = 8 * arb(as_fmpq(2 / dp_delta)).log() + as_fmpq(4 * epsilon)
        return (inside * as_fmpq(most)).sqrt() / as_fmpq(epsilon)

    return enclose(sigma).hi


def _up(number: Fraction) -> Fraction:
    return Fraction(decimal_text(number, _DIGITS, up=True))
