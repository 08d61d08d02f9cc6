"""Numbers on the proof pages of the lemmas in Appendix A of bojkovic2024: the editions' values against exact ones."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import comb, exp, isclose, log, prod, sqrt

import mpmath
import numpy as np

import synthbounds as sb
from bounds.exact import Exact
from tests.pages.quoted import Page
from tests.pages.quoted_proofs_bojkovic import stated
from verify.claims.bojkovic2024_lemma_steps import Table, power_sum, small_tables, total_variation
from verify.claims.bojkovic2024_lemmas import expected_maximum, l1_tail_of_uniform

ROUNDING = 1e-12
"""What floating point may add to a divergence here."""


def value(lemma: str, edition: str, **quantities: Exact) -> float:
    return stated(f"bojkovic2024.{lemma}", edition, **quantities)


def fraction(number: Fraction) -> str:
    r"""As \frac23 or \frac{269}{192}, or a decimal where it is one."""
    if number == Fraction(str(float(number))):
        return str(float(number))
    return r"\frac" + "".join(str(n) if n < 10 else f"{{{n}}}" for n in number.as_integer_ratio())


def table(text: str) -> Table:
    """Probabilities as a page lists them."""
    found = tuple(map(Fraction, text.split(",")))
    assert sum(found) == 1
    return found


def multiples(points: str, total: int) -> str:
    return rf"on {points} points in multiples of $\frac1{total if total < 10 else f'{{{total}}}'}$"


# --- the largest Laplace variable ----------------------------------------------------------------------------------


def _max_laplace() -> Iterator[str]:
    for count, gamma in ((55, "0.05"), (256, "0.05"), (1024, "0.25")):
        cells = [
            f"${value('max-laplace', edition, sigma=1, count=count, gamma=gamma):.6f}$"
            for edition in ("sharp", "corrected", "printed")
        ]
        yield f"| ${count}$ | ${gamma}$ | {' | '.join(cells)} |"
    means = [expected_maximum(n) for n in range(1, 6)]
    halves = ",".join(rf"\frac{m.numerator}{m.denominator}" for m in means[:3])
    yield rf"is ${halves},{','.join(map(fraction, means[3:]))}$;"
    differences = [f"{mean - log(n):.6f}".rstrip("0") for n, mean in enumerate(means, start=1)]
    yield f"are {', '.join(f'${d}$' for d in differences)}, and tend to"
    yield rf"$\gamma_E-\log2={float(mpmath.euler) - log(2):.6f}$"
    yield from _tails_at_the_printed_threshold()
    x = np.linspace(1, 2, 10**5)
    largest = float((x * (2 ** (1 - x) - 4**-x)).max())
    above = f"{largest + 5e-5:.4f}"
    assert float(above) - 1e-4 < largest < float(above)
    yield f"stays below ${above}$"


def _tails_at_the_printed_threshold() -> Iterator[str]:
    below, large, steps = 200, (3, 5), 1000
    gammas = np.arange(1, steps + 1) / steps
    for count in (*range(2, below), *(10**power for power in large)):
        each = count ** (-1 / gammas)
        for tail in (each / 2, each):
            assert (-np.expm1(count * np.log1p(-tail)) <= gammas).all()
    far = ", ".join(f"$n=10^{power}$" for power in large)
    yield rf"for $2\le n<{below}$, {far} and the thousand values $\gamma={1 / steps},\dots,1$: never larger"


# --- the empirical distribution ------------------------------------------------------------------------------------


def _empirical_tv() -> Iterator[str]:
    cells, draws, least = 10, 100, 32
    mean = sum(
        comb(draws, c) * Fraction(1, cells) ** c * Fraction(cells - 1, cells) ** (draws - c) * abs(c - draws // cells)
        for c in range(draws + 1)
    )
    roots = (sqrt((cells - 1) / draws), sqrt(cells / draws))
    whole = rf"$\sqrt{{(k-1)/n}}={roots[0]:g}$, $\sqrt{{k/n}}={roots[1]:.6f}$ and $k/n={cells / draws}$."
    yield f"$k={cells}$, $n={draws}$, uniform $p$: $EZ={float(mean * cells / draws):.6f}$, while {whole}"
    exact = float(l1_tail_of_uniform(cells, draws, least))
    for deviation in ("0.319", "0.3199"):
        # 100 Z is an even integer, so that both ask for the same event
        assert Fraction(least - 2, draws) <= Fraction(deviation) < Fraction(least, draws)
        bounds = [
            value("empirical-tv", edition, count=cells, n=draws, deviation=deviation)
            for edition in ("printed", "corrected", "sharp")
        ]
        yield f"| ${deviation}$ | {' | '.join(f'${number:.6f}$' for number in (exact, *bounds))} |"
    yield from _tails_below_the_bound()


def _tails_below_the_bound() -> Iterator[str]:
    kinds, sizes, compared = (("two", 2, 12), ("three", 3, 6)), (5, 10, 20, 40), 0
    tables = [p for _, points, total in kinds for p in small_tables(points, total)]
    for p, n in product(tables, sizes):
        mean, tail = sqrt((len(p) - 1) / n), 0.0
        for t, chance in sorted(l1_distribution(p, n).items(), reverse=True):
            tail += chance
            if t < mean:
                break
            assert tail <= exp(-n / 2 * (float(t) - mean) ** 2) + ROUNDING
            compared += 1
    words = " and ".join(multiples(points, total) for points, _, total in kinds)
    yield f"for the ${len(tables)}$ distributions {words}, for $n={','.join(map(str, sizes))}$"
    yield rf"in none of the ${compared}$ cases"


def l1_distribution(p: Table, n: int) -> dict[Fraction, float]:
    """How the L1 distance of n draws from their source p is distributed."""
    found: dict[Fraction, float] = defaultdict(float)
    for first in product(range(n + 1), repeat=len(p) - 1):
        if sum(first) > n:
            continue
        counts = (*first, n - sum(first))
        ways = prod(comb(sum(counts[: i + 1]), c) for i, c in enumerate(counts))
        distance = sum((abs(Fraction(c, n) - share) for c, share in zip(counts, p, strict=True)), Fraction(0))
        found[distance] += ways * prod(float(share) ** c for c, share in zip(counts, p, strict=True))
    assert isclose(sum(found.values()), 1)
    return found


# --- ratios and divergences ----------------------------------------------------------------------------------------


def ratio_bounds(p: Table, q: Table, distance: Fraction) -> tuple[Fraction, Fraction]:
    """(a) and (b) of the page on ratios."""
    return 1 / (1 + distance / min(p)), 1 - distance / min(q)


def least_ratio(p: Table, q: Table) -> Fraction:
    return min(a / b for a, b in zip(p, q, strict=True))


def _ratio_tv() -> Iterator[str]:
    for ours, theirs, said in (
        ("0.4,0.6", "0.6,0.4", r"$\mathrm{{TV}}={tv}$, the ratio is ${ratio}$, (a) gives ${a}$ and (b) gives ${b}$."),
        ("0.1,0.9", "0.15,0.85", "ratio ${ratio}$, (a) ${a}$, (b) ${b}$."),
        (
            "0.2,0.3,0.5",
            "0.25,0.35,0.4",
            r"$\mathrm{{TV}}={tv}$, $\theta_\infty={gap}$; ratio ${ratio}$, (a) ${a}$, (b) ${b}$; "
            r"with $\theta_\infty$, (a) gives ${with_gap[0]}$ and (b) gives ${with_gap[1]}$.",
        ),
    ):
        p, q = table(ours), table(theirs)
        tv, gap = total_variation(p, q), max(b - a for a, b in zip(p, q, strict=True))
        (first, second), sharper = ratio_bounds(p, q, tv), ratio_bounds(p, q, gap)
        assert isclose(first, value("ratio-tv", "printed", tv=tv, p_min=min(p)))
        assert isclose(second, value("ratio-tv", "sharp", tv=tv, q_min=min(q)))
        assert isclose(sharper[0], value("ratio-tv", "sharp", gap=gap, p_min=min(p)))
        numbers = said.format(
            tv=fraction(tv),
            gap=fraction(gap),
            ratio=fraction(least_ratio(p, q)),
            a=fraction(first),
            b=fraction(second),
            with_gap=[fraction(bound) for bound in sharper],
        )
        yield f"$p=({ours})$, $q=({theirs})$: {numbers}"
    kinds, pairs = (("two", 2, 12), ("three", 3, 9)), []
    for _, points, total in kinds:
        pairs += list(product(small_tables(points, total), repeat=2))
    larger = 0
    for p, q in pairs:
        first, second = ratio_bounds(p, q, total_variation(p, q))
        assert second <= first <= least_ratio(p, q)
        larger += second < first
    yield f"On the ${len(pairs)}$ pairs of distributions {' and '.join(multiples(n, total) for n, _, total in kinds)}"
    yield f"(a) is larger in ${larger}$ of them"


def divergence(p: Sequence[Fraction | float], q: Sequence[Fraction | float], order: float) -> float:
    return log(sum(float(a) ** order * float(b) ** (1 - order) for a, b in zip(p, q, strict=True))) / (order - 1)


def best_middle(p: Table, q: Table) -> tuple[float, ...]:
    """S with equality for alpha = 2."""
    weights = [float(a) ** (2 / 3) * float(b) ** (1 / 3) for a, b in zip(p, q, strict=True)]
    return tuple(weight / sum(weights) for weight in weights)


def through(p: Table, middle: Sequence[Fraction | float], q: Table) -> tuple[float, float]:
    """The two parts of the right-hand side for alpha = 2, after a look at the theorem."""
    first, second = divergence(p, middle, 4), divergence(middle, q, 3)
    exact = [Fraction(part).limit_denominator(10**15) for part in (first, second)]
    whole = value("renyi-triangle", "printed", alpha=2, D_first=exact[0], D_second=exact[1])
    assert isclose(whole, 1.5 * first + second)
    return 1.5 * first, second


def _renyi_triangle() -> Iterator[str]:
    texts = "0.4,0.3,0.2,0.1", "0.42,0.29,0.2,0.09", "0.43,0.27,0.19,0.11"
    p, s, q = map(table, texts)
    first, second = through(p, s, q)
    yield f"$P=({texts[0]})$, $S=({texts[1]})$, $Q=({texts[2]})$: $D_2(P\\Vert Q)={divergence(p, q, 2):.7f}$"
    yield rf"$\frac32D_4(P\Vert S)={first:.7f}$, $D_3(S\Vert Q)={second:.7f}$, right-hand side ${first + second:.7f}$"
    first, second = through(p, best_middle(p, q), q)
    assert isclose(first + second, divergence(p, q, 2))
    yield f"the right-hand side is ${first:.7f}+{second:.7f}={first + second:.7f}$"
    texts = "0.5,0.3,0.2", "0.2,0.3,0.5", ""
    p, q = map(table, texts[:2])
    middle = ",".join(f"{share:.5f}" for share in best_middle(p, q))
    yield f"For $P=({texts[0]})$, $Q=({texts[1]})$, $D_2={divergence(p, q, 2):.7f}$; the optimal $S$ is $({middle})$"
    yield f"uniform $S$ gives ${sum(through(p, [1 / 3] * 3, q)):.7f}$"
    total, orders = 6, (1.5, 2, 3)
    tables = small_tables(3, total)
    for a, b, c in product(tables, repeat=3):
        assert power_sum(a, c, 2) ** 2 <= power_sum(a, b, 4) * power_sum(b, c, 3)
    yield f"on the ${len(tables) ** 3}$ triples of distributions {multiples('three', total)}"
    for alpha, exponent in product(orders, repeat=2):
        assert _slack_of_the_triangle(np.array(tables, dtype=float), alpha, exponent) >= -ROUNDING
    listed = ",".join(map(str, orders))
    yield rf"for $\alpha={listed}$ and $a={listed}$: no violation beyond rounding ($10^{{{round(log(ROUNDING, 10))}}}$;"


def _slack_of_the_triangle(tables: np.ndarray, alpha: float, a: float) -> float:
    """The smallest difference of the two sides of (2) over all triples."""
    b = a / (a - 1)

    def divergences(order: float) -> np.ndarray:
        return np.asarray(np.log(tables**order @ (tables ** (1 - order)).T) / (order - 1))

    first = (alpha - 1 / a) / (alpha - 1) * divergences(a * alpha)
    second = divergences(b * (alpha - 1 / a))
    return float((first[:, :, None] + second[None, :, :] - divergences(alpha)[:, None, :]).min())


def _renyi_tv() -> Iterator[str]:
    p, q = table("1/2,0,1/2"), table("1/4,1/4,1/2")
    theta, beta = total_variation(p, q), min(b / a for a, b in zip(p, q, strict=True) if a)
    assert (theta, beta) == (Fraction(1, 4), Fraction(1, 2))
    yield rf"Order 2: $\sum p^2/q={_sum_and_bound(p, q, 2)}=1+\frac{{{float(theta)}}}{{{float(beta)}}}$"
    yield rf"Order 3: $\sum p^3/q^2={_sum_and_bound(p, q, 3)}=1+\frac14({1 / beta}+{1 / beta**2})$"
    half = _sum_and_bound(p, q, Fraction(1, 2))
    shown = rf"\frac{{\sqrt{{{float(beta)}}}-1}}{{{float(1 - beta)}}}"
    yield rf"Order $\frac12$: $\sum\sqrt{{pq}}={half}=1+\frac14\cdot{shown}$"
    texts = "0.4,0.3,0.2,0.1", "0.43,0.27,0.19,0.11"
    found = sb.renyi(*(text.split(",") for text in texts))
    assert found.kappa is not None
    assert found.direct_bound is not None
    assert found.ratio_bound is not None
    known = rf"$\theta={float(found.total_variation)}$, $\beta={float(found.least_ratio)}$"
    yield rf"$P=({texts[0]})$, $Q=({texts[1]})$: {known}, $\kappa={float(found.kappa):.6f}$"
    bounds = float(found.direct_bound), float(found.ratio_bound)
    yield rf"bound $1+\theta/\beta={bounds[0]:.6f}$, and $1/\beta={bounds[1]:.6f}$"
    yield from _divergences_below_the_bound()


def _sum_and_bound(p: Table, q: Table, order: Fraction | int) -> str:
    """The sum of p^order q^(1 - order), which must be what the theorem allows."""
    found = sum(float(a) ** order * float(b) ** (1 - order) for a, b in zip(p, q, strict=True))
    allowed = value("renyi-tv", "printed", alpha=order, tv=Fraction(1, 4), beta=Fraction(1, 2))
    assert isclose(found, exp((order - 1) * allowed))
    return f"{found:.6f}".rstrip("0")


def _divergences_below_the_bound() -> Iterator[str]:
    kinds, exact, orders, compared = (("two", 2, 12), ("three", 3, 8)), (2, 3, 4), ("0", "0.3", "0.5", "0.9", "1.5"), 0
    for _, points, total in kinds:
        for p, q in product(small_tables(points, total), repeat=2):
            if p == q:
                continue
            theta, beta = total_variation(p, q), least_ratio(q, p)
            for order in exact:
                assert power_sum(p, q, order) <= 1 + theta * (beta ** (1 - order) - 1) / (1 - beta)
            for real in map(float, orders):
                bound = log(1 + theta * (float(beta) ** (1 - real) - 1) / (1 - beta)) / (real - 1)
                assert divergence(p, q, real) <= bound + ROUNDING
            compared += len(exact) + len(orders)
    yield f"different distributions {' and '.join(multiples(n, total) for n, _, total in kinds)}"
    yield f"for the orders ${','.join(map(str, exact))}$ in rationals"
    yield f"for the orders ${','.join(orders)}$ in floating point: none of the ${compared}$ divergences"
    yield rf"by more than rounding ($10^{{{round(log(ROUNDING, 10))}}}$;"


PAGES = {
    "bojkovic2024.max-laplace": Page(_max_laplace),
    "bojkovic2024.empirical-tv": Page(_empirical_tv),
    "bojkovic2024.ratio-tv": Page(_ratio_tv),
    "bojkovic2024.renyi-triangle": Page(_renyi_triangle),
    "bojkovic2024.renyi-tv": Page(_renyi_tv),
}
