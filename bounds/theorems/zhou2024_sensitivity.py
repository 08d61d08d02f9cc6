"""Lemma 3.3: Gaussian noise that makes the marginals private.

Guarantee: noise of this standard deviation on every cell is (epsilon, delta)-private for replace-one, n public.
"""

from bounds.model import Citation, Edition, Route, Term, Theorem
from bounds.pieces.marginal_noise import (
    CLASSICAL_HOLDS,
    ORDER_FITS,
    PAPERS_RANGE,
    SETS_ARE_FEW,
    SOME_EPSILON,
    corrected_sd,
    printed_sd,
    sharp_sd,
)

SUMMARY = "features, order of the marginals and privacy"

THEOREM = Theorem(
    id="zhou2024.sensitivity",
    title="Noise on private marginals",
    guarantee="Gaussian noise of this standard deviation on every cell makes all marginals of order d private.",
    citation=Citation("zhou2024", "Lemma 3.3 and Appendix A.3"),
    inputs=("features", "order", "epsilon", "dp_delta"),
    direction="value",
    editions=(
        Edition(
            "printed",
            (
                Route(
                    "as printed",
                    SUMMARY,
                    (Term("value", "standard deviation", printed_sd),),
                    hypotheses=(SOME_EPSILON, ORDER_FITS, PAPERS_RANGE, SETS_ARE_FEW),
                ),
            ),
            changes=(
                "Appendix A.4 writes N(0, sigma), Theorem 2.6 N(0, sigma^2): sigma is the standard deviation.",
                "It counts at most m^d sets of up to d of the m + 1 attributes, which is false for d = 1 and for d = 2 "
                "with m <= 3.",
            ),
        ),
        Edition(
            "corrected",
            (
                Route(
                    "number of sets",
                    SUMMARY,
                    (Term("value", "standard deviation", corrected_sd),),
                    hypotheses=(SOME_EPSILON, ORDER_FITS, CLASSICAL_HOLDS),
                ),
            ),
            changes=(
                "The exact number of sets takes the place of m^d if it is larger.",
                "epsilon may go as far as the classical formula stays private: 8.78 at delta = 1e-6, not 1.",
            ),
            proof="zhou2024.sensitivity",
        ),
        Edition(
            "sharp",
            (
                Route(
                    "largest sets only",
                    SUMMARY + "; analytic Gaussian noise on the sets of exactly d attributes",
                    (Term("value", "standard deviation", sharp_sd),),
                    hypotheses=(SOME_EPSILON, ORDER_FITS),
                ),
            ),
            changes=(
                "Marginals of fewer attributes are sums of those of d attributes: they cost no privacy.",
                "The exact Gaussian mechanism in place of the classical bound, for every epsilon.",
            ),
            proof="zhou2024.sensitivity",
        ),
    ),
    see_also=("zhou2024.marginal-noise", "zhou2024.gaussian-mechanism"),
)
