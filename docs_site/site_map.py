"""Where the files of the repository go on the site, with links between pages rewritten accordingly.

A link to a file that is not on the site becomes its path in the repository, as code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath

from docs_site.text import outside_fences

_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\\.|\[[^\]]*\])*)\]\(([^()\s]+)\)")
_ID = re.compile(r"(?<![\[`])`([a-z]+\d*\.[\w.'-]+)`(?![\]`])")


@dataclass(frozen=True)
class SiteMap:
    """Places of pages: `places` from repository paths to site paths, `ids` from names of statements to site links."""

    places: dict[str, str]
    ids: dict[str, str]

    def rewritten(self, text: str, source: str, place: str) -> str:
        """A page of the repository as it is on the site."""
        return outside_fences(text, lambda line: self._line(line, source, place))

    def with_statements(self, text: str, place: str) -> str:
        """A page made for the site, whose links are right already, with names of theorems and claims as links."""
        return outside_fences(text, lambda line: line if line.startswith("#") else self._statements(line, place))

    def _line(self, line: str, source: str, place: str) -> str:
        line = self._links(line, source, place)
        return line if line.startswith("#") else self._statements(line, place)

    def _links(self, line: str, source: str, place: str) -> str:
        def moved(found: re.Match[str]) -> str:
            picture, label, target = found.groups()
            if re.match(r"[a-z]+:|#|//", target):
                return found.group()
            path, _, anchor = target.partition("#")
            wanted = normpath((PurePosixPath(source).parent / path).as_posix())
            if wanted not in self.places:
                return label if f"`{wanted}`" in label else f"{label} (`{wanted}`)"
            link = relpath(self.places[wanted], PurePosixPath(place).parent.as_posix())
            return f"{picture}[{label}]({link}{'#' + anchor if anchor else ''})"

        return _LINK.sub(moved, line)

    def _statements(self, line: str, place: str) -> str:
        """Names of theorems and claims, in code, lead to their pages."""

        def linked(found: re.Match[str]) -> str:
            target = self.ids.get(found.group(1))
            if target is None or target == place:
                return found.group()
            page, _, anchor = target.partition("#")
            link = relpath(page, PurePosixPath(place).parent.as_posix())
            return f"[{found.group()}]({link}{'#' + anchor if anchor else ''})"

        return _ID.sub(linked, line)


def repository_files(root: Path, folder: str, pattern: str) -> list[str]:
    """Paths of files, relative to the repository."""
    return sorted(path.relative_to(root).as_posix() for path in (root / folder).glob(pattern) if path.is_file())
