"""What the doctor found, as a document and its JSON twin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from synthbounds.render.document import Document, Table, Title

if TYPE_CHECKING:
    from synthbounds.api.checkup import Check


def doctor_document(results: tuple[Check, ...]) -> Document:
    marks = {(True, False): "ok", (True, True): "-"}
    rows = tuple((marks.get((c.fine, c.left_out), "FAILED"), c.name, c.found) for c in results)
    return (Title("doctor"), Table("", ("", "", ""), rows))


def doctor_payload(results: tuple[Check, ...]) -> dict[str, Any]:
    return {"checks": [{"name": c.name, "fine": c.fine, "found": c.found} for c in results]}
