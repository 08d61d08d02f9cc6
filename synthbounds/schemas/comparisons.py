"""Schemas of comparisons of a finished table with the real one: releases of distance and accuracy, and reports."""

from __future__ import annotations

from release.accuracy.planned import ACCURACY
from release.accuracy.workload import CUSTOM, DEGREE, TABLES
from release.data.schema import MOST_COLUMNS
from release.distance.planned import DISTANCE
from release.statistics.families import FAMILIES
from release.statistics.statistic import RECORD_STEPS
from synthbounds.schemas.files import (
    DRAWN,
    FEATURE_MAP,
    SEED_GOES_WITH_SIMULATION,
    STATED_SIZES,
    release_fields,
)
from synthbounds.schemas.ledgers import ledger
from synthbounds.schemas.parts import (
    COUNT,
    DECIMAL,
    DIGEST,
    FRACTION,
    INTEGER,
    IS_SIMULATED,
    MODE,
    NORM,
    SHOWN,
    SIZE_GOES_WITH_ADJACENCY,
    SIZE_IS_SAID,
    TEXT,
    TYPED,
    Fields,
    Schema,
    choice,
    const,
    either,
    many,
    obj,
    output,
    part,
    text,
    whole,
)
from synthbounds.schemas.queries import PUBLIC_QUERIES
from synthbounds.schemas.reports import MAYBE_DECIMAL, MAYBE_SHOWN, RELEASED
from synthbounds.schemas.tables import LABEL

PRICE = part(
    "price",
    either(obj({"mu_squared": FRACTION}), obj({"epsilon": FRACTION})),
    "What two noisy numbers cost: Gaussian privacy, or a pure epsilon.",
)
_KINDS = choice(("laplace", "rounded-gaussian"))
_SENSITIVITY = obj({"norm": NORM, "amount": (FRACTION, "in steps; in L2 the square")})
_TABLE: Fields = {"rows": (whole(1), "of the synthetic table"), "digest": (DIGEST, "of its rows")}
_SIZED = [SIZE_GOES_WITH_ADJACENCY, IS_SIMULATED, SEED_GOES_WITH_SIMULATION]


def _file(kind: str, own: Fields, of_synthetic: Fields) -> Schema:
    return obj(
        {
            **release_fields(kind, MODE, (text(1), "what the numbers are, in words")),
            "sensitivity": _SENSITIVITY,
            "noise": obj({"kind": _KINDS, "scale": (FRACTION, "in steps")}),
            "cost": PRICE,
            "ledger": (ledger(), "what paid; it has an entry of this cost"),
            **own,
            "synthetic": obj({**_TABLE, **of_synthetic}),
            "numbers": (many(INTEGER, 2, 2), "noisy, in steps"),
        },
        {**STATED_SIZES, **DRAWN},
        rules=_SIZED,
    )


_DISTANCE = _file(
    DISTANCE,
    {"feature_map": FEATURE_MAP},
    {
        "first": (many(INTEGER, 1), "exact sums of label times feature over its rows"),
        "second": (many(many(INTEGER, 1), 1), "exact sums of products of two features: rows of the upper triangle"),
    },
)
WORKLOAD = either(
    obj({"kind": choice((DEGREE, *(name for name in FAMILIES if name != "parities"))), "degree": whole(1)}),
    obj({"kind": const(TABLES), "tables": many(many(LABEL, 1, MOST_COLUMNS), 1)}),
    obj({"kind": const(CUSTOM), "queries": many(TEXT, 1)}),
    PUBLIC_QUERIES,
)
_ACCURACY = _file(
    ACCURACY,
    {"workload": (WORKLOAD, "the queries")},
    {
        "largest_mean": (TYPED, "the largest absolute value of the queries' means over its rows"),
        "average_mean": (TYPED, "the average of the absolute values of these means"),
    },
)
_REPORT: Fields = {
    **RELEASED,
    "synthetic": obj({"file": TEXT, **_TABLE}),
    "epsilon": (MAYBE_SHOWN, "of the budget that paid; null if only mu^2 is known"),
    "dp_delta": (MAYBE_SHOWN, "null for purely private noise"),
    "mu_squared": (MAYBE_DECIMAL, "of Gaussian noise; null for purely private noise"),
    "sensitivity": _SENSITIVITY,
    "noise": obj({"kind": _KINDS, "scale": (DECIMAL, "in steps")}),
    "steps": (const(RECORD_STEPS), "of the first number, in a record"),
    "beta": (SHOWN, "the failure probability of a bound"),
}
_SAID = [IS_SIMULATED, SIZE_IS_SAID]
COMPARISONS: dict[str, tuple[str, str, Schema]] = {
    "release-distance": (
        "Release of distance",
        "How far a finished table's moments are from the real ones. See docs/releases.md.",
        _DISTANCE,
    ),
    "release-accuracy": (
        "Release of accuracy",
        "The largest and the mean error of a finished table. See docs/releases.md.",
        _ACCURACY,
    ),
    "output-release-distance": (
        "release distance",
        "On a release of distance; the release itself is a file.",
        output(
            "release",
            {
                "kind": const(DISTANCE),
                **_REPORT,
                "distance": (obj({"first": DECIMAL, "second": DECIMAL}), "at most, with features in the unit ball"),
                "features": many(TEXT, 1),
                "label": TEXT,
                "positive": (TEXT, "the value of the label that counts as +1"),
                "squared_norm": (COUNT, "the largest of a record's features"),
                "feature_map_digest": DIGEST,
            },
            rules=_SAID,
        ),
    ),
    "output-release-accuracy": (
        "release accuracy",
        "On a release of accuracy; the release itself is a file.",
        output(
            "release",
            {
                "kind": const(ACCURACY),
                **_REPORT,
                "errors": (obj({"largest": DECIMAL, "mean": DECIMAL}), "at most, of shares of the records"),
                "workload": (TEXT, "the queries, in words"),
                "queries": COUNT,
            },
            rules=_SAID,
        ),
    ),
}
