r"""Maths for the pages: $...$ and $$...$$ become MathML when the site is built, so that a reader needs no script.

A formula that is not understood completely stops the build; nothing is shown as raw LaTeX. Code is left alone.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any
from xml.etree.ElementTree import Element

from latex2mathml.converter import convert
from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor

_MATHS = r"(?<![\\$])(\$\$?)(?!\$)(.+?)(?<!\\)\1(?!\$)"
_AFTER_CODE_BEFORE_ESCAPES = 185
_SIZED = {r"\lbrace": r"\{", r"\rbrace": r"\}", r"\lfloor": "⌊", r"\rfloor": "⌋", r"\lceil": "⌈", r"\rceil": "⌉"}
_WORD = re.compile(r"\\mathrm\{([A-Za-z][A-Za-z ]+)\}")
_BAR = '<mo stretchy="false">&#x0007C;</mo>'
"""A plain stroke: MathML would space it like a relation, LaTeX does not space it at all."""
_BIG = re.compile(r"(\\[bB]igg?[lrm]?)\s*(" + "|".join(re.escape(name) for name in _SIZED) + r")(?![a-zA-Z])")


@cache
def mathml(latex: str, *, display: bool) -> str:
    """One formula as MathML; ValueError where a command is not known."""
    source = _BIG.sub(lambda found: found.group(1) + _SIZED[found.group(2)], latex.strip())
    source = _WORD.sub(r"\\text{\1}", source.replace(r"\nolimits", ""))
    braces = re.findall(r"(?<!\\)[{}]", source)
    if braces.count("{") != braces.count("}"):
        raise ValueError(f"no MathML for the formula {latex!r}: its braces do not match")
    try:
        found = convert(source, display="block" if display else "inline")
    except Exception as error:
        raise ValueError(f"no MathML for the formula {latex!r}: {error!r}") from error
    if unknown := re.search(r"\\[a-zA-Z]+", found):
        raise ValueError(f"no MathML for {unknown.group()} in the formula {latex!r}")
    found = found.replace(_BAR, _BAR.replace("<mo ", '<mo lspace="0" rspace="0" '))
    return f'<span class="formula">{found}</span>' if display else found


class _Maths(InlineProcessor):  # type: ignore[misc]
    def handleMatch(  # noqa: N802 - the name is Markdown's
        self, m: re.Match[str], data: str
    ) -> tuple[Element | str | None, int | None, int | None]:
        shown = mathml(m.group(2), display=m.group(1) == "$$")
        return self.md.htmlStash.store(shown), m.start(0), m.end(0)


class MathExtension(Extension):  # type: ignore[misc]
    """For `markdown_extensions: [docs_site.mathml]`."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - the name is Markdown's
        md.inlinePatterns.register(_Maths(_MATHS, md), "maths", _AFTER_CODE_BEFORE_ESCAPES)


def makeExtension(**options: Any) -> MathExtension:  # noqa: N802 - the name is Markdown's
    return MathExtension(**options)


def in_table(latex: str) -> str:
    """LaTeX without the strokes that would end a cell."""
    return latex.replace(r"\|", r"\Vert ").replace("|", r"\vert ")
