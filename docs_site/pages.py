"""All pages of the site by their place: written by hand, taken from the repository, or generated."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from bounds.registry import all_theorems
from docs_site.benchmark_page import benchmark_page
from docs_site.command_page import command_reference
from docs_site.examples import with_output
from docs_site.github_markdown import for_python_markdown
from docs_site.house_page import house_page
from docs_site.ledger_pages import address, claim_page, ledger_index, ledger_page, papers, tombstone_page
from docs_site.performance_page import performance_page
from docs_site.quotations import with_formulas
from docs_site.site_map import SiteMap, repository_files
from docs_site.theorem_pages import theorem_index, theorem_page
from verify.graph import graph_of
from verify.ledger import all_claims, all_withdrawn

ROOT = Path(__file__).resolve().parent.parent
_ADDING = ("## How to add a theorem", "## How to add a claim", "## How to add a paper")
_SINGLE = {"README.md": "index.md", "CONTRIBUTING.md": "layout.md", "CHANGELOG.md": "changelog.md"}


def _read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


@cache
def site_map() -> SiteMap:
    """Where every file goes; proof pages become pages of theorems."""
    places = dict(_SINGLE)
    places |= {path: Path(path).name for path in repository_files(ROOT, "docs", "*.md")}
    places |= {path: f"theorems/{Path(path).name}" for path in repository_files(ROOT, "docs/proofs", "*.md")}
    places |= {path: path.removeprefix("docs/") for path in repository_files(ROOT, "docs/errata", "**/*.md")}
    places |= {"docs/proofs/README.md": "theorems/proofs.md", "docs/proofs": "theorems/proofs.md"}
    places |= {path: path.removeprefix("docs/") for path in _other_files()}
    ids = {name: f"theorems/{name}.md" for name in all_theorems()}
    names = [claim.id for claim in all_claims()] + [stone.id for stone in all_withdrawn()]
    ids |= {name: address(name) for name in names}
    return SiteMap(places, ids)


def _other_files() -> list[str]:
    """Pictures and examples that pages refer to."""
    return [
        path
        for path in repository_files(ROOT, "docs", "**/*")
        if not path.endswith((".md", ".pyc")) and "__pycache__" not in path
    ]


def copied_files() -> dict[str, Path]:
    """Files that are copied unchanged, by their place on the site."""
    files = {path.removeprefix("docs/"): ROOT / path for path in _other_files()}
    return files | {f"assets/{path.name}": path for path in sorted((ROOT / "docs_site" / "assets").iterdir())}


def all_pages(*, run_commands: bool = True) -> dict[str, str]:
    """Every page as Markdown; without `run_commands` the commands on pages are not run, for tests."""
    pages = _from_the_repository() | _generated()
    for path in sorted((ROOT / "docs_site" / "by_hand").glob("*.md")):
        text = path.read_text(encoding="utf-8")
        pages[path.name] = with_output(text, ROOT) if run_commands else text
    return {place: for_python_markdown(text) for place, text in sorted(pages.items())}


def _from_the_repository() -> dict[str, str]:
    pages = {}
    for source, place in site_map().places.items():
        if source.endswith(".md") and source not in ("README.md", "CONTRIBUTING.md"):
            text = with_formulas(_read(source)) if source.startswith("docs/errata/") else _read(source)
            pages[place] = site_map().rewritten(text, source, place)
    guide = site_map().rewritten(_read("CONTRIBUTING.md"), "CONTRIBUTING.md", "layout.md")
    sections = re.split(r"^(?=## )", guide, flags=re.MULTILINE)
    adding = [section for section in sections if section.startswith(_ADDING)]
    if len(adding) != len(_ADDING):
        raise ValueError("CONTRIBUTING.md has lost a section that the site shows on a page of its own")
    pages["adding.md"] = "# How to add a theorem, a claim or a paper\n\n" + "".join(adding)
    pages["layout.md"] = "".join(section for section in sections if section not in adding)
    return pages


def _generated() -> dict[str, str]:
    theorems = tuple(all_theorems().values())
    claims = all_claims()
    proofs = {Path(path).stem: _read(path) for path in repository_files(ROOT, "docs/proofs", "*.md")}
    pages = {
        "theorems/index.md": theorem_index(theorems),
        "commands.md": command_reference(),
        "performance.md": performance_page(ROOT / "benchmarks"),
        "benchmark.md": benchmark_page(),
        "house.md": house_page(ROOT),
        "ledger/index.md": ledger_index(claims),
    }
    for paper in papers(claims):
        pages[f"ledger/{paper}.md"] = ledger_page(paper, claims, all_withdrawn())
    graph = graph_of(claims)
    pages |= {address(claim.id): with_formulas(claim_page(claim, graph, frozenset(all_theorems()))) for claim in claims}
    pages |= {address(stone.id): tombstone_page(stone, graph.claims) for stone in all_withdrawn()}
    for theorem in theorems:
        place = f"theorems/{theorem.id}.md"
        text = theorem_page(theorem, claims, proofs)
        pages[place] = site_map().with_statements(text, place)
    return pages
