"""Questions for the door, as a page asks them, and the replies, checked against the schema of its messages."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from synthbounds.schemas import json_schema
from synthbounds.web.engine import respond

SIZES = {"p": "10", "degree": "2", "epsilon": "0.2", "accuracy": "0.1", "failure": "0.05"}
RISK = {"features": "10", "radius": "1", "epsilon": "1", "dp-delta": "1e-6", "failure": "0.01"}


@cache
def messages_schema() -> Draft202012Validator:
    return Draft202012Validator(json_schema("door"))


def told(text: str) -> list[dict[str, Any]]:
    """All messages; the last one, and no other, says that it is."""
    lines = list(respond(text))
    assert all("\n" not in line for line in lines)
    found = [json.loads(line) for line in lines]
    assert [message["last"] for message in found] == [False] * (len(found) - 1) + [True]
    for message in found:
        messages_schema().validate(message)
    return found


def ask(command: str, **options: object) -> dict[str, Any]:
    """The answer to one question; underscores stand for dashes."""
    (answer,) = told(question(command, options))
    return answer


def question(command: str, options: dict[str, object]) -> str:
    said = {name.replace("_", "-"): value for name, value in options.items()}
    return json.dumps({"ask": "answer", "command": command, "options": said})


def curve(command: str, over: str, values: list[str], **options: object) -> list[dict[str, Any]]:
    """The points of a curve."""
    said = {name.replace("_", "-"): value for name, value in options.items()}
    text = json.dumps({"ask": "curve", "command": command, "options": said, "over": over, "values": values})
    *points, last = told(text)
    assert last == {"last": True, "points": len(values)}
    return [message["point"] for message in points]
