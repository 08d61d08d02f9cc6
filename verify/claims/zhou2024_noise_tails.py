"""Synthetic and real marginals in zhou2024: Lemma 3.4 with Appendix A.4, Corollaries 3.5 and 3.6, Section 1.1."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, product
from math import comb

from flint import arb

from bounds.enclosure import Enclosure, decimal_text, precision
from bounds.registry import find_theorem
from bounds.values import evaluate_value
from verify.claim import Claim, Evidence, Method, Verdict, confirmed_if

Cells = dict[tuple[tuple[int, ...], tuple[int, ...]], Fraction]
PRIVACY: dict[str, object] = {"epsilon": "1/2", "dp_delta": "1e-5", "levels": 2, "failure": "1/1024"}


def value(theorem: str, edition: str, **values: object) -> Enclosure:
    """The first route of one edition that has a value here."""
    for found in evaluate_value(find_theorem(theorem), values, edition):
        if found.value is not None:
            return found.value
    raise AssertionError(f"{theorem} has no value here")


def _tail() -> Evidence:
    """erfc(k/sqrt 2) <= e^(-k^2/2), half the stated bound, as the quotient falls from 1 at k = 0."""
    with precision(128):
        quotients = [(arb(k) / 10 / arb(2).sqrt()).erfc() * (arb(k * k) / 200).exp() for k in range(1, 101)]
        falls = all(bool(b < a) for a, b in pairwise(quotients))
        text = (
            f"P(|N| > k sigma) e^(k^2/2) falls from 1 at k = 0, by {quotients[9].str(6, radius=False)} at k = 1, to "
            f"{quotients[-1].str(6, radius=False)} at k = 10; 2 is allowed"
        )
        return confirmed_if(falls and bool(quotients[0] < 1), text)


def outside(k: arb, marginals: int) -> arb:
    """P(some of the marginals of two cells has noise above 2 k sigma in L1): |Z1| + |Z2| <= s has erf(s/2)^2."""
    return 1 - k.erf() ** (2 * marginals)


def _one_marginal() -> Evidence:
    with precision(128):
        within = all(bool(outside(arb(k) / 4, 1) < 4 * (-arb(k * k) / 32).exp()) for k in range(1, 41))
        at = outside(arb(3), 1)
        text = f"two cells, k = 1/4, ..., 10: the exact probability is below 4 e^(-k^2/2); {at.str(5, radius=False)} "
        return confirmed_if(within, text + "at k = 3, where 0.0444 is stated; in general by a union over the cells")


def _before_the_union() -> Evidence:
    """The premise of the sentence, with the maximum in it: d = 1, binary attributes, 2001 of them."""
    with precision(128):
        found, stated = outside(arb(3), 2001), 4 * (-arb(9) / 2).exp()
        exceeds = bool(found > stated)
        text = (
            "d = 1, l = 2, k = 3, m = 2000: some noisy marginal is further off than l^d k sigma with probability "
            f"{found.str(6, radius=False)}, and 2 l^d e^(-k^2/2) is {stated.str(6, radius=False)}: the premise fails, "
            "what it says of the synthetic data is neither proved nor disproved by this"
        )
        return Evidence(Verdict.UNDECIDABLE if exceeds else Verdict.NOT_CHECKABLE, text)


def _nearest() -> Evidence:
    """All tables of three records with two binary attributes, for fixed noise."""
    tables = list(combinations_with_replacement(list(product((0, 1), repeat=2)), 3))
    sets = [(0,), (1,), (0, 1)]
    cells = [(q, t) for q in sets for t in product((0, 1), repeat=len(q))]

    def counts(table: tuple[tuple[int, ...], ...]) -> Cells:
        seen = Counter((q, tuple(v[j] for j in q)) for v in table for q in sets)
        return {cell: Fraction(seen[cell]) for cell in cells}

    def largest(a: Cells, b: Cells) -> Fraction:
        return max(sum((abs(a[c] - b[c]) for c in cells if c[0] == q), Fraction(0)) for q in sets)

    worst = Fraction(0)
    for shift in range(5):
        noise = {c: Fraction((7 * i * i + 3 * i + shift * (i + 2)) % 23 - 11, 8) for i, c in enumerate(cells)}
        for real in tables:
            noisy = {c: h + noise[c] for c, h in counts(real).items()}
            chosen = min(tables, key=lambda t: largest(noisy, counts(t)))
            size = largest(noisy, counts(real))
            assert largest(noisy, counts(chosen)) <= size
            worst = max(worst, largest(counts(real), counts(chosen)) / size)
    text = f"100 pairs of a table and a noise: the nearest table is within {float(worst):.4f} <= 2 times the noise"
    return confirmed_if(worst <= 2, text)


def number_of_cells(m: int, levels: int, d: int) -> int:
    """Cells of all marginals of 1 to d attributes, the label having two levels."""
    features = sum(comb(m, i) * int(levels**i) for i in range(1, d + 1))
    return features + 2 * sum(comb(m, i) * int(levels**i) for i in range(d))


def _union() -> Evidence:
    few = {
        levels: [
            (m, d) for m in range(1, 40) for d in range(2, m + 2) if number_of_cells(m, levels, d) > (m * levels) ** d
        ]
        for levels in (2, 3, 4, 10)
    }
    first = all(number_of_cells(m, levels, 1) > m * levels for m in range(1, 40) for levels in (2, 10))
    text = f"more than (ml)^d cells: always at d = 1; for d >= 2 and m < 40, by l: {few}"
    expected = few == {2: [(1, 2), (2, 2)], 3: [(1, 2)], 4: [], 10: []}
    return confirmed_if(first and expected, text, with_conditions=True)


def _choice_of_k() -> Evidence:
    import sympy

    size, lam = sympy.symbols("N lambda", positive=True)  # N = (ml)^d
    failure = 2 * size * sympy.exp(-(sympy.log(2) * (1 + lam) + sympy.log(size)))
    same = sympy.simplify(failure - 2 ** (-lam)) == 0
    return confirmed_if(bool(same), "2 (ml)^d exp(-k^2/2) = 2^-lambda at k^2 = 2(ln(2)(1 + lambda) + d ln(ml))")


def _distance() -> Evidence:
    ratios = []
    for m, levels, d in ((4, 2, 2), (5, 3, 2), (9, 2, 4), (20, 10, 3)):
        numbers = {"features": m, "levels": levels, "order": d, "noise_sd": 1, "failure": "1/1024"}
        printed, sharp = (value("zhou2024.marginal-noise", e, **numbers) for e in ("printed", "sharp"))
        ratios.append(printed.lo / sharp.hi)
    text = (
        "(m, l, d) = (4, 2, 2), (5, 3, 2), (9, 2, 4), (20, 10, 3), 2^-lambda = 1/1024: the printed distance is "
        f"{', '.join(f'{float(r):.3f}' for r in ratios)} times one that is proved"
    )
    return confirmed_if(min(ratios) > 1, text, with_conditions=True)


def _combined() -> Evidence:
    with precision(160):
        m, levels, d, lam = 10, 3, 4, 20
        root = (2 * (arb(5) / 4 * 10**6).log() * (arb(2).log() * (1 + lam) + d * arb(m * levels).log())).sqrt()
        summary = Enclosure.of(4 * arb(m) ** 2 * levels**d * root / (arb(1) / 2))
    sd = value("zhou2024.sensitivity", "printed", features=m, order=d, epsilon="1/2", dp_delta="1e-6")
    unit = value("zhou2024.marginal-noise", "printed", features=m, levels=levels, order=d, noise_sd=1,
                 failure=Fraction(1, 2**lam))  # fmt: skip
    product_lo, product_hi = sd.lo * unit.lo, sd.hi * unit.hi
    meets = product_lo <= summary.hi and summary.lo <= product_hi and product_hi - product_lo < Fraction(1, 10**6)
    shown = decimal_text(summary.lo, 9, up=False)
    text = f"m = 10, l = 3, d = 4, lambda = 20, epsilon = 1/2, delta = 1e-6: both are {shown}"
    return confirmed_if(meets, text)


def _corollary(name: str, **more: object) -> Evidence:
    """The corollary is the theorem at nu/n, with the numbers of the lemmas."""
    numbers: dict[str, object] = {"radius": 2, "features": 6, "order": 4, **more}
    sd = value("zhou2024.sensitivity", "printed", features=6, order=4, epsilon="1/2", dp_delta="1e-5")
    nu = value("zhou2024.marginal-noise", "printed", features=6, order=4, levels=2, noise_sd=sd.hi, failure="1/1024")
    n = 10**12
    whole = value(f"zhou2024.{name}-private", "printed", **numbers, **PRIVACY, n=n)
    if name == "logistic":  # the corollary has (3m)^(d-1), the theorem (2m)^(d-1)
        at_zero = value("zhou2024.logistic", "printed", **numbers, marginal_error=0)
        at_nu = value("zhou2024.logistic", "printed", **numbers, marginal_error=nu.hi / n)
        substituted = at_zero.hi + (at_nu.hi - at_zero.lo) * Fraction(27, 8)
    else:
        substituted = value(f"zhou2024.{name}", "printed", **numbers, marginal_error=nu.hi / n).hi
    close = abs(substituted / whole.lo - 1) < Fraction(1, 10**9)
    shown = decimal_text(whole.lo, 8, up=False)
    text = f"R = 2, m = 6, d = 4, l = 2, epsilon = 1/2, delta = 1e-5, n = 1e12: {shown} both ways"
    return confirmed_if(close, text, with_conditions=True)


def _corollary_lipschitz() -> Evidence:
    return _corollary("lipschitz", slope=1, at_zero=1)


def _corollary_logistic() -> Evidence:
    return _corollary("logistic")


def explicit_terms(theorem: str, m: int, d: int) -> tuple[Fraction, Fraction]:
    """The two terms of the paper's route at tau = 1/sqrt m, K = phi(0) = 1, as multiples of the stated ones."""
    numbers: dict[str, object] = {"radius": 1, "features": m, "order": d}
    if theorem == "zhou2024.lipschitz":
        numbers |= {"slope": 1, "at_zero": 1}
    bias = value(theorem, "corrected", **numbers, marginal_error=0).hi
    cost = value(theorem, "corrected", **numbers, marginal_error=1).hi - bias
    stated = (
        1 / Fraction(d - 1) if theorem == "zhou2024.logistic" else Fraction(10**9) / int((d - 1) ** 0.5 * 10**9 + 1)
    )
    return bias / stated, cost / (3 * m) ** (d - 1)


def _summary(theorem: str, first_allowed: int) -> Evidence:
    found = [explicit_terms(theorem, m, d) for m, d in ((1, 2), (4, 3), (10, 5), (100, 10))]
    first, second = max(f for f, _ in found), max(s for _, s in found)
    text = (
        f"constants at most {float(first):.4f} and {float(second):.4f} for (m, d) = (1, 2), (4, 3), (10, 5), (100, 10)"
    )
    return confirmed_if(first <= first_allowed and second <= 4, text, with_conditions=True)


def _summary_general() -> Evidence:
    return _summary("zhou2024.lipschitz", 11)


def _summary_logistic() -> Evidence:
    return _summary("zhou2024.logistic", 4)


def _unit_balls() -> Evidence:
    """sqrt m = 3: x/3 lies in the unit ball, 3w in the unit ball for |w| <= 1/3, and the margin is the same."""
    x, w = [Fraction(1)] * 9, [Fraction((-1) ** j, 9) for j in range(9)]
    scaled_x, scaled_w = [u / 3 for u in x], [3 * u for u in w]
    norms = sum(u * u for u in scaled_x), sum(u * u for u in scaled_w), sum(u * u for u in w)
    margins = [sum((a * b for a, b in zip(p, q, strict=True)), Fraction(0)) for p, q in ((w, x), (scaled_w, scaled_x))]
    text = "m = 9: a corner x/3 and 3w for |w| = tau = 1/3 have norm 1 exactly, and the margin does not change"
    return confirmed_if(norms == (1, 1, Fraction(1, 9)) and margins[0] == margins[1], text)


def _large_n() -> Evidence:
    numbers: dict[str, object] = {"radius": 1, "features": 10, "order": 3, **PRIVACY}
    first = value("zhou2024.logistic", "corrected", radius=1, features=10, order=3, marginal_error=0).hi
    rest = []
    for power in (12, 16, 20, 24):
        numbers |= {"n": 10**power, "dp_delta": Fraction(1, 10 ** (2 * power))}
        rest.append(value("zhou2024.logistic-private", "corrected", **numbers).hi - first)
    text = (
        f"logistic loss, tau = 1/sqrt m, m = 10, d = 3, delta = 1/n^2: first term {decimal_text(first, 4, up=True)}, "
        f"the other {', '.join(f'{float(r):.3g}' for r in rest)} at n = 1e12, 1e16, 1e20, 1e24"
    )
    return confirmed_if(all(b < a / 1000 for a, b in pairwise(rest)) and rest[-1] < first, text)


CONFIRMED, CONDITIONS = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS
NOISE, A4 = ("zhou2024.marginal-noise",), "Appendix A.4"
EXCESS = ("zhou2024.lipschitz", "zhou2024.logistic")
CLAIMS = (
    Claim("zhou2024.A4.tail", "zhou2024", A4,
          "The noise of a cell is within k sigma with probability at least 1 - 2 exp(-k^2/2).",
          CONFIRMED, Method.BALL, _tail, "The factor 2 can be dropped.", NOISE),
    Claim("zhou2024.A4.one-marginal", "zhou2024", A4,
          "The noise of a marginal is within l^d k sigma in L1 with probability at least 1 - 2 l^d exp(-k^2/2).",
          CONFIRMED, Method.BALL, _one_marginal, theorems=NOISE),
    Claim("zhou2024.A4.before-union", "zhou2024", f"{A4}, sentence with the triangle inequality",
          "All synthetic marginals are within 2 l^d k sigma with probability 1 - 2 l^d exp(-k^2/2), before the union "
          "over the marginals.",
          Verdict.UNDECIDABLE, Method.BALL, _before_the_union,
          "The probability is that of one marginal; the next sentence takes the union, and only its bound is used.",
          NOISE),
    Claim("zhou2024.A4.nearest", "zhou2024", A4,
          "The synthetic data are as near to the noisy marginals as the real data, so within twice the noise.",
          CONFIRMED, Method.EXACT, _nearest,
          "The minimum is over data sets with the real one among them: n records of the same domain.", NOISE),
    Claim("zhou2024.A4.union", "zhou2024", A4,
          "The union over all marginals costs at most (ml)^d cells.",
          CONDITIONS, Method.EXACT, _union,
          "For d >= 2, and for d = 2 with m >= 3 at l = 2 or m >= 2 at l = 3; the label has two levels.", NOISE),
    Claim("zhou2024.A4.choice", "zhou2024", f"{A4}, last sentence",
          "k = sqrt(2(ln(2)(1 + lambda) + d ln(ml))) makes the failure probability 2^-lambda.",
          CONFIRMED, Method.SYMBOLIC, _choice_of_k, theorems=NOISE),
    Claim("zhou2024.L34.statement", "zhou2024", "Lemma 3.4",
          "All synthetic marginals are within 2 l^d sqrt(2(ln(2)(1 + lambda) + d ln(ml))) sigma in L1 with probability "
          "1 - 2^-lambda.", CONDITIONS, Method.BALL, _distance,
          "For n records and at most (ml)^d cells, that is from d = 2 on but for three or fewer attributes.", NOISE),
    Claim("zhou2024.11.distance", "zhou2024", "Section 1.1",
          "The distance 4 m^(d/2) l^d sqrt(2 ln(1.25/delta)(ln(2)(1 + lambda) + d ln(ml)))/epsilon is that of Lemmas "
          "3.3 and 3.4.", CONFIRMED, Method.BALL, _combined, theorems=(*NOISE, "zhou2024.sensitivity")),
    Claim("zhou2024.Cor35.statement", "zhou2024", "Corollary 3.5",
          "With the noise of Lemma 3.3 and the distance of Lemma 3.4, Theorem 3.1 bounds the excess except with "
          "probability 2^-lambda.", CONDITIONS, Method.BALL, _corollary_lipschitz,
          "Under the conditions of the lemmas and of the theorem: d >= 3, or d = 2 and m >= 4; n public; phi(0) >= 0.",
          ("zhou2024.lipschitz-private",)),
    Claim("zhou2024.Cor36.statement", "zhou2024", "Corollary 3.6",
          "With the noise of Lemma 3.3 and the distance of Lemma 3.4, Theorem 3.2 bounds the excess except with "
          "probability 2^-lambda.", CONDITIONS, Method.BALL, _corollary_logistic,
          "Under the conditions of the lemmas. It has (3m)^(d-1) where the theorem has (2m)^(d-1): weaker, not wrong.",
          ("zhou2024.logistic-private",)),
    Claim("zhou2024.11.general", "zhou2024", "Section 1.1",
          "In unit balls the excess is O(1/sqrt(d-1) + (3m)^(d-1) nu/n) for O(1)-Lipschitz losses.",
          CONDITIONS, Method.BALL, _summary_general, "For d >= 2 and phi(0) = O(1).", EXCESS[:1]),
    Claim("zhou2024.11.logistic", "zhou2024", "Section 1.1",
          "In unit balls the excess is O(1/(d-1) + (3m)^(d-1) nu/n) for logistic regression.",
          CONDITIONS, Method.BALL, _summary_logistic,
          "For d >= 2. Here the radius is 1, and the proof of Theorem 3.2 applies.", EXCESS[1:]),
    Claim("zhou2024.31.unit-balls", "zhou2024", "Section 3.1, after Theorem 3.1, and Section 1.1",
          "tau = 1/sqrt m is the problem with records and models in unit balls.",
          CONFIRMED, Method.EXACT, _unit_balls, theorems=EXCESS),
    Claim("zhou2024.32.large-n", "zhou2024", "Sections 1.1, 3.1 and 3.2, on n going to infinity",
          "As n grows the excess is dominated by the first term, O(1/sqrt(d-1)) or O(1/(d-1)).",
          CONFIRMED, Method.BALL, _large_n,
          "True at fixed m, d and l, also with delta = 1/n^2. As rates both are far from the truth: 1/d, and geometric "
          "in d.", EXCESS),
)  # fmt: skip
