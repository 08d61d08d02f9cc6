"""Small invented claims, for tests of computations on claims."""

from __future__ import annotations

from typing import Any

from verify.claim import Claim, Evidence, Method, Severity, Verdict
from verify.run import ClaimResult

PAPER = "zhou2024"


def invented(name: str, verdict: Verdict = Verdict.CONFIRMED, **more: Any) -> Claim:
    """A claim of that paper, whose check finds its verdict."""
    given: dict[str, Any] = {"quote": "in words", "locator": "Section 1", "statement": f"It is so with {name}."}
    given |= {"method": Method.EXACT, "check": lambda: Evidence(verdict, f"computed for {name}"), **more}
    given["depends_on"] = tuple(f"{PAPER}.{other}" for other in given.get("depends_on", "").split())
    given["root"] = f"{PAPER}.{given['root']}" if given.get("root") else ""
    return Claim(id=f"{PAPER}.{name}", paper=PAPER, expected=verdict, **given)


def against(name: str, severity: Severity, **more: Any) -> Claim:
    return invented(name, Verdict.REFUTED, severity=severity, **more)


def results(claims: tuple[Claim, ...]) -> tuple[ClaimResult, ...]:
    return tuple(ClaimResult(claim, claim.check(), None, 0.0) for claim in claims)


SMALL = (
    against("lemma", Severity.PROOF_FALLS, locator="Lemma 2.1", corrected="Half of it holds."),
    against("lemma-again", Severity.PROOF_FALLS, locator="Section 3", root="lemma"),
    invented("theorem", Verdict.OPEN, locator="Theorem 3.1", depends_on="lemma step", theorems=("zhou2024.lipschitz",)),
    invented("step", locator="Lemma 2.2"),
    invented("corollary", locator="Corollary 3.2", depends_on="theorem"),
    invented("remark", locator="Remark 3.3", depends_on="lemma-again"),
    invented("alone", Verdict.CONFIRMED_WITH_CONDITIONS, corrected="For n at least 2."),
    against("headline", Severity.RESULT_FALLS, locator="Section 10"),
    against("constant", Severity.CONDITION, locator="Appendix A.1", formula="a |b| <= 1", hypotheses=("b > 0",)),
    against("index", Severity.SLIP, locator="Table 1"),
    against("sign", Severity.READING, locator="Section 4"),
)
