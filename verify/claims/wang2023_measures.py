"""Measures of Section 4 of wang2023: the range of the utility improvement and of the Jensen-Shannon distance."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from bounds.enclosure import decimal_text
from bounds.solve import enclose
from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, confirmed_if
from verify.claims.wang2023_projection import divergence


def _improvement_range() -> Evidence:
    """Two features with real correlation 0: the error of a table is 2 |r|, anything from 0 to 2."""
    import sympy as sp

    below, before = sp.symbols("u e", positive=True)
    value = 1 - below  # any number less than 1
    after = (1 - value) * before
    reached = sp.simplify(1 - after / before - value) == 0 and sp.limit(after, before, 0) == 0
    text = (
        "errors are not negative, so 1 - after/before is at most 1, and 1 exactly if no error is left; every v < 1 "
        "comes from after = (1 - v) before, which two features with real correlation 0 can have if the error before is "
        "small. If the error before is 0, there is nothing to improve"
    )
    return confirmed_if(bool(reached), text)


def _js_range() -> Evidence:
    """Disjoint and equal distributions on two points, by the definition with the mixture of the two."""

    def distance(p: tuple[Fraction, Fraction], q: tuple[Fraction, Fraction]) -> arb:
        mixture = ((p[0] + q[0]) / 2, (p[1] + q[1]) / 2)
        return ((divergence(p, mixture) + divergence(q, mixture)) / 2).sqrt()

    first, second = (Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))
    nats = enclose(lambda: distance(first, second))
    bits = enclose(lambda: distance(first, second) / arb(2).log().sqrt())
    text = (
        "the mixture is at least half of each, so both divergences are at most log 2, reached if the two are "
        "disjoint, and 0 if they are equal: to base 2 the distance ends at 1, in nats at "
        f"{decimal_text(nats.lo, 6, up=False)}..."
    )
    return confirmed_if(bits.contains(1) and nats.hi < 1 and distance(first, first) == 0, text, with_conditions=True)


PAPER, PLACE = "wang2023", "Section 4, evaluation measure"

CLAIMS = (
    Claim(
        "wang2023.S4.improvement",
        PAPER,
        PLACE,
        "The utility improvement ranges over (-infinity, 1], and 1 is a perfect alignment.",
        Verdict.CONFIRMED,
        Method.SYMBOLIC,
        _improvement_range,
        "If the correlations of the original synthetic data are exact, it is not defined.",
        quote=r"The range of this metric is  $(-\infty, 1]$ , where a value of 1 indicates a perfect alignment",
        scope=Scope.REASONED,
    ),
    Claim(
        "wang2023.S4.js",
        PAPER,
        PLACE,
        "The Jensen-Shannon distance ranges from 0 to 1.",
        Verdict.CONFIRMED_WITH_CONDITIONS,
        Method.BALL,
        _js_range,
        "True with logarithms to base 2; with natural logarithms the maximum is sqrt(log 2).",
        quote="average Jensen-Shannon distance between the marginal distributions of synthetic and real data, which "
        "ranges from 0 (identical distribution) to 1",
        severity=Severity.READING,
        scope=Scope.REASONED,
    ),
)
