"""One answer of every type in the public API, each made once, and the command that says the same."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import synthbounds as sb
from tests.paths import ROOT

INPUTS = ROOT / "tests" / "recorded" / "inputs"
TABLE, SCHEMA = str(INPUTS / "people.csv"), str(INPUTS / "people.schema.json")
SIMULATED = {"mode": "simulate", "epsilon": "2", "dp_delta": "1e-6", "seed": "1"}
LARGE = {**SIMULATED, "epsilon": "50"}
"""Of which something can be concluded."""
SIZES = {"p": "10", "degree": "2", "epsilon": "0.2", "delta": "0.05", "gamma": "0.05"}
RISK = {"features": "10", "radius": "1", "marginals": "2", "marginal_error": "0.01"}
OF_PRIVATE = {"features": "10", "radius": "1", "epsilon": "1", "dp_delta": "1e-6", "failure": "1/1048576"}


@cache
def moments() -> Any:
    return sb.release_moments(TABLE, SCHEMA, label="insured", **LARGE)


@cache
def marginals() -> Any:
    return sb.release_marginals(TABLE, SCHEMA, **LARGE)


@cache
def training() -> Any:
    return sb.train(moments(), tau="2", points="200")


@cache
def distance() -> Any:
    return sb.release_distance(TABLE, TABLE, schema=SCHEMA, label="insured", mode="simulate", epsilon="9", seed="1")


@cache
def reserving() -> Any:
    return sb.release_floors(TABLE, SCHEMA, label="insured", tau=["2"], reserve="1/2", **LARGE)


@cache
def excess() -> Any:
    return sb.confirm(TABLE, reserving(), training().model, ask="excess")


MADE: dict[str, Callable[[], Any]] = {
    "require": lambda: sb.require(**SIZES),
    "solve_for": lambda: sb.solve_for("epsilon", n="2000", **{n: v for n, v in SIZES.items() if n != "epsilon"}),
    "compare": lambda: sb.compare(**SIZES),
    "lower_bound": lambda: sb.lower_bound(p=10, epsilon="0.2", accuracy="0.4", failure="0.05"),
    "sweep": lambda: sb.sweep(sb.require, **{**SIZES, "epsilon": ["0.1", "0.2"]}),
    "sweep_estimates": lambda: sb.sweep_estimates(
        "bojkovic2024.uniform", p=3, degree=2, epsilon=[0.2, 0.4], delta=0.5, gamma=0.25
    ),
    "risk": lambda: sb.risk(**RISK),
    "risk_of_private": lambda: sb.risk(target="0.1", **OF_PRIVATE),
    "compare_risk": lambda: sb.compare_risk(**RISK),
    "query_lower_bound": lambda: sb.query_lower_bound(query_constant="1"),
    "approximate": lambda: sb.approximate("logistic", interval="-3,3", degree="4"),
    "renyi": lambda: sb.renyi("zipf:4", "uniform:4"),
    "perturbed_histogram": lambda: sb.perturbed_histogram("uniform:4", n="50", epsilon="1"),
    "check": lambda: sb.check(str(INPUTS / "damaged.model.json")),
    "theorems": sb.theorems,
    "theorem": lambda: sb.theorem("bojkovic2024.uniform"),
    "explain": lambda: sb.explain("bojkovic2024.max-laplace", at="sigma=1,count=256,gamma=0.05"),
    "evaluate": lambda: sb.evaluate("bojkovic2024.max-laplace", sigma=1, count=256, gamma=0.05),
    "cite": lambda: sb.cite("bojkovic2024"),
    "doctor": sb.doctor,
    "describe_table": lambda: sb.describe_table(TABLE),
    "draft_schema": lambda: sb.draft_schema(TABLE),
    "release_moments": moments,
    "release_marginals": marginals,
    "release_floors": reserving,
    "release_distance": distance,
    "release_accuracy": lambda: sb.release_accuracy(
        TABLE, TABLE, workload="pairs", schema=SCHEMA, mode="simulate", epsilon="1", seed="1"
    ),
    "synthesize": lambda: sb.synthesize(TABLE, SCHEMA, **SIMULATED),
    "synthesize_lp": lambda: sb.synthesize(TABLE, SCHEMA, method="lp", **SIMULATED),
    "train": training,
    "model": lambda: training().model,
    "over_tau": lambda: sb.over_tau(training()),
    "train_marginals": lambda: sb.train_marginals(marginals(), label="insured", points="200"),
    "train_table": lambda: sb.train_table(TABLE, schema=SCHEMA, label="insured"),
    "certify": lambda: sb.certify(moments(), training().model),
    "improvements": lambda: sb.improvements(sb.certify(moments(), training().model)),
    "certify_marginals": lambda: sb.certify_marginals(marginals(), training().model, label="insured"),
    "certify_distance": lambda: sb.certify_distance(distance(), training().model),
    "certify_excess": lambda: sb.certify_excess(excess().release, excess().query, training().model),
    "confirm": excess,
    "query": lambda: excess().query,
    "plan": lambda: sb.plan(features="4", n="20000", epsilon="1"),
    "plan_release": lambda: sb.plan_release(SCHEMA, n="10000"),
    "evaluate_table": lambda: sb.evaluate_table(TABLE, TABLE, schema=SCHEMA),
    "improve": lambda: sb.improve(TABLE, release=marginals()),
    "regress": lambda: sb.regress(moments(), loss="squared"),
    "infer_proportion": lambda: sb.infer_proportion(marginals(), "insured=yes"),
    "infer_given": lambda: sb.infer_proportion(marginals(), "insured=yes", given="owns=yes"),
    "infer_difference": lambda: sb.infer_proportion(marginals(), "insured=yes", difference="owns"),
    "infer_independence": lambda: sb.infer_independence(marginals(), "owns:insured"),
    "would_real_table_reject": lambda: sb.would_real_table_reject(marginals(), "owns:insured"),
    "infer_components": lambda: sb.infer_components(moments(), "1"),
    "infer_coefficients": lambda: sb.infer_coefficients(moments(), "insured ~ married + owns"),
    "infer_lasso": lambda: sb.infer_lasso(moments(), "insured ~ married + owns", lasso="0.1"),
    "infer_edges": lambda: sb.infer_edges(moments()),
    "infer_signs": lambda: sb.infer_signs(moments(), training().model),
    "plan_proportion": lambda: sb.plan_proportion(
        SCHEMA, proportion="insured=yes", n="4000", epsilon="1", dp_delta="1e-6"
    ),
    "plan_independence": lambda: sb.plan_independence(
        SCHEMA, chi2="owns:insured", effect="0.1", n="4000", epsilon="1", dp_delta="1e-6"
    ),
    "plan_components": lambda: sb.plan_components(SCHEMA, pca="1", n="4000", epsilon="1", dp_delta="1e-6"),
    "plan_coefficients": lambda: sb.plan_coefficients(
        SCHEMA, ols="insured ~ owns", n="4000", epsilon="1", dp_delta="1e-6"
    ),
    "verify": lambda: sb.verify(id="bojkovic2024.A5"),
    "what_falls": lambda: sb.what_falls("bojkovic2024.C.noise-scale"),
    "export_claims": sb.export_claims,
    "audit": lambda: sb.audit("histogram-half-scale"),
    "audit_subjects": sb.audit_subjects,
    "known_figures": lambda: sb.known_figures(["zhou2024-figure1a"]),
}


@cache
def made(name: str) -> Any:
    return MADE[name]()
