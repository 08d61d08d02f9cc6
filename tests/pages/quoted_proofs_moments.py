"""Numbers on the proof pages about noisy moments: radii, sensitivities and deviations, from public numbers alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from math import ceil, floor, hypot, log, prod, sqrt
from typing import Any

import numpy as np
from flint import arb

from bounds.certify import contraction
from bounds.certify.contraction import contraction_matrix_radius, contraction_radii, contraction_vector_radius
from bounds.certify.goe import concentration_radius, goe_radius
from bounds.certify.radii import chi_radius
from bounds.enclosure import Enclosure
from bounds.privacy.adjacency import Adjacency
from mechanisms.models.certify import marginal_moments
from mechanisms.models.certify.marginal_columns import Layout, lay_out
from mechanisms.models.certify.marginal_routes import CellRoute
from mechanisms.models.certify.norm_bounds import norm_above, perron_above
from release.data.schema import Schema
from release.marginals.file import Marginals, MarginalTable
from release.marginals.make import choose_tables, plan_marginals, stated_error
from release.moments.budget import squared_sensitivity
from release.reserving import plan_ledger
from release.statistics.features import BITS, FeatureMap, build_feature_map
from tests.bounds import test_certify_radii
from tests.mechanisms.test_marginal_moments import schema_with
from tests.pages.quoted import Page
from tests.release import test_moment_release
from verify import real_tables

REPLACE_ONE, ADD_REMOVE = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE
BETA = Fraction("0.05")


def up(value: Fraction | arb, places: int) -> str:
    """Rounded up to a decimal with that many places."""
    high = Enclosure.of(value).hi if isinstance(value, arb) else value
    return f"{ceil(high * 10**places) / 10**places:.{places}f}"


def parameters(test: Callable[..., None], name: str) -> Sequence[Any]:
    """What a test is run for, one parameter of it."""
    (found,) = (mark.args[1] for mark in test.pytestmark if mark.args[0] == name)  # type: ignore[attr-defined]
    values: Sequence[Any] = found
    return values


# --- radii of noise ------------------------------------------------------------------------------------------------


def _radii() -> Iterator[str]:
    split = ",".join(_latex(share) for share in contraction._SHARES)
    yield f"are (i) and (g) with the failure split as ${split}$"
    for order in _ORDERS:
        for failure in (_SHOWN, "0.025"):
            found = [radius(order, Fraction(failure)) for radius in _RADII]
            yield f"| {order} | {failure} | {' | '.join(up(value, 4) for value in found)} |"
    exact, counted = test_certify_radii.norm_of_two_by_two(3.0), 2 * test_certify_radii.above(2, 3.0)
    yield f"at $r=3$ the law gives {exact:.7f} and $2T_2$ gives {counted:.7f}"
    quantiles = [f"{_simulated_quantile(order):.2f}" for order in _ORDERS]
    asked = f"{_DRAWS} contracted matrices each for $p={','.join(map(str, _ORDERS))}$"
    yield f"{asked}; a share of {_SHOWN} of their norms is above {', '.join(quantiles[:-1])} and {quantiles[-1]}"
    orders = parameters(test_certify_radii.test_moments_of_the_eigenvalues, "order")
    yield f"for orders up to {max(orders)}"


_ORDERS = (9, 12, 14, 50)
_DRAWS, _SHOWN = 4000, "0.04"
_RADII: tuple[Callable[[int, Fraction], Fraction | arb], ...] = (
    chi_radius,
    goe_radius,
    concentration_radius,
    contraction_vector_radius,
    contraction_matrix_radius,
    lambda order, failure: contraction_radii(order, failure).matrix,
)


def _simulated_quantile(order: int) -> float:
    """What that share of drawn contracted matrices exceeds."""
    drawn = test_certify_radii.contracted(test_certify_radii.generator(order), _DRAWS, order)
    return float(np.quantile(test_certify_radii.norms(drawn), 1 - float(_SHOWN)))


def _latex(share: Fraction) -> str:
    below = str(share.denominator)
    return rf"\tfrac{share.numerator}{below if len(below) == 1 else f'{{{below}}}'}"


# --- sensitivities and deviations ----------------------------------------------------------------------------------

SIZE_OF = {"compas": 7214, "adult": 48842}


@cache
def squared_mu(n: int) -> Fraction:
    """For epsilon = 1, delta = 1/n^2."""
    return plan_ledger(epsilon=Fraction(1), dp_delta=Fraction(1, n**2), adjacency=REPLACE_ONE).total


def sensitivity(adjacency: Adjacency, weight: str = "1", fourth_weight: str | None = None) -> float:
    fourth = None if fourth_weight is None else Fraction(fourth_weight)
    return sqrt(squared_sensitivity(adjacency, weight=Fraction(weight), fourth_weight=fourth))


def deviation(n: int, adjacency: Adjacency, fourth_weight: str | None = None) -> float:
    """Of the noise on the mean of an entry of xx' on the diagonal."""
    return sensitivity(adjacency, fourth_weight=fourth_weight) / (n * sqrt(squared_mu(n)))


def _release() -> Iterator[str]:
    without, some = "first and second moments", "with fourth moments"
    for label, weight, fourth in ((without, "1", None), ("", "2", None), (some, "1", "1"), ("", "1", "0.1")):
        sizes = (up(Fraction(sensitivity(adjacency, weight, fourth)), 5) for adjacency in (REPLACE_ONE, ADD_REMOVE))
        yield f"| {label} | {weight} | {fourth or ''} | {' | '.join(sizes)} |"
    n = SIZE_OF["adult"]
    yield rf"For $\varepsilon=1$, $\delta=1/n^2$ and $n={n}$, $\mu={sqrt(squared_mu(n)):.6f}$"
    for words, fourth in (("on the diagonal is", None), ("weight $1$ it is", "1")):
        here, there = (up(Fraction(deviation(n, adjacency, fourth)), 6) for adjacency in (REPLACE_ONE, ADD_REMOVE))
        under = ("", "") if fourth else (" under replace-one", " under add/remove")
        yield f"{words} ${here}${under[0]} and ${there}${under[1]}"
    yield f"The lattice adds at most $2^{{-{2 * BITS + 1}}}/n$ to an entry"
    yield f"On a domain of {len(test_moment_release.DOMAIN)} records"
    tested = test_moment_release.test_the_sensitivity_is_the_maximum_over_the_unit_ball
    yield f"for {prod(len(parameters(tested, name)) for name in ('a2', 'c2'))} pairs of weights"


# --- moments from marginals ----------------------------------------------------------------------------------------

LEVELS = {
    "compas": (6, 65, 2, 11, 10, 10, 37, 2, 2),
    "adult": (74, 9, 77, 16, 7, 15, 6, 5, 2, 23, 48, 96, 42, 2),
}
"""Numbers of levels as published with the tables, the label last."""


def _marginals() -> Iterator[str]:
    yield rf"$\varepsilon=1$, $\delta_{{\mathrm{{dp}}}}=1/n^2$, $\beta={float(BETA)}$, on the scale of $f$"
    factors = []
    for name, title, one_hot in (
        ("compas", f"Compas, $n={SIZE_OF['compas']}$", False),
        ("compas", "Compas", True),
        ("adult", f"Adult, $n={SIZE_OF['adult']}$", False),
    ):
        schema = public_schema(name)
        features = build_feature_map(schema, label=schema.names[-1], one_hot=schema.names[:-1] if one_hot else ())
        tables = planned(schema, SIZE_OF[name])
        layout = lay_out(tables, features)
        cells, law, direct = _promised_by_cells(layout), _by_law(tables, layout), _direct(SIZE_OF[name], features)
        factors += [a / b for a, b in zip(cells, law, strict=True)]
        columns = [three_digits(kind[k]) for k in (0, 1) for kind in (cells, law, direct)]
        encoding = "indicators" if one_hot else "linear"
        yield f"| {title} | {features.size}, {encoding} | {' | '.join(columns)} |"
    yield f"Knowing the law is worth a factor between {floor(min(factors))} and {ceil(max(factors))}."
    falls = []
    for name in SIZE_OF:
        schema = public_schema(name)
        *others, label = schema.names
        tables = planned(schema, SIZE_OF[name], pairs=[(other, label) for other in others])
        vector, _ = _by_law(tables, lay_out(tables, build_feature_map(schema, label=label)))
        falls.append(f"{name.capitalize()} {three_digits(vector)}")
    yield f"$k_1$ falls ({', '.join(falls)}, both linear)"
    c = 14
    own = log(2 * c / (0.33 * 0.05))  # of (d), for as many features
    grown, tenth = (sqrt(1 + log(number) / own) for number in (3 ** (c - 1) * c, 10))
    yield rf"for $c=p={c}$ and $\beta={float(BETA)}$ the radius of (d) grows by a factor of ${grown:.2f}$"
    yield rf"$\sqrt{{1+(0.123/0.164)^2}}={hypot(1, 0.123 / 0.164):.2f}$"
    yield rf"Dividing $\beta$ by $10$ instead costs (d) a factor of ${tenth + 0.005:.2f}$"


def public_schema(name: str) -> Schema:
    if real_tables.is_here(name):
        assert tuple(real_tables.domain(name).values()) == LEVELS[name]
        assert real_tables.line_count(name) == SIZE_OF[name]
    return schema_with(*LEVELS[name])


def planned(schema: Schema, n: int, pairs: list[tuple[str, str]] | None = None) -> Marginals:
    """A release of these pairs as far as public numbers know it: noise and radii, no counts."""
    sets = choose_tables(schema, pairs=pairs)
    plan = plan_marginals(
        schema,
        sets,
        epsilon=1,
        dp_delta=Fraction(1, n**2),
        adjacency=REPLACE_ONE,
        size=n,
        beta=BETA,
        mode="release",
        mechanism=None,
    )
    radius, law = stated_error(plan)
    sizes = schema.domain.sizes
    tables = [
        MarginalTable(
            columns=places,
            counts=(0,) * prod(sizes[place] for place in places),
            denominator=plan.steps,
            radius=radius,
            noise=law,
        )
        for places in sets
    ]
    return Marginals(
        schema=schema,
        adjacency=REPLACE_ONE,
        size=n,
        origin="release",
        beta=BETA,
        tables=tuple(tables),
        plan=plan,
    )


def _by_law(tables: Marginals, layout: Layout) -> tuple[Fraction, Fraction]:
    shown = marginal_moments._by_law(tables, layout, BETA)
    return shown.k1, shown.k2


def _promised_by_cells(layout: Layout) -> tuple[Fraction, Fraction]:
    first, second = marginal_moments._entries(CellRoute(layout, widths_only=True))
    matrix = marginal_moments._square(second, layout.size, "radius")
    return norm_above([entry.radius for entry in first.values()]), perron_above(matrix)


def _direct(n: int, features: FeatureMap) -> tuple[float, float]:
    """Moments released directly, on the scale of the features."""
    norm, sd = features.squared_norm, deviation(n, REPLACE_ONE)
    vector, matrix = (radius(features.size, BETA / 2) for radius in (chi_radius, goe_radius))
    return sd * sqrt(norm) * vector, sd * norm * matrix


def three_digits(value: Fraction | float) -> str:
    return f"{float(value):#.3g}"


PAGES = {
    "synthbounds.moment-radii": Page(_radii),
    "synthbounds.moment-release": Page(_release),
    "synthbounds.marginal-moments": Page(_marginals),
}
