"""Every number that a proof page shows as computed or measured is tied to its source, and is what the source says.

Constants of statements and proofs are not asked for: they are proved there, and the code that has them is mutated by
tests/bounds/test_corpus.py. The sections on numbers and on what was checked are.
"""

from __future__ import annotations

import importlib
import re
from functools import cache

import pytest

from tests.pages.quoted import ROOT, Page, check_page, text_of

SOURCES = sorted(path.stem for path in (ROOT / "tests" / "pages").glob("quoted_proofs_*.py"))
SECTIONS = re.compile(r"^## (?:Numbers|Numerically checked)\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
PROOFS = sorted(path.stem for path in (ROOT / "docs" / "proofs").glob("*.md"))


def test_there_are_sources() -> None:
    assert len(SOURCES) > 10


@cache
def pages() -> dict[str, Page]:
    found: dict[str, Page] = {}
    for source in SOURCES:
        ours: dict[str, Page] = importlib.import_module(f"tests.pages.{source}").PAGES
        assert not found.keys() & ours.keys()
        found |= ours
    return found


def shown(name: str) -> str:
    """What the page says in the sections that show numbers."""
    return "\n\n".join(SECTIONS.findall(text_of(f"docs/proofs/{name}.md")))


@pytest.mark.parametrize("name", PROOFS)
def test_numbers_of_proof_pages_are_what_their_sources_say(name: str) -> None:
    check_page(shown(name), pages().get(name, Page()))


def test_there_is_no_source_without_a_page() -> None:
    assert pages().keys() <= set(PROOFS)
