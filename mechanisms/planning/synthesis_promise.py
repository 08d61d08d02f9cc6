"""What the linear programme promises in advance about one- and two-way cells: the seam through which it is planned."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from bounds.errors import NotApplicable
from bounds.privacy.adjacency import Adjacency
from lp.synthesis.ask import read_request
from lp.synthesis.synthesis_plan import plan_synthesis
from mechanisms.planning.forecast import Budget, Planned
from release.data.domain import Domain
from release.statistics.families import Family, build_family


@dataclass(frozen=True, kw_only=True)
class Promised:
    """The largest error of any cell of the synthetic table, and the noise that was cheapest for it."""

    accuracy: Fraction
    noise: str


def promised(planned: Planned, budget: Budget, *, degree: int) -> Promised:
    """As `synth --method lp --family cells` would promise it; NotApplicable with the reason where it promises nothing."""
    public = planned.public
    asked = read_request(
        {
            "mode": "release",
            "adjacency": public.adjacency.value,
            "least_size": public.size if public.adjacency is Adjacency.ADD_REMOVE else None,
            "epsilon": budget.epsilon,
            "dp_delta": budget.dp_delta,
            "failure": planned.beta,
        }
    )
    question = asked.question(_cells(public.schema.domain, degree), degree, n=public.size)
    plan = plan_synthesis(question)
    if plan.promise.accuracy is None:
        raise NotApplicable(plan.promise.broken)
    return Promised(accuracy=plan.promise.accuracy, noise=plan.noise.mechanism)


@lru_cache(maxsize=2)
def _cells(domain: Domain, degree: int) -> Family:
    return build_family("cells", domain, degree)
