"""Before anything is spent: errors of a release by method and epsilon, and how large a certificate of a model will be.

Both can be solved for n or epsilon, given an error or a target.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from bounds.errors import UsageError
from bounds.exact import Exact
from bounds.shown import Shown

if TYPE_CHECKING:
    from bounds.privacy.adjacency import Adjacency
    from mechanisms.models.plan.certificate_plan import Plan
    from mechanisms.planning.error_plan import ErrorPlan
    from release.data.schema import Schema
    from release.moments.file import MomentRelease

__all__ = ["PlannedCertificate", "plan", "plan_release"]

_ANY_SIZE = 1000
"""In place of n while it is solved for."""


@dataclass(frozen=True)
class PlannedCertificate(Shown):
    """A plan, and what was solved for to reach a target."""

    plan: Plan
    solved: str | None
    target: Fraction | None


def plan(
    *,
    n: Exact | None = None,
    epsilon: Exact | None = None,
    target: Exact | None = None,
    features: Exact | None = None,
    like: str | Path | MomentRelease | None = None,
    dp_delta: Exact | None = None,
    adjacency: Adjacency | str | None = None,
    reserve: Exact | None = None,
    fourth: bool = False,
    tau: Exact | None = None,
    ridge: Exact | None = None,
    loss: str | None = None,
    intercept: str | None = None,
    beta: Exact | None = None,
) -> PlannedCertificate:
    """The forecast for a table of n records and a budget; with a target, n or epsilon is left out and solved for.

    >>> found = plan(features=4, n=20_000, epsilon=1)
    >>> 0 < found.plan.best_est < 0.5, found.solved
    (True, None)
    """
    said = {name: value for name, value in locals().items() if value is not None}
    from bounds.certify.classes import ModelClass, norm_bound
    from bounds.certify.problem import require_reach
    from bounds.parameters import PARAMETERS
    from bounds.privacy.adjacency import read_adjacency
    from mechanisms.models.parameters import DEFAULT_TAU, TRAINING_PARAMETERS, read_certify_numbers
    from mechanisms.models.plan.certificate_plan import Planner, Question
    from mechanisms.models.plan.reference import like as resembling
    from mechanisms.models.plan.reference import reference
    from release.moments.read import read_release
    from release.parameters import DEFAULT_BETA

    numbers = read_certify_numbers({name: value for name, value in said.items() if name != "fourth"})
    if like is not None and "features" in numbers:
        raise UsageError("features and like are both given: an earlier release has its own features")
    if like is None and "features" not in numbers:
        raise UsageError("features: give their number, including the intercept, or --like with an earlier release")
    wanted = numbers.get("target")
    missing = [name for name in ("n", "epsilon") if name not in numbers]
    if len(missing) != (0 if wanted is None else 1):
        needs = "both n and epsilon" if wanted is None else "exactly one of n and epsilon: the other is solved for"
        raise UsageError(f"{' and '.join(missing) or 'n and epsilon'}: a plan needs {needs}")
    compared_with = ModelClass(
        loss=loss or str(TRAINING_PARAMETERS["loss"].default),
        tau=numbers.get("tau", None if "ridge" in numbers else DEFAULT_TAU),
        ridge=numbers.get("ridge"),
        intercept=intercept or str(TRAINING_PARAMETERS["intercept"].default),
    )
    require_reach(norm_bound(compared_with))  # before the guess, which takes long for many features
    if like is None:
        guess = reference(int(numbers["features"]))
    else:
        guess = resembling(read_release(like) if isinstance(like, str | Path) else like)
    question = Question(
        n=int(numbers.get("n", _ANY_SIZE)),
        epsilon=numbers.get("epsilon", Fraction(1)),
        dp_delta=numbers.get("dp_delta"),
        adjacency=read_adjacency(adjacency or PARAMETERS["adjacency"].default),
        reserve=numbers.get("reserve", Fraction(0)),
        fourth=fourth,
        compared_with=compared_with,
        beta=numbers.get("beta", DEFAULT_BETA),
    )
    planner, solved = Planner(guess, compared_with), missing[0] if missing else None
    if wanted is None or solved is None:
        found = planner.plan(question)
    else:
        found = planner.with_records(question, wanted) if solved == "n" else planner.with_epsilon(question, wanted)
    return PlannedCertificate(found, solved, wanted)


def plan_release(
    schema: str | Path | Schema,
    *,
    n: Exact | None = None,
    least_size: Exact | None = None,
    adjacency: Adjacency | str | None = None,
    label: str | None = None,
    epsilon: Exact | None = None,
    dp_delta: Exact | None = None,
    beta: Exact | None = None,
    error: Exact | None = None,
    of: str | None = None,
    method: str | None = None,
) -> ErrorPlan:
    """Errors of one-way shares, two-way cells and moments by every method, over epsilon, with and without delta.

    All that is needed is a schema, or its file, and n. Given an acceptable `error`, `of` one kind and by one method or
    whichever needs least, epsilon is found, or n if epsilon is given instead of n.

    >>> from release.data.columns import LevelColumn
    >>> from release.data.schema import PUBLIC, Schema
    >>> answers = Schema(tuple(LevelColumn(name, ("no", "yes")) for name in ("a", "b", "c")), PUBLIC)
    >>> found = plan_release(answers, n=10_000, error="0.01")
    >>> str(found.least(pure=True).value), str(found.least(pure=True).neighbour)
    ('21/200', '13/125')
    """
    from bounds.parameters import PARAMETERS
    from bounds.privacy.adjacency import Adjacency as Neighbours
    from bounds.privacy.adjacency import read_adjacency
    from mechanisms.planning.error_plan import ErrorQuestion, Wanted, plan_errors
    from mechanisms.planning.parameters import PLAN_PARAMETERS, read_plan_numbers
    from release.data.schema import Schema as Declared
    from release.data.schema import read_schema
    from release.parameters import DEFAULT_BETA

    given = {"n": n, "least_size": least_size, "epsilon": epsilon, "dp_delta": dp_delta, "beta": beta, "error": error}
    numbers = read_plan_numbers({name: value for name, value in given.items() if value is not None})
    PLAN_PARAMETERS["schema"].require(schema)
    neighbours = read_adjacency(adjacency or PARAMETERS["adjacency"].default)
    name, other = ("least_size", "n") if neighbours is Neighbours.ADD_REMOVE else ("n", "least_size")
    if other in numbers:
        raise UsageError(f"{other.replace('_', '-')}: under {neighbours.value} give {name.replace('_', '-')}")
    wanted = None
    if "error" in numbers:
        chosen = None if method is None else PLAN_PARAMETERS["method"].choice(method)
        wanted = Wanted(error=numbers["error"], kind=PLAN_PARAMETERS["of"].choice(of), method=chosen)
    elif of is not None or method is not None:
        raise UsageError("of and method are for --error: without an error, everything is shown")
    size = numbers.get(name)
    return plan_errors(
        ErrorQuestion(
            schema=schema if isinstance(schema, Declared) else read_schema(schema),
            adjacency=neighbours,
            size=None if size is None else int(size),
            beta=numbers.get("beta", DEFAULT_BETA),
            epsilon=numbers.get("epsilon"),
            dp_delta=numbers.get("dp_delta"),
            label=label,
            wanted=wanted,
        )
    )
