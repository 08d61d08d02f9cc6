"""What a visitor sees before Python has started: the page's own first questions, answered when it is built."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

from docs_site.calculator.parts import run_tool
from synthbounds.web.engine import respond

_ASK = """
const { firstQuestions, questionKey } = await import(%s);
console.log(JSON.stringify(firstQuestions().filter(Boolean).map((question) => [questionKey(question), question])));
"""


def first_answers(folder: Path) -> str:
    """stored.json: by the key of a question its message, or all messages if it is a curve."""
    with tempfile.TemporaryDirectory() as scratch:  # node takes .js files for modules only if package.json says so
        for path in folder.glob("*.js"):
            shutil.copy(path, scratch)
        Path(scratch, "package.json").write_text('{"type": "module"}')
        script = _ASK % json.dumps(Path(scratch, "questions.js").as_uri())
        asked = json.loads(run_tool(["node", "--input-type=module", "--eval", script], "first questions unknown"))
    return json.dumps({key: _messages(question) for key, question in asked}, separators=(",", ":"))


def _messages(question: dict[str, object]) -> object:
    messages = [json.loads(message) for message in respond(json.dumps(question))]
    if messages[-1].get("error"):
        raise ValueError(f"a first question of the page is refused: {messages[-1]['error']}")
    return messages if question["ask"] == "curve" else messages[-1]
