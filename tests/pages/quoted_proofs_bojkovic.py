"""Numbers on the proof pages of bojkovic2024 about finite domains: sizes by the theorems, runs by the benchmarks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from math import isclose, log, log2, sqrt
from typing import Any

import synthbounds as sb
from bounds.exact import Exact
from bounds.queries import QueryFamily
from bounds.sizes.requirement import Alternative, Requirement, TermResult
from bounds.sizes.setting import build_setting
from tests.bounds.test_certificates import EXAMPLES
from tests.pages.quoted import SETTING, Page, recorded
from tests.pages.quoted_proofs_density import everywhere
from verify.guarantee import ACCURACY, CONFIDENCE, Guarantee, guarantees

USUAL = {"epsilon": "0.2", "delta": "0.05", "gamma": "0.05"}
"""What most pages ask with."""
LARGE = {"epsilon": "0.2", "delta": "0.5", "gamma": "0.25"}
USUAL_ACCURACY = 8 * Fraction(USUAL["delta"])
TOTAL, VARYING, WIDTH, CHANGE = "F", "F'", "R", r"\Delta_1"
"""What the pages call the facts of a family: queries, those that vary, their range, what a record changes in all."""
EVERY_FACT = (TOTAL, VARYING, WIDTH, CHANGE)


def ask(theorem: str, edition: str = "sharp", **question: Any) -> Requirement:
    """The sizes of a theorem of the paper, in the usual question unless told otherwise."""
    return sb.require(theorem=f"bojkovic2024.{theorem}", edition=edition, **{**USUAL, **question})


def term(answer: Requirement, begins: str) -> TermResult:
    (found,) = (t for t in answer.terms if t.name.startswith(begins))
    return found


def quantity(answer: Requirement, name: str) -> float:
    (found,) = (d.enclosure for d in answer.derived if d.name == name)
    return float(found.midpoint)


def sizes(answer: Requirement, route: str) -> tuple[int, int]:
    """n and m of a route, chosen or not."""
    candidates: list[Requirement | Alternative] = [answer, *answer.alternatives]
    (found,) = (c for c in candidates if c.route == route)
    assert found.n is not None
    assert found.m is not None
    return found.n, found.m


def stated(theorem: str, edition: str, **quantities: Exact) -> float:
    """What an edition of a helper statement says; the first route that the quantities allow."""
    found = sb.evaluate(theorem, edition=edition, **quantities)
    return float(next(row.value.midpoint for row in found if row.value is not None))


def facts(*names: str, p: int, **queries: Any) -> str:
    """What is known about a family, as $F=56$ and so on."""
    family: QueryFamily = build_setting(p=p, **queries).family
    values = {
        TOTAL: family.total,
        VARYING: family.varying,
        WIDTH: family.range_width,
        CHANGE: family.l1_sensitivity,
    }
    return ", ".join(f"${name}={values[name]}$" for name in names)


def times_power(value: float, digits: int) -> str:
    r"""As 8.6402\cdot10^9."""
    mantissa, power = f"{value:.{digits}e}".split("e")
    exponent = str(int(power))
    return rf"{mantissa}\cdot10^{exponent if len(exponent) == 1 else '{' + exponent + '}'}"


def percent(share: float, places: int = 1) -> str:
    return rf"${100 * share:.{places}f}\%$"


def run_by_the_tests(theorem: str, edition: str) -> Guarantee:
    """What tests/verify/test_guarantees.py runs."""
    (found,) = (g for g in guarantees() if (g.theorem, g.edition) == (theorem, edition))
    return found


def sizes_run(guarantee: Guarantee) -> str:
    found = re.findall(r"\b([nmk]) = ([\d,]+)", guarantee.text)
    return ", ".join(f"${name}={size.replace(',', '')}$" for name, size in found)


def missed(guarantee: Guarantee, multiple: str = "") -> str:
    """When the test of a guarantee fails."""
    shown = f"with confidence {percent(CONFIDENCE)}, that the accuracy ${float(ACCURACY)}$ is missed"
    return f"{shown} with probability above ${multiple}{float(guarantee.promised)}$"


# --- private-lp and uniform ----------------------------------------------------------------------------------------


def _private_lp() -> Iterator[str]:
    theorem = "private-lp"
    monomials: dict[str, Any] = {"p": 10, "degree": 2}
    yield f"variables ({facts(*EVERY_FACT, **monomials)})"
    failure = 4 * Fraction(USUAL["gamma"])
    yield f"(accuracy ${float(USUAL_ACCURACY)}$, failure at most ${float(failure)}$)"
    printed, sharp = (ask(theorem, edition, kappa=1, **monomials) for edition in ("printed", "sharp"))
    least, laplace = (f"{quantity(sharp, name):.4f}" for name in ("Q_linf", "Q_laplace"))
    noise = rf"($\ell_\infty$, $Q_\gamma={least}$; Laplace would have $Q_\gamma={laplace}$)"
    yield f"| $n$ | ${printed.n}$ | ${sharp.n}$ {noise} |"
    weights = round(quantity(sharp, "m_chebyshev"))
    yield f"| $m$ | ${printed.m}$ | ${sharp.m}$ (truncated weights; weights ${weights}$) |"
    drawing = ask(theorem, kappa=1, rows="drawing", **monomials)
    yield f"| $k$ | ${printed.k}$ | ${sharp.k}$ (rounding) or ${drawing.k}$ (draw until it fits) |"
    parities: dict[str, Any] = {**monomials, "family": "parities"}
    yield f"Parities of degree at most 2, $p=10$ ({facts(*EVERY_FACT, **parities)})"
    printed, sharp = (ask(theorem, edition, kappa=1, **parities) for edition in ("printed", "sharp"))
    least, laplace = (f"{quantity(sharp, name):.4f}" for name in ("Q_linf", "Q_laplace"))
    yield rf"printed ${printed.n}$, sharp $n={sharp.n}$ with $Q_\gamma={least}$ ($\ell_\infty$; Laplace ${laplace}$)"
    generic: dict[str, Any] = {"p": 10, "queries": 100}
    varying, change = facts(VARYING, CHANGE, **generic).split(", ")
    assert varying == facts(TOTAL, **generic).replace(TOTAL, VARYING)
    yield f"with $F={varying[1:]}, {change}"
    printed, sharp = (ask(theorem, edition, kappa=3, **{**generic, "epsilon": 1}) for edition in ("printed", "sharp"))
    yield f"$n$ from ${printed.n}$ to ${sharp.n}$, $m$ from ${printed.m}$ to ${sharp.m}$."
    gamma = 0.25

    def coefficient(queries: int) -> str:
        spread = sqrt(log(2 * queries / gamma) / (2 * log(queries / gamma)))
        return f"{2 + 4 * spread + 2 * sqrt(1 + 1 / queries):.4f}"

    rest = ", ".join(f"${coefficient(count)}$ (${count}$)" for count in (2, 5, 100))
    yield rf"at $\gamma=\frac14$: ${coefficient(1)}$ ($F=1$), {rest}."
    yield f"draws ${EXAMPLES['bojkovic2024.private-lp']}$ questions"
    run = run_by_the_tests("bojkovic2024.uniform", "printed")
    yield f"({sizes_run(run)})"
    yield missed(run)


def _uniform() -> Iterator[str]:
    failure = 4 * Fraction(USUAL["gamma"])
    yield f"(accuracy ${float(USUAL_ACCURACY)}$, failure at most ${float(failure)}$)"
    degree = r"degree $\le2$"
    for words, p, names, question in (
        (rf"binary monomials, $p=10$, {degree}", 10, (TOTAL, CHANGE, WIDTH), {}),
        ("the same, Laplace noise", 10, (), {"mechanism": "laplace"}),
        (rf"parities, $p=10$, {degree}", 10, (CHANGE, WIDTH), {"family": "parities"}),
        (rf"binary monomials, $p=5$, {degree}", 5, (TOTAL, CHANGE, WIDTH), {}),
    ):
        queries: dict[str, Any] = {"p": p, "degree": 2, **{name: v for name, v in question.items() if name == "family"}}
        printed = ask("uniform", "printed", **queries)
        rows, density = (everywhere(**USUAL, release=how, **{**queries, **question}) for how in ("rows", "density"))
        known = f" ({facts(*names, **queries)})" if names else ""
        numbers = (printed.n, rows.n, density.n, printed.m, rows.m)
        yield f"| {words}{known} | {' | '.join(f'${number}$' for number in numbers)} |"
    whole = everywhere(**USUAL, p=10, degree=2)
    coefficients = [f"${quantity(whole, name):.5f}$" for name in ("Q_linf", "Q_laplace")]
    yield rf"Here $Q_{{4\gamma}}$ is {coefficients[0]} ($\ell_\infty$) and {coefficients[1]} (Laplace)"
    yield f"the product of one-way tables needs ${ask('uniform', p=10, degree=2).n}$ records for the first row"
    yield from _tables_made()


def _tables_made() -> Iterator[str]:
    runs, failure = recorded("guarantee"), Fraction("0.05")
    yield f"makes ${runs['runs']}$ synthetic tables"
    words = {
        5: "For $p=5$, $n={}$ the largest error was ${}$ and the median ${}$",
        10: "$p=10$, $n={}$ they were ${}$ and ${}$",
    }
    promises = []
    for p, said in words.items():
        found = runs[f"cube_p{p}"]
        asked = everywhere(p=p, degree=2, epsilon=USUAL["epsilon"], accuracy=USUAL_ACCURACY, failure=failure)
        assert (found["n"], found["promise_broken"]) == (asked.n, 0)
        spread = found["true_error_quantiles"]
        yield said.format(found["n"], spread["1"], spread["0.5"])
        promises.append(f"${found['promise']}$")
    yield f"Promised were {' and '.join(promises)} with failure at most ${float(failure)}$"


# --- histograms ----------------------------------------------------------------------------------------------------


def survives(theorem: str, p: int, **question: Any) -> int:
    """Records so that every cell survives counting and noise."""
    return term(ask(theorem, "corrected", p=p, degree=2, **question), "density condition").required


def substituted(p: int, **question: Any) -> TermResult:
    """The condition of Theorem III.1 as printed at tau_1 = tau_2 = 1/N."""
    share = Fraction(1, 2**p)
    return term(ask("histogram", "printed", p=p, degree=2, tau1=share, tau2=share, **question), "empirical")


def simulated(name: str) -> dict[str, Any]:
    """A setting of benchmarks/kappa.py as recorded, with the records that the theorem asks for there."""
    points, n = re.fullmatch(r"\w+:(\d+) n=(\d+)", name).groups()  # type: ignore[union-attr]
    asked = survives("histogram-floor", round(log2(int(points))))
    assert int(n) < asked, "not with fewer records than are asked for"
    return {**recorded("kappa")[name], "points": int(points), "n": int(n), "asked": asked}


def _histogram() -> Iterator[str]:
    yield f"(accuracy ${float(USUAL_ACCURACY)}$)"
    shifted = {}
    for p in (5, 10):
        printed, repaired = substituted(p).required, ask("histogram-uniform", "corrected", p=p, degree=2)
        sharp = ask("histogram-uniform", p=p, degree=2)
        n, m = sizes(sharp, "shifted histogram")
        shifted[p] = sizes(ask("histogram-uniform", p=p, degree=2, adjacency="add-remove"), "shifted histogram")[0]
        accepted = round(quantity(_only_shifted(p), "M"))
        full = sizes(sharp, "full support")
        first = str(printed) if printed < 10**6 else f"${times_power(printed, 4)}$"
        yield f"| {p} | {first} | {repaired.n} / {repaired.m} | {n} / {accepted} / {m} | {full[0]} / {full[1]} |"
    epsilon = Fraction(USUAL["epsilon"])
    yield rf"III.1' spends $2\varepsilon={float(2 * epsilon)}$"
    yield f"the sharp columns spend ${float(epsilon)}$"
    yield f"Under add/remove item 2 needs $n_0={shifted[5]}$ and ${shifted[10]}$."
    kappa, few = simulated("uniform:32 n=10000"), simulated("uniform:32 n=1000")
    yield f"${recorded('kappa')['runs']}$ runs in each setting"
    yield rf"$N={kappa['points']}$ points and $n={kappa['n']}$, fewer than the ${kappa['asked']}$ of the table"
    yield rf"its $95\%$ quantile was ${kappa['q95']}$"
    yield rf"at $n={few['n']}$ it was infinite in {percent(few['infinite'])} of the runs"
    found = recorded("guarantee")
    table = found["histogram_p3"]
    assert table["promise_broken"] == 0
    yield f"makes ${found['runs']}$ synthetic tables with the shifted histogram"
    largest = table["true_error_quantiles"]["1"]
    yield f"$n={table['n']}$, each from records of another random"
    yield f"the largest error was ${largest}$, where ${table['promise']}$ is promised"
    yield f"draws ${EXAMPLES['bojkovic2024.histogram-uniform']}$ questions"


def _only_shifted(p: int) -> Requirement:
    """The route of item 2 alone, which says how many points must be accepted."""
    return sb.require(theorem="synthbounds.shifted-histogram", p=p, degree=2, **USUAL)


def _histogram_floor() -> Iterator[str]:
    scale, inverse = (Fraction(top) / Fraction(USUAL[name]) for top, name in ((16, "epsilon"), (1, "gamma")))
    records = ", ".join(f"${survives('histogram-floor', p)}$ for $N={2**p}$" for p in (4, 5, 10))
    yield rf"$n\ge{scale}N\log({inverse}N)$ is {records}."
    half, family = ask("histogram-floor", "corrected", p=5, degree=2), facts(TOTAL, p=5, degree=2)
    assert half.m is not None
    ratio = half.renyi_bound
    assert ratio is not None
    weight = Fraction(5, 14)
    heavy, other = Fraction(9, 5) / (1 - weight), 1 / weight  # the two bounds of the proof, equal at this weight
    assert heavy == other
    better = half.m * heavy / ratio.hi
    sharp = sizes(ask("histogram-floor", p=5, degree=2), "shifted histogram")[1]
    by_weight = rf"${half.m}$ (weight $\frac12$), ${better}$ (weight $\frac5{{14}}$)"
    yield f"and {family} the number of reference points is {by_weight}, and ${sharp}$ in the sharp edition."
    found = {name: simulated(name) for name in recorded("kappa") if " n=" in name}
    assert len(found) == 7
    yield f"${recorded('kappa')['runs']}$ runs in each of seven settings"
    worst = max(found, key=lambda name: float(found[name]["mixture_median"]))
    assert worst.startswith("zipf")
    setting = rf"$n={found[worst]['n']}$, where $n\ge{found[worst]['asked']}$ is asked for"
    yield f"${found[worst]['mixture_median']}$ (Zipf's law on ${found[worst]['points']}$ points, {setting})"
    yield f"allowed is ${ratio.hi}$"


def _histogram_uniform() -> Iterator[str]:
    scale, inverse = (Fraction(top) / Fraction(LARGE[name]) for top, name in ((16, "epsilon"), (1, "gamma")))
    yield rf"histogram condition ${scale}N\log({inverse}N)$ against $8N^3+16N^2\log{inverse}$:"
    for p, said in ((3, "($p=3$, $t=2$)"), (6, "($p=6$)"), (10, "($p=10$)")):
        printed, points = substituted(p, **LARGE), 2**p
        assert isclose(printed.threshold.midpoint, 8 * points**3 + 16 * points**2 * log(inverse))
        yield f"${survives('histogram-uniform', p, **LARGE)}$ against ${printed.required}$ {said}"
    smaller = f"${survives('histogram-uniform', 10)}$ against ${times_power(substituted(10).required, 4)}$"
    yield rf"At $\delta=\gamma={USUAL['gamma']}$, $p=10$: {smaller}."
    yield f"${recorded('kappa')['runs']}$ runs in each setting"
    for name in ("uniform:8 n=1000", "uniform:256 n=100000"):
        found = simulated(name)
        assert found["asked"] == survives("histogram-uniform", round(log2(found["points"])))
        few = rf"$N={found['points']}$, $n={found['n']}$ (asked for: ${found['asked']}$)"
        its = "it was" if found["points"] > 8 else r"its $95\%$ quantile was"
        yield f"{few} {its} ${found['q95']}$"
    run = run_by_the_tests("bojkovic2024.histogram-uniform", "corrected")
    yield f"({sizes_run(run)})"
    yield missed(run, r"6\gamma=")


PAGES = {
    "bojkovic2024.private-lp": Page(
        _private_lp,
        {SETTING: ("in $p=10$ variables", r"$\epsilon=0.2$, $\delta=\gamma=0.05$", r"$K=3$, $\delta=\gamma=0.05$")},
    ),
    "bojkovic2024.uniform": Page(
        _uniform, {SETTING: (r"$\epsilon=0.2$, $\delta=\gamma=0.05$", r"degree at most 2 with $\epsilon=0.2$")}
    ),
    "bojkovic2024.histogram": Page(
        _histogram,
        {SETTING: (r"$\varepsilon=0.2$, $\delta=\gamma=0.05$", r"$\kappa(\nu\Vert\mu)$ at $\varepsilon=0.2$")},
    ),
    "bojkovic2024.histogram-floor": Page(
        _histogram_floor,
        {
            SETTING: (
                r"$\varepsilon=0.2$, $\gamma=0.05$",
                r"With $\delta=0.05$",
                r"with weight $\frac12$ at $\varepsilon=0.2$",
            ),
        },
    ),
    "bojkovic2024.histogram-uniform": Page(
        _histogram_uniform,
        {SETTING: (r"$\varepsilon=0.2$, $\delta=0.5$, $\gamma=0.25$", r"$\varepsilon=0.2$, $\gamma=0.05$")},
    ),
}
