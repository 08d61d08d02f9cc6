"""The report on a query for the excess of a model, or on its answer read again: as a document and as JSON."""

from __future__ import annotations

import shlex
from fractions import Fraction
from typing import Any

from bounds.certify.verdict import VACUOUS
from bounds.enclosure import decimal_text
from bounds.exact import show_rational
from mechanisms.models.confirm.excess import ConfirmedExcess
from mechanisms.models.confirm.prove_excess import ProvedExcess
from mechanisms.models.model import Model
from mechanisms.models.query_parameters import EXCESS
from release.noise.kinds import NOT_A_RELEASE
from release.reserving import ReservingRelease
from release.scores.file import ScoreQuery
from release.statistics.excess_over import ExcessOver
from synthbounds.render.certification import class_text, objective_text, statement
from synthbounds.render.confirmation import FIXED_BEFORE
from synthbounds.render.document import Answer, Block, Code, Document, Facts, Stamp, Title, Vacuous
from synthbounds.render.numbers import down, json_integer, up
from synthbounds.render.query_cost import (
    ORIGIN,
    ConfirmFiles,
    again_lines,
    asked_table,
    left_text,
    privacy_payload,
    score_query_payload,
    spent_text,
    written_text,
)
from synthbounds.render.reserving import WITH_QUERIES, privacy_text

_PROOF = "docs/proofs/synthbounds.excess-query.md"


def excess_document(found: ConfirmedExcess, files: ConfirmFiles) -> Document:
    """The sentence, the numbers around it, the price, how to go on."""
    release, query = found.release, found.query
    facts = (
        ("Written", written_text(files)),
        *_facts(found.proved, query, found.model),
        ("Privacy", privacy_text(release, WITH_QUERIES)),
        ("Spent", spent_text(release, query)),
        ("Left", left_text(query, is_kept=files.query is not None)),
        *_ends(query),
    )
    expected = (("expected", up(found.expected), "before the query, for a model as good as the best"),)
    lines = tuple(shlex.quote(path or "query.json") for path in (files.release, files.model, files.query))
    again = "synthbounds certify {} {} --query {}".format(*lines)
    return (
        *_answer("Certificate by a planned query", found.proved, query, release, expected),
        asked_table(query),
        Facts(facts),
        Code(again_lines(files, (again,)), "sh"),
    )


def excess_again_document(proved: ProvedExcess, query: ScoreQuery, release: ReservingRelease, model: Model) -> Document:
    """The same from published files."""
    facts = (*_facts(proved, query, model), ("Privacy", privacy_text(release, WITH_QUERIES)), *_ends(query))
    return (*_answer("Certificate for a model, by its query", proved, query, release), asked_table(query), Facts(facts))


def sentence(proved: ProvedExcess, query: ScoreQuery) -> str:
    """What is certified, in one sentence."""
    if proved.compared_with is not None:
        return statement(proved.compared_with, proved.beta, proved.bound, _largest_intercept(proved))
    sure = decimal_text((1 - proved.beta) * 100, 6, up=False)
    count = _others(query)
    others = "the other model does not have" if count == 1 else f"none of the {count} models has"
    return (
        f"With confidence {sure} %, {others} a mean {proved.loss} loss on the real table that is lower than this "
        f"model's by more than {up(proved.bound)}."
    )


def _largest_intercept(proved: ProvedExcess) -> Fraction | None:
    """Of the class that the certificate is about; None if it has any intercept, or none of its own."""
    return None if proved.compared is None or proved.any_intercept else proved.compared.intercept


def _others(query: ScoreQuery) -> int:
    (over,) = (question for question in query.questions.questions if isinstance(question, ExcessOver))
    return len(over.others)


def _answer(
    title: str,
    proved: ProvedExcess,
    query: ScoreQuery,
    release: ReservingRelease,
    more: tuple[tuple[str, str, str], ...] = (),
) -> tuple[Block, ...]:
    rows = [
        ("excess", up(proved.bound), "at most, certified"),
        *more,
        ("risk", up(proved.risk_hi), "at most, for this model on the real table, certified"),
    ]
    if proved.penalty:
        rows.append(("penalty", up(proved.penalty), "of this model, to be added to its risk"))
    if proved.floor_lo is not None:
        rows.append(("floor", down(max(proved.floor_lo, Fraction(0))), "at least, for every compared model"))
    if proved.constant_lo is not None:
        rows.append(("constant", down(proved.constant_lo), "at least, for every constant score there, certified"))
    rows.append(("verdict", proved.verdict.word, proved.verdict.reason))
    blocks: list[Block] = [Title(title, sentence(proved, query)), Answer(tuple(rows))]
    if release.is_simulated:
        blocks.append(Stamp(NOT_A_RELEASE))
    if proved.verdict.word == VACUOUS:
        blocks.append(Vacuous(proved.verdict.reason))
    return tuple(blocks)


def _facts(proved: ProvedExcess, query: ScoreQuery, model: Model) -> tuple[tuple[str, str], ...]:
    compared_with = proved.compared_with
    if compared_with is None:
        count = _others(query)
        compared = "the other model" if count == 1 else f"{count} other models"
    else:
        words = class_text(compared_with, _largest_intercept(proved)).rstrip(",")
        compared = f"every {words}; {objective_text(compared_with)}"
        if proved.any_intercept and proved.compared is not None and proved.compared.intercept is not None:
            size = show_rational(proved.compared.intercept)
            compared += f"; intercepts were asked for up to {size}, which the release shows to be enough"
    made = model.made or "made elsewhere"
    origin = ORIGIN.get(str(query.about["model_from"]))
    made += f"; {origin}" if origin else ""
    parts = "nine tenths for the excess, one tenth for the numbers next to it"
    if proved.failures.release:
        parts = f"{show_rational(proved.failures.release)} for the release's own noise; of the rest {parts}"
    return (
        ("Compared with", compared),
        ("Model", f"{len(model.coefficients)} coefficients, norm {up(model.norm_hi)}; {made}"),
        ("Holds for", FIXED_BEFORE),
        ("Fails", f"with probability at most {show_rational(proved.beta)} in total: {parts}"),
    )


def _ends(query: ScoreQuery) -> tuple[tuple[str, str], ...]:
    rows = [("Digest", query.digest), ("Proof", _PROOF)]
    if query.seed is not None:
        rows.append(("Seed", str(query.seed)))
    return tuple(rows)


def excess_payload(found: ConfirmedExcess, files: ConfirmFiles) -> dict[str, Any]:
    release, query = found.release, found.query
    return {
        **_shared_payload(found.proved, query, release),
        "expected_est": float(found.expected),
        "query": {"file": files.query} | score_query_payload(query),
        "release": {"file": files.release, "digest": release.digest, "reservation_state": release.reservation_state},
        "replaced": None if files.query is None else files.marked,
        "model": {"file": files.model, "norm": up(found.model.norm_hi, 25), "made": found.model.made},
    }


def excess_again_payload(
    proved: ProvedExcess, query: ScoreQuery, release: ReservingRelease, model: Model
) -> dict[str, Any]:
    return {
        **_shared_payload(proved, query, release),
        "by_query": True,
        "query": score_query_payload(query),
        "release": {"digest": release.digest, "kind": release.KIND, "reservation_state": release.reservation_state},
        "model": {
            "features": list(model.feature_map.names),
            "norm": up(model.norm_hi, 25),
            "made": model.made,
            "release": model.release,
        },
    }


def _shared_payload(proved: ProvedExcess, query: ScoreQuery, release: ReservingRelease) -> dict[str, Any]:
    compared, compared_with = proved.compared, proved.compared_with
    return {
        "ask": EXCESS,
        "statement": sentence(proved, query),
        "verdict": proved.verdict.word,
        "verdict_reason": proved.verdict.reason,
        "excess_upper": up(proved.bound, 25),
        "risk_upper": up(proved.risk_hi, 25),
        "penalty": up(proved.penalty, 25),
        "floor_lower": None if proved.floor_lo is None else down(proved.floor_lo, 25),
        "constant_risk_lower": None if proved.constant_lo is None else down(proved.constant_lo, 25),
        "beta": show_rational(proved.beta),
        "class": None
        if compared is None or compared_with is None
        else {
            "tau": None if compared.tau is None else show_rational(compared.tau),
            "ridge": None if compared.ridge is None else show_rational(compared.ridge),
            "intercept": compared_with.intercept,
            "largest_intercept": None if compared.intercept is None else show_rational(compared.intercept),
            "any_intercept": proved.any_intercept,
            "loss": proved.loss,
        },
        "against": None if compared is not None else _others(query),
        "mode": release.mode,
        "stamp": NOT_A_RELEASE if release.is_simulated else None,
        "privacy": privacy_payload(release, query),
        "seed": None if query.seed is None else json_integer(query.seed),
    }
