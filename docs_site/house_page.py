"""How it all fits: a picture of the packages, drawn from the contract on their imports, and where to find things."""

from __future__ import annotations

import configparser
import html
from pathlib import Path

from docs_site.text import table

SAYS = {
    "synthbounds": "the front door: commands, Python, pages",
    "verify": "claims, audits, independent checkers",
    "lp": "the linear programme",
    "mechanisms": "models, tables, inference",
    "release": "records in, noisy numbers out",
    "bounds": "the mathematics",
}
"""A short description of every package of the contract."""
PLACES = (
    ("a theorem: one file each, such as Theorem III.1 of bojkovic2024", "bounds/theorems/bojkovic2024_histogram.py"),
    ("the arithmetics on which one formula runs", "bounds/arithmetic"),
    ("the certificate of a model", "bounds/certify/model_certificate.py"),
    ("a budget, and what was spent", "bounds/privacy/ledger.py"),
    ("where tables are opened", "release/data"),
    ("where noise is drawn", "release/noise"),
    ("the linear programme and its reference measures", "lp"),
    ("what AIM measures next", "mechanisms/select/aim.py"),
    ("the other systems of the papers", "mechanisms/rap"),
    ("private regression", "mechanisms/regression"),
    ("the checkers of certificates", "verify/checkers"),
    ("claims of the papers, with their verdicts", "verify/claims"),
    ("a command, its function in Python, its words", "synthbounds/cli"),
)
"""What people look for, and the file or folder that contains it."""
_WIDE, _HIGH, _GAP = 640, 46, 14


def house_page(root: Path) -> str:
    rows = [(words, f"`{place}{'/' if (root / place).is_dir() else ''}`") for words, place in PLACES]
    parts = (
        "# How it all fits",
        picture(layers(root)),
        "A package may use those below it, never those above. `make check` enforces this, also between the "
        "rooms of a package. So theorems do not depend on tables, nor the drawing of noise on models, and "
        "printing computes nothing.",
        table(("you look for", "it is in"), rows),
        "The first line of every module says what it is for; [layout and style](layout.md) has the rest.",
    )
    return "\n\n".join(parts) + "\n"


def layers(root: Path) -> list[list[str]]:
    """The packages from the top to the bottom, side by side where none may use the other."""
    contracts = configparser.ConfigParser()
    contracts.read(root / ".importlinter", encoding="utf-8")
    lines = contracts["importlinter:contract:packages"]["layers"].split("\n")
    return [[name.strip() for name in line.split("|")] for line in lines if line.strip()]


def picture(rows: list[list[str]]) -> str:
    """SVG for the page, in its colours; one line of HTML, which Markdown leaves unchanged."""
    high = len(rows) * (_HIGH + _GAP)
    boxes = []
    for place, names in enumerate(rows):
        wide = (_WIDE - _GAP * (len(names) - 1)) / len(names)
        for column, name in enumerate(names):
            x, y = column * (wide + _GAP), place * (_HIGH + _GAP)
            said, middle = html.escape(SAYS[name]), x + wide / 2
            boxes.append(
                f'<rect x="{x:g}" y="{y}" width="{wide:g}" height="{_HIGH}" rx="5"/>'
                f'<text x="{middle:g}" y="{y + 19}" class="name">{name}</text>'
                f'<text x="{middle:g}" y="{y + 36}">{said}</text>'
            )
    label = html.escape("; above ".join(" next to ".join(names) for names in rows))
    return (
        f'<svg class="house" viewBox="-2 -2 {_WIDE + 4} {high}" role="img" aria-label="{label}">{"".join(boxes)}</svg>'
    )
