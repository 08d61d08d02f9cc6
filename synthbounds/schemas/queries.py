"""Schemas of public queries, as logs and workloads name them: what they are drawn from, not the queries."""

from __future__ import annotations

from release.data.schema import MOST_COLUMNS
from release.statistics.public_queries import MOST_QUERIES
from release.statistics.thresholds import THRESHOLDS
from synthbounds.schemas.parts import COUNTER, Fields, const, either, many, obj, part, whole
from synthbounds.schemas.tables import LABEL

_DRAWN: Fields = {
    "numbers": (many(LABEL, 1, MOST_COLUMNS), "columns that are taken as numbers, in the order of the schema"),
    "by": (many(LABEL, 1, MOST_COLUMNS), "columns whose values are told apart: labels"),
    "count": (whole(1, MOST_QUERIES), "queries"),
    "seed": (COUNTER, "public, from which they are drawn"),
}
PUBLIC_QUERIES = part(
    "public_queries",
    either(obj({"kind": const(THRESHOLDS), **_DRAWN})),
    "Queries that are drawn by a public seed from the schema of the table.",
)
