"""An engine that misbehaves as told, to see what the server does. Answers name the process that gave them."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator

from synthbounds.web.engine_child import answer_lines

GIGABYTE = 2**30


def respond(text: str) -> Iterator[str]:
    asked = json.loads(text)
    match asked.get("do"):
        case "hold":
            threading.Event().wait()
        case "spin":  # as a computation in C does that lets no other thread run
            sys.setswitchinterval(10**6)
            while True:
                pass
        case "abort":
            os.kill(os.getpid(), signal.SIGABRT)
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "leave":
            os._exit(3)
        case "fill":
            try:
                bytearray(2 * GIGABYTE)
            except MemoryError:
                yield json.dumps({"last": True, "exit_code": 7, "error": "full"})
                return
        case "print":
            print("not an answer")
            os.write(1, b"nor this\n")
        case "points":
            for x in range(asked["count"]):
                yield json.dumps({"last": False, "point": {"x": x}})
    yield json.dumps({"last": True, "exit_code": 0, "error": None, "pid": os.getpid(), "asked": asked})


if __name__ == "__main__":
    while "STARTS_WITH" in os.environ and not os.path.exists(os.environ["STARTS_WITH"]):
        time.sleep(0.01)
    answer_lines(respond, most_bytes=GIGABYTE)
