"""The subjects of `synthbounds audit`: a mechanism with a claim, at stated neighbouring inputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from bounds.shown import Shown
from verify.audit.mechanism import Mechanism

DELTA = Fraction(1, 10**5)


@dataclass(frozen=True, kw_only=True)
class Subject(Shown):
    """A mechanism with a claim; `violates` is what is known at its `epsilon`, the default of the audit."""

    name: str
    where: str
    title: str
    inputs: str
    """Which neighbouring inputs are compared, and whether others could be worse."""
    make: Callable[[Fraction], Mechanism]
    violates: bool
    epsilon: Fraction = Fraction(1)
