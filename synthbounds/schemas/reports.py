"""Schemas of reports on tables and releases: synth and release."""

from __future__ import annotations

from bounds.queries import FAMILIES
from lp.synthesis.parameters import SYNTH_PARAMETERS
from mechanisms.synth.log_summary import ANSWERS, CHOICES, DISTANCE, ONE_WAY, WIDER
from mechanisms.synth.parameters import INDEPENDENT, LOGGED, LP
from mechanisms.synth.parameters import MOMENTS as MOMENTS_METHOD
from release.floors.planned import FLOORS
from release.marginals.file import MARGINALS
from release.moments.file import MOMENTS
from release.noise.kinds import LATTICE_KINDS, PLAN_KINDS
from release.reserving import OPEN, SPENT
from synthbounds.schemas.accounts import IN_ACCOUNT
from synthbounds.schemas.files import LOSS
from synthbounds.schemas.parts import (
    BOOLEAN,
    COUNT,
    DECIMAL,
    DIGEST,
    ENCLOSURE,
    FRACTION,
    INTEGER,
    IS_SIMULATED,
    MODE,
    NORM,
    SHORT_DIGEST,
    SHOWN,
    SIZE_IS_SAID,
    SIZES,
    STAMP,
    TEXT,
    TEXTS,
    THEOREM,
    Fields,
    Schema,
    by_name,
    choice,
    const,
    many,
    maybe,
    obj,
    output,
)

MADE: Fields = {"mode": MODE, "stamp": STAMP}
SEED: Fields = {"seed": (maybe(INTEGER), "of a simulation")}
_MECHANISM = choice(LATTICE_KINDS)
MAYBE_DECIMAL, MAYBE_SHOWN = maybe(DECIMAL), maybe(SHOWN)
_CHOICE = obj({"reason": (maybe(TEXT), "why this method"), "advice": (maybe(TEXT), "what would give more")})
_PRIVATE_TABLE: Fields = {
    "method": choice((MOMENTS_METHOD, INDEPENDENT)),
    "choice": _CHOICE,
    **MADE,
    **SIZES,
    "synthetic": (TEXT, "the file of the table"),
    "release": (TEXT, "the file of the noisy numbers behind it"),
    "release_digest": DIGEST,
    "distance": (maybe(TEXT), "the file of how far it is from the real one, if that was paid for"),
    "k": (INTEGER, "rows of the synthetic table"),
    "distinct": (COUNT, "of them"),
    "epsilon": SHOWN,
    "dp_delta": MAYBE_SHOWN,
    "spent": (BOOLEAN, "not in a simulation"),
    "known": (
        obj(
            {
                "failure_probability": SHOWN,
                "largest_share_error": DECIMAL,
                "share_errors": by_name(DECIMAL),
                "largest_moment_error": (MAYBE_DECIMAL, "null if no products were measured"),
                "theorem": THEOREM,
            }
        ),
        "certified, from the release alone",
    ),
    "fit": maybe(obj({"stages": COUNT, "effective_share_est": DECIMAL, "residual_est": DECIMAL})),
    **SEED,
}
_LOG_TABLE: Fields = {
    **_PRIVATE_TABLE,
    "method": choice(LOGGED),
    "release": (TEXT, "the file of the log"),
    "distance": (maybe(TEXT), "the file of the log again, if it contains how far the table is from the real one"),
    "spent": (BOOLEAN, "not in a simulation, and not for rows that are redrawn"),
    "redrawn": (BOOLEAN, "whether the rows are from an existing log"),
    "settings": (by_name(TEXT), "of the method, as in the log"),
    "rounds": (COUNT, "choices of what to measure next"),
    "measured_tables": COUNT,
    "measured_cells": COUNT,
    "measured_queries": (COUNT, "in addition to tables"),
    "measured_answers": COUNT,
    "rho": (DECIMAL, "the whole budget"),
    "rho_spent": (DECIMAL, "of it, by the log"),
    "rho_parts": (
        obj({}, dict.fromkeys((ONE_WAY, WIDER, ANSWERS, CHOICES, DISTANCE), (DECIMAL, "share of the budget"))),
        "where it went",
    ),
    "dual_gap": (maybe(ENCLOSURE), "of the fitted model, in nats; null if it has none, or none that is certified"),
    "l1_to_optimum": (MAYBE_DECIMAL, "no marginal of the model is farther from that of the log's own estimate"),
    "table_errors": (
        many(obj({"columns": TEXTS, "largest_share_error": DECIMAL})),
        "of the measured tables of several columns; certified",
    ),
    "query_errors": (
        many(obj({"queries": TEXT, "largest_error": DECIMAL})),
        "of the measured queries, by their workload; certified",
    ),
}
_SYNTH: Fields = {
    "method": const(LP),
    "choice": _CHOICE,
    **MADE,
    **SIZES,
    "synthetic": (TEXT, "the file of the table"),
    "k": (INTEGER, "rows of the synthetic table"),
    "family": choice(FAMILIES),
    "degree": COUNT,
    "queries": (INTEGER, "without the constant"),
    "domain_size": INTEGER,
    "measure": (choice(SYNTH_PARAMETERS["measure"].choices), "of the reference points"),
    "points": (TEXT, "the reference points, in words"),
    "columns": (COUNT, "distinct reference points"),
    "optimum": (ENCLOSURE, "the least distance of a density to the noisy answers"),
    "gap": (DECIMAL, "how far the density can be from the optimum"),
    "within": (MAYBE_DECIMAL, "the same as a share of the optimum; null if nothing bounds it from below"),
    "foreseen": (
        obj({"cpu_seconds_est": DECIMAL, "megabytes_est": COUNT}),
        "what programme and rows should take, only from public sizes",
    ),
    "support": (COUNT, "distinct rows of the synthetic table"),
    "solver": TEXT,
    "rows": (choice(SYNTH_PARAMETERS["rows"].choices), "how the rows were made"),
    "rows_reason": (maybe(TEXT), "why not as requested; null if they were"),
    "epsilon_spent": MAYBE_DECIMAL,
    "dp_delta_spent": MAYBE_DECIMAL,
    "noise": obj(
        {
            "mechanism": choice(PLAN_KINDS),
            "scale": (ENCLOSURE, "on contrasts for Gaussian noise: of one whose relative variance is 1"),
            "sensitivity": obj(
                {"norm": NORM, "steps": (FRACTION, "in L2 the square; on contrasts over relative variances")}
            ),
            "steps_per_unit": INTEGER,
            "quantile": (DECIMAL, "no answer is off by more, except with the failure probability"),
            "alternatives": many(obj({"mechanism": choice(PLAN_KINDS), "quantile": DECIMAL})),
        }
    ),
    "certificate": (
        obj(
            {
                "vacuous": BOOLEAN,
                "reason": maybe(TEXT),
                "accuracy": DECIMAL,
                "observed": DECIMAL,
                "noise": DECIMAL,
                "failure_probability": SHOWN,
                "least_size": maybe(INTEGER),
                "theorem": THEOREM,
            }
        ),
        "after the fact, for any data",
    ),
    "theorem": maybe(THEOREM),
    "promise": (
        obj(
            {
                "kept": BOOLEAN,
                "reason": maybe(TEXT),
                "accuracy": MAYBE_DECIMAL,
                "failure_probability": SHOWN,
                "any_data": BOOLEAN,
                "route": TEXT,
                "required_n": maybe(INTEGER),
                "hypotheses": TEXTS,
            }
        ),
        "in advance, by the theorem",
    ),
    **SEED,
}
RELEASED: Fields = {
    **MADE,
    **SIZES,
    "release": (TEXT, "the file that contains it"),
    "digest": (DIGEST, "of the file"),
    **SEED,
}
_MOMENTS: Fields = {
    "kind": const(MOMENTS),
    **RELEASED,
    "features": many(TEXT, 1),
    "label": TEXT,
    "positive": (maybe(TEXT), "the value of the label that counts as +1; null if it is a number"),
    "label_range": (maybe(many(SHOWN, 2, 2)), "the numbers that count as -1 and +1; null for a label of two values"),
    "squared_norm": (COUNT, "the largest of a record's features"),
    "feature_map_digest": DIGEST,
    "epsilon": (SHOWN, "in total"),
    "dp_delta": SHOWN,
    "epsilon_spent": (MAYBE_DECIMAL, "only by the release; null in a simulation"),
    "mu_squared": (DECIMAL, "of Gaussian privacy, in total"),
    "mu_squared_spent": MAYBE_DECIMAL,
    "reserve": (SHOWN, "the share that is reserved"),
    "reservation": maybe(obj({"mu_squared": DECIMAL, "state": choice((OPEN, SPENT)), "id": SHORT_DIGEST})),
    "weight": SHOWN,
    "fourth_weight": MAYBE_SHOWN,
    "sensitivity": obj({"norm": const("L2"), "squared": DECIMAL}),
    "noise": (
        many(obj({"of": TEXT, "entries": COUNT, "sum": (DECIMAL, "in steps"), "mean": DECIMAL})),
        "standard deviations",
    ),
    "radii": maybe(obj({"first": DECIMAL, "second": DECIMAL, "failure": SHOWN})),
}
_FLOORS: Fields = {
    "kind": const(FLOORS),
    **RELEASED,
    **{
        name: _MOMENTS[name]
        for name in (
            "features",
            "label",
            "positive",
            "squared_norm",
            "feature_map_digest",
            "epsilon",
            "dp_delta",
            "mu_squared",
            "mu_squared_spent",
            "reserve",
            "reservation",
        )
    },
    "loss": LOSS,
    "beta": (SHOWN, "the failure probability of everything that follows together"),
    "floors": many(
        obj(
            {
                "tau": (SHOWN, "the largest norm"),
                "least_loss": (maybe(ENCLOSURE), "mean, certified; null with a contradiction"),
                "moved": (DECIMAL, "by one record, at most: the least sum of losses"),
                "noise_deviation": (DECIMAL, "of the mean"),
            }
        ),
        1,
    ),
    "constant_risk_lower": (MAYBE_DECIMAL, "of every constant score; null with a contradiction"),
    "contradiction": (maybe(TEXT), "why the noisy counts refute the least size: then nothing is certified"),
}
_MARGINALS: Fields = {
    "kind": const(MARGINALS),
    **RELEASED,
    "epsilon": SHOWN,
    "dp_delta": (MAYBE_SHOWN, "null for purely private noise"),
    "mechanism": _MECHANISM,
    "sensitivity": obj({"norm": NORM, "amount": (FRACTION, "in steps; in L2 the square")}),
    "beta": (SHOWN, "the failure probability of a radius"),
    "radius": (DECIMAL, "every cell is within it of its true share"),
    "cells": COUNT,
    "tables": (many(many(TEXT, 1, 2), 1), "the columns of every table"),
}
_SIZED = [IS_SIMULATED, SIZE_IS_SAID]
REPORTS: dict[str, tuple[str, str, Schema]] = {
    "output-synth-table": (
        "synth",
        "A synthetic table by moments or by one-way tables.",
        output("synth", _PRIVATE_TABLE, IN_ACCOUNT, rules=_SIZED),
    ),
    "output-synth-log": (
        "synth",
        "A synthetic table from a log of noisy tables.",
        output("synth", _LOG_TABLE, IN_ACCOUNT, rules=_SIZED),
    ),
    "output-synth": ("synth", "A synthetic table.", output("synth", _SYNTH, IN_ACCOUNT, rules=_SIZED)),
    "output-release-moments": (
        "release moments",
        "On a release of moments; the release itself is a file.",
        output("release", _MOMENTS, IN_ACCOUNT, rules=_SIZED),
    ),
    "output-release-floors": (
        "release floors",
        "On a release of floors; the release itself is a file.",
        output("release", _FLOORS, IN_ACCOUNT, rules=_SIZED),
    ),
    "output-release-marginals": (
        "release marginals",
        "On a release of marginals; the release itself is a file.",
        output("release", _MARGINALS, IN_ACCOUNT, rules=_SIZED),
    ),
}
