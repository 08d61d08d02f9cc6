"""The order of the pages. A page of docs/ that is not placed here is added automatically, so that none is forgotten."""

from __future__ import annotations

from typing import Any

from bounds.registry import all_theorems
from docs_site.ledger_pages import CLAIMS
from docs_site.text import first_heading

_START = (
    "start.md",
    "steward.md",
    "data-scientist.md",
    "researcher.md",
    "reviewer.md",
    "questions.md",
    "calculator.md",
    "guide.md",
    "words.md",
)
_GUIDES = (
    "planning.md",
    "private-tables.md",
    "methods-compared.md",
    "synthesis.md",
    "schema.md",
    "public-schema.md",
    "large-tables.md",
    "releases.md",
    "training.md",
    "regression.md",
    "improve.md",
    "infer.md",
    "certify.md",
    "certify-planning.md",
    "confirm.md",
    "any-model.md",
    "evaluate.md",
    "reports.md",
    "accounts.md",
    "audits.md",
    "spreading.md",
    "local-page.md",
    "guided-app.md",
)
_PAPERS = ("errata/index.md", "formal-proofs.md", "editions.md", "ledger/index.md")
_MOVED = ("errata.md",)
"""Pages that only refer to others: not in the navigation."""
_TRUST = ("trust.md", "threat-model.md", "certificates.md", "benchmark.md", "performance.md")
_REFERENCE = ("commands.md", "python.md", "json.md")
_DEVELOP = ("house.md", "adding.md", "layout.md", "publishing.md", "changelog.md")
_TITLES = {"certificates.md": "Certificate files", "layout.md": "Layout and style"}
"""For pages whose first heading names only a part of them."""


def navigation(pages: dict[str, str]) -> list[dict[str, Any]]:
    """The navigation for mkdocs; every page is in it once, except claims and letters, to which lists lead."""

    def entries(*places: str) -> list[dict[str, Any]]:
        return [{_TITLES.get(place) or first_heading(pages[place]): place} for place in places]

    def keys(*places: str) -> list[dict[str, Any]]:
        return [{first_heading(pages[place]).partition(":")[0]: place} for place in places]

    ledgers = [place for place in pages if _is_in(place, "ledger")]
    errata = [place for place in pages if _is_in(place, "errata")]
    placed = {"index.md", *_START, *_GUIDES, *_PAPERS, *_TRUST, *_REFERENCE, *_DEVELOP, *ledgers, *errata}
    others = [
        place for place in pages if place not in placed and not place.startswith("theorems/") and not is_off(place)
    ]
    return [
        {"Home": "index.md"},
        {"Start": entries(*_START)},
        {"Guides": entries(*_GUIDES, *others)},
        {"Theorems": _theorems(pages)},
        {"Papers": [*entries(*_PAPERS), {"Errata": keys(*errata)}, {"Claims": entries(*ledgers)}]},
        {"Trust": entries(*_TRUST)},
        {"Reference": entries(*_REFERENCE)},
        {"Contribute": entries(*_DEVELOP)},
    ]


def is_off(place: str) -> bool:
    """Whether a page is left out of the navigation, which every page contains."""
    return place in _MOVED or place.startswith((f"{CLAIMS}/", "errata/letters/"))


def _is_in(place: str, folder: str) -> bool:
    return place.startswith(f"{folder}/") and place != f"{folder}/index.md" and not is_off(place)


def _theorems(pages: dict[str, str]) -> list[dict[str, Any]]:
    known = all_theorems()
    found: list[dict[str, Any]] = [{"All theorems": "theorems/index.md"}, {"All proofs": "theorems/proofs.md"}]
    for paper in sorted({theorem.citation.paper for theorem in known.values()}):
        ours = [name for name, theorem in known.items() if theorem.citation.paper == paper]
        found.append({paper: [{name.partition(".")[2]: f"theorems/{name}.md"} for name in ours]})
    listed = {"theorems/index.md", "theorems/proofs.md", *(f"theorems/{name}.md" for name in known)}
    more = [place for place in pages if place.startswith("theorems/") and place not in listed]
    found.append({"Further proofs": [{first_heading(pages[place]).partition(":")[0]: place} for place in more]})
    return found
