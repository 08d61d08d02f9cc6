"""What is said of a release that was interrupted and has been finished."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from synthbounds.render.document import Facts

if TYPE_CHECKING:
    from release.recovery_file import Recovery


def recovered_block(recovery: Recovery, command: str) -> Facts:
    count = len(recovery.measurements)
    rows = (
        ("Finished", f"an interrupted `synthbounds {command}`, from {recovery.path.name}; the table was not opened"),
        ("Drawn before", f"{count} measurements and choices" if count > 1 else "one measurement"),
        ("Spent now", "nothing: what they cost was spent, and booked where there is an account, when they were drawn"),
    )
    return Facts(rows, "Recovered")


def recovered_payload(recovery: Recovery, command: str) -> dict[str, Any]:
    return {
        "file": str(recovery.path),
        "finished": command,
        "drawn_before": len(recovery.measurements),
        "records": recovery.records,
        "spent_before": recovery.ledger.to_json(),
    }
