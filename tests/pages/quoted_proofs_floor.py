"""Numbers on the proof page of floors under certificates: the recorded benchmark, and two tables by hand."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil

from flint import arb

from benchmarks.certificate_floor import CASES
from bounds.certify.certificate_floor import share_above
from bounds.enclosure import Enclosure
from tests.pages.quoted import Page, decimal, recorded
from verify.claims.synthbounds_floors import ALIKE, same_moments

COLUMNS = ("excess_est", "floor", "floor_other_models", "certificate", "certificate_over_floor", "any_mechanism")


def floors() -> Iterator[str]:
    """The rows of the table."""
    record = recorded("certificate_floor")
    for name, norms in CASES:
        for tau in norms:
            row = record[f"{name}_tau{tau}"]
            assert row["excess_est"] <= row["any_mechanism"] <= row["floor"] <= row["certificate"]
            assert min(row["share"], row["any_mechanism_share"]) >= 0.5
            cells = [f"{row[key]:.1f}" if key == "certificate_over_floor" else _cut(key, row[key]) for key in COLUMNS]
            yield f"| {name.capitalize()}, $\\tau={tau}$ | {' | '.join(cells)} |"


def _cut(key: str, value: float) -> str:
    """Five digits: certificates are rounded up, and floors down."""
    whole = Fraction(str(value)) * 10**5
    return decimal((ceil(whole) if key == "certificate" else int(whole)) / 10**5, 5)


def _certificate_floor() -> Iterator[str]:
    record = recorded("certificate_floor")
    beta = decimal(record["beta"], 2)
    yield rf"at $\varepsilon={record['epsilon']:.0f}$, $\delta=1/n^2$, $\beta={beta}$, replace-one"
    assert record["releases"] == 3
    yield "the models of two more releases"
    yield from floors()
    share = share_above(squared_shift=Fraction(1), failure=Fraction(1, 20))
    variation = Enclosure.of(arb(19) / 20 - (arb(1) / 8).sqrt().erf())
    yield (
        rf"At shift $s=1$ and $\beta=.05$ the share is ${_four(share.lo)}$; "
        f"by total variation it would be ${_four(variation.lo)}$"
    )
    first, second = same_moments()
    assert all(table.n == 8 for table in ALIKE)
    within = ceil(first.hi * 10**4) / 10**4
    yield f"on one the model is within ${within:.4f}$ of the best of norm 6".replace("$0.", "$.")
    yield f"on the other its excess is ${_four(second.lo)}$"
    yield f"is at least ${_four(second.lo)}$ in a share of"


def _four(value: Fraction) -> str:
    return decimal(int(value * 10**4) / 10**4, 4)


PAGES = {"synthbounds.certificate-floor": Page(_certificate_floor)}
