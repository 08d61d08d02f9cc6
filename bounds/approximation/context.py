"""What else is known about a question: Lipschitz constants, and what the theorems promise about the error."""

from __future__ import annotations

from dataclasses import dataclass

from bounds.approximation.result import Approximation
from bounds.approximation.slopes import Slopes, slopes
from bounds.enclosure import Enclosure
from bounds.registry import find_theorem
from bounds.values import evaluate_value


@dataclass(frozen=True)
class KnownBound:
    """What a theorem says about the error: at most the upper end."""

    theorem: str
    value: Enclosure


@dataclass(frozen=True)
class Context:
    slopes: Slopes
    bounds: tuple[KnownBound, ...]
    """Bounds on the error of a Bernstein polynomial; none for other methods."""


def context(answer: Approximation) -> Context:
    found, width = slopes(answer.question), answer.question.right - answer.question.left
    asked = (
        ("zhou2024.bernstein-lipschitz", "slope", found.slope),
        ("zhou2024.bernstein-smooth", "curvature", found.curvature),
    )
    bounds = []
    for theorem, name, constant in asked if answer.method == "bernstein" else ():
        if constant is not None:
            given = {name: constant.hi, "width": width, "D": answer.degree}
            value = evaluate_value(find_theorem(theorem), given, "sharp")[0].value
            bounds += [KnownBound(theorem, value)] if value is not None else []
    return Context(found, tuple(bounds))
