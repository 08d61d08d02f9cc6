"""Run the ledger: each claim's check and its second route, if there is one, by any workers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bounds.errors import ParameterError
from bounds.nearest import did_you_mean
from bounds.shown import Shown
from verify.claim import AGAINST, CERTAIN, Claim, Evidence, Scope, Verdict
from verify.ledger import all_claims, claims_at
from verify.spread.workers import HERE, Workers


@dataclass(frozen=True)
class ClaimResult(Shown):
    """What running a claim found."""

    claim: Claim
    evidence: Evidence
    again: Evidence | None
    seconds: float

    def __str__(self) -> str:
        verdict = "not run" if self.evidence.verdict is None else self.evidence.verdict.value
        return f"{self.claim.id} {verdict}"

    @property
    def not_run(self) -> bool:
        return self.evidence.verdict is None

    @property
    def agrees(self) -> bool | None:
        """Whether all routes that could be run reach the stated verdict; None if the first could not be run."""
        if self.not_run:
            return None
        verdicts = [self.evidence.verdict] if self.again is None else [self.evidence.verdict, self.again.verdict]
        return all(verdict is self.claim.expected for verdict in verdicts if verdict is not None)

    @property
    def certain(self) -> bool:
        """By a method that proves, and not only for some cases."""
        return self.claim.method in CERTAIN and self.claim.scope is not Scope.INSTANCES and not self.not_run


def choose(*, paper: str | None = None, claim_id: str | None = None) -> tuple[Claim, ...]:
    """The claims of a paper, or whose id is or begins with the given one."""
    papers = sorted({claim.paper for claim in all_claims()})
    if paper is not None and paper not in papers:
        raise ParameterError("paper", paper, "one of " + ", ".join(papers), "papers with claims in the ledger")
    found = tuple(c for c in all_claims() if paper is None or c.paper == paper)
    if claim_id is not None:
        exactly = tuple(c for c in found if c.id == claim_id)
        found = exactly or tuple(c for c in found if c.id.startswith(f"{claim_id}.")) or claims_at(claim_id, found)
    if not found:
        raise ParameterError(
            "id", claim_id, "the id of a claim, its beginning, or a place such as 'Theorem 3.2'", _ids_near(claim_id)
        )
    return found


def _ids_near(said: str | None) -> str:
    return did_you_mean(str(said), (claim.id for claim in all_claims()), "see `synthbounds verify`")


def run_claim(claim: Claim, *, thorough: bool = False) -> ClaimResult:
    """Both routes of one claim, timed; for an experiment, if asked, the second route repeats some of its runs."""
    started = time.perf_counter()
    evidence = claim.check()
    again = claim.again() if claim.again is not None and evidence.verdict is not None else None
    if thorough and claim.rerun is not None:
        again = _made_again(claim)
    return ClaimResult(claim, evidence, again, time.perf_counter() - started)


def _made_again(claim: Claim) -> Evidence:
    """Repeated runs that agree with the record leave the verdict as it is; others leave it open."""
    assert claim.rerun is not None
    found = claim.rerun.make()
    verdict = None if found.good is None else claim.expected if found.good else Verdict.OPEN
    return Evidence(verdict, found.text)


def run_claims(
    claims: Iterable[Claim],
    *,
    workers: Workers = HERE,
    thorough: bool = False,
    progress: Callable[[str], None] | None = None,
) -> tuple[ClaimResult, ...]:
    """Results in the order of the claims, whichever workers are used."""
    chosen, found = tuple(claims), []
    answers = workers.answers("verify.run:checked", [(claim.id, thorough) for claim in chosen])
    for i, claim in enumerate(chosen, start=1):
        if progress is not None:
            progress(f"{i} of {len(chosen)}: {claim.id}")
        found.append(ClaimResult(claim, *next(answers)))
    return tuple(found)


def checked(item: tuple[str, bool]) -> tuple[Evidence, Evidence | None, float]:
    """For a worker: checks are functions, which do not travel between processes, but ids do."""
    name, thorough = item
    result = run_claim(next(claim for claim in all_claims() if claim.id == name), thorough=thorough)
    return result.evidence, result.again, result.seconds


def lacks_second_route(claim: Claim) -> bool:
    """A verdict against a paper needs two routes."""
    return claim.expected in AGAINST and claim.again is None
