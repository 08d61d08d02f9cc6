"""The density programme of lp as a mechanism: the only place where a mechanism has a linear programme solved."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

from bounds.enclosure import Enclosure
from bounds.privacy.ledger import Ledger
from bounds.privacy.statements import DP
from lp.synthesis.parameters import SYNTH_PARAMETERS as PROGRAMME_PARAMETERS
from mechanisms.mechanism import Public
from release.data.source import Source
from release.noise.randomness import Randomness
from release.spending import spending

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lp.synthesis.answers import Answers
    from lp.synthesis.ask import SynthesisRequest as SynthesisRequest
    from lp.synthesis.question import Plan, Question
    from lp.synthesis.run import Approve as Approve
    from lp.synthesis.run import Synthesis as Synthesis
    from release.data.domain import Domain
    from release.statistics.families import Family

__all__ = ["PROGRAMME_PARAMETERS", "DensityLP", "programme_promise", "read_programme"]


@dataclass(frozen=True, kw_only=True)
class DensityLP:
    """Boedihardjo's algorithm: noisy answers, the nearest density, rows.

    Over every point of the domain or, if there are too many, over points from a tree of the noisy answers.
    """

    epsilon: Fraction
    randomness: Randomness
    dp_delta: Fraction | None = None
    degree: int = 2
    family: str | None = None
    failure: Fraction = field(default=Fraction(1, 20))

    def plan(self, public: Public) -> Plan:
        from lp.synthesis.synthesis_plan import plan_synthesis

        return plan_synthesis(self._question(public))

    def run(self, source: Source, public: Public, ledger: Ledger) -> tuple[Answers, Ledger]:
        from lp.synthesis.answers import answer, count_records
        from lp.synthesis.points import MeasureSettings

        if not self.randomness.is_simulated:
            public.schema.require_releasable()
        plan = self.plan(public)
        cost = DP(
            epsilon=Enclosure.of(self.epsilon),
            delta=Enclosure.of(plan.noise.dp_delta or 0),
            adjacency=public.adjacency,
        )
        paid = ledger.spend(cost, "answers to queries")  # refused here, before a record is read
        table = count_records(plan.question.family, source, keep=False)
        with spending(is_private=not self.randomness.is_simulated):
            return answer(table, plan, self.randomness, MeasureSettings()), paid

    def make(self, release: Answers) -> Synthesis:
        from lp.synthesis.run import make

        return make(release)

    def _question(self, public: Public) -> Question:
        from lp.synthesis.question import Question, usual_measure

        domain = public.schema.domain
        name = self.family or ("monomials" if domain.is_boolean else "cells")
        degree = min(self.degree, domain.p)
        family = _family(name, domain, degree)
        return Question(
            family=family,
            degree=degree,
            measure=usual_measure(family),
            mode=self.randomness.mode,
            adjacency=public.adjacency,
            size=public.size,
            epsilon=self.epsilon,
            dp_delta=self.dp_delta,
            failure=self.failure,
        )


@lru_cache(maxsize=2)
def _family(name: str, domain: Domain, degree: int) -> Family:
    """The queries: a plan over many budgets asks for the same ones again and again."""
    from release.statistics.families import build_family

    return build_family(name, domain, degree)


def programme_promise(request: SynthesisRequest, public: Public) -> Fraction | None:
    """The error that the requested programme promises, by public facts alone; None if it promises nothing."""
    from lp.synthesis.synthesis_plan import plan_synthesis

    family, degree = request.queries(public.schema.domain)
    promise = plan_synthesis(request.question(family, degree, n=public.size)).promise
    return promise.accuracy if promise.kept else None


def read_programme(parameters: Mapping[str, object], numbers: Mapping[str, Fraction]) -> SynthesisRequest:
    """The given parameters as a request to the programme; parameters for anything else are left out."""
    from lp.synthesis.ask import read_request

    known = {name: value for name, value in parameters.items() if name in PROGRAMME_PARAMETERS}
    return read_request(known, numbers=numbers)
