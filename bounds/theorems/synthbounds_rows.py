"""Synthetic records from a fitted density, without spending failure probability.

Guarantee: k records whose query means differ from the density's by at most the value.
"""

from bounds.model import Citation, Edition, Route, Term, Theorem
from bounds.pieces.rows import FAILURE_FREE, LABELS, row_error_at

THEOREM = Theorem(
    id="synthbounds.rows",
    title="Records from a fitted density",
    guarantee="k synthetic records answer every query to within the value of what the fitted density answers.",
    citation=Citation("synthbounds", "synthetic records"),
    inputs=("R", "rank", "F_varying", "k"),
    direction="value",
    editions=(
        Edition(
            "sharp",
            tuple(
                Route(
                    name,
                    LABELS[name],
                    (Term("value", "error of the records", row_error_at(name)),),
                )
                for name in FAILURE_FREE
            ),
            proof="synthbounds.rows",
        ),
    ),
)
