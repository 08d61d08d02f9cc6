"""The answer to "how many": every integer with its proof, every term, and the promise of the numbers."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bounds.enclosure import Enclosure, integer_text
from bounds.privacy.adjacency import Adjacency
from bounds.shown import Shown
from bounds.solve import IntegerCertificate


@dataclass(frozen=True)
class TermResult:
    """One lower bound on n, m or k: the real threshold and the integer it forces."""

    quantity: str
    name: str
    threshold: Enclosure
    certificate: IntegerCertificate
    binding: bool
    note: str = ""

    @property
    def required(self) -> int:
        return self.certificate.value


@dataclass(frozen=True)
class DerivedResult:
    """An intermediate number, for the reader."""

    name: str
    meaning: str
    enclosure: Enclosure


@dataclass(frozen=True)
class HypothesisResult:
    """A condition with how we know it: checked from the inputs, or asserted by the user."""

    text: str
    kind: str
    holds: bool | None
    why: str = ""


@dataclass(frozen=True)
class PrivacyStatement:
    """What is private, in which sense, and what it was calibrated to."""

    epsilon: Enclosure
    dp_delta: Enclosure | None
    adjacency: Adjacency
    sensitivity: str
    least_public_size: int | None
    """None: n itself is public. Otherwise n is private and only this lower bound on it is public."""
    mechanism: str


@dataclass(frozen=True)
class Guarantee:
    """Accuracy and failure probability, and whether they say anything."""

    accuracy: Enclosure
    failure_probability: Enclosure
    privacy: PrivacyStatement
    any_data: bool
    vacuous: bool
    reason: str


@dataclass(frozen=True)
class Alternative:
    """Another proved route of the same edition: its sizes, or why it does not apply."""

    route: str
    n: int | None
    m: int | None
    k: int | None
    reason: str = ""


@dataclass(frozen=True)
class LowerBound:
    """No mechanism can keep the promise with fewer."""

    n: int
    k: int
    ratio: Fraction
    """Records that suffice over records that are necessary."""
    certificate_n: IntegerCertificate
    certificate_k: IntegerCertificate
    text: str


@dataclass(frozen=True)
class Requirement(Shown):
    """The sizes that suffice, with certificates, and everything needed to judge them."""

    theorem: str
    direction: str
    """As the theorem's: sizes that suffice, or that no method can go below."""
    title: str
    locator: str
    edition: str
    route: str
    summary: str
    measure: str
    n: int
    m: int | None
    k: int | None
    k_given: bool
    queries: int
    family: str
    queries_in_words: str
    domain_size: int | None
    renyi_bound: Enclosure | None
    terms: tuple[TermResult, ...]
    derived: tuple[DerivedResult, ...]
    guarantee: Guarantee
    hypotheses: tuple[HypothesisResult, ...]
    alternatives: tuple[Alternative, ...]
    lower_bound: LowerBound | None
    unbiased_limit: Enclosure | None
    """No unbiased mechanism with this privacy has a smaller standard deviation in all answers, at n records."""
    notes: tuple[str, ...]
    proof: str
    paper: str
    precision: int

    def __str__(self) -> str:
        counts = (("n", self.n), ("m", self.m), ("k", self.k))
        sizes = ", ".join(f"{name} = {integer_text(count)}" for name, count in counts if count is not None)
        vacuous = " (vacuous guarantee)" if self.guarantee.vacuous else ""
        return f"{sizes} by {self.theorem}, {self.edition} edition{vacuous}"
