"""What a run spent, from the entries of its own ledger, and what is left in the account where it is recorded."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from bounds.privacy.ledger import Ledger
from mechanisms.synth.log_summary import CHOICES, WIDER
from release.cross_moments.planned import CROSS, ONE_WAY
from release.marginals.file import MARGINALS
from release.spending import InAccount
from synthbounds.render.account import booked_block
from synthbounds.render.meaning import percent
from synthbounds.report.one_person import budget_text, epsilon_text, stated_privacy
from synthbounds.report.sheet import Cautions, Details, Part, Sheet, Spending, SpendingRow

MOST_ROWS = 8
"""More lines than this are told together: a log can have hundreds of rounds."""

NOT_COUNTED = "What other releases about these people have used is not known here: no account was kept."
BETTER = "smaller protects better"
_PLAIN = {
    MARGINALS: "tables of counts",
    ONE_WAY: "single columns",
    CROSS: "pairs of columns",
    WIDER: "two or more columns together",
    CHOICES: "choosing what to measure",
}
"""What the budget went into, for people."""


def spending_of(ledger: Ledger, *, is_simulated: bool, note: str = "") -> Spending:
    """Shares of the budget by what they were spent on; a simulation spends nothing and says what it would."""
    shares: dict[tuple[str, str], Fraction] = {}
    for entry in ledger.entries:
        key = (entry.what, entry.state)
        shares[key] = shares.get(key, Fraction(0)) + entry.amount / ledger.total
    rows = [
        spending_row(what if state == "spent" else f"kept for later: {what}", share)
        for (what, state), share in shares.items()
    ]
    if len(rows) > MOST_ROWS:
        told = sum(list(shares.values())[MOST_ROWS - 1 :], Fraction(0))
        rows[MOST_ROWS - 1 :] = [spending_row(f"{len(rows) - MOST_ROWS + 1} further measurements and choices", told)]
    left = ledger.left / ledger.total
    if left:
        rows.append(spending_row("neither spent nor kept", left))
    privacy = stated_privacy(ledger)
    budget = ledger.text() if privacy is None else budget_text(privacy)
    total = budget if privacy is None else f"Privacy budget (epsilon): {epsilon_text(privacy)}; {BETTER}."
    if is_simulated:
        would = budget if privacy is None else f"a privacy budget (epsilon) of {epsilon_text(privacy)}; {BETTER}"
        total = f"Nothing was spent: this is a simulation. A release would spend {would}."
    return Spending(tuple(rows), total, None, note, f"The whole budget: {budget}.")


def spending_row(what: str, share: Fraction) -> SpendingRow:
    return SpendingRow(_plain(what), f"{percent(share)} of the budget", share)


def _plain(what: str) -> str:
    kept, _, name = what.rpartition(": ")
    return f"{kept}: {_PLAIN.get(name, name)}" if kept else _PLAIN.get(name, name)


def with_account(sheet: Sheet, found: InAccount) -> Sheet:
    """The sheet with what the account has left, next to what was spent."""
    said = dict(booked_block(found).rows)
    left = f"{said['Left']}. Account: {said['Account']}"
    parts: list[Part] = [replace(part, left=left) if isinstance(part, Spending) else part for part in sheet.parts]
    if not any(isinstance(part, Spending) for part in parts):
        place = next((i for i, part in enumerate(parts) if isinstance(part, Cautions | Details)), len(parts))
        parts.insert(place, Spending((), said["Recorded"], left))
    return replace(sheet, parts=tuple(parts))


def without_account(sheet: Sheet) -> Sheet:
    """The sheet of a release that is recorded in no account: what else was spent is not known."""
    return replace(
        sheet,
        parts=tuple(
            replace(part, note=f"{part.note} {NOT_COUNTED}".strip())
            if isinstance(part, Spending) and part.left is None
            else part
            for part in sheet.parts
        ),
    )
