"""Numbers on the proof page about cross moments: radii from public numbers alone, the schemas of two tables and n."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from bounds.privacy.adjacency import Adjacency
from docs_site.numbers.names import ROOT
from mechanisms.mechanism import Public
from mechanisms.models.certify import cross_radii as radii_module
from mechanisms.models.certify.cross_radii import MatrixNoise, cross_radii
from mechanisms.models.event import Radii
from mechanisms.synth.moments_plan import plan_moments
from release.cross_moments.planned import ONE_WAY_SHARE, CrossMomentPlan
from release.data.schema import read_schema
from release.moments.planned import MomentPlan
from release.parameters import DEFAULT_WEIGHT
from release.statistics.features import FeatureMap
from verify.numbers.grouped import grouped

BETA = Fraction(1, 20)
TABLES = (("Adult", "adult_raw", 48842, "income"), ("Compas", "compas_raw", 7214, "two_year_recid"))


def planned(name: str, n: int, label: str, adjacency: Adjacency) -> tuple[CrossMomentPlan, FeatureMap]:
    schema = read_schema(ROOT / "docs" / "examples" / f"{name}.schema.json")
    public = Public(schema=schema, adjacency=adjacency, size=n)
    plan = plan_moments(public, epsilon=Fraction(1), dp_delta=Fraction(1, n**2), label=label)
    place = schema.names.index(label)
    others = tuple(e for u, e in enumerate(plan.encoding.encodings) if u != place)
    return plan, FeatureMap(schema, label, schema.columns[place].texts[-1], others)


def direct(plan: CrossMomentPlan, features: FeatureMap) -> Radii:
    """Of the same features, by a release of moments for the same budget."""
    asked = MomentPlan(
        feature_map=features,
        mode="simulate",
        ledger=plan.ledger,
        stated_size=plan.stated_size,
        weight=Fraction(DEFAULT_WEIGHT),
        fourth_weight=None,
    )
    return Radii.of(asked, BETA)


def _rows() -> Iterator[Any]:
    for table, name, n, label in TABLES:
        for adjacency in Adjacency:
            plan, features = planned(name, n, label, adjacency)
            ours, other = cross_radii(plan, features, BETA), direct(plan, features)
            plain = float(MatrixNoise(plan, features).main_variance) ** 0.5 / n
            radii = [float(one) for one in (ours.first / n, other.first, ours.second / n, other.second)]
            yield table, n, adjacency.value, features.size, radii, plain


@grouped
def cross_moments() -> Iterator[Any]:
    yield from _rows()
    yield ONE_WAY_SHARE
    yield len(radii_module._SCALES)
