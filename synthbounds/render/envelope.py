"""What every answer in JSON starts and ends with."""

from __future__ import annotations

from typing import Any

from synthbounds._version import __version__

SCHEMA_VERSION = 1


def envelope(
    command: str, inputs: dict[str, str], body: dict[str, Any], *, precision: int | None, ledger: str | None
) -> dict[str, Any]:
    """The answer between the question and where it comes from."""
    shared = {"schema_version", "command", "inputs", "provenance"} & body.keys()
    if shared:
        raise AssertionError(f"an answer may not redefine {shared}")
    return {
        "schema_version": SCHEMA_VERSION,
        "command": command,
        "inputs": inputs,
        **body,
        "provenance": {"version": __version__, "precision": precision, "ledger": ledger},
    }
