"""Queries of vietri2022: Definition 4, the relaxed domain and product queries of Section 3."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

from verify.claim import Claim, Evidence, Method, Scope, Severity, Verdict, Withdrawn, confirmed_if, inconsistent_if

SIZES = (2, 3, 2)
"""Three categorical features for complete enumerations."""


def linear_threshold(point: tuple[int, ...], theta: tuple[int, ...], tau: int) -> bool:
    """Definition 4 without the label: is <theta, x> <= tau?"""
    return sum(t * x for t, x in zip(theta, point, strict=True)) <= tau


GRID = tuple(product(range(-2, 3), repeat=2))
"""Points with two numerical features."""


def _below() -> Evidence:
    """The half-space of theta = (1, 0), tau = 0, whose upper side has the larger first feature."""
    counted = {x[0] for x in GRID if linear_threshold(x, (1, 0), 0)}
    left_out = {x[0] for x in GRID if not linear_threshold(x, (1, 0), 0)}
    text = (
        f"theta = (1, 0), tau = 0: the formula counts points with first feature {sorted(counted)} and omits "
        f"{sorted(left_out)}, the points above"
    )
    return inconsistent_if(max(counted) <= 0 < min(left_out), text)


def _below_by_shifts() -> Evidence:
    """Another argument: moving all points up never lowers the number above, but it lowers the formula's count."""
    theta, tau = (1, 1), 1
    counts = [sum(linear_threshold((x + up, y + up), theta, tau) for x, y in GRID) for up in range(4)]
    falls = all(after < before for before, after in pairwise(counts))
    text = f"theta = (1, 1), tau = 1: moving all 25 points up by 0, 1, 2, 3 changes the count to {counts}: it falls"
    return inconsistent_if(falls, text)


def _classifier() -> Evidence:
    """A record is below or above and its label is y or another: all four cases, for one label against the others."""
    right = True
    for below, is_y in product((False, True), repeat=2):
        correct = (not below) == is_y  # the classifier says y above and 'not y' below
        right = right and correct == (below and not is_y) + is_y - (below and is_y)
    text = (
        "in all four cases of side and label a record is classified correctly exactly when [below, not y] + [y] - "
        "[below, y] is 1; averages of these are answers to class-conditional queries, with theta = 0 for [y]"
    )
    return confirmed_if(right, text)


def _one_hot(record: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(int(value == i) for value, size in zip(record, SIZES, strict=True) for i in range(size))


def _product_queries() -> Evidence:
    starts = (0, 2, 5)
    same = True
    for record in product(*(range(size) for size in SIZES)):
        coded = _one_hot(record)
        for features in ((0,), (0, 1), (1, 2), (0, 1, 2)):
            for cell in product(*(range(SIZES[i]) for i in features)):
                value = 1
                for i, c in zip(features, cell, strict=True):
                    value *= coded[starts[i] + c]
                same = same and value == int(all(record[i] == c for i, c in zip(features, cell, strict=True)))
    text = (
        "a product of coordinates that are 0 or 1 is 1 exactly if all of them are, that is if the record has all the "
        "values; checked on all 12 one-hot records with 2, 3 and 2 values. Two values of one feature give 0"
    )
    return confirmed_if(same, text)


def _sampling() -> Evidence:
    """A relaxed record with exact probabilities, sampled feature by feature."""
    probabilities = ((Fraction(1, 4), Fraction(3, 4)), (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)))
    law = {(a, b): probabilities[0][a] * probabilities[1][b] for a, b in product(range(2), range(3))}
    whole = sum(law.values(), Fraction(0)) == 1
    kept = all(
        sum((p for (a, _), p in law.items() if a == i), Fraction(0)) == probabilities[0][i]
        and sum((p for (_, b), p in law.items() if b == j), Fraction(0)) == probabilities[1][j]
        for i, j in law
    )
    same_feature = probabilities[0][0] * probabilities[0][1]
    text = (
        "drawing each feature from its own distribution gives a record of the original domain, and since features are "
        "drawn independently the mean of a product of values of different features is the product query; for two "
        f"values of one feature the product query is {same_feature} in the example, where no record has both"
    )
    return confirmed_if(whole and kept and same_feature > 0, text)


def _coordinates() -> Evidence:
    """Sizes 2, 3, 2 and two numerical features: the coordinates of the relaxed record of Section 3."""
    columns: tuple[tuple[str, int | None], ...] = (
        ("sex", 2),
        ("degree", 3),
        ("owner", 2),
        ("age", None),
        ("income", None),
    )
    owners = [name for name, size in columns if size is not None for _ in range(size)]
    missing = [name for name, _ in columns if name not in owners]
    text = (
        f"d' = {len(owners)} coordinates, all of them one-hot entries of categorical features; {' and '.join(missing)} "
        "have none among [d'], though Definition 12 takes its numerical features from it"
    )
    return inconsistent_if(missing == ["age", "income"], text)


def _bounded_projections() -> Evidence:
    """Another argument: <theta, x_T> with T in [d'] stays between the sums of negative and positive parts of theta."""
    theta = (3, -2, 5, -1, -4, 2, 1)
    reached = [sum(t * x for t, x in zip(theta, _one_hot(r), strict=True)) for r in product(*map(range, SIZES))]
    low, high = sum(t for t in theta if t < 0), sum(t for t in theta if t > 0)
    income = 50_000
    text = (
        f"on the relaxed domain <theta, x> lies in [{low}, {high}] with {len(set(reached))} values at its corners, "
        f"while a numerical feature has domain R and may be {income}: Definition 4 is not what Definition 12 relaxes"
    )
    return inconsistent_if(low <= min(reached) and max(reached) <= high < income, text)


def _not_convex() -> Evidence:
    """(1) with one record and one query x <= 0 with target 1, as a function of x; (2) with a product query."""

    def original(x: Fraction) -> int:
        return (1 - int(x <= 0)) ** 2

    def relaxed(x: Fraction, y: Fraction) -> Fraction:
        return (x * y - Fraction(1, 4)) ** 2

    left, right = Fraction(-1), Fraction(2)
    between = (left + right) / 2
    bent = 2 * original(between) > original(left) + original(right)
    jumps = original(Fraction(0)) == 0 and all(original(Fraction(1, 10**k)) == 1 for k in range(1, 7))
    quarter, one = Fraction(1, 4), Fraction(1)
    ends = (relaxed(one, quarter), relaxed(quarter, one))
    middle = relaxed((one + quarter) / 2, (one + quarter) / 2)
    text = (
        f"one record, the query x <= 0 and answer 1: (1) is {original(left)} at {left}, {original(right)} at {right} "
        f"and {original(between)} halfway, and jumps at 0; (2) with a product query, (xy - 1/4)^2, is {ends[0]} at (1, "
        f"1/4) and (1/4, 1) and {middle} in the middle"
    )
    return confirmed_if(bent and jumps and max(ends) < middle, text)


C = Verdict.CONFIRMED
PAPER = "vietri2022"

CLAIMS = (
    Claim(
        "vietri2022.D4.above",
        PAPER,
        "Definition 4 and the sentence before it",
        "The class conditional linear threshold queries count the points that lie above a half-space.",
        Verdict.INCONSISTENT,
        Method.EXACT,
        _below,
        "The formula counts <theta, x> <= tau, the points below, while the abstract, the preceding sentence and the "
        "sigmoid count the points above. Since theta and tau may change sign, the class is the same, up to points on "
        "the boundary.",
        again=_below_by_shifts,
        quote=r"the number of points that lie above a halfspace [...] "
        r"$q_{i,y,R,\theta,\tau}(x) = \mathbb{1}\{\langle \theta, x_R \rangle \leq \tau",
        severity=Severity.SLIP,
        root="vietri2022.D11.direction",
    ),
    Claim(
        "vietri2022.S1.classifier",
        PAPER,
        "Section 1, mixed-type queries",
        "Class conditional linear threshold queries capture how accurate any linear classifier is.",
        C,
        Method.EXACT,
        _classifier,
        formula="accuracy = q(<theta,x> <= tau, not y) + q(y) - q(<theta,x> <= tau, y)",
        quote="captures how accurate any linear classifier is for predicting a target label",
        scope=Scope.ALL_CASES,
    ),
    Claim(
        "vietri2022.D10.equal",
        PAPER,
        "Section 3 and Definition 10",
        "Every categorical marginal query is a product query on the original domain.",
        C,
        Method.EXACT,
        _product_queries,
        quote="product queries over the relaxed domain which are equal to categorical marginal queries on the "
        "original domain",
        scope=Scope.REASONED,
    ),
    Claim(
        "vietri2022.S3.sampling",
        PAPER,
        "Section 3, domain relaxation",
        "A data set in the discrete domain is recovered from the relaxed one by random sampling.",
        C,
        Method.EXACT,
        _sampling,
        "Product queries are preserved on average if T has at most one value of each feature; Definition 10 allows "
        "more.",
        quote="quickly recover a dataset in the original discrete domain by random sampling",
        scope=Scope.REASONED,
    ),
    Claim(
        "vietri2022.D12.coordinates",
        PAPER,
        "Definition 12 with Section 3, domain relaxation",
        "The numerical features of a relaxed threshold query are coordinates of the relaxed domain.",
        Verdict.INCONSISTENT,
        Method.EXACT,
        _coordinates,
        "The relaxed domain lists only one-hot coordinates and should have a factor R for each numerical feature. A "
        "slip of notation; nothing else depends on it.",
        formula="T subset of [d'], d' = sum of |X_i| over categorical i",
        again=_bounded_projections,
        quote=r"a set of numerical features $T \subseteq [d']$ in the relaxed domain space",
        severity=Severity.SLIP,
    ),
    Claim(
        "vietri2022.S3.nonconvex",
        PAPER,
        "Section 3, (1)",
        "The objective of the projection step is neither convex nor differentiable.",
        C,
        Method.EXACT,
        _not_convex,
        quote="minimization of a non-convex and non-differentiable objective",
    ),
)

WITHDRAWN = (
    Withdrawn(
        "vietri2022.D2.cells",
        "This is a definition; that the cells of a marginal partition the records is our addition.",
    ),
    Withdrawn("vietri2022.D4.contains", "Our consequence, not stated in the paper."),
    Withdrawn("vietri2022.D5.range", "Our consequence, not stated in the paper."),
)
