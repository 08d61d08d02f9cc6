"""Schemas of what is said of functions and theorems: renyi, approx, explain, list and cite."""

from __future__ import annotations

from typing import get_args, get_type_hints

from bounds.approximation.approximate import METHODS
from bounds.model import Theorem
from bounds.quantities import SYMBOLS
from lp.study.perturbed_histogram import VARIANTS
from synthbounds.schemas.parts import (
    BOOLEAN,
    COUNT,
    EDITION,
    ENCLOSURE,
    ESTIMATE,
    INTEGER,
    SHOWN,
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
    matching,
    maybe,
    obj,
    output,
    part,
    whole,
)

_MAYBE_INTEGER = maybe(INTEGER)
_MAYBE_ENCLOSURE = maybe(ENCLOSURE)
_METHOD = part(
    "method",
    matching(rf"(?:{'|'.join(METHODS)})(?::(?:inf|[0-9]+))?"),
    "How a polynomial is made; `iterated:H` gives the number of iterations.",
)
_FINITE = either(ESTIMATE, const("inf"))
_RENYI: Fields = {
    "kappa": (either(ENCLOSURE, const("infinity")), "the Rényi condition number"),
    "points": COUNT,
    "total_variation": ENCLOSURE,
    "least_ratio": (ENCLOSURE, "the least mu/nu"),
    "bounds": obj({"direct": _MAYBE_ENCLOSURE, "ratio": _MAYBE_ENCLOSURE, "through": _MAYBE_ENCLOSURE}),
    "infinite_at": (maybe(COUNT), "a point where mu vanishes and nu does not"),
    "probability_infinite": obj({"lower": ENCLOSURE, "upper": ENCLOSURE, "exact": BOOLEAN, "method": TEXT}),
    "simulation": obj(
        {
            "variant": choice(VARIANTS),
            "runs": whole(1),
            "seed": COUNT,
            "infinite": (COUNT, "runs with an infinite condition number"),
            "infinite_low_est": ESTIMATE,
            "infinite_high_est": ESTIMATE,
            "median_est": _FINITE,
            "q95_est": _FINITE,
            "largest_finite_est": _FINITE,
        }
    ),
}
_EXACTLY = ("kappa", "points", "total_variation", "least_ratio", "bounds", "infinite_at")
_ASKED = [
    {"dependentRequired": {name: list(_EXACTLY) for name in _EXACTLY}},
    either(has("kappa"), has("probability_infinite"), has("simulation")),
]
_APPROX: Fields = {
    "function": (TEXT, "as given"),
    "expression": TEXT,
    "interval": many(SHOWN, 2, 2),
    "degree": COUNT,
    "method": _METHOD,
    "error": (ENCLOSURE, "the largest |f - P|"),
    "attained_at": ENCLOSURE,
    "minimax_error": (_MAYBE_ENCLOSURE, "the least of any polynomial of the degree; null if it is not known"),
    "coefficient_sum": (ENCLOSURE, "of |a_k| over all k"),
    "coefficients": (many(ENCLOSURE, 1), "in powers of x, from power 0"),
    "lipschitz": obj({"function": _MAYBE_ENCLOSURE, "derivative": _MAYBE_ENCLOSURE}),
    "bounds": (many(obj({"theorem": THEOREM, "value": ENCLOSURE})), "what theorems say about the error"),
    "kinks": many(ENCLOSURE),
    "objective": (
        maybe(obj({"marginal_error": SHOWN, "radius": SHOWN, "value": ENCLOSURE, "gap": ENCLOSURE})),
        "of the method optimal",
    ),
    "notes": TEXTS,
    "certified": const(True),
}
_DIRECTION = choice(get_args(get_type_hints(Theorem)["direction"]))
_FORMULA = obj({"name": TEXT, "formula": TEXT, "latex": TEXT})
_EXPLAIN: Fields = {
    "theorem": THEOREM,
    "title": TEXT,
    "guarantee": TEXT,
    "citation": obj({"paper": TEXT, "locator": TEXT}),
    "direction": (_DIRECTION, "sizes that suffice, sizes that no method can go below, or a helper"),
    "needs": (by_name(TEXT, choice(SYMBOLS)), "quantities with their meanings"),
    "editions": many(
        obj(
            {
                "edition": EDITION,
                "changes": TEXTS,
                "proof": maybe(TEXT),
                "routes": many(
                    obj(
                        {
                            "route": TEXT,
                            "summary": TEXT,
                            "terms": many(_FORMULA),
                            "where": many(_FORMULA),
                            "hypotheses": TEXTS,
                        }
                    )
                ),
            }
        )
    ),
    "values": many(
        obj(
            {
                "edition": EDITION,
                "route": TEXT,
                "name": TEXT,
                "value": _MAYBE_ENCLOSURE,
                "integer": _MAYBE_INTEGER,
                "reason": TEXT,
                "violated": TEXTS,
            }
        )
    ),
}
_LIST: Fields = {
    "theorems": many(
        obj(
            {
                "id": THEOREM,
                "title": TEXT,
                "paper": TEXT,
                "locator": TEXT,
                "editions": many(EDITION, 1),
                "direction": _DIRECTION,
                "measure": maybe(TEXT),
                "inputs": many(choice(SYMBOLS)),
            }
        )
    )
}
_CITE: Fields = {"papers": many(obj({"key": TEXT, "reference": TEXT, "bibtex": TEXT}))}

STATEMENTS: dict[str, tuple[str, str, Schema]] = {
    "output-renyi": (
        "renyi",
        "A Rényi condition number, as far as requested.",
        output("renyi", {}, _RENYI, rules=_ASKED),
    ),
    "output-approx": ("approx", "A polynomial with its certified error.", output("approx", _APPROX)),
    "output-explain": ("explain", "A theorem with its formulas.", output("explain", _EXPLAIN)),
    "output-list": ("list", "All theorems.", output("list", _LIST)),
    "output-cite": ("cite", "Papers.", output("cite", _CITE)),
}
