"""Contrasts of a family of queries: their exact integer sums, from those of the queries, and the way back to answers.

For every attribute there are a few functions of its level, and every feature of the family is a constant plus a
combination of them; so a query on some attributes is a combination of products of such functions, the contrasts, on
all subsets of them. Both ways are computed table by table, one attribute after the other, in integers. Sign contrasts
suit noise of bounded size. For Gaussian noise the cells of a table, centred in every attribute, stand for an
orthonormal basis: noise of one deviation on all of them, centred again, has the same distribution, and denominators
stay small. Proof: docs/proofs/synthbounds.lattice-noise.md, (i).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import lcm, prod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bounds.contrasts import ContrastFacts, contrasts_of, halvings, sign_contrasts, sign_weights
from release.noise.kinds import CONTRAST_KINDS, ContrastKind
from release.noise.through import Through
from release.statistics.families import Family, ProductFamily
from release.statistics.family_sums import at_first_point

if TYPE_CHECKING:
    from numpy.typing import NDArray

Subset: TypeAlias = tuple[int, ...]
Rows: TypeAlias = tuple[tuple[int, ...], ...]
_MOST_PARTS = 2**20
"""Answers whose denominators have no common multiple up to this are rounded to this part of a lattice step."""


@dataclass(frozen=True)
class _Attribute:
    """contrasts = ahead @ features + shift, and features = (back @ contrasts + base) / over."""

    ahead: Rows
    shift: int
    back: Rows
    base: tuple[int, ...]
    over: int
    squared_norm: int
    """Of a contrast, in units of an orthonormal one: variances of its noise go with it."""


def _signs(levels: int) -> _Attribute:
    """Halves of the levels against each other, repeatedly; for two levels a sign, of squared norm 2."""
    over = 2 ** halvings(levels)
    weights = [[int(w * over) for w in row] for row in sign_weights(levels)]
    back, base = tuple(tuple(row[1:]) for row in weights), tuple(row[0] for row in weights)
    return _Attribute(sign_contrasts(levels), 0, back, base, over, 2)


def _centred(levels: int) -> _Attribute:
    """t [x = v] - 1 for every level v of t: one more than needed, so that all are alike."""
    if levels == 2:
        return _signs(2)
    rows = tuple(tuple(levels * (v == x) - 1 for x in range(levels)) for v in range(levels))
    return _Attribute(rows, 0, rows, (levels,) * levels, levels**2, levels**2)


_OF_UNIT_INTERVAL = _Attribute(((2,),), -1, ((1,),), (1,), 2, 2)
"""2x - 1 for an attribute x scaled to [0, 1]."""


@dataclass(frozen=True)
class Contrasts:
    """The contrasts of a family for one mechanism; sums are integers over the family's denominator."""

    mechanism: ContrastKind
    family: ProductFamily
    facts: ContrastFacts
    attributes: tuple[_Attribute, ...]

    @cached_property
    def sets(self) -> list[Subset]:
        """The sets of attributes of queries, which are those of contrasts, in the order of the family."""
        p, most = self.family.domain.p, self.family.most_factors
        return [chosen for size in range(1, most + 1) for chosen in combinations(range(p), size)]

    @cached_property
    def through(self) -> Through:
        """What noise on them needs to know; all of it is public."""
        alike = CONTRAST_KINDS[self.mechanism] == "linf"
        blocks = tuple((prod(self._contrast_shape(s)), Fraction(1) if alike else self._variance(s)) for s in self.sets)
        common = lcm(*{self._over(s) for s in self.sets})
        exact = common <= _MOST_PARTS
        return Through(
            mechanism=self.mechanism,
            denominator=self.family.denominator,
            blocks=blocks,
            facts=self.facts,
            answers=self.family.count,
            parts=common if exact else _MOST_PARTS,
            is_exact=exact,
        )

    def sums(self, values: Sequence[int], n: int) -> list[int]:
        """The sums of all contrasts over n records, from those of all queries."""
        ahead = [np.array(a.ahead, dtype=object) for a in self.attributes]
        shifts = [np.full(len(a.ahead), a.shift, dtype=object) for a in self.attributes]
        found = _expanded(self.sets, self._tables(values, ahead=True), n * self.family.denominator, ahead, shifts)
        return [value for table in found for value in table.ravel().tolist()]

    def at_first_point(self) -> list[int]:
        """Their integers at the first point of the domain."""
        return self.sums(at_first_point(self.family), 1)

    def answers(self, noisy: Sequence[int] | Sequence[float], *, one: int) -> tuple[Fraction, ...]:
        """The answers to all queries, from noisy sums; `one` is the sum of a contrast that is always 1."""
        steps = one * self.through.parts
        ratios = [value.as_integer_ratio() for value in noisy]
        finer = max(bottom for _, bottom in ratios)  # above 1 for the floats of simulations, a power of two
        back = [np.array(a.back, dtype=object) for a in self.attributes]
        bases = [np.array(a.base, dtype=object) for a in self.attributes]
        whole = [top * (finer // bottom) for top, bottom in ratios]
        tables = _expanded(self.sets, self._tables(whole, ahead=False), one * finer, back, bases)
        found: list[Fraction] = []
        for chosen, table in zip(self.sets, tables, strict=True):
            over = self._over(chosen) * finer
            parts = 2 * self.through.parts
            found += [Fraction((parts * value + over) // (2 * over), steps) for value in table.ravel().tolist()]
        return tuple(found)

    def _tables(self, values: Sequence[int], *, ahead: bool) -> list[NDArray[Any]]:
        """The values of all queries (ahead) or of all contrasts, set by set."""
        flat, start, found = np.array(values, dtype=object), 0, []
        for chosen in self.sets:
            shape = self._query_shape(chosen) if ahead else self._contrast_shape(chosen)
            stop = start + prod(shape)
            found.append(flat[start:stop].reshape(shape))
            start = stop
        assert start == len(flat)
        return found

    def _query_shape(self, chosen: Subset) -> tuple[int, ...]:
        return tuple(len(self.attributes[j].back) for j in chosen)

    def _contrast_shape(self, chosen: Subset) -> tuple[int, ...]:
        return tuple(len(self.attributes[j].ahead) for j in chosen)

    def _over(self, chosen: Subset) -> int:
        return prod(self.attributes[j].over for j in chosen)

    def _variance(self, chosen: Subset) -> Fraction:
        """Of the noise, relative to a common scale."""
        # For monomials every attribute counts as having two levels.
        levels = [2 if self.family.name == "monomials" else self.family.domain.sizes[j] for j in chosen]
        return self.facts.variance(levels) * prod(self.attributes[j].squared_norm for j in chosen)


def contrasts_for(family: Family, mechanism: ContrastKind) -> Contrasts | None:
    """The contrasts of a family for this mechanism; None for families without contrasts."""
    if not isinstance(family, ProductFamily):
        return None
    sizes = family.domain.sizes
    facts = contrasts_of(family.name, sizes, family.most_factors)
    if facts is None:
        return None
    if family.name == "monomials":
        attributes = (_OF_UNIT_INTERVAL,) * len(sizes)
    else:
        made = _signs if CONTRAST_KINDS[mechanism] == "linf" else _centred
        attributes = tuple(made(size) for size in sizes)
    return Contrasts(mechanism, family, facts, attributes)


def ways_through(family: Family) -> list[Through]:
    """All contrasts through which the family can get its noise, if that may be worth it."""
    known = {"contrast-linf": family.facts.contrast_gain, "contrast-gaussian": family.facts.contrast_scatter}
    kinds = [kind for kind in CONTRAST_KINDS if known[kind] is not None]
    return [found.through for kind in kinds if (found := contrasts_for(family, kind)) is not None]


def _expanded(
    sets: Sequence[Subset],
    tables: Sequence[NDArray[Any]],
    constant: int,
    matrices: Sequence[NDArray[Any]],
    constants: Sequence[NDArray[Any]],
) -> list[NDArray[Any]]:
    """For every set the product over its attributes of (matrix of what is known + constant), an attribute at a time.

    What is known of a set of attributes is its table, of none of them the number `constant`. Integers in 64 bits if no
    number can be larger, else of any size.
    """
    kind = np.int64 if _bound(sets, tables, constant, matrices, constants) < 2**62 else object
    found: dict[Subset, NDArray[Any]] = {(): np.array(constant, dtype=kind)}
    found |= {chosen: table.astype(kind) for chosen, table in zip(sets, tables, strict=True)}
    for j, (matrix, vector) in enumerate(zip(matrices, constants, strict=True)):
        linear, fixed = matrix.astype(kind), vector.astype(kind)
        for chosen in sets:
            if j in chosen:  # what is on the other attributes alone is as the attributes before left it
                axis = chosen.index(j)
                moved = np.tensordot(linear, found[chosen], axes=([1], [axis]))
                if fixed.any():
                    rest = found[chosen[:axis] + chosen[axis + 1 :]]
                    moved = moved + np.multiply.outer(fixed, rest)
                found[chosen] = np.moveaxis(moved, 0, axis)
    return [found[chosen] for chosen in sets]


def _bound(
    sets: Sequence[Subset],
    tables: Sequence[NDArray[Any]],
    constant: int,
    matrices: Sequence[NDArray[Any]],
    constants: Sequence[NDArray[Any]],
) -> int:
    """A number that no intermediate result exceeds in absolute value."""
    largest = max(constant, *(int(np.abs(table).max()) for table in tables))
    growth = sorted(
        (max(1, int(np.abs(matrix).sum(axis=1).max()) + int(np.abs(vector).max())))
        for matrix, vector in zip(matrices, constants, strict=True)
    )
    return largest * prod(growth[-max(map(len, sets)) :])
