"""Data, randomness and the algorithm itself: from a table and its public schema to a private synthetic table.

`lp.synthesize` runs it on records given as codes; everything heavy is imported on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lp.synthesis.ask import synthesize

__all__ = ["synthesize"]


def __getattr__(name: str) -> Any:
    if name == "synthesize":
        from lp.synthesis.ask import synthesize

        return synthesize
    raise AttributeError(f"module 'lp' has no attribute {name!r}")
