"""First and second moments of features from a release of marginals, with radii that hold for all of them at once.

Everything is on the scale of the features f: M1 = E[y f], M2 = E[f f']. Pairs that no table shows get the range over
all couplings of their columns, and columns that no table shows get their public range. Public numbers decide which of
two routes is taken, before the tables are looked at. Proof: docs/proofs/synthbounds.marginal-moments.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias, TypeVar

from bounds.certify.problem import KnownMoments
from bounds.errors import ParameterError
from bounds.exact import Exact, parse_rational, require_range
from mechanisms.models.certify.frechet import Levels, product_range
from mechanisms.models.certify.marginal_columns import ColumnFeatures, Layout, lay_out, pair_key
from mechanisms.models.certify.marginal_norms import first_noise, second_noise
from mechanisms.models.certify.marginal_routes import CellRoute, Entry, LawRoute, Route
from mechanisms.models.certify.norm_bounds import norm_above, perron_above, rounded_above
from release.marginals.file import Marginals, MarginalTable
from release.statistics.features import FeatureMap

RouteName: TypeAlias = Literal["cells", "law", "tables"]
_SHARE = Fraction(33, 100)
"""Part of beta for entries, first and second moments each; the rest covers the ends of the sampler's 64 bits."""
_Key = TypeVar("_Key")


@dataclass(frozen=True, kw_only=True)
class MarginalMoments:
    """Noisy moments of the features; except with probability `beta` all radii hold at once.

    |first_j - E[y f_j]| <= radii_first[j] and |second_ij - E[f_i f_j]| <= radii_second[i][j]; the vector of the first
    errors has norm at most k1, the matrix of the second ones operator norm at most k2. Divide by the root of
    squared_norm, respectively by squared_norm, for the unit ball.
    """

    feature_map: FeatureMap
    first: tuple[Fraction, ...]
    second: tuple[tuple[Fraction, ...], ...]
    radii_first: tuple[Fraction, ...]
    radii_second: tuple[tuple[Fraction, ...], ...]
    k1: Fraction
    k2: Fraction
    missing_pairs: tuple[tuple[str, str], ...]
    """Pairs of columns, the label's included, that no table shows."""
    missing_columns: tuple[str, ...]
    route: RouteName
    beta: Fraction

    @property
    def uniform_over_maps(self) -> bool:
        """Whether the event is that of all cells, and therefore the same for every label and encoding."""
        return self.route == "cells"

    @property
    def known(self) -> KnownMoments:
        """The event on which all radii hold; it is about shares of the records, which sum to 1 for any number."""
        return KnownMoments(
            first=self.first,
            second=self.second,
            first_radius=self.k1,
            second_radius=self.k2,
            failure=self.beta,
            squared_norm=self.feature_map.squared_norm,
            label_is_number=self.feature_map.label_is_number,
        )


@dataclass(frozen=True)
class Shown:
    """Moments that tables show: entries by place (i <= j for second ones), and bounds on both norms of their errors."""

    route: Route
    first: Mapping[int, Entry]
    second: Mapping[tuple[int, int], Entry]
    k1: Fraction
    k2: Fraction


def moments_of_marginals(marginals: Marginals, feature_map: FeatureMap, beta: Exact) -> MarginalMoments:
    """The moments that the tables determine; `beta` is the probability with which a radius may fail.

    If the distribution of the noise is not known, beta must be at least that of the release.
    """
    failure = parse_rational(beta, "beta")
    require_range("beta", failure, beta, above=0, below=1, reason="a probability")
    layout = lay_out(marginals, feature_map)
    shown = _choose(marginals, layout, failure)
    return assembled(shown, feature_map, "law" if isinstance(shown.route, LawRoute) else "cells", failure)


def assembled(shown: Shown, feature_map: FeatureMap, route: RouteName, beta: Fraction) -> MarginalMoments:
    """All moments: those that tables show, and ranges for those that they do not."""
    layout = shown.route.layout
    ranges = _Ranges(shown.route, layout)
    first, second = dict(shown.first), dict(shown.second)
    hidden_first, hidden_second = ranges.first(first), ranges.second(second)
    first |= hidden_first
    second |= hidden_second
    places = range(layout.size)
    vector = [first[j] for j in places]
    radii = _square(second, layout.size, "radius")
    k1 = norm_above([entry.radius for entry in vector])
    k1 = min(k1, shown.k1 + norm_above([entry.radius for entry in hidden_first.values()]))
    k2 = min(perron_above(radii), shown.k2 + perron_above(_square(hidden_second, layout.size, "radius")))
    names = feature_map.schema.names
    columns = (*layout.columns, layout.label)
    missing = sorted(pair_key(a, b) for k, a in enumerate(columns) for b in columns[:k])
    return MarginalMoments(
        feature_map=feature_map,
        first=tuple(entry.value for entry in vector),
        second=_square(second, layout.size, "value"),
        radii_first=tuple(entry.radius for entry in vector),
        radii_second=radii,
        k1=rounded_above(k1),
        k2=rounded_above(k2),
        missing_pairs=tuple((names[a], names[b]) for a, b in missing if (a, b) not in layout.pairs),
        missing_columns=tuple(name for place, name in enumerate(names) if place not in layout.ones),
        route=route,
        beta=beta,
    )


def _choose(marginals: Marginals, layout: Layout[MarginalTable], beta: Fraction) -> Shown:
    """Moments that tables show, by the route with the smaller norm; radii and covariances decide, not noisy numbers."""
    if not marginals.has_laws:
        if beta < marginals.beta:
            allowed = f"at least {marginals.beta}, the beta of the release"
            raise ParameterError("beta", beta, allowed, "the distribution of its noise is not known")
        return by_radii(CellRoute(layout))
    by_law = _by_law(marginals, layout, beta)
    if beta < marginals.beta:
        return by_law
    _, widths = _entries(CellRoute(layout, widths_only=True))
    cells = perron_above(_square(widths, layout.size, "radius"))
    return by_law if by_law.k2 <= cells else by_radii(CellRoute(layout))


def by_radii(route: Route) -> Shown:
    """Moments that tables show, each entry within its radius, with norms that follow from the radii alone."""
    first, second = _entries(route)
    k1 = norm_above([entry.radius for entry in first.values()])
    return Shown(route, first, second, k1, perron_above(_square(second, route.layout.size, "radius")))


def _by_law(marginals: Marginals, layout: Layout[MarginalTable], beta: Fraction) -> Shown:
    gaussian = all(table.noise is not None and table.noise.law == "gaussian" for table in marginals.tables)
    share, size = beta * _SHARE, layout.size
    # All entries, and every tail of a column that may be needed for a pair that no table shows.
    count = size + size * (size + 1) // 2 + sum(column.codes for column in (*layout.columns, layout.label))
    route = LawRoute(layout, count=count, failure=share, gaussian=gaussian)
    first, second = _entries(route)
    k1 = first_noise(route, failure=share, gaussian=gaussian) + norm_above([entry.drift for entry in first.values()])
    k2 = second_noise(route, failure=share, gaussian=gaussian) + perron_above(_square(second, size, "drift"))
    return Shown(
        route,
        first,
        second,
        min(k1, norm_above([entry.radius for entry in first.values()])),
        min(k2, perron_above(_square(second, size, "radius"))),
    )


def _entries(route: Route) -> tuple[dict[int, Entry], dict[tuple[int, int], Entry]]:
    """Every moment that tables show."""
    layout = route.layout
    first: dict[int, Entry] = {}
    second: dict[tuple[int, int], Entry] = {(layout.last, layout.last): Entry(Fraction(1), Fraction(0))}
    _put(first, layout.last, route.one_way(layout.label, layout.label.values[0]))
    for k, column in enumerate(layout.columns):
        for i, place in enumerate(column.places):
            _put(second, (place, layout.last), route.one_way(column, column.values[i]))
            for j, other in enumerate(column.places[: i + 1]):
                _put(second, (other, place), _within(route, column, j, i))
        for before in layout.columns[:k]:
            _put_block(second, before, column, route.products(before, column))
        signed = route.products(layout.label, column)
        if signed is not None:
            first |= dict(zip(column.places, signed[0], strict=True))
    return first, second


def _within(route: Route, column: ColumnFeatures, i: int, j: int) -> Entry | None:
    """E[f_i f_j] for two features of one column; indicators of two codes have the product 0."""
    if i != j and column.is_indicator:
        return Entry(Fraction(0), Fraction(0))
    return route.one_way(column, [x * y for x, y in zip(column.values[i], column.values[j], strict=True)])


class _Ranges:
    """Moments that no table shows: the range over all couplings, or over the public domain, as middle and radius."""

    def __init__(self, route: Route, layout: Layout[Any]) -> None:
        self.route, self.layout = route, layout
        self._levels: dict[tuple[int, int], Levels] = {}

    def first(self, shown: Mapping[int, Entry]) -> dict[int, Entry]:
        layout = self.layout
        found = {} if layout.last in shown else {layout.last: _middle(Fraction(-1), Fraction(1))}
        for column in layout.columns:
            for i, place in enumerate(column.places):
                if place not in shown:
                    found[place] = self._product(layout.label, 0, column, i)
        return found

    def second(self, shown: Mapping[tuple[int, int], Entry]) -> dict[tuple[int, int], Entry]:
        layout = self.layout
        found: dict[tuple[int, int], Entry] = {}
        for k, column in enumerate(layout.columns):
            for i, place in enumerate(column.places):
                values = column.values[i]
                if (place, layout.last) not in shown:
                    found[place, layout.last] = _middle(min(values), max(values))
                for j, other in enumerate(column.places[: i + 1]):
                    if (other, place) not in shown:
                        within = [x * y for x, y in zip(values, column.values[j], strict=True)]
                        found[other, place] = _middle(min(within), max(within))
                for before in layout.columns[:k]:
                    for j, other in enumerate(before.places):
                        if (other, place) not in shown:
                            found[other, place] = self._product(before, j, column, i)
        return found

    def _product(self, a: ColumnFeatures, i: int, b: ColumnFeatures, j: int) -> Entry:
        return _middle(*product_range(self._tails(a, i), self._tails(b, j)))

    def _tails(self, column: ColumnFeatures, i: int) -> Levels:
        """What is known about the distribution of one feature."""
        key = (column.place, i)
        if key not in self._levels:
            by_code = column.values[i]
            values = sorted(set(by_code))
            tails = []
            for value in values[1:]:
                entry = self.route.one_way(column, [Fraction(int(x >= value)) for x in by_code])
                known = (Fraction(0), Fraction(1))
                tails.append(known if entry is None else (entry.value - entry.radius, entry.value + entry.radius))
            self._levels[key] = Levels.of(values, tails)
        return self._levels[key]


def _middle(lo: Fraction, hi: Fraction) -> Entry:
    return Entry((lo + hi) / 2, (hi - lo) / 2)


def _put(entries: dict[_Key, Entry], key: _Key, entry: Entry | None) -> None:
    if entry is not None:
        entries[key] = entry


def _put_block(
    entries: dict[tuple[int, int], Entry], a: ColumnFeatures, b: ColumnFeatures, block: Sequence[Sequence[Entry]] | None
) -> None:
    if block is not None:
        for row, found in zip(a.places, block, strict=True):
            for place, entry in zip(b.places, found, strict=True):
                entries[row, place] = entry


def _square(
    entries: Mapping[tuple[int, int], Entry], size: int, what: Literal["value", "radius", "drift"]
) -> tuple[tuple[Fraction, ...], ...]:
    """The symmetric matrix of one field; places without an entry are 0."""
    none = Entry(Fraction(0), Fraction(0))
    return tuple(
        tuple(getattr(entries.get((min(i, j), max(i, j)), none), what) for j in range(size)) for i in range(size)
    )
