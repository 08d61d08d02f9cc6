"""Numbers on the proof page of floors under certificates: the recorded benchmark, and two tables by hand."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from typing import Any

from flint import arb

from benchmarks.certificate_floor import CASES
from bounds.certify.certificate_floor import share_above
from bounds.enclosure import Enclosure
from docs_site.numbers.names import run
from verify.claims.synthbounds_floors import ALIKE, same_moments
from verify.numbers.grouped import grouped

COLUMNS = ("excess_est", "floor", "floor_other_models", "certificate", "certificate_over_floor", "any_mechanism")


def floors() -> Iterator[Any]:
    """The rows of the table."""
    record = run("certificate_floor")
    for name, norms in CASES:
        for tau in norms:
            row = record[f"{name}_tau{tau}"]
            assert row["excess_est"] <= row["any_mechanism"] <= row["floor"] <= row["certificate"]
            assert min(row["share"], row["any_mechanism_share"]) >= 0.5
            yield name, tau, [_cut(key, row[key]) for key in COLUMNS]


def _cut(key: str, value: float) -> float:
    """Five digits: certificates are rounded up, and floors down."""
    if key == "certificate_over_floor":
        return value
    whole = Fraction(str(value)) * 10**5
    return (ceil(whole) if key == "certificate" else int(whole)) / 10**5


@grouped
def certificate_floor() -> Iterator[Any]:
    record = run("certificate_floor")
    yield record["epsilon"], 1, record["beta"]
    yield record["releases"] == 3
    yield from floors()
    share = share_above(squared_shift=Fraction(1), failure=Fraction(1, 20))
    variation = Enclosure.of(arb(19) / 20 - (arb(1) / 8).sqrt().erf())
    yield _four(share.lo), _four(variation.lo)
    first, second = same_moments()
    assert all(table.n == 8 for table in ALIKE)
    yield ceil(first.hi * 10**4) / 10**4, 6
    yield _four(second.lo)
    yield _four(second.lo)


def _four(value: Fraction) -> float:
    return int(value * 10**4) / 10**4
