"""Schemas of answers by theorems: require, compare and risk."""

from __future__ import annotations

from bounds.model import COUNTS
from bounds.parameters import MEASURES, SOLVABLE
from bounds.queries import FAMILIES
from synthbounds.schemas.parts import (
    ADJACENCY,
    BOOLEAN,
    CERTIFICATE,
    COUNT,
    EDITION,
    ENCLOSURE,
    HYPOTHESES,
    INTEGER,
    NULL,
    SHOWN,
    STATED,
    TEXT,
    TEXTS,
    THEOREM,
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
    output,
    part,
    when,
)

_MAYBE_INTEGER = maybe(INTEGER)
_MAYBE_ENCLOSURE = maybe(ENCLOSURE)
_SUMMARY: Fields = {
    "route": (TEXT, "which of the edition's proved routes was taken"),
    "n": (INTEGER, "records"),
    "m": (_MAYBE_INTEGER, "reference points; null for a lower bound"),
    "k": (_MAYBE_INTEGER, "rows of the synthetic table; null if the density itself is released"),
}
_GUARANTEE = part(
    "guarantee",
    obj(
        {
            "epsilon": ENCLOSURE,
            "dp_delta": (_MAYBE_ENCLOSURE, "null for pure privacy"),
            "adjacency": ADJACENCY,
            "n_is_public": BOOLEAN,
            "least_public_size": (_MAYBE_INTEGER, "if n is private"),
            "mechanism": TEXT,
            "sensitivity": TEXT,
            "accuracy": ENCLOSURE,
            "failure_probability": ENCLOSURE,
            "any_data": (BOOLEAN, "whether it holds for every table"),
            "vacuous": (BOOLEAN, "whether it says nothing"),
            "reason": (TEXT, "why it says nothing"),
        },
        rules=[when("n_is_public", True, has(least_public_size=NULL), has(least_public_size=INTEGER))],
    ),
    "What is promised: privacy and accuracy.",
)
_REQUIRE: Fields = {
    "theorem": THEOREM,
    "edition": EDITION,
    **_SUMMARY,
    "measure": (choice((*MEASURES, "any")), "the reference measure"),
    "queries": (INTEGER, "how many"),
    "family": (choice((*FAMILIES, "bounded")), "bounded: this many arbitrary queries in [-1, 1]"),
    "queries_in_words": TEXT,
    "domain_size": (_MAYBE_INTEGER, "null on a continuous domain"),
    "renyi_bound": (_MAYBE_ENCLOSURE, "bound on the Rényi condition number"),
    "terms": (
        many(
            obj(
                {
                    "quantity": choice(COUNTS),
                    "name": TEXT,
                    "enclosure": (ENCLOSURE, "the quantity is at least this"),
                    "binding": (BOOLEAN, "whether it decides the quantity"),
                    "required": INTEGER,
                    "certificate": CERTIFICATE,
                }
            )
        ),
        "what n, m and k must satisfy",
    ),
    "quantities": (by_name(ENCLOSURE), "intermediate numbers, by name"),
    "guarantee": _GUARANTEE,
    "hypotheses": HYPOTHESES,
    "alternatives": (
        many(obj({"route": TEXT, "n": _MAYBE_INTEGER, "m": _MAYBE_INTEGER, "k": _MAYBE_INTEGER, "reason": TEXT})),
        "other proved routes of the edition",
    ),
    "lower_bound": (
        maybe(
            obj(
                {
                    "n": INTEGER,
                    "k": INTEGER,
                    "ratio": (ENCLOSURE, "records that suffice over records that are necessary"),
                    "theorem": THEOREM,
                    "text": TEXT,
                    "certificate_n": CERTIFICATE,
                    "certificate_k": CERTIFICATE,
                }
            )
        ),
        "sizes that no method can go below",
    ),
    "unbiased_limit": (
        _MAYBE_ENCLOSURE,
        "standard deviation that an unbiased mechanism with this privacy has in some answer, at n records",
    ),
    **STATED,
}
_SOLVED = obj(
    {
        "parameter": choice(SOLVABLE),
        "value": (SHOWN, "the best for this number of records"),
        "records": INTEGER,
        "neighbour": (maybe(SHOWN), "the next value, which needs more; null at the edge of what is allowed"),
        "neighbour_n": (_MAYBE_INTEGER, "what it needs; null if nothing is certified to be enough"),
    }
)


def _rows(refused: Fields, applying: Fields) -> Schema:
    """Rows of a comparison; those that apply have more fields."""
    head: Fields = {"theorem": THEOREM, "edition": EDITION}
    tail: Fields = {"reason": (TEXT, "why it does not apply"), **refused}
    return many(
        either(
            obj({**head, "applies": const(False), **tail}), obj({**head, "applies": const(True), **tail, **applying})
        )
    )


_MISSES: Fields = {"misses": (many(choice(("epsilon", "failure"))), "where the promise falls short of the question")}
_COMPARE: Fields = {"rows": _rows(_MISSES, {**_SUMMARY, "guarantee": _GUARANTEE})}
_COMPARE_RISK: Fields = {
    "rows": _rows(
        {},
        {
            "route": TEXT,
            "n": _MAYBE_INTEGER,
            "bound": ENCLOSURE,
            "vacuous": BOOLEAN,
            "violated": (TEXTS, "hypotheses that do not hold"),
        },
    )
}
_POLYNOMIAL = obj(
    {
        "method": TEXT,
        "degree": COUNT,
        "error": (ENCLOSURE, "the largest |phi - P|"),
        "oscillation": (ENCLOSURE, "half the range of phi - P"),
        "slope_error": _MAYBE_ENCLOSURE,
        "coefficient_sum": (ENCLOSURE, "over all k"),
        "coefficient_cost": (ENCLOSURE, "the sum of |a_k| R^k over k >= 1"),
        "coefficients": many(ENCLOSURE),
        "orders": obj({"features": COUNT, "with_label": COUNT}),
    }
)
_RISK: Fields = {
    "theorem": THEOREM,
    "edition": EDITION,
    "route": TEXT,
    "loss": TEXT,
    "radius": (ENCLOSURE, "R: no score is larger"),
    "features": (COUNT, "without the label"),
    "order": (maybe(COUNT), "of the marginals"),
    "labels_in_pairs": (BOOLEAN, "whether the label is released with only one feature at a time"),
    "n": (_MAYBE_INTEGER, "records; null if the error is given"),
    "marginal_error": (_MAYBE_ENCLOSURE, "null for moments"),
    "bound": (ENCLOSURE, "on the excess risk"),
    "terms": many(obj({"name": TEXT, "enclosure": ENCLOSURE})),
    "polynomial": maybe(_POLYNOMIAL),
    "tilt": (_MAYBE_ENCLOSURE, "rho in the bound with quadratic bias"),
    "trivial_bound": (ENCLOSURE, "by which any two models differ at most"),
    "vacuous": BOOLEAN,
    "reason": (TEXT, "why the bound says nothing"),
    "required_n": (_MAYBE_INTEGER, "for the target"),
    "certificate": maybe(CERTIFICATE),
    "smallest_proved": (maybe(BOOLEAN), "whether one record fewer is proved to be too few"),
    "scope": (maybe(TEXT), "for which bounds"),
    "orders": (
        many(
            obj({"order": maybe(COUNT), "labels_in_pairs": BOOLEAN, "n": _MAYBE_INTEGER, "route": maybe(TEXT)}),
        ),
        "orders tried for the target",
    ),
    "solved": maybe(
        obj(
            {
                "parameter": const("epsilon"),
                "value": SHOWN,
                "neighbour": maybe(SHOWN),
                "neighbour_bound": _MAYBE_ENCLOSURE,
            }
        )
    ),
    "lower_bound": (
        maybe(
            obj(
                {
                    "value": ENCLOSURE,
                    "marginals": _MAYBE_ENCLOSURE,
                    "bias": _MAYBE_ENCLOSURE,
                    "theorem": THEOREM,
                    "ratio": (_MAYBE_ENCLOSURE, "the bound over the value"),
                }
            )
        ),
        "excess risks that some data have",
    ),
    "release": maybe(
        obj(
            {
                "epsilon": ENCLOSURE,
                "dp_delta": _MAYBE_ENCLOSURE,
                "adjacency": ADJACENCY,
                "is_private": BOOLEAN,
                "n_is_public": BOOLEAN,
                "mechanism": TEXT,
                "sensitivity": TEXT,
                "standard_deviations": many(obj({"on": TEXT, "value": ENCLOSURE})),
                "nu": _MAYBE_ENCLOSURE,
                "failure_probability": ENCLOSURE,
            }
        )
    ),
    "alternatives": many(obj({"route": TEXT, "bound": _MAYBE_ENCLOSURE, "reason": TEXT})),
    "hypotheses": HYPOTHESES,
    **STATED,
}
_VALUE = obj({"edition": EDITION, "route": TEXT, "value": _MAYBE_ENCLOSURE, "reason": TEXT})
_LOWER: Fields = {
    "log_n": (maybe(SHOWN), "ln n as given"),
    "query_constant": (maybe(SHOWN), "c"),
    "share": (SHOWN, "c'"),
    "empty": (TEXT, "where the theorem says nothing"),
    "joint": many(
        obj(
            {
                "edition": EDITION,
                "feasible": (maybe(BOOLEAN), "null if it depends on c"),
                "log_n": (_MAYBE_ENCLOSURE, "all conditions hold from here on"),
                "n": _MAYBE_INTEGER,
                "binding": (TEXT, "the condition that decides"),
                "sentence": TEXT,
                "holds": (maybe(BOOLEAN), "at the given ln n"),
            }
        )
    ),
    "conditions": many(
        obj(
            {
                "name": TEXT,
                "statement": TEXT,
                "edition": EDITION,
                "needed_for": TEXT,
                "asked_above": (SHOWN, "of ln n"),
                "log_n": (_MAYBE_ENCLOSURE, "it holds from here on"),
                "also_up_to": _MAYBE_ENCLOSURE,
                "n": _MAYBE_INTEGER,
                "known": (BOOLEAN, "false if it depends on c"),
                "holds": (maybe(BOOLEAN), "at the given ln n"),
            }
        )
    ),
    "order": (_MAYBE_ENCLOSURE, "d of Definition B.1"),
    "largest_order": _MAYBE_INTEGER,
    "lower": many(_VALUE),
    "upper": many(_VALUE),
    "quoted": (TEXT, "what is not proved here"),
}
ANSWERS: dict[str, tuple[str, str, Schema]] = {
    "output-require": ("require", "Sizes that suffice.", output("require", _REQUIRE)),
    "output-solve-for": (
        "require --solve-for",
        "The best value of a parameter for a given number of records.",
        output("require", {"solved": _SOLVED, **_REQUIRE}),
    ),
    "output-compare": ("compare", "Every release theorem in every edition.", output("compare", _COMPARE)),
    "output-compare-risk": ("compare --features", "Every bound on the excess risk.", output("compare", _COMPARE_RISK)),
    "output-risk": ("risk", "A bound on the excess risk.", output("risk", _RISK)),
    "output-risk-lower": (
        "risk --theorem zhou2024.lower",
        "Where the lower bound of zhou2024 says something.",
        output("risk", _LOWER),
    ),
}
