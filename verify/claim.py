"""What a claim is: a checkable sentence of a paper, our verdict, and the checks that reach it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from bounds.papers import find_paper

if TYPE_CHECKING:
    from verify.experiments.rerun import Rerun


class Verdict(Enum):
    """What a check can find."""

    CONFIRMED = "confirmed"
    CONFIRMED_WITH_CONDITIONS = "confirmed-with-conditions"
    REFUTED = "refuted"
    INCONSISTENT = "inconsistent"
    OPEN = "open"
    """Neither shown nor refuted here; or quoted from a source that was not read."""
    UNDECIDABLE = "undecidable"
    NOT_CHECKABLE = "not-checkable"
    REPRODUCED = "reproduced"
    """Runs agree with what was measured, at a stated level; a run confirms nothing."""
    NOT_REPRODUCED = "not-reproduced"
    MIXED = "mixed"
    """Reproduced in some of the cases that the sentence is about, and not in others."""


AGAINST = (Verdict.REFUTED, Verdict.INCONSISTENT)
"""Verdicts that say a paper is wrong. They follow from logic alone; how much it matters is the claim's severity."""
OF_RUNS = (Verdict.REPRODUCED, Verdict.NOT_REPRODUCED, Verdict.MIXED)
"""Verdicts of experiments, which never refute."""


class Severity(Enum):
    """The effect of an entry against a paper on its results, gravest first."""

    RESULT_FALLS = "result falls"
    PROOF_FALLS = "proof falls"
    """Its result is open, or has another proof."""
    CONDITION = "constant or condition"
    """The result stands with another constant, or under a condition that the paper does not state."""
    SLIP = "slip"
    """A misprint: no result depends on it."""
    READING = "reading"
    """Right or wrong depending on how the sentence is read, or probably a sign lost in the text."""
    NONE = "none"


SUBSTANCE = (Severity.RESULT_FALLS, Severity.PROOF_FALLS, Severity.CONDITION)


class Scope(Enum):
    """How much of the statement the check decides."""

    IDENTITY = "identity"
    """All of it: it is one number, one formula or one counterexample."""
    ALL_CASES = "all cases"
    REASONED = "instances with a reason"
    """Cases are computed, and the evidence gives the argument that extends them to all others."""
    INSTANCES = "instances"


class Method(Enum):
    """How a verdict is reached, strongest first."""

    SYMBOLIC = "symbolic proof"
    EXACT = "exact rational computation"
    BALL = "ball arithmetic"
    DISTRIBUTION = "exact distribution"
    LP = "LP certificate"
    FLOAT = "floating-point computation"
    """For experiments on data; not certified."""
    MONTE_CARLO = "Monte Carlo"
    """It may reject with a stated confidence, never confirm."""
    READING = "reading"
    """Comparing places of the text with each other."""


class Kind(Enum):
    """What a sentence is about."""

    MATHEMATICAL = "mathematical"
    EMPIRICAL = "empirical"
    """About measurements: decided by runs."""


CERTAIN = (Method.SYMBOLIC, Method.EXACT, Method.BALL, Method.DISTRIBUTION, Method.LP)


@dataclass(frozen=True)
class Lost:
    """Why a claim has no quotation: the place is missing from our text of the paper, or damaged."""

    reason: str


@dataclass(frozen=True)
class Evidence:
    """What a check found, in one sentence with its numbers; no verdict if a table that it needs is not available."""

    verdict: Verdict | None
    text: str


@dataclass(frozen=True)
class Claim:
    """One claim, declared once.

    A refuted claim names the range in which it fails and what holds instead; its check has a counterexample that can be
    examined on its own, and `again` reaches the same verdict by an independent route.
    """

    id: str
    paper: str
    locator: str
    statement: str
    expected: Verdict
    method: Method
    check: Callable[[], Evidence]
    corrected: str = ""
    """What is true instead, or in addition; empty if a claim is simply confirmed."""
    theorems: tuple[str, ...] = ()
    """Ids of the theorems that the claim bears on."""
    formula: str = ""
    """The claim in symbols, where words are not enough."""
    hypotheses: tuple[str, ...] = ()
    """The hypotheses under which the paper makes the claim."""
    again: Callable[[], Evidence] | None = None
    """Another route to the verdict: different arithmetic, another library, or a different argument."""
    quote: str | Lost = ""
    """The paper's words, at most 25 of them, that the statement is about; `[...]` where words are left out."""
    severity: Severity = Severity.NONE
    scope: Scope = Scope.IDENTITY
    depends_on: tuple[str, ...] = ()
    """Claims that the paper's argument for this one uses: with one of them it falls."""
    root: str = ""
    """The claim that this one repeats: the same mistake in another place, counted there."""
    kind: Kind = Kind.MATHEMATICAL
    lemma: str = ""
    """The lemma of verify/formal that proves the verdict, checked by Coq."""
    rerun: Rerun | None = None
    """The recorded runs that the check reads, if they can be repeated."""

    @property
    def version(self) -> str:
        """Which text of the paper was read."""
        return find_paper(self.paper).version

    @property
    def is_against(self) -> bool:
        return self.expected in AGAINST

    @property
    def is_finding(self) -> bool:
        """Whether it is against the paper and not a repetition."""
        return self.is_against and not self.root

    @property
    def is_of_substance(self) -> bool:
        return self.is_finding and self.severity in SUBSTANCE


@dataclass(frozen=True)
class Withdrawn:
    """The remains of a claim that was withdrawn. Its id is never used again."""

    id: str
    reason: str
    see: str = ""
    """The claim that covers what remains of it."""


def confirmed_if(condition: bool, text: str, *, with_conditions: bool = False) -> Evidence:
    """Evidence for a claim, confirmed or not."""
    positive = Verdict.CONFIRMED_WITH_CONDITIONS if with_conditions else Verdict.CONFIRMED
    return Evidence(positive if condition else Verdict.UNDECIDABLE, text)


def refuted_if(condition: bool, text: str) -> Evidence:
    """Evidence of a counterexample, valid or not."""
    return Evidence(Verdict.REFUTED if condition else Verdict.UNDECIDABLE, text)


def inconsistent_if(condition: bool, text: str) -> Evidence:
    """Evidence that two places of a paper contradict each other, or do not."""
    return Evidence(Verdict.INCONSISTENT if condition else Verdict.UNDECIDABLE, text)


def not_run(missing: str) -> Evidence:
    """What a check says if a table is not available: neither for nor against."""
    return Evidence(None, f"not run: {missing}")


def reproduced_if(condition: bool, text: str) -> Evidence:
    """Evidence of runs that agree with what was measured, or do not."""
    return Evidence(Verdict.REPRODUCED if condition else Verdict.NOT_REPRODUCED, text)
