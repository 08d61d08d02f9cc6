"""Formulas in quotations: code on repository pages, since extraction may have damaged them, but typeset here.

A formula that is not understood completely stays code.
"""

from __future__ import annotations

import re
from functools import cache

from docs_site.text import inside_code
from synthbounds.render.mathml import mathml

_MARK = ">"
_PROSE = re.compile(r"(?<![\\\w])[A-Za-z]{2,}\W? [A-Za-z]{2,}")


def with_formulas(text: str) -> str:
    """The page with the formulas of its quotations between dollar signs, for `docs_site.mathml`."""
    return "\n".join(inside_code(line, _set) if line.startswith(_MARK) else line for line in text.split("\n"))


def _set(code: str) -> str:
    latex = code.strip("`").strip()
    return f"${latex}$" if _is_understood(latex) else code


@cache
def _is_understood(latex: str) -> bool:
    """Whether this is a formula, and can be typeset; text with words of prose is not a formula."""
    if "$" in latex or _PROSE.search(latex) or not any(mark in latex for mark in "\\^_=<>"):
        return False
    try:
        mathml(latex, display=False)
    except ValueError:
        return False
    return True
