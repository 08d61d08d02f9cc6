"""How answers of one type are shown: which document, which JSON, and what a frame and a picture take from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from bounds.shown import Asked
from synthbounds.showing.beside import Arguments, alone


@dataclass(frozen=True)
class Form:
    """How answers of one type are shown; functions are named, and imported when needed."""

    command: str
    """Empty if no command prints it: then its JSON is that of the file."""
    document: str
    payload: str
    document_of: Arguments = alone
    """What the document is made from: the answer, and what the command has next to it."""
    payload_of: Arguments | None = None
    """The same for JSON, if it differs."""
    more_of: Callable[[Any], tuple[Any, ...]] | None = None
    """What the command also computes for its JSON; left out in a sweep of many answers."""
    rows: str = ""
    """The list in the JSON that a frame shows, as a dotted path."""
    picture: str = ""
    """For the rows: a function of `pictures`, and the columns that it takes."""
    precision: str = ""
    """Where the answer says with how many bits it was computed, as a dotted path."""
    uses_ledger: bool = True
    names_files: bool = False
    """Files that are read are among the inputs."""

    def blocks(self, answer: Any, asked: Asked | None) -> Any:
        return _function(self.document)(*self.document_of(answer, asked))

    def body(self, answer: Any, asked: Asked | None, *, whole: bool = True) -> dict[str, Any]:
        more = self.more_of(answer) if whole and self.more_of is not None else ()
        arguments = (self.payload_of or self.document_of)(answer, asked)
        found: dict[str, Any] = _function(self.payload)(*arguments, *more)
        return found


def _function(name: str) -> Callable[..., Any]:
    module, _, function = name.rpartition(".")
    home = module if "." in module else f"synthbounds.render.{module}"
    found: Callable[..., Any] = getattr(import_module(home), function)
    return found
