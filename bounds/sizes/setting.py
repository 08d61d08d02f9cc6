"""A validated problem: everything the user gave, exact, with the family of queries it describes.

This is the only way into the theorems that ask for n, m and k. Values are checked here against their general ranges;
what a single theorem requires beyond that is one of its hypotheses.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import floor, log10, prod

from bounds.contrasts import MOST_GAUSSIAN_DEGREE
from bounds.errors import NotApplicable, ParameterError, UsageError
from bounds.exact import require_range
from bounds.model import Route
from bounds.parameters import PARAMETERS
from bounds.pieces.noise import MECHANISMS
from bounds.privacy.adjacency import Adjacency, read_adjacency
from bounds.quantities import Choices
from bounds.queries import MOST_DIGITS, QueryFamily, bounded, family_of_levels
from bounds.table_packing import packed_tables
from bounds.unbiased import unbiased_factor

MOST_CONTINUOUS_ATTRIBUTES = 300


@dataclass(frozen=True)
class Setting:
    """Exact parameters of one question; None if nothing was given."""

    p: int
    t: int
    family: QueryFamily
    continuous: bool = False
    adjacency: Adjacency = Adjacency.REPLACE_ONE
    release: str = "rows"
    mechanism: str | None = None
    rows: str | None = None
    numbers: Mapping[str, Fraction] = field(default_factory=dict, hash=False)
    """The other numbers that were given, by the names of their parameters."""
    points: int | None = None
    """Points of the domain, if attributes differ in their number of levels; t^p if not given."""
    fewest_levels: int | None = None
    """Of any attribute, if they differ; t is then the largest number."""

    def number(self, name: str) -> Fraction | None:
        """A given number; accuracy and failure have become delta and gamma."""
        return self.numbers.get(name)

    @property
    def k(self) -> int | None:
        return int(self.numbers["k"]) if "k" in self.numbers else None

    @property
    def degree(self) -> int | None:
        return int(self.numbers["degree"]) if "degree" in self.numbers else None

    @property
    def domain_size(self) -> int | None:
        if self.continuous:
            return None
        return self.t**self.p if self.points is None else self.points

    @property
    def unbiased_factor(self) -> Fraction | None:
        """Of synthbounds.unbiased-limit, if the family is symmetric."""
        uneven = self.fewest_levels not in (None, self.t)
        return None if self.degree is None or uneven else unbiased_factor(self.family.name, self.p, self.t, self.degree)

    def base_values(self) -> dict[str, Fraction]:
        """Name to exact value of every quantity that is known before any theorem is applied."""
        return dict(self._known)

    @cached_property
    def _known(self) -> dict[str, Fraction]:
        family = self.family
        known: dict[str, Fraction | int | None] = {
            "p": self.p,
            "t": self.t,
            "N": self.domain_size,
            "packing": family.packing,
            "steps": family.one_way_steps,
            "s": 2 if self.adjacency is Adjacency.REPLACE_ONE else 1,
            "plain": family.plain,
            "centred": family.centred,
            "unbiased_factor": self.unbiased_factor,
        }
        known |= self._noise_facts(family)
        if family.one_way is not None:
            known |= {f"one_{name}": value for name, value in self._noise_facts(family.one_way).items()}
        tables = None if self.degree is None else packed_tables(family.name, self.p, self.degree)
        if family.packing is not None and tables is not None:
            known |= {"tables": tables.count, "table_rows": tables.rows, "table_gap": tables.gap}
        known |= {PARAMETERS[name].quantity: value for name, value in self.numbers.items()}
        return {
            name: value if isinstance(value, Fraction) else Fraction(value)
            for name, value in known.items()
            if value is not None
        }

    def _noise_facts(self, family: QueryFamily) -> dict[str, Fraction | int | None]:
        """The facts that noise on the queries of a family needs, and the cost of making noisy answers consistent."""
        return {
            "F": family.total,
            "F_varying": family.varying,
            "R": family.range_width,
            "Delta_1": family.l1_sensitivity,
            "Delta_2_squared": family.l2_sensitivity_squared,
            "rank": family.dimension,
            "contrast_gain": family.contrast_gain,
            "contrast_scatter": family.contrast_scatter if "dp_delta" in self.numbers else None,
            "stretch": family.stretch,
        }

    def choices(self, route: Route) -> Choices:
        """The mechanisms and row constructions that both a route and the user allow."""
        density = self.release == "density"
        size = self.domain_size
        huge = route.laplace_beyond is not None and size is not None and size > route.laplace_beyond
        mechanisms = ("laplace",) if huge else route.mechanisms
        known = self.base_values()
        allowed = tuple(
            name
            for name in mechanisms
            if self.mechanism in (None, name) and all(needed in known for needed in MECHANISMS[name].inputs)
        )
        rows = rows_of(route, size, self.family.varying, self.degree)
        return Choices(
            mechanisms=allowed,
            rows=() if density else tuple(name for name in rows if self.rows in (None, name)),
            k_given=self.k is not None,
            density_released=density,
            exchanges_records=self.adjacency is Adjacency.REPLACE_ONE,
        )


def rows_of(route: Route, points: float | None, queries: float, degree: float | None) -> tuple[str, ...]:
    """The constructions of synthetic records that a route has for such queries on a domain of this many points."""
    unfit = {"shuffling"} if degree == 1 else {"columns"}
    if route.listed_up_to is not None and points is not None and points * queries > route.listed_up_to:
        unfit.add("rounding")
    return tuple(name for name in route.rows if name not in unfit)


def build_setting(*, continuous: bool = False, levels: Sequence[int] | None = None, **raw: object) -> Setting:
    """Parse and check raw values (text, integers, fractions); None means not given.

    `accuracy` and `failure` may stand for delta = accuracy/8 and gamma = failure/4. `levels`, one number per attribute,
    take the place of p and t.
    """
    given = {name: value for name, value in raw.items() if value is not None}
    numbers = {p.name: p.number(given[p.name]) for p in PARAMETERS.values() if p.is_number and p.name in given}
    _accept_promises(numbers)
    sizes = _levels(numbers, continuous=continuous) if levels is None else _given_levels(levels, numbers, continuous)
    points = prod(sizes)
    if not continuous:
        _require_cell_bounds(numbers, given, points)
    setting = Setting(
        p=len(sizes),
        t=max(sizes),
        family=_family(given, numbers, sizes),
        continuous=continuous,
        adjacency=read_adjacency(given.get("adjacency", PARAMETERS["adjacency"].default)),
        release=PARAMETERS["release"].choice(given.get("release")),
        mechanism=PARAMETERS["mechanism"].choice(given["mechanism"]) if "mechanism" in given else None,
        rows=PARAMETERS["rows"].choice(given["rows"]) if "rows" in given else None,
        numbers={name: value for name, value in numbers.items() if name not in ("p", "t", "queries")},
        points=None if levels is None else points,
        fewest_levels=None if levels is None else min(sizes),
    )
    _require_consistent(setting)
    return setting


def _accept_promises(numbers: dict[str, Fraction]) -> None:
    """Translate the user's promise, accuracy and failure, into delta and gamma."""
    for promise, parameter, factor in (("accuracy", "delta", 8), ("failure", "gamma", 4)):
        if promise not in numbers:
            continue
        if parameter in numbers:
            raise UsageError(f"give {promise} or {parameter}, not both: {promise} is {factor} {parameter}")
        numbers[parameter] = numbers.pop(promise) / factor


def _levels(numbers: Mapping[str, Fraction], *, continuous: bool) -> tuple[int, ...]:
    """t levels of each of p attributes; refused before anything large is computed if they could not be written."""
    if "p" not in numbers:
        raise UsageError("p is missing: give the number of attributes (--p) or a schema (--schema)")
    p, t = int(numbers["p"]), int(numbers.get("t", PARAMETERS["t"].number()))
    if continuous:
        require_range("p", p, p, most=MOST_CONTINUOUS_ATTRIBUTES, reason="attributes of a continuous domain")
    else:
        digits = floor(p * log10(t)) + 1
        if digits > MOST_DIGITS:
            allowed = f"such that |Omega| = t^p has at most {MOST_DIGITS} digits"
            raise ParameterError("p", p, allowed, f"with t = {t} it has {digits} digits")
    return (t,) * p


def _given_levels(levels: Sequence[int], numbers: Mapping[str, Fraction], continuous: bool) -> tuple[int, ...]:
    """The levels of a schema, checked like p and t, which they replace."""
    for name in ("p", "t"):
        if name in numbers:
            raise UsageError(
                f"{name} and a schema are both given: the schema says how many columns and levels there are"
            )
    if continuous:
        raise NotApplicable(
            "schema: its columns have finitely many values, and the measure kde is about real numbers: give --p"
        )
    PARAMETERS["p"].number(len(levels))
    for size in levels:
        PARAMETERS["t"].number(size)
    digits = floor(sum(log10(size) for size in levels)) + 1
    if digits > MOST_DIGITS:
        raise ParameterError("schema", f"{digits} digits of points", f"at most {MOST_DIGITS}", "the size of the domain")
    return tuple(levels)


def _family(given: Mapping[str, object], numbers: Mapping[str, Fraction], levels: tuple[int, ...]) -> QueryFamily:
    name = given.get("family")
    if "queries" in numbers:
        if "degree" in numbers:
            raise UsageError("give --degree D or --queries F, not both: the degree already says how many queries")
        if name is not None:
            raise UsageError("give --family with --degree, not with --queries: F arbitrary queries have no family")
        return bounded(int(numbers["queries"]))
    if "degree" not in numbers:
        raise UsageError("degree is missing: give --degree D (queries on at most D attributes) or --queries F")
    return family_of_levels(str(PARAMETERS["family"].default if name is None else name), levels, int(numbers["degree"]))


def _require_cell_bounds(numbers: Mapping[str, Fraction], given: Mapping[str, object], size: int) -> None:
    """The least probability of a domain point is at most 1/|Omega|, the largest at least that."""
    even = Fraction(1, size)
    reason = "the least and the largest of |Omega| probabilities lie on either side of 1/|Omega|"
    if "tau1" in numbers:
        require_range("tau1", numbers["tau1"], given["tau1"], above=0, most=even, reason=reason)
    if "tau2" in numbers:
        require_range("tau2", numbers["tau2"], given["tau2"], least=even, most=1, reason=reason)
        if "tau1" not in numbers:
            raise UsageError("tau2 needs tau1: give both, or none for a uniform nu")


def _require_consistent(setting: Setting) -> None:
    chosen = setting.mechanism
    if chosen is not None and MECHANISMS[chosen].needs_dp_delta and "dp_delta" not in setting.numbers:
        raise UsageError(f"mechanism {chosen} needs --dp-delta: Gaussian noise is not private with epsilon alone")
    if chosen == "contrast-linf" and setting.family.contrast_gain is None:
        raise NotApplicable(
            f"mechanism = {chosen}: is for --family cells (other families have no fewer contrasts than queries)"
        )
    if chosen == "contrast-gaussian" and setting.family.contrast_scatter is None:
        allowed = f"for --family cells or monomials and degrees up to {MOST_GAUSSIAN_DEGREE}"
        raise NotApplicable(f"mechanism = {chosen}: is {allowed}")
    if setting.release == "density" and setting.k is not None:
        raise UsageError("give --k or --release density, not both: a density has no synthetic records")
    if setting.release == "density" and setting.rows is not None:
        raise UsageError("give --rows or --release density, not both: a density has no synthetic records")
