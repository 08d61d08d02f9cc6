"""Every kind of public queries that files may hold, by the name they give it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bounds.errors import DataError
from release.files.strict_json import shown
from release.statistics.fourier_features import FourierFeatures
from release.statistics.thresholds import Thresholds

if TYPE_CHECKING:
    from release.data.schema import Schema
    from release.statistics.public_queries import PublicQueries

QUERY_KINDS: dict[str, type[PublicQueries]] = {kind.KIND: kind for kind in (FourierFeatures, Thresholds)}


def queries_of(body: object, schema: Schema, where: str) -> PublicQueries:
    """The queries that an object of a file says, strictly; `where` begins every complaint."""
    kind = body.get("kind") if isinstance(body, dict) else None
    if kind not in QUERY_KINDS:
        raise DataError(f"{where}: kind = {shown(kind)}: must be one of {', '.join(QUERY_KINDS)}")
    return QUERY_KINDS[str(kind)].from_json(body, schema, where)
