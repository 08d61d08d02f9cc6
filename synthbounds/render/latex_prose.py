"""Sentences as LaTeX: names of symbols become symbols, and every other sign is escaped."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from bounds.latex_names import GREEK, WORDS, latex_name
from bounds.quantities import SYMBOLS

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
}
_NO_LETTERS = "\xad\u0126\u0127\u0138\u013f\u0140\u0149\u0166\u0167"
_SIGNS = {"<=": r"\le", ">=": r"\ge", "!=": r"\ne", "<": "<", ">": ">"}
_RULES: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (r"`[^`]+`", lambda m: rf"\texttt{{{escaped(m[0][1:-1])}}}"),
    (r"(?<!\w)--[a-z][\w-]*", lambda m: rf"\texttt{{{escaped(m[0])}}}"),
    (r"[^\W\d_][\w-]*(?:\.[\w-]*[^\W\d_][\w-]*)+|[^\W\d_][\w-]{2,}(?:[/.][\w-]{2,})+", lambda m: escaped(m[0])),
    (r"(?<![\w.])(\d+(?:\.\d+)?)e([+-]?\d+)(?![\w.])", lambda m: _power_of_ten(m[1], m[2])),
    (r"\|([^\W\d_](?:_[a-z])?|Omega)\|(?:_(\d))?", lambda m: _norm(m[1], m[2])),
    (r"(?<!\w)(?:dp-delta|l_inf|L[12])(?!\w)", lambda m: f"${WORDS[m[0]]}$"),
    (r"(?<!\w)[^\W\d_]+(?:_[^\W_]+)+(?!\w)", lambda m: f"${latex_name(m[0])}$" if _is_symbol(m[0]) else escaped(m[0])),
    (rf"(?<!\w)([A-Z])_\((\d*)({'|'.join(GREEK)})([+-]\d+)\)", lambda m: rf"${m[1]}_{{{m[2]}\{m[3]}{m[4]}}}$"),
    (rf"(?<!\w)(?<!\w-)({'|'.join(WORDS)})(\d?)(?!\w)", lambda m: f"${WORDS[m[1]]}{f'_{m[2]}' if m[2] else ''}$"),
    (r"<=|>=|!=|<|>", lambda m: f"${_SIGNS[m[0]]}$"),
    (r"\bsqrt(?:\((\w+)\)| (\w)\b)", lambda m: rf"$\sqrt{{{escaped(m[1] or m[2])}}}$"),
    (r"\^(-?(?:\d+|\w+)|\((?:[^()]|\([^()]*\)){1,40}\))", lambda m: rf"\textsuperscript{{{prose(m[1])}}}"),
    (r"(?<![\w.'-])(?:[nmkpt]|n0)(?![\w.'-])", lambda m: "$n_0$" if m[0] == "n0" else f"${m[0]}$"),
)
_ANY = re.compile("|".join(f"(?P<rule{i}>{rule})" for i, (rule, _) in enumerate(_RULES)))
_EACH = [re.compile(rule) for rule, _ in _RULES]


def prose(text: str) -> str:
    """A sentence, a label or a cell.

    >>> print(prose("l_inf noise, epsilon <= 0.2 at 50 %"))
    $\\ell_\\infty$ noise, $\\varepsilon$ $\\le$ 0.2 at 50 \\%
    """
    parts, end = [], 0
    for match in _ANY.finditer(text):
        rule = next(i for i in range(len(_RULES)) if match[f"rule{i}"] is not None)
        inner = _EACH[rule].match(text, match.start())
        assert inner is not None
        parts += [escaped(text[end : match.start()]), _RULES[rule][1](inner)]
        end = match.end()
    return "".join([*parts, escaped(text[end:])])


def begun(text: str) -> str:
    """A bracket or a star at the beginning would belong to the command before it."""
    return f"{{}}{text}" if text[:1] in ("[", "*") else text


def _is_symbol(name: str) -> bool:
    head = name.partition("_")[0]
    return name.isascii() and (name in SYMBOLS or head in WORDS or len(head) == 1)


def escaped(text: str) -> str:
    """Text as it is."""
    return "".join(_letter(c) for c in text).replace("--", "-{}-")


def has_letter(c: str) -> bool:
    """Whether pdfLaTeX has a letter for it; others need a font that may be missing."""
    return c < "\x7f" or ("\xa1" <= c <= "\u017e" and c not in _NO_LETTERS)


def _letter(c: str) -> str:
    if c in _SPECIAL:
        return _SPECIAL[c]
    if c < "\x7f":
        return c if c.isprintable() else " "
    name = unicodedata.name(c, "")
    if name.startswith("GREEK SMALL LETTER ") and name.split()[-1].lower() in GREEK:
        return rf"$\{name.split()[-1].lower()}$"
    if c in "εϵ":
        return r"$\varepsilon$"
    return c if has_letter(c) else rf"\texttt{{U+{ord(c):04X}}}"


def _power_of_ten(digits: str, exponent: str) -> str:
    power = f"10^{{{int(exponent)}}}"
    return f"${power}$" if digits == "1" else rf"${digits} \cdot {power}$"


def _norm(inside: str, index: str | None) -> str:
    if index is None:
        return f"$|{SYMBOLS['F'].latex.strip('|') if inside == 'F' else latex_name(inside)}|$"
    return rf"$\|{latex_name(inside)}\|_{index}$"
