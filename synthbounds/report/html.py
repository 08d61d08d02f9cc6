"""A sheet as one HTML file: no script, no request, everything inside, light and dark, on a screen and on paper."""

from __future__ import annotations

from synthbounds._version import __version__
from synthbounds.report.bars import draw_bars
from synthbounds.report.blocks import draw_document
from synthbounds.report.curve import draw_curve
from synthbounds.report.dots import draw_guesses
from synthbounds.report.graph import draw_graph
from synthbounds.report.heat_map import draw_heat_map
from synthbounds.report.markup import Markup, element, for_experts, prose
from synthbounds.report.sheet import (
    Bars,
    Cautions,
    Certified,
    Curve,
    Details,
    Graph,
    HeatMap,
    OnePerson,
    Part,
    Sheet,
    Spending,
    SpendingRow,
    Whiskers,
)
from synthbounds.report.style import STYLE
from synthbounds.report.svg import STYLE as PICTURES
from synthbounds.report.whiskers import draw_whiskers

POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"


def render_html(sheet: Sheet) -> str:
    """The page; every text in it is escaped."""
    stamp = None if sheet.stamp is None else sheet.stamp.partition(":")[0]
    body = element(
        "body",
        element("main", _head(sheet), *(_part(part) for part in sheet.parts), _foot(sheet)),
        data_stamp=stamp,
    )
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", sheet.title if stamp is None else f"{stamp}: {sheet.title}"),
        element("style", Markup(STYLE + PICTURES)),
    )
    return f"<!doctype html>\n{element('html', head, body, lang='en')}\n"


def _head(sheet: Sheet) -> Markup:
    inside = [element("h1", sheet.title)]
    if sheet.subtitle:
        inside.append(element("p", sheet.subtitle, class_="subtitle"))
    if sheet.purpose:
        inside.append(element("p", sheet.purpose, class_="purpose"))
    if sheet.stamp is not None:
        inside.insert(0, element("p", sheet.stamp, class_="stamp", role="note"))
    return element("header", *inside)


def _part(part: Part) -> Markup:
    if isinstance(part, Certified):
        return _certified(part)
    if isinstance(part, OnePerson):
        return _one_person(part)
    if isinstance(part, Spending):
        return _spending(part)
    if isinstance(part, Bars):
        return draw_bars(part)
    if isinstance(part, HeatMap):
        return draw_heat_map(part)
    if isinstance(part, Curve):
        return draw_curve(part)
    if isinstance(part, Whiskers):
        return draw_whiskers(part)
    if isinstance(part, Graph):
        return draw_graph(part)
    if isinstance(part, Cautions):
        items = (element("li", *prose(item)) for item in part.items)
        return element("section", element("h2", "What not to conclude"), element("ul", *items), class_="cautions")
    assert isinstance(part, Details)
    return element(
        "details", element("summary", "The whole answer, as the command prints it"), *draw_document(part.document)
    )


def _certified(part: Certified) -> Markup:
    inside = [element("p", part.sentence, class_="sentence")]
    if part.verdict:
        inside.insert(0, element("p", part.verdict, class_="verdict"))
    if part.detail:
        inside.append(element("p", part.detail))
    inside += for_experts(part.experts)
    kind = " neutral" if part.is_neutral else "" if part.holds else " nothing"
    return element("section", *inside, class_=f"certified{kind}")


def _one_person(part: OnePerson) -> Markup:
    first, *rest = part.sentences
    inside = [
        element("h2", "What it means for one person"),
        element("p", first),
        draw_guesses(part.guess_at_most),
        *(element("p", text) for text in rest),
        *for_experts(f"The guarantee in its exact form: {part.basis}."),
    ]
    return element("section", *inside, class_="person")


def _spending(part: Spending) -> Markup:
    inside = [element("h2", "What was spent, and what is left"), element("p", part.total, class_="total")]
    if part.rows:
        inside.append(element("table", element("caption", "Where it went"), *(_spent(row) for row in part.rows)))
    inside += [element("p", *prose(text)) for text in (_left(part.left), part.note) if text]
    inside += for_experts(part.experts)
    return element("section", *inside, class_="spending")


def _left(said: str | None) -> str:
    """What is left, as a sentence; if it is nothing, what follows from that comes after it."""
    if not said:
        return ""
    return f"Nothing is left{said.removeprefix('nothing')}." if said.startswith("nothing") else f"Left: {said}."


def _spent(row: SpendingRow) -> Markup:
    share = 0.0 if row.share is None else min(max(float(row.share), 0.0), 1.0)
    width = f"{100 * share:.1f}"
    bar = element(
        "svg",
        element("rect", class_="track", width=100, height=8),
        element("rect", class_="share", width=width, height=8),
        viewBox="0 0 100 8",
        width=100,
        height=8,
        aria_hidden="true",
    )
    return element("tr", element("th", row.what, scope="row"), element("td", row.amount), element("td", bar))


def _foot(sheet: Sheet) -> Markup:
    said = [f"synthbounds {__version__}" + (f", command {sheet.command}" if sheet.command else "")]
    said += [name.replace("_", "-") + (f" = {value}" if value else "") for name, value in sheet.inputs.items()]
    return element("footer", element("p", "; ".join(said) + "."))
