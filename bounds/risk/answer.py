"""The answer about excess risk: the bound with its terms, what it rests on, and how far it can be from the truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from bounds.enclosure import Enclosure, integer_text
from bounds.risk.floor import Floor
from bounds.risk.polynomials import RiskPolynomial
from bounds.risk.question import RiskQuestion
from bounds.risk.sharp import Part
from bounds.risk.tables import Tables
from bounds.shown import Shown
from bounds.sizes.requirement import HypothesisResult, PrivacyStatement
from bounds.solve import IntegerCertificate


@dataclass(frozen=True)
class RouteValue:
    """Another bound that applies, or why it does not."""

    route: str
    value: Enclosure | None
    reason: str = ""


@dataclass(frozen=True)
class OrderTried:
    """Marginals and the records that they require; None if no number is enough."""

    tables: Tables
    n: int | None
    route: str


ANY_MODEL = "any two models differ by no more"


@dataclass(frozen=True)
class Required:
    """An n that reaches the target: the smallest, proved at n and at n - 1, wherever `scope` says for which bounds."""

    target: Fraction
    certificate: IntegerCertificate
    orders: tuple[OrderTried, ...]
    """Orders of marginals that were tried; the least n is taken."""
    scope: str
    """For which bounds one record fewer is proved not to be enough; empty if that is not proved."""

    @property
    def proved_smallest(self) -> bool:
        return bool(self.scope)


@dataclass(frozen=True)
class SolvedEpsilon:
    """The smallest epsilon, with six digits, that reaches the target with n records."""

    value: Fraction
    neighbour: Fraction | None
    """One unit less, which does not; None at the least epsilon that is tried."""
    neighbour_bound: Enclosure | None


@dataclass(frozen=True)
class Noise:
    """A private release: what noise was added and how far it moves the marginals."""

    privacy: PrivacyStatement
    sd: tuple[tuple[str, Enclosure], ...]
    """Standard deviations, each with the name of the numbers to which the noise is added."""
    nu: Enclosure | None
    """L1 distance of marginals in counts."""
    failure: Fraction
    is_private: bool = True
    """False if the printed noise does not give the privacy that is claimed for it."""


@dataclass(frozen=True)
class RiskAnswer(Shown):
    """A bound on the excess risk, certified, with everything needed to judge it."""

    question: RiskQuestion
    theorem: str
    title: str
    locator: str
    paper: str
    edition: str
    route: str
    tables: Tables
    n: int | None
    marginal_error: Enclosure | None
    bound: Enclosure
    parts: tuple[Part, ...]
    polynomial: RiskPolynomial | None
    tilt: Fraction | None
    trivial: Enclosure
    vacuous: bool
    reason: str
    noise: Noise | None
    required: Required | None
    solved: SolvedEpsilon | None
    floor: Floor | None
    find_others: Callable[[], tuple[RouteValue, ...]] = field(repr=False, compare=False)
    hypotheses: tuple[HypothesisResult, ...]
    notes: tuple[str, ...]
    proof: str

    @cached_property
    def others(self) -> tuple[RouteValue, ...]:
        """Other bounds that apply; they are computed only on request, as they take longer than the bound itself."""
        return self.find_others()

    @property
    def order(self) -> int:
        """Of the marginals: d, including the label."""
        return self.tables.order

    @property
    def slack_ub(self) -> Fraction | None:
        """The bound is at most this many times what some data have."""
        if self.floor is None or self.floor.value.lo <= 0 or self.noise is not None:
            return None  # for private data only a bound on the noise is known, not that it is reached
        return self.bound.hi / self.floor.value.lo

    @property
    def violated(self) -> tuple[str, ...]:
        """Hypotheses of the edition that are not met but do not prevent the value."""
        return tuple(f"{h.text} ({h.why})" if h.why else h.text for h in self.hypotheses if h.holds is False)

    def __str__(self) -> str:
        vacuous = " (vacuous)" if self.vacuous else ""
        needed = f"n = {integer_text(self.required.certificate.value)} for " if self.required else ""
        return f"{needed}excess risk <= {self.bound.decimal(6)[1]} by {self.theorem}, {self.edition} edition{vacuous}"
