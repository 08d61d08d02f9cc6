"""Noise on the answers: the coefficient Q for which the largest error is Q / (n epsilon).

Proofs: docs/proofs/synthbounds.noise-laplace.md, synthbounds.noise-linf.md, synthbounds.noise-gaussian.md, and for
noise on contrasts synthbounds.noise-contrast-linf.md, synthbounds.noise-contrast-gaussian.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Derived, Edition, Formula, Route, Term, Theorem
from bounds.pieces.promises import EXACT_NOISE
from bounds.quantities import Quantities


@dataclass(frozen=True)
class Mechanism:
    """Noise on all varying queries, or on the contrasts they are made of, calibrated to one sensitivity."""

    name: str
    label: str
    norm: str
    quantile: Callable[[Quantities, Arithmetic, Number], Number]
    """Q as a function of the failure probability that it may use."""
    inputs: tuple[str, ...] = ()
    """Quantities that not every question has, without which the mechanism is not available."""

    @property
    def needs_dp_delta(self) -> bool:
        return "dp_delta" in self.inputs

    @property
    def coefficient(self) -> str:
        """The name of its Q."""
        return "Q_" + self.name.replace("-", "_")


def _laplace(q: Quantities, A: Arithmetic, failure: Number) -> Number:
    return q.Delta_1 * A.laplace_max_quantile(q.F_varying, failure)


def _linf(q: Quantities, A: Arithmetic, failure: Number) -> Number:
    return q.R * A.gamma_quantile(q.F_varying, failure)


def _gaussian(q: Quantities, A: Arithmetic, failure: Number) -> Number:
    return _normal(q.Delta_2_squared, q, A, failure)


def _contrast_linf(q: Quantities, A: Arithmetic, failure: Number) -> Number:
    return q.contrast_gain * A.gamma_quantile(q.rank, failure)


def _contrast_gaussian(q: Quantities, A: Arithmetic, failure: Number) -> Number:
    return _normal(q.contrast_scatter, q, A, failure)


def _normal(scatter: Number, q: Quantities, A: Arithmetic, failure: Number) -> Number:
    """Q if the largest variance of an answer times the squared sensitivity is `scatter`."""
    sigma = A.gaussian_factor(q.epsilon, q.dp_delta) * A.sqrt(scatter)
    return q.epsilon * sigma * A.normal_max_quantile(q.F_varying, failure)


_TABLE = (
    Mechanism("laplace", "Laplace noise", "L1", _laplace),
    Mechanism("linf", "l_inf (cube K-norm) noise", "sup", _linf),
    Mechanism("gaussian", "analytic Gaussian noise", "L2", _gaussian, ("dp_delta",)),
    Mechanism("contrast-linf", "l_inf (cube K-norm) noise on contrasts", "sup", _contrast_linf, ("contrast_gain",)),
    Mechanism(
        "contrast-gaussian",
        "analytic Gaussian noise on contrasts",
        "L2",
        _contrast_gaussian,
        ("dp_delta", "contrast_scatter"),
    ),
)
MECHANISMS: dict[str, Mechanism] = {mechanism.name: mechanism for mechanism in _TABLE}
ALL = tuple(MECHANISMS)
PURE = tuple(mechanism.name for mechanism in _TABLE if not mechanism.needs_dp_delta)


class _OneWay:
    """Quantities of which those of the family are the ones of its one-way queries."""

    def __init__(self, q: Quantities) -> None:
        self._q = q

    def __getattr__(self, name: str) -> Number:
        return getattr(self._q, f"one_{name}" if self._q.has(f"one_{name}") else name)


def noise_coefficients(
    failure: Formula, allowed: tuple[str, ...] = ALL, *, one_way: bool = False
) -> tuple[Derived, ...]:
    """One derived Q for each mechanism, and their least, which the terms use; `one_way`: on one-way queries only."""

    def of(mechanism: Mechanism) -> Formula:
        def quantile(q: Quantities, A: Arithmetic) -> Number:
            return mechanism.quantile(cast(Quantities, _OneWay(q)) if one_way else q, A, failure(q, A))

        return quantile

    each = tuple(
        Derived(mechanism.coefficient, f"noise coefficient of {mechanism.label}", of(mechanism), mechanism.name)
        for mechanism in map(MECHANISMS.__getitem__, allowed)
    )

    def least(q: Quantities, A: Arithmetic) -> Number:
        return A.min(*(getattr(q, MECHANISMS[name].coefficient) for name in q.choices.mechanisms))

    return (*each, Derived("Q", "least noise coefficient", least))


def noise_theorem(name: str, title: str, privacy: str, inputs: tuple[str, ...]) -> Theorem:
    """The helper statement of one mechanism: its noise coefficient at failure probability gamma."""
    mechanism = MECHANISMS[name]
    return Theorem(
        id=f"synthbounds.noise-{name}",
        title=title,
        guarantee=f"The answers are {privacy}-private and, with probability at least 1 - gamma, off by at most "
        "Q/(n epsilon).",
        citation=Citation("synthbounds", title),
        inputs=inputs,
        direction="value",
        editions=(
            Edition(
                "sharp",
                (
                    Route(
                        mechanism.label,
                        "noise coefficient Q: errors are at most Q/(n epsilon)",
                        (Term("value", "noise coefficient", lambda q, A: mechanism.quantile(q, A, q.gamma)),),
                        hypotheses=(EXACT_NOISE,),
                    ),
                ),
                proof=f"synthbounds.noise-{name}",
            ),
        ),
    )
