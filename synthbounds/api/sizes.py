"""Sizes of a release: records, reference points and synthetic rows that suffice, compared, inverted, bounded below.

Numbers are exact: text, integers, fractions, or floats as their shortest decimal. None means not given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from bounds.errors import SynthboundsError
from bounds.exact import Exact
from bounds.shown import Rows
from synthbounds.api.questions import Setting, SizeQuestion, asks, said_of_sizes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from bounds.privacy.adjacency import Adjacency
    from bounds.sizes.require import ComparisonRow
    from bounds.sizes.requirement import Requirement
    from bounds.sizes.solve_for import Inversion
    from bounds.sizes.sweep import SweepResult

__all__ = ["compare", "lower_bound", "require", "require_many", "solve_for", "sweep_estimates"]


@asks(SizeQuestion, edition="sharp")
def require(**question: Unpack[SizeQuestion]) -> Requirement:
    """How many records n, reference points m and synthetic rows k suffice, with certificates.

    The promise is accuracy 8 delta with failure probability 4 gamma; `accuracy` and `failure` may be given
    instead. Every integer is proved to be the smallest: the condition holds at it and fails one below. Instead of p and
    t, a schema or its file may say how many columns there are and how many levels each has.

    >>> paper = require(measure="uniform", edition="printed", p=3, degree=2, epsilon=".2", delta=".5", gamma=".25")
    >>> paper.n, paper.m, paper.k, paper.guarantee.vacuous
    (467, 896, 14, True)
    >>> all(term.certificate.is_valid for term in paper.terms)
    True
    """
    from bounds.sizes.require import require as answer

    return answer(**said_of_sizes(question))


def require_many(
    questions: Sequence[Mapping[str, Any]],
    *,
    workers: Exact | None = None,
    scheduler: str | None = None,
    certificates: str | Path | None = None,
) -> tuple[Requirement | SynthboundsError, ...]:
    """A sweep with certificates: `require` for each question, in order, by processes here or workers of a scheduler.

    If a question is refused, the refusal takes the place of its answer.

    >>> few = [{"p": p, "degree": 2, "epsilon": "0.2", "accuracy": "0.4", "failure": "0.05"} for p in (3, 5, 0)]
    >>> first, second, refused = require_many(few)
    >>> first.n, second.n, str(refused)
    (221, 322, 'p = 0: must be at least 1 and at most 1000000000 (number of attributes)')
    """
    from verify.spread.workers import Workers

    by = Workers.asked(workers, scheduler, certificates)
    return tuple(by.answers("synthbounds.api.sizes:answer_to", questions))


def answer_to(question: Mapping[str, Any]) -> Requirement | SynthboundsError:
    """For a worker: the answer to one question, or why there is none."""
    try:
        return require(**question)
    except SynthboundsError as refusal:
        return refusal


@asks(Setting)
def compare(**question: Unpack[Setting]) -> Rows[ComparisonRow]:
    """Every theorem and edition at the same parameters, one row each; refusals give their reason.

    >>> rows = compare(p=10, degree=2, epsilon=".2", delta=".05", gamma=".05")
    >>> min(row.requirement.n for row in rows if row.requirement is not None)
    440
    """
    from bounds.sizes.require import ComparisonRow
    from bounds.sizes.require import compare as answer

    return Rows(answer(**said_of_sizes(question)), of=ComparisonRow)


@asks(SizeQuestion, edition="sharp")
def solve_for(parameter: str, *, n: Exact, **question: Unpack[SizeQuestion]) -> Inversion:
    """Smallest epsilon, delta or gamma (or accuracy or failure), or largest degree, that n records allow.

    >>> answer = solve_for("epsilon", n=2000, p=10, degree=2, delta=".05", gamma=".05")
    >>> str(answer.value), answer.requirement.n, answer.neighbour_n
    ('87851/2000000', 2000, 2001)
    """
    from bounds.sizes.solve_for import solve_for as answer

    return answer(parameter, n=n, **said_of_sizes(question))


def lower_bound(
    *,
    p: Exact,
    epsilon: Exact,
    accuracy: Exact,
    failure: Exact,
    dp_delta: Exact | None = None,
    adjacency: Adjacency | str | None = None,
    t: Exact | None = None,
    degree: Exact | None = None,
    family: str | None = None,
    queries: Exact | None = None,
) -> Requirement:
    """Records below which no mechanism keeps the promise for every data set; one-way queries if none are named.

    >>> lower_bound(p=10, epsilon=".2", accuracy=".4", failure=".05").n
    72
    """
    if queries is None and degree is None:
        degree = 1
    given = {name: value for name, value in locals().items() if value is not None}
    from bounds.sizes.require import require as answer

    return answer(theorem="synthbounds.lower-bound", **given)


def sweep_estimates(
    theorem_id: str,
    *,
    edition: str = "sharp",
    route: str | None = None,
    family: str = "monomials",
    p: int | None = None,
    t: int = 2,
    degree: int | None = None,
    queries: int | None = None,
    adjacency: str = "replace-one",
    **arrays: ArrayLike,
) -> SweepResult:
    """Sizes over whole arrays of parameters, in floating point: estimates for plots, never certificates.

    >>> sweep_estimates("bojkovic2024.uniform", edition="printed", p=3, degree=2,
    ...                 epsilon=[0.2, 0.4], delta=0.5, gamma=0.25).n_est.tolist()
    [467.0, 234.0]
    """
    from bounds.registry import find_theorem
    from bounds.sizes.sweep import sweep as answer

    swept: dict[str, Any] = {**arrays}
    return answer(
        find_theorem(theorem_id),
        edition,
        route=route,
        family=family,
        p=p,
        t=t,
        degree=degree,
        queries=queries,
        adjacency=adjacency,
        **swept,
    )
