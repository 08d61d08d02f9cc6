"""`python -m docs_site.numbers [--check] [PAGE ...]`: write the numbers of pages anew, or list those that differ.

The exit code is 1 where something is not as it should be, and is left to an author.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from docs_site.numbers.marks import read, rewritten, untied
from docs_site.numbers.names import ROOT
from docs_site.numbers.pages import all_pages, parts


def problems(path: Path, *, check: bool) -> list[str]:
    """What is wrong with a page, a line each; what the marks know is written anew unless it is only looked at."""
    text = path.read_text(encoding="utf-8")
    reading = read(text)
    name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    found = [
        f"{name}:{text.count(chr(10), 0, one.start) + 1}: {one.shown}: {one.why}"
        for one in reading.differences
        if check or one.wanted is None
    ]
    for one in untied(text, reading.tied, parts(path, text)):
        around = " ".join(text[max(0, one.start - 30) : one.end + 30].split())
        found.append(f"{name}:{text.count(chr(10), 0, one.start) + 1}: {one.text}: tied to nothing: {around}")
    if not check and (new := rewritten(text, reading.differences)) != text:
        path.write_text(new, encoding="utf-8")
        print(f"{name}: written anew")
    return found


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m docs_site.numbers", description="Write numbers of pages anew.")
    parser.add_argument("--check", action="store_true", help="list what differs, and write nothing")
    parser.add_argument("page", nargs="*", type=Path, help="pages (default: all)")
    options = parser.parse_args(arguments)
    pages = [path.resolve() for path in options.page] or list(all_pages())
    found = [line for path in pages for line in problems(path, check=options.check)]
    print("\n".join(found) if found else f"{len(pages)} pages: every number is what its mark says")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
