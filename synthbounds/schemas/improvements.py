"""Schema of the report on a table that was fitted to a release."""

from __future__ import annotations

from bounds.privacy.adjacency import Adjacency
from mechanisms.improve.improvement import SOURCES
from mechanisms.improve.parameters import ALL, BOX, CORRELATION, SOFT
from synthbounds.render.improvement import ASSERTED
from synthbounds.schemas.parts import (
    BOOLEAN,
    COUNT,
    DIGEST,
    ESTIMATE,
    INTEGER,
    IS_SIMULATED,
    SHOWN,
    TEXT,
    TEXTS,
    Schema,
    choice,
    const,
    many,
    maybe,
    obj,
    output,
    part,
)
from synthbounds.schemas.reports import MADE

_RESIDUAL = part(
    "residual",
    obj({"statistic": TEXT, "absolute": ESTIMATE, "deviations": (ESTIMATE, "of the noise of the release")}),
    "One statistic and how far the weighted rows are off.",
)
_COST = maybe(obj({"epsilon": SHOWN, "dp_delta": SHOWN}))
IMPROVEMENTS: dict[str, tuple[str, str, Schema]] = {
    "output-improve": (
        "improve",
        "On a finished table weighted to match a release; nothing in it is certified.",
        output(
            "improve",
            {
                **MADE,
                "release": choice([kind.KIND for kind in SOURCES]),
                "release_digest": DIGEST,
                "weights": (maybe(TEXT), "the file that contains them"),
                "synthetic": (maybe(TEXT), "the file of the chosen rows"),
                "rows": (COUNT, "of the finished table"),
                "different_rows": (COUNT, "that the release can tell apart"),
                "k": (INTEGER, "chosen rows"),
                "fit": choice((ALL, CORRELATION)),
                "features": (maybe(TEXTS), "columns whose correlations are fitted; null for all"),
                "statistics": (COUNT, "that were fitted"),
                "price": (choice((SOFT, BOX)), "as asked for"),
                "weights_by": (choice((SOFT, BOX)), "the price that the weights have; soft if a box was given up"),
                "strength": (maybe(ESTIMATE), "of the soft price; null if the weights are unchanged"),
                "gamma": (maybe(ESTIMATE), "of the box"),
                "denoised": (maybe(ESTIMATE), "how far targets were moved into reach, in deviations"),
                "settled": BOOLEAN,
                "effective_size": (ESTIMATE, "share of the rows: as many with equal weights have this sum of squares"),
                "largest_residual": (maybe(ESTIMATE), "of the weighted rows, in deviations of the noise"),
                "residuals": obj(
                    {
                        "before": maybe(_RESIDUAL),
                        "weighted": maybe(_RESIDUAL),
                        "rows": (maybe(_RESIDUAL), "of the chosen rows"),
                        "root_mean_square": (ESTIMATE, "of what was fitted, in deviations"),
                    }
                ),
                "error_est": (
                    maybe(ESTIMATE),
                    "mean square distance from the real statistics, in variances of the noise; may be below 0",
                ),
                "divergence": (ESTIMATE, "Kullback-Leibler from the weights at the start, in nats"),
                "l1_distance": (ESTIMATE, "from the weights at the start"),
                "out_of_reach": (many(_RESIDUAL), "the furthest off"),
                "out_of_reach_count": COUNT,
                "constant_columns": TEXTS,
                "cost": obj(
                    {
                        "adjacency": choice([adjacency.value for adjacency in Adjacency]),
                        "table": (_COST, "as the user says; null if not given"),
                        "release": (_COST, "null if its file states no epsilon"),
                        "total": (_COST, "null if one of the two is unknown"),
                        "asserted": const(ASSERTED),
                    }
                ),
                "warnings": TEXTS,
            },
            rules=[IS_SIMULATED],
        ),
    )
}
