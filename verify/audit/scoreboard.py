"""Which layer finds which bug, and how often the sampling layers accuse a mechanism that keeps its claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from verify.audit.blackbox import blackbox_audit
from verify.audit.bugs import BUGS, CONTROLS, Case
from verify.audit.exact import Verdict
from verify.audit.ratio import ratio_audit
from verify.audit.statistics import ALPHA


@dataclass(frozen=True, kw_only=True)
class Row:
    """None where a layer cannot be asked."""

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
    """Audits of controls at confidence 1 - alpha, and how many of them accused."""

    audits: int
    alarms: int
    alpha: Fraction
    by_control: dict[str, int]


def find_bugs(*, samples: int, seed: int, cases: Sequence[Case] = BUGS) -> tuple[Row, ...]:
    """Every bug before every layer; audit number i belongs to bug number i."""
    return tuple(_row(case, samples=samples, seed=seed, audit=number) for number, case in enumerate(cases))


def _row(case: Case, *, samples: int, seed: int, audit: int) -> Row:
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
    layer: str, *, audits: int, samples: int, seed: int, alpha: Fraction = ALPHA, cases: Sequence[Case] = CONTROLS
) -> FalseAlarms:
    """That many audits, the controls in turn; for the layer `ratio` those whose density is known."""
    made = [(case.name, case.make()) for case in cases]
    if layer == "ratio":
        made = [(name, mechanism) for name, mechanism in made if mechanism.log_ratio is not None]
    ask = ratio_audit if layer == "ratio" else blackbox_audit
    alarms = {name: 0 for name, _ in made}
    for audit in range(audits):
        name, mechanism = made[audit % len(made)]
        found = ask(mechanism, samples=samples, seed=seed, audit=audit, alpha=alpha)
        alarms[name] += found.verdict(epsilon=mechanism.epsilon) is Verdict.VIOLATION
    return FalseAlarms(audits=audits, alarms=sum(alarms.values()), alpha=alpha, by_control=alarms)
