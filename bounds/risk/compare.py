"""Every bound on excess risk for one question, one row for each theorem and edition; refusals with their reason."""

from __future__ import annotations

from dataclasses import dataclass

from bounds.errors import NotApplicable, NotCertified, UsageError
from bounds.model import EDITIONS
from bounds.risk.answer import RiskAnswer
from bounds.risk.evaluate import FAMILIES, risk
from bounds.risk.moments import MOMENTS_ID
from bounds.risk.question import build_question
from bounds.shown import Shown


@dataclass(frozen=True)
class RiskRow(Shown):
    """One theorem in one edition: its answer, or why it gives none."""

    theorem: str
    edition: str
    answer: RiskAnswer | None
    reason: str = ""

    def __str__(self) -> str:
        return f"{self.theorem}, {self.edition} edition: {self.reason}" if self.answer is None else str(self.answer)


def compare_risk(**parameters: object) -> tuple[RiskRow, ...]:
    """The same question to every theorem and edition."""
    for name in ("theorem", "edition", "approximation", "release", "solve_for"):
        if parameters.get(name) is not None:
            raise UsageError(f"{name} is for `synthbounds risk`: a comparison shows all of them")
    private = build_question(**parameters).private
    suffix = "-private" if private else ""
    asked = [(family, edition, {"theorem": family}) for family in FAMILIES for edition in EDITIONS]
    rows = [_row(f"{family}{suffix}", edition, {**parameters, **more}) for family, edition, more in asked]
    if private:
        moments = {name: value for name, value in parameters.items() if name != "marginals"}
        try:
            rows.append(_row(MOMENTS_ID, "sharp", {**moments, "release": "moments"}))
        except UsageError as error:  # an intercept, which moments count as a feature
            rows.append(RiskRow(MOMENTS_ID, "sharp", None, str(error)))
    return tuple(rows)


def _row(theorem: str, edition: str, parameters: dict[str, object]) -> RiskRow:
    try:
        return RiskRow(theorem, edition, risk(**{**parameters, "edition": edition}))
    except (NotApplicable, NotCertified) as error:
        return RiskRow(theorem, edition, None, str(error))
