"""What is said about a release that was interrupted and has been finished."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from synthbounds.render.document import Facts

if TYPE_CHECKING:
    from release.recovery_file import Recovery


def recovered_block(recovery: Recovery, command: str, *, goes_on: bool) -> Facts:
    count = len(recovery.measurements)
    table = "it went on from there with the table" if goes_on else "the table was not opened"
    now = "only what it had set aside" if goes_on else "nothing"
    rows = (
        ("Finished", f"an interrupted `synthbounds {command}`, from {recovery.path.name}; {table}"),
        ("Drawn before", f"{count} measurements and choices" if count > 1 else "one measurement"),
        ("Spent now", f"{now}: this was counted, and recorded if there is an account, before the first noise"),
    )
    return Facts(rows, "Recovered")


def recovered_payload(recovery: Recovery, command: str, *, goes_on: bool) -> dict[str, Any]:
    return {
        "file": str(recovery.path),
        "finished": command,
        "went_on": goes_on,
        "drawn_before": len(recovery.measurements),
        "records": recovery.records,
        "spent_before": recovery.ledger.to_json(),
    }
