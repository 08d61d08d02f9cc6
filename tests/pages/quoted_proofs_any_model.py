"""Numbers on the proof page about any model: what was tried, with which confidence."""

from __future__ import annotations

from tests.pages.quoted import SETTING, Page

PAGES = {
    "synthbounds.any-model": Page(
        given={
            SETTING: (
                "in more than 100,000 pairs of tables",
                "and to 0.99 of it",
                "draws 2,000 answers of each kind",
                r"$\beta=0.05$ allows",
                "of confidence 99.9 %",
            ),
        }
    ),
}
