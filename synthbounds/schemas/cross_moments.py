"""The schema of a release of cross moments."""

from __future__ import annotations

from release.cross_moments.file import CROSS_MOMENTS, NOISE_LAW, STATISTIC
from release.cross_moments.planned import ONE_WAY_SHARE
from release.statistics.blocks import ENCODINGS
from release.statistics.cross_moments import BITS, LABEL_WEIGHT
from synthbounds.schemas.files import DRAWN, INTEGERS, SEED_GOES_WITH_SIMULATION, STATED_SIZES, release_fields
from synthbounds.schemas.ledgers import ledger
from synthbounds.schemas.parts import (
    FRACTION,
    IS_SIMULATED,
    MODE,
    SIZE_GOES_WITH_ADJACENCY,
    Schema,
    by_name,
    choice,
    const,
    many,
    maybe,
    obj,
    part,
    whole,
)
from synthbounds.schemas.tables import LABEL

ENCODING = part(
    "table_encoding",
    obj(
        {
            "encodings": (by_name(choice(ENCODINGS)), "by column; none: only a one-way table"),
            "label": (maybe(LABEL), "the column whose products have less noise; null if there is none"),
            "label_weight": const(LABEL_WEIGHT),
            "bits": (const(BITS), "features are whole numbers over 2^bits"),
        }
    ),
    "How every column becomes features.",
)
_WEIGHTS = (1, LABEL_WEIGHT)
_CROSS = obj(
    {
        **release_fields(CROSS_MOMENTS, MODE, const(STATISTIC)),
        "encoding": ENCODING,
        "noise": (
            obj(
                {
                    "law": const(NOISE_LAW),
                    "one_way": FRACTION,
                    "one_way_squared_sensitivity": whole(1),
                    "cross": (
                        obj({}, {f"weight_{weight}": FRACTION for weight in _WEIGHTS}),
                        "by the product of the weights of both columns",
                    ),
                    "cross_squared_sensitivity": whole(0),
                }
            ),
            "standard deviations, in records and in steps of 4^-bits; squared sensitivities, in features",
        ),
        "budget": obj(
            {
                "one_way_share": (const(str(ONE_WAY_SHARE)), "of what is spent, for the one-way tables"),
                "ledger": (ledger(), "in mu^2"),
            }
        ),
        "one_way": (many(many(INTEGERS["items"], 2), 1), "noisy counts of every code, a table for each column"),
        "cross": (INTEGERS, "noisy sums of products of features of two columns, row by row of the upper triangle"),
    },
    {**STATED_SIZES, **DRAWN},
    rules=[SIZE_GOES_WITH_ADJACENCY, IS_SIMULATED, SEED_GOES_WITH_SIMULATION],
)
CROSS_RELEASES: dict[str, tuple[str, str, Schema]] = {
    "release-cross-moments": (
        "Release of cross moments",
        "Noisy one-way tables and products of features of two columns. See docs/releases.md.",
        _CROSS,
    ),
}
