"""Exact vertices; `round_rows` is found here, too."""

from __future__ import annotations

from lp.rounding import round_rows

__all__ = ["round_rows"]
