"""Certificates of scores: written for every kind of answer, and compared with the files that they come from."""

from __future__ import annotations

import copy
import hashlib
import json
from typing import Any

import pytest

import synthbounds as sb
from bounds.errors import NotCertified, UsageError
from mechanisms.models.model import model_text
from synthbounds.api.proofs import check_text
from synthbounds.certificates import checked_scores
from tests.verify.certificate_mutations import FOLDER
from tests.verify.score_examples import CASES, answered, model, text_of
from tests.verify.score_truth import scores_are_true
from verify.checkers import Rejected
from verify.checkers.given_features import canonical_digest
from verify.checkers.score_given import compare


@pytest.mark.parametrize("name", CASES)
def test_every_kind_of_answer_has_a_certificate_that_is_that_of_its_files(name: str) -> None:
    text, (release, query) = text_of(name), answered(name)
    assert scores_are_true(json.loads(text))
    alone = check_text(text)
    assert alone.valid, alone.reason
    for paid in (release, release.with_reservation_spent()):
        files = {"release": paid.to_text(), "query": None if query is None else query.to_text()}
        result = check_text(text, **files)
        assert result.valid, result.reason
        assert len(result.recomputed) == 1 + (query is not None)
    assert query is None or any("was answered as it says" in line for line in result.given)
    assert any("fixed before the noise" in line for line in alone.given)


def test_stored_certificates_are_those_that_are_written() -> None:
    for name in ("excess_norm", "loss_log", "auc", "calibration", "floors"):
        said, stored = (json.loads(text) for text in (text_of(name), (FOLDER / f"scores_{name}.json").read_text()))
        assert said.keys() == stored.keys()
        assert said["claims"].keys() == stored["claims"].keys()
        assert [row.keys() for row in said["questions"]] == [row.keys() for row in stored["questions"]]


def test_the_model_is_compared_by_its_coefficients_or_by_its_bytes() -> None:
    text = text_of("excess_norm")
    for with_features in (False, True):
        assert sb.check_certificate(text, model=model_text(model(), with_features=with_features))
    assert "coefficients" in check_text(text, model=model_text(model(scale=2))).reason
    foreign = model_text(model()).replace(model().feature_map.digest, "0" * 64)
    assert "feature_map" in check_text(text, model=foreign).reason
    body = json.loads(text_of("auc")) | {"model": hashlib.sha256(b"\x80pickle").hexdigest()}
    assert compare(json.dumps(body), None, None, b"\x80pickle")[0]
    with pytest.raises(Rejected, match="model"):
        compare(json.dumps(body), None, None, b"\x80pickl")
    with pytest.raises(Rejected, match="names none"):
        compare(text_of("auc"), None, None, b"\x80pickle")


def changes(name: str) -> list[tuple[str, dict[str, Any]]]:
    """Queries that differ from the one of a certificate in one field, digests renewed."""
    _, query = answered(name)
    assert query is not None
    body = json.loads(query.to_text())
    found = []
    for path, value in (
        (("adjacency",), "add-remove"),
        (("n",), body["n"] + 1),
        (("release",), "0" * 32),
        (("budget", "mu_squared"), "1/7"),
        (("about", "beta"), "1/10"),
        (("about", "model_from"), "release"),
        (("about", "ask"), "auc"),
        (("questions", 0, "share"), "1/9"),
        (("questions", 0, "deviation"), "9"),
        (("questions", 0, "answer", 0), 17),
        (("questions", 0, "question", "loss"), "hinge"),
    ):
        other = copy.deepcopy(body)
        place: Any = other
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        other["digest"] = canonical_digest({key: part for key, part in other.items() if key != "digest"})
        named = {"n": "size", "loss": "question", 0: "answer"}
        found.append((str(named.get(path[-1], path[-1])), other))
    return found


@pytest.mark.parametrize("name", ["excess_norm", "loss_log"])
def test_another_query_is_noticed(name: str) -> None:
    text = text_of(name)
    for field, other in changes(name):
        with pytest.raises(Rejected):
            compare(text, None, json.dumps(other), None)
        # also where the certificate names it
        content = {key: value for key, value in other.items() if key != "digest"}
        content["budget"] = {**content["budget"], "left_state": None}
        named = json.dumps(json.loads(text) | {"query": canonical_digest(content)})
        with pytest.raises(Rejected, match=f"{field}: is not that of the query"):
            compare(named, None, json.dumps(other), None)


def test_another_release_is_noticed() -> None:
    release, query = answered("loss_log")
    other, _ = answered("loss_brier")
    assert query is not None
    assert "release" in check_text(text_of("loss_log"), release=other.to_text()).reason
    body = json.loads(text_of("excess_norm"))
    body["features"]["blocks"][0][0][0] += 1
    paying, _ = answered("excess_norm")
    with pytest.raises(Rejected, match="blocks"):
        compare(json.dumps(body), paying.to_text(), None, None)
    damaged = release.to_text().replace('"tau"', '"Tau"', 1)
    assert "digest" in check_text(text_of("loss_log"), release=damaged).reason


def test_a_query_goes_with_a_certificate_of_scores_alone() -> None:
    stored = (FOLDER / "model_squared.json").read_text(encoding="utf-8")
    with pytest.raises(UsageError, match="query with that of scores"):
        check_text(stored, query="{}")
    assert "only about a release" in check_text(text_of("floors"), query="{}").reason


def test_nothing_is_written_that_the_checker_rejects() -> None:
    body = json.loads(text_of("excess_norm"))
    body["claims"]["excess"] = "0.0001"
    with pytest.raises(NotCertified, match="independent checker rejects it"):
        checked_scores(body)


def test_one_answer_costs_the_same_whichever_claim_is_made_of_it() -> None:
    """A certificate of two floors that were asked with one share is refused: the noise is too small for both."""
    body = json.loads(text_of("floors"))
    body["questions"][0]["share"] = body["questions"][1]["share"]
    assert "exceed 1" in check_text(json.dumps(body)).reason


def test_a_model_from_the_table_is_said_to_be_not_private() -> None:
    assert any("itself not private" in line for line in check_text(text_of("loss_log")).given)
    assert not any("itself not private" in line for line in check_text(text_of("excess_norm")).given)
