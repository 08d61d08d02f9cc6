"""A finished table, whoever made it, fitted to a release of the same records: post-processing, at no cost."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bounds.errors import DataError
from bounds.exact import Exact
from synthbounds.api.comparisons import open_synthetic
from synthbounds.api.releases import open_release
from synthbounds.api.tables import Say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mechanisms.improve.improvement import Improvement, Source
    from release.data.source import Records

__all__ = ["improve"]


def improve(
    table: str | Path | Records,
    release: str | Path | Source,
    *,
    fit: str | None = None,
    features: Iterable[str] = (),
    price: str | None = None,
    strength: Exact | None = None,
    gamma: Exact | None = None,
    denoise: bool = False,
    start: str | Path | Sequence[float] | None = None,
    k: Exact | None = None,
    table_spent: str | None = None,
    table_adjacency: str | None = None,
    ignore_extra: bool = False,
    progress: Say | None = None,
) -> Improvement:
    """Weights of the rows of a finished table, and rows drawn by them, that match a release.

    The table is a file or codes of the release's schema, itself private or public: never give the records that the
    release was made from. The release is one of moments, marginals, one-way tables and cross moments, or a log. With
    `table_spent`, "EPSILON" or "EPSILON,DELTA", the total cost of both is stated.

    >>> import numpy as np
    >>> import synthbounds as sb
    >>> from synthbounds.data import parse_schema
    >>> schema = parse_schema('{"synthbounds_schema": 1, "source": "public", "columns": ['
    ...     '{"name": "sex", "levels": ["F", "M"]}, {"name": "ill", "levels": ["no", "yes"]}]}')
    >>> real, finished = np.array([[0, 0], [0, 1], [1, 1]] * 300), np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 50)
    >>> made = sb.release_marginals(real, schema, mode="simulate", epsilon=2, dp_delta="1e-6")
    >>> found = improve(finished, made)
    >>> found.weights[:4].round(1).tolist()
    [1.3, 1.3, 0.0, 1.3]
    """
    from mechanisms.improve.ask import read_wish, require_columns
    from mechanisms.improve.cost import cost_of
    from mechanisms.improve.improve import improve_table
    from mechanisms.improve.improvement import SOURCES
    from mechanisms.improve.parameters import IMPROVE_PARAMETERS
    from release.comparison.make import read_synthetic_codes
    from release.data.weights import read_weights, weights_of

    wish = read_wish(fit=fit, features=features, price=price, strength=strength, gamma=gamma, denoise=denoise, k=k)
    if table_adjacency is not None:
        IMPROVE_PARAMETERS["table_adjacency"].choice(table_adjacency)
    IMPROVE_PARAMETERS["release"].require(release)
    found: Any = open_release(release) if isinstance(release, str | Path) else release
    if not isinstance(found, SOURCES):
        known = ", ".join(f'"{kind.KIND}"' for kind in SOURCES)
        raise DataError(f'release: kind = "{getattr(found, "KIND", type(found).__name__)}": must be one of {known}')
    cost = cost_of(found, table_spent, table_adjacency, is_started=start is not None)
    require_columns(wish, found.schema)
    codes = read_synthetic_codes(open_synthetic(table, found.schema, ignore_extra=ignore_extra), found.schema)
    weights = None
    if start is not None:
        read = read_weights(start, len(codes)) if isinstance(start, str | Path) else start
        weights = weights_of(read, len(codes))
    return improve_table(codes, found, wish, cost, start=weights, say=progress)
