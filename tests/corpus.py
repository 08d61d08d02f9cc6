"""The regression corpus: every route of every edition at fixed questions, every number to 20 digits.

`python -m tests.corpus` prints it as JSON; tests/corpus.json is the reviewed copy. A change in it is a change of
mathematics and needs a reason in the changelog.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from bounds.arithmetic.ball import BALL
from bounds.errors import SynthboundsError
from bounds.model import Edition, Route, Theorem
from bounds.quantities import Quantities
from bounds.registry import all_theorems
from bounds.sizes.evaluate import require_inputs
from bounds.sizes.routes import derived_in_use, enclose_formula, run_route
from bounds.sizes.setting import build_setting
from bounds.values import evaluate_value

FILE = Path(__file__).with_suffix(".json")
DIGITS = 20

_BASE = {"degree": 2, "epsilon": ".2", "delta": ".05", "gamma": ".05"}
QUESTIONS: dict[str, dict[str, Any]] = {
    "useful": {"p": 6, **_BASE, "dp_delta": "1e-6"},
    "paper": {"p": 5, "degree": 2, "epsilon": ".2", "delta": ".5", "gamma": ".25"},
    "cells": {"p": 4, "t": 3, "family": "cells", **_BASE},
    "wide": {"p": 3, "t": 3, "family": "cells", **_BASE, "epsilon": "5"},
    "signs": {"p": 5, "family": "parities", **_BASE, "adjacency": "add-remove"},
    "strict": {"p": 5, "family": "parities", **_BASE, "delta": ".005", "adjacency": "add-remove"},
    "any": {"p": 4, **_BASE, "degree": None, "queries": 7},
    "fixed k": {"p": 5, **_BASE, "k": 500},
    "density": {"p": 5, **_BASE, "release": "density"},
    "delta too large": {"p": 5, **_BASE, "delta": ".6"},
    "gamma too large": {"p": 5, **_BASE, "gamma": ".26"},
    "gamma at a quarter": {"p": 5, **_BASE, "gamma": ".25"},
    "gamma near a quarter": {"p": 5, **_BASE, "gamma": ".24"},
    "half": {"p": 5, **_BASE, "delta": ".0625"},
}
DENSITY = {"tau": ".5", "lipschitz": "3"}
CONTINUOUS: dict[str, dict[str, Any]] = {
    "steep": {"p": 6, **_BASE, "tau": ".25", "lipschitz": "20"},
    "flat": {"p": 6, **_BASE, "tau": "1", "lipschitz": "0"},
    "one attribute": {"p": 1, **_BASE, "degree": 1, "tau": ".5", "lipschitz": "2.5"},
    "one attribute, steep": {"p": 1, **_BASE, "degree": 1, "tau": ".9", "lipschitz": "40", "epsilon": "9"},
    "many attributes": {"p": 24, **_BASE, "degree": 1, "tau": ".9", "lipschitz": ".1"},
    "two attributes": {"p": 2, **_BASE, "tau": ".9", "lipschitz": ".1", "density_max": "1.01"},
}
UNIFORM: dict[str, dict[str, Any]] = {
    "tau1 as it must be": {"p": 3, **_BASE, "tau1": "1/8", "tau2": "1/8"},
    "tau1 as it may not be": {"p": 3, **_BASE, "tau1": "1/9", "tau2": "1/8"},
}
FLAT: dict[str, dict[str, Any]] = {
    "L is 0": {"p": 3, **_BASE, "lipschitz": "0"},
    "L is 1": {"p": 3, **_BASE, "lipschitz": "1"},
    "tau is 1": {"p": 3, **_BASE, "tau": "1"},
}
_REMOVED = {**_BASE, "adjacency": "add-remove"}
NECESSARY: dict[str, dict[str, Any]] = {
    "loose": {"p": 9, **_REMOVED, "delta": ".03", "gamma": ".2", "dp_delta": ".01", "epsilon": ".01"},
    "failing often": {"p": 9, **_REMOVED, "gamma": ".249", "epsilon": ".01"},
    "few levels": {"p": 2, "t": 3, "family": "cells", **_REMOVED, "gamma": ".2", "epsilon": ".001"},
    "monomials on levels": {"p": 3, "t": 4, **_BASE, "delta": ".002", "dp_delta": ".1", "epsilon": ".01"},
    "one attribute": {"p": 1, **_REMOVED, "degree": 1, "delta": ".01", "gamma": ".01", "epsilon": ".001"},
    "one attribute, coarse": {"p": 1, **_REMOVED, "degree": 1, "delta": ".05", "gamma": "1e-6", "epsilon": ".003"},
    "almost trivial": {"p": 9, **_BASE, "delta": ".06"},
    "many parities": {"p": 40, "family": "parities", **_BASE, "delta": ".01", "epsilon": ".01"},
    "many parities, removed": {"p": 40, "family": "parities", **_REMOVED, "delta": ".01", "epsilon": ".01"},
    "few parities, removed": {"p": 2, "family": "parities", **_REMOVED, "delta": ".01", "epsilon": ".01"},
    "two sides that just fit": {"p": 1, **_BASE, "degree": 1, "delta": ".025", "gamma": ".0125", "epsilon": "1"},
    "exchanges decide": {"p": 1, **_REMOVED, "degree": 1, "delta": ".03", "gamma": ".01", "epsilon": ".01"},
    "parities of three": {"p": 30, "family": "parities", **_BASE, "degree": 3, "delta": ".01", "epsilon": ".01"},
}
ONE_WAY: dict[str, dict[str, Any]] = {
    "one way": {"p": 4, "t": 3, "family": "cells", **_BASE, "degree": 1},
    "triples": {"p": 4, **_BASE, "degree": 3},
    "triples of cells": {"p": 4, "family": "cells", **_BASE, "degree": 3, "delta": ".09"},
    "one way, two levels": {"p": 10, **_BASE, "degree": 1},
    "one way, many levels": {"p": 4, "t": 9, "family": "cells", **_BASE, "degree": 1},
    "shuffled": {"p": 30, **_BASE, "delta": ".05"},
    "shuffled, rows given": {"p": 30, **_BASE, "delta": ".05", "k": "5000"},
    "just not listed": {"p": 17, **_BASE, "delta": ".05"},
}
OWN = {
    "bojkovic2024.uniform": {"one way": ONE_WAY["one way"]},
    "synthbounds.product": ONE_WAY,
    "bojkovic2024.histogram-uniform": UNIFORM,
    "bojkovic2024.kde-uniform": FLAT,
    "synthbounds.lower-bound": NECESSARY,
}
_RISK = {"slope": "1.5", "at_zero": ".7", "marginal_error": ".01"}
_GIVEN = {
    "oscillation": ".03",
    "coefficient_cost": "1.2",
    "derivative_error": ".02",
    "convexity": ".2",
    "quadratic_cost": ".1",
}
RISK: list[dict[str, Any]] = [
    {**_RISK, "radius": 2, "features": 9, "order": 5},
    {**_RISK, "radius": ".5", "features": 3, "order": 2},
    {**_RISK, "radius": 9, "features": 4, "order": 3},
    {**_RISK, "radius": 3, "features": 5, "order": 1},
    {**_RISK, "radius": 3, "features": 5, "order": 6},
    {**_RISK, "radius": 3, "features": 5, "order": 7},
    {**_RISK, "radius": 20, "features": 50, "order": 4},
    {**_RISK, **_GIVEN, "radius": 2, "features": 9, "order": 4, "tilt": ".03"},
    {**_RISK, **_GIVEN, "radius": 2, "features": 9, "order": 4, "tilt": ".08"},
    {**_RISK, **_GIVEN, "radius": 2, "features": 9, "order": 2, "tilt": "0"},
    {**_RISK, **_GIVEN, "radius": 2, "features": 9, "order": 2, "tilt": ".1"},
    {**_RISK, **_GIVEN, "radius": 2, "features": 9, "order": 2, "tilt": ".0002"},
    {**_RISK, **_GIVEN, "radius": 2, "features": 9, "order": 4, "tilt": ".03", "optimisation_gap": ".001"},
]
PRIVATE_RISK: list[dict[str, Any]] = [
    {
        **{k: v for k, v in row.items() if k != "marginal_error"},
        "n": 10**6,
        "epsilon": e,
        "dp_delta": "1e-6",
        "levels": levels,
        "failure": ".001",
    }
    for row, e, levels in zip(RISK[:4] + RISK[-6:-4], (1, ".5", 2, ".5", 9, 1), (2, 3, 2, 2, 2, 1), strict=True)
] + [
    {
        "slope": "1.5",
        "at_zero": ".7",
        "radius": 2,
        "features": m,
        "order": d,
        "n": 10**6,
        "epsilon": ".5",
        "dp_delta": "1e-6",
        "levels": levels,
        "failure": ".001",
    }
    for m, d, levels in ((1, 2, 3), (3, 4, 2), (5, 3, 3), (7, 6, 2))
]
NUMBERS: dict[str, list[dict[str, Any]]] = {
    "synthbounds.unbiased-limit": [
        {"p": 6, "degree": 2, "family": "cells", "epsilon": ".3", "n": 900},
        {"p": 3, "t": 4, "degree": 2, "family": "cells", "epsilon": "2", "n": 900},
        {"p": 9, "degree": 3, "family": "parities", "epsilon": ".01", "n": 12},
        {"p": 9, "degree": 3, "epsilon": ".01", "n": 12},
    ],
    "bojkovic2024.max-laplace": [
        {"sigma": 2, "count": count, "gamma": ".1"} for count in (9, 1, 2)
    ],
    "bojkovic2024.ratio-tv": [
        {"tv": ".1", "p_min": ".2", "q_min": ".25", "gap": ".05"},
        {"tv": ".3", "p_min": ".2", "q_min": ".25", "gap": ".05"},
        {"tv": "1.5", "p_min": ".2", "q_min": "2", "gap": ".05"},
        {"tv": ".5", "p_min": ".2", "q_min": "1.5", "gap": ".05"},
    ],
    "bojkovic2024.renyi-triangle": [
        {"alpha": 3, "D_first": ".3", "D_second": ".2"},
        {"alpha": 1, "D_first": ".3", "D_second": ".2"},
        {"alpha": "1.5", "D_first": ".3", "D_second": ".2"},
    ],
    "bojkovic2024.renyi-tv": [
        {"alpha": 3, "tv": ".1", "beta": ".5"},
        {"alpha": 1, "tv": ".1", "beta": ".5"},
        {"alpha": 2, "tv": ".1", "beta": ".5"},
        {"alpha": "-.5", "tv": ".1", "beta": ".5"},
        {"alpha": ".5", "tv": ".1", "beta": ".5"},
        {"alpha": 2, "tv": ".6", "beta": ".5"},
        {"alpha": 2, "tv": 0, "beta": ".5"},
        {"alpha": 2, "tv": "-.1", "beta": ".5"},
        {"alpha": 2, "tv": 0, "beta": "1.5"},
        {"alpha": 2, "tv": 0, "beta": "0"},
    ],
    "bojkovic2024.empirical-tv": [
        {"count": 10, "n": 100, "deviation": ".32"},
        {"count": 10, "n": 100, "deviation": ".305"},
        {"count": 10, "n": 100, "deviation": ".31"},
        {"count": 10, "n": 100, "deviation": ".29"},
    ],
    "zhou2024.bernstein-continuous": [{"omega": "2.5"}],
    "zhou2024.bernstein-lipschitz": [{"slope": "1.5", "width": 7, "D": d} for d in (1, 2, 5, 12)],
    "zhou2024.bernstein-smooth": [{"curvature": ".25", "width": 10, "D": 4}],
    "zhou2024.error-to-risk": [
        {"margin": ".25", "error_rate": error} for error in (".3", ".25", ".01", "1", "1.5")
    ] + [{"margin": margin, "error_rate": ".45"} for margin in ("0", "1", "1.5")],
    "zhou2024.lower": [
        {"log_n": x, "query_constant": c}
        for x, c in (
            ("4", "1"), ("4.5", "1"), ("16", "1"), ("16.5", "1"), ("35.166", "2"), ("36", "2"), ("24", ".5"),
            ("60", "2"), ("62", "2"), ("114", "1"), ("200", "1"), ("23.8", "1"), ("200", ".5"), ("100", "0"),
            ("0", "1"), ("17", "20"), ("16.98", "20"), ("9.5", "1e-9"), ("40", "1e-9"), ("16", "20"),
        )
    ],
    "zhou2024.phi-gamma": [{"margin": margin} for margin in ("0", ".1", "1", "1.5")],
    "zhou2024.phi-gamma-bernstein": [
        {"margin": margin, "D": d} for margin, d in ((".1", 9), (".1", 12), ("1", 1), ("0", 9), ("1.5", 9))
    ],
    "zhou2024.upper-half": [
        {"log_n": x, "order": d}
        for x, d in (
            ("4", 2), ("4.5", 2), ("6", 1), ("6.5", 5), ("7.5", 8), ("30", 2), ("30.5", 5), ("200", 6), ("5", 5),
        )
    ],
    "zhou2024.coefficient-sum": [
        {"norm": 3, "left": 2, "right": 5, "D": 7},
        {"norm": 3, "left": 0, "right": 1, "D": 7},
        {"norm": 3, "left": 2, "right": 1, "D": 7},
        {"norm": 3, "left": 2, "right": "0.5", "D": 7},
        {"norm": 3, "left": 1, "right": 0, "D": 7},
        {"norm": 3, "left": 0, "right": 0, "D": 7},
        {"norm": 3, "left": 1, "right": 2, "D": 7},
        {"norm": 3, "left": ".2", "right": ".1", "D": 7},
    ],
    "zhou2024.gaussian-mechanism": [
        {"epsilon": ".5", "dp_delta": "1e-5"},
        {"epsilon": "1.5", "dp_delta": "1e-6"},
        {"epsilon": 1, "dp_delta": "1e-5"},
        {"epsilon": 9, "dp_delta": "1e-6"},
        {"epsilon": 0, "dp_delta": "1e-5"},
    ],
    "zhou2024.zcdp": [
        {"zcdp": ".1", "dp_delta": "1e-6"},
        {"zcdp": ".5", "dp_delta": "1e-5"},
        {"zcdp": ".0001", "dp_delta": ".1"},
        {"zcdp": 0, "dp_delta": "1e-5"},
    ],
    "zhou2024.aim-confidence": [
        {
            "weight": 5, "cells": 40, "selected_weight": 10, "selected_cells": 60, "largest_weight": 12,
            "candidates": candidates, "noise_sd": 20, "epsilon": ".5", "residual": 900, "noise_deviations": 3,
            "choice_exponent": choice_exponent,
        }
        for candidates, choice_exponent in ((100, 4), (2, ".5"), (1, 4))
    ],
    "synthbounds.bernstein-norm": [
        {"norm": 3, "left": 2, "right": 5, "D": 7},
        {"norm": 3, "left": 0, "right": 5, "D": 7},
        {"norm": 3, "left": 2, "right": 0, "D": 7},
        {"norm": 3, "left": 2, "right": 1, "D": 7},
        {"norm": 3, "left": 1, "right": 2, "D": 7},
    ],
    "synthbounds.logistic-chebyshev": [
        {"radius": 5, "half_degree": 2},
        {"radius": ".5", "half_degree": 3},
        {"radius": 0, "half_degree": 3},
        {"radius": 1, "half_degree": 3},
    ],
    "zhou2024.sensitivity": [
        {"features": m, "order": d, "epsilon": e, "dp_delta": "1e-6"}
        for m, d, e in (
            (10, 2, 1), (3, 2, ".5"), (4, 2, ".5"), (2, 1, ".5"), (2, 3, ".5"), (2, 4, ".5"), (10, 4, 9), (5, 3, 2)
        )
    ],
    "zhou2024.marginal-noise": [
        {"features": m, "levels": levels, "order": d, "noise_sd": "44.3", "failure": "1e-6"}
        for m, levels, d in ((10, 2, 2), (2, 3, 1), (1, 2, 2), (1, 2, 3), (4, 1, 2), (6, 4, 3))
    ],
    "zhou2024.risk-approximation": [
        {"slope": "1.5", "radius": r, "order": d} for r, d in ((2, 5), (".5", 2), (3, 1))
    ],
    "zhou2024.polynomial-risk": [
        {"slope": "1.5", "at_zero": ".7", "radius": r, "features": m, "order": d, "marginal_error": ".01"}
        for r, m, d in ((2, 9, 5), (".5", 3, 2), (9, 4, 3), (3, 5, 1), (3, 2, 4))
    ],
    "zhou2024.lipschitz": RISK,
    "zhou2024.logistic": RISK,
    "zhou2024.lipschitz-private": PRIVATE_RISK,
    "zhou2024.logistic-private": PRIVATE_RISK,
    "synthbounds.excess-risk": RISK[-2:],
    "synthbounds.quadratic-bias": RISK[-6:],
    "synthbounds.risk-floor": [
        {"radius": 2, "marginal_error": ".1", "bias_error": ".004", "second_moment": ".4"},
        {"radius": 2, "marginal_error": "1", "bias_error": ".004", "second_moment": "1"},
        {"radius": 2, "marginal_error": "1.5", "bias_error": ".004", "second_moment": "1.5"},
        {"radius": 2, "marginal_error": "1", "bias_error": ".5", "second_moment": "1"},
        {"radius": 2, "marginal_error": "1", "bias_error": ".51", "second_moment": "1"},
    ],
    "synthbounds.noisy-moments": [
        {"features": 7, "n": 900, "epsilon": ".7", "dp_delta": "1e-5", "failure": ".01", "oscillation": ".01",
         "linear_cost": ".5", "quadratic_cost": ".2", "split": r, **more}
        for r, more in (
            (".25", {}), ("0", {"optimisation_gap": ".001"}), ("1", {}), ("1.5", {}),
            *((".5", {"features": m, "failure": b, "quadratic_cost": c})
              for m in (1, 2, 10, 60) for b in (".05", ".9") for c in (".02", "1", "40")),
            (".5", {"features": 2000, "failure": ".001", "quadratic_cost": "9"}),
            (".5", {"features": 2, "failure": "1e-9", "quadratic_cost": "40"}),
        )
    ],
    "synthbounds.fenchel-young": [
        {"fenchel_gap": ".003", "gradient_residual": ".02", "multiplier": mu, "class_norm": 5, "model_norm": "4.5",
         **more}
        for mu, more in (
            (".07", {}), (".07", {"ridge": ".001"}), ("0", {"ridge": ".01"}), ("0", {}), ("0", {"ridge": 0})
        )
    ],
    "synthbounds.gradient-query": [
        {"gradient_along": a, "gradient_across": b, "model_norm": "4.9", "class_norm": 5, **more}
        for a, b, more in (
            (".07", ".01", {}), (".07", ".01", {"ridge": ".001"}), (".07", ".01", {"ridge": ".1"}), ("0", "0", {}),
            ("-.02", ".01", {"ridge": ".02"}), (".07", "0", {"ridge": 0}), ("0", ".01", {}),
        )
    ],
    "synthbounds.certificate-floor": [
        {"failure": failure, "share": share, **more}
        for failure, share, more in (
            (".05", ".5", {}), (".05", ".75", {"epsilon": 1, "dp_delta": "1e-6"}), (".01", ".9", {}),
            (".05", ".95", {}), (".05", ".4", {}),
        )
    ],
    "synthbounds.excess-query": [
        {"noisy_excess": e, "model_score": r, "class_norm": tau, "n": 48842, "epsilon": ".7", "dp_delta": "1e-9",
         "failure": beta}
        for e, r, tau, beta in (
            (".001", "7.7", 10, ".045"), ("-.002", ".5", "2", ".01"), ("0", "1", "1", ".4"), ("0", "3", "5", ".5")
        )
    ],
    "synthbounds.model-certificate": [
        {"polynomial_mean": mean, "first_radius": ".004", "label_norm": ".6", "label_scale": scale,
         "second_radius": ".005", "absolute_form": ".9", "linear_norm": h, "least_curvature": kappa, "class_norm": 5}
        for mean, scale, h, kappa in (
            ("-.1", ".5", ".02", ".07"), ("-.1", ".5", ".02", ".001"), (".1", ".5", ".02", "-.07"),
            ("-.1", "0", ".02", ".07"), ("-.1", ".5", "0", ".07"),
        )
    ],
    "synthbounds.moment-release": [
        {"first_weight": a, **more}
        for a, more in (
            ("1", {}), (".5", {"epsilon": 1, "dp_delta": "1e-6"}), ("3", {}), ("1", {"fourth_weight": 1}),
            ("7", {"fourth_weight": 1}), (".5", {"fourth_weight": ".25"}), ("0", {"fourth_weight": 1}),
            ("1", {"fourth_weight": 0}),
        )
    ],
    "bojkovic2024.proportion": [
        {"gamma": gamma, "F": 9, "k": 400, "n": 900, "proportion": p, "noise_sd": ".01"}
        for gamma, p in ((".05", ".3"), (".25", ".3"), (".26", ".6"))
    ],
    "bojkovic2024.naive-interval": [
        {"gamma": ".05", "k": k, "n": 900, "proportion": ".3", "noise_sd": sd}
        for k, sd in ((400, ".01"), (900, "0"), (20000, ".03"))
    ],
    "bojkovic2024.covariance": [{"features": 7, "delta": ".01", "noise_sd": ".003", "gamma": ".05"}],
    "bojkovic2024.principal-component": [
        {"features": m, "delta": ".001", "true_gap": ".3", "second_radius": r, "noisy_gap": g, "noise_sd": ".01",
         "gamma": ".05"}
        for m, r, g in (
            (7, ".05", ".4"), (7, ".05", ".08"), (7, ".05", ".1"), (7, ".02", ".05"), (1, ".05", ".4"), (7, ".5", ".5"),
            (2, ".05", ".4"), (7, ".05", "1.2"), (7, ".05", ".05"), (7, ".4", "1.1"),
        )
    ],
    "bojkovic2024.graph": [
        {"features": m, "delta": ".001", "true_least": least, "second_radius": ".05", "noisy_least": noisy,
         "noise_sd": ".01", "column_norm": 3, "gamma": gamma}
        for m, least, noisy, gamma in (
            (7, ".3", ".4", ".05"), (2, ".3", ".4", ".05"), (7, ".05", ".03", ".05"), (1, ".3", ".4", ".05"),
            (7, ".056", ".05", ".05"), (60, ".5", ".4", ".001"), (7, ".06", ".0285", ".05"),
        )
    ],
    "bojkovic2024.least-squares": [
        {"features": m, "delta": ".001", "true_least": least, "true_norm": 2, "first_radius": ".03",
         "second_radius": ".05", "noisy_least": noisy, "noisy_norm": norm, "first_sd": ".02", "noise_sd": ".01",
         "gamma": gamma}
        for m, least, noisy, norm, gamma in (
            (7, ".3", ".4", 2, ".05"), (2, ".3", ".4", 2, ".05"), (7, ".05", ".03", 2, ".05"),
            (1, ".3", ".4", 2, ".05"), (7, ".056", ".05", 0, ".05"), (60, ".5", ".4", 9, ".001"),
            (7, ".06", ".0355", 2, ".05"),
        )
    ],
    "bojkovic2024.grid": [
        {"features": 4, "radius": 3, "slope": "1.5", "grid_error": error, "D": d}
        for error, d in ((".2", 2), ("2", 4), ("7", 1), ("20", 2), ("0", 2), ("9", 2))
    ] + [{"features": 4, "radius": 0, "slope": "1.5", "grid_error": ".5", "D": 3}],
    "bojkovic2024.chi-square": [
        {"categories": k, "gamma": ".05", "n": 900, "delta": ".003", "inverse_shares": 16,
         "noise_sd": 6}
        for k in (4, 2, 1)
    ],
    "synthbounds.renyi-bounds": [
        {"tv": ".1", "beta": ".5", "tv2": ".2", "beta2": ".4"},
        {"tv": ".45", "beta": ".5", "tv2": ".2", "beta2": ".4"},
        {"tv": "0", "beta": "1", "tv2": "0", "beta2": "1"},
        {"tv": "0", "beta": "1.5", "tv2": "0", "beta2": "1"},
        {"tv": "0", "beta": "0", "tv2": "0", "beta2": "1"},
        {"tv": "2", "beta": ".5", "tv2": "0", "beta2": "1"},
        {"tv": "0", "beta": "1", "tv2": "0", "beta2": "1.5"},
        {"tv": "0", "beta": "1", "tv2": "0", "beta2": "0"},
    ],
}  # fmt: skip
FAMILY_NUMBERS = {
    "p": 6, "degree": 2, "gamma": ".05", "epsilon": ".3", "dp_delta": "1e-5", "n": 900, "k": 70, "observed": ".1",
    "delta": ".07", "K": 3, "rho": "1.7",
}  # fmt: skip


def askings(only: tuple[str, ...]) -> Iterator[tuple[str, Callable[[], list[str]]]]:
    """Label, and what finds its numbers."""
    for theorem in all_theorems().values():
        if only and theorem.id not in only:
            continue
        if theorem.direction == "value":
            for numbers in NUMBERS.get(theorem.id, [FAMILY_NUMBERS]):
                yield f"{theorem.id} at {json.dumps(numbers)}", partial(_values, theorem, numbers)
            continue
        for name, question in _questions(theorem):
            for edition in theorem.editions:
                for route in edition.routes:
                    label = f"{theorem.id} {edition.name} / {route.name} / {name}"
                    yield label, partial(_route, theorem, edition, route, question)


def entries(only: tuple[str, ...] = ()) -> Iterator[tuple[str, list[str]]]:
    """Label with numbers, or with the reason for a refusal, one by one."""
    return ((label, numbers()) for label, numbers in askings(only))


def difference(only: tuple[str, ...], first: Sequence[str] = ()) -> str | None:
    """A label of these theorems whose numbers are not those of the reviewed copy; it is looked for in `first` first."""
    reviewed = json.loads(FILE.read_text(encoding="utf-8"))
    found = dict(askings(only))
    for label in dict.fromkeys([*(label for label in first if label in found), *found]):
        if reviewed.get(label) != found[label]():
            return label
    return None


def _questions(theorem: Theorem) -> list[tuple[str, dict[str, Any]]]:
    rows = []
    for name, question in QUESTIONS.items():
        extended = dict(question)
        if "K" in theorem.inputs:
            extended["kappa"] = "3"
        if "tau1" in theorem.inputs:
            size = extended.get("t", 2) ** extended["p"]
            extended |= {"tau1": f"1/{2 * size}", "tau2": f"3/{size}"}
        if "L" in theorem.inputs:
            extended |= DENSITY
        rows.append((name, extended))
    rows += OWN.get(theorem.id, {}).items()
    if "L" in theorem.inputs:
        rows += CONTINUOUS.items()
    return rows


def _route(theorem: Theorem, edition: Edition, route: Route, question: dict[str, Any]) -> list[str]:
    try:
        setting = build_setting(continuous=theorem.measure == "kde", **question)
        require_inputs(theorem, (*theorem.inputs, *route.inputs), setting)
        outcome = run_route(theorem, edition, route, setting)
    except SynthboundsError as error:
        return [f"refused: {error}"]
    numbers = [f"{t.quantity} {t.threshold.decimal(DIGITS)[0]} {t.required}" for t in outcome.terms]
    formulas = [(d.name, d.formula) for d in derived_in_use(outcome)]
    if route.promise is not None:
        formulas += [(name, getattr(route.promise, name)) for name in ("accuracy", "failure", "privacy")]
    for name, formula in formulas:
        enclosure = enclose_formula(formula, route.derived, outcome.values, outcome.choices)
        numbers.append(f"{name} {enclosure.decimal(DIGITS)[0]}")
    q = Quantities(BALL, outcome.values)
    numbers += [f"{h.text}: {h.holds(q)}" for h in route.hypotheses if h.holds is not None]
    return numbers


def _values(theorem: Theorem, numbers: dict[str, Any]) -> list[str]:
    rows = []
    try:
        found = evaluate_value(theorem, numbers)
    except SynthboundsError as error:
        return [f"refused: {error}"]
    for row in found:
        value = row.reason if row.value is None else row.value.decimal(DIGITS)[0]
        rows.append(f"{row.edition} {row.route} {value} {row.integer}")
        rows += [f"violated: {text}" for text in row.violated]
    return rows


if __name__ == "__main__":
    sys.stdout.write(json.dumps(dict(entries()), indent=1, ensure_ascii=False) + "\n")
