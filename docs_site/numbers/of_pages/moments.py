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
from tests.release import test_moment_release
from verify import real_tables
from verify.numbers.grouped import grouped
from verify.numbers.written import up

REPLACE_ONE, ADD_REMOVE = Adjacency.REPLACE_ONE, Adjacency.ADD_REMOVE
BETA = Fraction("0.05")


def parameters(test: Callable[..., None], name: str) -> Sequence[Any]:
    """What a test is run for, one parameter of it."""
    (found,) = (mark.args[1] for mark in test.pytestmark if mark.args[0] == name)  # type: ignore[attr-defined]
    values: Sequence[Any] = found
    return values


# --- radii of noise ------------------------------------------------------------------------------------------------


@grouped
def radii() -> Iterator[Any]:
    yield list(contraction._SHARES)
    for order in _ORDERS:
        for failure in (_SHOWN, "0.025"):
            found = [radius(order, Fraction(failure)) for radius in _RADII]
            yield order, failure, [up(value, 4) for value in found]
    exact, counted = test_certify_radii.norm_of_two_by_two(3.0), 2 * test_certify_radii.above(2, 3.0)
    yield float(exact), float(counted)
    yield _DRAWS, _ORDERS, _SHOWN, [_simulated_quantile(order) for order in _ORDERS]
    yield max(parameters(test_certify_radii.test_moments_of_the_eigenvalues, "order"))


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


@grouped
def release() -> Iterator[Any]:
    without, some = "first and second moments", "with fourth moments"
    for label, weight, fourth in ((without, "1", None), ("", "2", None), (some, "1", "1"), ("", "1", "0.1")):
        sizes = [up(sensitivity(adjacency, weight, fourth), 5) for adjacency in (REPLACE_ONE, ADD_REMOVE)]
        yield label, weight, fourth or [], sizes
    n = SIZE_OF["adult"]
    yield n, sqrt(squared_mu(n))
    for shown, fourth in (([], None), (1, "1")):
        yield shown, [up(deviation(n, adjacency, fourth), 6) for adjacency in (REPLACE_ONE, ADD_REMOVE)]
    yield 2 ** -(2 * BITS + 1)
    yield len(test_moment_release.DOMAIN)
    tested = test_moment_release.test_the_sensitivity_is_the_maximum_over_the_unit_ball
    yield prod(len(parameters(tested, name)) for name in ("a2", "c2"))


# --- moments from marginals ----------------------------------------------------------------------------------------

LEVELS = {
    "compas": (6, 65, 2, 11, 10, 10, 37, 2, 2),
    "adult": (74, 9, 77, 16, 7, 15, 6, 5, 2, 23, 48, 96, 42, 2),
}
"""Numbers of levels as published with the tables, the label last."""


@grouped
def marginals() -> Iterator[Any]:
    yield BETA
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
        columns = [float(kind[k]) for k in (0, 1) for kind in (cells, law, direct)]
        yield title, features.size, "indicators" if one_hot else "linear", columns
    yield floor(min(factors)), ceil(max(factors))
    falls = []
    for name in SIZE_OF:
        schema = public_schema(name)
        *others, label = schema.names
        tables = planned(schema, SIZE_OF[name], pairs=[(other, label) for other in others])
        vector, _ = _by_law(tables, lay_out(tables, build_feature_map(schema, label=label)))
        falls.append((name, float(vector)))
    yield falls
    c = 14
    own = log(2 * c / (0.33 * 0.05))  # of (d), for as many features
    grown, tenth = (sqrt(1 + log(number) / own) for number in (3 ** (c - 1) * c, 10))
    yield c, BETA, grown
    yield hypot(1, 0.123 / 0.164)
    yield up(tenth, 2)


def public_schema(name: str) -> Schema:
    if real_tables.is_here(name):
        assert tuple(real_tables.domain(name).values()) == LEVELS[name]
        assert real_tables.line_count(name) == SIZE_OF[name]
    made: Schema = schema_with(*LEVELS[name])
    return made


def planned(schema: Schema, n: int, pairs: list[tuple[str, str]] | None = None) -> Marginals:
    """A release of these pairs as far as public numbers know it: noise and radii, no counts."""
    sets = choose_tables(schema, pairs=pairs)
    asked: dict[str, Any] = {"epsilon": 1, "dp_delta": Fraction(1, n**2), "mode": "release", "mechanism": None}
    plan = plan_marginals(schema, sets, adjacency=REPLACE_ONE, size=n, beta=BETA, **asked)
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


def _by_law(tables: Marginals, layout: Layout[MarginalTable]) -> tuple[Fraction, Fraction]:
    shown = marginal_moments._by_law(tables, layout, BETA)
    return shown.k1, shown.k2


def _promised_by_cells(layout: Layout[MarginalTable]) -> tuple[Fraction, Fraction]:
    first, second = marginal_moments._entries(CellRoute(layout, widths_only=True))
    matrix = marginal_moments._square(second, layout.size, "radius")
    return norm_above([entry.radius for entry in first.values()]), perron_above(matrix)


def _direct(n: int, features: FeatureMap) -> tuple[float, float]:
    """Moments released directly, on the scale of the features."""
    norm, sd = features.squared_norm, deviation(n, REPLACE_ONE)
    vector, matrix = (radius(features.size, BETA / 2) for radius in (chi_radius, goe_radius))
    return sd * sqrt(norm) * vector, sd * norm * matrix
