"""Functions of one variable, from text to a tree, read by hand and never run as code.

The grammar: whole numbers, x, + - * /, powers u^k with k from 1 to 64, exp(u), log(u), max(u,v),
brackets. A minus sign before a power negates the power; u^j^k is refused, because it is ambiguous.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from verify.checkers import Rejected, require

MOST_CHARACTERS = 100_000
MOST_NODES = 1000
MOST_DEPTH = 400
MOST_BRACKETS = 200
MOST_DIGITS = 1000
LARGEST_POWER = 64
MOST_POWERS_INSIDE = 2
MOST_SWITCHES = 5
"""How many max a max may contain, including itself."""

NUMBER, VARIABLE, NEGATIVE, POWER = "number", "x", "negative", "^"
BINDS = {"+": 1, "-": 1, "*": 2, "/": 2, POWER: 3}
"""Operators that bind more tightly have larger numbers."""
ARGUMENTS = {"exp": 1, "log": 1, "max": 2}
_TOKEN = re.compile(r"[0-9]+|exp|log|max|[-x+*/^(),]", re.ASCII)


@dataclass(frozen=True)
class Node:
    """A number, x, or an operator or function applied to the parts."""

    kind: str
    parts: tuple[Node, ...] = ()
    value: int = 0
    """The value of a number, or the exponent of a power."""
    nodes: int = 1
    depth: int = 1
    powers: int = 0
    switches: int = 0


def node(kind: str, *parts: Node, value: int = 0) -> Node:
    """A node that counts its contents, and refuses what would take long or lose precision."""
    powers = sum(part.powers for part in parts)
    switches = sum(part.switches for part in parts) + (kind == "max")
    nodes = 1 + sum(part.nodes for part in parts)
    depth = 1 + max((part.depth for part in parts), default=0)
    require(kind != POWER or powers <= MOST_POWERS_INSIDE, "too many powers inside a power")
    require(kind != "max" or switches <= MOST_SWITCHES, "too many max inside a max")
    require(nodes <= MOST_NODES and depth <= MOST_DEPTH, "the function is too long")
    powers += kind == POWER
    return Node(kind, parts, value, nodes, depth, powers, switches)


def read_function(text: str) -> Node:
    """The function that a text denotes."""
    require(len(text) <= MOST_CHARACTERS, "the function is too long")
    tokens = _TOKEN.findall(text)
    require("".join(tokens) == text, "the function is not in the grammar")
    reader = _Reader(tokens)
    found = reader.expression(1)
    require(reader.peek() == "", "the function is not in the grammar")
    return found


class _Reader:
    """Takes tokens from the left; an expression ends where an operator binds less tightly."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.place = 0
        self.brackets = 0

    def peek(self) -> str:
        return self.tokens[self.place] if self.place < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.place += 1
        return token

    def expect(self, token: str) -> None:
        require(self.take() == token, "the function is not in the grammar")

    def expression(self, least: int) -> Node:
        """Operands joined by operators that bind at least this tightly, from left to right."""
        left = self.operand()
        while BINDS.get(self.peek(), 0) >= least:
            operator = self.take()
            if operator == POWER:
                left = node(POWER, left, value=self.exponent())
            else:
                left = node(operator, left, self.expression(BINDS[operator] + 1))
        return left

    def exponent(self) -> int:
        digits = self.take()
        require(digits.isdecimal() and len(digits) <= 2, "an exponent is not a small number")
        value = int(digits)
        require(1 <= value <= LARGEST_POWER, f"an exponent is not from 1 to {LARGEST_POWER}")
        require(self.peek() != POWER, "the function has a power of a power without brackets")
        return value

    def operand(self) -> Node:
        first = self.take()
        if first.isdecimal():
            return number_node(first)
        if first == VARIABLE:
            return node(VARIABLE)
        if first == "-":
            return self.inside(lambda: node(NEGATIVE, self.expression(BINDS[POWER])))
        if first == "(":
            return self.inside(self.bracket)
        if first in ARGUMENTS:
            return self.inside(lambda: self.call(first))
        raise Rejected("the function is not in the grammar")

    def inside(self, read: Callable[[], Node]) -> Node:
        """Read something nested, unless there are too many levels already."""
        self.brackets += 1
        require(self.brackets <= MOST_BRACKETS, "the function is nested too deeply")
        found = read()
        self.brackets -= 1
        return found

    def bracket(self) -> Node:
        found = self.expression(1)
        self.expect(")")
        return found

    def call(self, name: str) -> Node:
        self.expect("(")
        arguments = [self.expression(1)]
        for _ in range(ARGUMENTS[name] - 1):
            self.expect(",")
            arguments.append(self.expression(1))
        self.expect(")")
        return node(name, *arguments)


def number_node(digits: str) -> Node:
    """A whole number, in its only spelling."""
    require(len(digits) <= MOST_DIGITS, "a number in the function has too many digits")
    require(digits == "0" or digits[0] != "0", "a number in the function begins with 0")
    return node(NUMBER, value=int(digits))
