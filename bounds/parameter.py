"""Parameters as a type: each declares its kind, choices, default, range and meaning once, for all uses.

Options, checks, help, pages and forms are made only from declarations; the one reader of numbers and the one check of
choices are here, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from enum import Enum
from fractions import Fraction
from typing import Literal, TypeAlias

from bounds.errors import ParameterError, UsageError

Kind: TypeAlias = Literal["rational", "integer", "choice", "text", "flag", "file", "list"]
"""A choice is one of its choices; a text is interpreted by its user; a list has any number of texts."""
Role: TypeAlias = Literal["read", "written", "kept"]
"""What happens to a file; one that is kept is read if it exists, and written."""


@dataclass(frozen=True)
class Range:
    """The range in which a number must always lie; `above` and `below` are strict."""

    above: Fraction | int | None = None
    least: Fraction | int | None = None
    below: Fraction | int | None = None
    most: Fraction | int | None = None
    reason: str = ""

    def check(self, name: str, value: Fraction | int, shown: object) -> None:
        from bounds.exact import require_range

        require_range(
            name,
            value,
            shown,
            above=self.above,
            least=self.least,
            below=self.below,
            most=self.most,
            reason=self.reason,
        )


@dataclass(frozen=True)
class Parameter:
    """One thing a user may give; options, checks, pages and forms are made from it."""

    name: str
    group: str = ""
    text: str = "{choices}"
    """What it means; `{choices}` and `{default}` stand for the declared ones."""
    kind: Kind = "text"
    range: Range | None = None
    quantity: str = ""
    """Its name in formulas."""
    measure: str = ""
    """The only measure that uses it; empty if all do."""
    metavar: str | None = None
    _: KW_ONLY
    choices: tuple[str, ...] = ()
    default: str | int | None = None
    """The value that is taken if none is given."""
    otherwise: str = ""
    """The same in words, if it depends on the rest of the question."""
    hint: str = ""
    """What to give, shown if it is needed and was left out."""
    role: Role | None = None
    """For files, and for texts that may name one."""
    positional: bool = False
    optional: bool = False
    """A positional one, or the values of a list, may be left out."""
    filled: bool = False
    """The default counts as given, and is shown among the inputs of an answer."""
    spelled: str = ""
    """The option, if it is not the name."""
    short: str = ""
    """A one-letter spelling, only where everybody expects it."""

    @property
    def option(self) -> str:
        return self.spelled or "--" + self.name.replace("_", "-")

    @property
    def help(self) -> str:
        """What it means, with its choices and its default."""
        default = f"{self.default:,}" if isinstance(self.default, int) else str(self.default)
        marked = [f"{choice} (default)" if choice == self.default else choice for choice in self.choices]
        choices = " or ".join([", ".join(marked[:-1]), marked[-1]] if len(marked) > 1 else marked)
        text = self.text.format(choices=choices, default=default)
        if self.otherwise:
            return f"{text} (default: {self.otherwise})"
        return text if self.default is None or "{" in self.text else f"{text} (default {default})"

    @property
    def is_number(self) -> bool:
        return self.kind in ("rational", "integer")

    def number(self, value: object = None) -> Fraction:
        """The number that a value denotes, exactly and within the range; None stands for the default."""
        said = self.default if value is None else value
        from bounds.exact import parse_integer, parse_rational

        parse = parse_integer if self.kind == "integer" else parse_rational
        number = Fraction(parse(said, self.name))
        if self.range is not None:
            self.range.check(self.name, number, said)
        return number

    def choice(self, value: object = None) -> str:
        """The choice that a value names; None stands for the default."""
        said = self.default if value is None else value
        said = said.value if isinstance(said, Enum) else said
        if said not in self.choices:
            raise ParameterError(self.name, said, "one of " + ", ".join(self.choices))
        return str(said)

    def require(self, value: object) -> None:
        """Refuse to go on without it."""
        if value is None:
            raise UsageError(f"{self.name.replace('_', '-')} is missing: {self.hint}")


def read_numbers(parameters: Mapping[str, Parameter], given: Mapping[str, object], *, of: str) -> dict[str, Fraction]:
    """The numbers among the given values, exactly, checked against their ranges; None means not given."""
    for name in given:
        if name not in parameters:
            from bounds.nearest import did_you_mean  # rarely needed

            near = did_you_mean(name, parameters)
            raise UsageError(f"{name[:40]} is not a parameter of {of}{near and f'; {near}'}")
    said = {name: value for name, value in given.items() if value is not None and parameters[name].is_number}
    return {name: parameters[name].number(value) for name, value in said.items()}
