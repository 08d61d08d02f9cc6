"""What is public before a finished table is compared with the real one by two noisy numbers: payment and noise.

The synthetic table is fixed before: it may depend on anything that was published, since a ledger that composes
adaptively pays. Each kind says what the two numbers are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from bounds.errors import DataError
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from bounds.privacy.statements import Statement
from release.data.schema import Schema
from release.noise.kinds import Mode, Noise
from release.noise.priced import priced_noise
from release.noise.quantiles import deepest_fall


@dataclass(frozen=True, kw_only=True)
class ComparisonPlan(ABC):
    """A finished table, its comparison, and the noise that `cost` buys; `ledger` pays."""

    KIND: ClassVar[str]

    mode: Mode
    ledger: Ledger
    price: Statement
    """The cost of the two numbers together: Gaussian privacy, or a pure epsilon."""
    stated_size: int
    """N, by which the synthetic means are multiplied: n under replace-one, under add-remove a public number."""
    synthetic_digest: str
    seed: int | None = None
    run: int | None = None

    @property
    @abstractmethod
    def schema(self) -> Schema:
        """Of both tables."""

    @property
    @abstractmethod
    def synthetic_size(self) -> int:
        """Rows of the synthetic table."""

    @property
    @abstractmethod
    def statistic_text(self) -> str:
        """What the two integers are, in one sentence."""

    @abstractmethod
    def moved(self) -> tuple[Fraction, Fraction]:
        """How far one record moves both integers together: in L1, and the square in L2."""

    @abstractmethod
    def said_besides(self) -> dict[str, Any]:
        """The public fields of this kind only, as in its file."""

    @property
    def adjacency(self) -> Adjacency:
        return self.ledger.adjacency

    @property
    def is_simulated(self) -> bool:
        return self.mode == "simulate"

    @property
    def size_is_exact(self) -> bool:
        """Whether `stated_size` is the number of records."""
        return self.adjacency is Adjacency.REPLACE_ONE

    @cached_property
    def noise(self) -> Noise:
        """On both integers, the same for each."""
        l1, l2_squared = self.moved()
        return priced_noise(2, self.price, l1=l1, l2_squared=l2_squared, text=self.statistic_text, mode=self.mode)

    def fall(self, failure: Fraction) -> int:
        """By how many steps the noise makes one of the integers too small at most, except with this probability."""
        return deepest_fall(self.noise, failure)

    def require_rows(self) -> None:
        if self.synthetic_size < 1:
            raise DataError("synthetic: the table has no rows")

    def public(self) -> dict[str, Any]:
        """All fields, for the release of this plan."""
        return {f.name: getattr(self, f.name) for f in fields(self)}
