"""HTML and SVG whose text is escaped because there is no other way to put text in."""

from __future__ import annotations

from html import escape

VOID = frozenset({"meta", "br", "hr", "img", "path", "line", "rect", "circle", "use", "polyline"})


class Markup(str):
    """Text that is markup already; only `element` and `joined` make it."""

    __slots__ = ()


def element(tag: str, /, *children: str, **attributes: str | int | float | None) -> Markup:
    """`<tag ...>children</tag>`; plain children are escaped, attributes always.

    Attribute names are written with `_` for `-`, and with one at the end if Python has the word (class_)."""
    said = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(printable(str(value)))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if not children and tag in VOID:
        return Markup(f"<{tag}{said}/>")
    return Markup(f"<{tag}{said}>{joined(children)}</{tag}>")


def joined(children: tuple[str, ...] | list[str]) -> Markup:
    """Children one after the other, plain text escaped."""
    return Markup("".join(child if isinstance(child, Markup) else escape(printable(child)) for child in children))


def for_experts(*said: str) -> list[Markup]:
    """Exact terms, folded; none if there is nothing to say."""
    told = [element("p", text) for text in said if text]
    return [element("details", element("summary", "For experts"), *told, class_="experts")] if told else []


def prose(text: str) -> list[str]:
    """A sentence in pieces, what stands between backticks as code."""
    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        return [text]
    return [element("code", piece) if place % 2 else piece for place, piece in enumerate(pieces)]


def printable(text: str) -> str:
    """Without characters that a page cannot hold or that turn the direction of what follows."""
    return "".join(char if char in "\n\t" or _is_harmless(char) else f"\\u{ord(char):04x}" for char in text)


def _is_harmless(char: str) -> bool:
    code = ord(char)
    return not (
        code < 0x20
        or 0x7F <= code < 0xA0
        or 0xD800 <= code < 0xE000
        or 0x202A <= code <= 0x202E
        or 0x2066 <= code <= 0x2069
        or code in (0xFFFE, 0xFFFF)
    )
