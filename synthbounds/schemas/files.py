"""Schemas of files: of tables' schemas, releases, answers to queries and models."""

from __future__ import annotations

from bounds.certify.margin_losses import LOSSES
from mechanisms.models import model
from release import private_release
from release.gradient.planned import GRADIENT
from release.marginals.file import LAWS, MARGINALS, ORIGINS, STATISTIC
from release.moments.budget import MULTIPLICITIES
from release.moments.file import MOMENTS, NOISE_LAW
from release.noise.kinds import LATTICE_KINDS, NORM_OF
from release.parameters import MOST_RECORDS
from release.query.planned import MOST_ROUNDS
from release.reserving import OPEN, SPENT
from release.statistics.blocks import FEATURE_ENCODINGS
from release.statistics.feature_rules import MOST_BITS
from synthbounds.schemas.parts import (
    ADJACENCY,
    COUNTER,
    DECIMAL,
    DIGEST,
    FRACTION,
    INTEGER,
    IS_SIMULATED,
    MODE,
    NULL,
    NUMBER,
    SHORT_DIGEST,
    SIZE_GOES_WITH_ADJACENCY,
    STAMP,
    TEXT,
    TYPED,
    WHOLE,
    Field,
    Fields,
    Schema,
    by_name,
    choice,
    const,
    either,
    has,
    many,
    maybe,
    obj,
    part,
    text,
    when,
    whole,
)
from synthbounds.schemas.tables import LABEL, MAYBE_EMPTY, TABLE_SCHEMA

FEATURE_MAP = part(
    "feature_map",
    obj(
        {
            "label": LABEL,
            "positive": (maybe(MAYBE_EMPTY), "the value of the label that counts as +1; null if it is a number"),
            "encodings": (by_name(choice(FEATURE_ENCODINGS)), "by column, without the label"),
            "bits": (whole(1, MOST_BITS), "features are whole numbers over 2^bits"),
            "digest": DIGEST,
        }
    ),
    "How columns become features.",
)
_STATE = choice((OPEN, SPENT))
LOSS = part("loss", choice(LOSSES), "The loss of a margin.")
STATED_SIZES: Fields = {
    "n": (whole(1, MOST_RECORDS), "records; with replace-one"),
    "least_size": (whole(1, MOST_RECORDS), "a lower bound on the number of records; with add-remove"),
}
DRAWN: Fields = {"seed": COUNTER, "run": (COUNTER, "of the simulations with this seed")}
SEED_GOES_WITH_SIMULATION = when("mode", "simulate", has("seed", "run"), has(seed=False, run=False))
INTEGERS = many(INTEGER)


def release_fields(kind: str, mode: Schema, statistic: Field) -> Fields:
    """What the file of every kind of release contains."""
    return {
        "synthbounds_release": const(private_release.VERSION),
        "kind": const(kind),
        "mode": mode,
        "stamp": STAMP,
        "statistic": statistic,
        "adjacency": ADJACENCY,
        "schema": TABLE_SCHEMA,
        "digest": (DIGEST, "of everything else in the file"),
    }


RELEASE_BUDGET = obj(
    {
        "epsilon": FRACTION,
        "dp_delta": FRACTION,
        "mu_squared": (FRACTION, "of Gaussian privacy, in total"),
        "mu_squared_spent": FRACTION,
        "reserve": (FRACTION, "the share reserved for a query"),
        "reservation": (
            maybe(obj({"mu_squared": FRACTION, "state": _STATE, "id": SHORT_DIGEST})),
            "what is reserved; null for nothing",
        ),
    }
)


_MOMENTS = obj(
    {
        **release_fields(MOMENTS, MODE, (text(1), "what the sums are, in words")),
        "weight": (FRACTION, "a^2: of products of two features relative to products with the label"),
        "fourth_weight": (maybe(FRACTION), "c^2: of products of four; null if there are none"),
        "sensitivity": obj({"norm": const("L2"), "squared": FRACTION, "decimal": (DECIMAL, "its root, rounded up")}),
        "noise": (
            obj(
                {
                    "law": const(NOISE_LAW),
                    "first": FRACTION,
                    "second_diagonal": FRACTION,
                    "second_off_diagonal": FRACTION,
                },
                {"fourth": obj({f"multiplicity_{m}": FRACTION for m in MULTIPLICITIES})},
            ),
            "standard deviations, in steps",
        ),
        "budget": RELEASE_BUDGET,
        "feature_map": FEATURE_MAP,
        "first": (INTEGERS, "noisy sums of label times feature"),
        "second": (many(INTEGERS, 1), "noisy sums of products of two features: rows of the upper triangle"),
    },
    {**STATED_SIZES, "fourth": (INTEGERS, "noisy sums of products of four, indices increasing"), **DRAWN},
    rules=[
        SIZE_GOES_WITH_ADJACENCY,
        IS_SIMULATED,
        SEED_GOES_WITH_SIMULATION,
        when("fourth_weight", None, has(fourth=False), has("fourth")),
    ],
)
BUDGET = part(
    "noise_budget",
    obj(
        {
            "epsilon": FRACTION,
            "dp_delta": (maybe(FRACTION), "null for purely private noise"),
            "mechanism": choice(LATTICE_KINDS),
            "sensitivity": obj({"norm": choice(NORM_OF.values()), "amount": (FRACTION, "in steps; in L2 the square")}),
        }
    ),
    "Privacy, and the noise planned for it.",
)
NAMES = many(LABEL, 1, 2)
_NOISE_LAW = obj({"law": choice(LAWS), "sd": TYPED, "rounding": (TYPED, "by how much a cell may be off in addition")})
_MARGINALS = obj(
    {
        **release_fields(MARGINALS, choice(ORIGINS), const(STATISTIC)),
        "beta": (TYPED, "the failure probability of a radius"),
        "budget": (maybe(BUDGET), "null for tables that were made elsewhere"),
        "tables": many(
            obj(
                {
                    "columns": NAMES,
                    "radius": (TYPED, "every cell is within it of its true share"),
                    "noise": (maybe(_NOISE_LAW), "the distribution of the noise, if it is known"),
                    "denominator": WHOLE,
                    "counts": (many(WHOLE, 2), "over the denominator; the code of the last column varies fastest"),
                }
            ),
            1,
        ),
    },
    {"n": (WHOLE, "with replace-one"), "least_size": (WHOLE, "with add-remove"), "seed": WHOLE},
    rules=[
        SIZE_GOES_WITH_ADJACENCY,
        IS_SIMULATED,
        when("mode", "simulate", has("seed"), has(seed=False)),
        when("mode", "elsewhere", has(budget=NULL), has(budget=BUDGET)),
    ],
)
QUERY_FIELDS: Fields = {
    "synthbounds_query": const(private_release.VERSION),
    "kind": const(GRADIENT),
    "mode": MODE,
    "stamp": STAMP,
    "statistic": (text(1), "what the sums are, in words"),
    "adjacency": ADJACENCY,
    "release": (SHORT_DIGEST, "the id of the reservation that paid"),
    "previous": (maybe(DIGEST), "the previous query; null for the first"),
    "round": whole(1, MOST_ROUNDS),
    "feature_map": DIGEST,
    "model": obj({"digest": DIGEST, "loss": LOSS, "coefficients": many(FRACTION, 1)}),
    "offset": (FRACTION, "of the line that was taken from the slopes"),
    "slope": (FRACTION, "of that line"),
    "sensitivity": obj({"norm": const("L2"), "value": FRACTION}),
    "noise": obj({"law": const(NOISE_LAW), "deviation": FRACTION}),
    "budget": obj(
        {
            "mu_squared": (FRACTION, "what the query cost"),
            "left": FRACTION,
            "left_state": (maybe(_STATE), "null if nothing is left"),
        }
    ),
    "sums": (many(INTEGER, 1), "noisy, one for each feature"),
    "digest": (DIGEST, "of everything else in the file"),
}
OF_GRADIENTS = ("feature_map", "model", "offset", "slope", "sensitivity", "sums")
QUERY_RULES = [
    SIZE_GOES_WITH_ADJACENCY,
    IS_SIMULATED,
    SEED_GOES_WITH_SIMULATION,
    when("round", 1, has(previous=NULL), has(previous=DIGEST)),
]
_QUERY = obj(QUERY_FIELDS, {**STATED_SIZES, **DRAWN}, rules=QUERY_RULES)
_MODEL = obj(
    {
        "synthbounds_model": const(model.VERSION),
        "feature_map": (either(DIGEST, FEATURE_MAP), "the features that it is for, or their digest"),
        "names": (many(text(1), 1), "of the features, the intercept last"),
        "coefficients": many(NUMBER, 1),
        "loss": (choice(model.KNOWN_LOSSES), "of a margin, or of counts"),
    },
    {
        "tau": (maybe(NUMBER), "the largest norm allowed in training"),
        "ridge": (maybe(NUMBER), "ridge/2 times the squared norm was added to the mean loss"),
        "intercept": (choice((model.INSIDE, model.FREE)), "whether it counts in norm and ridge"),
        "norm": (maybe(NUMBER), "with the intercept, rounded up"),
        "made": (TEXT, "how, in words"),
        "release": (maybe(TEXT), "the digest of the release that it was trained from"),
    },
)
FILES: dict[str, tuple[str, str, Schema]] = {
    "schema": ("Schema of a table", "Columns and their possible values. See docs/schema.md.", TABLE_SCHEMA),
    "release-moments": ("Release of moments", "Noisy sums for linear models. See docs/releases.md.", _MOMENTS),
    "release-marginals": ("Release of marginals", "Noisy one- and two-way tables. See docs/releases.md.", _MARGINALS),
    "query": ("Answer to a gradient query", "A noisy gradient at one model. See docs/confirm.md.", _QUERY),
    "model": ("Linear model", "Coefficients on public features. See docs/training.md.", _MODEL),
}
