"""Schemas of public queries, as logs and workloads name them: by what they are drawn from, not one by one."""

from __future__ import annotations

from release.data.schema import MOST_COLUMNS
from release.statistics.fourier_features import FOURIER, MOST_ANSWERS
from release.statistics.mixed_marginals import MIXED
from release.statistics.number_moments import MOMENTS
from release.statistics.query_limits import MOST_QUERIES
from release.statistics.thresholds import THRESHOLDS
from synthbounds.schemas.parts import COUNTER, Fields, choice, const, either, many, maybe, obj, part, whole
from synthbounds.schemas.tables import LABEL

_NUMBERS: Fields = {"numbers": (many(LABEL, 1, MOST_COLUMNS), "columns treated as numbers, in the order of the schema")}
_DRAWN: Fields = {
    **_NUMBERS,
    "by": (many(LABEL, 1, MOST_COLUMNS), "columns whose values are distinguished: labels, which take turns"),
    "count": (whole(1, MOST_QUERIES), "queries"),
    "seed": (COUNTER, "public, from which they are drawn"),
}
_LISTED: Fields = {**_NUMBERS, "by": (many(LABEL, 0, MOST_COLUMNS), "columns whose values are distinguished, if any")}
PUBLIC_QUERIES = part(
    "public_queries",
    either(obj({"kind": choice((THRESHOLDS, MIXED)), **_DRAWN}), obj({"kind": const(MOMENTS), **_LISTED})),
    "Queries that follow from the schema of the table, its columns and, if they are drawn, a public seed.",
)
_FOURIER: Fields = {
    "label": (maybe(LABEL), "the column whose values are distinguished, if any"),
    "count": (whole(1, MOST_ANSWERS // 2), "frequencies"),
    "seed": (COUNTER, "public, from which weights of codes are drawn"),
}
QUERIES_OF_LOGS = part(
    "queries_of_logs",
    either(PUBLIC_QUERIES, obj({"kind": const(FOURIER), **_FOURIER})),
    "Queries that a log may ask: those of numbers, or random Fourier features.",
)
