"""Answers in one or two plain sentences, for people who will not read a table. Nothing is computed here."""

from __future__ import annotations

from typing import Any


def sentence(command: str, answer: Any) -> str:
    """What the answer of a command says."""
    return ""
