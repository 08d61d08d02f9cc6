"""Schemas of what `infer --plan` says, by question."""

from __future__ import annotations

from synthbounds.schemas.inference_details import CONCLUSION, EVENT, PROOF, SHAPE, UNIT
from synthbounds.schemas.parts import (
    BOOLEAN,
    COUNT,
    DECIMAL,
    ESTIMATE,
    INTEGER,
    SHOWN,
    TEXT,
    TEXTS,
    Schema,
    const,
    many,
    maybe,
    obj,
    part,
)

_SHARE_PLAN = part(
    "share_plan",
    obj(
        {
            "events": many(EVENT),
            "given": maybe(EVENT),
            "size": INTEGER,
            "n_is_public": BOOLEAN,
            "epsilon": SHOWN,
            "dp_delta": maybe(SHOWN),
            "share": (SHOWN, "that is assumed"),
            "group_share": maybe(SHOWN),
            "level": SHOWN,
            "width_without_privacy": maybe(ESTIMATE),
            "releases": (
                many(
                    obj(
                        {
                            "name": TEXT,
                            "tables": COUNT,
                            "tables_used": COUNT,
                            "noise_deviation_est": maybe(ESTIMATE),
                            "table_width": ESTIMATE,
                            "population_width": ESTIMATE,
                            "effective_records_est": maybe(ESTIMATE),
                        }
                    ),
                    1,
                ),
                "the one that was asked for, and others to compare with",
            ),
            **PROOF,
        }
    ),
    "Planned: widths of a share.",
)
_TEST_PLAN = part(
    "test_plan",
    obj(
        {
            **SHAPE,
            "test": const("independence"),
            "about": const("population"),
            "level": SHOWN,
            "degrees": COUNT,
            "effect": (ESTIMATE, "Cramér's V to detect"),
            "expected": (CONCLUSION, "if the statistic equals its expectation"),
            "power_est": ESTIMATE,
            "least_power_est": ESTIMATE,
            "power_without_privacy_est": ESTIMATE,
            "worst_case_power_est": ESTIMATE,
            "effective_size_est": ESTIMATE,
            "tables_planned": COUNT,
            "power_alone_est": (ESTIMATE, "of a release of the one table"),
            "effective_size_alone_est": ESTIMATE,
            "wanted_power": ESTIMATE,
            "n_for_power": (maybe(INTEGER), "null if no number of records attains it"),
            "effect_for_power": (maybe(ESTIMATE), "null if no effect attains it"),
            **PROOF,
        }
    ),
    "Planned: power of a test.",
)
_SPECTRUM_PLAN = part(
    "spectrum_plan",
    obj(
        {
            "rank": COUNT,
            "level": SHOWN,
            "columns": COUNT,
            "n": maybe(INTEGER),
            "least_size": maybe(INTEGER),
            "squared_norm": COUNT,
            "deviation": DECIMAL,
            "radius": (DECIMAL, "all eigenvalues are within this of the noisy ones"),
            "largest_up": DECIMAL,
            "gap_needed": DECIMAL,
            "at": many(obj({"gap": SHOWN, "sine": maybe(DECIMAL), "loss": DECIMAL})),
            **PROOF,
        }
    ),
    "Planned: components.",
)
_REGRESSION_PLAN = part(
    "regression_plan",
    obj(
        {
            "formula": TEXT,
            "response": TEXT,
            "level": SHOWN,
            "ridge": maybe(SHOWN),
            "size": INTEGER,
            "size_is_exact": BOOLEAN,
            "bounded": BOOLEAN,
            "signal_est": ESTIMATE,
            "signal_needed": ESTIMATE,
            "least_eigenvalue_needed_est": ESTIMATE,
            "coefficients": (
                many(
                    obj(
                        {
                            "name": TEXT,
                            "alone_est": maybe(ESTIMATE),
                            "joint_est": maybe(ESTIMATE),
                            "population_est": maybe(ESTIMATE),
                            "without_privacy_est": maybe(ESTIMATE),
                            "unit": UNIT,
                        }
                    )
                ),
                "half-widths; null if there are no bounds",
            ),
            "notes": TEXTS,
            **PROOF,
        }
    ),
    "Planned: half-widths of coefficients.",
)
PLANS: dict[str, Schema] = {
    "proportion": _SHARE_PLAN,
    "chi2": _TEST_PLAN,
    "pca": _SPECTRUM_PLAN,
    "ols": _REGRESSION_PLAN,
}
