"""What a claim is: a checkable sentence of a paper, our verdict, and the checks that reach it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum


class Verdict(Enum):
    """What a check can find."""

    CONFIRMED = "confirmed"
    CONFIRMED_WITH_CONDITIONS = "confirmed-with-conditions"
    REFUTED = "refuted"
    INCONSISTENT = "inconsistent"
    UNDECIDABLE = "undecidable"
    NOT_CHECKABLE = "not-checkable"


AGAINST = (Verdict.REFUTED, Verdict.INCONSISTENT)
"""Verdicts that say a paper is wrong; they are reached by two independent routes."""


class Method(Enum):
    """How a verdict is reached, strongest first."""

    SYMBOLIC = "symbolic proof"
    EXACT = "exact rational computation"
    BALL = "ball arithmetic"
    DISTRIBUTION = "exact distribution"
    LP = "LP certificate"
    FLOAT = "floating-point computation"
    """For experiments on data; certified it is not."""
    MONTE_CARLO = "Monte Carlo"
    """It may reject with a stated confidence, never confirm."""
    READING = "reading"
    """Comparing places of the text with each other."""


CERTAIN = (Method.SYMBOLIC, Method.EXACT, Method.BALL, Method.DISTRIBUTION, Method.LP)


@dataclass(frozen=True)
class Evidence:
    """What a check found, in one sentence with its numbers; no verdict where what it needs is not here."""

    verdict: Verdict | None
    text: str


@dataclass(frozen=True)
class Claim:
    """One claim, declared once.

    A refuted claim names the range in which it fails and what holds instead; its check carries a counterexample that
    can be examined alone, and `again` reaches the same verdict by an independent route.
    """

    id: str
    paper: str
    locator: str
    statement: str
    expected: Verdict
    method: Method
    check: Callable[[], Evidence]
    corrected: str = ""
    """What holds instead, or in addition; empty where a claim is simply confirmed."""
    theorems: tuple[str, ...] = ()
    """Ids of the theorems that the claim bears on."""
    formula: str = ""
    """The claim in symbols, where words are not enough."""
    hypotheses: tuple[str, ...] = ()
    """Under which the paper makes the claim."""
    again: Callable[[], Evidence] | None = None
    """Another route to the verdict: different arithmetic, another library, or a different argument."""


def confirmed_if(condition: bool, text: str, *, with_conditions: bool = False) -> Evidence:
    """Evidence for a claim that either holds up or does not."""
    positive = Verdict.CONFIRMED_WITH_CONDITIONS if with_conditions else Verdict.CONFIRMED
    return Evidence(positive if condition else Verdict.UNDECIDABLE, text)


def refuted_if(condition: bool, text: str) -> Evidence:
    """Evidence of a counterexample that either holds up or does not."""
    return Evidence(Verdict.REFUTED if condition else Verdict.UNDECIDABLE, text)


def inconsistent_if(condition: bool, text: str) -> Evidence:
    """Evidence that two places of a paper contradict each other, or do not."""
    return Evidence(Verdict.INCONSISTENT if condition else Verdict.UNDECIDABLE, text)


def not_run(missing: str) -> Evidence:
    """What a check says where a table is not here: neither for nor against."""
    return Evidence(None, f"not run: {missing}")
