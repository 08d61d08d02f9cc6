"""Schemas of the guided way: messages about a job, and the two files that record a release and its outcome."""

from __future__ import annotations

from synthbounds.schemas.parts import (
    BOOLEAN,
    COUNT,
    NULL,
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

_DO = choice(
    ["draft", "check-schema", "plan", "simulate", "prepare", "release", "certify", "evaluate", "account", "recover"],
)
_FILE = obj({"name": TEXT, "bytes": COUNT, "where": choice(("private", "kept"))})
_GOES_ON = obj(
    {
        "last": const(False),
        "job": TEXT,
        "do": _DO,
        "state": choice(("waiting", "running")),
        "progress": maybe(obj({"text": (TEXT, "for people")})),
    }
)
_ENDS = obj(
    {
        "last": const(True),
        "job": TEXT,
        "do": _DO,
        "state": choice(("done", "failed", "stopped")),
        "exit_code": whole(0, 130),
        "body": (maybe(by_name({})), "as `--format json` prints it; for a step without a command, what it found"),
        "error": (maybe(TEXT), "one line"),
        "warnings": TEXTS,
        "spent": (BOOLEAN, "whether noise may have been drawn for a release"),
        "command": (TEXT, "what ran, for a shell; empty if it was not a command"),
        "arguments": TEXTS,
        "release": (maybe(TEXT), "its folder in the folder of releases"),
        "files": many(_FILE),
    }
)
_ORDER = obj(
    {
        "command": (TEXT, "for a shell"),
        "arguments": TEXTS,
        "account": (maybe(TEXT), "the file in which it is recorded"),
        "booked": (either(COUNT, NULL), "how many entries that file had before"),
    },
    {"begun": (TEXT, "day and time in UTC")},
)
_OUTCOME = obj({"exit_code": whole(0, 130), "spent": BOOLEAN, "told": (TEXT, "empty if it is complete")})
GUIDED: dict[str, tuple[str, str, Schema]] = {
    "guided-job": (
        "Message of a job of the guided way",
        "What is said about a job while it runs and when it has ended; the last message says so.",
        either(_GOES_ON, _ENDS),
    ),
    "guided-order": (
        "Order of a release",
        "The file order.json in the folder of a release that the guided way made.",
        _ORDER,
    ),
    "guided-outcome": (
        "Outcome of a release",
        "The file outcome.json in the folder of a release that the guided way made.",
        _OUTCOME,
    ),
}
