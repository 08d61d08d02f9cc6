"""Lower bound: no private mechanism keeps the promise with fewer records.

Guarantee: any mechanism that answers the queries this accurately on every data set needs at least this many.
"""

from fractions import Fraction

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Derived, Edition, Hypothesis, Promise, Route, Term, Theorem
from bounds.pieces.promises import EIGHT_DELTA, EPSILON, times_gamma
from bounds.quantities import Quantities


def _slack(q: Quantities, A: Arithmetic) -> Number:
    return q.dp_delta / A.expm1(q.epsilon) if q.has("dp_delta") else A.ratio(0)


def _turn(q: Quantities, A: Arithmetic) -> Number:
    """Steps from accurate data in which privacy bounds the wrong answers rather than the right ones."""
    failure, slack = 4 * q.gamma, _slack(q, A)
    odds = (1 + 2 * slack) / ((failure + slack) * (A.exp(q.epsilon) + 1))
    return A.max(A.ratio(0), A.ceil(A.log(odds) / q.epsilon))


def _lift(q: Quantities, A: Arithmetic) -> Number:
    """What these steps add to the right answers: Psi less 1 - failure + slack, exactly 0 if there are none."""
    failure, slack = 4 * q.gamma, _slack(q, A)
    grown = A.expm1(q.turn * q.epsilon)
    return grown * (1 - failure + slack - (failure + slack) * (1 + grown))


def _least_group(share: Number, q: Quantities, A: Arithmetic) -> Number:
    """Fewest steps from data whose right answers have at most this probability to data for which they are promised.

    The difference of numerator and denominator is computed, so that a tie is decided exactly.
    """
    return A.ceil(A.log(1 + (1 - 4 * q.gamma - share + q.lift) / (share + _slack(q, A))) / q.epsilon)


def _one_sided(q: Quantities, A: Arithmetic) -> Number:
    return _least_group(4 * q.gamma / q.packing, q, A)


def _sides(q: Quantities, A: Arithmetic) -> Number:
    """2 if two groups surely fit into the number of records known to be needed, 1 otherwise."""
    return 1 + _fits(_separated(_exchanged(q.G_one, q, A), q), A.ratio(2), q.R / 2, q, A)


def _group(q: Quantities, A: Arithmetic) -> Number:
    """G: the group that separates the packed data sets from one fixed data set."""
    return _least_group(4 * q.gamma / (q.sides * q.packing), q, A)


def _mutual_group(q: Quantities, A: Arithmetic) -> Number:
    """G': the same when the packed data sets are compared with their common part."""
    return _least_group(1 / (q.packing + 1), q, A)


def _exchanged(group: Number, q: Quantities, A: Arithmetic) -> Number:
    """Records that differ if data are this many steps apart: an exchange is one step, or two for add/remove."""
    return group if q.choices.exchanges_records else A.ceil(group / 2)


def _separated(differing: Number, q: Quantities) -> Number:
    """The n below which this many records cannot separate the answers."""
    return q.R * (differing - 1) / (16 * q.delta)


def _fits(least: Number, rows: Number, width: Number, q: Quantities, A: Arithmetic) -> Number:
    """1 if n >= least implies n (width - 2 alpha) >= rows width, 0 otherwise."""
    return A.min(A.ratio(1), A.max(A.ratio(0), 1 - A.ceil(rows * width - least * (width - 16 * q.delta))))


def _records(q: Quantities, A: Arithmetic) -> Number:
    exchanged = _separated(_exchanged(q.G, q, A), q)
    if q.choices.exchanges_records:
        return exchanged
    added = (q.G_one - 1) * (q.R - 16 * q.delta) / (16 * q.delta)
    return A.max(exchanged, _separated(q.G_mutual, q), added)


def _records_for_tables(q: Quantities, A: Arithmetic) -> Number:
    """The same with groups that are copies of small tables, in steps of whole tables."""
    if not q.has("tables"):
        return A.ratio(0)
    steps = _exchanged(_least_group(4 * q.gamma / q.tables, q, A), q, A)
    if not q.choices.exchanges_records:
        steps = A.max(steps, _least_group(1 / (q.tables + 1), q, A))
    width = q.table_gap * q.R
    copies = A.ceil(steps / q.table_rows) - 1
    return _fits(_records(q, A), q.table_rows, width, q, A) * width * q.table_rows * copies / (16 * q.delta)


def _rows(q: Quantities, A: Arithmetic) -> Number:
    return 1 / (16 * q.steps * q.delta / q.R + 1 / q.n)


THEOREM = Theorem(
    id="synthbounds.lower-bound",
    title="Records that no method can do without",
    guarantee="No mechanism with this privacy answers these queries on every data set to within 8 delta "
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
                    "a packing of data sets that accurate answers must tell apart and privacy must not",
                    (
                        Term("n", "packing of data sets", _records),
                        Term("n", "packing of small tables", _records_for_tables),
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
                        Derived("turn", "steps in which privacy bounds the wrong answers", _turn),
                        Derived("lift", "what these steps add to the numerator", _lift),
                        Derived("G_one", "group that privacy has to protect, on one side", _one_sided),
                        Derived("sides", "sides of the start on which data sets are packed", _sides),
                        Derived("G", "group that privacy has to protect", _group),
                        Derived("G_mutual", "group against the common part", _mutual_group, "add-remove"),
                    ),
                ),
            ),
            changes=("It does not apply to guarantees that are made only for independently drawn records.",),
            proof="synthbounds.lower-bound",
        ),
    ),
)
