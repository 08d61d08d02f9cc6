"""Numbers on the proof pages of Section V of bojkovic2024: what the editions say at the settings of the pages."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from typing import Any

import synthbounds as sb
from bounds.arithmetic.multiprecision import MULTIPRECISION
from tests.pages.quoted import Page
from tests.pages.quoted_proofs_bojkovic import percent, times_power

GAMMA = "0.05"


def said(theorem: str, route: str, **quantities: Any) -> float:
    """What one route of a statement of Section V says."""
    rows = sb.evaluate(f"bojkovic2024.{theorem}", **quantities)
    (value,) = (row.value for row in rows if f"{row.edition} {row.route}" == route)
    assert value is not None
    return float(value.midpoint)


def _proportion() -> Iterator[str]:
    asked: dict[str, Any] = {"proportion": "0.3", "n": 900, "k": 400, "noise_sd": "0.01", "F": 9, "gamma": GAMMA}
    yield r"$p=0.3$, $n=900$, $k=400$, $\sigma=0.01$, $F=9$, $\gamma=0.05$:"
    for words, route in (
        (r"printed, $8\delta$", "printed as printed"),
        (r"corrected, $6\delta$", "corrected proportion behind the records"),
        ("sharp, drawn rows", "sharp drawn rows"),
        ("sharp, noisy share", "sharp noisy share"),
    ):
        yield f"| {words} | ${said('proportion', route, **asked):.6f}$ |"
    spread = Fraction(3, 10) * Fraction(7, 10)
    records = 1 / (Fraction(1, 900) + Fraction(1, 100) ** 2 / spread)
    assert records == 630
    yield f"The effective number of records is ${records}$."

    def covered(kind: str, k: int) -> str:
        return percent(said("naive-interval", f"sharp {kind} rows", **{**asked, "k": k}))

    yield rf"at $95\%$ from $400$ drawn rows covers {covered('drawn', 400)} in the limit"
    yield f"from $400$ rounded rows {covered('rounded', 400)}"
    yield f"from $630$ rounded rows {covered('rounded', 630)}, and from $900$ drawn rows {covered('drawn', 900)}."


def _radius(features: int, sd: str, gamma: str) -> float:
    route = "sharp Gaussian noise on the moments"
    return said("covariance", route, features=features, noise_sd=sd, gamma=gamma, delta="0.01")


def _covariance() -> Iterator[str]:
    yield rf"For $p=100$ features the sharp bound at $\gamma=0.05$ is ${_radius(100, '1', GAMMA):.4f}$ times"
    yield "$p$ times it would be $100$"


def _rounded_up(value: float, places: int) -> str:
    text = f"{value + 0.5 * 10**-places:.{places}f}"
    assert value <= float(text) <= value + 1.01 * 10**-places
    return text


def _principal_component() -> Iterator[str]:
    radius = _rounded_up(_radius(14, "0.01", GAMMA), 6)
    asked = {"features": 14, "noisy_gap": 1, "noise_sd": "0.01", "gamma": GAMMA, "second_radius": radius}
    half = {**asked, "gamma": "0.025", "second_radius": _rounded_up(_radius(14, "0.01", "0.025"), 6)}
    yield rf"$p=14$, $\hat g=1$, $\sigma=0.01$, $\gamma=0.05$, $r={radius}$, which is the bound"
    yield f"each of its parts (d) is ${said('principal-component', 'sharp one column of the noise', **half):.6f}$"
    yield f"| twice the error over the gap, gap $1$ granted | ${2 * float(radius):.6f}$ |"
    for name, route in (
        ("b", "corrected gap of the noisy matrix"),
        ("c", "corrected twice the angle"),
        ("d", "sharp one column of the noise"),
    ):
        yield f"| ({name}) | ${said('principal-component', route, **asked):.6f}$ |"


def _graph() -> Iterator[str]:
    radius = _rounded_up(_radius(12, "0.01", GAMMA), 6)
    asked = {"features": 12, "noise_sd": "0.01", "gamma": GAMMA, "second_radius": radius, "column_norm": 10}
    norm = said("graph", "corrected least eigenvalue of the noisy matrix", **asked, noisy_least="0.1")
    column = said("graph", "sharp one column", **asked, noisy_least="0.1")
    yield rf"$p=12$, $\sigma=0.01$, $\hat\lambda=0.1$, $\gamma=0.05$: with $r={radius}$ of bojkovic2024.covariance"
    yield f"the bound (b) is ${norm:.4f}$, and a column of norm $10$, the largest possible, is within ${column:.4f}$"
    all_columns = said("graph", "sharp one column", **{**asked, "gamma": Fraction(1, 240)}, noisy_least="0.1")
    yield rf"all $12$ columns at once, with $\frac\gamma{{12}}$, are within ${all_columns:.4f}$"
    far = said("graph", "sharp one column", **asked, noisy_least="0.06")
    rows = sb.evaluate("bojkovic2024.graph", edition="corrected", noisy_least="0.06", **asked)
    assert [row.value for row in rows] == [None]
    yield rf"at $\hat\lambda=0.06$ (b) says nothing, and (c) still gives ${far:.2f}$ for a column of norm $10$"


def _least_squares() -> Iterator[str]:
    second = _rounded_up(_radius(12, "0.01", "0.025"), 6)
    length = MULTIPRECISION.sqrt(2 * MULTIPRECISION.gamma_quantile(6, MULTIPRECISION.ratio(1, 40)))
    first = _rounded_up(0.02 * float(length), 6)
    asked = {
        "features": 12, "noise_sd": "0.01", "first_sd": "0.02", "gamma": GAMMA, "noisy_least": "0.1", "noisy_norm": 1,
        "first_radius": first, "second_radius": second,
    }  # fmt: skip
    yield r"$p=12$, $\sigma=0.01$, $\sigma_1=0.02$, $\hat\lambda=0.1$, $|\hat b|=1$, $\gamma=0.05$."
    simple = said("least-squares", "corrected noisy matrix", **asked)
    yield f"$r_2={second}$ and $r_1={first}$, (b) gives ${simple:.4f}$"
    one, two = (said("least-squares", f"sharp {r}", **asked) for r in ("all directions alike", "along and across"))
    yield f"(c) gives ${one:.4f}$ by the first line and ${two:.4f}$ by the second."


def _grid() -> Iterator[str]:
    asked = {"features": 10, "radius": 1, "slope": 1, "grid_error": "0.1"}
    middles = said("grid", "corrected middles of cells", **asked)
    ends = said("grid", "printed as printed", **asked)
    yield rf"$R=1$, $L=1$, $\eta=0.1$: for $p=10$ features the middles of cells are ${times_power(middles, 3)}$ queries"
    yield f"the grid with ends is ${times_power(ends, 3)}$"
    four, two = (said("grid", "sharp moments", **asked, D=degree) for degree in (4, 2))
    yield f"up to degree $4$ are ${four:.0f}$, up to degree $2$ they are ${two:.0f}$"
    queries = MULTIPRECISION.ratio(20**10)
    records = 2 * queries / MULTIPRECISION.ratio(1, 20) * MULTIPRECISION.log(20 * queries)
    yield r"At $\varepsilon=1$, $\delta=\gamma=0.05$ the middles of cells ask for"
    yield rf"$n\ge{times_power(float(records), 3)}$ records"


def _chi_square() -> Iterator[str]:
    n, sd, categories = 5000, 20, 5
    error = _rounded_up(sd / n * float(MULTIPRECISION.normal_max_quantile(5, MULTIPRECISION.ratio(1, 40))), 4)
    asked = {"categories": categories, "n": n, "noise_sd": sd, "gamma": GAMMA, "inverse_shares": 25, "delta": GAMMA}
    usual = said("chi-square", "sharp statistic that knows the noise", **asked)
    counted = said("chi-square", "sharp equal shares", **asked)
    yield r"Five equal shares, $n=5000$, counts with noise of $s=20$, level $\gamma=0.05$."
    yield f"The usual critical value is ${usual:.4f}$. With the law of the noise it is ${counted:.4f}$"
    yield f"as for ${n / (1 + categories * sd**2 / n):.0f}$ records without noise"
    half = {**asked, "gamma": "0.025"}
    added = said("chi-square", "printed as printed", **{**half, "delta": Fraction(error) / 8})
    taken = said("chi-square", "corrected errors taken off the shares", **asked)
    yield rf"With $\eta={error}$, which at $\frac\gamma2$ no share of these noisy counts exceeds"
    yield f"with $\\frac\\gamma2$, is ${added:.2f}$; the corrected statistic $S_\\eta$ is compared with ${taken:.4f}$."
    large = 8 * Fraction(GAMMA)
    assert large >= Fraction(2, categories)  # sqrt(K - 1)/K
    share = Fraction(1, categories)
    one_category = ((1 - share - large) ** 2 + (categories - 1) * max(share - large, Fraction(0)) ** 2) / share
    least = ceil(taken / float(one_category))
    yield r"With $8\delta=0.4$ the first can never reject five equal shares"
    yield rf"the second rejects for $n\ge{least}$ records"
    yield rf"can never reject from $8\delta={float(1 - share)}$ on."


PAGES = {
    "bojkovic2024.proportion": Page(_proportion),
    "bojkovic2024.covariance": Page(_covariance),
    "bojkovic2024.principal-component": Page(_principal_component),
    "bojkovic2024.graph": Page(_graph),
    "bojkovic2024.least-squares": Page(_least_squares),
    "bojkovic2024.grid": Page(_grid),
    "bojkovic2024.chi-square": Page(_chi_square),
}
