"""A hundred guesses as a hundred dots: right by chance, right at most because of the release, and wrong."""

from __future__ import annotations

from synthbounds.report.markup import Markup, element
from synthbounds.report.sheet import Number
from synthbounds.report.svg import frame

_COLUMNS, _STEP, _RADIUS = 25, 15, 5
_CHANCE = 50


def draw_guesses(guess_at_most: Number) -> Markup:
    """The dots; a share is rounded up, so that the picture promises no more than the sentence."""
    right = min(100, max(_CHANCE, -int(-100 * guess_at_most // 1)))
    kinds = ["chance"] * _CHANCE + ["more"] * (right - _CHANCE) + ["never"] * (100 - right)
    dots = [
        element(
            "circle",
            cx=_STEP * (place % _COLUMNS) + _STEP // 2 + 1,
            cy=_STEP * (place // _COLUMNS) + _STEP // 2 + 1,
            r=_RADIUS,
            class_=kind,
        )
        for place, kind in enumerate(kinds)
    ]
    said = f"Of 100 guesses, 50 are right by chance and at most {right - _CHANCE} more with the release."
    rows = -(-100 // _COLUMNS)
    picture = frame("A hundred guesses", said, *dots, width=_STEP * _COLUMNS + 2, height=_STEP * rows + 2)
    return element("figure", picture, element("figcaption", said), class_="guesses")
