"""One question at many settings: any function of the API over any of its parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from typing import Any

from bounds.errors import NotApplicable, NotCertified, UsageError
from bounds.shown import Shown

__all__ = ["Sweep", "SweepPoint", "sweep"]


@dataclass(frozen=True)
class SweepPoint:
    """The answer at one setting, or why there is none."""

    setting: Mapping[str, Any]
    answer: Any = None
    refused: str = ""


@dataclass(frozen=True)
class Sweep(Shown):
    """The answers at every setting, in order; `to_frame()` has a row for each."""

    function: str
    over: tuple[str, ...]
    points: tuple[SweepPoint, ...]
    fixed: Mapping[str, Any] = field(default_factory=dict)
    """What is the same at every setting, by name."""

    @property
    def answers(self) -> tuple[Any, ...]:
        """None for a setting without one."""
        return tuple(point.answer for point in self.points)


def sweep(question: Callable[..., Any], *given: Any, **asked: Any) -> Sweep:
    """The answers of a function for every value of a keyword that is a list, a range or an array.

    Several of them are combined; the last varies fastest. Every answer is the one that a single call gives, equally
    certified; if a theorem does not apply or a value is impossible, the point says why. A tuple
    is one value, and so is a list that a parameter takes anyway.

    >>> from synthbounds import require
    >>> found = sweep(require, p=10, degree=2, epsilon=[0.1, 0.2], delta=0.05, gamma=0.05)
    >>> [answer.n for answer in found.answers]
    [879, 440]
    """
    if not callable(question):
        raise UsageError(f"sweep: {str(question)[:60]!r} is not a function; sweep_estimates takes a theorem")
    lists = _lists_of(question.__name__)
    swept = {name: list(values) for name, values in asked.items() if name not in lists and _is_many(values)}
    if not swept:
        raise UsageError("sweep: nothing is swept: give a list, a range or an array for a parameter")
    for name, values in swept.items():
        if not values:
            raise UsageError(f"sweep: {name} is empty: give at least one value")
    points: list[SweepPoint] = []
    wrong: UsageError | None = None
    for chosen in product(*swept.values()):
        setting = dict(zip(swept, chosen, strict=True))
        try:
            points.append(SweepPoint(setting, question(*given, **{**asked, **setting})))
        except (NotApplicable, NotCertified) as refusal:
            points.append(SweepPoint(setting, refused=str(refusal)))
        except UsageError as error:
            wrong = wrong or error
            points.append(SweepPoint(setting, refused=str(error)))
    if wrong is not None and all(point.refused for point in points):
        raise wrong  # the question itself is wrong, not a point
    fixed = {name: value for name, value in asked.items() if name not in swept}
    return Sweep(question.__name__, tuple(swept), tuple(points), fixed)


@cache
def _lists_of(function: str) -> frozenset[str]:
    """Parameters that take a list as it is."""
    from synthbounds.api.commands import COMMANDS

    declared = (c.parameters.values() for c in COMMANDS.values() if function in c.functions)
    return frozenset(p.name for parameters in declared for p in parameters if p.kind == "list")


def _is_many(value: Any) -> bool:
    return isinstance(value, list | range) or getattr(value, "ndim", 0) == 1
