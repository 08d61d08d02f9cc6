"""What can be concluded from a release, before it is made: widths of intervals, power of tests, angles and signs.

One function for each question that can be planned from public facts alone; only a schema is read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from bounds.exact import Exact
from synthbounds.api.inferring import level_of, named
from synthbounds.api.releases import pair_of
from synthbounds.api.tables import open_schema

if TYPE_CHECKING:
    from bounds.privacy.adjacency import Adjacency
    from mechanisms.infer.chi_square.answers import PowerPlan
    from mechanisms.infer.regression.plan import RegressionPlan
    from mechanisms.infer.shares.plan import SharePlan
    from mechanisms.infer.spectrum_plan import SpectrumPlan
    from release.data.schema import Schema

__all__ = ["plan_coefficients", "plan_components", "plan_independence", "plan_proportion"]


def plan_proportion(
    schema: str | Path | Schema,
    proportion: str,
    *,
    n: Exact | None = None,
    epsilon: Exact,
    dp_delta: Exact | None = None,
    adjacency: Adjacency | str | None = None,
    least_size: Exact | None = None,
    pairs: Iterable[str | tuple[str, str]] | None = None,
    one_way: Iterable[str] | None = None,
    given: str | None = None,
    share: Exact | None = None,
    group_share: Exact | None = None,
    level: Exact | None = None,
) -> SharePlan:
    """How wide the intervals of a share will be, from these tables (default: all pairs) and from only its own table.

    >>> from synthbounds.data import parse_schema
    >>> schema = parse_schema('{"synthbounds_schema": 1, "source": "public", "columns": ['
    ...     '{"name": "sex", "levels": ["F", "M"]}, {"name": "ill", "levels": ["no", "yes"]}]}')
    >>> found = plan_proportion(schema, "ill=yes", n=20_000, epsilon=1, dp_delta="1e-6", share="0.1")
    >>> found.releases[0].population_width < 0.01
    True
    """
    from mechanisms.infer.parameters import INFER_PARAMETERS
    from mechanisms.infer.shares.plan import plan_proportion as answer

    asked = _asked(schema, n=n, epsilon=epsilon, dp_delta=dp_delta, adjacency=adjacency, least_size=least_size)
    return answer(
        asked.schema,
        size=asked.size,
        epsilon=asked.epsilon,
        dp_delta=asked.dp_delta,
        adjacency=asked.adjacency,
        pairs=asked.pairs(pairs),
        one_way=one_way,
        proportion=proportion,
        given=given,
        share=INFER_PARAMETERS["share"].number(share),
        group_share=None if group_share is None else INFER_PARAMETERS["group_share"].number(group_share),
        level=level_of(level),
    )


def plan_independence(
    schema: str | Path | Schema,
    chi2: str,
    *,
    n: Exact | None = None,
    epsilon: Exact,
    dp_delta: Exact | None = None,
    adjacency: Adjacency | str | None = None,
    least_size: Exact | None = None,
    pairs: Iterable[str | tuple[str, str]] | None = None,
    one_way: Iterable[str] | None = None,
    mechanism: str | None = None,
    effect: Exact | None = None,
    level: Exact | None = None,
) -> PowerPlan:
    """The power of the test of two columns, "A:B", against an effect (Cramér's V), and what would have more power."""
    from mechanisms.infer.chi_square.power import plan_independence as answer
    from mechanisms.infer.chi_square.showing import read_pair
    from mechanisms.infer.parameters import INFER_PARAMETERS

    asked = _asked(schema, n=n, epsilon=epsilon, dp_delta=dp_delta, adjacency=adjacency, least_size=least_size)
    return answer(
        asked.schema,
        read_pair(chi2, asked.schema),
        size=asked.size,
        effect=INFER_PARAMETERS["effect"].number(effect),
        pairs=asked.pairs(pairs),
        one_way=one_way,
        epsilon=asked.epsilon,
        dp_delta=asked.dp_delta,
        adjacency=asked.adjacency,
        mechanism=None if mechanism is None else INFER_PARAMETERS["mechanism"].choice(mechanism),
        level=level_of(level),
    )


def plan_components(
    schema: str | Path | Schema,
    pca: Exact,
    *,
    n: Exact | None = None,
    epsilon: Exact,
    dp_delta: Exact | None = None,
    adjacency: Adjacency | str | None = None,
    least_size: Exact | None = None,
    label: str | None = None,
    one_hot: Iterable[str] = (),
    linear: Iterable[str] = (),
    by_value: Iterable[str] = (),
    reduced: Iterable[str] = (),
    level: Exact | None = None,
) -> SpectrumPlan:
    """How far the noise of a release of moments can turn the first components, depending on the observed gap."""
    from mechanisms.infer.parameters import INFER_PARAMETERS
    from mechanisms.infer.spectrum_plan import plan_spectrum

    asked = _asked(schema, n=n, epsilon=epsilon, dp_delta=dp_delta, adjacency=adjacency, least_size=least_size)
    with named(pca="rank"):
        return plan_spectrum(
            asked.schema,
            rank=int(INFER_PARAMETERS["pca"].number(pca)),
            n=asked.n,
            epsilon=asked.epsilon,
            dp_delta=asked.delta,
            adjacency=asked.adjacency,
            least_size=asked.least_size,
            label=label,
            one_hot=one_hot,
            linear=linear,
            by_value=by_value,
            reduced=reduced,
            level=level_of(level),
        )


def plan_coefficients(
    schema: str | Path | Schema,
    ols: str,
    *,
    n: Exact | None = None,
    epsilon: Exact,
    dp_delta: Exact | None = None,
    adjacency: Adjacency | str | None = None,
    least_size: Exact | None = None,
    ridge: Exact | None = None,
    one_hot: Iterable[str] = (),
    linear: Iterable[str] = (),
    by_value: Iterable[str] = (),
    reduced: Iterable[str] = (),
    level: Exact | None = None,
) -> RegressionPlan:
    """How wide the intervals of a regression, "y ~ a + b", will be, from a release of moments whose label is y."""
    from mechanisms.infer.parameters import INFER_PARAMETERS
    from mechanisms.infer.regression.plan import plan_coefficients as answer

    asked = _asked(schema, n=n, epsilon=epsilon, dp_delta=dp_delta, adjacency=adjacency, least_size=least_size)
    return answer(
        asked.schema,
        ols,
        n=asked.n,
        epsilon=asked.epsilon,
        dp_delta=asked.delta,
        adjacency=asked.adjacency,
        least_size=asked.least_size,
        ridge=None if ridge is None else INFER_PARAMETERS["ridge"].number(ridge),
        one_hot=one_hot,
        linear=linear,
        by_value=by_value,
        reduced=reduced,
        level=level_of(level),
    )


@dataclass(frozen=True)
class _Asked:
    """What all plans are based on, read once."""

    schema: Schema
    n: int | None
    epsilon: Fraction
    dp_delta: Fraction | None
    adjacency: Adjacency
    least_size: int | None

    @property
    def delta(self) -> Fraction:
        """Of a release of moments, whose noise is Gaussian."""
        from mechanisms.infer.parameters import INFER_PARAMETERS

        INFER_PARAMETERS["dp_delta"].require(self.dp_delta)
        return self.dp_delta or Fraction(0)

    @property
    def size(self) -> int:
        """The public number of records, or under add-remove its public lower bound; one of them was required."""
        return (self.n if self.least_size is None else self.least_size) or 0

    def pairs(self, given: Iterable[str | tuple[str, str]] | None) -> list[tuple[str, str]] | None:
        return None if given is None else [pair_of(pair, self.schema) for pair in given]


def _asked(
    schema: str | Path | Schema,
    *,
    n: Exact | None,
    epsilon: Exact,
    dp_delta: Exact | None,
    adjacency: Adjacency | str | None,
    least_size: Exact | None,
) -> _Asked:
    from bounds.parameters import PARAMETERS
    from mechanisms.infer.parameters import INFER_PARAMETERS
    from release.parameters import read_neighbours

    declared = INFER_PARAMETERS
    neighbours = read_neighbours(adjacency or PARAMETERS["adjacency"].default, least_size=least_size)
    for name, value in (("epsilon", epsilon), ("n", n if least_size is None else least_size)):
        declared[name].require(value)
    given = {"n": n, "dp_delta": dp_delta, "least_size": least_size}
    numbers = {name: declared[name].number(value) for name, value in given.items() if value is not None}
    return _Asked(
        schema=open_schema(schema, mode="release"),
        n=int(numbers["n"]) if "n" in numbers else None,
        epsilon=declared["epsilon"].number(epsilon),
        dp_delta=numbers.get("dp_delta"),
        adjacency=neighbours,
        least_size=int(numbers["least_size"]) if "least_size" in numbers else None,
    )
