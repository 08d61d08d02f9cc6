"""Objective perturbation as planned, audited exactly where its distribution is one-dimensional; and the same with bugs.

All records of the tables have the same features f, of the largest norm, and either label. Then the minimiser depends on
the records only along f, and there its distribution is known: with v = theta.f the noise that gives v is b(v) =
-strength v/|f|^2 + a s - c (1 - s) in units of |f|, s = 1/(1 + e^v), for a records of one label and c of the other. It
falls in v, so probabilities of intervals are those of a Gaussian, and on small cells balls enclose the log-ratio of the
densities: delta is enclosed by a sum over cells.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from flint import arb

from bounds.enclosure import Enclosure, as_fmpq, precision
from bounds.errors import NotCertified
from bounds.privacy.adjacency import Adjacency
from mechanisms.regression.objective_perturbation import ObjectiveEdition, plan_objective_perturbation
from release.statistics.features import build_feature_map
from verify.audit.cases import density_case
from verify.audit.exact import ExactLoss
from verify.audit.mechanism import Mechanism
from verify.audit.small_tables import RECORDS, SCHEMA
from verify.audit.subject import DELTA, Subject

if TYPE_CHECKING:
    from verify.audit.mechanism import Outputs

Table: TypeAlias = tuple[int, int]
"""How many records have label 1, and how many -1."""
MAP = build_feature_map(SCHEMA, label=SCHEMA.names[-1])
_BITS = 96
_MOST_HALVINGS = 32
_MOST_EPSILON = Fraction(64)
_FARTHEST = 14
"""Noise beyond this many deviations is counted as lost."""


@dataclass(frozen=True, kw_only=True)
class Law:
    """The distribution of v: noise of unit deviation, `mu` = |f|/sigma, `strength` over |f| sigma."""

    mu: arb
    strength: arb
    one_step: bool = False
    """A bug: the first Newton step from 0 is published, not the minimiser."""

    def share(self, v: arb) -> arb:
        return (2 - v) / 4 if self.one_step else 1 / (1 + v.exp())

    def noise(self, table: Table, v: arb) -> arb:
        return self.mu * (sum(table) * self.share(v) - table[1]) - self.strength * v

    def falls(self, table: Table, v: arb) -> arb:
        """By how much the noise falls as v grows."""
        s = arb("0.5") if self.one_step else self.share(v)
        return self.strength + self.mu * sum(table) * s * (1 - s)

    def loss(self, one: Table, other: Table, v: arb) -> arb:
        moved = self.mu * ((sum(other) - sum(one)) * self.share(v) - (other[1] - one[1]))
        return moved * (self.noise(one, v) + moved / 2) + (self.falls(one, v) / self.falls(other, v)).log()


def law_of(epsilon: Fraction, *, edition: ObjectiveEdition, noise: Fraction, ridge: Fraction, one_step: bool) -> Law:
    """As in the shipped plan; `noise` and `ridge` multiply its numbers, for bugs."""
    plan = plan_objective_perturbation(
        MAP, adjacency=Adjacency.ADD_REMOVE, epsilon=epsilon, dp_delta=DELTA, edition=edition
    )
    with precision(_BITS):
        size, sigma = arb(MAP.squared_norm).sqrt(), arb(as_fmpq(plan.sigma * noise))
        return Law(mu=size / sigma, strength=arb(as_fmpq(plan.strength * ridge)) / (size * sigma), one_step=one_step)


def _upper(x: arb) -> arb:
    """The probability that a standard Gaussian number is larger."""
    return (x / arb(2).sqrt()).erfc() / 2


def delta_at(law: Law, one: Table, other: Table, epsilon: Fraction) -> Enclosure:
    """Where the loss is above epsilon, the excess of one probability over e^epsilon times the other.

    Cells on which balls do not decide are halved, and the last of these count with their largest possible value.
    """
    limit, low, high = arb(as_fmpq(epsilon)), arb(0), 2 * _upper(arb(_FARTHEST))
    most = (_FARTHEST + law.mu * max(sum(one), sum(other))) / law.strength
    last = int(float(most.upper())) + 2
    open_cells = [(arb(k), arb(k + 1), 0) for k in range(-last, last)]
    while open_cells:
        left, right, halvings = open_cells.pop()
        loss = law.loss(one, other, left.union(right))
        if loss <= limit:
            continue
        if not loss >= limit and halvings < _MOST_HALVINGS:
            middle = (left + right) / 2
            open_cells += [(left, middle, halvings + 1), (middle, right, halvings + 1)]
            continue
        ours, theirs = (_upper(law.noise(t, right)) - _upper(law.noise(t, left)) for t in (one, other))
        more = ours - limit.exp() * theirs
        low += more.max(arb(0))
        high += more if loss >= limit else ours * (1 - (limit - loss.upper()).exp())
    return Enclosure(Enclosure.of(low.max(arb(0))).lo, Enclosure.of(high).hi)


def exact_loss(law: Law, tables: list[Table], *, epsilon: Fraction, delta: Fraction) -> tuple[ExactLoss, Table, Table]:
    """The largest loss between two tables that differ in one record, in either order, and roughly where."""
    near = [(a, c) for a, c in combinations(tables, 2) if abs(a[0] - c[0]) + abs(a[1] - c[1]) == 1]
    pairs = [*near, *((c, a) for a, c in near)]
    with precision(_BITS):
        found = {pair: delta_at(law, *pair, epsilon) for pair in pairs}
        one, other = max(pairs, key=lambda pair: found[pair].lo)
        least = _least_epsilon(law, one, other, delta)
        for pair in pairs:
            if delta_at(law, *pair, least.hi).hi > delta:
                least = _largest([least, _least_epsilon(law, *pair, delta)])
    name = f"{one} to {other} records of labels (1, -1)"
    return ExactLoss(epsilon=least, delta=_largest(list(found.values())), pair=name), one, other


def _largest(numbers: list[Enclosure]) -> Enclosure:
    return Enclosure(max(x.lo for x in numbers), max(x.hi for x in numbers))


def _least_epsilon(law: Law, one: Table, other: Table, delta: Fraction) -> Enclosure:
    """The epsilon at which delta falls to the given one, between two numbers that are both tried."""
    low, high = Fraction(0), _MOST_EPSILON
    if delta_at(law, one, other, high).hi > delta:
        raise NotCertified(f"epsilon: between {one} and {other} records it may be above {_MOST_EPSILON}")
    for _ in range(40):
        middle = (low + high) / 2
        at = delta_at(law, one, other, middle)
        if at.lo > delta:
            low = middle
        elif at.hi <= delta:
            high = middle
        else:
            break
    return Enclosure(low, high)


def _audited(
    epsilon: Fraction,
    *,
    edition: ObjectiveEdition = "sharp",
    noise: Fraction = Fraction(1),
    ridge: Fraction = Fraction(1),
    one_step: bool = False,
) -> Mechanism:
    law = law_of(epsilon, edition=edition, noise=noise, ridge=ridge, one_step=one_step)
    tables = [(a, c) for a, c in product(range(RECORDS + 1), repeat=2) if a + c <= RECORDS]
    loss, *pair = exact_loss(law, tables, epsilon=epsilon, delta=DELTA)
    mu, strength = float(law.mu), float(law.strength)

    def share(v: Outputs) -> Outputs:
        return (2 - v) / 4 if one_step else 1 / (1 + np.exp(v))

    def noise_of(side: int, v: Outputs) -> Outputs:
        return np.asarray(mu * (sum(pair[side]) * share(v) - pair[side][1]) - strength * v)

    def sample(side: int, runs: int, g: np.random.Generator) -> Outputs:
        drawn, reach = g.standard_normal((runs, 1)), (30 + mu * RECORDS) / strength
        low, high = np.full((runs, 1), -reach), np.full((runs, 1), reach)
        for _ in range(60):
            middle = (low + high) / 2
            above = noise_of(side, middle) > drawn
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        return low

    def log_density(side: int, v: Outputs) -> Outputs:
        curved = 0.25 if one_step else share(v) * (1 - share(v))
        return np.asarray(np.log(strength + mu * sum(pair[side]) * curved) - noise_of(side, v) ** 2 / 2)[:, 0]

    made = density_case(sample, log_density, epsilon=epsilon, delta=DELTA, adjacency=Adjacency.ADD_REMOVE)
    return replace(made, exact=lambda: loss)


_TITLE = "objective perturbation as planned"
_INPUTS = f"all tables of at most {RECORDS} records with the same features, all neighbours; the proof is for all tables"
_BUGS: dict[str, tuple[str, dict[str, Any]]] = {
    "half-noise": ("half of the noise", {"noise": Fraction(1, 2)}),
    "small-ridge": ("a tenth of the ridge", {"ridge": Fraction(1, 10)}),
    "one-step": ("the first Newton step is published, not the minimiser", {"one_step": True}),
}


def _subjects() -> list[Subject]:
    found = []
    for edition in ("sharp", "printed", "gaussian"):
        found.append(
            Subject(
                name=f"objective-{edition}", where="synthbounds, mechanisms.regression", title=f"{_TITLE}, {edition}",
                inputs=_INPUTS, violates=False, make=cache(partial(_audited, edition=edition)),
            )
        )  # fmt: skip
    for name, (text, changes) in _BUGS.items():
        found.append(
            Subject(
                name=f"objective-{name}", where="synthbounds, a seeded bug", title=f"{_TITLE}, sharp; {text}",
                inputs=_INPUTS, violates=True, make=cache(partial(_audited, **changes)),
            )
        )  # fmt: skip
    return found


OBJECTIVE_SUBJECTS = tuple(_subjects())
