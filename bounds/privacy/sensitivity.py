"""How far one record moves a vector of answers. A sensitivity belongs to one adjacency and is never made without."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias, get_args

from flint import arb, fmpq

from bounds.arithmetic.ball import BALL
from bounds.enclosure import BallNumber, Enclosure
from bounds.errors import ParameterError, UsageError
from bounds.exact import Exact, parse_rational, require_range
from bounds.privacy.adjacency import Adjacency, read_adjacency
from bounds.solve import enclose

Norm: TypeAlias = Literal["L1", "L2", "sup"]


@dataclass(frozen=True, kw_only=True)
class Sensitivity:
    """Largest distance of the answers on two adjacent data sets.

    `amount` is exact: the distance itself in L1 and in the maximum norm, its square in L2. `n_is_public` says whether
    the number of records may be published; under add-remove adjacency it may not, because adjacent data sets differ in
    it. `text` says what is measured, for readers of the statement.

    >>> l2_sensitivity(squared=6, adjacency="replace-one", n_is_public=True, text="three marginals").value.decimal(5)
    ('2.4494', '2.4495')
    """

    norm: Norm
    amount: Fraction
    adjacency: Adjacency
    n_is_public: bool
    text: str = ""

    def __post_init__(self) -> None:
        if self.norm not in get_args(Norm):
            raise ParameterError("norm", self.norm, "L1, L2 or sup")
        amount = parse_rational(self.amount, "sensitivity")
        require_range("sensitivity", amount, self.amount, above=0)
        adjacency = read_adjacency(self.adjacency)
        if not isinstance(self.n_is_public, bool):
            raise ParameterError("n_is_public", self.n_is_public, "True or False")
        if self.n_is_public and adjacency is Adjacency.ADD_REMOVE:
            raise UsageError("n_is_public = True: add-remove neighbours differ in n, so publishing n is not covered")
        object.__setattr__(self, "amount", amount)
        object.__setattr__(self, "adjacency", adjacency)

    @property
    def squared(self) -> Fraction:
        """The square, exactly."""
        return self.amount if self.norm == "L2" else self.amount**2

    @property
    def value(self) -> Enclosure:
        """The distance itself."""
        return enclose(self.ball)

    def ball(self) -> BallNumber:
        """The distance as a ball at the precision in force, or exactly if it is rational."""
        squared = fmpq(self.squared.numerator, self.squared.denominator)
        number: fmpq | arb = BALL.sqrt(squared)
        return number


def l1_sensitivity(*, value: Exact, adjacency: Adjacency | str, n_is_public: bool, text: str = "") -> Sensitivity:
    """A sensitivity in L1, for Laplace noise."""
    return Sensitivity(
        norm="L1",
        amount=parse_rational(value, "value"),
        adjacency=read_adjacency(adjacency),
        n_is_public=n_is_public,
        text=text,
    )


def l2_sensitivity(*, squared: Exact, adjacency: Adjacency | str, n_is_public: bool, text: str = "") -> Sensitivity:
    """A sensitivity in L2, for Gaussian noise, given by its square."""
    return Sensitivity(
        norm="L2",
        amount=parse_rational(squared, "squared"),
        adjacency=read_adjacency(adjacency),
        n_is_public=n_is_public,
        text=text,
    )


def require_norm(sensitivity: Sensitivity, norm: Norm) -> Sensitivity:
    """The same sensitivity, if it is in this norm."""
    if not isinstance(sensitivity, Sensitivity):
        raise UsageError(f"a sensitivity is needed, made with {norm.lower()}_sensitivity: it carries the adjacency")
    if sensitivity.norm != norm:
        raise UsageError(f"a sensitivity in {norm} is needed, this one is in {sensitivity.norm}")
    return sensitivity
