"""A claim about an experiment: what all of them have in common."""

from __future__ import annotations

from collections.abc import Callable

from verify.claim import Claim, Evidence, Kind, Lost, Method, Scope, Verdict
from verify.experiments.rerun import Rerun


def empirical(
    name: str,
    paper: str,
    locator: str,
    statement: str,
    quote: str | Lost,
    expected: Verdict,
    check: Callable[[], Evidence],
    corrected: str,
    *,
    rerun: Rerun | None,
    hypotheses: tuple[str, ...] = (),
) -> Claim:
    """Judged by recorded runs; `corrected` describes these, with any further remarks."""
    return Claim(
        name,
        paper,
        locator,
        statement,
        expected,
        Method.FLOAT,
        check,
        corrected,
        hypotheses=hypotheses,
        quote=quote,
        scope=Scope.INSTANCES,
        kind=Kind.EMPIRICAL,
        rerun=rerun,
    )
