"""Private regression: a linear model of a table, or of a release made from one, by any method of the papers."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bounds.errors import DataError, UsageError
from bounds.exact import Exact
from synthbounds.api.releases import is_table, open_release, seed_of, tell
from synthbounds.api.tables import Say, open_schema, open_table

if TYPE_CHECKING:
    from bounds.privacy.adjacency import Adjacency
    from mechanisms.regression.excess import Excess
    from mechanisms.regression.regression import Regression, Source
    from release.data.schema import Schema
    from release.data.source import Records
    from release.lake.address import Address

__all__ = ["regress", "regression_excess"]

_NOT_READ = ("given", "schema", "account", "ignore_extra", "beta", "with_release", "notice", "progress")


def regress(
    given: str | Path | Address | Source | Records,
    schema: str | Path | Schema | None = None,
    *,
    method: str | None = None,
    loss: str | None = None,
    label: str | None = None,
    positive: str | None = None,
    one_hot: Iterable[str] = (),
    linear: Iterable[str] = (),
    by_value: Iterable[str] = (),
    reduced: Iterable[str] = (),
    tau: Exact | None = None,
    edition: str | None = None,
    beta: Exact | None = None,
    mode: str | None = None,
    epsilon: Exact | None = None,
    dp_delta: Exact | None = None,
    adjacency: Adjacency | str | None = None,
    least_size: Exact | None = None,
    seed: Exact | None = None,
    account: str | Path | None = None,
    ignore_extra: bool = False,
    weight: Exact | None = None,
    marginals: str | None = None,
    estimate: str | None = None,
    most_codes: Exact | None = None,
    most_cells: Exact | None = None,
    model_mb: Exact | None = None,
    rounds: Exact | None = None,
    surrogate: str | None = None,
    degree: Exact | None = None,
    reach: Exact | None = None,
    batch: Exact | None = None,
    epochs: Exact | None = None,
    clip: Exact | None = None,
    rate: Exact | None = None,
    tune: bool = False,
    with_release: bool = False,
    notice: Say | None = None,
    progress: Say | None = None,
) -> Regression:
    """A linear model of a real table, at the cost of epsilon, or of a release, at no cost.

    A table is a file, or its records as codes, with a schema; a release is a file or an object: moments, marginals or a
    log. In release mode each call on a table spends the budget again; spending is recorded in `account`. `notice` is
    told what the steward should know. `with_release` refuses, before that, a method that keeps none. The model is
    certified with failure probability `beta` by `regression_excess`.

    >>> import numpy as np
    >>> from synthbounds.data import parse_schema
    >>> schema = parse_schema('{"synthbounds_schema": 1, "source": "public", "columns": ['
    ...     '{"name": "age", "range": ["0", "4"], "bins": 4}, {"name": "pay", "range": ["0", "8"], "bins": 4}]}')
    >>> codes = np.array([[0, 0], [1, 1], [2, 2], [3, 3], [3, 2]] * 2000)
    >>> found = regress(codes, schema, label="pay", mode="simulate", epsilon=1, dp_delta="1e-6")
    >>> found.method, found.model.loss, 0.5 < float(found.model.coefficients[0]) < 1
    ('ssp-edge', 'squared', True)
    """
    said = {name: value for name, value in locals().items() if name not in _NOT_READ}
    if beta is not None:
        from release.parameters import BETA

        BETA.number(beta)
    release = _release_of(given)
    if release is not None:
        from mechanisms.regression.from_release import regress_release

        for name, value in (("schema", schema), ("account", account), ("ignore_extra", ignore_extra or None)):
            if value is not None:
                raise UsageError(f"{name.replace('_', '-')} is for a table, and a release is given")
        if with_release:
            raise UsageError("release: is for a table: this release is already in its file")
        return regress_release(release, said, say=progress)
    from mechanisms.regression.from_table import read_table_request
    from release.parameters import RELEASE_PARAMETERS, read_privacy, require_given
    from release.spending import spending

    require_given({"mode": mode}, "mode")
    RELEASE_PARAMETERS["schema"].require(schema)
    kind, neighbours = read_privacy(mode, adjacency, seed=seed, least_size=least_size)
    assert schema is not None
    public = open_schema(schema, mode=kind)
    drawn = seed_of(seed, kind)
    asked = read_table_request(public, {**said, "adjacency": neighbours, "seed": drawn}, with_release=with_release)
    source = open_table(given, public, kind, neighbours, ignore_extra=ignore_extra)  # type: ignore[arg-type]
    with spending(is_private=kind == "release", account=account):
        found = asked.run(source, say=progress)
        tell(notice, public, too_few=found.too_few)
        return found


def regression_excess(found: Regression, *, beta: Exact | None = None) -> Excess:
    """How much better any model of the same norm can be on the real table, or why that is not known."""
    from mechanisms.regression.excess import certified_excess
    from release.parameters import BETA

    return certified_excess(found, BETA.number(beta))


def _release_of(given: Any) -> Source | None:
    """The release, if models can be made from it; None for a table."""
    from release.log.file import MarginalLog
    from release.marginals.file import Marginals
    from release.moments.file import MomentRelease
    from release.private_release import Release

    kinds = (MomentRelease, Marginals, MarginalLog)
    if isinstance(given, str | Path):
        if is_table(given):
            return None
        given = open_release(given)
    if not isinstance(given, Release):
        return None
    if not isinstance(given, kinds):
        known = ", ".join(f'"{kind.KIND}"' for kind in kinds)
        raise DataError(f'release: kind = "{given.KIND}": must be one of {known}')
    return given
