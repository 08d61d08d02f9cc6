"""The one way in: JSON text in, JSON texts out, one line each, the last one marked. `python -m` answers lines of input.

Whatever the text is, an answer comes back: what a user can correct as one line with its exit code, a bug of ours by the
name of its type only.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

from bounds.errors import INTERRUPTED, OUR_BUG, DataError, OutOfMemory, SynthboundsError, UsageError
from release.files.strict_json import parse_json
from synthbounds.web import MOST_QUESTION
from synthbounds.web.allowed import shown
from synthbounds.web.curve import points
from synthbounds.web.door import answer, equivalents, read_question
from synthbounds.web.forms import forms

IN_PAGE = sys.platform == "emscripten"
"""Whether this is Python inside a page, and not an engine that is installed."""
_FIELDS = {
    "answer": {"command", "options"},
    "curve": {"command", "options", "over", "values"},
    "forms": set[str](),
    "papers": set[str](),
}
_NO_ANSWER: dict[str, Any] = {
    "exit_code": 0,
    "body": None,
    "error": None,
    "warnings": [],
    "sentence": "",
    "line": "",
    "python": "",
    "meaning": None,
}


def respond(text: str) -> Iterator[str]:
    """The messages that answer a question; nothing but an interrupt ever comes out as an exception."""
    begun: dict[str, Any] = {"command": None, **_NO_ANSWER}
    try:
        for message in _messages(text, begun):
            yield _line(message)
    except SynthboundsError as error:
        yield _line(_failed(begun, error.exit_code, str(error)))
    except MemoryError:
        yield _line(_failed(begun, OutOfMemory.exit_code, "the answer needs more memory than there is"))
    except ModuleNotFoundError as error:
        name = (error.name or "a package").partition(".")[0]
        where = "not part of this page; synthbounds serve has it" if IN_PAGE else "not installed here"
        needs = f"this answer needs {name}, which is {where}"
        yield _line(_failed(begun, UsageError.exit_code, needs))
    except Exception as error:
        yield _line(_failed(begun, OUR_BUG, f"a bug of ours: {type(error).__name__}"))


def _messages(text: str, begun: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """As `respond`; `begun` collects what is known already in case the answer fails."""
    asked = _read(text)
    kind = asked["ask"]
    if kind == "forms":
        yield {"last": True, **forms()}
        return
    if kind == "papers":
        from synthbounds.web.papers import papers

        yield {"last": True, "papers": papers()}
        return
    question = read_question(asked["command"], asked["options"])
    begun |= {"command": question.command.name, **equivalents(question)}
    if kind == "answer":
        yield {"last": True, **begun, **answer(question)}
        return
    count = 0
    for point in points(question, asked["over"], asked["values"]):
        count += 1
        yield {"last": False, "point": point}
    yield {"last": True, "points": count}


def _read(text: str) -> dict[str, Any]:
    """The question as an object with exactly the fields of its kind."""
    if len(text) > MOST_QUESTION:
        raise UsageError(f"question: must have at most {MOST_QUESTION:,} characters")
    try:
        asked = parse_json(text, "question")
    except DataError as error:
        raise UsageError(str(error)) from None
    kind = asked.get("ask") if isinstance(asked, dict) else None
    if not isinstance(asked, dict) or not isinstance(kind, str) or kind not in _FIELDS:
        raise UsageError(f"question: must be an object whose ask is one of {', '.join(_FIELDS)}")
    if asked.keys() != {"ask", *_FIELDS[kind]}:
        wrong = next(iter(asked.keys() ^ {"ask", *_FIELDS[kind]}))
        raise UsageError(f"{shown(wrong)}: ask = {kind} has the fields {', '.join(['ask', *sorted(_FIELDS[kind])])}")
    return asked


def _failed(begun: dict[str, Any], exit_code: int, error: str) -> dict[str, Any]:
    return {"last": True, **begun, "exit_code": exit_code, "error": " ".join(error.split())}


def _line(message: dict[str, Any]) -> str:
    return json.dumps(message, allow_nan=False)


def main() -> int:
    """Answer every line of standard input until it ends."""
    try:
        for text in sys.stdin:
            for message in respond(text):
                sys.stdout.write(f"{message}\n")
                sys.stdout.flush()
    except (BrokenPipeError, KeyboardInterrupt):  # whoever asked has gone
        return INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
