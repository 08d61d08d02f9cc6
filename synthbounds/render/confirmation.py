"""The report on a planned query as a document and as JSON: the certificate first, then what it cost, then what next."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any

from bounds.enclosure import decimal_text
from bounds.exact import show_rational
from bounds.privacy.gaussian import gaussian_epsilon
from bounds.privacy.statements import GaussianDP
from mechanisms.models.confirm.ask import Confirmed
from release.noise.kinds import NOT_A_RELEASE
from synthbounds.render.certification import class_text, statement
from synthbounds.render.document import Answer, Block, Code, Document, Facts, Stamp, Title
from synthbounds.render.numbers import json_integer
from synthbounds.render.planned_query import (
    down,
    failure_text,
    line_text,
    parts_table,
    route_payload,
    sensitivity_text,
    up,
)

FIXED_BEFORE = "this model alone; model, norm, penalty and confidence were fixed before the answer was seen"


@dataclass(frozen=True)
class ConfirmFiles:
    """Where everything is."""

    table: str
    release: str
    model: str
    query: str
    previous: str | None


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
    marked = files.release if files.previous is None else files.previous
    rows = [
        ("Written", f"{files.query}; {marked} now says that what was kept is spent: keep this file, not older copies"),
        ("Compared with", f"every {class_text(found.compared_with).rstrip(',')}"),
        (
            "Model",
            f"{len(model.coefficients)} coefficients, norm {up(model.norm_hi)}; {model.made or 'made elsewhere'}",
        ),
        ("Holds for", FIXED_BEFORE),
        ("Query", line_text(found.route)),
        ("Fails", f"with probability {failure_text(found.route)}"),
        ("Privacy", _privacy(found)),
        ("Sensitivity", sensitivity_text(found.route)),
        ("Spent", _spent(found)),
        ("Left", _left(found)),
        ("Digest", query.digest),
        ("Proof", "docs/proofs/synthbounds.gradient-query.md"),
    ]
    if query.seed is not None:
        rows.append(("Seed", str(query.seed)))
    return tuple(rows)


def _privacy(found: Confirmed) -> str:
    release = found.release
    public = f"n = {release.stated_size:,} is public"
    if not release.size_is_exact:
        public = f"n is private, at least {release.stated_size:,}"
    promise = f"epsilon = {show_rational(release.epsilon)}, dp-delta = {show_rational(release.dp_delta)}"
    begins = f"none; a release would have {promise}" if release.is_simulated else promise
    return f"{begins} for the release and all its queries; adjacency {release.adjacency.value}; {public}"


def _spent(found: Confirmed) -> str:
    query, release = found.query, found.release
    so_far = release.mu_squared - query.mu_squared_left
    spent = f"mu^2 = {up(query.mu_squared)} by this query, {up(so_far)} so far, of {up(release.mu_squared)}"
    if found.release.is_simulated:
        return f"nothing; a release would spend {spent}"
    return f"{spent}; so far this is epsilon = {_epsilon_so_far(found)} at the same dp-delta"


def _epsilon_so_far(found: Confirmed, digits: int = 6) -> str:
    release = found.release
    noise = GaussianDP(mu_squared=release.mu_squared - found.query.mu_squared_left, adjacency=release.adjacency)
    reached = gaussian_epsilon(noise, dp_delta=release.dp_delta).epsilon.hi
    return decimal_text(min(reached, release.epsilon), digits, up=True)


def _left(found: Confirmed) -> str:
    query = found.query
    if query.left_state is None:
        return "nothing: a further query is refused"
    return f"mu^2 = {down(query.mu_squared_left)}, {query.left_state}, for one more query (--previous)"


def _next(found: Confirmed, files: ConfirmFiles) -> tuple[str, ...]:
    names = {name: shlex.quote(getattr(files, name)) for name in ("table", "release", "model", "query")}
    lines = ["synthbounds certify {release} {model} --query {query}"]
    if found.query.left_state is not None:
        lines += [
            f"synthbounds train {{release}} --query {{query}} {_class_option(found)} --output model2.json",
            "synthbounds confirm {table} {release} model2.json --previous {query} --output query2.json",
        ]
    return tuple(line.format(**names) for line in lines)


def _class_option(found: Confirmed) -> str:
    if found.compared_with.tau is not None:
        return f"--tau {show_rational(found.compared_with.tau)}"
    assert found.compared_with.ridge is not None
    return f"--ridge {show_rational(found.compared_with.ridge)}"


def confirmation_payload(found: Confirmed, files: ConfirmFiles) -> dict[str, Any]:
    release, query, compared_with = found.release, found.query, found.compared_with
    simulated = release.is_simulated
    return {
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
        "stamp": NOT_A_RELEASE if simulated else None,
        "query": {"file": files.query} | route_payload(found.route),
        "privacy": {
            "epsilon": show_rational(release.epsilon),
            "dp_delta": show_rational(release.dp_delta),
            "adjacency": release.adjacency.value,
            "n": json_integer(release.stated_size) if release.size_is_exact else None,
            "least_size": None if release.size_is_exact else json_integer(release.stated_size),
            "n_is_public": release.size_is_exact,
            "mu_squared": up(release.mu_squared, 25),
            "mu_squared_spent": None if simulated else up(release.mu_squared - query.mu_squared_left, 25),
            "epsilon_spent": None if simulated else _epsilon_so_far(found, 25),
        },
        "release": {"file": files.release, "digest": release.digest, "reservation_state": release.reservation_state},
        "replaced": files.release if files.previous is None else files.previous,
        "model": {"file": files.model, "norm": up(found.model.norm_hi, 25), "made": found.model.made},
        "seed": None if query.seed is None else json_integer(query.seed),
    }
