"""Logs read from files: what follows from other fields is recomputed, and a file that does not add up is refused.

Every deviation is that of its part of rho, every rate that of its choice, every table has the cells of its columns,
every choice names one of its candidates, and all charges together with what is reserved are the whole budget. So the
contents of a MarginalLog can be relied on.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bounds.errors import DataError
from bounds.parameter import Range
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.amounts import Currency
from bounds.privacy.ledger import Ledger
from release.data.schema import Schema, schema_of
from release.distance.file import DistanceRelease
from release.distance.read import distance_of
from release.files.fields import (
    plain,
    read_exact,
    read_integer,
    read_integers,
    read_whole,
    require_digest,
    require_same,
    require_version,
    within,
)
from release.files.strict_json import Number, is_text, parse_json, read_json_file, require_object, shown
from release.log.file import MarginalLog
from release.log.impossible import impossible_of
from release.log.planned import MARGINAL_LOG, Setting
from release.log.read_queries import AskedQueries, read_rho, require_counts
from release.log.steps import ChoiceStep, Columns, Groups, Shape, Step, TableStep, choice_plan, table_deviation
from release.log.structure import require_structure
from release.parameters import LOG_METHODS
from release.private_release import (
    ALWAYS,
    SOMETIMES,
    VERSION,
    read_drawn,
    read_stated_adjacency,
    read_stated_mode,
    read_stated_size,
)
from release.statistics.query_kinds import queries_of

if TYPE_CHECKING:
    from release.statistics.public_queries import PublicQueries

_PARTS = {"ledger", "method", "settings", "impossible", "groups", "candidates", "steps", "distance"}
_QUERIES = "queries"
_UNFINISHED = "unfinished"
_MORE = SOMETIMES | {"stamp", "statistic", _QUERIES, _UNFINISHED}
"""Fields that follow from others must be present, too, and agree with them; the rest depend on what was released."""


def read_log(path: str | Path) -> MarginalLog:
    """The log in a file."""
    return parse_log(*read_json_file(path, "release"))


def parse_log(text: str, where: str = "release") -> MarginalLog:
    """The log in JSON text; `where` begins every error message."""
    return log_of(parse_json(text, where), where)


def log_of(body: object, where: str) -> MarginalLog:
    """The log in an object that parse_json has read."""
    if isinstance(body, dict) and "synthbounds_recovery" in body:
        raise DataError(f"{where}: is what an unfinished release had paid for, not a log; its cost is spent")
    if isinstance(body, dict) and body.get("kind", MARGINAL_LOG) != MARGINAL_LOG:
        raise DataError(f'{where}: kind = {shown(body["kind"])}: must be "{MARGINAL_LOG}"')
    fields = require_object(body, where, ALWAYS | _PARTS, _MORE)
    require_version(fields, "synthbounds_release", VERSION, where)
    require_digest(fields, where)
    found = _log(fields, where)
    _require_paid(found, f"{where}: ledger")
    require_structure(found, where)
    require_same(found.to_json(), fields, where)
    return found


def _log(fields: dict[str, Any], where: str) -> MarginalLog:
    mode, adjacency = read_stated_mode(fields, where), read_stated_adjacency(fields, where)
    schema = schema_of(fields["schema"], f"{where}: schema")
    if mode == "release":
        within(schema.require_public, where)
    if fields["method"] not in LOG_METHODS:
        raise DataError(f"{where}: method = {shown(fields['method'])}: must be one of {', '.join(LOG_METHODS)}")
    shape = within(lambda: Shape(schema.domain.sizes, _groups(fields["groups"], schema, where)), where)
    queries = _queries(fields, schema, where)
    found = within(
        lambda: MarginalLog(
            schema=schema,
            method=str(fields["method"]),
            settings=_settings(fields["settings"], f"{where}: settings"),
            mode=mode,
            ledger=_ledger(fields["ledger"], adjacency, where),
            stated_size=read_stated_size(fields, adjacency, where),
            impossible=impossible_of(fields["impossible"], schema, where),
            queries=queries,
            steps=_steps(fields, schema, shape, queries, adjacency, where),
            groups=shape.groups,
            unfinished=_unfinished(fields, where),
            **read_drawn(fields, where, simulated=mode == "simulate"),
        ),
        where,
    )
    if fields["distance"] is None:
        return found
    return replace(found, distance=_distance(fields["distance"], found, f"{where}: distance"))


def _ledger(body: object, adjacency: Adjacency, where: str) -> Ledger:
    ledger = within(lambda: Ledger.from_json(plain(body, f"{where}: ledger")), where)
    if ledger.adjacency is not adjacency:
        raise DataError(f"{where}: the ledger is for {ledger.adjacency.value}, the release for {adjacency.value}")
    if ledger.currency is not Currency.RHO:
        raise DataError(f"{where}: the ledger counts {ledger.currency.text}: must count {Currency.RHO.text}")
    if ledger.target is None:
        raise DataError(f"{where}: ledger: target = null: must be the epsilon and delta that the log was made for")
    return ledger


def _require_paid(log: MarginalLog, where: str) -> None:
    """One entry for all steps, with their total cost; together with the reservation that is the whole budget."""
    steps = sum((step.rho for step in log.steps), log.unfinished)
    booked = [entry.amount for entry in log.ledger.entries if entry.what == MARGINAL_LOG and not entry.reserve]
    if booked != [steps]:
        raise DataError(f"{where}: does not add up: all steps together cost rho = {shown(str(steps))}, in one entry")
    if log.ledger.left or steps != log.rho:
        raise DataError(f"{where}: does not add up: {log.ledger.text()}; a finished log has nothing left")
    drawn = [entry.what for entry in log.ledger.entries if entry.reserve]
    if len(drawn) != (log.distance is not None):
        raise DataError(f"{where}: a distance goes with an entry that its reservation paid, and with no other")


def _unfinished(fields: dict[str, Any], where: str) -> Fraction:
    """What an interrupted log paid for steps that are not in it."""
    if _UNFINISHED not in fields:
        return Fraction(0)
    return read_exact(fields[_UNFINISHED], _UNFINISHED, where, allowed=Range(above=0, reason="left out where it is 0"))


def _queries(fields: dict[str, Any], schema: Schema, where: str) -> tuple[PublicQueries, ...]:
    """The workloads of a log that has any."""
    if _QUERIES not in fields:
        return ()
    found = _list(fields[_QUERIES], f"{where}: {_QUERIES}")
    return tuple(queries_of(item, schema, f"{where}: {_QUERIES}[{i}]") for i, item in enumerate(found))


def _settings(body: object, where: str) -> dict[str, Setting]:
    if not isinstance(body, dict):
        raise DataError(f"{where}: must be an object")
    return {name: _setting(value, where, name) for name, value in body.items()}


def _setting(value: object, where: str, name: str) -> Setting:
    if isinstance(value, Number):
        return read_whole(value, f"{where}: {shown(name)}")
    if isinstance(value, list):
        return tuple(_text(item, where, name) for item in value)
    return _text(value, where, name)


def _text(value: object, where: str, name: str) -> str:
    if not is_text(value):
        raise DataError(f"{where}: {shown(name)} = {shown(value)}: must be text, texts or a whole number")
    return str(value)


def _groups(body: object, schema: Schema, where: str) -> Groups | None:
    if body is None:
        return None
    sizes = schema.domain.sizes
    if not isinstance(body, list) or len(body) != len(sizes):
        raise DataError(f"{where}: groups: must be null, or a list of {len(sizes)} lists, one for each column")
    return tuple(read_integers(group, sizes[u], f"{where}: groups[{u}]") for u, group in enumerate(body))


def _steps(
    fields: dict[str, Any],
    schema: Schema,
    shape: Shape,
    queries: tuple[PublicQueries, ...],
    adjacency: Adjacency,
    where: str,
) -> tuple[Step, ...]:
    candidates = tuple(
        _places(item, len(schema.columns), f"{where}: candidates[{i}]")
        for i, item in enumerate(_list(fields["candidates"], f"{where}: candidates"))
    )
    found: list[Step] = []
    asked = AskedQueries(queries, adjacency)
    for i, item in enumerate(_list(fields["steps"], f"{where}: steps")):
        place = f"{where}: steps[{i}]"
        if isinstance(item, dict) and "table" in item:
            found.append(_table(item, schema, shape, adjacency, place))
        elif isinstance(item, dict) and "answers_of" in item:
            found.append(asked.answers(item, place))
        elif isinstance(item, dict) and "queries_of" in item:
            found.append(asked.choice(item, place))
        else:
            found.append(_choice(item, schema, candidates, adjacency, place))
    return tuple(found)


def _table(body: object, schema: Schema, shape: Shape, adjacency: Adjacency, where: str) -> TableStep:
    fields = require_object(body, where, {"table", "rho", "sd", "counts"})
    columns, rho = _columns(fields["table"], schema, f"{where}: table"), read_rho(fields, where)
    sd = within(lambda: table_deviation(rho, adjacency), where)
    if read_exact(fields["sd"], "sd", where) != sd:
        raise DataError(f"{where}: sd = {shown(fields['sd'])}: {sd} follows from its rho")
    counts = read_integers(fields["counts"], shape.cells(columns), f"{where}: counts")
    require_counts(counts, f"{where}: counts")
    return TableStep(columns=columns, sd=sd, rho=rho, counts=counts)


def _choice(
    body: object, schema: Schema, candidates: tuple[Columns, ...], adjacency: Adjacency, where: str
) -> ChoiceStep:
    fields = require_object(body, where, {"choice", "among", "moved", "rho", "rate"})
    chosen, rho = _columns(fields["choice"], schema, f"{where}: choice"), read_rho(fields, where)
    moved = read_integer(fields["moved"], f"{where}: moved", least=1)
    among = tuple(candidates[place] for place in _among(fields["among"], len(candidates), f"{where}: among"))
    if chosen not in among:
        raise DataError(f"{where}: choice = {shown(fields['choice'])}: is not among its candidates")
    rate = within(lambda: choice_plan(len(among), moved=moved, rho=rho, adjacency=adjacency).rate, where)
    if read_exact(fields["rate"], "rate", where) != rate:
        raise DataError(f"{where}: rate = {shown(fields['rate'])}: {rate} follows from its rho")
    return ChoiceStep(candidates=among, moved=moved, rho=rho, chosen=chosen)


def _among(body: object, count: int, where: str) -> list[int]:
    """The places that ranges mean; they rise and do not touch."""
    places: list[int] = []
    last = -1
    for i, item in enumerate(_list(body, where)):
        start, end = read_integers(item, 2, f"{where}[{i}]")
        if not last < start < end <= count:
            raise DataError(f"{where}[{i}] = {shown(item)}: must be a range of candidates beyond the one before it")
        places += range(start, end)
        last = end
    if not places:
        raise DataError(f"{where}: must be ranges of at least one candidate")
    return places


def _columns(body: object, schema: Schema, where: str) -> Columns:
    """Columns given by name, in the order of the schema."""
    places = schema.places
    if not isinstance(body, list) or not all(is_text(name) and name in places for name in body):
        raise DataError(f"{where} = {shown(body)}: must be a list of columns of the schema")
    return _rising(tuple(places[name] for name in body), where)


def _places(body: object, count: int, where: str) -> Columns:
    """Columns given by their places in the schema."""
    found = tuple(read_whole(item, f"{where}[{i}]", least=0) for i, item in enumerate(_list(body, where)))
    if any(place >= count for place in found):
        raise DataError(f"{where} = {shown(body)}: must be places of columns, from 0 to {count - 1}")
    return _rising(found, where)


def _rising(columns: Columns, where: str) -> Columns:
    if not columns or list(columns) != sorted(set(columns)):
        raise DataError(f"{where}: must be different columns, at least one, in the order of the schema")
    return columns


def _list(body: object, where: str) -> list[Any]:
    if not isinstance(body, list):
        raise DataError(f"{where}: must be a list")
    return body


def _distance(body: object, log: MarginalLog, where: str) -> DistanceRelease:
    found = distance_of(body, where)
    same = {
        "schema": found.schema == log.schema,
        "mode": found.mode == log.mode,
        "ledger": found.ledger == log.ledger,
        "n": found.stated_size == log.stated_size or not log.size_is_exact,
        "seed": found.seed == log.seed,
        "run": found.run == log.run,
    }
    for name, holds in same.items():
        if not holds:
            raise DataError(f"{where}: {name}: is not that of the log")
    return found
