"""Every kind of public queries that files may hold, by the name they give it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from bounds.errors import DataError
from release.files.strict_json import shown
from release.statistics.fourier_features import FourierFeatures
from release.statistics.mixed_marginals import MixedMarginals
from release.statistics.number_moments import NumberMoments
from release.statistics.public_queries import NumberQueries, PublicQueries
from release.statistics.thresholds import Thresholds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from release.data.schema import Schema

Kind = TypeVar("Kind", bound=PublicQueries)
NUMBER_KINDS: dict[str, type[NumberQueries]] = {kind.KIND: kind for kind in (Thresholds, MixedMarginals, NumberMoments)}
QUERY_KINDS: dict[str, type[PublicQueries]] = {**NUMBER_KINDS, FourierFeatures.KIND: FourierFeatures}


def queries_of(body: object, schema: Schema, where: str) -> PublicQueries:
    """The queries described by an object in a file, strictly; `where` begins every error message."""
    return _read(QUERY_KINDS, body, schema, where)


def number_queries_of(body: object, schema: Schema, where: str) -> NumberQueries:
    """The same for queries of numbers, over which errors of a finished table may be taken."""
    return _read(NUMBER_KINDS, body, schema, where)


def _read(kinds: Mapping[str, type[Kind]], body: object, schema: Schema, where: str) -> Kind:
    kind = body.get("kind") if isinstance(body, dict) else None
    if not isinstance(kind, str) or kind not in kinds:
        raise DataError(f"{where}: kind = {shown(kind)}: must be one of {', '.join(kinds)}")
    return kinds[kind].from_json(body, schema, where)
