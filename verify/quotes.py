"""Whether the words that a claim quotes are in the text of its paper.

The texts are not part of the project. They are identified by their digest, and looked for in the folder named by the
variable SYNTHBOUNDS_PAPERS, or in ../shared/seeds. Our own statements are quoted from the proof pages.
"""

from __future__ import annotations

import os
import re
import unicodedata
from functools import cache
from hashlib import sha256
from pathlib import Path

from bounds.papers import PAPERS
from verify.claim import Claim, Lost

MOST_WORDS = 25
_GAP = "[...]"
_LONGEST_GAP = 2_000
"""In letters and digits: the words that a quotation omits are close to those it keeps."""
_MARK = re.compile("<!--.*?-->", re.DOTALL)
"""Says where a number comes from; not visible on the page."""
_HOME = Path(__file__).resolve().parents[1]


@cache
def text_of(paper: str) -> str | None:
    """The text of a paper as it was read, folded; None if it is not available."""
    if not PAPERS[paper].text_digest:
        pages = sorted((_HOME / "docs" / "proofs").glob("*.md"))
        text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
        return folded(_MARK.sub("", text)) if pages else None
    content = _texts().get(PAPERS[paper].text_digest)
    return None if content is None else folded(content)


@cache
def _texts() -> dict[str, str]:
    folder = Path(os.environ.get("SYNTHBOUNDS_PAPERS") or _HOME.parent / "shared" / "seeds")
    found = {}
    for path in sorted(folder.glob("*.txt")) if folder.is_dir() else ():
        content = path.read_bytes()
        found[sha256(content).hexdigest()] = content.decode(errors="replace")
    return found


def folded(text: str) -> str:
    """Only letters and digits, in lower case: hyphens, spaces, mark-up and typography vary with the extraction."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text).lower())


def stands_in(quote: str, text: str) -> bool:
    """Whether the parts of a quotation are in a folded text, in order and close to each other."""
    parts = [folded(part) for part in quote.split(_GAP)]
    if not all(parts):
        return False
    starts = [match.start() for match in re.finditer(re.escape(parts[0]), text)]
    return any(_follow(parts, text, start) for start in starts)


def _follow(parts: list[str], text: str, start: int) -> bool:
    end = start + len(parts[0])
    for part in parts[1:]:
        found = text.find(part, end, end + _LONGEST_GAP + len(part))
        if found < 0:
            return False
        end = found + len(part)
    return True


def words(quote: str) -> int:
    return len(quote.replace(_GAP, " ").split())


def is_quoted(claim: Claim) -> bool | None:
    """Whether the claim's words are in its paper; None if the text is not available or the quotation is lost."""
    if isinstance(claim.quote, Lost):
        return None
    text = text_of(claim.paper)
    return None if text is None else words(claim.quote) <= MOST_WORDS and stands_in(claim.quote, text)
