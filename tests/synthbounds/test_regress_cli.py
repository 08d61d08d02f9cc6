"""The command of private regression: every method in both modes, from releases, and everything that is refused."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import synthbounds as sb
from bounds.privacy.ledger import Ledger
from release.data.schema import read_schema
from release.data.tables import read_codes
from synthbounds.cli import main
from tests.paths import ROOT

SURVEY = str(ROOT / "docs" / "examples" / "survey.csv")
SCHEMA = str(ROOT / "docs" / "examples" / "survey.schema.json")
TABLE = ["regress", SURVEY, "--schema", SCHEMA, "--epsilon", "1", "--dp-delta", "1e-6"]
ADD_REMOVE = ["--adjacency", "add-remove", "--least-size", "3000"]
METHODS = ["ssp-edge", "ssp", "adassp", "dd-ssp", "objpert", "mst-synth"]


def run(arguments: list[str], capsys: pytest.CaptureFixture[str], code: int = 0) -> tuple[dict[str, Any], str]:
    assert main([*arguments, "--format", "json"]) == code
    said = capsys.readouterr()
    return (json.loads(said.out) if code == 0 else {}), said.err


@pytest.mark.share(2)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("mode", ["simulate", "release"])
def test_every_method_says_its_model_and_what_it_cost(
    method: str, mode: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = ["--marginals", "mst"] if method == "dd-ssp" else []
    asked = ["--label", "insured", "--method", method, "--mode", mode, "--output", str(tmp_path / "model.json")]
    found, _ = run([*TABLE, *ADD_REMOVE, *asked, *more], capsys)
    assert found["method"] == method
    assert found["mode"] == mode
    assert found["spent"]["epsilon"] == "1"
    assert found["spent"]["adjacency"] == "add-remove"
    assert found["spent"]["n_is_public"] is False
    assert found["spent"]["sensitivities"]
    assert (found["excess_upper"] is None) == (method == "objpert") == bool(found["not_certified"])
    model = json.loads((tmp_path / "model.json").read_text())
    assert model["names"] == [*found["coefficients"], "intercept"]
    assert model["coefficients"] == [*found["coefficients"].values(), found["intercept"]]
    assert float(found["coefficients"]["income"]) > 0.1  # those who earn more are insured more often


def test_from_a_release_nothing_more_is_spent_and_the_certificate_is_that_of_certify(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, kept, again = (str(tmp_path / name) for name in ("m.json", "r.json", "again.json"))
    asked = ["--label", "income", "--mode", "simulate", "--tau", "3", "--output", model, "--release", kept]
    first, _ = run([*TABLE, *asked], capsys)
    second, _ = run(["regress", kept, "--tau", "3", "--output", again], capsys)
    assert second["spent"] | {"sensitivities": []} == second["spent"]
    assert second["spent"]["epsilon"] == "0"
    assert second["coefficients"] == first["coefficients"]
    assert second["excess_upper"] == first["excess_upper"]
    assert first["label_range"] == ["10", "520"]
    assert first["loss"] == "squared"
    certified, _ = run(["certify", kept, model], capsys)
    assert certified["excess_upper"] == first["excess_upper"]
    proof = str(tmp_path / "proof.json")
    assert main(["certify", kept, model, "--certificate", proof]) == 0
    assert main(["check", proof, "--release", kept, "--model", model]) == 0


def test_logs_and_marginals_serve_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log, marginals, model = (str(tmp_path / name) for name in ("log.json", "marginals.json", "m.json"))
    table = [SURVEY, "--schema", SCHEMA, "--epsilon", "2", "--dp-delta", "1e-6", "--mode", "simulate"]
    assert main(["synth", *table, "--method", "mst", "--synthetic", str(tmp_path / "s.csv"), "--log", log]) == 0
    assert main(["release", "marginals", *table, "--output", marginals]) == 0
    capsys.readouterr()
    for release in (log, marginals):
        found, _ = run(["regress", release, "--label", "insured", "--output", model, "--force"], capsys)
        assert found["method"] == "dd-ssp"
        assert found["spent"]["epsilon"] == "0"
        counts, _ = run(
            ["regress", release, "--label", "visits", "--loss", "poisson", "--output", model, "--force"], capsys
        )
        assert counts["tau"] == "1"
        assert counts["excess_upper"] is None
    rows, _ = run(["regress", log, "--method", "mst-synth", "--label", "insured", "--output", model, "--force"], capsys)
    assert rows["method"] == "mst-synth"
    _, error = run(
        ["regress", log, "--method", "aim-synth", "--label", "insured", "--output", model, "--force"], capsys, 2
    )
    assert "the log was written by mst" in error


REFUSED = [
    (["--label", "insured", "--method", "dp-sgd", "--mode", "release", *ADD_REMOVE], 4, "in floats"),
    (["--label", "insured", "--method", "objpert", "--mode", "simulate"], 4, "only for add-remove"),
    (["--label", "income", "--method", "objpert", "--mode", "simulate", *ADD_REMOVE], 4, "bounded slope"),
    (["--label", "insured", "--method", "ssp", "--edition", "printed", "--mode", "release", *ADD_REMOVE], 4, "printed"),
    (["--label", "insured", "--method", "dd-ssp", "--degree", "4", "--mode", "simulate"], 4, "tau = none"),
    (["--label", "insured", "--method", "dd-ssp", "--degree", "4", "--tau", "5", "--mode", "simulate"], 4, "concave"),
    (["--label", "visits", "--loss", "poisson", "--tau", "2", "--mode", "simulate"], 4, "tau = 2"),
    (["--label", "visits", "--loss", "poisson", "--reach", "6", "--mode", "simulate"], 4, "positive"),
    (["--label", "income", "--loss", "logistic", "--mode", "simulate"], 2, "two values"),
    (["--label", "insured", "--loss", "poisson", "--mode", "simulate"], 2, "numbers"),
    (["--label", "insured", "--method", "adassp", "--tau", "0", "--mode", "simulate"], 2, "tau = 0"),
    (["--label", "insured", "--method", "objpert", "--degree", "2", "--mode", "simulate", *ADD_REMOVE], 2, "degree"),
    (["--label", "nobody", "--mode", "simulate"], 2, "label = nobody"),
    (["--mode", "simulate"], 2, "label is missing"),
    (["--label", "insured", "--mode", "release"], 2, "adjacency"),
    (["--label", "insured", "--method", "magic", "--mode", "simulate"], 2, "method = magic"),
]


@pytest.mark.parametrize(
    ("more", "code", "words"), REFUSED, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_what_cannot_be_is_refused_before_anything_is_read(
    more: list[str], code: int, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = str(tmp_path / "no-such-table.csv")
    asked = ["regress", missing, *TABLE[2:], *more, "--output", str(tmp_path / "m.json")]
    _, error = run(asked, capsys, code)
    assert words in error
    assert error.count("\n") == 1
    assert "no-such-table" not in error
    assert list(tmp_path.iterdir()) == []


def test_a_release_takes_no_options_of_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept, model = str(tmp_path / "r.json"), str(tmp_path / "m.json")
    run([*TABLE, "--label", "insured", "--mode", "simulate", "--output", model, "--release", kept], capsys)
    for more in (["--epsilon", "1"], ["--schema", SCHEMA], ["--release", str(tmp_path / "x.json")], ["--label", "sex"]):
        _, error = run(["regress", kept, *more, "--output", str(tmp_path / "n.json")], capsys, 2)
        assert more[0].removeprefix("--") in error
    _, error = run(["regress", kept, "--method", "objpert", "--output", str(tmp_path / "n.json")], capsys, 2)
    assert "method = objpert" in error


EVERY_OPTION = {
    "weight": "1",
    "edition": "printed",
    "marginals": "mst",
    "estimate": "mixture",
    "most-codes": "8",
    "most-cells": "1000",
    "model-mb": "10",
    "rounds": "20",
    "surrogate": "chebyshev",
    "reach": "5",
    "degree": "2",
    "batch": "100",
    "epochs": "2",
    "clip": "1",
    "rate": "1",
    "tau": "2",
}


@pytest.mark.parametrize("method", ["ssp-edge", "ssp", "adassp", "dd-ssp", "mst-synth", "objpert", "dp-sgd"])
def test_every_option_is_taken_or_refused_by_name(
    method: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Never a bug of ours, and never an option that is taken and ignored by a method that does not have it."""
    refused = set()
    base = [*ADD_REMOVE, "--label", "insured", "--method", method, "--mode", "simulate"]
    base += ["--marginals", "mst"] if method == "dd-ssp" else []
    for option, value in EVERY_OPTION.items():
        asked = ["regress", str(tmp_path / "missing.csv"), *TABLE[2:], *base, f"--{option}", value]
        code = main([*asked, "--output", str(tmp_path / "m.json")])
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert code in (2, 3, 4, 6), error
        if code == 2:
            assert option.replace("-", "_") in error.replace("-", "_")
            refused.add(option)
    from mechanisms.regression.parameters import TAKEN_BY

    for option in refused - {"most-cells", "most-codes", "rounds", "tau", "edition"}:
        assert method not in TAKEN_BY[option.replace("-", "_")]
    for option in EVERY_OPTION.keys() - refused:
        assert method in TAKEN_BY.get(option.replace("-", "_"), (method,))


def test_dp_sgd_and_aim_by_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for more in (["dp-sgd"], ["dp-sgd", "--tune"], ["aim-synth", "--rounds", "20"], ["dd-ssp", "--rounds", "20"]):
        asked = [*TABLE, *ADD_REMOVE, "--label", "insured", "--mode", "simulate", "--method", *more]
        found, _ = run([*asked, "--output", str(tmp_path / "m.json"), "--force"], capsys)
        assert float(found["coefficients"]["income"]) > 0.1
        assert found["spent"]["paid"] is False
        kept = (tmp_path / "m.release.json").exists()
        assert kept == (more[0] != "dp-sgd")
        if kept:
            assert found["spent"]["sensitivities"][0]["value"] == "1"
            (tmp_path / "m.release.json").unlink()


def test_an_account_is_charged_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = str(tmp_path / "people.account.json")
    opened = ["--name", "people", "--adjacency", "add-remove", "--epsilon", "10", "--dp-delta", "1e-4"]
    assert main(["account", "open", book, *opened]) == 0
    capsys.readouterr()
    spent = []
    for number, method in enumerate(("ssp-edge", "adassp", "mst-synth")):
        asked = [*TABLE, *ADD_REMOVE, "--label", "insured", "--method", method, "--mode", "release", "--account", book]
        found, _ = run([*asked, "--output", str(tmp_path / f"{number}.json")], capsys)
        booked = found["account"]["booked"]
        assert booked
        spent.append(sum(Fraction(entry["amount"]) for entry in booked))
    once = float(Ledger.in_rho(epsilon=1, dp_delta="1e-6", adjacency="add-remove").total)
    for amount in spent:
        assert 0.9 * once < float(amount) < 1.6 * once


def test_an_account_of_rho_has_no_place_for_objective_perturbation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    book = tmp_path / "people.account.json"
    opened = ["--name", "people", "--adjacency", "add-remove", "--epsilon", "10", "--dp-delta", "1e-4"]
    assert main(["account", "open", str(book), *opened]) == 0
    before = book.read_bytes()
    capsys.readouterr()
    asked = [*TABLE, *ADD_REMOVE, "--label", "insured", "--method", "objpert", "--mode", "release"]
    _, error = run([*asked, "--account", str(book), "--output", str(tmp_path / "m.json")], capsys, 2)
    assert "has no rho" in error
    assert "spent" not in error
    assert book.read_bytes() == before
    assert not (tmp_path / "m.json").exists()


def test_from_python() -> None:
    schema = read_schema(SCHEMA)
    codes = read_codes(SURVEY, schema)
    found = sb.regress(codes, schema, label="income", mode="simulate", epsilon=1, dp_delta="1e-6", seed=3)
    upper = sb.regression_excess(found, beta="0.1").upper
    assert upper is not None
    assert upper <= sb.regression_excess(found).upper  # type: ignore[operator]
    assert sb.regress(found.release).model.coefficients == found.model.coefficients  # type: ignore[arg-type]
