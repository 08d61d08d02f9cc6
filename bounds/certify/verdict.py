"""What a bound on the excess of a model is worth, in one word: against the best constant score, and without data.

Pure: for certified numbers from moments or from a query. All the numbers must be valid on one event.
Proof: docs/proofs/synthbounds.model-certificate.md, part (k).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from bounds.enclosure import Enclosure, as_fmpq, precision

INFORMATIVE, WEAK, VACUOUS = "informative", "weak", "vacuous"
_BITS = 80


@dataclass(frozen=True)
class Verdict:
    """The word, and what it says about the model."""

    word: str
    reason: str


_GAINS = Verdict(INFORMATIVE, "better than every constant score, by more than the class can still gain")
_GAINS_LESS = Verdict(WEAK, "better than every constant score, but the class may gain as much again")
_NO_BETTER = Verdict(WEAK, "not shown to be better than a constant score")
_NO_CONSTANT = Verdict(WEAK, "what a constant score reaches is known only for the logistic, hinge and squared loss")
_NOTHING = Verdict(VACUOUS, "the bound is no smaller than one that holds for any model without data")


def verdict(
    bound: Fraction, *, model_risk: Fraction, constant_risk: Fraction | None, without_data: Fraction
) -> Verdict:
    """Vacuous: `bound` is at least `without_data`, which holds for any table. Informative: it is below
    `constant_risk - model_risk`, what the model is certain to gain over every constant. Else weak.

    `model_risk` is an upper bound, with the penalty where one is compared, and `constant_risk` a lower one; None: not
    known. A model that gains g and misses at most b < g of the best has more than half of what the best gains.
    """
    if bound >= without_data:
        return _NOTHING
    if constant_risk is None:
        return _NO_CONSTANT
    if model_risk >= constant_risk:
        return _NO_BETTER
    return _GAINS if bound < constant_risk - model_risk else _GAINS_LESS


def constant_risk(loss: str, mean_label: Fraction) -> Fraction | None:
    """The least mean loss of a constant score if the labels' mean is at most this in absolute value, rounded down.

    Logistic: the entropy of the label. Hinge: twice the share of the rarer label. Squared: half the label's variance.
    Each falls as the mean grows in size. None: no formula for this loss.
    """
    most = min(abs(mean_label), Fraction(1))
    if loss == "hinge":
        return 1 - most
    if loss == "squared":
        return (1 - most**2) / 2
    if loss != "logistic":
        return None
    if most == 1:
        return Fraction(0)
    with precision(_BITS):
        share = arb(as_fmpq((1 - most) / 2))
        return Enclosure.of(-share * share.log() - (1 - share) * (1 - share).log()).lo
