"""The question of a synthesis, what is decided before the data are touched, and the promise of that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from bounds.privacy.adjacency import Adjacency
from lp.measures.tree import may_be_tree
from lp.measures.uniform import MOST_BOOLEAN_POINTS, MOST_OTHER_POINTS
from release.data.domain import Domain
from release.noise.kinds import Mode, NoisePlan
from release.statistics.families import Family

UNIFORM, TREE, HISTOGRAM, GRID, BERNSTEIN = "uniform", "tree", "histogram", "grid", "bernstein"
FREE = (UNIFORM, TREE)
"""Measures that do not look at the records and cost nothing."""
ROUNDING, SAMPLING = "rounding", "sampling"
MOST_ROWS = 10**7
GAP = Fraction(1, 10**9)
"""Every programme is solved to this certified gap, and the promise allows for it."""
DENSITY_SLACK = Fraction(1, 100)
"""Sampled rows come from a density that is farther from the noisy answers than the optimum by at most this share of the
optimum and of the largest noise."""
DENSITY_PULL = 10
"""Of all those densities it is the one of most entropy less half the squares of its distances to the noisy answers, in
units of the farthest allowed, with this weight."""
LEAST_SLACK = Fraction(1, 10**8)
"""Below this, floating point cannot tell densities apart."""


def most_taken_whole(domain: Domain) -> int:
    """Domains of at most this many points are taken whole."""
    return MOST_BOOLEAN_POINTS if domain.is_boolean else MOST_OTHER_POINTS


def usual_measure(family: Family, *, part: bool = False) -> str:
    """Every point; if only some of them are wanted or there are too many, a tree of the answers, if possible."""
    whole = not part and family.domain.size <= most_taken_whole(family.domain)
    return UNIFORM if whole or not may_be_tree(family) else TREE


@dataclass(frozen=True, kw_only=True)
class Question:
    """What a release should be: public numbers only."""

    family: Family
    degree: int | None
    measure: str
    mode: Mode
    adjacency: Adjacency
    size: int
    """n under replace-one, where it is public; under add-remove a public least number of records."""
    epsilon: Fraction
    failure: Fraction
    dp_delta: Fraction | None = None
    accuracy: Fraction | None = None
    mechanism: str | None = None
    m: int | None = None
    k: int | None = None
    rows: str = SAMPLING
    solver: str = "auto"
    lipschitz: Fraction | None = None
    variant: str | None = None
    cells_per_axis: int | None = None

    @property
    def domain(self) -> Domain:
        return self.family.domain

    @property
    def takes_every_point(self) -> bool:
        return self.measure == UNIFORM and self.m is None and self.domain.size <= most_taken_whole(self.domain)


@dataclass(frozen=True)
class ProgrammeSizes:
    """The programme by public numbers alone."""

    family: Family
    columns: int

    @property
    def rows(self) -> int:
        return self.family.count


@dataclass(frozen=True, kw_only=True)
class Promise:
    """What is promised before the noise is drawn, or why nothing is."""

    theorem: str | None
    route: str
    accuracy: Fraction | None
    failure: Fraction
    any_data: bool
    asked: Fraction | None
    required_size: int | None
    """What the theorem requires for the requested accuracy, with continuous noise."""
    broken: str
    """Why the promise is not what was asked for; empty if it is."""
    hypotheses: tuple[str, ...] = ()

    @property
    def kept(self) -> bool:
        return not self.broken


@dataclass(frozen=True, kw_only=True)
class ProductPlan:
    """Only one-way answers are measured, and the columns of the rows are independent."""

    question: Question
    one_way: Question
    """What is measured for it."""
    centred: bool
    """Whether columns are moved to the middle of the values that one-way tables leave open."""
    error: Fraction
    """Between the answers of the product and the truth, unless the noise exceeds its quantile."""
    whole: bool = False
    """Whether rows are made from the density on the whole domain; otherwise columns are shuffled."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Everything that is decided before the data are touched."""

    question: Question
    measure_epsilon: Fraction
    noise: NoisePlan
    m: int | None
    """Reference points to be drawn; None for every point of the domain."""
    k: int
    rows: str
    """How the rows are made: as the question asks, or by rounding if the density for it is out of reach."""
    rows_reason: str
    """Why rows are not made as asked; empty if they are."""
    row_error: Fraction
    gamma: Fraction
    """Failure probability of a private measure."""
    cells_per_axis: tuple[int, ...] | None
    promise: Promise

    product: ProductPlan | None = None

    @property
    def sizes(self) -> ProgrammeSizes:
        """With as many points as there can be; columns that are shuffled have one for every row."""
        domain = self.question.domain
        most = self.k if self.product is not None and not self.product.whole else self.m
        return ProgrammeSizes(self.question.family, domain.size if most is None else min(most, domain.size))

    @property
    def measured(self) -> Plan:
        """The plan of what is measured: one-way answers need no reference points; one is drawn, and not used."""
        return self if self.product is None else replace(self, question=self.product.one_way, m=1)

    @property
    def whole(self) -> Plan:
        """The plan for all queries, from that of what is measured."""
        return self if self.product is None else replace(self, question=self.product.question, m=None)

    @property
    def target_error(self) -> Fraction:
        """How far the target of the rows is from the truth, unless the noise exceeds its quantile."""
        return self.noise.quantile if self.product is None else self.product.error
