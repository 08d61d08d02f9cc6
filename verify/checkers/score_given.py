"""Compare the certificate of scores with its release, query and model, all read independently here.

The checker of scores takes questions, noise and answers as given. Here they are compared with the
files they come from; the first field that differs is the reason to reject. Queries are described in
docs/confirm.md, releases in docs/releases.md, models in docs/training.md.
"""

from __future__ import annotations

import hashlib
from typing import Any

from verify.checkers import entries, fields, number, parsed, require, whole
from verify.checkers.given import (
    VERSION,
    digest_with,
    model_digest,
    read_model,
    require_field,
    require_named,
    without_mark,
)
from verify.checkers.given_features import canonical_digest, same_blocks
from verify.checkers.score_file import read_fields

QUERY_ALWAYS = (
    *("synthbounds_query", "kind", "mode", "stamp", "statistic", "adjacency", "release"),
    *("previous", "round", "budget", "about", "noise", "questions", "digest"),
)
SOMETIMES = ("n", "least_size", "seed", "run")
SAME = ("question", "share", "unit", "moved", "deviation")
"""Fields of a row of a query or of floors, as in the certificate."""


def compare(
    certificate: str | bytes,
    release: str | bytes | None,
    query: str | bytes | None,
    model: str | bytes | None,
) -> tuple[list[str], list[str]]:
    """What was compared and agrees, and what must still be taken as given."""
    body = read_fields(parsed(certificate))
    same, left = [], []
    if query is not None:
        require(body["query"] is not None, "query: the certificate is only about a release")
        require_same_query(body, read_query(query))
        same.append("from the query: questions, answers, noise, cost, size, beta and its digest")
        left.append("the query was answered as it says: from records of one table, with that noise")
    if release is not None:
        require_same_release(body, release)
        same.append("from the release: features, floors, and that it paid for the query")
    if model is not None:
        require_same_model(body, model)
        same.append("from the model: its digest")
    return same, left


def read_file(data: str | bytes, where: str) -> dict[str, Any]:
    """The fields of a file whose digest is the one it states."""
    body = parsed(without_mark(data))
    require(isinstance(body, dict), f"{where}: is not an object")
    found: dict[str, Any] = body
    content = {key: value for key, value in found.items() if key != "digest"}
    stated = found.get("digest")
    require(stated == canonical_digest(content), f"{where}: its digest is not its own")
    return found


# the query


def read_query(data: str | bytes) -> dict[str, Any]:
    body = fields(read_file(data, "query"), "query", QUERY_ALWAYS, SOMETIMES)
    whole(body["synthbounds_query"], "query: synthbounds_query", VERSION, VERSION)
    require(body["kind"] == "scores", "query: kind: is not scores")
    fields(body["budget"], "query: budget", ("mu_squared", "left", "left_state"))
    require(isinstance(body["about"], dict), "query: about: is not an object")
    return body


def require_same_query(body: dict[str, Any], query: dict[str, Any]) -> None:
    """Everything that the certificate says about the questions and answers."""
    same = body["query"] == digest_with(query, "left_state", None)
    require_field(same, "query", "query")
    for name in ("adjacency", "release"):
        require_field(body[name] == query[name], name, "query")
    size = query.get("n" if query["adjacency"] == "replace-one" else "least_size")
    require_field(body["size"] == size, "size", "query")
    require_field(body["note"] == (query["stamp"] or ""), "note", "query")
    cost = query["budget"]["mu_squared"]
    require_field(number(body["mu_squared"], "") == number(cost, "query"), "mu_squared", "query")
    about = query["about"]
    for name in ("ask", "model", "model_from"):
        require_field(body[name] == about.get(name), name, "query")
    require_field(number(body["beta"], "") == number(about.get("beta"), "query"), "beta", "query")
    require_same_choice(body["choice"], about)
    require_same_rows(body["questions"], query["questions"], "query")


def require_same_choice(choice: Any, about: dict[str, Any]) -> None:
    share = about.get("choice_share")
    require_field((choice is None) == (share is None), "choice", "query")
    if choice is not None:
        said = number(choice["share"], "choice"), str(choice["among"])
        require_field(said == (number(share, "query"), about.get("among")), "choice", "query")


def require_same_rows(rows: list[Any], others: Any, where: str) -> None:
    listed = entries(others, f"{where}: questions", len(rows), len(rows))
    for row, other in zip(rows, listed, strict=True):
        said = fields(other, f"{where}: questions", (*SAME, "answer"))
        for name in SAME:
            require_field(row[name] == said[name], name, where)
        answers = [str(x) for x in entries(said["answer"], f"{where}: answer", 1, 10_000)]
        require_field(row["answer"] == answers, "answer", where)


# the release


def require_same_release(body: dict[str, Any], data: str | bytes) -> None:
    """It pays for the query, its schema has these features, and its floors are these."""
    release = read_file(data, "release")
    budget = release.get("budget")
    require(isinstance(budget, dict), "release: budget: is not an object")
    paid = digest_with(release, "reservation", None)
    if body["query"] is not None:
        require_field(body["release"] == paid[:32], "release")
    else:
        require_named(body["release"], release)
        require_same_rows(body["questions"], release.get("questions"), "release")
    require_same_features(body["features"], body["questions"], release)
    if body["floors"] is not None:
        said = body["floors"]
        require_named(said["release"], release)
        cost = release["budget"]["mu_squared_spent"]
        same = number(said["mu_squared"], "") == number(cost, "release")
        require_field(same, "floors: mu_squared")
        require_same_rows(said["questions"], release.get("questions"), "release")
        require_same_features(said["features"], said["questions"], release)


def require_same_features(features: Any, rows: list[Any], release: dict[str, Any]) -> None:
    if features is None:
        return
    maps = [row["question"].get("feature_map") for row in rows]
    for place, said in enumerate(maps):
        if said is not None and said not in maps[:place]:
            same = same_blocks(features["blocks"], release.get("schema"), said)
            require_field(same, "features: blocks")


# the model


def require_same_model(body: dict[str, Any], data: str | bytes) -> None:
    """A linear model is identified by its coefficients, any other model by its bytes."""
    require(body["model"] is not None, "model: the certificate names none")
    linear = [row["question"] for row in body["questions"] if "coefficients" in row["question"]]
    if not linear:
        raw = data.encode() if isinstance(data, str) else data
        require_field(body["model"] == hashlib.sha256(raw).hexdigest(), "model", "model")
        return
    features, coefficients = read_model(data)
    for question in linear:
        require_field(question["feature_map"]["digest"] == features, "feature_map", "model")
        stated = [number(value, "coefficients") for value in question["coefficients"]]
        require_field(stated == coefficients, "coefficients", "model")
    said = model_digest(features, coefficients, linear[0]["loss"])
    require_field(body["model"] == said, "model", "model")
