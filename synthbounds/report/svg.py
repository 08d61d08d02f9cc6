"""What every picture of a report is drawn with: a frame with title and description, boxes as one path, words, styles.

Pictures are written by hand: no script, no library, colours by classes, so that a page may be light, dark or printed.
Next to each is a table with the same numbers, for readers who do not see it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from synthbounds.report.markup import Markup, element
from synthbounds.report.sheet import Number

NARROW = 6.2
"""About the width of a letter of the pictures' type size; no picture depends on it being right."""


def frame(title: str, description: str, *drawn: str, width: float, height: float) -> Markup:
    """A picture that says what it shows; its size in pixels is that of its own units."""
    wide, high = _short(width), _short(height)
    return element(
        "svg",
        element("title", title),
        element("desc", description),
        *drawn,
        viewBox=f"0 0 {wide} {high}",
        width=wide,
        height=high,
        role="img",
        aria_label=title,
    )


def boxes(found: Iterable[tuple[float, float, float, float]], class_: str) -> Markup:
    """Boxes (x, y, width, height) of one kind as one path; none if there are none."""
    path = "".join(
        f"M{_short(x)} {_short(y)}h{_short(width)}v{_short(height)}h{_short(-width)}z" for x, y, width, height in found
    )
    return element("path", d=path, class_=class_) if path else Markup("")


def strokes(found: Iterable[tuple[float, float, float, float]], class_: str) -> Markup:
    """Straight lines (x, y, across, down) of one kind as one path."""
    path = "".join(
        f"M{_short(x)} {_short(y)}l{_short(across)} {_short(down)}" for x, y, across, down in found if across or down
    )
    return element("path", d=path, class_=class_) if path else Markup("")


def words(x: float, y: float, said: str, class_: str | None = None) -> Markup:
    return element("text", said, x=_short(x), y=_short(y), class_=class_)


def fitting(said: str, letters: int) -> str:
    """The text, or its beginning with dots if the whole would not fit; the table next to it has all of it."""
    said = " ".join(said.split()) or "(empty)"
    return said if len(said) <= letters else said[: letters - 1].rstrip() + "…"


def share_text(value: Number) -> str:
    """A share in per cent, for people: a drawn number, not a certified one."""
    return f"{100 * float(value):.1f} %"


def numbers_table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Markup:
    """The numbers of a picture, folded; the first cell of a row names it."""
    head = element("tr", *(element("th", text, scope="col") for text in heads))
    body = [
        element("tr", element("th", first, scope="row"), *(element("td", text) for text in rest))
        for first, *rest in rows
    ]
    table = element("table", element("caption", caption), element("thead", head), element("tbody", *body))
    return element(
        "details",
        element("summary", "Numbers"),
        element("div", table, class_="scroll", tabindex=0, role="region", aria_label=caption),
        class_="numbers",
    )


def _short(value: float) -> str:
    """A coordinate with one decimal at most."""
    return f"{value:.1f}".removesuffix(".0")


STYLE = """
.pictures{--released:#6b7280;--synthetic:#1d5fd1;--whisker:#111827;--rule:#c9ced6;
--e0:#eef4fb;--e1:#cfe0f3;--e2:#a3c4e6;--e3:#6f9fd2;--e4:#3f76b5;--e5:#1f4f8b;--e6:#0d2c54;--ink:#111827;--paper:#fff}
@media (prefers-color-scheme:dark){.pictures{--released:#9aa4b2;--synthetic:#5b9dff;--whisker:#f3f4f6;--rule:#4b5563;
--e0:#10233b;--e1:#17375c;--e2:#1f4f84;--e3:#2f6cab;--e4:#5a93cc;--e5:#95bce6;--e6:#dbe9fa;
--ink:#f3f4f6;--paper:#0b1018}}
@media print{.pictures{--released:#6b7280;--synthetic:#1d5fd1;--whisker:#111827;--rule:#c9ced6;
--e0:#eef4fb;--e1:#cfe0f3;--e2:#a3c4e6;--e3:#6f9fd2;--e4:#3f76b5;--e5:#1f4f8b;--e6:#0d2c54;--ink:#111827;--paper:#fff}
.pictures svg{max-width:100%;height:auto}.pictures .numbers{display:none}}
.pictures svg{display:block;font:11px system-ui,sans-serif;print-color-adjust:exact;-webkit-print-color-adjust:exact}
.pictures svg text{fill:currentColor}
.pictures .scroll{overflow-x:auto}
.pictures .key svg{display:inline-block;vertical-align:-2px;margin-right:.35em}
.pictures .key span{display:inline-block;margin-right:1.1em;white-space:nowrap}
.pictures .columns{columns:300px;column-gap:1.6em}
.pictures figure{margin:0 0 1.1em;display:inline-block;width:100%;break-inside:avoid}
.pictures figure svg{max-width:100%;height:auto}
.pictures figcaption{font-weight:600;overflow-wrap:anywhere;margin-bottom:.2em}
.bars .columns svg{width:100%;max-width:420px}
.pictures .within{font-weight:400;font-size:.85em;margin-left:.7em;opacity:.85}
.pictures .numbers{font-size:.85em;margin-top:.2em}
.pictures .numbers table{border-collapse:collapse}
.pictures .numbers th,.pictures .numbers td{padding:.1em .6em .1em 0;text-align:left;font-weight:400}
.pictures .numbers td{font-variant-numeric:tabular-nums;white-space:nowrap}
.pictures .numbers caption{text-align:left}
.pictures .end{text-anchor:end}.pictures .middle{text-anchor:middle}.pictures .small{font-size:9.5px}
.pictures .released{fill:var(--released)}.pictures .synthetic{fill:var(--synthetic)}
.pictures .whisker{stroke:var(--whisker);stroke-width:1.2;fill:none}.pictures .rule{stroke:var(--rule);fill:none}
.pictures .e0{fill:var(--e0)}.pictures .e1{fill:var(--e1)}.pictures .e2{fill:var(--e2)}.pictures .e3{fill:var(--e3)}
.pictures .e4{fill:var(--e4)}.pictures .e5{fill:var(--e5)}.pictures .e6{fill:var(--e6)}
.pictures .mark{fill:var(--whisker)}.pictures .mark.strong{fill:var(--paper)}
.pictures .point{fill:var(--released)}.pictures .point.chosen{fill:var(--synthetic)}
.pictures .zero{stroke:var(--released);stroke-dasharray:3 3;fill:none}
.pictures .sure{stroke:var(--synthetic);stroke-width:1.8;fill:none}
.pictures .plus{stroke:var(--synthetic);fill:none}.pictures .minus{stroke:var(--whisker);stroke-dasharray:5 3;fill:none}
.pictures .hatch{stroke:var(--released);fill:none}
.pictures svg text.faint{fill:var(--ink)}.pictures svg text.strong{fill:var(--paper)}
"""
"""Of everything inside an element of class `pictures`."""
