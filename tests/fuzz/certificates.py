"""Changed certificates: what is accepted must be true, and say one thing to every reader of JSON."""

from __future__ import annotations

import json
import random
import re
import time
from collections.abc import Callable
from typing import Any

from bounds.approximation.approximation_certificate import digest
from bounds.errors import DataError
from synthbounds.api.proofs import check_text
from tests.fuzz.files import PIECES
from tests.fuzz.judging import Verdict
from tests.verify.certificate_mutations import FOLDER, KINDS, QUICK, Mutant, mutant, stored
from tests.verify.certificate_truth import approximation_is_true, density_is_true, model_is_true
from tests.verify.score_truth import scores_are_true

TRUE: dict[str, Callable[[dict[str, Any]], bool]] = {
    "approximation": approximation_is_true,
    "density": density_is_true,
    "model": model_is_true,
    "scores": scores_are_true,
}
ACCEPTED, REJECTED, NO_JSON = 0, 1, 3
_PARTS = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s"]+')
_ASKED_BEFORE = 20_000
"""Tests have the certificates of smaller numbers."""


def certificate_case(draws: random.Random, number: int) -> Verdict:
    """A certificate that is changed as a value, or as text."""
    kind = KINDS[number % len(KINDS)]
    changed = _changed_text(kind, draws) if draws.randrange(3) == 0 else mutant(kind, _ASKED_BEFORE + number)
    start = time.process_time()
    try:
        accepted = check_text(changed.text).valid
    except DataError:
        return Verdict(NO_JSON, (), time.process_time() - start)
    seconds = time.process_time() - start
    if not accepted:
        return Verdict(REJECTED, (), seconds)
    return Verdict(ACCEPTED, tuple(wrongs(kind, changed)), seconds)


def wrongs(kind: str, accepted: Mutant) -> list[str]:
    """What should have kept it from being accepted."""
    found = []
    if accepted.malformed:
        found.append(f"{accepted.name} is malformed, and accepted")
    if not is_canonical(accepted.text):
        found.append(f"{accepted.name} can be read in two ways, and is accepted")
    elif not TRUE[kind](json.loads(accepted.text)):
        found.append(f"{accepted.name} is false, and accepted")
    return found


def is_canonical(text: str) -> bool:
    """What is read and written again is the same, but for white space and escapes in texts.

    No key stands twice then, and no number is spelled in another way than Python and everybody else would write it.
    """
    parts = [json.dumps(json.loads(part)) if part.startswith('"') else part for part in _PARTS.findall(text)]
    return "".join(parts) == json.dumps(json.loads(text), separators=(",", ":"))


def _changed_text(kind: str, draws: random.Random) -> Mutant:
    """A piece of JSON more or less somewhere, with the fingerprint that the rest then has."""
    names = [f"{kind}_{name}" for name in QUICK[kind]] if kind in QUICK else stored(kind)
    name = draws.choice(names)
    text = (FOLDER / f"{name}.json").read_text(encoding="utf-8")
    for _ in range(draws.choice((1, 1, 2))):
        place = draws.randrange(len(text))
        piece = draws.choice((*PIECES[:24], *"0123456789", text[place - 1 : place + draws.randrange(30)]))
        text = text[:place] + piece + text[place + draws.choice((0, 1)) :]
    try:
        body = json.loads(text)
        if "sha256" in body:
            old = body.pop("sha256")
            text = text.replace(str(old), digest(body))
    except (ValueError, TypeError, RecursionError):
        pass
    return Mutant(name, text, malformed=False)
