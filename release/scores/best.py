"""The best of several models: one is chosen privately by its score, and then evaluated; both are one query.

A part of the query's budget that was fixed before pays for the choice, the rest for the questions about the winner.
What pays is marked as spent before the choice is drawn. Proof: docs/proofs/synthbounds.any-model.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import ceil

from bounds.errors import DataError, NotApplicable
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.statements import GaussianDP
from release.account.file import Charge
from release.choose import ChoicePlan, choose
from release.noise.randomness import read_randomness
from release.query.file import Query
from release.query.make import Payer, measure_query, paying, require_booking
from release.query.planned import MOST_ROUNDS
from release.reserving import ReservingRelease
from release.scores.file import ScoreQuery
from release.scores.make import ScoreBooking
from release.scores.planned import ScorePlan, counted
from release.spending import book_ahead, reserve_recovery_file, spending
from release.statistics.area_under_curve import AreaUnderCurve
from release.statistics.predicted_loss import PredictedLoss
from release.statistics.question import Asked

CHOICE = "choice of a model"


def plan_choice(plan: ScorePlan, count: int) -> ChoicePlan:
    """How the best of this many models is chosen by the first question of the plan."""
    question = plan.questions.questions[0]
    if not isinstance(question, PredictedLoss | AreaUnderCurve):
        raise NotApplicable("predictions: the best of several models is that of least loss or largest area (--ask)")
    return ChoicePlan(
        count=count,
        moved=ceil(question.moved(plan.adjacency)),
        # one more record makes every sum of losses larger
        same_way=plan.adjacency is Adjacency.ADD_REMOVE and isinstance(question, PredictedLoss),
        cost=GaussianDP(mu_squared=plan.mu_squared * plan.choice_share, adjacency=plan.adjacency),
    )


def choice_of(plan: ScorePlan) -> ChoicePlan | None:
    """How the model of a query was chosen; None if there was only one."""
    among = plan.about.get("among")
    return None if among is None else plan_choice(plan, int(among))


def ask_best(
    plan: ScorePlan,
    models: Sequence[tuple[str, Asked]],
    release: ReservingRelease,
    *,
    previous: Query | None = None,
    book: Callable[[Payer], None] | None = None,
) -> ScoreBooking:
    """Choose one of the named models and ask about it; `models` are over the same records, with their predictions."""
    require_booking(release, book)
    payer = paying(release, previous)
    choice = plan_choice(plan, len(models))
    question = plan.questions.questions[0]
    sign = -1 if isinstance(question, PredictedLoss) else 1
    qualities = [sign * question.of(asked)[0] for _, asked in models]
    if plan.size_is_exact and len(models[0][1].codes) != plan.stated_size:
        raise DataError(f"the table does not have the {plan.stated_size} rows of the release")

    def mark() -> None:
        if book is not None:
            book(payer)

    with spending(is_private=not plan.is_simulated):
        if plan.is_simulated:
            mark()
        else:  # both prices or none: a choice without its answer would be lost
            reserve_recovery_file()
            book_ahead([_charge(CHOICE, choice.cost, release), _charge(plan.KIND, plan.price, release)], mark)
        # a separate stream: those of rounds are taken
        stream = None if plan.seed is None else plan.seed + ((plan.round + MOST_ROUNDS) << 64)
        winner, ledger = choose(
            qualities,
            choice,
            plan.ledger,
            what=CHOICE,
            randomness=read_randomness(plan.mode, seed=stream, run=plan.run or 0),
            kept_as=release.kept_as,
            header=plan.header() | {"models": [name for name, _ in models]},
        )
        name, asked = models[winner]
        chosen = replace(plan, ledger=ledger, about=plan.about | {"name": name})
        exact = counted(chosen.questions, asked)
        measurement, _ = measure_query(chosen, exact, payer, kept_as=release.kept_as, book=None)
    # in its file a query has one price
    ledger = plan.ledger.spend(plan.ledger.statement(plan.mu_squared), plan.KIND)
    values = tuple(int(value) for value in measurement.values)
    return ScoreBooking(query=ScoreQuery(**(chosen.public() | {"ledger": ledger, "values": values})), payer=payer)


def _charge(what: str, cost: GaussianDP, release: ReservingRelease) -> Charge:
    return Charge(what=what, cost=cost, reservation=release.kept_as)
