"""Numbers on the page about objective perturbation: constants of both editions, and what the printed ones are worth."""

from __future__ import annotations

from collections.abc import Iterator
from math import log1p

from bounds.privacy.gaussian import gaussian_epsilon, gaussian_noise
from bounds.privacy.statements import GaussianDP
from mechanisms.regression.objective_perturbation import ObjectivePlan, plan_objective_perturbation
from release.data.domain import Domain
from release.data.schema import schema_of_domain
from release.statistics.features import build_feature_map
from tests.pages.quoted import SETTING, Page
from verify.audit.run import audit

EPSILONS = ("0.05", "0.1", "0.5", "1", "2", "10")
_MAP = build_feature_map(schema_of_domain(Domain((2, 2, 2, 2))), label="x4")


def _plan(epsilon: str, edition: str) -> ObjectivePlan:
    return plan_objective_perturbation(
        _MAP,
        adjacency="add-remove",
        epsilon=epsilon,
        dp_delta="1e-5",
        edition=edition,  # type: ignore[arg-type]
    )


def _worth(plan: ObjectivePlan) -> float:
    """The epsilon of (b)."""
    noise = gaussian_noise(sigma=plan.sigma, sensitivity=plan.sensitivity)
    assert isinstance(noise, GaussianDP)
    least = gaussian_epsilon(noise, dp_delta=plan.dp_delta).epsilon.hi
    return float(least) + log1p(float(plan.sensitivity.squared / (4 * plan.strength)))


def _objective() -> Iterator[str]:
    assert _MAP.squared_norm == 4  # so that sigma over its root is a decimal, too
    for epsilon in EPSILONS:
        both = [_plan(epsilon, edition) for edition in ("printed", "sharp")]
        cells = [f"{float(plan.sigma / 2):.4f}" for plan in both] + [f"{float(plan.delta / 4):.4f}" for plan in both]
        yield f"| {epsilon} | {' | '.join(cells)} |"
    worth = [f"{_worth(_plan(epsilon, 'printed')):.4f} for {epsilon}" for epsilon in ("0.1", "1", "10")]
    yield f"by (b), at $\\delta=10^{{-5}}$, {', '.join(worth)}."
    sharp, printed = (audit(f"objective-{edition}").loss for edition in ("sharp", "printed"))
    assert sharp is not None
    assert sharp.delta is not None
    assert printed is not None
    assert printed.epsilon is not None
    yield (
        f"has a delta of {float(sharp.delta.hi):.5e}".replace("e-06", "e-6")
        + " between two tables of one and two records"
    )
    yield f"the least $\\varepsilon$ at $\\delta=10^{{-5}}$ is {float(printed.epsilon.hi):.4f} on these tables"


PAGES = {
    "synthbounds.objective-perturbation": Page(
        quotes=_objective,
        given={
            SETTING: (
                r"$\delta=10^{-5}$, in units of $\sqrt P$",
                r"At $\varepsilon=1$ and $\delta=10^{-5}$ the plan of (c)",
            )
        },
    )
}
