"""Answers to planned queries read from files: every field is checked, and what follows from others is computed again.

An answer is read beside the release it belongs to. A file that was changed, or that belongs to another release, is
refused with one line that says where.
"""

from __future__ import annotations

import hashlib
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

from bounds.certify.margin_losses import LOSSES
from bounds.errors import DataError, SynthboundsError
from bounds.exact import parse_rational
from release.files.strict_json import Number, is_text, parse_json, read_json_file, require_object, shown
from release.gradient.make import GRADIENT, MOST_ROUNDS, VERSION, GradientQuery
from release.moments.file import LARGEST_JSON_INTEGER, OPEN, SPENT, MomentRelease
from release.statistics.features import canonical_json

_WHOLE = re.compile(r"-?(0|[1-9][0-9]{0,99})", re.ASCII)
_ALWAYS = {
    "synthbounds_query",
    "kind",
    "mode",
    "stamp",
    "statistic",
    "adjacency",
    "release",
    "previous",
    "round",
    "feature_map",
    "model",
    "offset",
    "slope",
    "sensitivity",
    "noise",
    "budget",
    "sums",
    "digest",
}


def read_query(path: str | Path, release: MomentRelease) -> GradientQuery:
    """The answer in a file, for that release."""
    text, where = read_json_file(path, "query")
    return parse_query(text, release, where=where)


def parse_query(text: str, release: MomentRelease, *, where: str = "query") -> GradientQuery:
    """The answer in JSON text, for that release; `where` begins every complaint."""
    fields = require_object(parse_json(text, where), where, _ALWAYS, {"n", "least_size", "seed", "run"})
    version = fields["synthbounds_query"]
    if not isinstance(version, Number) or version != str(VERSION):
        raise DataError(f"{where}: synthbounds_query = {shown(version)}: must be {VERSION}")
    if fields["kind"] != GRADIENT:
        raise DataError(f'{where}: kind = {shown(fields["kind"])}: must be "{GRADIENT}"')
    plain = _plain(fields, where)
    digest = plain.pop("digest")
    if digest != hashlib.sha256(canonical_json(plain).encode()).hexdigest():
        raise DataError(f"{where}: digest: is not that of the content; the file has been changed")
    if fields["release"] != release.reservation_id or release.reservation_id is None:
        raise DataError(f"{where}: release: this query belongs to another release")
    try:
        found = _query(fields, release, where)
        computed = found.to_json()
    except DataError:
        raise
    except SynthboundsError as error:
        raise DataError(f"{where}: {error}") from None
    for key in fields:
        if key not in computed:
            raise DataError(f"{where}: {shown(key)} is not a field here")
    for key, value in computed.items():
        if key != "digest" and canonical_json(value) != canonical_json(plain.get(key)):
            raise DataError(f"{where}: {key} = {shown(fields.get(key))}: {shown(value)} follows from the other fields")
    _require_budget(found, release, where)
    return found


def _query(fields: dict[str, Any], release: MomentRelease, where: str) -> GradientQuery:
    model = require_object(fields["model"], f"{where}: model", {"digest", "loss", "coefficients"})
    budget = require_object(fields["budget"], f"{where}: budget", {"mu_squared", "left", "left_state"})
    p = release.feature_map.size
    if not isinstance(model["coefficients"], list) or len(model["coefficients"]) != p:
        raise DataError(f"{where}: model: coefficients: must be a list of {p}, one for each feature")
    if not is_text(model["loss"]) or model["loss"] not in LOSSES:
        raise DataError(f"{where}: model: loss = {shown(model['loss'])}: must be one of {', '.join(LOSSES)}")
    if not isinstance(fields["sums"], list) or len(fields["sums"]) != p:
        raise DataError(f"{where}: sums: must be a list of {p} whole numbers")
    if budget["left_state"] not in (None, OPEN, SPENT):
        raise DataError(f"{where}: budget: left_state = {shown(budget['left_state'])}: must be {OPEN} or {SPENT}")
    previous = fields["previous"]
    if previous is not None and not (is_text(previous) and re.fullmatch("[0-9a-f]{64}", previous)):
        raise DataError(f"{where}: previous = {shown(previous)}: must be the digest of a query")
    simulated = release.is_simulated
    for name in ("seed", "run"):
        if (name in fields) != simulated:
            raise DataError(f"{where}: {name} goes with mode simulate, and with no other")
    return GradientQuery(
        feature_map=release.feature_map,
        mode=release.mode,
        adjacency=release.adjacency,
        stated_size=release.stated_size,
        release_id=str(fields["release"]),
        previous=previous,
        round=_whole(fields["round"], f"{where}: round"),
        coefficients=tuple(
            _rational(value, f"{where}: model: coefficients[{i}]") for i, value in enumerate(model["coefficients"])
        ),
        loss=str(model["loss"]),
        offset=_rational(fields["offset"], f"{where}: offset"),
        slope=_rational(fields["slope"], f"{where}: slope"),
        mu_squared=_rational(budget["mu_squared"], f"{where}: budget: mu_squared"),
        mu_squared_left=_rational(budget["left"], f"{where}: budget: left"),
        left_state=budget["left_state"],
        sums=tuple(_sum(value, f"{where}: sums[{i}]") for i, value in enumerate(fields["sums"])),
        seed=_counter(fields["seed"], f"{where}: seed") if simulated else None,
        run=_counter(fields["run"], f"{where}: run") if simulated else None,
    )


def _require_budget(query: GradientQuery, release: MomentRelease, where: str) -> None:
    """A first query spends the reservation and no more; later ones are checked against it, too."""
    kept = release.budget.mu_squared_reserved
    spent, left = query.mu_squared, query.mu_squared_left
    first = query.previous is None
    if not 1 <= query.round <= MOST_ROUNDS or first != (query.round == 1):
        raise DataError(f"{where}: round = {query.round}: does not fit the query before it")
    if spent <= 0 or left < 0 or (query.left_state is None) != (left == 0):
        raise DataError(f"{where}: budget: what is spent is positive, and what is left has a state")
    if (spent + left != kept) if first else (spent + left >= kept):
        raise DataError(f"{where}: budget: is not that of the reservation")


def _plain(body: object, where: str) -> Any:
    if isinstance(body, Number):
        return _whole(body, where)
    if isinstance(body, dict):
        return {key: _plain(value, where) for key, value in body.items()}
    if isinstance(body, list):
        return [_plain(value, where) for value in body]
    return body


def _whole(body: object, where: str) -> int:
    if not isinstance(body, Number) or not _WHOLE.fullmatch(body) or body == "-0":
        raise DataError(f"{where} = {shown(body)}: must be a whole number")
    return int(body)


def _sum(body: object, where: str) -> int:
    if not isinstance(body, str) or not _WHOLE.fullmatch(body) or body == "-0":
        raise DataError(f"{where} = {shown(body)}: must be a whole number")
    if isinstance(body, Number) != (abs(int(body)) <= LARGEST_JSON_INTEGER):
        raise DataError(f"{where} = {shown(body)}: is a number up to 2^53, and text above")
    return int(body)


def _counter(body: object, where: str) -> int:
    if not is_text(body) or not _WHOLE.fullmatch(str(body)) or not 0 <= int(str(body)) < 2**64:
        raise DataError(f"{where} = {shown(body)}: must be a whole number from 0 to 2^64 - 1, in quotes")
    return int(str(body))


def _rational(body: object, where: str) -> Fraction:
    if not is_text(body):
        raise DataError(f"{where} = {shown(body)}: must be an exact number in quotes, such as 1/2")
    try:
        return parse_rational(str(body), "value")
    except SynthboundsError as error:
        raise DataError(f"{where}: {error}") from None
