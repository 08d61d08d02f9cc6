"""The schema of a recovery file: what an interrupted release had paid for."""

from __future__ import annotations

from typing import get_args

from bounds.queries import FAMILIES
from lp.synthesis.answers import ANSWERS
from lp.synthesis.parameters import SYNTH_PARAMETERS
from mechanisms.regression.adassp import LEAST_EIGENVALUE
from mechanisms.regression.objective_perturbation import WHAT as OBJECTIVE
from mechanisms.regression.objective_perturbation import ObjectiveEdition
from release.accuracy.planned import ACCURACY
from release.cross_moments.file import CROSS_MOMENTS
from release.cross_moments.file import STATISTIC as CROSS_STATISTIC
from release.distance.planned import DISTANCE
from release.floors.planned import FLOORS
from release.gradient.planned import GRADIENT
from release.log.planned import MARGINAL_LOG, STATISTIC_WITH_QUERIES
from release.log.planned import STATISTIC as LOG_STATISTIC
from release.marginals.file import MARGINALS, STATISTIC
from release.moments.file import MOMENTS
from release.noise.kinds import PLAN_KINDS, NoiseKind
from release.parameters import MOST_RECORDS
from release.query.planned import MOST_ROUNDS
from release.recovery_file import VERSION
from release.scores.planned import SCORES
from synthbounds.schemas.comparisons import COMPARISONS, PRICE, WORKLOAD
from synthbounds.schemas.confirmed import CONFIRMED
from synthbounds.schemas.cross_moments import ENCODING
from synthbounds.schemas.files import BUDGET, FEATURE_MAP, LOSS, NAMES
from synthbounds.schemas.ledgers import ledger
from synthbounds.schemas.logs import GROUPS, METHOD, QUERIES, SET_OF_COLUMNS
from synthbounds.schemas.parts import (
    ADJACENCY,
    BOOLEAN,
    COUNT,
    DIGEST,
    FRACTION,
    INTEGER,
    MODE,
    NORM,
    SHORT_DIGEST,
    SIZE_GOES_WITH_ADJACENCY,
    STAMP,
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
    output,
    text,
    whole,
)
from synthbounds.schemas.regressions import REGRESSIONS
from synthbounds.schemas.reports import REPORTS
from synthbounds.schemas.scores import ABOUT, ASKED
from synthbounds.schemas.tables import TABLE_SCHEMA

_COMPARED: Fields = {
    "mode": MODE,
    "statistic": text(1),
    "stated_size": whole(1, MOST_RECORDS),
    "cost": PRICE,
    "schema": TABLE_SCHEMA,
    "synthetic": obj({"rows": whole(1), "digest": DIGEST}),
}
_HEADERS = (
    obj(
        {
            "kind": const(MOMENTS),
            "mode": MODE,
            "statistic": text(1),
            "stated_size": whole(1, MOST_RECORDS),
            "weight": FRACTION,
            "fourth_weight": maybe(FRACTION),
            "schema": TABLE_SCHEMA,
            "feature_map": FEATURE_MAP,
        }
    ),
    obj(
        {
            "kind": const(CROSS_MOMENTS),
            "mode": MODE,
            "statistic": const(CROSS_STATISTIC),
            "stated_size": whole(1, MOST_RECORDS),
            "encoding": ENCODING,
            "schema": TABLE_SCHEMA,
        }
    ),
    obj(
        {
            "kind": const(MARGINAL_LOG),
            "mode": MODE,
            "statistic": either(const(LOG_STATISTIC), const(STATISTIC_WITH_QUERIES)),
            "stated_size": whole(1, MOST_RECORDS),
            **METHOD,
            "schema": TABLE_SCHEMA,
            "groups": GROUPS,
        },
        {"queries": QUERIES},
    ),
    obj(
        {
            "kind": const(MARGINALS),
            "mode": MODE,
            "statistic": const(STATISTIC),
            "schema": TABLE_SCHEMA,
            "size": whole(1),
            "beta": FRACTION,
            "budget": BUDGET,
            "tables": many(NAMES, 1),
        }
    ),
    obj({"kind": const(DISTANCE), **_COMPARED, "feature_map": FEATURE_MAP}),
    obj({"kind": const(ACCURACY), **_COMPARED, "workload": WORKLOAD}),
    obj(
        {
            "kind": const(GRADIENT),
            "mode": MODE,
            "release": SHORT_DIGEST,
            "previous": maybe(DIGEST),
            "round": whole(1, MOST_ROUNDS),
            "loss": LOSS,
            "coefficients": many(FRACTION, 1),
            "offset": FRACTION,
            "slope": FRACTION,
            "mu_squared": FRACTION,
        }
    ),
    obj(
        {
            "kind": const(SCORES),
            "mode": MODE,
            "release": SHORT_DIGEST,
            "previous": maybe(DIGEST),
            "round": whole(1, MOST_ROUNDS),
            "about": ABOUT,
            "questions": many(ASKED, 1),
        }
    ),
    obj(
        {
            "kind": const(FLOORS),
            "mode": MODE,
            "adjacency": ADJACENCY,
            "stated_size": whole(1, MOST_RECORDS),
            "loss": LOSS,
            "tau": many(FRACTION, 1),
            "schema": TABLE_SCHEMA,
            "feature_map": FEATURE_MAP,
        }
    ),
    obj(
        {
            "kind": const(LEAST_EIGENVALUE),
            "release": SHORT_DIGEST,
        }
    ),
    obj(
        {
            "kind": const(OBJECTIVE),
            "edition": choice(get_args(ObjectiveEdition)),
            "adjacency": ADJACENCY,
            **dict.fromkeys(("epsilon", "dp_delta", "ridge", "delta", "sigma"), FRACTION),
            "decimals": whole(1),
            "features": FEATURE_MAP,
        }
    ),
    obj(
        {
            "kind": const(ANSWERS),
            "mode": MODE,
            "stamp": STAMP,
            "queries": choice(FAMILIES),
            "degree": whole(1),
            "sizes": many(whole(2), 1),
            "measure": choice(SYNTH_PARAMETERS["measure"].choices),
            "adjacency": ADJACENCY,
            "steps": INTEGER,
            "k": whole(1),
            "rows": choice(SYNTH_PARAMETERS["rows"].choices),
        },
        {
            "mechanism": (choice(PLAN_KINDS), "if through contrasts, the numbers are theirs"),
            "n": whole(1),
            "least_size": whole(1),
        },
        rules=[SIZE_GOES_WITH_ADJACENCY],
    ),
)
_NAMED = either(SET_OF_COLUMNS, many(COUNT, 2, 2))
_CHOICE = obj(
    {"what": text(1), "chosen": (whole(0), "the place of the winner"), "of": whole(1)},
    {"name": (_NAMED, "columns that were chosen, or a workload and its query")},
)
_MEASUREMENT = obj(
    {
        "what": text(1),
        "noise": obj(
            {
                "kind": choice(kind for kinds in get_args(NoiseKind) for kind in get_args(kinds)),
                "scales": either(FRACTION, many(FRACTION, 1)),
            }
        ),
        "sensitivity": obj({"norm": NORM, "amount": FRACTION}),
        "values": (many(INTEGER, 1), "the noisy numbers"),
    },
    {"names": (many(_NAMED, 1), "columns of each table, or workload and number of each query")},
)
_KEPT_MODEL = obj(
    {"what": text(1), "mode": MODE, "coefficients": (many(FRACTION, 1), "of a model whose noise stays secret")}
)
_ASKED = obj(
    {
        "arguments": many(TEXT, 1),
        "folder": (TEXT, "where it ran"),
        "files": (by_name(DIGEST), "SHA-256 of the public files that it read"),
        "records": (maybe(whole(1, MOST_RECORDS)), "their number, if it is public"),
    }
)
_ANSWERED = [
    body
    for name, (_, _, body) in (REPORTS | COMPARISONS | REGRESSIONS | CONFIRMED).items()
    if name.startswith(("output-synth", "output-release", "output-regress", "output-confirm"))
]
_RECOVERY = obj(
    {
        "synthbounds_recovery": const(VERSION),
        "note": text(1),
        "header": ({"anyOf": list(_HEADERS)}, "what is public about the numbers, by kind"),
        "measurements": many(either(_MEASUREMENT, _CHOICE, _KEPT_MODEL), 1),
        "ledger": ledger(),
        "digest": (DIGEST, "of everything else in the file"),
    },
    {
        "asked": (_ASKED, "the command that was interrupted; files of the first versions have none"),
        "drawing": (BOOLEAN, "whether the next noise was being drawn: it is spent, but was not kept"),
    },
)


RECOVERIES: dict[str, tuple[str, str, Schema]] = {
    "recovery": (
        "Recovery file",
        "What an interrupted release had paid for: its noisy numbers and their cost, in `NAME.recovery.json`.",
        _RECOVERY,
    ),
    "output-recover": (
        "recover",
        "On an interrupted release that is now finished.",
        output(
            "recover",
            {
                "file": (TEXT, "what the interrupted release had left behind"),
                "finished": choice(("synth", "release", "regress", "confirm")),
                "went_on": (BOOLEAN, "whether the table was given, so that what had not been drawn was drawn now"),
                "drawn_before": (whole(1), "measurements and choices"),
                "records": maybe(whole(1, MOST_RECORDS)),
                "spent_before": (ledger(), "what is drawn now was counted before the first noise"),
                "answer": (either(*_ANSWERED), "what the interrupted command would have said"),
            },
        ),
    ),
}
