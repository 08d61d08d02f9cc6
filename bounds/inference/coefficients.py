"""How far a coefficient of the best models on the real table is certain to lie to one side: certified ends.

The certificate of a model is computed again, only for those models of the class whose coefficient is not beyond a
threshold. If even that certificate is below 0, no best model is among them. All of it is of degree 2, so that one event
of the moments serves every coefficient, every threshold and every model at once. If a column divides the records, the
polynomial has a part for each of its values; which column is tried may depend on anything that was released. No data
here. Proof: docs/proofs/synthbounds.coefficient-signs.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from bounds.certify.classes import INSIDE, ModelClass
from bounds.certify.envelope import Scores
from bounds.certify.excess import Certified, certified
from bounds.certify.loss_balls import LossOnBalls
from bounds.certify.problem import Compared, HalfSpace, KnownMoments, Problem, Range, Split, Vector, dot
from bounds.certify.routes import whole_problem
from bounds.certify.search import Found, search
from bounds.certify.value import bound
from bounds.enclosure import Undecided, decimal_text
from bounds.errors import NotCertified, ParameterError
from bounds.exact import root_at_least, show_rational

_DIGITS = 12
_LEAST_STEP = Fraction(1, 2**50)
"""An end is at least this far from where the bound would be 0."""


@dataclass(frozen=True, kw_only=True)
class CoefficientEnd:
    """Every best model of the class has sign v_feature > sign end, or, if nothing else is known, >=."""

    feature: int
    sign: int
    end: Fraction
    found: Certified | None
    """What proves it, at the threshold 0. None: the end is that of the class itself."""

    @property
    def is_sign_certain(self) -> bool:
        """Whether every best model has a coefficient of this sign, which is not 0."""
        return self.found is not None and self.found.value < 0

    def at(self, threshold: Fraction) -> Certified:
        """The proof for any threshold: it shows something if the value is below 0."""
        if self.found is None:
            raise NotCertified("the moments say no more about the coefficient than that the model is in the class")
        problem = _with_half(self.found.problem, HalfSpace(feature=self.feature, sign=self.sign, threshold=threshold))
        proved = bound(problem, self.found.shape, self.found.multipliers, self.found.excess.upper)
        return replace(self.found, problem=problem, bound=proved)


@dataclass(frozen=True)
class _Way:
    """The question for the whole class, with its loss and the results of the search for its polynomial."""

    problem: Problem
    loss: LossOnBalls
    search: Found


class CoefficientEnds:
    """Ends of the coefficients of the best models of one class, from the known moments and one model of the class.

    Columns that can divide the records are tried for the whole class, and the best is used for every coefficient; in
    addition, each coefficient of such a column is tried with the column's own values.
    """

    def __init__(
        self,
        known: KnownMoments,
        model: Vector,
        compared_with: ModelClass,
        scores: Range,
        *,
        splits: Sequence[Split] = (),
        tried: int = 2,
    ) -> None:
        require_member(model, compared_with, known.squared_norm)
        self.whole = whole_problem(known, model, compared_with, scores)
        self.model = model
        self._splits = {split.direction.index(Fraction(1)): split for split in splits}
        self._ways: dict[int | None, _Way] = {}
        self._best: int | None = None
        for place in list(self._splits)[:tried]:
            if self._tried(place) and self._way(place).search.bound_est < self._way(self._best).search.bound_est:
                self._best = place

    def end(self, feature: int, sign: int) -> CoefficientEnd:
        """The farthest of the ends that are found; that of the class if none is farther."""
        trivial = class_end(self.whole.compared, feature, len(self.model))
        best = CoefficientEnd(feature=feature, sign=sign, end=-sign * trivial, found=None)
        own = feature in self._splits and feature != self._best and self._tried(feature)
        for place in [self._best, feature] if own else [self._best]:
            found = self._found(self._way(place), feature, sign)
            if found is not None and sign * found.end > sign * best.end:
                best = found
        return best

    def _tried(self, place: int) -> bool:
        """Whether the search finds anything if this feature divides the records."""
        try:
            self._way(place)
        except NotCertified:
            return False
        return True

    def _way(self, place: int | None) -> _Way:
        if place not in self._ways:
            problem = self.whole
            if place is not None:
                split = self._splits[place]
                problem = replace(problem, direction=split.direction, groups=split.groups)
            scores = Scores.of(problem)
            loss = LossOnBalls(problem.loss, scores.largest())
            self._ways[place] = _Way(problem, loss, search(problem, loss, scores))
        return self._ways[place]

    def _found(self, way: _Way, feature: int, sign: int) -> CoefficientEnd | None:
        half = HalfSpace(feature=feature, sign=sign, threshold=Fraction(0))
        try:
            found = certified(_with_half(way.problem, half), loss=way.loss, before=way.search)
        except (NotCertified, Undecided):
            return None
        multiplier = found.multipliers.half
        if multiplier <= 0:
            return None
        # the bound at a threshold t is the one at 0 plus multiplier * sign t: it is below 0 before this
        farthest = -found.value / multiplier - _LEAST_STEP
        end = Fraction(decimal_text(sign * farthest, _DIGITS, up=sign < 0))
        return CoefficientEnd(feature=feature, sign=sign, end=end, found=found)


def require_member(model: Vector, compared_with: ModelClass, squared_norm: int) -> None:
    """Models are left out because this one is better; so it must be in the class."""
    counted = model if compared_with.intercept == INSIDE else model[:-1]
    norm_squared = squared_norm * dot(counted, counted)
    if compared_with.tau is not None and norm_squared > compared_with.tau**2:
        raise ParameterError(
            "tau",
            show_rational(compared_with.tau),
            "at least the norm of the model",
            f"which is about {float(norm_squared) ** 0.5:.6g}: the model must be in the class",
        )


def class_end(compared: Compared, feature: int, dimension: int) -> Fraction:
    """No best model has a larger coefficient in absolute value, being in the class; rounded up."""
    return min(
        root_at_least(ball.squared_radius)
        for ball in compared.balls
        if ball.holds(feature, dimension) and not ball.around_model
    )


def _with_half(problem: Problem, half: HalfSpace) -> Problem:
    return replace(problem, compared=replace(problem.compared, half=half))
