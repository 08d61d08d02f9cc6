"""Schemas of one conclusion from a release, and of what each question adds to the conclusions."""

from __future__ import annotations

from typing import get_args

from bounds.certify.classes import FREE, INSIDE
from mechanisms.infer.findings import About, Kind
from mechanisms.infer.shares.noisy_share import Way
from mechanisms.infer.spectrum_answer import SPECTRUM_OF
from synthbounds.schemas.parts import (
    BOOLEAN,
    COUNT,
    DECIMAL,
    ESTIMATE,
    EXACT,
    INTEGER,
    SHOWN,
    TEXT,
    TEXTS,
    Fields,
    Schema,
    by_name,
    choice,
    const,
    many,
    maybe,
    obj,
    part,
)

ABOUT, KIND = choice(get_args(About)), choice(get_args(Kind))
ENDS = part(
    "conclusion_ends",
    obj({"lo": maybe(DECIMAL), "hi": maybe(DECIMAL)}),
    "Ends of an interval, rounded outwards; null if it is unbounded, or excludes nothing.",
)
CONCLUSION = part(
    "conclusion",
    obj(
        {
            "name": TEXT,
            "about": (ABOUT, "the records that were there, or what they were drawn from"),
            "kind": (KIND, "in which sense the level holds"),
            "level": (SHOWN, "coverage probability"),
            "estimate": (maybe(ESTIMATE), "from the noisy numbers"),
            "interval": ENDS,
            "certified": (BOOLEAN, "whether the ends are enclosed; else they are estimates"),
            "simultaneous": (BOOLEAN, "whether the level is that of all such intervals together"),
            "width_without_privacy": (
                maybe(ESTIMATE),
                "of the usual interval from exact numbers; null if none",
            ),
            "note": TEXT,
        }
    ),
    "One conclusion: where a number lies, about what, with which confidence and in which sense.",
)
PROOF: Fields = {"proof": (TEXT, "its page in docs/proofs")}
EVENT = part("event", obj({"column": TEXT, "values": TEXTS}), "Records with one of some values of a column.")
_GROUP = obj({"column": TEXT, "values": TEXTS, "records_est": ESTIMATE, "may_be_empty": BOOLEAN})
_SHARE_COMMON: Fields = {"size": INTEGER, "n_is_public": BOOLEAN, "statement": TEXT, "events": many(EVENT), **PROOF}
_SHARES = part(
    "details_of_shares",
    {
        "oneOf": [
            obj(
                {
                    **_SHARE_COMMON,
                    "asked": const("share"),
                    "noise": (choice(get_args(Way)), "what is known about the distribution of the noise"),
                    "tables": COUNT,
                    "noise_deviation_est": (maybe(ESTIMATE), "as a share"),
                    "effective_records_est": (maybe(ESTIMATE), "this many without noise say as much"),
                    "records_to_quote": (maybe(INTEGER), "to software that does not account for noise"),
                }
            ),
            obj(
                {
                    **_SHARE_COMMON,
                    "asked": const("share in a group"),
                    "given": EVENT,
                    "group_may_be_empty": BOOLEAN,
                    "tables": COUNT,
                }
            ),
            obj({**_SHARE_COMMON, "asked": const("difference"), "groups": many(_GROUP, 2, 2), "tables": COUNT}),
            obj(
                {
                    **_SHARE_COMMON,
                    "asked": const("share from rows"),
                    "rows": COUNT,
                    "share_of_rows": SHOWN,
                    "certificate": (TEXT, "what is certified about the rows"),
                    "bound_failure": (SHOWN, "probability that this fails"),
                }
            ),
        ]
    },
    "What belongs to a share, in a group, between groups, or from rows.",
)
_P_VALUE = obj({"value": ESTIMATE, "kind": KIND})
SHAPE: Fields = {
    "columns": TEXTS,
    "levels": many(COUNT),
    "n": (maybe(INTEGER), "null if it is private"),
    "least_size": maybe(INTEGER),
    "cell_sd": (maybe(ESTIMATE), "of the noise of a cell, in records"),
    "margin_sds": (many(ESTIMATE), "of a count of either column"),
    "tables": (many(COUNT), "that show it"),
}
_REAL = obj(
    {
        "verdict": choice(("yes", "no", "cannot be told")),
        "degrees": COUNT,
        "critical_est": ESTIMATE,
        "conclusions": many(CONCLUSION),
        **PROOF,
    }
)
_TESTS = part(
    "details_of_tests",
    obj(
        {
            **SHAPE,
            "test": choice(("independence", "fit")),
            "p_value": (ESTIMATE, "the one to quote, that of `p_simulated`"),
            "statistic_est": ESTIMATE,
            "degrees": COUNT,
            "critical_est": ESTIMATE,
            "p_asymptotic": _P_VALUE,
            "p_simulated": (_P_VALUE, "the p-value to quote, and what it is based on"),
            "simulations": COUNT,
            "seed": INTEGER,
            "rejects": BOOLEAN,
            "rests_on": TEXT,
            "p_ignoring_noise": (ESTIMATE, "not valid; for comparison"),
            "effect_ignoring_noise": maybe(ESTIMATE),
            "noncentrality_est": ESTIMATE,
            "power_est": (ESTIMATE, "against the effect that was seen"),
            "effective_size_est": ESTIMATE,
            "drowned": (TEXTS, "values whose count is below twice the deviation of its noise"),
            "real_table": (
                maybe(_REAL),
                "would the real table's test reject? null for a fit, and if noise is not nearly normal",
            ),
            "naive": TEXT,
            **PROOF,
        }
    ),
    "What belongs to a test.",
)
_SPECTRUM = part(
    "details_of_spectrum",
    obj(
        {
            "of": choice(SPECTRUM_OF),
            "rank": COUNT,
            "columns": TEXTS,
            "divisor": INTEGER,
            "n_is_public": BOOLEAN,
            "squared_norm": COUNT,
            "deviation_est": ESTIMATE,
            "components": many(
                obj(
                    {
                        "place": COUNT,
                        "weights": many(ESTIMATE),
                        "told": (BOOLEAN, "whether the gaps distinguish it from the others"),
                        "sine": (maybe(DECIMAL), "of its angle to the real one, at most"),
                    }
                )
            ),
            "classical": (
                obj({"radius": DECIMAL, "sine": maybe(DECIMAL), "span_sine": maybe(DECIMAL), "loss": DECIMAL}),
                "only from the norm of the noise, for comparison",
            ),
            "notes": TEXTS,
            **PROOF,
        }
    ),
    "What belongs to components.",
)
_EDGES = part(
    "details_of_edges",
    obj(
        {
            "nodes": TEXTS,
            "least": SHOWN,
            "n_is_public": BOOLEAN,
            "pairs": COUNT,
            "certain": COUNT,
            "certain_by_search": COUNT,
            "small": COUNT,
            "edges": many(
                obj(
                    {
                        "first": TEXT,
                        "second": TEXT,
                        "sign": (choice((-1, 0, 1)), "0 if it is not certain"),
                        "sign_by_search": (maybe(choice((-1, 0, 1))), "by sharper ends, which are estimates"),
                        "small": (BOOLEAN, "certainly at most `least` in absolute value"),
                    }
                )
            ),
            "untold": (
                many(
                    obj(
                        {
                            "column": TEXT,
                            "proved": BOOLEAN,
                            "weakest": many(obj({"column": TEXT, "weight_est": ESTIMATE})),
                        }
                    )
                ),
                "columns whose regression the noise leaves open",
            ),
            "notes": TEXTS,
            **PROOF,
        }
    ),
    "What belongs to edges.",
)
_SIGNS = part(
    "details_of_signs",
    obj(
        {
            "statement": TEXT,
            "beta": SHOWN,
            "loss": TEXT,
            "tau": maybe(EXACT),
            "ridge": maybe(EXACT),
            "intercept": choice((INSIDE, FREE)),
            "certain": COUNT,
            "coefficients": many(
                obj(
                    {
                        "name": TEXT,
                        "place": COUNT,
                        "trained": EXACT,
                        "sign": (choice((-1, 0, 1)), "0 if it is not certain"),
                        "bound": (maybe(DECIMAL), "below 0 if the sign is certain"),
                        "lower": maybe(EXACT),
                        "upper": maybe(EXACT),
                        "lower_is_of_class": (maybe(BOOLEAN), "whether the end says nothing about the table"),
                        "upper_is_of_class": maybe(BOOLEAN),
                    }
                )
            ),
        }
    ),
    "What belongs to signs.",
)
UNIT = maybe(obj({"factor": SHOWN, "text": TEXT}))
_REGRESSION = obj(
    {
        "formula": TEXT,
        "response": TEXT,
        "response_text": TEXT,
        "ridge": maybe(SHOWN),
        "any_formula": (BOOLEAN, "whether everything holds for all formulas at once, chosen afterwards"),
        "references": (TEXTS, "omitted indicators, with which others are compared"),
        "bounded": (BOOLEAN, "whether the set of all coefficients is bounded"),
        "signs_certain": (COUNT, "all at once"),
        "signal_est": (ESTIMATE, "least singular value of the equations, in units of their noise"),
        "unit_ball_factor_est": ESTIMATE,
        "coefficients": many(
            obj(
                {
                    "name": TEXT,
                    "first_order_est": (
                        maybe(obj({"lo": ESTIMATE, "hi": ESTIMATE, "deviation": ESTIMATE})),
                        "null if the set is unbounded, or holds for any formula",
                    ),
                    "unit": (UNIT, "conversion to the table's own units, by the factor"),
                }
            )
        ),
        "weakness": (
            maybe(
                obj(
                    {
                        "direction_est": (by_name(ESTIMATE), "the combination about which the equations say least"),
                        "unbounded_for_sure": BOOLEAN,
                        "signal_est": ESTIMATE,
                        "signal_needed": ESTIMATE,
                        "drop": (TEXTS, "without these there are bounds"),
                    }
                )
            ),
            "why there are no bounds; null if there are",
        ),
        "notes": TEXTS,
        **PROOF,
    }
)
_LASSO = obj(
    {
        "formula": TEXT,
        "response": TEXT,
        "penalty": SHOWN,
        "any_formula": (BOOLEAN, "whether everything holds for all formulas and penalties at once, chosen afterwards"),
        "bounded": BOOLEAN,
        "zero": (TEXTS, "coefficients that are certainly 0"),
        "chosen": (TEXTS, "regressors whose coefficient certainly is not"),
        "notes": TEXTS,
        **PROOF,
    }
)
DETAILS: dict[str, Schema] = {
    "proportion": _SHARES,
    "chi2": _TESTS,
    "fit": _TESTS,
    "pca": _SPECTRUM,
    "ols": part(
        "details_of_regression", {"oneOf": [_REGRESSION, _LASSO]}, "What belongs to least squares or the lasso."
    ),
    "edges": _EDGES,
    "signs": _SIGNS,
}
