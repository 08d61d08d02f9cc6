"""The two steps of the algorithm that see the records: a private reference measure, and noisy answers to queries."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from bounds.enclosure import Enclosure
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from bounds.privacy.statements import DP
from lp.measures import ReferencePoints
from lp.measures.noisy import REFERENCE
from lp.programme.matrices import QueryMatrix, build_matrix, full_matrix
from lp.synthesis.points import POINTS, MeasureSettings, reference_points, stream_for
from lp.synthesis.question import TREE, Plan
from release.account.file import Charge
from release.data.source import as_source
from release.files.fields import integer_json
from release.measure import Measurement, measure
from release.noise.lattice import lattice_sums
from release.noise.randomness import Randomness
from release.private_release import Release, size_field, stamp_of
from release.spending import book_ahead
from release.statistics.contrasts import Contrasts, contrasts_for
from release.statistics.families import Family
from release.statistics.family_sums import at_first_point, family_sums
from release.statistics.statistic import Counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from release.data.domain import Codes
    from release.data.source import Records

ANSWERS = "answers"


@dataclass(frozen=True, kw_only=True)
class CountedTable(Counted):
    """What the algorithm needs from a table: the exact sums of all queries, and perhaps the records themselves."""

    records: Codes | None


def count_records(family: Family, records: Records, *, keep: bool) -> CountedTable:
    """One pass over the records, which are held in memory only if a private measure needs them."""
    source = as_source(records, family.domain)
    if not keep:
        return CountedTable(values=tuple(family_sums(family, source)), n=source.n, records=None)
    none = np.empty((0, family.domain.p), dtype=family.domain.code_type)
    held = np.concatenate([none, *source.batches()])
    return CountedTable(values=tuple(family_sums(family, held)), n=len(held), records=held)


@dataclass(frozen=True, kw_only=True)
class Answers(Release):
    """Noisy answers to the queries of a plan, and the reference points for them: everything that the algorithm saw.

    Points of most measures are drawn before the answers; those of a tree are made from them.
    """

    KIND: ClassVar[str] = ANSWERS

    plan: Plan
    drawn: ReferencePoints | None
    """Before the answers; None if they come from a tree of them."""
    measurement: Measurement
    ledger: Ledger
    seed: int | None
    run: int

    @property
    def adjacency(self) -> Adjacency:
        return self.plan.question.adjacency

    @property
    def is_simulated(self) -> bool:
        return self.measurement.is_simulated

    @property
    def cost(self) -> Ledger:
        return self.ledger

    @cached_property
    def answers(self) -> tuple[Fraction, ...]:
        """The noisy answers, exactly; through contrasts they are combinations of noisy numbers."""
        steps = self.plan.noise.steps
        contrasts = _contrasts(self.plan)
        if contrasts is not None:
            return contrasts.answers(self.measurement.values, one=steps)
        return tuple(Fraction(value) / steps for value in self.measurement.values)

    @cached_property
    def floats(self) -> NDArray[np.float64]:
        """The noisy answers as a solver takes them."""
        return np.array([float(value) for value in self.answers])

    @cached_property
    def points(self) -> ReferencePoints:
        """The reference points, always the same ones in a simulation."""
        if self.drawn is not None:
            return self.drawn
        from lp.measures.tree import tree_points

        question, m = self.plan.question, self.plan.m
        assert m is not None
        stream = stream_for(self.seed, self.run, POINTS)
        return tree_points(question.family, self.floats, m=m, mode=question.mode, generator=stream)

    @cached_property
    def matrix(self) -> QueryMatrix:
        """The queries at these points."""
        family, codes = self.plan.question.family, self.points.codes
        return full_matrix(family) if codes is None else build_matrix(family, codes)

    def body(self) -> dict[str, Any]:
        return header_of(self.plan) | {"answers": [str(value) for value in self.answers]}


def answer(table: CountedTable, plan: Plan, randomness: Randomness, settings: MeasureSettings) -> Answers:
    """The two steps that see the records: a private reference measure, and the noisy answers."""
    seed, run = randomness.seed, randomness.run
    table, plan = _measured(table, plan), plan.measured
    ledger = Ledger.of(_total(plan))
    if plan.measure_epsilon and not randomness.is_simulated:
        book_ahead(_charges(plan))
    drawn = None
    if plan.question.measure != TREE:
        drawn = reference_points(plan, table.records, settings, stream_for(seed, run, POINTS), ledger)
    contrasts = _contrasts(plan)
    sums = table.values if contrasts is None else contrasts.sums(table.values, table.n)
    exact = lattice_sums(plan.noise, sums, n=table.n, anchor=_anchor(plan))
    measurement, ledger = measure(
        Counted(n=table.n, values=tuple(exact)),
        plan.noise.noise,
        ledger if drawn is None or drawn.paid is None else drawn.paid.ledger,
        what=ANSWERS,
        randomness=randomness,
        header=header_of(plan),
    )
    return Answers(plan=plan, drawn=drawn, measurement=measurement, ledger=ledger, seed=seed, run=run)


def _measured(table: CountedTable, plan: Plan) -> CountedTable:
    """The sums that a plan measures: of all queries, or of the one-way ones, which come first in every family."""
    family, one_way = plan.question.family, plan.measured.question.family
    scale = family.denominator // one_way.denominator
    return replace(table, values=tuple(value // scale for value in table.values[: one_way.count]))


def _charges(plan: Plan) -> list[Charge]:
    """All measurements, if the reference measure is private, too."""
    adjacency = plan.question.adjacency
    measure_cost = DP(epsilon=Enclosure.of(plan.measure_epsilon), delta=Enclosure.of(0), adjacency=adjacency)
    return [Charge(what=REFERENCE, cost=measure_cost), Charge(what=ANSWERS, cost=plan.noise.noise.additive_cost)]


def header_of(plan: Plan) -> dict[str, Any]:
    """The public fields around the answers."""
    question, noise = plan.question, plan.noise
    return {
        "kind": ANSWERS,
        "mode": question.mode,
        "stamp": stamp_of(simulated=question.mode == "simulate"),
        "queries": question.family.facts.name,
        "degree": question.degree,
        "sizes": list(question.domain.sizes),
        "measure": question.measure,
        "adjacency": question.adjacency.value,
        size_field(question.adjacency): question.size,
        "mechanism": noise.mechanism,
        "steps": integer_json(noise.steps),
        "k": plan.k,
        "rows": plan.rows,
    }


def _total(plan: Plan) -> DP:
    """The budget of the question, out of which measure and answers are paid."""
    question, delta = plan.question, plan.noise.dp_delta or 0
    return DP(epsilon=Enclosure.of(question.epsilon), delta=Enclosure.of(delta), adjacency=question.adjacency)


def _contrasts(plan: Plan) -> Contrasts | None:
    """The contrasts that get the noise, if the answers themselves do not."""
    mechanism = plan.noise.mechanism
    if mechanism == "contrast-linf" or mechanism == "contrast-gaussian":
        return contrasts_for(plan.question.family, mechanism)
    return None


def _anchor(plan: Plan) -> list[int] | None:
    """Under add-remove, what is measured at the first point of the domain, which is as public as any other."""
    if plan.noise.n_is_public:
        return None
    family, contrasts = plan.question.family, _contrasts(plan)
    return at_first_point(family) if contrasts is None else contrasts.at_first_point()
