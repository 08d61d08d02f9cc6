"""What a theorem is: frozen data with its formulas, hypotheses, editions and where it comes from.

A theorem file builds one Theorem from these parts. Formulas are plain functions of (quantities, arithmetic);
nothing here evaluates them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from bounds.arithmetic import Arithmetic, Number
from bounds.shown import Shown

if TYPE_CHECKING:
    from bounds.quantities import Quantities

Formula: TypeAlias = "Callable[[Quantities, Arithmetic], Number]"
EditionName: TypeAlias = Literal["printed", "corrected", "sharp"]
EDITIONS: tuple[EditionName, ...] = ("printed", "corrected", "sharp")
COUNTS = ("n", "m", "k")
"""Quantities that are whole numbers: records, reference points, synthetic records."""


@dataclass(frozen=True)
class Citation:
    """The place of a statement in the literature."""

    paper: str
    locator: str


@dataclass(frozen=True)
class Hypothesis:
    """A condition of a theorem: checked from the inputs, or asserted by the user.

    `holds` is evaluated on exact inputs. A false blocking hypothesis refuses the theorem; a false one that
    does not block is shown as violated, with `why` saying what the answer then still means.
    """

    text: str
    holds: Callable[[Quantities], bool] | None = None
    blocking: bool = True
    why: str = ""


@dataclass(frozen=True)
class Term:
    """One lower bound on n, m or k, or the value that a helper statement computes.

    A threshold asks quantity >= formula. A condition asks formula >= 0, a margin that grows with the
    quantity, for bounds that have no closed form.
    """

    quantity: str
    name: str
    formula: Formula
    kind: Literal["threshold", "condition"] = "threshold"
    note: str = ""
    start: Formula | None = None
    """For a condition: where the search begins. It affects speed only."""


@dataclass(frozen=True)
class Derived:
    """A named intermediate quantity that formulas may use and answers may show."""

    name: str
    meaning: str
    formula: Formula
    needs: str = ""
    """A mechanism, row construction or adjacency without which the quantity does not exist."""
    may_be_given: bool = False
    """A value given by the user replaces the formula; otherwise the proved value is used."""


@dataclass(frozen=True)
class Promise:
    """What is promised when the terms are met."""

    accuracy: Formula
    failure: Formula
    privacy: Formula
    any_data: bool
    """True: for every data set. False: for records drawn independently from one distribution."""
    failure_note: str = ""


@dataclass(frozen=True)
class Route:
    """One proved way to keep the promise of an edition."""

    name: str
    summary: str
    terms: tuple[Term, ...]
    promise: Promise | None = None
    hypotheses: tuple[Hypothesis, ...] = ()
    derived: tuple[Derived, ...] = ()
    mechanisms: tuple[str, ...] = ()
    """Noise that may be used; empty if the statement fixes it."""
    rows: tuple[str, ...] = ()
    """Constructions of the synthetic records that may be used; empty if the statement fixes it."""
    listed_up_to: int | None = None
    """Points times queries beyond which a density is not rounded: it could not be listed."""
    laplace_beyond: int | None = None
    """Domain size beyond which only Laplace noise is considered: n is then computed to so many digits that
    the quantiles of other noise would be slow, and the noise does not matter next to the histogram."""
    inputs: tuple[str, ...] = ()
    """Inputs that this route needs besides those of the theorem."""
    noise_on_constants: bool = False
    """Laplace noise on all |F| queries at sensitivity 2|F|/n, as the paper has it, instead of the true one."""
    one_way: bool = False
    """Only the one-way answers are measured, and all others follow from them."""
    positive: tuple[str, ...] = ()
    """Derived quantities that must be positive, or the route does not apply."""


@dataclass(frozen=True)
class Edition:
    """A theorem as printed, with its errors repaired, or in the best form we can prove."""

    name: EditionName
    routes: tuple[Route, ...]
    changes: tuple[str, ...] = ()
    """Printed: the choices made where the paper leaves a constant open. Others: what changed and why."""
    proof: str = ""
    """Page in docs/proofs; empty only for printed editions whose proof is the paper's."""


@dataclass(frozen=True)
class Theorem(Shown):
    """A statement with its editions; `id` is stable."""

    id: str
    title: str
    guarantee: str
    """One sentence: what is promised to whom."""
    citation: Citation
    editions: tuple[Edition, ...]
    inputs: tuple[str, ...]
    direction: Literal["sufficient", "necessary", "value"] = "sufficient"
    """Sufficient sizes, sizes no method can go below, or a helper statement with a value."""
    measure: str = ""
    see_also: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.id}: {self.title}"

    def edition(self, name: str) -> Edition | None:
        return next((e for e in self.editions if e.name == name), None)
