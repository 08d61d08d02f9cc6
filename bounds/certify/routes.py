"""All ways to a certificate for one model, side by side; the least is the answer, as all are valid on one event."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TypeAlias

from bounds.approximation.approximate import approximate
from bounds.certify.classes import INSIDE, ModelClass, near_model, within_norm
from bounds.certify.excess import Certified, certified, estimate, separable
from bounds.certify.loss_balls import margin_function
from bounds.certify.problem import Compared, KnownMoments, Problem, Range, Split, Vector
from bounds.enclosure import Undecided
from bounds.errors import NotApplicable, NotCertified, SynthboundsError

BEST, UNIFORM, EXACT, LOCAL = "best polynomial", "uniform approximation", "the loss itself", "near the model"
FENCHEL_YOUNG, BY = "Fenchel-Young", "best polynomials by"
_DISTANCES = tuple(Fraction(2) ** k for k in range(-6, 5))
_UNIT = 2**30
_SURELY = 0.995
"""An estimate this far below a limit is worth a proof."""

ScoreRange: TypeAlias = Callable[[Vector], Range]
"""The exact range of a model's scores over the public domain."""


@dataclass(frozen=True)
class Route:
    """One way to a bound: what it gives, or why it gives nothing."""

    name: str
    degree: int
    found: Certified | None
    reason: str = ""

    @property
    def value(self) -> Fraction | None:
        return None if self.found is None else self.found.value


def all_routes(
    known: KnownMoments,
    model: Vector,
    compared_with: ModelClass,
    scores: Range,
    *,
    splits: Sequence[Split] = (),
    say: Callable[[str], None] = lambda _: None,
) -> tuple[Route, ...]:
    """Degree 2 from first and second moments, also with a part for each value of a feature; degree 4 if weighted
    moments are known; a ball around the model if a ridge makes that enough."""
    second = replace(known, weighted=None, weighted_radius=Fraction(0))

    def problem(event: KnownMoments, compared: Compared, split: Split | None = None) -> Problem:
        return Problem(
            known=event,
            model=model,
            loss=compared_with.loss,
            compared=compared,
            scores=scores,
            direction=None if split is None else split.direction,
            groups=() if split is None else split.groups,
        )

    compared = within_norm(compared_with, known)
    say("the best polynomial of degree 2")
    routes = [_tried(BEST, 2, lambda: certified(problem(second, compared)))]
    routes.append(_separable(problem(second, compared)))
    best_split = None
    for split in splits:
        say(f"the best polynomials by {split.name}")
        route = _tried(f"{BY} {split.name}", 2, lambda split=split: certified(problem(second, compared, split)))  # type: ignore[misc]
        if route.value is not None and route.value < (least(tuple(routes)).value or 0):
            best_split = split
        routes.append(route)
    if compared_with.ridge is not None and compared_with.intercept == INSIDE:
        say("models near this one")
        routes.append(_tried(LOCAL, 2, lambda: _near(compared_with, second, problem, scores)))
    if known.weighted is not None:
        say("the best polynomial of degree 4")
        name = BEST if best_split is None else f"{BY} {best_split.name}"
        routes.append(_tried(name, 4, lambda: certified(problem(known, compared, best_split))))
    if all(route.value is None for route in routes):
        raise NotCertified(routes[0].reason)
    return tuple(routes)


def whole_problem(known: KnownMoments, model: Vector, compared_with: ModelClass, scores: Range) -> Problem:
    """The question about the whole class, from first and second moments."""
    second = replace(known, weighted=None, weighted_radius=Fraction(0))
    compared = within_norm(compared_with, second)
    return Problem(known=second, model=model, loss=compared_with.loss, compared=compared, scores=scores)


def fenchel_young(known: KnownMoments, model: Vector, compared_with: ModelClass, score_range: ScoreRange) -> Route:
    """The Fenchel-Young theorem: linear in the other score, with a free direction in addition to the model's.

    The direction is where least squares would move the model's own weights; any other is as valid.
    """
    second = replace(known, weighted=None, weighted_radius=Fraction(0))

    def find() -> Certified:
        direction = _towards(second, model)
        return certified(
            Problem(
                known=second,
                model=model,
                loss=compared_with.loss,
                compared=within_norm(compared_with, known),
                scores=score_range(model),
                direction=direction,
                directions=score_range(direction),
                linear_in_other=True,
            )
        )

    return _tried(FENCHEL_YOUNG, 2, find)


def _towards(known: KnownMoments, model: Vector) -> Vector:
    """(second moments + noise)^-1 model, of the model's length, as binary fractions."""
    import numpy as np

    matrix = np.array([[float(x) for x in row] for row in known.second])
    target = np.array([float(x) for x in model])
    moved = np.linalg.solve(matrix + float(known.second_radius) * np.eye(len(target)), target)
    if not np.linalg.norm(moved) > 0:
        raise NotApplicable("the zero model has no direction")
    moved *= np.linalg.norm(target) / np.linalg.norm(moved)
    return tuple(Fraction(round(x * _UNIT), _UNIT) for x in moved.tolist())


def least(routes: tuple[Route, ...]) -> Route:
    return min((route for route in routes if route.value is not None), key=lambda route: route.value or 0)


def _tried(name: str, degree: int, find: Callable[[], Certified]) -> Route:
    try:
        return Route(name, degree, find())
    except SynthboundsError as error:
        return Route(name, degree, None, str(error))
    except Undecided:
        return Route(name, degree, None, "the bound could not be certified: balls grew without limit")


def _separable(whole: Problem) -> Route:
    """The bound by one polynomial of degree 2 for the loss itself, as for synthetic data that keep their moments."""
    reach = max(whole.compared.reach, *(abs(end) for end in whole.scores))

    def find() -> Certified:
        found = approximate(margin_function(whole.loss).text, interval=(-reach, reach), degree=2, method="minimax")
        coefficients = (*found.polynomial, Fraction(0), Fraction(0))
        return certified(whole, separable(whole, coefficients[1], coefficients[2], found.error.hi))

    route = _tried(UNIFORM, 2, find)
    exact = route.found is not None and route.found.shape.constant == 0
    return replace(route, name=EXACT) if exact else route


def _near(
    compared_with: ModelClass,
    known: KnownMoments,
    problem: Callable[[KnownMoments, Compared], Problem],
    scores: Range,
) -> Certified:
    """A bound on a ball around the model that is less than what leaving the ball would cost: then it is global.

    If the minimiser were farther than d, the objective on the way to it would already have fallen by ridge d^2/2.
    """
    assert compared_with.ridge is not None
    largest = max(abs(end) for end in scores)
    for distance in _DISTANCES:
        limit = compared_with.ridge * distance**2 / 2
        inside = problem(known, near_model(compared_with, known, distance=distance, largest_score=largest))
        if estimate(inside) < float(limit) * _SURELY:
            found = certified(inside)
            if found.value < limit:
                return found
    raise NotApplicable("no distance was found within which the minimiser is certain to lie")
