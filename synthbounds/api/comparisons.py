"""What is known about a finished table, whoever made it: its distance from the real one, or its largest and mean error.

Each is two noisy numbers. The synthetic table is public: messages may show its values, but never those of the real one.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bounds.exact import Exact
from synthbounds.api.releases import seed_of, tell
from synthbounds.api.tables import Say, open_schema, open_table

if TYPE_CHECKING:
    from bounds.privacy.adjacency import Adjacency
    from release.accuracy.file import AccuracyRelease
    from release.accuracy.workload import Workload
    from release.data.schema import Schema
    from release.data.source import Records, Source
    from release.distance.file import DistanceRelease
    from release.lake.address import Address
    from release.noise.kinds import Mode
    from release.statistics.families import Family

__all__ = ["release_accuracy", "release_distance"]


def release_distance(
    table: str | Path | Address | Records,
    synthetic: str | Path | Records,
    schema: str | Path | Schema,
    *,
    label: str,
    mode: str,
    epsilon: Exact,
    dp_delta: Exact | None = None,
    adjacency: Adjacency | str | None = None,
    least_size: Exact | None = None,
    positive: str | None = None,
    one_hot: Iterable[str] = (),
    linear: Iterable[str] = (),
    by_value: Iterable[str] = (),
    reduced: Iterable[str] = (),
    seed: Exact | None = None,
    ignore_extra: bool = False,
    notice: Say | None = None,
) -> DistanceRelease:
    """How far the moments of a finished table are from the real ones; `certify_distance` bounds any linear model by it.

    With a dp_delta the noise is Gaussian; without one it is Laplace, which is smaller for only two numbers. In release
    mode each call spends the budget. `notice` is told what the steward should know, and nobody else.

    >>> import numpy as np
    >>> from fractions import Fraction
    >>> from synthbounds.data import parse_schema
    >>> schema = parse_schema('{"synthbounds_schema": 1, "source": "public", "columns": ['
    ...     '{"name": "sex", "levels": ["F", "M"]}, {"name": "ill", "levels": ["no", "yes"]}]}')
    >>> codes = np.array([[0, 0], [0, 1], [1, 1]] * 300)
    >>> made = release_distance(codes, codes[:60], schema, label="ill", mode="simulate", epsilon=1)
    >>> made.distance(Fraction(1, 20)).second < Fraction(1, 50)
    True
    """
    from release.distance.make import release_distance as make
    from release.parameters import RELEASE_PARAMETERS
    from release.spending import spending
    from release.statistics.features import choose_features

    RELEASE_PARAMETERS["label"].require(label)
    kind, neighbours, public = _asked(schema, synthetic, mode, epsilon, adjacency, seed=seed, least_size=least_size)
    features = choose_features(
        public, label=label, positive=positive, one_hot=one_hot, linear=linear, by_value=by_value, reduced=reduced
    )
    with spending(is_private=kind == "release"):
        found = make(
            open_table(table, public, kind, neighbours, ignore_extra=ignore_extra),
            open_synthetic(synthetic, public, ignore_extra=ignore_extra),
            features,
            epsilon=epsilon,
            dp_delta=dp_delta,
            adjacency=neighbours,
            mode=kind,
            least_size=least_size,
            seed=seed_of(seed, kind),
        )
        tell(notice, public)
        return found


def release_accuracy(
    table: str | Path | Address | Records,
    synthetic: str | Path | Records,
    schema: str | Path | Schema,
    *,
    workload: str | Path | Family | Workload,
    mode: str,
    epsilon: Exact,
    dp_delta: Exact | None = None,
    adjacency: Adjacency | str | None = None,
    least_size: Exact | None = None,
    seed: Exact | None = None,
    ignore_extra: bool = False,
    notice: Say | None = None,
) -> AccuracyRelease:
    """The largest and the mean error of a finished table over a workload of queries with values in [0, 1].

    A workload is `pairs`, `degree:D`, a family such as `thresholds:2`, a JSON file with sets of columns or with public
    queries of numbers, or a family of your own. Noise, modes and `notice` are as for `release_distance`.
    """
    from release.accuracy.make import release_accuracy as make
    from release.accuracy.workload import read_workload
    from release.parameters import WORKLOAD
    from release.spending import spending

    WORKLOAD.require(workload)
    kind, neighbours, public = _asked(schema, synthetic, mode, epsilon, adjacency, seed=seed, least_size=least_size)
    queries = read_workload(workload, public)
    with spending(is_private=kind == "release"):
        found = make(
            open_table(table, public, kind, neighbours, ignore_extra=ignore_extra),
            open_synthetic(synthetic, public, ignore_extra=ignore_extra),
            public,
            queries,
            epsilon=epsilon,
            dp_delta=dp_delta,
            adjacency=neighbours,
            mode=kind,
            least_size=least_size,
            seed=seed_of(seed, kind),
        )
        tell(notice, public)
        return found


def open_synthetic(synthetic: str | Path | Records, schema: Schema, *, ignore_extra: bool) -> Source:
    """The rows of a finished table, which is public: a message may show its values."""
    from release.data.source import TableSource, as_source

    if not isinstance(synthetic, str | Path):
        return as_source(synthetic, schema.domain)
    return TableSource(synthetic, schema, ignore_extra=ignore_extra, private=False)


def _asked(
    schema: str | Path | Schema,
    synthetic: object,
    mode: str,
    epsilon: Exact,
    adjacency: Adjacency | str | None,
    **more: Any,
) -> tuple[Mode, Adjacency, Schema]:
    """What both kinds read before any table."""
    from release.parameters import SYNTHETIC, read_privacy, require_given

    SYNTHETIC.require(synthetic)
    require_given({"mode": mode, "epsilon": epsilon}, "mode", "epsilon")
    kind, neighbours = read_privacy(mode, adjacency, **more)
    return kind, neighbours, open_schema(schema, mode=kind)
