"""A table of a million rows: uploaded, drafted and tried in bounded memory, with visible progress."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.synthbounds.web.killing import descendants
from tests.synthbounds.web.working import SURVEY, SURVEY_SCHEMA, person

COPIES = 250
SERVER_MB, JOB_MB = 100, 600
"""The table has 31 MB as text. Python with our libraries takes some 100 MB; a block of rows and its codes the rest."""


def most_mb(pid: int) -> float:
    """The largest memory that a process has had."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024 if "VmHWM:" in status else 0.0


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("do", ["draft", "check-schema", pytest.param("simulate", marks=pytest.mark.slow)])
def test_a_million_rows(do: str, tmp_path: Path) -> None:
    header, *rows = SURVEY.read_bytes().splitlines(keepends=True)
    with person(tmp_path) as steward:
        server = steward.server.process.pid
        table = steward.upload(header + b"".join(rows) * COPIES, "million.csv")["id"]
        more = {
            "draft": {},
            "check-schema": {"schema": SURVEY_SCHEMA},
            "simulate": {
                "schema": SURVEY_SCHEMA,
                "data": "table-is-public",
                "options": {"epsilon": "1", "dp-delta": "1e-9"},
            },
        }[do]
        job = steward.say("work", do=do, table=table, **more)["job"]
        largest, shown = 0.0, []
        for message in steward.heard(job):
            largest = max([largest, *map(most_mb, descendants(server))])
            shown.append((message.get("progress") or {}).get("text", ""))
        assert message["exit_code"] == 0, message
        assert most_mb(server) < SERVER_MB
        assert 50 < largest < JOB_MB
    counts = [int(text.partition(" rows read")[0].replace(",", "")) for text in shown if text.endswith("rows read")]
    assert counts
    assert counts == sorted(counts)
    assert counts[-1] <= COPIES * len(rows)
