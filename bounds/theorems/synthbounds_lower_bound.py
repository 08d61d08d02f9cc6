"""Lower bound: no private mechanism keeps the promise with fewer records.

Guarantee: whoever answers the one-way queries of every data set this accurately needs at least this many.
"""

from fractions import Fraction

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Derived, Edition, Hypothesis, Promise, Route, Term, Theorem
from bounds.pieces.promises import EIGHT_DELTA, EPSILON, times_gamma
from bounds.quantities import Quantities


def _slack(q: Quantities, A: Arithmetic) -> Number:
    return q.dp_delta / A.expm1(q.epsilon) if q.has("dp_delta") else A.ratio(0)


def _group(q: Quantities, A: Arithmetic) -> Number:
    """G: the group that separates the packed data sets from one fixed data set."""
    failure, slack = 4 * q.gamma, _slack(q, A)
    return A.ceil(A.log((1 - failure + slack) / (failure / q.packing + slack)) / q.epsilon)


def _mutual_group(q: Quantities, A: Arithmetic) -> Number:
    """G': the same when the packed data sets are compared with their common part."""
    failure, slack = 4 * q.gamma, _slack(q, A)
    return A.ceil(A.log((1 - failure + slack) / (1 / (q.packing + 1) + slack)) / q.epsilon)


def _records(q: Quantities, A: Arithmetic) -> Number:
    accuracy = 8 * q.delta
    if q.choices.exchanges_records:
        return q.R * (q.G - 1) / (2 * accuracy)
    exchanged = q.R * (A.ceil(q.G / 2) - 1) / (2 * accuracy)
    removed = q.R * (q.G_mutual - 1) / (2 * accuracy)
    added = (q.G - 1) * (q.R - 2 * accuracy) / (2 * accuracy)
    return A.max(exchanged, removed, added)


def _rows(q: Quantities, A: Arithmetic) -> Number:
    return 1 / (16 * q.steps * q.delta / q.R + 1 / q.n)


THEOREM = Theorem(
    id="synthbounds.lower-bound",
    title="Records that nobody can do without",
    guarantee="No mechanism with this privacy answers the one-way queries of every data set to within 8 delta "
    "with probability 1 - 4 gamma from fewer records.",
    citation=Citation("synthbounds", "packing lower bound"),
    inputs=("epsilon", "delta", "gamma", "packing"),
    direction="necessary",
    measure="any",
    editions=(
        Edition(
            "sharp",
            (
                Route(
                    "packing",
                    "a packing of data sets that accurate answers tell apart and privacy must not",
                    (
                        Term("n", "packing of data sets", _records),
                        Term("k", "grid of means of k records", _rows),
                    ),
                    Promise(EIGHT_DELTA, times_gamma(4), EPSILON, any_data=True),
                    (
                        Hypothesis(
                            "delta is less than R/16",
                            lambda q: bool(16 * q.delta < q.R),
                            why="the packing argument says nothing from an accuracy of R/2 on",
                        ),
                        Hypothesis(
                            "gamma is less than 1/4",
                            lambda q: bool(q.gamma < Fraction(1, 4)),
                            why="a failure probability of 1 needs no data at all",
                        ),
                        Hypothesis(
                            "the accuracy is promised for every data set of n records (for add/remove: of at least n)"
                        ),
                    ),
                    (
                        Derived("G", "group that privacy has to protect", _group),
                        Derived("G_mutual", "group against the common part", _mutual_group, "add-remove"),
                    ),
                ),
            ),
            changes=("It does not bind guarantees that hold for independently drawn records only.",),
            proof="synthbounds.lower-bound",
        ),
    ),
)
