"""Schema of the messages with which the page's door answers."""

from __future__ import annotations

from typing import get_args

from bounds.parameter import Kind
from synthbounds.schemas.parts import (
    ADJACENCY,
    BOOLEAN,
    COUNT,
    ENCLOSURE,
    INTEGER,
    NULL,
    SHOWN,
    TEXT,
    TEXTS,
    Schema,
    by_name,
    choice,
    const,
    either,
    many,
    maybe,
    obj,
    whole,
)

_LAST = const(True)
_ANYTHING = by_name({})
_MEANING = obj(
    {
        "epsilon": SHOWN,
        "dp_delta": SHOWN,
        "adjacency": ADJACENCY,
        "odds_factor": (ENCLOSURE, "by how much odds can grow at most, apart from the exception"),
        "exception": (SHOWN, "the largest probability that they grow further: 0 without a delta"),
        "best_guess": (ENCLOSURE, "how often someone who knows all other records can guess right, at most"),
        "wrong_at_least": ENCLOSURE,
        "suspicion": many(obj({"before": SHOWN, "after_at_most": ENCLOSURE})),
        "words": TEXT,
    }
)
_ANSWER = obj(
    {
        "last": _LAST,
        "command": (maybe(TEXT), "null if the question could not be read that far"),
        "exit_code": whole(0, 70),
        "body": (maybe(_ANYTHING), "as `--format json` prints it; null if there is an error"),
        "error": (maybe(TEXT), "one line"),
        "warnings": TEXTS,
        "sentence": (TEXT, "the answer in words; empty if there is none"),
        "line": (TEXT, "the same question for a shell"),
        "python": (TEXT, "and for Python, after `import synthbounds as sb`"),
        "meaning": (maybe(_MEANING), "of the privacy, for one person"),
    },
    rules=[
        either(
            {"properties": {"body": NULL, "error": TEXT}},
            {"properties": {"body": _ANYTHING, "error": NULL, "command": TEXT}},
        )
    ],
)
_POINT = obj(
    {
        "last": const(False),
        "point": obj(
            {
                "x": (TEXT, "the value that was given"),
                "n": maybe(INTEGER),
                "m": maybe(INTEGER),
                "k": maybe(INTEGER),
                "value": (maybe(either(ENCLOSURE, SHOWN)), "what is solved for or bounded"),
                "limit": (maybe(INTEGER), "records below which no method can do"),
                "vacuous": (BOOLEAN, "whether the promise says nothing"),
                "ends": (BOOLEAN, "whether the value is the end of the search, so that smaller ones may be enough"),
                "error": (maybe(TEXT), "why there is no point"),
            }
        ),
    }
)
_FIELD = obj(
    {
        "name": (TEXT, "in Python"),
        "option": (TEXT, "in a question, and on the command line after two dashes"),
        "label": TEXT,
        "help": TEXT,
        "kind": choice(get_args(Kind)),
        "choices": TEXTS,
        "default": maybe(TEXT),
        "range": by_name(SHOWN, choice(("above", "least", "below", "most"))),
        "group": TEXT,
        "positional": BOOLEAN,
    }
)
_FORMS = obj({"last": _LAST, "forms": by_name(many(_FIELD)), "version": TEXT, "commands": by_name(TEXT)})
DOOR: dict[str, tuple[str, str, Schema]] = {
    "door": (
        "Message of the page's door",
        "One message of the answer to a question of the page; the last one says so.",
        either(
            _ANSWER,
            _POINT,
            obj({"last": _LAST, "points": (COUNT, "how many there were")}),
            _FORMS,
            obj({"last": _LAST, "papers": _ANYTHING}),
        ),
    )
}
