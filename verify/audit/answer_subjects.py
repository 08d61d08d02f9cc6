"""Noisy answers through contrasts as shipped, on all tables of a small domain; and the same with seeded bugs.

The step of the algorithm that answers queries runs up to its noise: the inputs of the noise, and its size, are handed
over. Cube noise loses exactly the largest move over its scale. Rounded Gaussian noise is a function of the continuous
noise whose exact loss is computed, so it loses no more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from bounds.contrasts import ContrastFacts
from bounds.enclosure import Enclosure
from bounds.privacy.adjacency import Adjacency
from lp.synthesis import answers as answering
from lp.synthesis.points import MeasureSettings
from lp.synthesis.question import UNIFORM, Plan, Question
from lp.synthesis.synthesis_plan import plan_synthesis
from release import measure as measuring
from release.data.domain import Domain
from release.noise.kinds import Noise
from release.noise.randomness import Randomness
from release.statistics.families import cells
from verify.audit.cases import ADD, REPLACE, density_case, gaussian_case
from verify.audit.exact import ExactLoss
from verify.audit.following import replacing
from verify.audit.mechanism import Mechanism
from verify.audit.small_tables import RECORDS, all_neighbours, all_tables
from verify.audit.subject import DELTA, Subject

if TYPE_CHECKING:
    from release.data.domain import Codes
    from verify.audit.mechanism import Outputs

LEVELS = (3, 2)
_FAMILY = cells(Domain(LEVELS), len(LEVELS))
_NOISE = Randomness(mode="simulate", seed=0)  # nothing is drawn from it


def _half_scale(question: Question) -> Plan:
    plan = plan_synthesis(question)
    return replace(plan, noise=replace(plan.noise, scale=plan.noise.scale / 2))


def _pairs_left_out(question: Question) -> Plan:
    assert _FAMILY.facts.contrasts is not None
    alone = ContrastFacts(_FAMILY.facts.contrasts.groups, degree=1).moved
    with replacing({(ContrastFacts, "moved"): property(lambda facts: alone)}):
        return plan_synthesis(question)


BUGS: dict[str, tuple[str, str, Callable[[Question], Plan]]] = {
    "contrast-linf-half-scale": ("contrast-linf", "the scale is halved", _half_scale),
    "contrast-gaussian-half-scale": ("contrast-gaussian", "the scale is halved", _half_scale),
    "contrast-gaussian-left-out": (
        "contrast-gaussian",
        "contrasts of two columns are left out of the sensitivity",
        _pairs_left_out,
    ),
}


def _answers(
    epsilon: Fraction, *, kind: str, adjacency: Adjacency, planned: Callable[[Question], Plan] = plan_synthesis
) -> Mechanism:
    """The pair of neighbours with the largest loss, of all pairs."""
    delta = DELTA if kind == "contrast-gaussian" else Fraction(0)
    plan = planned(_question(epsilon, delta, kind, adjacency))
    tables = all_tables(adjacency, LEVELS)
    handed = [_handed_over(plan, table) for table in tables]
    noise = handed[0][0]
    scales = noise.scales if isinstance(noise.scales, tuple) else (noise.scales,) * noise.count
    largest = kind == "contrast-linf"

    def lost(pair: tuple[int, int]) -> Fraction:
        moves = zip(handed[pair[0]][1], handed[pair[1]][1], scales, strict=True)
        sizes = [Fraction(abs(a - b)) / scale for a, b, scale in moves]
        return max(sizes) if largest else sum((size**2 for size in sizes), Fraction(0))

    worst = max(all_neighbours(tables, adjacency), key=lost)
    name = " to ".join(str([tuple(row) for row in tables[i].tolist()]) for i in worst)
    one, other = (list(handed[i][1]) for i in worst)
    if not largest:
        variances = [scale**2 for scale in scales]
        made = gaussian_case(one, other, variances, epsilon=epsilon, delta=delta, adjacency=adjacency)
        assert made.exact is not None
        loss = replace(made.exact(), pair=name)
    else:
        made = _cube_case(one, other, scales[0], epsilon=epsilon, adjacency=adjacency)
        loss = ExactLoss(epsilon=Enclosure.of(lost(worst)), delta=None, pair=name)
    return replace(made, exact=lambda: loss)


def _question(epsilon: Fraction, delta: Fraction, kind: str, adjacency: Adjacency) -> Question:
    return Question(
        family=_FAMILY,
        degree=len(LEVELS),
        measure=UNIFORM,
        mode="simulate",
        adjacency=adjacency,
        size=RECORDS if adjacency is REPLACE else 1,
        epsilon=epsilon,
        failure=Fraction(1, 20),
        dp_delta=delta or None,
        mechanism=kind,
    )


def _handed_over(plan: Plan, table: Codes) -> tuple[Noise, tuple[int, ...]]:
    """The inputs for which the shipped step would draw noise, and that noise."""
    found: list[tuple[Noise, tuple[int, ...]]] = []

    def draw(noise: Noise, values: Sequence[int], randomness: Randomness) -> tuple[int, ...]:
        found.append((noise, tuple(values)))
        return tuple(values)

    with replacing({(measuring, "draw"): draw}):
        counted = answering.count_records(plan.question.family, table, keep=False)
        answering.answer(counted, plan, _NOISE, MeasureSettings())
    (handed,) = found
    return handed


def _cube_case(
    one: Sequence[int], other: Sequence[int], scale: Fraction, *, epsilon: Fraction, adjacency: Adjacency
) -> Mechanism:
    ends, size = [np.array(values, dtype=np.float64) for values in (one, other)], float(scale)

    def sample(side: int, runs: int, g: np.random.Generator) -> Outputs:
        radius = size * g.gamma(len(one) + 1, size=(runs, 1))
        return np.asarray(ends[side] + radius * g.uniform(-1, 1, (runs, len(one))))

    return density_case(
        sample,
        lambda side, x: np.asarray(-np.abs(x - ends[side]).max(axis=1) / size),
        epsilon=epsilon,
        adjacency=adjacency,
    )


_TABLES = f"{RECORDS} records of two columns, of three and of two values, all neighbours"
_TITLES = {
    "contrast-linf": "answers through sign contrasts as shipped, l_inf noise",
    "contrast-gaussian": "answers through contrasts as shipped, Gaussian noise, delta = 1e-5",
}


def _subjects() -> list[Subject]:
    found = []
    for kind, title in _TITLES.items():
        for adjacency, suffix, most in ((REPLACE, "", ""), (ADD, "-add-remove", "at most ")):
            found.append(
                Subject(
                    name=f"answers-{kind}{suffix}", where="synthbounds, lp.synthesis", title=title,
                    inputs=f"all tables of {most}{_TABLES}", violates=False,
                    make=cache(partial(_answers, kind=kind, adjacency=adjacency)),
                )
            )  # fmt: skip
    for name, (kind, text, planned) in BUGS.items():
        found.append(
            Subject(
                name=f"answers-{name}", where="synthbounds, a seeded bug", title=f"{_TITLES[kind]}; {text}",
                inputs=f"all tables of {_TABLES}", violates=True,
                make=cache(partial(_answers, kind=kind, adjacency=REPLACE, planned=planned)),
            )
        )  # fmt: skip
    return found


ANSWER_SUBJECTS = tuple(_subjects())
