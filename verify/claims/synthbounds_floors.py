"""Our own statements about floors under certificates: two tables made by hand, and the value of the lemma on tests."""

from __future__ import annotations

from fractions import Fraction

from flint import arb, fmpq

from bounds.certify.certificate_floor import share_above
from bounds.enclosure import Enclosure, as_fmpq, decimal_text, precision
from verify.claim import Claim, Evidence, Method, Verdict, confirmed_if
from verify.table_excess import Records, excess_on

FLOOR = "synthbounds.certificate-floor"
ALIKE = (
    Records(signed=((2, 2), (2, -2), (0, 2), (0, -2)), counts=(1, 1, 3, 3), one=2),
    Records(signed=((1, 2), (-1, -2), (1, -2), (-1, 2)), counts=(3, 1, 3, 1), one=2),
)
"""Two tables of 8 records, y (x, 1) in halves: x is 1, -1 or six times 0 in the first, 1/2 or -1/2 in the second."""


def same_moments() -> tuple[Enclosure, Enclosure]:
    """Lower bounds on the excess of the model (4, 0) on the two tables of ALIKE, within norm 6."""
    model, nearly = (Fraction(4), Fraction(0)), (Fraction(219722, 10**5), Fraction(0))
    steepest = (Fraction(4242, 1000), Fraction(0))
    first, second = (
        excess_on(table, model, better, tau=Fraction(6), squared_norm=2)
        for table, better in zip(ALIKE, (steepest, nearly), strict=True)
    )
    return first, second


def _same_moments() -> Evidence:
    sums = []
    for table in ALIKE:
        rows = list(zip(table.signed, table.counts, strict=True))
        products = [sum(c * r[i] * r[j] for r, c in rows) for i, j in ((0, 0), (0, 1), (1, 1))]
        sums.append([*(sum(c * r[j] for r, c in rows) for j in range(2)), *products])
    first, second = same_moments()
    share = share_above(squared_shift=Fraction(0), failure=Fraction(1, 20))
    with precision(128):
        low, high = arb(-2).exp().log1p(), arb(2).exp().log1p()
        by_hand = (3 * low + high) / 4 - (3 * (arb(4) / 3).log() + arb(4).log()) / 4
        near = Enclosure.of(by_hand - arb(as_fmpq(second.lo)))
    text = (
        f"sums {sums[0]} of both; the model (4, 0) is worse than another by {decimal_text(first.hi, 4, up=True)} on "
        f"one table and by {decimal_text(second.lo, 4, up=False)} on the other"
    )
    alike = sums[0] == sums[1] and share.contains(Fraction(19, 20))
    return confirmed_if(alike and first.hi < second.lo / 50 and near.lo >= 0 and near.hi < Fraction(1, 10**9), text)


def _more_than_total_variation() -> Evidence:
    share = share_above(squared_shift=Fraction(1), failure=Fraction(1, 20))
    with precision(128):
        variation = Enclosure.of(1 - arb(fmpq(1, 20)) - arb(fmpq(1, 8)).sqrt().erf())
    text = (
        f"one deviation apart, beta = 1/20: {decimal_text(share.lo, 6, up=False)}... instead of "
        f"{decimal_text(variation.lo, 6, up=False)}..."
    )
    digits = [(share, Fraction(7404, 10**4)), (variation, Fraction(5670, 10**4))]
    return confirmed_if(all(cut <= v.lo and v.hi < cut + Fraction(1, 10**4) for v, cut in digits), text)


CLAIMS = (
    Claim(
        "synthbounds.floor.same-moments", "synthbounds", "certificate-floor, (c), (e) and Numbers",
        "Two tables can have the same first and second moments, while the excess of a model is more than 50 times "
        "larger on one of them: certificates from these moments must exceed the larger excess on both.",
        Verdict.CONFIRMED, Method.BALL, _same_moments, theorems=(FLOOR,),
        quote="Two tables of 8 records with the same moments show that noise is not needed",
    ),
    Claim(
        "synthbounds.floor.share", "synthbounds", "certificate-floor, (c) and Numbers",
        "At a shift of one deviation and beta = 1/20 the lemma of Neyman and Pearson gives a larger share of releases "
        "than total variation does: 0.7404 against 0.5670, truncated to four digits.",
        Verdict.CONFIRMED, Method.BALL, _more_than_total_variation, theorems=(FLOOR,),
        quote=r"At shift $s=1$ and $\beta=.05$ the share is $.7404$; by total variation it would be $.5670$.",
    ),
)  # fmt: skip
