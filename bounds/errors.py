"""One tree of errors, each with the exit code the command line returns for it.

Every message is one line that names the parameter, its value, what is allowed and why.
"""

from __future__ import annotations

OUR_BUG, INTERRUPTED = 70, 130
"""Exit codes for what is not the user's error: an unforeseen failure, and a signal."""


class SynthboundsError(Exception):
    """Any failure that is explained to the user in one line."""

    exit_code = OUR_BUG


class UsageError(SynthboundsError):
    """The call itself is wrong: unknown option, missing or contradictory arguments."""

    exit_code = 2


class ParameterError(UsageError):
    """A parameter has a value that is allowed nowhere."""

    def __init__(self, name: str, value: object, allowed: str, reason: str = "") -> None:
        self.name, self.value, self.allowed, self.reason = name, value, allowed, reason
        shown = shorten(str(value))
        message = f"{name} = {shown}: must be {allowed}"
        super().__init__(f"{message} ({reason})" if reason else message)

    def __reduce__(self) -> tuple[type[ParameterError], tuple[str, str, str, str]]:
        """So that it comes back from another process unchanged."""
        return ParameterError, (self.name, str(self.value), self.allowed, self.reason)


class BudgetError(UsageError):
    """A privacy budget does not have what was asked for; nothing was spent."""


class DataError(SynthboundsError):
    """An input table cannot be read or is not what it should be."""

    exit_code = 3


class DeclaresTooLittle(DataError):
    """A schema about which nothing can be asked: it has no columns, or one of them has a single value."""

    exit_code = 2


class NotApplicable(SynthboundsError):
    """The parameters are legal, but the theorem does not cover them or no finite answer exists."""

    exit_code = 4


class NotCertified(SynthboundsError):
    """The highest precision did not decide the question."""

    exit_code = 5


class OutputError(SynthboundsError):
    """The answer could not be written."""

    exit_code = 6


class WorkersLost(SynthboundsError):
    """The workers cannot be reached, have another version, or were ended; finished work is in the store."""

    exit_code = 6


class OutOfMemory(SynthboundsError):
    """The machine does not have the memory that the answer needs."""

    exit_code = 7


FOR_WANT_OF_MEMORY = {-6: "a library", -9: "the system"}
"""What ends a process by SIGABRT or SIGKILL: if nobody else did, memory had usually run out."""


class Unforeseen(SynthboundsError):
    """An unforeseen failure, reported only by its type if its text could show data."""


def printable(text: str) -> str:
    """The text as a terminal may show it: no control character is obeyed, and nothing is hidden.

    >>> printable("a" + chr(27) + "[2J")
    'a\\\\x1b[2J'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def shorten(text: str, most: int = 60) -> str:
    """Keep an echoed value on one readable line."""
    return printable(text) if len(text) <= most else f"{printable(text[: most - 12])}... ({len(text)} characters)"


def how_to_install(extra: str) -> str:
    """What to type if a part of the tool needs packages that were left out."""
    return f"pip install 'synthbounds[{extra}]', or pip install '.[{extra}]' in a checkout"


FILES = {f"synthbounds_{kind}": f"a {kind}" for kind in ("model", "query", "release", "schema")}
FILES["synthbounds_account"] = "an account"
"""Our kinds of files, by the field that identifies each: for readers that were given another kind."""
