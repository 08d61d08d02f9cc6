"""Certificates of models as files: accepted when they are right, rejected when a claim in them is made stronger."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bounds.certify.certificate import exact_text, model_certificate
from bounds.certify.goe import eigenvalues_above
from lp.moments.certifying import ModelCertificate, certify_model, class_for
from lp.moments.evidence import certificate_json, evidence
from lp.moments.making import make_release
from lp.moments.train_release import train_from_release
from synthbounds.certificates import check_text, checked_model
from tests.moment_examples import feature_map, table
from verify import check_model
from verify.check_model import FIELDS, Rejected, check

N = 20_000
CASES: dict[str, dict[str, Any]] = {
    "degree 2": {"tau": 2},
    "one-hot": {"tau": 5, "one_hot": True},
    "degree 4": {"tau": 3, "fourth": True},
    "ridge": {"ridge": "0.5"},
    "near": {"ridge": "0.01"},
    "free": {"tau": 2, "intercept": "free"},
    "free ridge": {"ridge": "0.02", "intercept": "free"},
    "hinge": {"tau": 2, "loss": "hinge"},
    "squared": {"tau": 2, "loss": "squared"},
    "private size": {"tau": 2, "adjacency": "add-remove"},
    "private size, ridge": {"ridge": "0.01", "adjacency": "add-remove", "n0": N // 2},
}
GIVEN = {"first", "second", "size", "bits", "release", "model", "feature_map", "note"}
"""What a checker cannot know; it says that it takes these as given."""


@cache
def certified(name: str) -> ModelCertificate:
    asked = dict(CASES[name])
    features = feature_map(one_hot=asked.pop("one_hot", False))
    adjacency, fourth = asked.pop("adjacency", "replace-one"), asked.pop("fourth", False)
    least = asked.pop("n0", N // 2) if adjacency == "add-remove" else None
    release = make_release(
        table(N),
        features,
        epsilon=1,
        dp_delta=Fraction(1, N * N),
        adjacency=adjacency,
        mode="simulate",
        n0=least,
        fourth=fourth,
        seed=5,
    )
    model = train_from_release(release, points=2000, **asked).model
    return certify_model(release, model, class_for(model))


def claims(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(certificate_json(certified(name))))
    return found


def accepted(body: dict[str, Any]) -> bool:
    return check_text(json.dumps(body)).valid


@pytest.mark.parametrize("name", CASES)
def test_real_certificates_are_accepted(name: str) -> None:
    found = certified(name)
    text = checked_model(found)
    result = check_text(text, "file")
    assert result.valid
    assert found.bound <= Fraction(json.loads(text)["bound"]) <= found.bound * (1 + Fraction(1, 10**10))
    assert json.loads(text)["statement"].endswith(f"by more than {json.loads(text)['bound']}.")
    assert len(result.given) == (6 if found.degree == 4 else 5)  # the note says that the noise is simulated
    assert found.release.digest in result.given[0]
    assert any("NOT A RELEASE" in line for line in result.given)


def test_the_cases_are_what_they_are_called() -> None:
    assert certified("degree 4").degree == 4
    assert claims("near")["near"] is not None
    assert claims("ridge")["ridge"] == "0.5"
    assert claims("ridge")["near"] is None
    assert len(claims("free")["balls"]) == 2
    assert claims("squared")["excess"] == "0"
    assert claims("private size")["adjacency"] == "add-remove"


def scaled(factor: str, *path: int) -> Callable[[Any], Any]:
    """Change the number at a place by a factor."""

    def change(value: Any) -> Any:
        if path:
            changed = list(value)
            changed[path[0]] = scaled(factor, *path[1:])(value[path[0]])
            return changed
        top, _, power = value.partition("/2^")
        return exact_text(Fraction(top) / 2 ** int(power or 0) * Fraction(factor))

    return change


A_BIT_LESS, A_BIT_MORE = "0.999999", "1.000001"
STRONGER: list[tuple[str, str, Callable[[Any], Any]]] = [
    ("degree 2", "bound", scaled(A_BIT_LESS)),
    ("degree 4", "bound", scaled(A_BIT_LESS)),
    ("near", "bound", scaled(A_BIT_LESS)),
    ("free", "bound", scaled(A_BIT_LESS)),
    ("hinge", "bound", scaled(A_BIT_LESS)),
    ("squared", "bound", scaled(A_BIT_LESS)),
    ("private size", "bound", scaled(A_BIT_LESS)),
    ("private size, ridge", "bound", scaled(A_BIT_LESS)),
    ("degree 2", "bound", lambda _: "-1"),
    ("degree 2", "beta", scaled(A_BIT_LESS)),
    ("degree 2", "beta", lambda _: "1"),
    ("degree 2", "tau", scaled(A_BIT_MORE)),
    ("free", "tau", scaled(A_BIT_MORE)),
    ("degree 2", "tau", lambda _: None),
    ("degree 2", "tau", lambda _: "-2"),
    ("ridge", "ridge", scaled(A_BIT_LESS)),
    ("degree 2", "ridge", lambda _: "0"),
    ("near", "ridge", scaled("0.5")),
    ("degree 2", "intercept", lambda _: "free"),
    ("free", "intercept", lambda _: "inside"),
    ("near", "near", scaled("0.1")),
    ("near", "near", scaled(A_BIT_MORE)),
    ("near", "near", lambda _: None),
    ("degree 2", "near", lambda _: "1"),
    ("degree 2", "reach", scaled(A_BIT_LESS)),
    ("free", "reach", scaled(A_BIT_LESS)),
    ("near", "reach", scaled(A_BIT_LESS)),
    ("degree 2", "balls", scaled(A_BIT_LESS, 0)),
    ("free", "balls", scaled(A_BIT_LESS, 0)),
    ("free", "balls", scaled(A_BIT_LESS, 1)),
    ("near", "balls", scaled(A_BIT_LESS, 0)),
    ("degree 2", "coefficients", scaled("2", 0)),
    ("degree 2", "coefficients", scaled("2", -1)),
    ("degree 2", "squared_norm", lambda n: n + 1),
    ("degree 2", "squared_norm", lambda n: n - 1),
    ("degree 2", "blocks", lambda blocks: [[[x + 1 for x in row] for row in block] for block in blocks]),
    ("degree 2", "blocks", lambda blocks: [*blocks, blocks[0]]),
    ("degree 2", "blocks", lambda blocks: blocks[1:]),
    ("degree 2", "adjacency", lambda _: "add-remove"),
    ("degree 4", "fourth", lambda sums: [str(2 * int(x)) for x in sums]),
    ("degree 4", "fourth", lambda sums: sums[1:]),
    ("degree 4", "fourth", lambda _: None),
    *(("degree 2", "noise", scaled(A_BIT_MORE, i)) for i in range(3)),
    *(("degree 4", "noise", scaled("1.001", i)) for i in range(8)),
    ("degree 2", "noise", scaled("-1", 0)),
    *(("degree 2", "failures", scaled(f, i)) for i in range(2) for f in (A_BIT_LESS, A_BIT_MORE, "-1")),
    *(("degree 4", "failures", scaled(f, 2)) for f in ("0.9999", A_BIT_MORE)),
    *(("degree 2", "radii", scaled(f, i)) for i in range(2) for f in (A_BIT_LESS, "0", "-1")),
    *(("degree 4", "radii", scaled("0.9999", i)) for i in range(3)),
    ("degree 4", "contraction", scaled("0.9", 0)),
    ("degree 4", "contraction", scaled("2", 2)),
    ("degree 4", "contraction", lambda _: None),
    ("degree 2", "constant", lambda _: "-1"),
    ("degree 2", "label", scaled("-1", 1)),
    ("degree 2", "label", scaled("-1", 2)),
    ("degree 2", "forms", scaled("-1", 0, 2, 2)),
    ("degree 2", "forms", scaled("0.5", 0, 0, 1)),
    ("degree 4", "forms", scaled("2", 1, 1, 1)),
    ("degree 2", "excess", lambda _: "-0.001"),
    ("squared", "excess", lambda _: "-1/2^60"),
    *(("degree 2", "absolute", scaled("0.9", 0, i, i)) for i in range(3)),
    ("degree 4", "absolute", scaled("0.9", 1, 2, 2)),
    ("degree 2", "label_scale", scaled("-1")),
    ("degree 2", "label_scale", scaled("0")),
    ("degree 2", "ball_multipliers", scaled("-1", 0)),
    ("degree 2", "ball_multipliers", scaled("0", 0)),
    ("degree 2", "loss", lambda _: "max(0,1-x)"),
    ("degree 2", "loss", lambda _: "(1-x)^2/2"),
    ("degree 2", "loss", lambda _: "exp(-x)"),
    ("degree 2", "version", lambda _: 2),
    ("degree 2", "certificate", lambda _: "density"),
    ("degree 2", "statement", lambda text: text.replace("0.05", "0.01")),
    ("degree 2", "statement", lambda _: ""),
]


@pytest.mark.parametrize(
    ("name", "field", "change"), STRONGER, ids=[f"{n}-{f}-{i}" for i, (n, f, _) in enumerate(STRONGER)]
)
def test_a_stronger_claim_is_rejected(name: str, field: str, change: Callable[[Any], Any]) -> None:
    body = claims(name)
    body[field] = change(body[field])
    if field in ("bound", "beta", "tau", "ridge"):  # the sentence goes along, so that it is the proof that fails
        body["statement"] = spoken(body)
    assert not accepted(body)


def spoken(body: dict[str, Any]) -> str:
    tau = "" if body["tau"] is None else f" of norm at most {body['tau']}"
    free = "" if body["intercept"] == "inside" else ", intercept not counted,"
    name = {"log(1+exp(-x))": "logistic", "max(0,1-x)": "hinge", "(1-x)^2/2": "squared"}[body["loss"]]
    penalty = "" if body["ridge"] is None else f" plus {body['ridge']}/2 times its squared norm"
    return (
        f"Except with probability at most {body['beta']}, no linear model{tau}{free} has a mean {name} loss{penalty} "
        f"on the real table that is smaller than that of the certified model by more than {body['bound']}."
    )


@pytest.mark.parametrize("name", CASES)
def test_the_sentence_and_weaker_claims(name: str) -> None:
    body = claims(name)
    assert body["statement"] == spoken(body)
    body["bound"] = scaled("1.5")(body["bound"])
    body["beta"] = "0.06"
    assert not accepted(body)  # the sentence still says something else
    body["statement"] = spoken(body)
    if body["near"] is None:  # there a larger bound does not show that the best model is near
        assert accepted(body)


def test_every_field_is_either_changed_above_or_taken_as_given() -> None:
    assert {field for _, field, _ in STRONGER} | GIVEN == set(FIELDS)
    assert sorted(FIELDS) == sorted(claims("degree 2"))


@pytest.mark.parametrize("field", FIELDS)
def test_hostile_values_are_rejected_cleanly(field: str) -> None:
    hostile: list[Any] = [
        1.5,
        True,
        -1,
        [],
        {},
        [[]],
        "1/0",
        "9" * 5000,
        "1/2^99999",
        "1/2^-3",
        "nan",
        "1e9",
        "٣",
        "--1",
    ]
    free_text = field in ("note", "release", "model", "feature_map")
    optional = field in ("tau", "ridge", "near", "fourth", "contraction")
    for value in [*hostile, *([] if optional else [None])]:
        if free_text and isinstance(value, str):
            continue
        result = check_text(json.dumps(claims("squared") | {field: value}))
        assert not result.valid, value
        assert result.reason
    missing = claims("squared")
    del missing[field]
    assert not accepted(missing)


def test_hostile_files_are_rejected_cleanly() -> None:
    body = claims("squared")
    assert not accepted(body | {"guarantee": "none"})
    assert not accepted(body | {"first": ["0"] * 10**4})
    assert not accepted(body | {"blocks": [[[10**4000]]]})
    assert not accepted(body | {"blocks": [[[]]] * 3})
    assert not accepted(body | {"second": [row[:-1] for row in body["second"]]})
    assert not accepted(body | {"bits": 10**9})
    text = json.dumps(body)
    assert not check_text(text.replace('"size": 20000', '"size": NaN')).valid
    assert not check_text(text.replace('"size": 20000', '"size": 1e400')).valid


def test_a_polynomial_that_needs_endless_cells_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_model, "MOST_CELLS", 50)
    with pytest.raises(Rejected, match="excess"):
        check(json.dumps(claims("degree 2")))


def test_the_checkers_eigenvalues_are_those_of_the_closed_form() -> None:
    from flint import arb, ctx

    with ctx.workprec(160):
        for p in (1, 2, 3, 6, 13, 40):
            for above_edge in ("0.5", "1", "3"):
                r = arb(2 * p).sqrt() + arb(above_edge)
                ours, theirs = 2 * eigenvalues_above(p, r), check_model.matrix_tail(p, r)
                assert abs(theirs / ours - 1) < arb(10) ** -15


def test_the_checker_is_small_and_shares_nothing() -> None:
    source = Path(check_model.__file__).read_text(encoding="utf-8")
    assert sum(bool(line.strip()) for line in source.splitlines()) <= 200
    roots = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            roots |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            roots.add(str(node.module).split(".")[0])
    assert roots <= {"json", "sys", "fractions", "itertools", "math", "typing", "flint"}


def test_a_certificate_that_the_checker_rejects_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    from bounds.errors import NotCertified

    def reject(text: str) -> None:
        raise Rejected("no")

    monkeypatch.setattr(check_model, "check", reject)
    with pytest.raises(NotCertified, match="rejects it"):
        checked_model(certified("squared"))


def test_evidence_is_that_of_the_release() -> None:
    found = certified("degree 4")
    facts = evidence(found)
    assert sum(facts.failures) == found.beta
    assert len(facts.noise) == 8
    best = found.best.found
    assert best is not None
    assert model_certificate(best, found.compared_with, facts) == certificate_json(found)


def test_the_command_and_the_module_agree(tmp_path: Path) -> None:
    import subprocess
    import sys

    right, wrong = tmp_path / "right.json", tmp_path / "wrong.json"
    right.write_text(checked_model(certified("squared")), encoding="utf-8")
    wrong.write_text(json.dumps(claims("squared") | {"bound": "0"}), encoding="utf-8")
    for path, code in ((right, 0), (wrong, 1)):
        module = [sys.executable, "-m", "verify.check_model", str(path)]
        command = [sys.executable, "-m", "synthbounds", "check", str(path)]
        for line in (module, command):
            done = subprocess.run(line, capture_output=True, text=True, check=False)
            assert done.returncode == code, done.stderr
            assert "Traceback" not in done.stderr
    assert (
        "taken as given"
        in subprocess.run(
            [sys.executable, "-m", "verify.check_model", str(right)], capture_output=True, text=True, check=True
        ).stdout
    )
