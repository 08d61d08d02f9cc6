"""Synthetic rows from a fitted density, without spending failure probability.

Guarantee: k rows whose query means differ from the density's by at most the value.
"""

from bounds.model import Citation, Edition, Route, Term, Theorem
from bounds.pieces.rows import FAILURE_FREE, LABELS, row_error_at

THEOREM = Theorem(
    id="synthbounds.rows",
    title="Rows from a fitted density",
    guarantee="k synthetic rows answer every query to within the value of the fitted density's answer.",
    citation=Citation("synthbounds", "synthetic rows"),
    inputs=("R", "rank", "F_varying", "k"),
    direction="value",
    editions=(
        Edition(
            "sharp",
            tuple(
                Route(
                    name,
                    LABELS[name],
                    (Term("value", "error of the rows", row_error_at(name)),),
                )
                for name in FAILURE_FREE
            ),
            proof="synthbounds.rows",
        ),
    ),
)
