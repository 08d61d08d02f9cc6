"""The built site, checked offline: links and anchors lead somewhere, nothing is fetched, no formula is left as text.

External links are listed, not followed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}
_NOT_LOADED = {"canonical", "next", "prev", "alternate"}
_NOT_PROSE = {"code", "pre", "script", "style", "title"}
_LEFT_OVER = re.compile(r"\$\S[^$]*\$|\\[()\[\]]|\\(?:frac|le|ge|sum)(?![a-zA-Z])")


@dataclass
class _Page(HTMLParser):
    """What one page defines, links to and loads."""

    ids: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids |= {given[name] for name in ("id", "name") if given.get(name)}
        self._silent += tag in _NOT_PROSE
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        elif tag in _LOADED and given.get(_LOADED[tag]) and given.get("rel") not in _NOT_LOADED:
            self.loaded.append(given[_LOADED[tag]])

    def handle_endtag(self, tag: str) -> None:
        self._silent -= tag in _NOT_PROSE

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.prose.append(data)


@dataclass(frozen=True)
class Report:
    """What was found."""

    pages: int
    links: int
    broken: tuple[str, ...]
    external: tuple[str, ...]


def check_site(site: Path) -> Report:
    """Every page of a built site."""
    pages = {path: _read(path) for path in sorted(site.rglob("*.html"))}
    broken: list[str] = []
    external: set[str] = set()
    count = 0
    for path, page in pages.items():
        where = path.relative_to(site).as_posix()
        if where == "404.html":  # its links begin at the root of a server
            continue
        for link in page.links:
            count += 1
            if urlsplit(link).scheme or link.startswith("//"):
                external.add(link)
            elif problem := _problem(link, path, site, pages):
                broken.append(f"{where}: {link}: {problem}")
        for link in page.loaded:
            count += 1
            if link.startswith("data:"):
                continue
            if urlsplit(link).scheme or link.startswith("//"):
                broken.append(f"{where}: loads {link} from elsewhere")
            elif problem := _problem(link, path, site, pages):
                broken.append(f"{where}: {link}: {problem}")
        for text in page.prose:
            if left := _LEFT_OVER.search(text):
                broken.append(f"{where}: a formula was left as text: {left.group()[:60]}")
    return Report(len(pages), count, tuple(broken), tuple(sorted(external)))


def _read(path: Path) -> _Page:
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    page.close()
    return page


def _problem(link: str, page: Path, site: Path, pages: dict[Path, _Page]) -> str:
    parts = urlsplit(link)
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page.resolve()
    if target.is_dir():
        target = target / "index.html"
    if not target.is_relative_to(site.resolve()):
        return "leads out of the site"
    if not target.is_file():
        return "no such file"
    anchor = unquote(parts.fragment)
    known = pages.get(site / target.relative_to(site.resolve()))
    if anchor and known is not None and anchor not in known.ids and anchor != "__top":
        return "no such anchor"
    return ""
