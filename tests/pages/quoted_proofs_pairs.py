"""Numbers on the proof page about errors of pairs of columns: what queries multiply, and what columns alone say."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from lp.synthesis.cell_errors import expansion, queries_in_a_cell
from release.statistics.pair_bounds import frechet_errors
from tests.pages.quoted import Page

_FAMILIES = {
    "cells": ("cells", 3),
    "parities": ("parities", 2),
    "monomials, moments (two levels)": ("monomials", 2),
    "thresholds (two levels)": ("thresholds", 2),
    "thresholds": ("thresholds", 3),
}
_WITHIN = ("0", "0.01", "0.05")


def _pairs() -> Iterator[str]:
    for name, (family, size) in _FAMILIES.items():
        found = expansion(family, size)
        assert found is not None
        yield f"| {name} | {max(many for _, many in found)} | {queries_in_a_cell(found, found)} |"
    yield f"| $t$ | {' | '.join(f'$e={e}$' for e in _WITHIN)} |"
    for codes in (2, 4, 10):
        rows = np.array([[a, b] for a in range(codes) for b in range(codes)], dtype=np.uint8)
        errors = (frechet_errors(rows, (codes, codes), (Fraction(e), Fraction(e)), (0, 1))[(0, 1)] for e in _WITHIN)
        yield f"| {codes} | {' | '.join(f'{float(error):.5f}' for error in errors)} |"


PAGES = {"synthbounds.pair-errors": Page(_pairs)}
