"""From raw values to a synthetic table: the options are read and checked once, then a method runs on the records.

This is the single entry point for the command line and for Python, for every method.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from bounds.errors import UsageError
from bounds.parameter import Parameter, read_numbers
from bounds.privacy.adjacency import Adjacency
from mechanisms.density_lp import PROGRAMME_PARAMETERS, programme_promise, read_programme
from mechanisms.mechanism import Public
from mechanisms.synth.choose import Choice, Wish, choose, decided_by_options, possible
from mechanisms.synth.make import TableRequest, make_by_moments, make_independent, public_size, read_records
from mechanisms.synth.make_by_log import make_by_log
from mechanisms.synth.parameters import (
    KNOWING_LABELS,
    LABEL,
    LOG_OPTIONS,
    LOGGED,
    LP,
    METHOD,
    MOMENTS,
    POINT_OPTIONS,
    SYNTH_OPTIONS,
)
from release.noise.kinds import Mode
from release.noise.randomness import read_randomness
from release.parameters import read_privacy, require_given

if TYPE_CHECKING:
    from mechanisms.density_lp import Approve, Synthesis, SynthesisRequest
    from mechanisms.synth.private_table import PrivateTable
    from release.data.schema import Schema
    from release.data.source import Source
    from release.statistics.families import Family

PARAMETERS: dict[str, Parameter] = {
    **PROGRAMME_PARAMETERS,
    **{parameter.name: parameter for parameter in SYNTH_OPTIONS},
}
SWITCHES = ("anyway", "exact", "certificate", "release", "log", "impossible", "labels", "numbers")
"""Options without a number or a choice that belong only to some methods."""

_WHOLE = ("degree", *(parameter.name for parameter in (*LOG_OPTIONS, *POINT_OPTIONS)))
"""Integer options of methods with a log."""

Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class SynthRequest:
    """A requested table, checked as far as possible before any record is seen."""

    mode: Mode
    adjacency: Adjacency
    wish: Wish
    programme: SynthesisRequest | None
    """The request to the linear programme; None if that is out of the question."""
    table: TableRequest | None
    """The request to the other methods."""
    decided: Choice | None
    """The method, if options alone decide it."""

    def run(
        self,
        source: Source,
        schema: Schema,
        *,
        own_family: Family | None = None,
        anyway: bool = False,
        exact: bool = False,
        approve: Approve | None = None,
        progress: Say | None = None,
    ) -> Synthesis | PrivateTable:
        """The table, by the requested or chosen method; `approve` may refuse the plan of the programme."""
        if self.table is None:
            assert self.decided is not None
            assert self.programme is not None
            found = self.programme.run(
                source,
                schema.domain,
                own_family=own_family,
                anyway=anyway,
                exact=exact,
                approve=approve,
                progress=progress,
            )
            return replace(found, because=self.decided.reason)
        records = read_records(source)
        size = public_size(records, self.table.adjacency, self.table.least_size)
        public = Public(schema=schema, adjacency=self.table.adjacency, size=size)
        choice = self.choice(public)
        if choice.method == LP:
            assert self.programme is not None
            solved = self.programme.run(records, schema.domain, progress=progress)
            return replace(solved, because=choice.reason, advice=choice.advice)
        if choice.method == MOMENTS:
            return make_by_moments(records, self.table, schema, choice, say=progress)
        if choice.method in LOGGED:
            return make_by_log(records, self.table, schema, choice, say=progress)
        return make_independent(records, self.table, schema, choice)

    def choice(self, public: Public) -> Choice:
        """The method to use, by public facts."""
        return self.decided or choose(self.wish, public, self._promise)

    def _promise(self, public: Public) -> Fraction | None:
        assert self.programme is not None
        return programme_promise(self.programme, public)


def read_request(parameters: Mapping[str, object]) -> SynthRequest:
    """Refuse, before the table is read, requests that could not run on any table; None and False mean not given."""
    given = {name: value for name, value in parameters.items() if value is not None and value is not False}
    require_given(given, "mode")
    require_given(given, "epsilon")
    mode, adjacency = read_privacy(
        given["mode"], given.get("adjacency"), seed=given.get("seed"), least_size=given.get("least_size")
    )
    plain = {name: value for name, value in given.items() if name not in SWITCHES}
    numbers = read_numbers(PARAMETERS, plain, of="a synthesis")
    wish = Wish(
        method=METHOD.choice(given.get("method")),
        epsilon=numbers["epsilon"],
        dp_delta=numbers.get("dp_delta"),
        failure=numbers.get("failure", PROGRAMME_PARAMETERS["failure"].number()),
        options=tuple(given),
        label=None if "label" not in given else str(given["label"]),
        k=int(numbers["k"]) if "k" in numbers else None,
    )
    if set(possible(wish)) <= {MOMENTS, *LOGGED}:
        require_given(given, "dp_delta")
    decided = decided_by_options(wish)
    if "distance" in given:
        LABEL.require(given.get("label"))
    elif wish.label is not None and not set(possible(wish)) & set(KNOWING_LABELS):
        known = " or ".join(KNOWING_LABELS)
        raise UsageError(f"label is for --method {known}, or with --distance: {wish.method} uses no label")
    if "labels" in given and "label" in given:
        raise UsageError("labels: give either labels or label, not both")
    programme = None
    if LP in possible(wish):
        programme = read_programme(plain, numbers)
    if decided is not None and decided.method == LP:
        return SynthRequest(mode=mode, adjacency=adjacency, wish=wish, programme=programme, table=None, decided=decided)
    seed = int(numbers.get("seed", PROGRAMME_PARAMETERS["seed"].number())) if mode == "simulate" else None
    table = TableRequest(
        adjacency=adjacency,
        least_size=int(numbers["least_size"]) if "least_size" in numbers else None,
        epsilon=wish.epsilon,
        dp_delta=wish.dp_delta,
        failure=wish.failure,
        randomness=read_randomness(mode, seed=seed),
        label=wish.label,
        labels=_names(given, "labels") or (),
        numbers=_names(given, "numbers"),
        k=wish.k,
        distance=numbers.get("distance", Fraction(0)),
        mechanism=PROGRAMME_PARAMETERS["mechanism"].choice(given["mechanism"]) if "mechanism" in given else None,
        settings={name: int(numbers[name]) for name in _WHOLE if name in numbers},
        impossible=None if "impossible" not in given else Path(str(given["impossible"])),
    )
    table.require_rows()
    return SynthRequest(mode=mode, adjacency=adjacency, wish=wish, programme=programme, table=table, decided=decided)


def _names(given: Mapping[str, object], option: str) -> tuple[str, ...] | None:
    """The columns of a given list; an empty list is refused."""
    said = given.get(option)
    if said is None:
        return None
    if isinstance(said, str) or not isinstance(said, Iterable):
        raise UsageError(f"{option}: must be a list of columns")
    names = tuple(str(name) for name in said)
    if not names:
        raise UsageError(f"{option}: names no column")
    return names
