"""Lemma 3.4: how far the marginals of the synthetic data are from the real ones.

Guarantee: with probability 1 - failure no marginal of up to d attributes is further off than nu in L1.
"""

from bounds.model import Citation, Edition, EditionName, Formula, Hypothesis, Route, Term, Theorem
from bounds.pieces.marginal_noise import ORDER_FITS, TWO_LEVELS, corrected_nu, printed_nu, sharp_nu

SUMMARY = "features, levels, order, noise and failure probability"
_MINIMISER = Hypothesis("the synthetic data have n records and minimise the largest L1 distance to the noisy marginals")


def _edition(name: EditionName, formula: Formula, changes: tuple[str, ...]) -> Edition:
    route = Route(
        "as printed" if name == "printed" else "Chernoff's bound" if name == "sharp" else "number of cells",
        SUMMARY,
        (Term("value", "L1 distance", formula),),
        hypotheses=(ORDER_FITS, TWO_LEVELS, _MINIMISER),
    )
    return Edition(name, (route,), changes, "" if name == "printed" else "zhou2024.marginal-noise")


THEOREM = Theorem(
    id="zhou2024.marginal-noise",
    title="Distance of synthetic and real marginals",
    guarantee="Except with the failure probability, every marginal of the synthetic data is within the value in L1.",
    citation=Citation("zhou2024", "Lemma 3.4 and Appendix A.4"),
    inputs=("features", "levels", "order", "noise_sd", "failure"),
    direction="value",
    editions=(
        _edition(
            "printed",
            printed_nu,
            (
                "failure is the paper's 2^-lambda.",
                "The union bound counts at most (ml)^d cells: false for d = 1, and for d = 2 with few features.",
            ),
        ),
        _edition(
            "corrected",
            corrected_nu,
            ("The exact number of cells, with a label of two levels, takes the place of (ml)^d where it is larger.",),
        ),
        _edition(
            "sharp",
            sharp_nu,
            (
                "Only sets of exactly d attributes are measured; smaller marginals are sums of them, no further off.",
                "The L1 norm of the noise by Chernoff's bound with its exact generating function, not cell by cell.",
            ),
        ),
    ),
    see_also=("zhou2024.sensitivity",),
)
