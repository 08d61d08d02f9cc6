"""Questions that no one should ask, at the page's only entry point."""

from __future__ import annotations

import json
import random
import time

from synthbounds.web.engine import respond
from tests.fuzz.judging import CODES, Verdict
from tests.synthbounds.web.fuzz import text_of


def door_case(draws: random.Random) -> Verdict:
    """Every question has answers of JSON, of which the last one is marked, and none is a bug."""
    text, faults, code = text_of(draws), [], 0
    start = time.process_time()
    try:
        messages = [json.loads(message) for message in respond(text)]
    except Exception as error:
        return Verdict(70, (f"an exception came out: {error!r}",), time.process_time() - start)
    seconds = time.process_time() - start
    if not messages or [message.get("last") for message in messages] != [False] * (len(messages) - 1) + [True]:
        faults.append("not the last answer is marked as the last")
    else:
        code = messages[-1].get("exit_code", 0)
        error = messages[-1].get("error") or ""
        if code not in CODES or "Traceback" in error or "\n" in error:
            faults.append(f"exit {code}: {error[:300]}")
    return Verdict(code, tuple(faults), seconds)
