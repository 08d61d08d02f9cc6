"""The pages whose numbers have marks, and the parts of them in which every number needs one.

Of a proof page these are the sections that show numbers: constants of statements and proofs are proved there, and the
code that has them is mutated by tests/bounds/test_corpus.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from docs_site.numbers.names import ROOT

PROOFS = "docs/proofs"
GENERATED = ROOT / "docs" / "errata.md"
_SHOWING = re.compile(r"^## (?:Numbers|Numerically checked)\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)


def all_pages() -> Iterator[Path]:
    yield ROOT / "README.md"
    for folder in ("docs", "docs_site/by_hand", PROOFS):
        yield from (path for path in sorted((ROOT / folder).glob("*.md")) if path != GENERATED)


def parts(path: Path, text: str) -> list[tuple[int, int]]:
    """Where numbers must be tied to something."""
    if path.parent == ROOT / PROOFS:
        return [match.span() for match in _SHOWING.finditer(text)]
    return [(0, len(text))]
