"""Which layer finds which bug, and how often the sampling layers accuse a mechanism that keeps its claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from verify.audit.blackbox import blackbox_audit
from verify.audit.bugs import BUGS, CONTROLS
from verify.audit.exact import Verdict
from verify.audit.mechanism import Mechanism
from verify.audit.ratio import ratio_audit
from verify.audit.statistics import ALPHA
from verify.spread.workers import HERE, Workers

_AUDITS = 25
"""Audits that a worker is given at a time."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """None if a layer does not apply."""

    name: str
    text: str
    claimed: Fraction
    exact: bool | None
    ratio: bool | None
    blackbox: bool
    ratio_lower_est: float | None
    blackbox_lower_est: float
    event: str

    @property
    def found(self) -> bool:
        return bool(self.exact or self.ratio or self.blackbox)


@dataclass(frozen=True, kw_only=True)
class FalseAlarms:
    """Audits of controls at confidence 1 - alpha, and how many of them accused a control."""

    audits: int
    alarms: int
    alpha: Fraction
    by_control: dict[str, int]


def find_bugs(*, samples: int, seed: int, workers: Workers = HERE) -> tuple[Row, ...]:
    """Every bug audited by every layer; audit number i belongs to bug number i."""
    items = [(samples, seed, number) for number in range(len(BUGS))]
    return tuple(workers.answers("verify.audit.scoreboard:row_of", items))


def row_of(item: tuple[int, int, int]) -> Row:
    """One bug audited by every layer: samples, seed and its number."""
    samples, seed, audit = item
    case = BUGS[audit]
    made = case.make()
    exact = ratio = None
    if made.exact is not None:
        exact = made.exact().verdict(epsilon=made.epsilon, delta=made.delta) is Verdict.VIOLATION
    if made.log_ratio is not None:
        ratio = ratio_audit(made, samples=samples, seed=seed, audit=audit)
    box = blackbox_audit(made, samples=samples, seed=seed, audit=audit)
    return Row(
        name=case.name,
        text=case.text,
        claimed=made.epsilon,
        exact=exact,
        ratio=None if ratio is None else ratio.verdict(epsilon=made.epsilon) is Verdict.VIOLATION,
        blackbox=box.verdict(epsilon=made.epsilon) is Verdict.VIOLATION,
        ratio_lower_est=None if ratio is None else ratio.epsilon_lower_est,
        blackbox_lower_est=box.epsilon_lower_est,
        event=box.event,
    )


def false_alarms(
    layer: str,
    *,
    audits: int,
    samples: int,
    seed: int,
    alpha: Fraction = ALPHA,
    names: Sequence[str] | None = None,
    workers: Workers = HERE,
) -> FalseAlarms:
    """This many audits of these cases in turn, or of the controls; for `ratio` of those with a known density."""
    chosen = [case.name for case in CONTROLS] if names is None else list(names)
    if layer == "ratio":
        chosen = [name for name in chosen if _made(name).log_ratio is not None]
    asked = [(chosen[audit % len(chosen)], layer, samples, seed, alpha, audit) for audit in range(audits)]
    alarms = dict.fromkeys(chosen, 0)
    number = 0
    for answers in workers.chunks("verify.audit.scoreboard:accuses", asked, size=_AUDITS):
        for accused in answers:
            alarms[asked[number][0]] += accused
            number += 1
    return FalseAlarms(audits=audits, alarms=sum(alarms.values()), alpha=alpha, by_control=alarms)


def accuses(item: tuple[str, str, int, int, Fraction, int]) -> bool:
    """Whether an audit finds a violation: the case, the layer, samples, seed, level and its number."""
    name, layer, samples, seed, alpha, audit = item
    mechanism = _made(name)
    ask = ratio_audit if layer == "ratio" else blackbox_audit
    found = ask(mechanism, samples=samples, seed=seed, audit=audit, alpha=alpha)
    return found.verdict(epsilon=mechanism.epsilon) is Verdict.VIOLATION


@cache
def _made(name: str) -> Mechanism:
    return next(case for case in (*CONTROLS, *BUGS) if case.name == name).make()
