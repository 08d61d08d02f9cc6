"""The schema of a log: tables that were measured and choices among them, with what each cost."""

from __future__ import annotations

from release.data.schema import MOST_COLUMNS
from release.log.planned import MARGINAL_LOG, STATISTIC, STATISTIC_WITH_QUERIES
from release.parameters import LOG_METHODS
from synthbounds.schemas.comparisons import COMPARISONS
from synthbounds.schemas.files import DRAWN, INTEGERS, SEED_GOES_WITH_SIMULATION, STATED_SIZES, release_fields
from synthbounds.schemas.ledgers import ledger
from synthbounds.schemas.parts import (
    COUNT,
    FRACTION,
    INTEGER,
    IS_SIMULATED,
    MODE,
    SIZE_GOES_WITH_ADJACENCY,
    TEXT,
    Fields,
    Schema,
    by_name,
    choice,
    const,
    either,
    many,
    maybe,
    obj,
    part,
    whole,
)
from synthbounds.schemas.queries import QUERIES_OF_LOGS
from synthbounds.schemas.tables import LABEL

SET_OF_COLUMNS = many(LABEL, 1, MOST_COLUMNS)
IMPOSSIBLE = part(
    "impossible",
    many(obj({"columns": SET_OF_COLUMNS, "values": (many(many(TEXT, 1), 1), "that cannot be together")})),
    "Structural zeros: public facts about combinations of values that no record can have.",
)
QUERIES = many(QUERIES_OF_LOGS, 1), "workloads of public queries"
METHOD: Fields = {
    "method": (choice(LOG_METHODS), "that measured and chose"),
    "settings": (by_name(either(TEXT, whole(), many(TEXT, 1))), "of the method; all of them public"),
    "impossible": IMPOSSIBLE,
}
GROUPS = maybe(many(many(COUNT, 2), 1))
_TABLE = obj(
    {
        "table": (SET_OF_COLUMNS, "columns of a table that was measured"),
        "rho": (FRACTION, "its part of the budget"),
        "sd": (FRACTION, "of the noise on every count"),
        "counts": (INTEGERS, "noisy, the last column fastest"),
    }
)
_CHOICE = obj(
    {
        "choice": (SET_OF_COLUMNS, "columns that were chosen"),
        "among": (many(many(COUNT, 2, 2), 1), "ranges of places in `candidates`, the end of each not included"),
        "moved": (INTEGER, "how far one record, added or removed, moves a score at most"),
        "rho": FRACTION,
        "rate": (FRACTION, "a candidate is chosen with probability proportional to exp(rate score)"),
    }
)
_ANSWERS = obj(
    {
        "answers_of": (COUNT, "place of a workload among `queries`"),
        "queries": (many(COUNT, 1), "numbers of the queries that were asked"),
        "rho": (FRACTION, "what they cost together"),
        "sd": (FRACTION, "of the noise on every sum"),
        "sums": (INTEGERS, "noisy, one query after the other"),
    }
)
_QUERIES_CHOICE = obj(
    {
        "queries_of": (COUNT, "place of a workload among `queries`"),
        "chosen": (many(COUNT, 1), "one after the other, among all that had not been chosen before"),
        "moved": (INTEGER, "how far one record, added or removed, moves a score at most"),
        "rho": (FRACTION, "of all of them together"),
    }
)
_LOG = obj(
    {
        **release_fields(MARGINAL_LOG, MODE, either(const(STATISTIC), const(STATISTIC_WITH_QUERIES))),
        "ledger": (ledger(), "in rho: one entry for all steps, and what is reserved for the distance"),
        **METHOD,
        "groups": (GROUPS, "for every column the merged code of each code, in tables of two columns and more"),
        "candidates": (many(many(COUNT, 1)), "places of columns in the schema, from 0"),
        "steps": (many(either(_TABLE, _CHOICE, _ANSWERS, _QUERIES_CHOICE)), "in their order"),
        "distance": (maybe(COMPARISONS["release-distance"][2]), "of the finished table, a release of its own"),
    },
    {
        **STATED_SIZES,
        **DRAWN,
        "queries": QUERIES,
        "unfinished": (FRACTION, "rho that an interrupted run paid for steps that were not kept"),
    },
    rules=[SIZE_GOES_WITH_ADJACENCY, IS_SIMULATED, SEED_GOES_WITH_SIMULATION],
)
LOGS: dict[str, tuple[str, str, Schema]] = {
    "release-marginal-log": (
        "Log of a mechanism",
        "Noisy tables of counts and private choices of the next one, each with its charge. See docs/releases.md.",
        _LOG,
    ),
}
