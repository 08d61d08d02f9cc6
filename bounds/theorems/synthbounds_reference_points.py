"""Reference points that suffice when only the condition number, or the density ratio, is known.

Guarantee: except with probability gamma some density on the points fits every query to within R delta.
"""

from bounds.model import Citation, Edition, Route, Term, Theorem
from bounds.pieces.promises import times_gamma
from bounds.pieces.reference import (
    REJECTION_QUANTITIES,
    REJECTION_TERM,
    chebyshev_points,
    truncated_points,
)

THEOREM = Theorem(
    id="synthbounds.reference-points",
    title="Reference points that suffice",
    guarantee="Except with probability gamma, some density on the reference points answers every query to within "
    "R delta of the target.",
    citation=Citation("synthbounds", "reference points"),
    inputs=("F_varying", "delta", "gamma"),
    direction="value",
    editions=(
        Edition(
            "sharp",
            (
                Route(
                    "Chebyshev",
                    "weights of condition number at most K",
                    (Term("m", "reference points", chebyshev_points(times_gamma(1))),),
                    inputs=("K",),
                ),
                Route(
                    "truncated weights",
                    "weights of condition number at most K, truncated at 3K/(2 delta)",
                    (Term("m", "reference points", truncated_points(times_gamma(1))),),
                    inputs=("K",),
                ),
                Route(
                    "rejection",
                    "density ratio at most rho",
                    (REJECTION_TERM,),
                    derived=REJECTION_QUANTITIES,
                    inputs=("rho",),
                ),
            ),
            proof="synthbounds.reference-points",
        ),
    ),
)
