"""Certificates and their checker: what is refused, and what was recorded of floors and of finished tables."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from math import ceil
from typing import Any

from bounds.certify.gradient_sensitivity import gradient_sensitivity
from docs_site.numbers.names import pick, run
from synthbounds.api.proofs import check_text
from tests.verify.test_checkers import all_points
from verify import checkers
from verify.checkers import density


def is_refused(attributes: int) -> bool:
    """Whether all points of so many Boolean attributes take more work than their certificate may ask for."""
    text = all_points(attributes)
    body = json.loads(text)
    asked = checkers.Work(10**12)
    density.announce(density.read_programme(body), [], 1, [int(y) for y in body["dual"]], asked)
    return asked.spent > checkers.allowed_steps(text, density.STEPS_A_BYTE)


def first_refused() -> int:
    """So many points; half of them are checked."""
    assert check_text(all_points(8)).valid
    return 1 << next(attributes for attributes in range(20, 23) if is_refused(attributes))


def over_floors() -> list[float]:
    """The least and the largest quotient of a certificate and the floor under it, which half of the data reach."""
    floors = [row for row in run("certificate_floor").values() if isinstance(row, dict) and "floor" in row]
    ratios = [row["certificate_over_floor"] for row in floors]
    assert min(row["share"] for row in floors) >= 0.5
    return [min(ratios), max(ratios)]


def finished() -> dict[str, Any]:
    """Certificates of finished tables, with no more misses than were promised."""
    found = run("finished_tables")
    assert found["misses"] <= float(Fraction(found["beta"])) * found["asked"]
    return found


def diameter() -> Fraction:
    """D of the logistic loss at norm 5, rounded up."""
    return Fraction(ceil(gradient_sensitivity("logistic", norm=Fraction(5)).hi * 100), 100)


def asked() -> list[Any]:
    """The true excess and what both questions gave, a table and a norm a row."""
    named = product(("adult", "dutch", "compas"), (5, 10, 20))
    keys = ("true_excess", "excess", "gradient")
    return [(table, tau, pick(run("excess")[f"{table}, tau {tau}"], *keys)) for table, tau in named]
