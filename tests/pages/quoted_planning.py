"""Numbers on the page about planning a release: from plans of the survey, which are computed anew."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import synthbounds as sb
from bounds.enclosure import decimal_text
from mechanisms.planning.certificates import NORMS
from mechanisms.planning.error_plan import EPSILONS, ErrorPlan
from mechanisms.planning.parameters import ONE_WAY, TWO_WAY
from release.data.counting import MOST_MARGINALS
from release.parameters import DEFAULT_BETA
from tests.pages.quoted import ROOT, SETTING, Page, thousands

_SURVEY = ROOT / "docs" / "examples" / "survey.schema.json"
_N = 20_000


def _best(found: ErrorPlan, kind: str, *, pure: bool) -> str:
    best = found.best(kind, pure=pure)
    assert best is not None
    error = best.error(kind)
    assert error is not None
    return decimal_text(error, 3, up=True)


def _planning() -> Iterator[str]:
    yield f"over epsilon from {float(EPSILONS[0])} to {EPSILONS[-1]}"
    yield f"except with probability {float(DEFAULT_BETA)} (`--beta`)"
    yield "norm {}, {} and {}".format(*NORMS)
    yield f"at most {thousands(MOST_MARGINALS)} of them"
    found = sb.plan_release(_SURVEY, n=_N)
    one_way, two_way = ([_best(found, kind, pure=pure) for pure in (True, False)] for kind in (ONE_WAY, TWO_WAY))
    yield f"at n = {thousands(_N)}"
    yield f"one-way shares are within {one_way[0]} without a delta and within {one_way[1]} with it"
    yield f"two-way cells within {two_way[0]} and {two_way[1]}"
    least = sb.plan_release(_SURVEY, n=_N, error="0.01").least(pure=True)
    assert least is not None
    assert least.value is not None
    assert least.neighbour is not None
    yield f"take epsilon {_decimal(least.value)} without a delta ({_decimal(least.neighbour)} is not enough)"
    records = sb.plan_release(_SURVEY, epsilon=1, error="0.01", of=TWO_WAY).least(pure=False)
    assert records is not None
    assert records.value is not None
    yield f"at epsilon 1 take {thousands(int(records.value))} records"


def _decimal(value: Fraction) -> str:
    return f"{float(value):g}"


PLANNING_A_RELEASE = Page(_planning, {SETTING: ("one-way shares within 0.01", "two-way cells within 0.01")})
