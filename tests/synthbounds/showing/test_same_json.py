"""to_dict() is the object that the command prints with --format json, except for files, which Python does not know."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import synthbounds as sb
from synthbounds.cli import main
from tests.synthbounds.showing.examples import SCHEMA, TABLE

ASKED = "--mode simulate --epsilon 20 --dp-delta 1e-6 --seed 1"
GIVEN = {"mode": "simulate", "epsilon": 20.0, "dp_delta": 1e-6, "seed": 1}


def _moments() -> Any:
    return sb.release_moments(TABLE, SCHEMA, label="insured", **GIVEN)


def _model() -> Any:
    return sb.train(_moments(), tau=2, points=100).model


PAIRS: dict[str, Callable[[], Any]] = {
    "require --p 10 --degree 2 --epsilon 0.2 --delta 0.05 --gamma 0.05": lambda: sb.require(
        p=10, degree=2, epsilon=0.2, delta=0.05, gamma=0.05
    ),
    "require --solve-for epsilon --n 2000 --p 10 --degree 2 --accuracy 0.4 --failure 0.2": lambda: sb.solve_for(
        "epsilon", n=2000, p=10, degree=2, accuracy=0.4, failure=0.2
    ),
    f"require --schema {SCHEMA} --degree 2 --epsilon 1 --accuracy 0.1 --failure 0.05": lambda: sb.require(
        schema=SCHEMA, degree=2, epsilon=1, accuracy=0.1, failure=0.05
    ),
    "compare --p 10 --degree 2 --epsilon 0.2 --delta 0.05 --gamma 0.05": lambda: sb.compare(
        p=10, degree=2, epsilon=0.2, delta=0.05, gamma=0.05
    ),
    "compare --features 10 --radius 1 --marginals 2 --marginal-error 0.01": lambda: sb.compare_risk(
        features=10, radius=1, marginals=2, marginal_error=0.01
    ),
    "risk --features 10 --radius 1.5 --marginals 2 --marginal-error 0.01": lambda: sb.risk(
        features=10, radius=1.5, marginals=2, marginal_error=0.01
    ),
    "approx --function logistic --interval -2.5,2.5 --degree 3": lambda: sb.approximate(
        "logistic", interval=(-2.5, 2.5), degree=3
    ),
    "renyi --nu zipf:4 --mu uniform:4": lambda: sb.renyi("zipf:4", "uniform:4"),
    "explain bojkovic2024.max-laplace": lambda: sb.explain("bojkovic2024.max-laplace"),
    "list --paper zhou2024": lambda: sb.theorems(paper="zhou2024"),
    "cite zhou2024": lambda: sb.cite("zhou2024"),
    "doctor": sb.doctor,
    "audit": sb.audit_subjects,
    "audit histogram-half-scale": lambda: sb.audit("histogram-half-scale"),
    "verify --falls bojkovic2024.C.noise-scale": lambda: sb.what_falls("bojkovic2024.C.noise-scale"),
    "verify --export claims.json": sb.export_claims,
    f"schema {TABLE} --output draft.json": lambda: sb.describe_table(TABLE),
    f"release moments {TABLE} --schema {SCHEMA} --label insured {ASKED} --output r.json": _moments,
    f"release marginals {TABLE} --schema {SCHEMA} {ASKED} --output m.json": lambda: sb.release_marginals(
        TABLE, SCHEMA, **GIVEN
    ),
    f"release floors {TABLE} --schema {SCHEMA} --label insured --tau 0.5 2 {ASKED} --output f.json": (
        lambda: sb.release_floors(TABLE, SCHEMA, label="insured", tau=[0.5, 2], **GIVEN)
    ),
    f"release distance {TABLE} {TABLE} --schema {SCHEMA} --label insured --mode simulate --epsilon 9 --seed 1 "
    "--output d.json": lambda: sb.release_distance(
        TABLE, TABLE, schema=SCHEMA, label="insured", mode="simulate", epsilon=9.0, seed=1
    ),
    f"release accuracy {TABLE} {TABLE} --workload pairs --schema {SCHEMA} --mode simulate --epsilon 9 --seed 1 "
    "--output a.json": lambda: sb.release_accuracy(
        TABLE, TABLE, workload="pairs", schema=SCHEMA, mode="simulate", epsilon=9.0, seed=1
    ),
    f"synth {TABLE} --schema {SCHEMA} {ASKED} --synthetic s.csv": lambda: sb.synthesize(TABLE, SCHEMA, **GIVEN),
    f"synth {TABLE} --schema {SCHEMA} --method lp {ASKED} --synthetic lp.csv": lambda: sb.synthesize(
        TABLE, SCHEMA, method="lp", **GIVEN
    ),
    "train r.json --tau 2 --points 100 --output t.json": lambda: sb.train(_moments(), tau=2.0, points=100),
    "certify r.json t.json": lambda: sb.certify(_moments(), _model()),
    "certify m.json t.json --label insured": lambda: sb.certify_marginals(
        sb.release_marginals(TABLE, SCHEMA, **GIVEN), _model(), label="insured"
    ),
    "certify d.json t.json": lambda: sb.certify_distance(
        sb.release_distance(TABLE, TABLE, schema=SCHEMA, label="insured", mode="simulate", epsilon=9, seed=1), _model()
    ),
    "certify --plan --features 4 --n 20000 --epsilon 1": lambda: sb.plan(features=4, n=20_000, epsilon=1),
    f"plan --schema {SCHEMA} --n 10000": lambda: sb.plan_release(SCHEMA, n=10_000),
    f"evaluate {TABLE} {TABLE} --schema {SCHEMA}": lambda: sb.evaluate_table(TABLE, TABLE, schema=SCHEMA),
    f"improve {TABLE} --release m.json": lambda: sb.improve(
        TABLE, release=sb.release_marginals(TABLE, SCHEMA, **GIVEN)
    ),
    "regress r.json --loss squared --output l.json": lambda: sb.regress(_moments(), loss="squared"),
    "infer m.json --proportion insured=yes": lambda: sb.infer_proportion(
        sb.release_marginals(TABLE, SCHEMA, **GIVEN), "insured=yes"
    ),
    "infer m.json --chi2 owns:insured --level 0.9": lambda: sb.infer_independence(
        sb.release_marginals(TABLE, SCHEMA, **GIVEN), "owns:insured", level=0.9
    ),
    "infer r.json --pca 1": lambda: sb.infer_components(_moments(), 1),
    "infer r.json --edges": lambda: sb.infer_edges(_moments()),
    f"infer --plan --schema {SCHEMA} --proportion insured=yes --n 4000 --epsilon 1": lambda: sb.plan_proportion(
        SCHEMA, proportion="insured=yes", n=4000, epsilon=1
    ),
}
"""In this order: later commands read what earlier ones wrote."""
MACHINE = {"seconds", "cpu_seconds_est"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("commands")


def _compared(printed: Any, said: Any) -> tuple[Any, Any]:
    """Both without files, of which Python has None, and what a clock said."""
    if isinstance(printed, dict) and isinstance(said, dict):
        assert printed.keys() == said.keys()
        both = {name: _compared(printed[name], said[name]) for name in printed if name not in MACHINE}
        return {n: a for n, (a, _) in both.items()}, {n: b for n, (_, b) in both.items()}
    if isinstance(printed, list) and isinstance(said, list) and len(printed) == len(said):
        pairs = [_compared(a, b) for a, b in zip(printed, said, strict=True)]
        return [a for a, _ in pairs], [b for _, b in pairs]
    is_file = said is None and isinstance(printed, str) and (printed.endswith((".json", ".csv")))
    return (None, None) if is_file else (printed, said)


def test_commands_and_functions_say_the_same(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    for line, ask in PAIRS.items():
        assert main([*line.split(), "--format", "json"]) in (0, 1), capsys.readouterr().err
        printed, said = _compared(json.loads(capsys.readouterr().out), json.loads(json.dumps(ask().to_dict())))
        printed["inputs"] = {name: _number(text) for name, text in printed["inputs"].items()}
        said["inputs"] = {name: _number(text) for name, text in said["inputs"].items()}
        assert said == printed, line


def _number(text: str) -> str:
    """A float shows a point, and an exponent of two digits."""
    try:
        return repr(float(text))
    except ValueError:
        return ",".join(map(_number, text.replace(", ", ",").split(","))) if "," in text else text
