"""The certificate of what an answer proves, as JSON for an independent checker: questions, noise, answers and claims.

The format is described in docs/certificates.md. Ends are rounded outward to short decimals; everything else is exact.
Nothing is proved here, and a file contains only noisy numbers about the real table. The concluding sentence is added
elsewhere, in the checker's words.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from bounds.certify.model_certificate import exact_text
from bounds.certify.verdict import INFORMATIVE
from bounds.enclosure import Enclosure, decimal_text
from bounds.errors import NotCertified
from bounds.privacy.pure import pure_epsilon
from bounds.privacy.statements import GaussianDP
from mechanisms.models.confirm.prove_excess import ProvedExcess, prove_excess
from mechanisms.models.confirm.scored import Scored, scored
from mechanisms.models.query_parameters import EXCESS
from release.floors.file import FloorRelease
from release.floors.intervals import Floors
from release.noise.kinds import NOT_A_RELEASE
from release.reserving import ReservingRelease
from release.scores.file import ScoreQuery
from release.statistics.area_under_curve import AreaUnderCurve
from release.statistics.calibration import Calibration
from release.statistics.excess_over import ExcessOver
from release.statistics.features import FeatureMap
from release.statistics.least_loss import LeastLoss
from release.statistics.model_loss import ModelLoss
from release.statistics.predicted_loss import PredictedLoss
from release.statistics.question import Question, Questions

SCORES = "scores"
VERSION = 1
_DIGITS = 12


def answer_json(query: ScoreQuery, release: ReservingRelease) -> dict[str, Any]:
    """The certificate of any answer; `release` paid for it."""
    if query.about["ask"] == EXCESS:
        return excess_json(prove_excess(query, release), query)
    return scored_json(scored(query, release), release)


def floors_json(floors: Floors, release: FloorRelease) -> dict[str, Any]:
    """The certificate of all floors of a release."""
    parts = {"labels": floors.label_failure, "floors": floors.beta - floors.label_failure}
    claims = {
        "floors": [_ends(floor.mean) for floor in floors.floors],
        "constant": _rounded(floors.constant_lo, up=False),
    }
    return _header(release, floors.beta, parts, claims) | {
        "ask": "floors",
        "release": release.digest,
        "mu_squared": str(release.mu_squared_spent),
        "features": _features(release.questions),
        "questions": _rows(release.questions, release.own_cost, release.values),
    }


def excess_json(proved: ProvedExcess, query: ScoreQuery) -> dict[str, Any]:
    """The certificate of a linear model's excess over the requested class; moments do not free its intercept here."""
    if proved.contradiction is not None:
        raise NotCertified(f"query: {proved.contradiction}")
    beside = proved.failures.beside
    parts = {"difference": proved.failures.excess, "model": beside, "labels": beside}
    claims: dict[str, Any] = {
        "excess": _rounded(proved.bound, up=True),
        "risk": _rounded(proved.risk_hi, up=True),
        "floor": None if proved.floor_lo is None else _rounded(proved.floor_lo, up=False),
        "constant": "0" if proved.constant_lo is None else _rounded(proved.constant_lo, up=False),
    }
    gain = Fraction(claims["constant"]) - Fraction(claims["risk"]) - proved.penalty
    informative = proved.verdict.word == INFORMATIVE and Fraction(claims["excess"]) < gain
    if claims["floor"] is not None:
        parts["class"] = beside
    return _of_query(query, proved.beta, parts, claims | {"informative": informative})


def scored_json(found: Scored, release: ReservingRelease) -> dict[str, Any]:
    """The certificate of any model's predictions; with a release of floors, compared with its floors."""
    question, failures = found.question, found.failures
    parts = {"labels": failures.labels, "floors": failures.floors}
    parts["bins" if isinstance(question, Calibration) else "model"] = failures.answer
    claims: dict[str, Any]
    if isinstance(question, Calibration):
        claims = {"bins": [_ends(each.share) for each in found.bins]}
    elif isinstance(question, AreaUnderCurve):
        assert found.value is not None
        claims = {"area": _ends(found.value)}
    else:
        assert found.value is not None
        assert found.constant is not None
        risk, constant = _ends(found.value), _rounded(found.constant, up=False)
        claims = {
            "risk": risk,
            "constant": constant,
            "better": Fraction(risk["upper"]) < Fraction(constant),
            "compared": [_ends(each.difference) for each in found.floors] or None,
        }
    certificate = _of_query(found.query, found.beta, parts, claims)
    if isinstance(release, FloorRelease) and not isinstance(question, Calibration):
        certificate["floors"] = {
            "release": release.digest,
            "mu_squared": str(release.mu_squared_spent),
            "features": _features(release.questions),
            "questions": _rows(release.questions, release.own_cost, release.values),
        }
    return certificate


def _of_query(query: ScoreQuery, beta: Fraction, parts: dict[str, Fraction], claims: dict[str, Any]) -> dict[str, Any]:
    about = query.about
    found = _header(query, beta, parts, claims) | {
        "ask": about["ask"],
        "release": query.release_id,
        "query": query.identity,
        "model": about["model"],
        "model_from": about["model_from"],
        "mu_squared": str(query.mu_squared),
        "features": _features(query.questions),
        "questions": _rows(query.questions, query.price, query.values),
    }
    if query.choice_share:
        cost = query.mu_squared * query.choice_share
        found["choice"] = {
            "among": int(about["among"]),
            "share": str(query.choice_share),
            "epsilon": exact_text(pure_epsilon(cost)),
        }
    return found


def _header(
    numbers: ScoreQuery | FloorRelease, beta: Fraction, parts: dict[str, Fraction], claims: dict[str, Any]
) -> dict[str, Any]:
    """The common keys of all certificates of scores, in the order of the file; callers replace nulls that apply."""
    return {
        "certificate": SCORES,
        "version": VERSION,
        "note": NOT_A_RELEASE if numbers.is_simulated else "",
        "statement": "",
        "ask": "",
        "beta": exact_text(beta),
        "failures": {event: exact_text(part) for event, part in parts.items() if part},
        "claims": claims,
        "adjacency": numbers.adjacency.value,
        "size": numbers.stated_size,
        "release": "",
        "query": None,
        "model": None,
        "model_from": None,
        "features": None,
        "mu_squared": "",
        "choice": None,
        "questions": [],
        "floors": None,
    }


def _rows(questions: Questions, cost: GaussianDP, values: Sequence[int]) -> list[dict[str, Any]]:
    """Answers as in their file, with integers as text, and how far a record's number may be off."""
    rows = questions.to_json(cost, values)
    found = []
    for row, question in zip(rows, questions.questions, strict=True):
        answer = [str(value) for value in row.pop("answer")]
        found.append(row | {"error": exact_text(_error(question)), "answer": answer})
    return found


def _error(question: Question) -> Fraction:
    if isinstance(question, ModelLoss | ExcessOver):
        return question.error
    if isinstance(question, PredictedLoss):
        return question.rounding * question.unit
    return question.unit if isinstance(question, AreaUnderCurve) else Fraction(0)


def _features(questions: Questions) -> dict[str, Any] | None:
    """The features of every code, for each column that has any; one map for all questions."""
    for question in questions.questions:
        if isinstance(question, ModelLoss | ExcessOver | LeastLoss):
            return _blocks(question.feature_map)
    return None


def _blocks(feature_map: FeatureMap) -> dict[str, Any]:
    blocks = [[list(row) for row in block] for block in feature_map.blocks if block[0]]
    return {"digest": feature_map.digest, "bits": feature_map.bits, "blocks": blocks}


def _ends(value: Enclosure) -> dict[str, str]:
    return {"lower": _rounded(value.lo, up=False), "upper": _rounded(value.hi, up=True)}


def _rounded(value: Fraction, *, up: bool) -> str:
    return f"{Decimal(decimal_text(value, _DIGITS, up=up)):f}"
