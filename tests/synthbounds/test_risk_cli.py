"""The command about excess risk: its JSON, its warnings, its formats, and bad input of every kind."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from synthbounds.cli import main

KNOWN = {"features": "10", "radius": "1", "marginals": "2", "marginal-error": "0.01", "intercept": "0"}
PRIVATE = {
    "features": "10", "radius": "1", "epsilon": "1", "dp-delta": "1e-6", "failure": "0.01", "target": "0.1",
    "intercept": "0",
}  # fmt: skip


def risk(base: dict[str, str], **changes: str | None) -> list[str]:
    options = {**base, **{name.replace("_", "-"): value for name, value in changes.items()}}
    return ["risk", *(f"--{name}={value}" for name, value in options.items() if value is not None)]


def known(**changes: str | None) -> list[str]:
    return risk(KNOWN, **changes)


def private(**changes: str | None) -> list[str]:
    return risk(PRIVATE, **changes)


BAD: list[tuple[list[str], int, str]] = [
    (known(tau="0", radius=None), 2, "tau = 0: must be"),
    (known(tau="-1", radius=None), 2, "tau = -1"),
    (known(tau="1"), 2, "tau or --radius, not both"),
    (known(radius=None), 2, "tau is missing"),
    (known(radius="0"), 2, "radius = 0"),
    (known(radius="-2"), 2, "radius = -2"),
    (known(radius="nan"), 2, "radius = nan"),
    (known(radius="1e5"), 2, "radius = 1e5"),
    (known(tau="500", features="100", radius=None), 4, "R = 5000"),
    (known(features="0"), 2, "features = 0"),
    (known(features="2.5"), 2, "features = 2.5"),
    (known(features=None), 2, "features is missing"),
    (known(marginals="12"), 2, "marginals = 12: must be at most 11 (there are 11 attributes"),
    (known(marginals="0"), 2, "marginals = 0"),
    (known(marginals=None), 2, "marginals is missing"),
    (known(marginal_error="-0.1"), 2, "marginal_error = -0.1"),
    (known(marginal_error="2.1"), 2, "two distributions are at most 2 apart"),
    (known(marginal_error="x"), 2, "marginal_error = 'x'"),
    (known(intercept="-1"), 2, "intercept = -1"),
    (known(optimisation_gap="-1"), 2, "optimisation_gap = -1"),
    (known(loss="no such loss"), 2, "loss = no such loss"),
    (known(loss="log(x)"), 4, "loss = log(x): has no finite value"),
    (known(loss="abs(x-1/3)^3*(x-0.1)/x"), 4, "loss = abs(x-1/3)^3*(x-0.1)/x: has no finite value at x = 0"),
    (known(levels="3"), 2, "levels is for private marginals"),
    (known(adjacency="add-remove"), 2, "adjacency is for private marginals"),
    (known(solve_for="epsilon"), 2, "solve_for is for private marginals"),
    (known(loss=""), 2, "loss is blank"),
    (known(edition="best"), 2, "edition = best"),
    (known(theorem="zhou2024.nothing"), 2, "is not known"),
    (known(theorem="bojkovic2024.uniform"), 2, "does not bound excess risk"),
    (known(theorem="zhou2024.logistic", loss="hinge"), 4, "is for the logistic loss"),
    (known(theorem="zhou2024.logistic-private"), 2, "needs private marginals"),
    (known(approximation="best"), 2, "approximation = best"),
    (known(approximation="minimax", edition="printed"), 2, "approximation is for the sharp edition"),
    (known(approximation="optimal", marginal_error="1"), 4, "from a marginal error of 1 on"),
    (known(approximation="minimax", marginals="1"), 4, "marginals = 1"),
    (known(epsilon="1"), 2, "epsilon is for private marginals"),
    (known(target="0.1"), 2, "target needs private marginals"),
    (known(n="100"), 2, "n is for --nu"),
    (known(k="100"), 2, "k is for --nu"),
    (known(nu="3"), 2, "marginal-error or --nu, not both"),
    (known(nu="3", marginal_error=None), 2, "n is missing"),
    (known(nu="1", n="100", k="200", marginal_error=None), 2, "nu = 1: must be at least |n - k| = 100"),
    (known(nu="300", n="100", marginal_error=None), 2, "nu = 300: must be at most 200"),
    (["explain", "zhou2024.sensitivity", "--at", "features=3,order=2,epsilon=0,dp_delta=.1"], 4, "epsilon is positive"),
    (["explain", "zhou2024.risk-approximation", "--at", "slope=1,radius=1,order=1e15"], 2, "order = 1e15"),
    (["explain", "zhou2024.bernstein-lipschitz", "--at", "slope=1,width=1,D=1e15"], 2, "D = 1e15"),
    (known(release="moments", marginals=None), 2, "release moments is for private releases"),
    (private(release="moments", edition="printed"), 2, "moments have a sharp edition only"),
    (private(release="moments", levels="5"), 2, "levels = 5: moments are for features that are -1 or 1"),
    (known(theorem=""), 2, "theorem is blank"),
    (["compare", *private(solve_for="epsilon", epsilon=None, n="20000")[1:]], 2, "solve_for is for `synthbounds risk`"),
    (known(release="tables"), 2, "release = tables"),
    (known(edition="printed", marginals="1"), 4, "order is at least 2"),
    (known(edition="corrected", intercept="1"), 4, "models without one"),
    (known(log_n="5"), 2, "log_n is for --theorem zhou2024.lower"),
    (private(failure="0"), 2, "failure = 0"),
    (private(failure="1"), 2, "failure = 1: must be"),
    (private(failure="1.5"), 2, "failure = 1.5"),
    (private(failure=None), 2, "failure is missing"),
    (private(dp_delta="1"), 2, "dp_delta = 1"),
    (private(dp_delta="2"), 2, "dp_delta = 2"),
    (private(dp_delta="0"), 2, "dp_delta = 0"),
    (private(dp_delta=None), 2, "dp_delta is missing"),
    (private(epsilon="0"), 2, "epsilon = 0"),
    (private(epsilon=None), 2, "epsilon is missing"),
    (private(levels="1"), 2, "levels = 1"),
    (private(n="100"), 2, "not both"),
    (private(target=None), 2, "n is missing"),
    (private(target="0"), 2, "target = 0"),
    (private(target="-1"), 2, "target = -1"),
    (private(target="1e-9", marginals="2"), 4, "no number of records is enough"),
    (private(edition="printed", marginals="2"), 4, "no number of records is enough"),
    (private(edition="corrected", epsilon="9", marginals="9", target="0.5"), 4, "epsilon is small enough"),
    (private(adjacency="add-remove"), 4, "adjacency = add-remove"),
    (private(adjacency="sideways"), 2, "adjacency = sideways"),
    (private(solve_for="epsilon"), 2, "epsilon is given"),
    (private(solve_for="n"), 2, "solve-for = n"),
    (private(solve_for="epsilon", epsilon=None), 2, "needs --n and --target"),
    (private(release="moments", intercept="1"), 2, "count it as one more feature"),
    (private(release="moments", marginals="2"), 2, "marginals is not for --release moments"),
    (private(release="moments", target="0.001"), 4, "moments carry degree 2"),
    (["risk", "--theorem", "zhou2024.lower", "--features", "3"], 2, "features is not for zhou2024.lower"),
    (["risk", "--theorem", "zhou2024.lower", "--query-constant", "0"], 2, "query_constant = 0"),
    (["risk", "--theorem", "zhou2024.lower", "--log-n", "-1"], 2, "log_n = -1"),
    (["risk"], 2, "features is missing"),
    (["compare", "--features", "10", "--measure", "uniform"], 2, "measure is for sizes"),
    (["compare", "--radius", "1"], 2, "radius is for bounds on excess risk"),
    (["compare", "--features", "10"], 2, "tau is missing"),
]


@pytest.mark.parametrize(
    ("arguments", "code", "words"), BAD, ids=lambda v: " ".join(v)[:80] if isinstance(v, list) else None
)
def test_bad_input(
    arguments: list[str], code: int, words: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main([*arguments, "--output", str(tmp_path / "answer.txt")]) == code
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("synthbounds: error: ")
    assert said.err.count("\n") == 1
    assert words in said.err
    assert len(said.err) < 400
    assert list(tmp_path.iterdir()) == []


def answer(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[dict[str, Any], str]:
    assert main([*arguments, "--format", "json"]) == 0
    said = capsys.readouterr()
    found: dict[str, Any] = json.loads(said.out)
    return found, said.err


def test_json_contract(capsys: pytest.CaptureFixture[str]) -> None:
    found, warnings = answer(known(), capsys)
    assert warnings == ""
    contract = {"theorem", "edition", "bound", "terms", "polynomial", "trivial_bound", "vacuous", "required_n"}
    assert contract <= found.keys()
    assert {"method", "degree", "error", "coefficient_sum"} <= found["polynomial"].keys()
    assert found["polynomial"]["orders"] == {"features": 2, "with_label": 2}
    assert found["required_n"] is None
    assert {t["name"] for t in found["terms"]} == {"approximation", "marginals"}
    low, high = (Fraction(found["bound"][end]) for end in ("lo", "hi"))
    assert 0 < low <= high < low * (1 + Fraction(1, 10**9))
    assert Fraction(found["lower_bound"]["value"]["lo"]) <= high
    found, _ = answer(private(), capsys)
    assert found["required_n"] == found["n"] == found["certificate"]["value"]
    assert found["smallest_proved"]
    assert found["release"]["adjacency"] == "replace-one"
    assert found["release"]["n_is_public"] is True
    huge, _ = answer(private(edition="corrected", marginals="8", target="0.5"), capsys)
    assert isinstance(huge["required_n"], str)


def test_warnings(capsys: pytest.CaptureFixture[str]) -> None:
    _, warnings = answer(known(intercept=None), capsys)
    assert "no intercept assumed" in warnings
    _, warnings = answer(known(marginals="1"), capsys)
    assert "vacuous bound" in warnings
    _, warnings = answer(private(edition="printed", marginals="9", target="0.5", epsilon="2"), capsys)
    assert "hypothesis violated: epsilon is less than 1" in warnings
    with_intercept, _ = answer(known(intercept="1"), capsys)
    wider, _ = answer(known(radius="2"), capsys)
    assert with_intercept["bound"] == wider["bound"]


@pytest.mark.parametrize("form", ["text", "latex", "markdown"])
def test_every_format_of_every_edition(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    for edition in ("printed", "corrected", "sharp"):
        assert main([*known(edition=edition), "--format", form]) == 0
    assert main([*private(release="moments"), "--format", form]) == 0
    assert main([*private(), "--format", form]) == 0
    lower = ["risk", "--theorem", "zhou2024.lower", "--query-constant", "1", "--log-n", "100"]
    assert main([*lower, "--format", form]) == 0
    assert capsys.readouterr().out.lower().count("excess risk") >= 6


def test_the_bound_that_is_printed_is_rounded_up(capsys: pytest.CaptureFixture[str]) -> None:
    exact, _ = answer(known(), capsys)
    assert main(known()) == 0
    shown = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("  excess"))
    assert Fraction(shown.split()[1]) >= Fraction(exact["bound"]["hi"])


def test_hypotheses_are_those_of_the_route(capsys: pytest.CaptureFixture[str]) -> None:
    found, _ = answer(known(), capsys)
    assert found["route"] == "quadratic bias"
    assert any("convex" in h["text"] for h in found["hypotheses"])
    printed, _ = answer(known(edition="printed"), capsys)
    assert any("[-1, 1]" in h["text"] for h in printed["hypotheses"])
    assert any(h["kind"] == "checked" for h in printed["hypotheses"])


def test_very_small_distances(capsys: pytest.CaptureFixture[str]) -> None:
    found, _ = answer(known(marginal_error="1e-400"), capsys)
    assert Fraction(found["bound"]["hi"]) < Fraction(1, 1000)


def test_comparison(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *known()[1:-1], "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert {(r["theorem"], r["edition"]) for r in rows} == {
        (f"zhou2024.{name}", edition)
        for name in ("lipschitz", "logistic")
        for edition in ("printed", "corrected", "sharp")
    }
    assert main(["compare", *private()[1:-1]]) == 0
    assert "synthbounds.noisy-moments" in capsys.readouterr().out
