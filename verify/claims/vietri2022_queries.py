"""Queries of vietri2022: Definitions 2 to 5 and the relaxed domain and product queries of Section 3."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from verify.claim import Claim, Evidence, Method, Verdict, confirmed_if, inconsistent_if

SIZES = (2, 3, 2)
"""Three categorical features for complete enumerations."""


def _marginals() -> Evidence:
    """Every record lies in exactly one cell of every marginal."""
    once = True
    for features in ((0,), (0, 1), (0, 1, 2)):
        cells = list(product(*(range(SIZES[i]) for i in features)))
        for record in product(*(range(size) for size in SIZES)):
            hits = [all(record[i] == value for i, value in zip(features, cell, strict=True)) for cell in cells]
            once = once and sum(hits) == 1
    return confirmed_if(
        once, "sizes 2, 3, 2: each of 12 records is counted by exactly one cell of 1-, 2-, 3-way marginals"
    )


def linear_threshold(point: tuple[int, ...], theta: tuple[int, ...], tau: int) -> bool:
    """Definition 4 without the label: is <theta, x> <= tau?"""
    return sum(t * x for t, x in zip(theta, point, strict=True)) <= tau


GRID = tuple(product(range(-2, 3), repeat=2))
"""Points with two numerical features."""


def _direction() -> Evidence:
    """The other side of the half-space, by flipping the signs of theta and tau."""
    off, on = True, 0
    for theta, tau in product(GRID, range(-3, 4)):
        flipped = (-theta[0], -theta[1])
        for point in GRID:
            above = not linear_threshold(point, theta, tau)
            boundary = linear_threshold(point, theta, tau) and linear_threshold(point, flipped, -tau)
            on += boundary
            off = off and (boundary or linear_threshold(point, flipped, -tau) == above)
    text = (
        f"in 175 x 25 cases (-theta, -tau) counts what lies above (theta, tau), and in {on} also what "
        "lies on the boundary"
    )
    return confirmed_if(off and on > 0, text, with_conditions=True)


def _one_feature() -> Evidence:
    same = all(
        (point[0] <= tau and label == 1) == (linear_threshold(point, (1, 0), tau) and label == 1)
        for point, tau, label in product(GRID, range(-3, 4), (0, 1))
    )
    return confirmed_if(
        same,
        "with one numerical feature and theta = 1 the two definitions agree in 25 x 7 x 2 cases",
        with_conditions=True,
    )


def _classifier() -> Evidence:
    """Accuracy of 'predict 1 above, 0 below' from three class-conditional queries."""
    records = [(point, (3 * point[0] + point[1] * point[1]) % 2) for point in GRID]
    n, exact = len(records), True
    for theta, tau in product(GRID, range(-3, 4)):
        below = [Fraction(sum(linear_threshold(x, theta, tau) and y == c for x, y in records), n) for c in (0, 1)]
        ones = Fraction(sum(linear_threshold(x, (0, 0), 0) and y == 1 for x, y in records), n)
        accuracy = Fraction(sum((not linear_threshold(x, theta, tau)) == (y == 1) for x, y in records), n)
        exact = exact and accuracy == below[0] + ones - below[1]
    text = "for 175 linear classifiers on 25 labelled points: accuracy = q_0 + q_all,1 - q_1, exactly"
    return confirmed_if(exact, text)


def _query_error() -> Evidence:
    answers, other = [Fraction(i, 7) for i in range(8)], [Fraction(7 - i, 7) for i in range(8)]
    error = sum((abs(a - b) for a, b in zip(answers, other, strict=True)), Fraction(0)) / 8
    worst = sum((abs(a - b) for a, b in zip([Fraction(0)] * 8, [Fraction(1)] * 8, strict=True)), Fraction(0)) / 8
    right = 0 < error < worst == 1
    return confirmed_if(
        right,
        f"the average of absolute differences lies in [0, 1]: {error} in an example, 1 at worst",
        with_conditions=True,
    )


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
    return confirmed_if(same, "on all 12 one-hot records every product of coordinates equals the marginal query")


def _sampling() -> Evidence:
    """A relaxed record with exact probabilities, sampled feature by feature."""
    probabilities = ((Fraction(1, 4), Fraction(3, 4)), (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)))
    fits = True
    for i, j in product(range(2), range(3)):
        mean = sum(
            (probabilities[0][a] * probabilities[1][b] for a, b in product(range(2), range(3)) if (a, b) == (i, j)),
            Fraction(0),
        )
        fits = fits and mean == probabilities[0][i] * probabilities[1][j]
    same_feature = probabilities[0][0] * probabilities[0][1]
    text = (
        "the expected 2-way marginals after sampling equal the product queries; for two values of one feature the "
        f"product query is {same_feature} although no sampled record has both"
    )
    return confirmed_if(fits and same_feature == Fraction(3, 16), text, with_conditions=True)


def _coordinates() -> Evidence:
    """Sizes 2, 3, 2 and two numerical features: what the relaxed record of Section 3 has room for."""
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
    def loss(x: Fraction, y: Fraction) -> Fraction:
        return (x * y - Fraction(1, 4)) ** 2

    quarter, one = Fraction(1, 4), Fraction(1)
    ends = (loss(one, quarter), loss(quarter, one))
    middle = loss((one + quarter) / 2, (one + quarter) / 2)
    text = f"(xy - 1/4)^2 is {ends[0]} at (1, 1/4) and (1/4, 1) and {middle} in the middle"
    return confirmed_if(max(ends) < middle, text)


C, W = Verdict.CONFIRMED, Verdict.CONFIRMED_WITH_CONDITIONS
PAPER = "vietri2022"

CLAIMS = (
    Claim(
        "vietri2022.D2.cells",
        PAPER,
        "Definition 2",
        "Each k-way marginal query is a statistical query, and a record satisfies one query per set of features.",
        C,
        Method.EXACT,
        _marginals,
    ),
    Claim(
        "vietri2022.D4.above",
        PAPER,
        "Definition 4 and the sentence before it",
        "The class conditional linear threshold queries count the points that lie above a half-space.",
        W,
        Method.EXACT,
        _direction,
        "The formula counts <theta, x> <= tau, the points below; since theta and tau may change their signs the class "
        "is the same, up to points on the boundary.",
    ),
    Claim(
        "vietri2022.D4.contains",
        PAPER,
        "Definitions 3 and 4",
        "A 2-way mixed marginal with one numerical feature is a class conditional linear threshold query.",
        W,
        Method.EXACT,
        _one_feature,
        "Our consequence, not stated in the paper; for a binary label and theta with one nonzero entry.",
    ),
    Claim(
        "vietri2022.S1.classifier",
        PAPER,
        "Section 1, mixed-type queries",
        "Class conditional linear threshold queries capture how accurate any linear classifier is.",
        C,
        Method.EXACT,
        _classifier,
        formula="accuracy = q(<theta,x> <= tau, y = 0) + q(y = 1) - q(<theta,x> <= tau, y = 1)",
    ),
    Claim(
        "vietri2022.D5.range",
        PAPER,
        "Definition 5",
        "The average error of a synthetic data set is an L1 distance of answers divided by m, from 0 to 1.",
        W,
        Method.EXACT,
        _query_error,
        "Our consequence, not stated in the paper: the range follows since every answer lies in [0, 1].",
    ),
    Claim(
        "vietri2022.D10.equal",
        PAPER,
        "Section 3 and Definition 10",
        "Product queries equal categorical marginal queries on the original domain.",
        C,
        Method.EXACT,
        _product_queries,
    ),
    Claim(
        "vietri2022.S3.sampling",
        PAPER,
        "Section 3, domain relaxation",
        "A data set in the discrete domain is recovered from the relaxed one by random sampling.",
        W,
        Method.EXACT,
        _sampling,
        "Product queries are kept on average where T has at most one value of each feature; Definition 10 allows more.",
    ),
    Claim(
        "vietri2022.D12.coordinates",
        PAPER,
        "Definition 12 with Section 3, domain relaxation",
        "The numerical features of a relaxed threshold query are coordinates of the relaxed domain.",
        Verdict.INCONSISTENT,
        Method.EXACT,
        _coordinates,
        "A slip of notation: the relaxed domain lists one-hot coordinates only and should be multiplied by R for each "
        "numerical feature. Nothing else depends on it.",
        formula="T subset of [d'], d' = sum of |X_i| over categorical i",
        again=_bounded_projections,
    ),
    Claim(
        "vietri2022.S3.nonconvex",
        PAPER,
        "Section 3",
        "The objective of the projection step is not convex.",
        C,
        Method.EXACT,
        _not_convex,
    ),
)
