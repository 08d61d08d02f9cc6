"""What tells one release from another: its table, method, budget, account and time, from what is kept next to it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ACCOUNT_SUFFIX = ".account.json"


def now() -> str:
    """Day and time, as orders have it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def facts_of(order: dict[str, Any], order_file: Path, method: object) -> dict[str, str | None]:
    """`method` is what the answer names, if it does; an order without its time was written when its file was."""
    listed = order.get("arguments")
    words = [str(word) for word in listed] if isinstance(listed, list) else []
    account, begun = order.get("account"), order.get("begun")
    if begun is None:
        begun = datetime.fromtimestamp(order_file.stat().st_mtime, UTC).isoformat(timespec="seconds")
    at = 2 if words[:1] == ["release"] else 1
    kind = words[at - 1] if words else None
    said = _after(words, "--method") if kind == "synth" else "question" if kind == "confirm" else kind
    return {
        "table": words[at] if len(words) > at else None,
        "method": method if isinstance(method, str) else said,
        "epsilon": _after(words, "--epsilon"),
        "dp_delta": _after(words, "--dp-delta"),
        "account": None if account is None else str(account).removesuffix(ACCOUNT_SUFFIX),
        "begun": str(begun),
    }


def _after(words: Sequence[str], option: str) -> str | None:
    """The value of an option."""
    for place, word in enumerate(words):
        if word == option:
            return words[place + 1] if place + 1 < len(words) else None
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
    return None
