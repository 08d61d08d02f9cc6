"""The steps of a log about public queries, read from its file: answers and choices, each checked against its cost."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from bounds.errors import DataError
from bounds.parameter import Range
from bounds.privacy.adjacency import Adjacency
from release.files.fields import read_exact, read_integer, read_integers, read_whole, within
from release.files.strict_json import require_object, shown
from release.log.steps import AnswersStep, QueriesChoiceStep, answers_noise, choice_plan

if TYPE_CHECKING:
    from release.statistics.public_queries import PublicQueries

_COUNTS = 2**53
_RHO = Range(above=0, reason="every step costs something")


class AskedQueries:
    """The workloads of a log, and which of their queries were chosen so far: none is chosen twice."""

    def __init__(self, queries: Sequence[PublicQueries], adjacency: Adjacency) -> None:
        self._queries, self._adjacency = queries, adjacency
        self._chosen: list[set[int]] = [set() for _ in queries]

    def answers(self, body: object, where: str) -> AnswersStep:
        fields = require_object(body, where, {"answers_of", "queries", "rho", "sd", "sums"})
        place, rho = self._workload(fields["answers_of"], f"{where}: answers_of"), read_rho(fields, where)
        workload = self._queries[place]
        asked = self._numbers(fields["queries"], f"{where}: queries")
        within(lambda: workload.require_queries(asked), where)
        noise = within(lambda: answers_noise(workload, asked, rho, self._adjacency, "release"), where)
        sd = noise.scales
        assert isinstance(sd, Fraction)
        if read_exact(fields["sd"], "sd", where) != sd:
            raise DataError(f"{where}: sd = {shown(fields['sd'])}: {sd} follows from its rho")
        sums = read_integers(fields["sums"], noise.count, f"{where}: sums")
        require_counts(sums, f"{where}: sums", unit=workload.denominator)
        return AnswersStep(workload=place, queries=asked, sd=sd, rho=rho, sums=sums)

    def choice(self, body: object, where: str) -> QueriesChoiceStep:
        fields = require_object(body, where, {"queries_of", "chosen", "moved", "rho"})
        place, rho = self._workload(fields["queries_of"], f"{where}: queries_of"), read_rho(fields, where)
        before, workload = self._chosen[place], self._queries[place]
        chosen = self._numbers(fields["chosen"], f"{where}: chosen")
        within(lambda: workload.require_queries(chosen), where)
        if before.intersection(chosen):
            raise DataError(f"{where}: chosen: has a query that was chosen before")
        moved, left = read_integer(fields["moved"], f"{where}: moved", least=1), workload.count - len(before)
        within(
            lambda: choice_plan(left, moved=moved, rho=rho, adjacency=self._adjacency, winners=len(chosen)).rate, where
        )
        before.update(chosen)
        return QueriesChoiceStep(workload=place, moved=moved, rho=rho, chosen=chosen)

    def _workload(self, value: object, where: str) -> int:
        found = read_whole(value, where, least=0)
        if found >= len(self._queries):
            raise DataError(f"{where} = {found}: the log has {len(self._queries)} workloads of queries, from 0 on")
        return found

    def _numbers(self, body: object, where: str) -> tuple[int, ...]:
        if not isinstance(body, list) or not body:
            raise DataError(f"{where}: must be a list of numbers of queries")
        return tuple(read_whole(item, f"{where}[{i}]", least=0) for i, item in enumerate(body))


def read_rho(fields: dict[str, Any], where: str) -> Fraction:
    """What a step cost."""
    return read_exact(fields["rho"], "rho", where, allowed=_RHO)


def require_counts(counts: Sequence[int], where: str, *, unit: int = 1) -> None:
    """Refuse numbers that no noise yields from counts, or from sums to which a record adds up to `unit`."""
    if max(map(abs, counts)) >= _COUNTS * unit:
        times = "" if unit == 1 else f" times {unit}"
        raise DataError(f"{where}: must be between -2^53 and 2^53{times}; no noise yields others")
