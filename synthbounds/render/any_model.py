"""The report on a query about predictions, or on its answer read again: as a document and as JSON."""

from __future__ import annotations

import shlex
from fractions import Fraction
from typing import Any

from bounds.certify.verdict import VACUOUS
from bounds.enclosure import Enclosure, decimal_text
from bounds.exact import show_rational
from mechanisms.models.confirm.scored import Scored
from release.noise.kinds import NOT_A_RELEASE
from release.reserving import ReservingRelease
from release.scores.best import choice_of
from release.statistics.area_under_curve import AreaUnderCurve
from release.statistics.predicted_loss import PredictedLoss
from release.statistics.prediction_choices import FROM_TABLE
from synthbounds.render.document import Answer, Block, Code, Document, Facts, Stamp, Table, Title, Vacuous
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

PROOF = "docs/proofs/synthbounds.any-model.md"
_LOSSES = {"log": "mean log loss", "zero-one": "error rate", "brier": "Brier score"}


def scored_document(
    found: Scored, release: ReservingRelease, files: ConfirmFiles | None = None, half_width: Fraction | None = None
) -> Document:
    """The sentence, the interval, what it is compared with, the price; without files, an answer was read again."""
    query = found.query
    blocks: list[Block] = [Title("What a query says about a model", sentence(found))]
    if found.value is not None:
        blocks.append(Answer(_rows(found, half_width)))
    if release.is_simulated:
        blocks.append(Stamp(NOT_A_RELEASE))
    if found.verdict is not None and found.verdict.word == VACUOUS:
        blocks.append(Vacuous(found.verdict.reason))
    if found.floors:
        blocks.append(_floor_table(found))
    if found.bins:
        blocks.append(_bin_table(found))
    written = () if files is None else (("Written", written_text(files)),)
    facts = (
        *written,
        ("Model", _model(found)),
        *_choice(found),
        ("Holds for", "the records of the table; model, question and confidence were fixed before the answer was seen"),
        ("Assumes", "a prediction depends only on its own record and on the model"),
        ("Fails", f"with probability at most {show_rational(found.beta)} in total"),
        ("Privacy", privacy_text(release, WITH_QUERIES)),
        ("Spent", spent_text(release, query)),
        ("Left", left_text(query, is_kept=files is None or files.query is not None)),
        ("Digest", query.digest),
        ("Proof", PROOF),
    )
    if query.seed is not None:
        facts = (*facts, ("Seed", str(query.seed)))
    again: tuple[Block, ...] = ()
    if files is not None:
        names = [files.release, *([] if files.model is None else [files.model])]
        line = f"synthbounds certify {shlex.join(names)} --query {shlex.quote(files.query or 'query.json')}"
        again = (Code(again_lines(files, (line,)), "sh"),)
    return (*blocks, asked_table(query), Facts(facts), *again)


def sentence(found: Scored) -> str:
    sure = decimal_text((1 - found.beta) * 100, 6, up=False)
    if found.value is None:
        return f"With confidence {sure} %, the share of positives is within its interval in all bins at once."
    begins = f"With confidence {sure} %, the {_what(found)} of this model on the real table is between "
    said = f"{begins}{down(found.value.lo)} and {up(found.value.hi)}."
    better = [floor for floor in found.floors if floor.difference.hi < 0]
    if better:
        said += (
            f" It is better than every linear model of norm at most {show_rational(better[-1].tau)} by at least "
            f"{down(-better[-1].difference.hi)}."
        )
    return said


def _what(found: Scored) -> str:
    question = found.question
    return _LOSSES[question.loss] if isinstance(question, PredictedLoss) else "area under the ROC curve"


def _rows(found: Scored, half_width: Fraction | None) -> tuple[tuple[str, str, str], ...]:
    assert found.value is not None
    assert found.verdict is not None
    rows = [
        ("at least", down(found.value.lo), f"{_what(found)}, certified"),
        ("at most", up(found.value.hi), f"{_what(found)}, certified"),
    ]
    if half_width is not None:
        rows.append(("expected", up(half_width), "half the width of the interval, before the query"))
    if found.constant is not None:
        rows.append(("constant", down(found.constant), "at least, for every constant prediction there, certified"))
    return (*rows, ("verdict", found.verdict.word, found.verdict.reason))


def _model(found: Scored) -> str:
    about = found.query.about
    chosen = "" if about.get("among") is None else f", chosen from {about['among']}"
    digest = "no file was given for it" if about["model"] is None else f"its file has SHA-256 {about['model']}"
    return f"that of {about['name']}{chosen}; {digest}; {ORIGIN.get(str(about['model_from']), 'of unknown origin')}"


def _choice(found: Scored) -> tuple[tuple[str, str], ...]:
    """By what, and how sharply, the best of several was chosen."""
    choice = choice_of(found.query)
    if choice is None:
        return ()
    share, epsilon = show_rational(found.query.choice_share), show_rational(choice.epsilon)
    rate = "epsilon/D" if choice.same_way else "epsilon/(2 D)"
    paid = f"epsilon = {epsilon}, paid with {share} of the query's mu^2, and D is how far one record moves a score"
    return (("Choice", f"the best of {choice.count:,} by scores with geometric noise of rate {rate}; {paid}"),)


def _floor_table(found: Scored) -> Table:
    rows = tuple(
        (
            show_rational(floor.tau),
            _between(floor.floor),
            _between(floor.difference),
            "better than all of them" if floor.difference.hi < 0 else "",
        )
        for floor in found.floors
    )
    columns = ("norm", "the best linear model", "this model minus it", "")
    return Table(f"Compared with linear models, {_what(found)}", columns, rows, right=frozenset({0, 1, 2}))


def _bin_table(found: Scored) -> Table:
    rows = tuple(
        (
            f"{_short(each.lo)} to {_short(each.hi)}",
            f"{each.noisy_size:,}",
            _between(each.share),
            "may be" if each.may_be_calibrated else "no",
        )
        for each in found.bins
    )
    columns = ("prediction", "records, with noise", "share of positives", "calibrated")
    return Table("Calibration", columns, rows, right=frozenset({1, 2}))


def _short(value: Fraction) -> str:
    return decimal_text(value, 4, up=False)


def _between(interval: Enclosure) -> str:
    return f"{down(interval.lo)} to {up(interval.hi)}"


def scored_payload(
    found: Scored, release: ReservingRelease, files: ConfirmFiles | None = None, half_width: Fraction | None = None
) -> dict[str, Any]:
    query, question = found.query, found.question
    about, verdict = query.about, found.verdict
    body: dict[str, Any] = {
        "ask": about["ask"],
        "statement": sentence(found),
        "beta": show_rational(found.beta),
        "loss": question.loss if isinstance(question, PredictedLoss) else None,
        "clip": show_rational(question.clip) if isinstance(question, PredictedLoss) and question.clip else None,
        "least_sizes": _least_sizes(question),
        "interval": None if found.value is None else _ends(found.value),
        "verdict": None if verdict is None else verdict.word,
        "verdict_reason": None if verdict is None else verdict.reason,
        "constant_risk_lower": None if found.constant is None else down(found.constant, 25),
        "floors": [
            {"tau": show_rational(each.tau), "floor": _ends(each.floor), "difference": _ends(each.difference)}
            for each in found.floors
        ],
        "bins": [
            {
                "from": show_rational(each.lo),
                "to": show_rational(each.hi),
                "noisy_size": json_integer(each.noisy_size),
                "share": _ends(each.share),
                "may_be_calibrated": each.may_be_calibrated,
            }
            for each in found.bins
        ],
        "model": {
            "name": about["name"],
            "digest": about["model"],
            "from": about["model_from"],
            "is_private": about["model_from"] != FROM_TABLE,
            "note": ORIGIN.get(str(about["model_from"]), ""),
            "among": None if about.get("among") is None else int(about["among"]),
        },
        "mode": release.mode,
        "stamp": NOT_A_RELEASE if release.is_simulated else None,
        "privacy": privacy_payload(release, query),
        "seed": None if query.seed is None else json_integer(query.seed),
        "query": score_query_payload(query),
        "release": {"digest": release.digest, "kind": release.KIND, "reservation_state": release.reservation_state},
    }
    if files is not None:
        body["query"] = {"file": files.query} | body["query"]
        body["release"] = {"file": files.release} | body["release"]
        body["replaced"] = None if files.query is None else files.marked
        body["half_width_est"] = None if half_width is None else float(half_width)
    return body


def _least_sizes(question: object) -> dict[str, Any] | None:
    if not isinstance(question, AreaUnderCurve):
        return None
    return {"positive": json_integer(question.least_positive), "other": json_integer(question.least_other)}


def _ends(interval: Enclosure) -> dict[str, str]:
    return {"lo": down(interval.lo, 25), "hi": up(interval.hi, 25)}
