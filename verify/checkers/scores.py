"""Check a certificate of scores: `python -m verify.checkers.scores FILE`.

Questions were asked of a real table, each answered by integers with noise. The claims: how far a
linear model is from the best of a class, the loss of a model, floors of classes, areas under
curves, shares in bins, and that the answers cost no more privacy than stated. What the file takes
as given is stated, and can be compared with its release, query and model: see `score_given`.
Proofs: docs/proofs/synthbounds.excess-query.md and docs/proofs/synthbounds.any-model.md.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from flint import arb, ctx, fmpq

from verify.checkers import (
    Rejected,
    Work,
    allowed_steps,
    entries,
    fields,
    parsed,
    require,
    run,
    text,
    whole,
)
from verify.checkers.model_file import fraction
from verify.checkers.noise import each_of, quantile
from verify.checkers.score_bounds import (
    NOTHING,
    Ends,
    Records,
    Sizes,
    Sum,
    area_ends,
    bin_ends,
    excess_above,
    excess_within,
    label_sizes,
    mean_ends,
    mean_label_above,
    sum_ends,
)
from verify.checkers.score_file import (
    Features,
    Row,
    positive,
    probability,
    read_features,
    read_fields,
    read_private_size,
    read_rows,
)
from verify.checkers.score_losses import SAME_LOSS, constant_risk, predicted_range
from verify.checkers.score_questions import (
    Area,
    Calibration,
    ExcessOver,
    LabelCounts,
    LeastLoss,
    ModelLoss,
    PredictedLoss,
    Question,
    read_question,
)
from verify.checkers.score_words import statement, taken_as_given

STEPS_A_BYTE = 2000
PRECISION = 160
MOST_MODELS = 10**6
MOST_EPSILON = 100
CLAIMS = {
    "excess": ("excess", "risk", "floor", "constant", "informative"),
    "floors": ("floors", "constant"),
    "loss": ("risk", "constant", "better", "compared"),
    "auc": ("area",),
    "calibration": ("bins",),
}
"""The claims, by the questions asked."""
EVENTS = ("difference", "model", "class", "labels", "floors", "bins")
"""Events that some noise is not too large, each with its part of beta."""

Kind = TypeVar("Kind", bound=Question)


@dataclass(frozen=True)
class Part(Generic[Kind]):
    """One question with its answers."""

    question: Kind
    row: Row

    @property
    def total(self) -> Sum:
        gap = self.question.gap if isinstance(self.question, LeastLoss) else NOTHING
        return Sum(self.row.answers[0], self.row.error, gap)


@dataclass(frozen=True)
class Asked:
    """Questions asked together, with their answers."""

    parts: list[Part[Any]]

    def all_of(self, kind: type[Kind]) -> list[Part[Kind]]:
        return [part for part in self.parts if isinstance(part.question, kind)]

    def one(self, kind: type[Kind]) -> Part[Kind]:
        found = self.all_of(kind)
        require(len(found) == 1, "questions: not one of every kind that a claim needs")
        return found[0]


@dataclass(frozen=True)
class Certificate:
    """Everything from which claims are proved."""

    records: Records
    asked: Asked
    floors: Asked | None
    failures: dict[str, fmpq]

    def failure(self, event: str) -> fmpq:
        require(event in self.failures, f"failures: {event} is missing")
        return self.failures[event]

    def labels(self) -> Part[LabelCounts]:
        """The counts of labels of the query or, where it has none, of the floors."""
        asked = self.asked if self.asked.all_of(LabelCounts) else self.floors
        if asked is None:
            raise Rejected("questions: no counts of labels")
        return asked.one(LabelCounts)

    def sizes(self) -> Sizes:
        return label_sizes(self.records, self.labels().row.answers, self.failure("labels"))


@ctx.workprec(PRECISION)
def check(data: str | bytes, limit: int | None = None) -> list[str]:
    """What is taken as given, provided the rest of the certificate is proved."""
    body = read_fields(parsed(data))
    work = Work(allowed_steps(data, STEPS_A_BYTE) if limit is None else limit)
    work.charge(len(data))
    private, size = read_private_size(body)
    asked = read_asked(body["questions"], "questions", read_features(body["features"]), work)
    require_cost(asked, cost_of_questions(body), private)
    found = Certificate(
        records=Records(private, size),
        asked=asked,
        floors=read_floors(body["floors"], private, work),
        failures=read_failures(body),
    )
    require_one_label(found)
    claims = fields(body["claims"], "claims", CLAIMS[body["ask"]])
    REQUIRE[body["ask"]](found, claims)
    require(body["statement"] == statement(body), "statement: is not what the numbers say")
    return taken_as_given(body)


# what was asked, and what it cost


def read_asked(value: Any, where: str, features: Features | None, work: Work) -> Asked:
    parts: list[Part[Any]] = []
    for row in read_rows(value, where):
        question = read_question(row.question, row.unit, features, work)
        require(len(row.answers) == question.count, f"{where}: not as many answers as asked for")
        least = question.rounding * row.unit
        require(row.error >= least, f"{where}: error: is smaller than that of rounding")
        require(
            least > 0 or row.error == 0, f"{where}: error: is not 0 although nothing is rounded"
        )
        parts.append(Part(question, row))
    used = any(isinstance(part.question, ModelLoss | ExcessOver | LeastLoss) for part in parts)
    require(used or features is None, f"{where}: features: are not used but not null")
    return Asked(parts)


def read_floors(value: Any, private: bool, work: Work) -> Asked | None:
    """The numbers of a release of floors of the same table."""
    if value is None:
        return None
    said = fields(value, "floors", ("release", "mu_squared", "features", "questions"))
    text(said["release"], "floors: release")
    asked = read_asked(said["questions"], "floors", read_features(said["features"]), work)
    require_cost(asked, positive(said["mu_squared"], "floors: mu_squared"), private)
    return asked


def require_one_label(found: Certificate) -> None:
    parts = [*found.asked.parts, *(found.floors.parts if found.floors is not None else [])]
    same = len({part.question.label for part in parts}) == 1
    require(same, "questions: are about different labels")


def require_cost(asked: Asked, mu_squared: fmpq, private: bool) -> None:
    """All noise together is as large as mu^2 requires for what one record can move."""
    for part in asked.parts:
        question, row = part.question, part.row
        kept = 2 * row.error if question.clipped else NOTHING
        steps = (question.moved(private) - kept) / row.unit + question.more_steps
        require(row.moved >= steps, "moved: one record moves the answer farther")
        enough = row.deviation**2 * row.share * mu_squared >= row.moved**2
        require(enough, "deviation: is too small for its share of mu_squared")
    shares = sum((part.row.share for part in asked.parts), NOTHING)
    require(shares <= 1, "share: all together exceed 1")


def cost_of_questions(body: dict[str, Any]) -> fmpq:
    """The part of mu^2 that remains if some of it paid for choosing one model among several.

    A choice that is epsilon-private costs no more than mu with e^epsilon = Phi(mu/2)/Phi(-mu/2).
    """
    mu_squared = positive(body["mu_squared"], "mu_squared")
    if body["choice"] is None:
        return mu_squared
    said = fields(body["choice"], "choice", ("among", "share", "epsilon"))
    whole(said["among"], "choice: among", 2, MOST_MODELS)
    share = probability(said["share"], "choice: share")
    epsilon = positive(said["epsilon"], "choice: epsilon")
    require(epsilon <= MOST_EPSILON, "choice: epsilon: is too large")
    mu = 2 * quantile(1 / (1 + arb(epsilon).exp()))
    require(share * mu_squared >= mu**2, "choice: epsilon: costs more than its share")
    return mu_squared * (1 - share)


def read_failures(body: dict[str, Any]) -> dict[str, fmpq]:
    """Probabilities with which events may fail: all together at most beta."""
    beta = probability(body["beta"], "beta")
    said = fields(body["failures"], "failures", (), EVENTS)
    found = {event: probability(value, f"failures: {event}") for event, value in said.items()}
    require(sum(found.values(), NOTHING) <= beta, "failures: exceed beta")
    return found


# the claims


def require_below(claimed: Any, proved: arb, name: str) -> fmpq:
    """A claimed lower end is no larger than the proved one."""
    found = fraction(claimed, name)
    require(found <= proved, f"claims: {name}: is not proved")
    return found


def require_above(claimed: Any, proved: arb, name: str) -> fmpq:
    found = fraction(claimed, name)
    require(found >= proved, f"claims: {name}: is not proved")
    return found


def require_between(claimed: Any, proved: Ends, name: str) -> fmpq:
    """Both ends; returns the upper one."""
    said = fields(claimed, f"claims: {name}", ("lower", "upper"))
    require_below(said["lower"], proved[0], f"{name}: lower")
    return require_above(said["upper"], proved[1], f"{name}: upper")


def require_said(claimed: Any, holds: bool, name: str) -> None:
    """A verdict that is given is true; one that is not given says nothing."""
    require(type(claimed) is bool, f"claims: {name}: is not true or false")
    require(holds or not claimed, f"claims: {name}: is not proved")


def require_excess(found: Certificate, claims: dict[str, Any]) -> None:
    """Of one model over a class, or over the best of some models."""
    asked, records = found.asked, found.records
    require(len(asked.parts) == 3 and found.floors is None, "questions: not those of an excess")
    own, labels = asked.one(ModelLoss), asked.one(LabelCounts)
    failure, penalty = found.failure("difference"), NOTHING
    if asked.all_of(ExcessOver):
        over = asked.one(ExcessOver)
        same = over.question.coefficients == own.question.coefficients
        require(same and over.question.loss == own.question.loss, "questions: of different models")
        proved = records.mean_above(over.total.above(failure)) + over.row.error
    else:
        least = asked.one(LeastLoss)
        require(least.question.loss == own.question.loss, "questions: have different losses")
        penalty = least.question.penalty(own.question)
        proved = excess_above(records, own.total, least.total, failure) + penalty
    most = records.mean_above(own.total.above(found.failure("model"))) + own.row.error
    risk = require_above(claims["risk"], most, "risk")
    floor = require_floor(found, claims["floor"])
    proved = excess_within(proved, most + penalty, floor)
    excess = require_above(claims["excess"], proved, "excess")
    mean = mean_label_above(records, labels.row.answers, found.failure("labels"))
    proved = constant_risk(own.question.loss, mean)
    constant = require_below(claims["constant"], proved, "constant")
    require_said(claims["informative"], excess < constant - risk - penalty, "informative")


def require_floor(found: Certificate, claimed: Any) -> arb:
    """A lower bound on the objectives of the class: that of an answer only if it is claimed."""
    if claimed is None:
        return arb(0)
    require(not found.records.private, "claims: floor: is not known if the size is private")
    lowest = found.asked.one(LeastLoss).total.below(found.failure("class"))
    floor = (lowest / found.records.size).max(arb(0))
    require_below(claimed, floor, "floor")
    return floor


def require_floors(found: Certificate, claims: dict[str, Any]) -> None:
    """Floors of several classes, all together, and the loss of the best constant."""
    least, sizes = found.asked.all_of(LeastLoss), found.sizes()
    kinds = len(least) == len(found.asked.parts) - 1 and found.floors is None
    require(kinds and least, "questions: are not those of floors")
    require(len({part.question.loss for part in least}) == 1, "questions: have different losses")
    listed = entries(claims["floors"], "claims: floors", len(least), len(least))
    for claimed, ends in zip(listed, floor_sums(least, found.failure("floors")), strict=True):
        low, high = mean_ends(ends, sizes.total)
        require_between(claimed, (low.max(arb(0)), high.max(arb(0))), "floors")
    proved = constant_risk(least[0].question.loss, sizes.mean_label())
    require_below(claims["constant"], proved, "constant")


def floor_sums(least: list[Part[LeastLoss]], failure: fmpq) -> list[Ends]:
    """Smallest sums of losses, all together: their noises are independent."""
    each = each_of(len(least), failure)
    return [sum_ends(part.total, each) for part in least]


def require_loss(found: Certificate, claims: dict[str, Any]) -> None:
    """The predictions of any model, next to the best constant and, with floors, linear models."""
    own, sizes = found.asked.one(PredictedLoss), found.sizes()
    total = sum_ends(own.total, found.failure("model"))
    low, high = mean_ends(total, sizes.total)
    most = predicted_range(own.question.clip)[1]
    proved = low.max(arb(0)), (high + own.row.error).min(most)
    upper = require_between(claims["risk"], proved, "risk")
    least = constant_risk(own.question.loss, sizes.mean_label())
    constant = require_below(claims["constant"], least, "constant")
    require_said(claims["better"], upper < constant, "better")
    if claims["compared"] is None:
        return
    if found.floors is None or own.question.loss not in SAME_LOSS:
        raise Rejected("claims: compared: no floors of this loss")
    loss, part = SAME_LOSS[own.question.loss]
    floors = found.floors.all_of(LeastLoss)
    require(all(each.question.loss == loss for each in floors), "floors: have another loss")
    listed = entries(claims["compared"], "claims: compared", len(floors), len(floors))
    for claimed, ends in zip(listed, floor_sums(floors, found.failure("floors")), strict=True):
        apart = total[0] - part * ends[1], total[1] - part * ends[0]
        low, high = mean_ends(apart, sizes.total)
        require_between(claimed, (low, high + own.row.error), "compared")


def require_area(found: Certificate, claims: dict[str, Any]) -> None:
    own = found.asked.one(Area)
    least = (own.question.least_positive, own.question.least_other)
    proved = area_ends(own.total, found.failure("model"), least, found.sizes())
    require_between(claims["area"], proved, "area")


def require_bins(found: Certificate, claims: dict[str, Any]) -> None:
    proved = bin_ends(found.asked.one(Calibration).row.answers, found.failure("bins"))
    listed = entries(claims["bins"], "claims: bins", len(proved), len(proved))
    for claimed, ends in zip(listed, proved, strict=True):
        require_between(claimed, ends, "bins")


REQUIRE = {
    "excess": require_excess,
    "floors": require_floors,
    "loss": require_loss,
    "auc": require_area,
    "calibration": require_bins,
}


def said(data: bytes, limit: int | None) -> str:
    return "\n- ".join([" if:", *check(data, limit)])


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:], said))
