r"""Maths for the pages: $...$ and $$...$$ become MathML when the site is built, so that a reader needs no script.

A formula that is not understood completely stops the build; nothing is shown as raw LaTeX. Code is left unchanged.
"""

from __future__ import annotations

import re
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.inlinepatterns import InlineProcessor

from synthbounds.render.mathml import mathml

_MATHS = r"(?<![\\$])(\$\$?)(?!\$)(.+?)(?<!\\)\1(?!\$)"
_AFTER_CODE_BEFORE_ESCAPES = 185


class _Maths(InlineProcessor):  # type: ignore[misc]
    def handleMatch(  # noqa: N802 - the name is Markdown's
        self, m: re.Match[str], data: str
    ) -> tuple[Element | str | None, int | None, int | None]:
        display = m.group(1) == "$$"
        shown = mathml(m.group(2), display=display)
        if display:
            shown = f'<span class="formula">{shown}</span>'
        return self.md.htmlStash.store(shown), m.start(0), m.end(0)


class MathExtension(Extension):  # type: ignore[misc]
    """For `markdown_extensions: [docs_site.mathml]`."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - the name is Markdown's
        md.inlinePatterns.register(_Maths(_MATHS, md), "maths", _AFTER_CODE_BEFORE_ESCAPES)


def makeExtension(**options: Any) -> MathExtension:  # noqa: N802 - the name is Markdown's
    return MathExtension(**options)


def in_table(latex: str) -> str:
    """LaTeX without the vertical bars that would end a cell."""
    return latex.replace(r"\|", r"\Vert ").replace("|", r"\vert ")
