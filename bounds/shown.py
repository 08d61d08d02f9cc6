"""How Python and a notebook show an answer: in one line, as a table, as JSON, as a frame, as a picture.

Answers are made in every package, but their words belong to the front end, which is above all of them: an answer
inherits from `Shown`, and `synthbounds`, when it is imported, says which module has the words. Without it an answer
shows only its name.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from bounds.errors import UsageError

if TYPE_CHECKING:
    from types import ModuleType
    from typing import Self

Item = TypeVar("Item", covariant=True)

_words: list[str] = []


def words_are_in(module: str) -> None:
    """Let answers show themselves by the functions of this module, which is imported when one is first shown."""
    _words[:] = [module]


def _words_of(answer: Shown) -> ModuleType:
    if not _words:
        raise UsageError(f"{type(answer).__name__} cannot be shown as text yet: import synthbounds first")
    return import_module(_words[0])


class Asked:
    """How an answer was asked for: the function, the arguments as text, and the public things given with them."""

    __slots__ = ("beside", "function", "said")

    def __init__(self, function: str, said: dict[str, str], beside: dict[str, Any]) -> None:
        self.function, self.said, self.beside = function, said, beside


class Shown:
    """The behaviour of every answer; a class that inherits it needs no `__repr__` of its own."""

    _asked: Asked | None = None

    def __init_subclass__(cls, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        if "__repr__" not in cls.__dict__:  # defined before the decorator of a dataclass, which then writes none
            cls.__repr__ = Shown.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        return str(_words_of(self).line(self)) if _words else f"<{type(self).__name__}>"

    def _repr_html_(self) -> str | None:
        """A table in the words of the command, for notebooks; every text is escaped."""
        found: str | None = _words_of(self).html(self)
        return found

    def _repr_latex_(self) -> str | None:
        """The numbers or formulas that were asked for, if there are any."""
        found: str | None = _words_of(self).latex(self)
        return found

    def to_dict(self) -> dict[str, Any]:
        """The object that the command prints with `--format json`; a file that was not written is None."""
        found: dict[str, Any] = _words_of(self).to_dict(self)
        return found

    def to_frame(self) -> Any:
        """A pandas DataFrame: of the answer's rows if it has some, else of its numbers in one row."""
        return _words_of(self).table(self).to_frame()

    def plot(self, **how: Any) -> Any:
        """The rows drawn with matplotlib; the axes are returned, and `ax=` gives axes to draw on."""
        return _words_of(self).plot(self, **how)

    def _noted(self, asked: Asked) -> Self:
        """Remember how it was asked for, which is not part of its value: two answers stay equal."""
        object.__setattr__(self, "_asked", asked)
        return self


class Rows(tuple[Item, ...], Shown):
    """Answers side by side: a tuple that shows itself as the one table that they are."""

    of: type
    """The class of its items, even if it is empty."""

    def __new__(cls, items: Iterable[Item], of: type) -> Self:
        rows = super().__new__(cls, items)
        rows.of = of
        return rows

    def __reduce__(self) -> Any:
        return _rows, (tuple(self), self.of, self._asked)


def _rows(items: tuple[Any, ...], of: type, asked: Asked | None) -> Rows[Any]:
    """A pickled one again."""
    rows = Rows(items, of)
    return rows if asked is None else rows._noted(asked)
