"""The possible losses of one record, and a lower bound on the loss of the best constant.

Losses of scores are those of `domination`, on margins of size at most `reach`; losses of predicted
probabilities are log, zero-one and brier. Proofs: docs/proofs/synthbounds.excess-query.md and
docs/proofs/synthbounds.any-model.md.
"""

from __future__ import annotations

from flint import arb, fmpq

from verify.checkers import require
from verify.checkers.domination import LOSSES, Loss

BY_NAME: dict[str, Loss] = {loss.name: loss for loss in LOSSES.values()}
"""Losses of the margin: each falls up to 1; beyond it falls, is 0, or stays below its left end."""
PREDICTED = ("log", "zero-one", "brier")
"""Losses of a predicted probability."""
SAME_LOSS = {"log": ("logistic", fmpq(1)), "brier": ("squared", fmpq(1, 2))}
"""The loss of scores whose part, prediction by prediction, a loss of predictions is."""


def largest_loss(loss: str, reach: arb) -> arb:
    """Largest loss for margins in [-reach, reach]: at the left end."""
    return BY_NAME[loss].value(-reach)


def smallest_loss(loss: str, reach: arb) -> arb:
    """Smallest loss for margins in [-reach, reach]: at the right end, or where the loss is 0."""
    return BY_NAME[loss].value(reach if loss == "logistic" else reach.min(arb(1)))


def oscillation(loss: str, reach: arb) -> arb:
    """Largest minus smallest; log(1 + e^R) - log(1 + e^-R) is R."""
    if loss == "logistic":
        return reach
    return largest_loss(loss, reach) - smallest_loss(loss, reach)


def steepest(loss: str, reach: fmpq) -> fmpq:
    """A bound on the absolute slope of the loss, for margins in [-reach, reach]."""
    return 1 + reach if loss == "squared" else fmpq(1)


def predicted_range(clip: fmpq | None) -> tuple[arb, arb]:
    """The smallest and largest loss of a prediction; for log it is kept in [clip, 1 - clip]."""
    if clip is None:
        return arb(0), arb(1)
    return -(arb(1 - clip).log()), -(arb(clip).log())


def constant_risk(loss: str, mean_label: arb) -> arb:
    """The smallest mean loss of a constant, if the mean of labels +1 and -1 is at most this size.

    Falls as the mean grows: the entropy of the label, the share of the rarer one or twice that,
    half the variance of the label or, counted as 0 and 1, its variance.
    """
    mean = mean_label.upper()
    if not mean < 1:
        return arb(0)
    rarer = (1 - mean) / 2
    if loss in ("logistic", "log"):
        return -(rarer * rarer.log() + (1 - rarer) * (1 - rarer).log())
    if loss in ("hinge", "zero-one"):
        return 2 * rarer if loss == "hinge" else rarer
    require(loss in ("squared", "brier"), "loss: is not one that is known here")
    variance = 4 * rarer * (1 - rarer)
    return variance / 2 if loss == "squared" else variance / 4
