"""What a claim is: a checkable sentence of a paper, our verdict, and the check that reaches it."""

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


class Method(Enum):
    """How a verdict is reached, strongest first."""

    SYMBOLIC = "symbolic proof"
    EXACT = "exact rational computation"
    BALL = "ball arithmetic"
    DISTRIBUTION = "exact distribution"


@dataclass(frozen=True)
class Evidence:
    """What a check found, in one sentence with its numbers."""

    verdict: Verdict
    text: str


@dataclass(frozen=True)
class Claim:
    """One claim, declared once.

    A refuted claim names the range in which it fails and what holds instead; its check carries a
    counterexample that can be examined alone.
    """

    id: str
    paper: str
    locator: str
    statement: str
    expected: Verdict
    method: Method
    check: Callable[[], Evidence]
    corrected: str = ""
    theorems: tuple[str, ...] = ()
    """Ids of the theorems that the claim bears on."""


def refuted_if(condition: bool, text: str) -> Evidence:
    """Evidence of a counterexample that either holds up or does not."""
    return Evidence(Verdict.REFUTED if condition else Verdict.UNDECIDABLE, text)
