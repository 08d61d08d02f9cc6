"""Statements about privacy as typed objects: none can be made without its adjacency, none mixes two of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from flint import arb, fmpq

from bounds.enclosure import BallNumber, Enclosure, Undecided, decimal_text, precision
from bounds.errors import NotApplicable, ParameterError, UsageError
from bounds.exact import Exact, parse_integer, parse_rational, require_range
from bounds.privacy.adjacency import Adjacency, read_adjacency
from bounds.solve import enclose

Amount: TypeAlias = Enclosure | Exact
"""An enclosed number or an exact one."""

LARGEST_EPSILON = 10**6
_SMALLEST_SHOWN = Fraction(1, 2**8192)


@dataclass(frozen=True, kw_only=True)
class DP:
    """(epsilon, delta)-differential privacy under one adjacency.

    Both numbers are enclosures; the promise is made at their upper ends.

    >>> DP(epsilon=1, delta="1e-6", adjacency="replace-one").text()
    '(1, 0.000001)-differential privacy for replace-one'
    """

    epsilon: Enclosure
    delta: Enclosure
    adjacency: Adjacency

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", _amount("epsilon", self.epsilon))
        object.__setattr__(self, "delta", _amount("delta", self.delta))
        object.__setattr__(self, "adjacency", read_adjacency(self.adjacency))
        if self.delta.hi >= 1:
            shown = decimal_text(self.delta.hi, 6, up=True)
            raise ParameterError("delta", shown, "at least 0 and less than 1", "delta = 1 promises nothing")

    @property
    def is_pure(self) -> bool:
        return self.delta.hi == 0

    def text(self, digits: int = 6) -> str:
        """The statement with both numbers rounded up, so that it stays true."""
        epsilon, delta = (decimal_text(number.hi, digits, up=True) for number in (self.epsilon, self.delta))
        pair = epsilon if self.is_pure else f"({epsilon}, {delta})"
        return f"{pair}-differential privacy for {self.adjacency.value}"


@dataclass(frozen=True, kw_only=True)
class ZCDP:
    """Zero-concentrated differential privacy: Rényi divergences of every order alpha > 1 are at most alpha rho."""

    rho: Enclosure
    adjacency: Adjacency

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", _amount("rho", self.rho))
        object.__setattr__(self, "adjacency", read_adjacency(self.adjacency))
        if self.rho.lo <= 0:
            shown = decimal_text(self.rho.lo, 6, up=False)
            raise ParameterError("rho", shown, "greater than 0", "only a release that ignores the data has rho = 0")
        if self.rho.hi > LARGEST_EPSILON:
            raise ParameterError("rho", decimal_text(self.rho.hi, 6, up=True), f"at most {LARGEST_EPSILON}")

    def text(self, digits: int = 6) -> str:
        """The statement with rho rounded up, so that it stays true."""
        return f"{decimal_text(self.rho.hi, digits, up=True)}-zCDP for {self.adjacency.value}"


@dataclass(frozen=True, kw_only=True)
class GaussianDP:
    """mu-Gaussian differential privacy: no easier to tell two neighbours apart than N(mu, 1) and N(0, 1).

    Independent Gaussian noise on a vector of answers has it: mu is its L2 sensitivity over the standard deviation.

    >>> GaussianDP(mu_squared="1/9", adjacency="replace-one").text()
    'Gaussian differential privacy with mu^2 = 0.111112 for replace-one'
    """

    mu_squared: Fraction
    adjacency: Adjacency

    def __post_init__(self) -> None:
        mu_squared = parse_rational(self.mu_squared, "mu_squared")
        require_range("mu_squared", mu_squared, self.mu_squared, above=0)
        object.__setattr__(self, "mu_squared", mu_squared)
        object.__setattr__(self, "adjacency", read_adjacency(self.adjacency))

    def text(self, digits: int = 6) -> str:
        """The statement with mu^2 rounded up, so that it stays true."""
        shown = decimal_text(self.mu_squared, digits, up=True)
        return f"Gaussian differential privacy with mu^2 = {shown} for {self.adjacency.value}"


Statement: TypeAlias = DP | ZCDP | GaussianDP


def _amount(name: str, value: Amount) -> Enclosure:
    if isinstance(value, Enclosure):
        if value.hi < 0:
            raise ParameterError(name, decimal_text(value.hi, 6, up=True), "at least 0")
        return Enclosure(max(value.lo, Fraction(0)), value.hi)
    number = parse_rational(value, name)
    require_range(name, number, value, least=0)
    return Enclosure.of(number)


def read_epsilon(value: Exact, *, above_zero: bool = False) -> fmpq:
    """An epsilon as an exact number."""
    number = parse_rational(value, "epsilon")
    require_range("epsilon", number, value, least=0, most=LARGEST_EPSILON)
    if above_zero:
        require_range("epsilon", number, value, above=0)
    return fmpq(number.numerator, number.denominator)


def read_delta(value: Exact, name: str = "dp_delta") -> fmpq:
    """A delta strictly between 0 and 1 as an exact number."""
    number = parse_rational(value, name)
    require_range(name, number, value, above=0, below=1)
    return fmpq(number.numerator, number.denominator)


def read_positive(value: Exact, name: str) -> fmpq:
    """A number from 1e-12 to 1e12, exact: what noise, scales and shifts may be."""
    number = parse_rational(value, name)
    require_range(name, number, value, above=0)
    require_range(name, number, value, least=Fraction(1, 10**12), most=10**12)
    return fmpq(number.numerator, number.denominator)


def read_count(value: Exact, name: str = "count", *, most: int) -> int:
    """A whole number from 1 on."""
    number = parse_integer(value, name)
    require_range(name, number, value, least=1, most=most)
    return number


def one_adjacency(*statements: object) -> Adjacency:
    """The adjacency that all of them share; statements about different pairs of data sets do not add up."""
    if not statements:
        raise UsageError("nothing to compose: give at least one statement")
    found = []
    for statement in statements:
        adjacency = getattr(statement, "adjacency", None)
        if not isinstance(adjacency, Adjacency):
            raise UsageError(f"a statement with an adjacency is needed, not {type(statement).__name__}")
        found.append(adjacency)
    if len(set(found)) > 1:
        both = " and ".join(sorted({adjacency.value for adjacency in found}))
        raise UsageError(f"adjacency = {both}: statements about different pairs of data sets do not compose")
    return found[0]


def enclose_probability(compute: Callable[[], BallNumber], *, first_bits: int | None = None) -> Enclosure:
    """A tight enclosure of a probability; one too small to write down is enclosed by 0 and 2^-8192."""
    try:
        with precision(128):
            rough = compute()
    except Undecided:
        return enclose(compute, first_bits=first_bits)
    if isinstance(rough, arb) and abs(rough) < fmpq(1, 2**8192):
        return Enclosure(Fraction(0), _SMALLEST_SHOWN)
    return enclose(compute, first_bits=first_bits)


def require_promise(delta: Enclosure) -> Enclosure:
    """The same delta, if it promises anything."""
    if delta.hi >= 1:
        raise NotApplicable(
            f"delta is at least {decimal_text(min(delta.lo, Fraction(1)), 6, up=False)}: too near 1 to promise anything"
        )
    return delta
