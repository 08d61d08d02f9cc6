"""What every sheet has, whoever built it: the warnings of the run, the command, and the whole answer at its end."""

from __future__ import annotations

from dataclasses import replace

from synthbounds.render.document import Document, Stamp, Title
from synthbounds.report.sheet import Cautions, Details, Part, Sheet


def plain_sheet(document: Document) -> Sheet:
    """Only the answer, for kinds of answers that have no sheet of their own."""
    title = next((block for block in document if isinstance(block, Title)), Title("Report"))
    stamp = next((block.text for block in document if isinstance(block, Stamp)), None)
    return Sheet(title.text, title.subtitle, (Details(document),), stamp=stamp)


def with_warnings(sheet: Sheet, warnings: tuple[str, ...], *, command: str, inputs: dict[str, str]) -> Sheet:
    """The sheet with the warnings of the command line, first among what must not be concluded."""
    said = tuple(_sentence(warning) for warning in warnings if warning != sheet.stamp)
    parts: list[Part] = [Cautions((*said, *part.items)) if isinstance(part, Cautions) else part for part in sheet.parts]
    if said and not any(isinstance(part, Cautions) for part in parts):
        place = next((i for i, part in enumerate(parts) if isinstance(part, Details)), len(parts))
        parts.insert(place, Cautions(said))
    return replace(sheet, parts=tuple(parts), command=command, inputs=inputs)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")
