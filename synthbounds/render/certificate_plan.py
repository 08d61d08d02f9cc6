"""The plan of a certificate as a document and as JSON: what to expect before any budget is spent."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from bounds.certify.verdict import VACUOUS
from bounds.exact import show_rational
from bounds.privacy.adjacency import Adjacency
from mechanisms.models.plan.certificate_plan import Plan
from mechanisms.models.plan.query_forecast import QueryForecast
from synthbounds.render.certification import class_text, objective_text
from synthbounds.render.document import Answer, Block, Document, Facts, Table, Title, Vacuous
from synthbounds.render.numbers import json_integer, up
from synthbounds.render.shared import NOTHING_EXPECTED


def plan_document(plan: Plan, solved: str | None, target: Fraction | None) -> Document:
    """The expected certificate first, then both degrees and the query side by side, then what it rests on."""
    question = plan.question
    rows = [("excess", _about(plan.best_est), f"expected of the certificate, an estimate: {plan.verdict_est}")]
    if solved is not None and target is not None:
        value = f"{question.n:,}" if solved == "n" else show_rational(question.epsilon)
        what = "records" if solved == "n" else "in total"
        rows.insert(0, (solved, value, f"{what}, expected to be enough for {show_rational(target)}"))
    blocks: list[Block] = [
        Title("Plan of a certificate", "Sizes of certificates are estimates: the moments of the table are guessed."),
        Answer(tuple(rows)),
    ]
    if plan.verdict_est == VACUOUS:
        blocks.append(Vacuous(NOTHING_EXPECTED))
    return (*blocks, _ways(plan), Facts(_facts(plan)))


def _about(value: float) -> str:
    return f"{value:.3g}"


def _ways(plan: Plan) -> Table:
    rows = [("release alone, degree 2", _about(plan.degree2_est))]
    if plan.degree4_est is not None:
        rows.append(("release alone, degree 4", _about(plan.degree4_est)))
    if plan.question.reserve:
        rows.append(("release that keeps nothing for a query", _about(plan.unreserved_est)))
    for query in plan.queries:
        what = f"with one query for the {query.ask}, share {show_rational(query.reserve)} of the budget kept"
        rows.append((what, _about(query.bound_est)))
    return Table("Routes (estimates)", ("", "excess"), tuple(rows), right=frozenset({1}))


def _facts(plan: Plan) -> tuple[tuple[str, str], ...]:
    question = plan.question
    is_public = question.adjacency is Adjacency.REPLACE_ONE
    size = f"n = {question.n:,} is public" if is_public else f"n is private, at least {question.n:,}"
    if plan.query is None:
        query = "none is possible for this class"
    elif plan.query_pays:
        share = show_rational(plan.query.reserve)
        query = f"keeping a share of {share} for one query ({plan.query.ask}) is expected to pay off"
    else:
        gain = (
            "would gain less than a tenth"
            if plan.query.bound_est < plan.unreserved_est
            else "would give a larger bound"
        )
        query = f"keeping budget for a query is not expected to pay off: it {gain}"
    return (
        (
            "Compared with",
            f"every {class_text(question.compared_with).rstrip(',')}; {objective_text(question.compared_with)}",
        ),
        (
            "Privacy",
            f"epsilon = {show_rational(question.epsilon)}, dp-delta = {up(question.delta)} in total; adjacency "
            f"{question.adjacency.value}; {size}; planning spends nothing",
        ),
        ("Query", query),
        (
            "Event",
            f"first moments within {up(plan.first_radius)}, second within {up(plan.second_radius)} (certified), "
            f"except with probability {show_rational(question.beta)}",
        ),
        ("Guessed from", plan.source),
    )


def plan_payload(plan: Plan, solved: str | None, target: Fraction | None) -> dict[str, Any]:
    question = plan.question
    return {
        "plan": True,
        "solved_for": solved,
        "target": None if target is None else show_rational(target),
        "n": json_integer(question.n),
        "epsilon": show_rational(question.epsilon),
        "dp_delta": up(question.delta, 25),
        "adjacency": question.adjacency.value,
        "reserve": show_rational(question.reserve),
        "beta": show_rational(question.beta),
        "excess_est": plan.best_est,
        "degree2_est": plan.degree2_est,
        "degree4_est": plan.degree4_est,
        "verdict_est": plan.verdict_est,
        "query": None if plan.query is None else {**_query_payload(plan.query), "pays": plan.query_pays},
        "queries": [_query_payload(query) for query in plan.queries],
        "event": {"first_radius": up(plan.first_radius, 25), "second_radius": up(plan.second_radius, 25)},
        "guess": plan.source,
    }


def _query_payload(query: QueryForecast) -> dict[str, Any]:
    return {"ask": query.ask, "reserve": show_rational(query.reserve), "excess_est": query.bound_est}
