"""A log as a release: every table that was measured and every choice, with the cost of each, and its file.

Logs are made in release.log.make, files are read and checked in release.log.read.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from bounds.privacy.ledger import Ledger
from release.files.digest import digest_of
from release.files.fields import integer_json
from release.log.planned import MARGINAL_LOG, LogPlan
from release.log.steps import (
    AnswersStep,
    ChoiceStep,
    Columns,
    Groups,
    QueriesChoiceStep,
    Shape,
    Step,
    TableStep,
    choice_plan,
    order_of,
)
from release.private_release import VERSION, Release, size_field, stamp_of

if TYPE_CHECKING:
    from release.distance.file import DistanceRelease


@dataclass(frozen=True, kw_only=True)
class MarginalLog(LogPlan, Release):
    """What a method measured and chose, in its order; make it with `OpenLog`."""

    KIND: ClassVar[str] = MARGINAL_LOG
    ROWS: ClassVar[tuple[str, ...]] = ("candidates", "steps")

    steps: tuple[Step, ...]
    groups: Groups | None = None
    """Merged codes of every column, as in tables of two or more columns; None if nothing was merged."""
    distance: DistanceRelease | None = None
    """How far the finished table's moments are from the real ones, paid for by the reservation for it."""
    unfinished: Fraction = Fraction(0)
    """rho that was paid for steps of which nothing was kept, as the run was interrupted. It is spent like the rest."""
    seed: int | None = None
    run: int | None = None

    @property
    def cost(self) -> Ledger:
        return self.ledger

    @property
    def tables(self) -> tuple[TableStep, ...]:
        return tuple(step for step in self.steps if isinstance(step, TableStep))

    @property
    def choices(self) -> tuple[ChoiceStep, ...]:
        return tuple(step for step in self.steps if isinstance(step, ChoiceStep))

    @property
    def answers(self) -> tuple[AnswersStep, ...]:
        return tuple(step for step in self.steps if isinstance(step, AnswersStep))

    @property
    def query_choices(self) -> tuple[QueriesChoiceStep, ...]:
        return tuple(step for step in self.steps if isinstance(step, QueriesChoiceStep))

    @cached_property
    def shape(self) -> Shape:
        """The number of codes of the columns of its tables."""
        return Shape(self.schema.domain.sizes, self.groups)

    @cached_property
    def total_est(self) -> float:
        return self.total_said(self.tables)

    @cached_property
    def candidates(self) -> tuple[Columns, ...]:
        """All sets of columns among which any choice was made, in their fixed order."""
        return tuple(sorted({columns for choice in self.choices for columns in choice.candidates}, key=order_of))

    @cached_property
    def rows_digest(self) -> str:
        """Of everything but the distance and its payment: the rows that are drawn from a log come before both."""
        return digest_of({key: value for key, value in self.body().items() if key not in ("ledger", "distance")})

    def body(self) -> dict[str, Any]:
        found: dict[str, Any] = {
            "synthbounds_release": VERSION,
            "kind": self.KIND,
            "mode": self.mode,
            "stamp": stamp_of(simulated=self.is_simulated),
            "statistic": self.statistic,
            "adjacency": self.adjacency.value,
            size_field(self.adjacency): self.stated_size,
            "ledger": self.ledger.to_json(),
            **self.said(),
            "groups": groups_json(self.groups),
            "candidates": [list(columns) for columns in self.candidates],
            "steps": [self._step_json(step) for step in self.steps],
            "distance": None if self.distance is None else self.distance.to_json(),
        }
        if self.unfinished:
            found["unfinished"] = str(self.unfinished)
        return found | ({"seed": str(self.seed), "run": str(self.run)} if self.is_simulated else {})

    def _step_json(self, step: Step) -> dict[str, Any]:
        if isinstance(step, TableStep):
            return {
                "table": self._names(step.columns),
                "rho": str(step.rho),
                "sd": str(step.sd),
                "counts": [integer_json(value) for value in step.counts],
            }
        if isinstance(step, AnswersStep):
            return {
                "answers_of": step.workload,
                "queries": list(step.queries),
                "rho": str(step.rho),
                "sd": str(step.sd),
                "sums": [integer_json(value) for value in step.sums],
            }
        if isinstance(step, QueriesChoiceStep):
            return {
                "queries_of": step.workload,
                "chosen": list(step.chosen),
                "moved": integer_json(step.moved),
                "rho": str(step.rho),
            }
        plan = choice_plan(len(step.candidates), moved=step.moved, rho=step.rho, adjacency=self.adjacency)
        return {
            "choice": self._names(step.chosen),
            "among": _ranges([self._places[columns] for columns in step.candidates]),
            "moved": integer_json(step.moved),
            "rho": str(step.rho),
            "rate": str(plan.rate),
        }

    def _names(self, columns: Columns) -> list[str]:
        return [self.schema.names[place] for place in columns]

    @cached_property
    def _places(self) -> dict[Columns, int]:
        return {columns: place for place, columns in enumerate(self.candidates)}


def groups_json(groups: Groups | None) -> list[list[int]] | None:
    return None if groups is None else [list(group) for group in groups]


def _ranges(places: list[int]) -> list[list[int]]:
    """Increasing places as ranges, the end of each not included: choices are often among nearly all candidates."""
    found: list[list[int]] = []
    for place in places:
        if found and found[-1][1] == place:
            found[-1][1] = place + 1
        else:
            found.append([place, place + 1])
    return found
