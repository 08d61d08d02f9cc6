"""What a certificate takes as given, recomputed from its release and its model by the checkers' own readers."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import synthbounds as sb
from bounds.errors import UsageError
from mechanisms.models.certify.evidence import certificate_json
from mechanisms.models.certify.from_moments import certify_model, class_for
from mechanisms.models.model import model_text
from mechanisms.models.train.from_release import train_from_release
from release.moments.file import MomentRelease, release_text
from release.moments.make import make_release
from release.moments.read import parse_release
from synthbounds.api.proofs import check_text
from synthbounds.cli import main
from tests.moment_examples import feature_map, table
from tests.verify.certificate_mutations import FOLDER
from verify.checkers import Rejected
from verify.checkers.given import compare
from verify.checkers.given_features import canonical_digest

N = 8_000
PARTS = ("certificate", "release", "model")
CASES: dict[str, dict[str, Any]] = {
    "plain": {},
    "groups": {"one_hot": True},
    "fourth": {"fourth": True, "loss": "logistic"},
    "smooth": {"encodings": ("smooth", "none", "linear", "linear")},
    "reserve": {"reserve": "1/6"},
    "private size": {"adjacency": "add-remove", "n0": N // 2},
    "private size, fourth": {
        "adjacency": "add-remove",
        "n0": N // 2,
        "fourth": True,
        "one_hot": True,
        "loss": "logistic",
    },
}


@cache
def made(name: str) -> tuple[str, MomentRelease, str]:
    """A certificate, its release and the file of its model; those that take long to make are stored."""
    parts = [FOLDER / f"given_{name.replace(',', '').replace(' ', '_')}_{part}.json" for part in PARTS]
    if all(path.exists() for path in parts):
        certificate, released, model_file = (path.read_text(encoding="utf-8") for path in parts)
        return certificate, parse_release(released), model_file
    asked = {"adjacency": "replace-one", **CASES[name]}
    loss = asked.pop("loss", "squared")
    features = feature_map(one_hot=asked.pop("one_hot", False))
    features = replace(features, encodings=asked.pop("encodings", features.encodings))
    release = make_release(table(N), features, epsilon=1, dp_delta=Fraction(1, N * N), mode="simulate", seed=5, **asked)
    model = train_from_release(release, points=2000, loss=loss, tau=3).model
    found = certify_model(release, model, class_for(model))
    return json.dumps(certificate_json(found)), release, model_text(model)


@pytest.mark.share(3)
@pytest.mark.parametrize("name", CASES)
def test_what_is_given_is_that_of_the_release_and_the_model(name: str) -> None:
    text, release, model = made(name)
    result = check_text(text, release=release_text(release), model=model)
    assert result.valid, result.reason
    assert len(result.recomputed) == 2
    assert "made as it says" in result.given[0]
    assert not any("these coefficients" in line for line in result.given)
    assert sb.check_certificate(text, release=release_text(release), model=model)
    alone = check_text(text, release=release_text(release))
    assert alone.valid
    assert any("these coefficients" in line for line in alone.given)
    assert len(check_text(text).given) == 5


def test_a_release_whose_reserve_is_spent_is_the_same() -> None:
    text, release, model = made("reserve")
    spent = release.with_reservation_spent()
    assert spent.digest != release.digest
    assert check_text(text, release=release_text(spent), model=model).valid


def other(value: Any) -> Any:
    """Something else of the same kind."""
    if isinstance(value, list):
        return [other(value[0]), *value[1:]]
    if isinstance(value, int):
        return value + 1
    top, _, power = value.partition("/2^")
    try:
        return str(Fraction(top) / 2 ** int(power or 0) + 1)
    except ValueError:
        return value[::-1]


FIELDS = "note adjacency size bits squared_norm blocks feature_map first second fourth noise release".split()


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("name", ["fourth", "private size, fourth"])
def test_a_field_that_is_not_the_releases_is_named(name: str, field: str) -> None:
    text, release, model = made(name)
    body = json.loads(text)
    if body[field] is None:
        pytest.skip("the bound does not use fourth moments")
    body[field] = other(body[field])
    with pytest.raises(Rejected, match=rf"^{field}: is not that of the release"):
        compare(json.dumps(body), release_text(release), model)


@pytest.mark.parametrize("field", ["coefficients", "model", "feature_map", "loss"])
def test_a_field_that_is_not_the_models_is_named(field: str) -> None:
    text, _, model = made("plain")
    body = json.loads(text)
    body[field] = "max(0,1-x)" if field == "loss" else other(body[field])
    named = "model" if field == "loss" else field  # the digest of a model holds its loss
    with pytest.raises(Rejected, match=rf"^{named}: is not that of the model"):
        compare(json.dumps(body), None, model)


def test_less_noise_than_the_release_has_is_rejected() -> None:
    """The certificate alone is accepted: nothing in it says how much noise there really was."""
    text, release, model = made("plain")
    body = json.loads(text)
    body["noise"] = [str(Fraction(x) / 10**6) for x in body["noise"]]
    assert check_text(json.dumps(body)).valid
    result = check_text(json.dumps(body), release=release_text(release), model=model)
    assert not result.valid
    assert result.reason == "noise: is not that of the release"


def changed_release(release: MomentRelease, **change: Any) -> str:
    """With a right digest."""
    body = copy.deepcopy(release.to_json())
    del body["digest"]
    for key, value in change.items():
        body[key] = value(body[key]) if callable(value) else value
    return json.dumps(body | {"digest": canonical_digest(body)})


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"n": 8001}, "size"),
        ({"first": lambda sums: [sums[0] + 1, *sums[1:]]}, "first"),
        ({"second": lambda rows: [[rows[0][0] + 1, *rows[0][1:]], *rows[1:]]}, "second"),
        ({"weight": "1/3"}, "noise"),
        ({"sensitivity": lambda said: said | {"squared": "1"}}, "noise"),
        ({"noise": lambda said: said | {"first": "1"}}, "noise"),
        ({"budget": lambda said: said | {"mu_squared": "1"}}, "mu_squared_spent"),
        ({"stamp": None}, "note"),
        ({"seed": "6"}, "release: is not that of the release"),
        ({"kind": "marginals"}, "kind 'marginals'"),
        ({"extra": 1}, "'extra' is not a field"),
        ({"adjacency": "add-remove", "least_size": 8000}, "adjacency"),
        ({"feature_map": lambda said: said | {"bits": 15}}, "feature_map"),
        ({"schema": lambda said: said | {"columns": said["columns"][::-1]}}, "feature_map"),
    ],
)
def test_another_release_is_rejected_with_the_field(change: dict[str, Any], reason: str) -> None:
    text, release, model = made("plain")
    result = check_text(text, release=changed_release(release, **change), model=model)
    assert not result.valid
    assert reason in result.reason


def test_a_damaged_release_is_rejected() -> None:
    text, release, model = made("plain")
    damaged = release_text(release).replace('"n": 8000', '"n": 8001')
    assert "its digest is not its own" in check_text(text, release=damaged, model=model).reason
    assert not check_text(text, release="{}", model=model).valid
    assert not check_text(text, release="no JSON", model=model).valid


def test_models_written_by_hand_are_read() -> None:
    text, release, model = made("plain")
    body = json.loads(model)
    for write in (lambda c: f"+{c}" if c[0] != "-" else c, lambda c: f" {c} ", lambda c: str(Fraction(c))):
        written = body | {"coefficients": [write(c) for c in body["coefficients"]]}
        assert check_text(text, release=release_text(release), model=json.dumps(written)).valid
    bare = model
    for c in body["coefficients"]:
        bare = bare.replace(f'"{c}"', c)
    assert check_text(text, model=bare).valid
    assert not check_text(text, model=bare.replace(body["coefficients"][0], body["coefficients"][0] + "1")).valid


def test_other_certificates_have_neither_release_nor_model() -> None:
    text = (FOLDER / "density_cells_exact.json").read_text(encoding="utf-8")
    with pytest.raises(UsageError, match="certificate of a model"):
        check_text(text, release="{}")


def test_the_command_compares(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, release, model = made("private size")
    _, another, _ = made("plain")
    files = {"c": text, "r": release_text(release), "m": model, "o": release_text(another)}
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    certificate, right, trained, wrong = (str(tmp_path / name) for name in "crmo")
    assert main(["check", certificate, "--release", right, "--model", trained]) == 0
    said = capsys.readouterr().out
    assert "Recomputed" in said
    assert "Taken as given" in said
    assert main(["check", certificate, "--release", wrong]) == 1
    assert "is not that of the release" in " ".join(capsys.readouterr().out.split())
    assert main(["check", certificate, "--release", str(tmp_path / "absent")]) == 3
    assert main(["check", certificate, "--limit", "many"]) == 2
    assert main(["check", certificate, "--limit", "10"]) == 1
