"""What schemas are written with: objects of fixed keys, exact numbers as text, and the parts that many of them share.

A field is a schema, or a schema and what it says in words. A part is declared once, and a schema that uses it holds
it in `$defs`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, get_args

from bounds.exact import LARGEST_JSON_INTEGER
from bounds.model import EDITIONS
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.sensitivity import Norm
from release.noise.kinds import NOT_A_RELEASE, Mode
from synthbounds.render.envelope import SCHEMA_VERSION
from synthbounds.schemas import VERSION
from verify import checkers

Schema: TypeAlias = dict[str, Any]
Field: TypeAlias = Schema | tuple[Schema, str]
Fields: TypeAlias = Mapping[str, Field]

PARTS: dict[str, Schema] = {}
"""By name; filled by `part`."""
_REF = "#/$defs/"


def part(name: str, schema: Schema, description: str) -> Schema:
    """A reference to a schema that many others use, which is declared here."""
    if name in PARTS:
        raise AssertionError(f"{name} is declared twice")
    PARTS[name] = {"description": description, **schema}
    return {"$ref": _REF + name}


def obj(needed: Fields, optional: Fields | None = None, *, rules: Sequence[Schema] = ()) -> Schema:
    """An object with these keys and no other."""
    properties = {name: _said(field) for name, field in {**needed, **(optional or {})}.items()}
    found = {"type": "object", "properties": properties, "required": list(needed), "additionalProperties": False}
    return {**found, "allOf": list(rules)} if rules else found


def _said(field: Field) -> Schema:
    if isinstance(field, dict):
        return field
    schema, description = field
    return {**schema, "description": description}


def by_name(value: Schema, keys: Schema | None = None) -> Schema:
    """An object whose keys are freely chosen names."""
    return {"type": "object", **({"propertyNames": keys} if keys else {}), "additionalProperties": value}


def many(item: Schema, least: int = 0, most: int | None = None) -> Schema:
    bounds = {**({"minItems": least} if least else {}), **({} if most is None else {"maxItems": most})}
    return {"type": "array", "items": item, **bounds}


def maybe(schema: Schema) -> Schema:
    return {"anyOf": [schema, NULL]}


def either(*schemas: Schema) -> Schema:
    return {"anyOf": list(schemas)}


def choice(values: Iterable[object]) -> Schema:
    return {"enum": list(values)}


def const(value: object) -> Schema:
    return {"const": value}


def text(least: int = 0, most: int | None = None) -> Schema:
    return {
        "type": "string",
        **({"minLength": least} if least else {}),
        **({} if most is None else {"maxLength": most}),
    }


def matching(pattern: str, most: int | None = None) -> Schema:
    """Text that matches the whole pattern; named groups, which only Python has, become plain ones."""
    for name in ("ratio", "dyadic", "decimal", "scientific"):
        pattern = pattern.replace(f"(?P<{name}>", "(?:")
    return {**text(most=most), "pattern": f"^(?:{pattern})$"}


def whole(least: int | None = None, most: int | None = None) -> Schema:
    """A whole number of JSON."""
    return {
        "type": "integer",
        **({} if least is None else {"minimum": least}),
        **({} if most is None else {"maximum": most}),
    }


def when(field: str, value: object, then: Schema, otherwise: Schema) -> Schema:
    asked = {"properties": {field: const(value)}, "required": [field]}
    return {"if": asked, "then": then, "else": otherwise}


def has(*names: str, **properties: object) -> Schema:
    """These keys are present, and these properties have the given schemas; False forbids a key."""
    return {
        **({"required": list(names)} if names else {}),
        **({"properties": properties} if properties else {}),
    }


def _above(bound: int) -> str:
    """A pattern of the whole numbers above a bound."""
    digits = str(bound)
    longer = f"[1-9][0-9]{{{len(digits)},}}"
    ways = [
        digits[:i] + f"[{int(d) + 1}-9]" + f"[0-9]{{{len(digits) - i - 1}}}" for i, d in enumerate(digits) if d < "9"
    ]
    return "|".join([longer, *ways])


NULL: Schema = {"type": "null"}
BOOLEAN: Schema = {"type": "boolean"}
TEXT = text()
TEXTS = many(TEXT)
COUNT = whole(0)
ESTIMATE: Schema = {"type": "number"}

INTEGER = part(
    "integer",
    either(whole(-LARGEST_JSON_INTEGER, LARGEST_JSON_INTEGER), matching(f"-?(?:{_above(LARGEST_JSON_INTEGER)})")),
    "A whole number: a number of JSON up to 2^53 in size, decimal text above.",
)
WHOLE = part(
    "whole",
    either(whole(), matching(r"-?(?:0|[1-9][0-9]*)")),
    "A whole number, as a number of JSON or as decimal text.",
)
FRACTION = part("fraction", matching(checkers.FRACTION.pattern), "An exact rational as text, such as 7 or 1/3.")
EXACT = part("exact", matching(checkers.EXACT.pattern, checkers.MOST_DIGITS), "Exact: 7, 1/3, 5/2^9 or 0.25, as text.")
SCIENTIFIC = part(
    "scientific",
    matching(checkers.SCIENTIFIC.pattern, checkers.MOST_DIGITS),
    "Exact: 7, 1/3, 5/2^9, 0.25 or 2.5e-9, as text.",
)
TYPED = part(
    "typed",
    matching(r"\s*(?:[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?[0-9]+/[0-9]*[1-9][0-9]*)\s*"),
    "An exact number as people type it: 0.2, 1e-6 or 1/3.",
)
NUMBER = part("number", either({"type": "number"}, TYPED), "A number of JSON, or the same as exact text.")
DECIMAL = part(
    "decimal", matching(r"-?[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?"), "Decimal text, rounded to the side that is safe."
)
SHOWN = part(
    "shown",
    matching(
        r"-?[0-9]*\.?[0-9]+(?:e-?[0-9]+)?|-?[0-9]+/[0-9]+|-?[0-9/]*\.\.\.(?:\([0-9]+ digits\)|\(a number of very many "
        r"digits\))?"
    ),
    "An exact number as text; one of very many digits is cut, and says so by three dots.",
)
ENCLOSURE = part(
    "enclosure", obj({"lo": DECIMAL, "hi": DECIMAL}), "Both ends of an interval around a number, rounded outward."
)
DIGEST = part("digest", matching("[0-9a-f]{64}"), "SHA-256 in hexadecimal digits.")
SHORT_DIGEST = part("short_digest", matching("[0-9a-f]{32}"), "The first half of a SHA-256.")
COUNTER = part("counter", matching("0|[1-9][0-9]{0,19}"), "A whole number from 0 to 2^64 - 1, as text.")
ADJACENCY = part("adjacency", choice(a.value for a in Adjacency), "Which pairs of tables the privacy compares.")
EDITION = part("edition", choice(EDITIONS), "As printed, repaired, or the best that is proved here.")
THEOREM = part("theorem", matching(r"[a-z]+[0-9]*\.[a-z0-9-]+"), "The name of a statement: `synthbounds list`.")
MODE = part("mode", choice(get_args(Mode)), "A simulation protects nobody.")
NORM = part("norm", choice(get_args(Norm)), "In which norm a sensitivity is.")
STAMP = part("stamp", maybe(const(NOT_A_RELEASE)), "Of a simulation; null for a release.")
CERTIFICATE = part(
    "integer_certificate",
    obj(
        {
            "value": INTEGER,
            "margin_at_value": (ENCLOSURE, "not negative: the value is enough"),
            "margin_below": (maybe(ENCLOSURE), "negative: one less is not; null for the value 1"),
            "precision": (COUNT, "bits of the computation; 0 if it used whole numbers"),
        }
    ),
    "Why a whole number is the smallest: a margin that is nonnegative exactly where the condition holds.",
)
HYPOTHESES = part(
    "hypotheses",
    many(
        obj(
            {
                "text": TEXT,
                "kind": (choice(("checked", "asserted")), "checked from the inputs, or asserted by the user"),
                "holds": (maybe(BOOLEAN), "null if it is asserted"),
            },
            {"why": (TEXT, "further explanation")},
            rules=[when("kind", "checked", has(holds=BOOLEAN), has(holds=NULL))],
        )
    ),
    "Conditions of the statement.",
)
CITATION = part("citation", obj({"paper": TEXT, "locator": TEXT, "edition_by": TEXT}), "Source, and who states it.")
STATED: Fields = {
    "notes": (TEXTS, "what changed from the paper, and choices"),
    "citation": CITATION,
    "proof": (maybe(TEXT), "the name of the page in docs/proofs"),
}
"""Where an answer by a theorem comes from."""

IS_SIMULATED = when("mode", "simulate", has(stamp=const(NOT_A_RELEASE)), has(stamp=NULL))
SIZES: Fields = {
    "n": (maybe(INTEGER), "number of records, if it is public"),
    "least_size": (maybe(INTEGER), "if n is private: a public lower bound on the number of records"),
    "n_is_public": BOOLEAN,
    "adjacency": ADJACENCY,
}
SIZE_IS_SAID = when("n_is_public", True, has(n=INTEGER, least_size=NULL), has(n=NULL, least_size=INTEGER))
SIZE_GOES_WITH_ADJACENCY = when(
    "adjacency", Adjacency.REPLACE_ONE.value, has("n", least_size=False), has("least_size", n=False)
)

_PROVENANCE = part(
    "provenance",
    obj(
        {
            "version": (matching(r"[0-9]+(?:\.[0-9]+)*(?:[a-z0-9.+-]*)"), "of synthbounds"),
            "precision": (maybe(whole(1)), "bits that the answer needed; null if none are counted"),
            "ledger": (maybe(matching("[0-9a-f]{16}")), "fingerprint of all the mathematics; null if none is used"),
        }
    ),
    "Where the answer comes from.",
)


def output(command: str, body: Fields, optional: Fields | None = None, *, rules: Sequence[Schema] = ()) -> Schema:
    """What a command prints, in the envelope that all commands share."""
    head: Fields = {
        "schema_version": const(SCHEMA_VERSION),
        "command": const(command),
        "inputs": (by_name(TEXT), "the options as they were written"),
    }
    return obj({**head, **body, "provenance": _PROVENANCE}, optional, rules=rules)


def document(name: str, title: str, description: str, body: Schema) -> Schema:
    """A schema as in its file, with the parts that it uses."""
    used: dict[str, Schema] = {}
    waiting = [body]
    while waiting:
        for found in _references(waiting.pop()):
            if found not in used:
                used[found] = PARTS[found]
                waiting.append(PARTS[found])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:synthbounds:schema:{name}:{VERSION}",
        "title": title,
        "description": description,
        **body,
        **({"$defs": {key: used[key] for key in sorted(used)}} if used else {}),
    }


def _references(schema: object) -> list[str]:
    if isinstance(schema, dict):
        own = [schema["$ref"].removeprefix(_REF)] if isinstance(schema.get("$ref"), str) else []
        return own + [name for value in schema.values() for name in _references(value)]
    return [name for item in schema for name in _references(item)] if isinstance(schema, list) else []
