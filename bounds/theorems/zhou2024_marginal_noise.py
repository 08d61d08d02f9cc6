"""Lemma 3.4: how far the marginals of the synthetic data are from the real ones.

Guarantee: with probability 1 - failure no marginal of up to d attributes is off by more than nu in L1.
"""

from bounds.model import Citation, Edition, EditionName, Formula, Hypothesis, Route, Term, Theorem
from bounds.pieces.marginal_noise import (
    ORDER_FITS,
    TWO_LEVELS,
    chernoff_nu,
    concentration_nu,
    corrected_nu,
    printed_nu,
    sharp_nu,
)

SUMMARY = "features, levels, order, noise and failure probability"
_MINIMISER = Hypothesis("the synthetic data have n records and minimise the largest L1 distance to the noisy marginals")


def _edition(name: EditionName, formulas: dict[str, Formula], changes: tuple[str, ...]) -> Edition:
    routes = tuple(
        Route(
            route,
            SUMMARY,
            (Term("value", "L1 distance", formula),),
            hypotheses=(ORDER_FITS, TWO_LEVELS, _MINIMISER),
        )
        for route, formula in formulas.items()
    )
    return Edition(name, routes, changes, "" if name == "printed" else "zhou2024.marginal-noise")


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
            {"as printed": printed_nu},
            (
                "failure is the paper's 2^-lambda.",
                "The union bound counts at most (ml)^d cells: false for d = 1, and for d = 2 with few features.",
            ),
        ),
        _edition(
            "corrected",
            {"number of cells": corrected_nu},
            ("The exact number of cells, with a label of two levels, takes the place of (ml)^d if it is larger.",),
        ),
        _edition(
            "sharp",
            {"exact quantile": sharp_nu, "Chernoff's bound": chernoff_nu, "Gaussian concentration": concentration_nu},
            (
                "Only sets of exactly d attributes are measured; smaller marginals are sums of them, no further off.",
                "The L1 norm of the noise exactly (by Chernoff's bound beyond 65,536 cells), not cell by cell.",
            ),
        ),
    ),
    see_also=("zhou2024.sensitivity",),
)
