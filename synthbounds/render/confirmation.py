"""The report on a planned query as a document and as JSON: the certificate, then its cost, then how to go on."""

from __future__ import annotations

import shlex
from typing import Any

from bounds.exact import show_rational
from mechanisms.models.confirm.ask import Confirmed
from mechanisms.models.query_parameters import GRADIENT
from release.noise.kinds import NOT_A_RELEASE
from synthbounds.render.certification import class_text, statement
from synthbounds.render.document import Answer, Block, Code, Document, Facts, Stamp, Title
from synthbounds.render.numbers import json_integer, up
from synthbounds.render.planned_query import (
    failure_text,
    line_text,
    parts_table,
    route_payload,
    sensitivity_text,
)
from synthbounds.render.query_cost import (
    ConfirmFiles,
    again_lines,
    left_text,
    privacy_payload,
    spent_text,
    written_text,
)
from synthbounds.render.reserving import WITH_QUERIES, privacy_text

FIXED_BEFORE = "only this model; model, norm, penalty and confidence were fixed before the answer was seen"


def confirmation_document(found: Confirmed, files: ConfirmFiles) -> Document:
    """The sentence, the numbers around it, the price, how to go on."""
    blocks: list[Block] = [
        Title("Certificate by a planned query", sentence(found)),
        Answer(
            (
                ("excess", up(found.bound), "at most, certified"),
                ("expected", up(found.line.expected), "before the query, an estimate"),
            )
        ),
    ]
    if found.release.is_simulated:
        blocks.append(Stamp(NOT_A_RELEASE))
    return (*blocks, parts_table(found.route), Facts(_facts(found, files)), Code(_next(found, files), "sh"))


def sentence(found: Confirmed) -> str:
    return statement(found.compared_with, found.beta, found.bound)


def _facts(found: Confirmed, files: ConfirmFiles) -> tuple[tuple[str, str], ...]:
    query, model = found.query, found.model
    rows = [
        ("Written", written_text(files)),
        ("Compared with", f"every {class_text(found.compared_with).rstrip(',')}"),
        (
            "Model",
            f"{len(model.coefficients)} coefficients, norm {up(model.norm_hi)}; {model.made or 'made elsewhere'}",
        ),
        ("Holds for", FIXED_BEFORE),
        ("Query", line_text(found.route)),
        ("Fails", f"with probability {failure_text(found.route)}"),
        ("Privacy", privacy_text(found.release, WITH_QUERIES)),
        ("Sensitivity", sensitivity_text(found.route)),
        ("Spent", spent_text(found.release, query)),
        ("Left", left_text(query, is_kept=files.query is not None)),
        ("Digest", query.digest),
        ("Proof", "docs/proofs/synthbounds.gradient-query.md"),
    ]
    if query.seed is not None:
        rows.append(("Seed", str(query.seed)))
    return tuple(rows)


def _next(found: Confirmed, files: ConfirmFiles) -> tuple[str, ...]:
    said = {name: getattr(files, name) for name in ("table", "release", "model", "query")}
    names = {name: shlex.quote(path or "query.json") for name, path in said.items()}
    lines = ["synthbounds certify {release} {model} --query {query}"]
    if found.query.left_state is not None:
        lines += [
            f"synthbounds train {{release}} --query {{query}} {_class_option(found)} --output model2.json",
            "synthbounds confirm {table} {release} model2.json --previous {query} --output query2.json",
        ]
    return again_lines(files, tuple(line.format(**names) for line in lines))


def _class_option(found: Confirmed) -> str:
    if found.compared_with.tau is not None:
        return f"--tau {show_rational(found.compared_with.tau)}"
    assert found.compared_with.ridge is not None
    return f"--ridge {show_rational(found.compared_with.ridge)}"


def confirmation_payload(found: Confirmed, files: ConfirmFiles) -> dict[str, Any]:
    release, query, compared_with = found.release, found.query, found.compared_with
    return {
        "ask": GRADIENT,
        "statement": sentence(found),
        "excess_upper": up(found.bound, 25),
        "expected_est": float(found.line.expected),
        "beta": show_rational(found.beta),
        "class": {
            "tau": None if compared_with.tau is None else show_rational(compared_with.tau),
            "ridge": None if compared_with.ridge is None else show_rational(compared_with.ridge),
            "intercept": compared_with.intercept,
            "loss": compared_with.loss,
        },
        "mode": release.mode,
        "stamp": NOT_A_RELEASE if release.is_simulated else None,
        "query": {"file": files.query} | route_payload(found.route),
        "privacy": privacy_payload(release, query),
        "release": {"file": files.release, "digest": release.digest, "reservation_state": release.reservation_state},
        "replaced": None if files.query is None else files.marked,
        "model": {"file": files.model, "norm": up(found.model.norm_hi, 25), "made": found.model.made},
        "seed": None if query.seed is None else json_integer(query.seed),
    }
