"""The subject of a certificate: moments known up to radii, one model, and the models it is compared with.

All numbers are exact and on the scale of the features f, where ||f||^2 <= P; a model v has the score v.f and, on the
unit ball, the norm sqrt(P) ||v||. The last feature is the intercept, always 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from bounds.errors import DataError, ParameterError, UsageError
from bounds.exact import require_range

Vector: TypeAlias = tuple[Fraction, ...]
Matrix: TypeAlias = tuple[Vector, ...]
Range: TypeAlias = tuple[Fraction, Fraction]
Part: TypeAlias = Literal["all", "slopes", "intercept"]


@dataclass(frozen=True, kw_only=True)
class KnownMoments:
    """Except with probability `failure`, the real moments are within the radii of these.

    `first` is E[y f] up to `first_radius` in Euclidean norm, `second` is E[f f'] up to `second_radius` in operator
    norm, `weighted` is E[(w.f)^2 f f'] of the model w likewise. The expectation is over the records of the table,
    divided by what sums are divided by: if `size_is_exact` is false that is only near the number of records, and E[1]
    is not exactly 1. The label y is 1 or -1, or with `label_is_number` any number between.
    """

    first: Vector
    second: Matrix
    first_radius: Fraction
    second_radius: Fraction
    failure: Fraction
    squared_norm: int
    size_is_exact: bool = True
    weighted: Matrix | None = None
    weighted_radius: Fraction = Fraction(0)
    label_is_number: bool = False

    def __post_init__(self) -> None:
        p = len(self.first)
        for name, matrix in (("second", self.second), ("weighted", self.weighted)):
            if matrix is None:
                continue
            if len(matrix) != p or any(len(row) != p for row in matrix):
                raise DataError(f"{name} moments: must be a square matrix with {p} rows, like the first moments")
            if any(matrix[i][j] != matrix[j][i] for i in range(p) for j in range(i)):
                raise DataError(f"{name} moments: are not symmetric")
        for name in ("first_radius", "second_radius", "weighted_radius"):
            require_range(name, getattr(self, name), getattr(self, name), least=0, reason="a radius")
        require_range("failure", self.failure, self.failure, above=0, below=1, reason="a probability")

    @property
    def dimension(self) -> int:
        return len(self.first)

    def mass(self) -> Range:
        """The numbers between which E[1] lies: 1 and 1 if the number of records is public."""
        if self.size_is_exact:
            return Fraction(1), Fraction(1)
        centre = self.second[-1][-1]
        return max(centre - self.second_radius, Fraction(0)), centre + self.second_radius


@dataclass(frozen=True, kw_only=True)
class Ball:
    """Models with ||(v - centre) restricted to a part||^2 <= squared_radius."""

    part: Part
    around_model: bool
    squared_radius: Fraction

    def holds(self, index: int, dimension: int) -> bool:
        """Whether a coordinate belongs to the part."""
        return self.part == "all" or (self.part == "intercept") == (index == dimension - 1)


@dataclass(frozen=True, kw_only=True)
class HalfSpace:
    """Models whose coefficient of one feature is not beyond a threshold: sign v_feature <= sign threshold."""

    feature: int
    sign: int
    threshold: Fraction

    def __post_init__(self) -> None:
        if self.sign not in (1, -1):
            raise ParameterError("sign", self.sign, "1 or -1")


def require_reach(reach: Fraction) -> None:
    """Refuse models whose scores are too large for any answer."""
    require_range("reach", reach, reach, above=0, most=1000, reason="largest score of a model")


@dataclass(frozen=True, kw_only=True)
class Compared:
    """The models that are compared: an intersection of balls, on which |v.f| <= reach, and a ridge penalty.

    The objective is the mean loss plus (ridge/2) ||v||^2 over the penalised coordinates, on the scale of f. With a half
    only the models in it are compared: a bound below 0 then says that none of the best models is there.
    """

    balls: tuple[Ball, ...]
    reach: Fraction
    ridge: Fraction = Fraction(0)
    ridge_part: Part = "all"
    half: HalfSpace | None = None

    def __post_init__(self) -> None:
        if not self.balls:
            raise UsageError("the class of models is unbounded: give a norm or a ridge penalty")
        require_reach(self.reach)


@dataclass(frozen=True)
class Group:
    """Records on which the direction has one value, and the model's scores on all such points of the domain."""

    value: Fraction
    scores: Range


@dataclass(frozen=True)
class Split:
    """A feature with few values, as a direction with its groups."""

    name: str
    direction: Vector
    groups: tuple[Group, ...]


@dataclass(frozen=True, kw_only=True)
class Problem:
    """How much smaller than that of `model` can the objective of a compared model be on the real table?"""

    known: KnownMoments
    model: Vector
    loss: str
    compared: Compared
    scores: Range
    """Of the model, over the whole public domain."""
    direction: Vector | None = None
    """A further linear score that the dominating polynomial may use."""
    directions: Range | None = None
    """The range of the direction's scores, if they may be any number in it."""
    groups: tuple[Group, ...] = ()
    """All values of the direction, if they are few, as those of a column: it must dominate at these only."""
    linear_in_other: bool = False
    """The polynomial must not have the square of the other model's score, as in the Fenchel-Young theorem."""

    def __post_init__(self) -> None:
        p = self.known.dimension
        for name, vector in (("model", self.model), ("direction", self.direction)):
            if vector is not None and len(vector) != p:
                raise ParameterError(name, f"{len(vector)} coefficients", f"{p} coefficients", "one for each feature")
        half = self.compared.half
        if half is not None and not 0 <= half.feature < p:
            raise ParameterError("feature", half.feature, f"from 0 to {p - 1}", "the place of a coefficient")
        if self.directions is not None and self.known.weighted is not None:
            raise UsageError("direction: with weighted moments it must be given by groups")
        if (self.direction is None) != (self.directions is None and not self.groups) or (
            self.directions is not None and self.groups
        ):
            raise UsageError("direction: give it with the range of its scores, or give its groups")

    def centre(self, ball: Ball) -> Vector:
        return self.model if ball.around_model else (Fraction(0),) * len(self.model)

    def basis(self) -> list[Vector]:
        """The fixed vectors whose scores the polynomial uses: the constant 1, the model, the direction."""
        one = (Fraction(0),) * (len(self.model) - 1) + (Fraction(1),)
        return [one, self.model] + ([] if self.direction is None else [self.direction])

    def forms(self) -> list[tuple[Matrix, Fraction]]:
        """The matrices of moments with their radii: second moments, and weighted ones if they are known."""
        found = [(self.known.second, self.known.second_radius)]
        if self.known.weighted is not None:
            found.append((self.known.weighted, self.known.weighted_radius))
        return found


def norm_class(tau: Fraction, squared_norm: int) -> Compared:
    """All models of norm at most tau, the intercept counted like every other coefficient."""
    return Compared(balls=(Ball(part="all", around_model=False, squared_radius=tau**2 / squared_norm),), reach=tau)


def dot(left: Sequence[Fraction], right: Sequence[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))
