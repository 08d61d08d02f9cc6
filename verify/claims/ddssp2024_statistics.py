"""The noise scales of Section 2.2 of ddssp2024: the missing factor, and the budgets for which they are private.

Records are encoded as in the paper where a numerical attribute has one entry in [-1, 1] and every other attribute has
at most one entry of 1; then, from two attributes on, no record of norm ||X|| lies along an axis, and the upper triangle
of X^T X moves by less than ||X||^2.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

from bounds.enclosure import decimal_text
from bounds.privacy.gaussian import gaussian_delta
from verify.claim import Claim, Evidence, Method, Severity, Verdict, Withdrawn, inconsistent_if
from verify.claims.ddssp2024_gaussian import DELTA, integrated_delta, is_private, noise_of, true_epsilon

SINGLE, JOINT = ("0.364732", "0.364733"), ("0.009483", "0.009484")
"""At delta = 1e-5 the printed noise on X^T y, or on both statistics, is private at the first but not at the second."""
BACKGROUND = (
    "The section is background: no theorem of the paper is stated for these scales, and no experiment uses them."
)


def _missing_factor() -> Evidence:
    """Definition 2.4 with sensitivity B^2 is 2 log(1.25/delta) B^4/epsilon^2."""
    import sympy as sp

    b, y, delta, epsilon = sp.symbols("B Y delta epsilon", positive=True)
    logarithm = sp.log(sp.Rational(5, 4) / delta)
    ratios = [
        sp.simplify(2 * logarithm * sensitivity**2 / epsilon**2 / (printed * logarithm / epsilon**2))
        for sensitivity, printed in ((b**2, b**4), (b * y, b**2 * y**2))
    ]
    limits = [is_private(Fraction(1), Fraction(limit), 1) for limit in SINGLE] == [True, False]
    at_one = gaussian_delta(noise_of(Fraction(1), Fraction(1), 1, least=True), epsilon=1).delta.lo
    true = decimal_text(true_epsilon(Fraction(1), Fraction(1), 1), 7, up=False)
    text = (
        f"variance of Definition 2.4 over the printed one: {ratios}; at delta = 1e-5 the printed noise on X^T y alone "
        f"is private for epsilon <= {SINGLE[0]}, not for epsilon >= {SINGLE[1]}; at epsilon = 1 its delta is "
        f"{decimal_text(at_one, 8, up=False)}..., its epsilon {true}"
    )
    return inconsistent_if(ratios == [2, 2] and limits and at_one > DELTA and _note_holds(), text)


def _note_holds() -> bool:
    """What is said in addition to the finding: about encoded records, and about both releases together."""
    encoded = brackets(8, "5.880746", with_cross=False) and brackets(14, "0.031744", with_cross=True)
    pair = [is_private(Fraction(1), Fraction(limit), 2) for limit in JOINT] == [True, False]
    restored = [is_private(Fraction(2), Fraction(limit), 2) for limit in SINGLE] == [True, False]
    shifts = [encoded_gram_shift(attributes) for attributes in range(8, 21)]
    return encoded and pair and restored and all(a > b for a, b in pairwise(shifts))


def _missing_factor_by_sensitivity() -> Evidence:
    """By Appendix D: the record (3, 4) with target 2 moves both statistics by more than the printed scales cover."""
    rows, answers, v, w = ((1, 2), (0, -1), (2, 2)), (1, -2, 1), (3, 4), 2
    grams = [[sum(r[i] * r[j] for r in t) for i in range(2) for j in range(2)] for t in (rows, (*rows, v))]
    crosses = [
        [sum(r[i] * y for r, y in zip(t, ys, strict=True)) for i in range(2)]
        for t, ys in ((rows, answers), ((*rows, v), (*answers, w)))
    ]
    moved = [sum((b - a) ** 2 for a, b in zip(*pair, strict=True)) for pair in (grams, crosses)]
    allowed = [Fraction(5**4, 2), Fraction(5**2 * 2**2, 2)]  # Delta^2 implied by nu^2 and v^2 in Definition 2.4
    below, above, at_one = (integrated_delta(1, epsilon, 1) for epsilon in (*SINGLE, "1"))
    text = (
        f"||X|| = 5, ||Y|| = 2: one record moves X^T X and X^T y by squared distances {moved[0]} and {moved[1]}, while "
        f"the printed variances are those of Definition 2.4 for squared sensitivities {allowed[0]} and {allowed[1]}; "
        f"delta by integration is {float(at_one):.9g} at epsilon = 1"
    )
    too_little = below < 1e-5 < above and at_one > 1e-5
    return inconsistent_if(too_little and all(m == 2 * a for m, a in zip(moved, allowed, strict=True)), text)


def encoded_gram_shift(attributes: int) -> Fraction:
    """Largest squared change of the upper triangle of X^T X over ||X||^4, each attribute with one entry in [-1, 1].

    It is ((w_1 + ... + w_c)^2 + w_1^2 + ... + w_c^2)/2 in the squares w of the entries, which grows in each of them.
    """
    largest = max(Fraction(ones**2 + ones, 2) for ones in range(attributes + 1))
    return largest / attributes**2


def encoded_is_private(epsilon: Fraction, attributes: int, *, with_cross: bool) -> bool | None:
    """The same question for X^T X, with or without X^T y, for records encoded as in the paper."""
    return is_private(1 / (encoded_gram_shift(attributes) + int(with_cross)), epsilon, 1)


def brackets(attributes: int, limit: str, *, with_cross: bool) -> bool:
    """Whether encoded records are private at the limit and not at one millionth more."""
    at = Fraction(limit)
    found = [encoded_is_private(e, attributes, with_cross=with_cross) for e in (at, at + Fraction(1, 10**6))]
    return found == [True, False]


def _response_dimension() -> Evidence:
    import sympy as sp

    x = sp.ones(7, 3)
    try:
        _ = x.T * sp.ones(3, 1)
    except sp.matrices.exceptions.ShapeError as error:
        works = (x.T * sp.ones(7, 1)).shape == (3, 1)
        return inconsistent_if(works, f"multiplying fails for y with d entries ({error}) and works with n entries")
    return Evidence(Verdict.UNDECIDABLE, "the product with d entries exists")


def _response_dimension_by_neighbours() -> Evidence:
    """Without a product: by Definition 2.1 and Appendix D a neighbour has one record more, and so one response more."""
    table = [((i, i * i, 1), i % 2) for i in range(7)]
    neighbour = [*table, ((5, 5, 5), 1)]
    responses = [len([y for _, y in records]) for records in (table, neighbour)]
    columns = [{len(x) for x, _ in records} for records in (table, neighbour)]
    text = (
        f"neighbours have {responses} responses, as Appendix D writes them, and {columns} columns: d responses fit "
        "neither"
    )
    return inconsistent_if(columns[0] == columns[1] and not columns[0] & set(responses), text)


CLAIMS = (
    Claim(
        "ddssp2024.2-2.factor", "ddssp2024", "Section 2.2, both noise scales",
        "The scales nu^2 = ||X||^4 log(1.25/delta)/epsilon^2 and v^2 = ||X||^2 ||Y||^2 log(1.25/delta)/epsilon^2 are "
        "those of the Gaussian mechanism of Definition 2.4.",
        Verdict.INCONSISTENT, Method.SYMBOLIC, _missing_factor,
        "Definition 2.4 has 2 log(1.25/delta): a factor 2 is missing in both variances. At delta = 1e-5 the printed "
        "noise on X^T y alone is private for epsilon <= 0.364732; with the factor 2 it is private up to 8.4197. X^T X "
        "alone, with noise on its upper triangle, loses privacy this early only if vectors lie along an axis: for 8 or "
        "more features with entries of at most 1, encoded as in the paper, the printed noise is private up to epsilon "
        "= 5.8807. Note: the paper names no budget for both releases together. With the printed noise the pair is "
        "private for epsilon <= 0.009483 in the worst case, <= 0.031744 for 14 encoded attributes, and with the factor "
        "2 for epsilon <= 0.364732; one joint release with sensitivity ||X|| sqrt(||X||^2 + ||Y||^2) needs less. "
        + BACKGROUND,
        hypotheses=("the bounds ||X|| and ||Y|| are attained together, by one record",),
        again=_missing_factor_by_sensitivity,
        quote=r"the noise scale is $\nu^2 = \frac{\|\mathcal{X}\|^4 \log(1.25/\delta)}{\epsilon^2}$",
        severity=Severity.CONDITION, depends_on=("ddssp2024.D.cross", "ddssp2024.D.gram"),
        lemma="ddssp2024.printed_variances_are_half",
    ),
    Claim(
        "ddssp2024.2-2.response", "ddssp2024", "Section 2.2",
        "X is n x d and the response vector y lies in R^d.",
        Verdict.INCONSISTENT, Method.EXACT, _response_dimension,
        "y lies in R^n, as in Section 3.1 and Appendix D. A slip of the print or of the scan.",
        again=_response_dimension_by_neighbours,
        quote=r"$y \in \mathbb{R}^d$ is the response vector", severity=Severity.SLIP,
    ),
)  # fmt: skip

WITHDRAWN = (
    Withdrawn(
        "ddssp2024.2-2.one-release",
        "This is a consequence of the missing factor 2 and is counted there.",
        see="ddssp2024.2-2.factor",
    ),
    Withdrawn(
        "ddssp2024.2-2.both-releases",
        "The paper states no budget for both releases together. The numbers are now a note on the missing factor.",
        see="ddssp2024.2-2.factor",
    ),
)
