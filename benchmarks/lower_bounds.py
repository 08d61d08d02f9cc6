"""The best private mechanism for small questions, by linear programming, compared with the limit printed for them.

Families, levels, accuracy, epsilon, dp-delta and adjacency are drawn at random; the linear programme gives the least
failure probability of any mechanism with n records, and the limit at that failure probability must not exceed n. For
add-remove with one attribute accuracy is also required for larger data sets; otherwise for exactly n records.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any

from benchmarks.measure import main
from bounds.exact import show_rational
from bounds.sizes.require import require
from bounds.sizes.requirement import Requirement
from verify.best_mechanism import SmallQuestion, all_data, least_failure

SEED, QUESTIONS = 20, 2400
_SHAPES: tuple[tuple[str, tuple[int, ...], int, int], ...] = (
    ("monomials", (2,), 1, 18),
    ("parities", (2,), 1, 14),
    ("cells", (2,), 1, 14),
    ("cells", (3,), 1, 5),
    ("thresholds", (3,), 1, 5),
    ("monomials", (3,), 1, 5),
    ("monomials", (2, 2), 1, 4),
    ("cells", (2, 2), 1, 4),
    ("monomials", (2, 2), 2, 3),
    ("parities", (2, 2), 2, 3),
    ("monomials", (2, 3), 1, 2),
    ("monomials", (2, 2, 2), 1, 2),
)
"""Family, levels, degree, and the most records given to the linear programme."""
_MOST_MORE = 4
"""Larger data sets are included in the linear programme if this many more records are enough for the proof."""
_MOST_DATA, _MOST_DATA_WITH_DELTA = 36, 21
_LIKELY = (9, 3, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1)


@dataclass(frozen=True)
class Outcome:
    """One question with the limit at the best mechanism's failure probability."""

    asked: SmallQuestion
    failure: float
    limit: int


def drawn(generator: random.Random) -> SmallQuestion:
    (family, levels, degree, most), *_ = generator.choices(_SHAPES, _LIKELY)
    width = 2 if family == "parities" else 1
    return SmallQuestion(
        family,
        levels,
        degree,
        generator.randint(1, most),
        Fraction(generator.randint(1, 30), 10),
        Fraction(generator.randint(2, 24), 50) * width,
        generator.choice((Fraction(0), Fraction(0), Fraction(1, 1000), Fraction(1, 50), Fraction(1, 10))),
        generator.choice(("replace-one", "add-remove")),
    )


def outcome(asked: SmallQuestion) -> Outcome | None:
    """None if the programme is large, or its best mechanism fails so often that no limit is stated."""
    exchanges = asked.adjacency == "replace-one"
    share = 2 * asked.accuracy / (2 if asked.family == "parities" else 1)
    more = ceil(share * asked.n / (1 - share)) + 1 if len(asked.levels) == 1 and asked.levels[0] == 2 else 0
    all_sizes = more if more <= _MOST_MORE else 0
    sizes = range(asked.n, asked.n + 1) if exchanges else range(asked.n + all_sizes + 1)
    data = all_data(asked, sizes)
    if len(data) > (_MOST_DATA_WITH_DELTA if asked.dp_delta else _MOST_DATA):
        return None
    failure = least_failure(asked, data)
    above = Fraction(ceil(failure * 10**7) + 1, 10**7)  # the programme is solved to about this
    if above >= 1:
        return None
    answer = require(
        theorem="synthbounds.lower-bound",
        levels=asked.levels,
        family=asked.family,
        degree=asked.degree,
        epsilon=asked.epsilon,
        accuracy=asked.accuracy,
        failure=above,
        adjacency=asked.adjacency,
        **({"dp_delta": asked.dp_delta} if asked.dp_delta else {}),
    )
    limit = answer.n if exchanges or all_sizes else _of_exactly_n(answer, asked)
    return Outcome(asked, failure, limit)


def _of_exactly_n(answer: Requirement, asked: SmallQuestion) -> int:
    """The programme without the part that requires accuracy for larger data sets."""
    groups = {found.name: int(found.enclosure.lo) for found in answer.derived}
    width = 2 if asked.family == "parities" else 1
    apart = max(-(-groups["G"] // 2), groups["G_mutual"]) - 1
    return max(1, ceil(width * apart / (2 * asked.accuracy)))


def run(*, quick: bool) -> dict[str, Any]:
    generator = random.Random(SEED)  # noqa: S311 - a study, no secrets
    solved: list[Outcome] = []
    while len(solved) < (60 if quick else QUESTIONS):
        found = outcome(drawn(generator))
        if found is not None:
            solved.append(found)
    wrong = [found for found in solved if found.limit > found.asked.n]
    tight = [found for found in solved if found.limit == found.asked.n > 1]
    return {
        "questions": len(solved),
        "with_dp_delta": sum(found.asked.dp_delta > 0 for found in solved),
        "add_remove": sum(found.asked.adjacency == "add-remove" for found in solved),
        "by_attributes": {str(p): k for p, k in sorted(Counter(len(found.asked.levels) for found in solved).items())},
        "limits_above_n": len(wrong),
        "first_above": None if not wrong else f"{wrong[0].asked}, failure {wrong[0].failure}, limit {wrong[0].limit}",
        "limits_above_1": sum(found.limit > 1 for found in solved),
        "limit_is_n_above_1": len(tight),
        "largest_n": max(found.asked.n for found in solved),
        "least_accuracy": show_rational(min(found.asked.accuracy for found in solved)),
    }


if __name__ == "__main__":
    sys.exit(main("lower_bounds", __doc__ or "", run))
