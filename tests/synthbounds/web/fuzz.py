"""Random hostile requests in a process whose opened files, processes and sockets are watched: `... SEED COUNT`.

Prints one JSON object: how many requests ended with which exit code, and what should not have happened.
"""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from typing import Any

from synthbounds.api.commands import COMMANDS
from synthbounds.web.allowed import allowed
from tests.synthbounds.web.asking import RISK, SIZES, told

FORBIDDEN = ("subprocess.", "socket.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "pty.spawn")
CHANGING = ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.truncate", "shutil.", "tempfile.", "glob.glob")
MODULES = (".py", ".pyc", ".so", ".cfg", ".pth")
NAMES = ("/etc/passwd", "../../secret.csv", "release.json", "C:\\x", "file:///etc/hosts", "-", "|ls", "$(id)")
NUMBERS = ("0.2", "1", "2", "3", "10", "1/3", "0", "-1", "1e-6", "1e400", "1e-5000", "NaN", "inf", "0x10", "1_0", "1/0")
TEXTS = (
    "",
    " ",
    "é",
    "١٢",
    "\u202e1",
    "\ud800",
    "\x00",
    "a\nb",
    "9" * 199,
    "9" * 5000,
    "'; --",
    "%s",
    "{0}",
    "__class__",
)
WORDS = ("sharp", "printed", "uniform", "kde", "cells", "parities", "add-remove", "epsilon", "accuracy", "logistic")
SOUND: list[tuple[str, dict[str, Any]]] = [
    ("require", SIZES),
    ("require", {**SIZES, "p": "3", "edition": "printed"}),
    ("require", {"p": "4", "queries": "9", "epsilon": "1", "delta": "0.05", "gamma": "0.01", "dp-delta": "1e-6"}),
    ("risk", {**RISK, "n": "100000"}),
    ("approx", {"function": "exp(x)", "interval": "-1,1", "degree": "2", "method": "chebyshev"}),
    ("explain", {"id": "bojkovic2024.max-laplace"}),
    ("list", {}),
    ("cite", {"what": "zhou2024"}),
    ("certify", {"plan": True, "features": "3", "n": "1000", "epsilon": "1"}),
]
QUICK = (*SOUND[:3], *SOUND[6:8])
"""Asked more often than those that take longer."""


def anything(rng: random.Random, depth: int = 0) -> Any:
    """A value of any kind of JSON."""
    kind = rng.randrange(10)
    if kind < 5:
        return rng.choice((*NAMES, *NUMBERS, *TEXTS, *WORDS))
    if kind < 7:
        return rng.choice((None, True, False, 0, -1, 0.1, 10**30, 1e308))
    if depth > 2:
        return ""
    if kind == 7:
        return [anything(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {rng.choice((*NAMES, *WORDS)): anything(rng, depth + 1) for _ in range(rng.randrange(4))}


def asked(rng: random.Random) -> dict[str, Any]:
    """A sound question, with something wrong about it."""
    command, options = rng.choice(QUICK if rng.randrange(12) else SOUND)
    options = dict(options)
    known = [name for name in allowed()[command] if name not in ("degree", "features")]
    every = [parameter.option[2:] for declared in COMMANDS.values() for parameter in declared.parameters.values()]
    question: dict[str, Any] = {"ask": "answer", "command": command, "options": options}
    for _ in range(rng.randrange(3)):
        wrong = rng.randrange(8)
        if wrong == 0:
            options[rng.choice(every)] = rng.choice(NAMES)
        elif wrong == 1:
            options[rng.choice(every)[: rng.randrange(1, 6)]] = rng.choice(NUMBERS)
        elif wrong == 2:
            options[rng.choice(("__class__", "declared", "command", "--p", "p\x00", "P", "Ρ", "dp_delta"))] = "1"
        elif wrong == 3:
            options[rng.choice(list(options) or known)] = anything(rng)
        elif wrong == 4:
            options[rng.choice(known)] = rng.choice((*NAMES, *NUMBERS[5:], *TEXTS, *WORDS))
        elif wrong == 5:
            question[rng.choice(("ask", "command", "options", "over", "values", "extra"))] = anything(rng)
        elif wrong == 6:
            question |= {
                "ask": "curve",
                "over": rng.choice((*known, "plan", 3)),
                "values": [rng.choice(NUMBERS), anything(rng)],
            }
        else:
            question.pop(rng.choice(list(question)))
            break
    return question


def text_of(rng: random.Random) -> str:
    """A request as text, at times not even JSON."""
    text = json.dumps(asked(rng))
    spoilt = rng.randrange(16)
    if spoilt == 0:
        place = rng.randrange(len(text))
        return text[:place] + rng.choice('"{}[]\\,:0\x00é\n') + text[place + rng.randrange(3) :]
    if spoilt == 1:
        return text[: rng.randrange(len(text))]
    if spoilt == 2:
        return rng.choice(
            ("", "null", "NaN", "[" * 5000, '{"a":' * 3000, "9" * 10**5, '"' + "x" * 10**6, "\ufeff{}", "1" * 10**6)
        )
    return text


def main(seed: int, count: int) -> dict[str, Any]:
    rng = random.Random(seed)
    for command, options in SOUND:  # what is imported on first use is imported now
        told(json.dumps({"ask": "answer", "command": command, "options": options}))
    broken: list[str] = []
    watched = ["before"]

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open" and not str(arguments[0]).endswith(MODULES):
            broken.append(f"{watched[0][:300]}: opens {arguments[0]}")
        if event.startswith((*FORBIDDEN, *CHANGING)):
            broken.append(f"{watched[0][:300]}: {event}")

    sys.addaudithook(watch)
    codes: Counter[str] = Counter()
    for _ in range(count):
        watched[0] = text_of(rng)
        last = told(watched[0])[-1]
        codes[str(last.get("exit_code", "points"))] += 1
        if last.get("exit_code") == 70 or "Traceback" in str(last.get("error")):
            broken.append(f"{watched[0][:300]}: {last['error']}")
    watched[0] = "after"
    return {"codes": codes, "broken": list(broken)}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(int(sys.argv[1]), int(sys.argv[2]))))
