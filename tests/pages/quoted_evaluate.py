"""Numbers on the page about evaluating a table: limits of the work, and settings of the learners."""

from __future__ import annotations

from collections.abc import Iterator

from mechanisms.evaluate.learners import LOGISTIC, SETTINGS
from mechanisms.evaluate.parameters import EVALUATE_PARAMETERS, MOST_WAYS
from mechanisms.evaluate.tables import MOST_CELLS, MOST_SETS
from tests.pages.quoted import Page, thousands

_WORDS = {2: "two", 6: "six"}


def _evaluate() -> Iterator[str]:
    default = int(EVALUATE_PARAMETERS["degree"].number())
    yield f"(default {_WORDS[default]}, at most {_WORDS[MOST_WAYS]})"
    yield f"more than {thousands(MOST_SETS)} tables have the same number of columns"
    yield f"tables of more than {thousands(MOST_CELLS)} cells"
    yield "the least value is 0 and the largest 1;"
    assert "C = 1;" in SETTINGS[LOGISTIC]
    assert "from 0 to 1" in SETTINGS[LOGISTIC]
    yield "L2 penalty of C = 1 on"
    yield "codes scaled to 0..1"
    yield "Accuracy (at chance 0.5)"


EVALUATE = Page(_evaluate)
