"""A server with the engine that does as it is told, or with limits of time from the environment."""

from __future__ import annotations

import os
import sys
from functools import partial

from synthbounds.cli.outcome import write
from synthbounds.cli.run import guarded
from synthbounds.web import application, connection, engine_process, server
from synthbounds.web.engine_process import COMMAND, EngineProcess
from synthbounds.web.work import jobs, routes

QUICK_JOB = ("/bin/sh", "-c", "exit 3", "job")
"""What runs instead of a command: nothing, and it fails."""
ENGINE = (sys.executable, "-m", "tests.synthbounds.web.told_engine")


def main() -> int:
    seconds = float(os.environ.get("ANSWER_SECONDS", "60"))
    curve = float(os.environ.get("CURVE_SECONDS", "120"))
    limited = partial(EngineProcess, most_seconds=seconds, most_curve_seconds=curve)
    server.EngineProcess = limited  # type: ignore[attr-defined, assignment, misc]
    connection.HEADER_SECONDS = float(os.environ.get("HEADER_SECONDS", "10"))
    connection.WRITE_SECONDS = float(os.environ.get("WRITE_SECONDS", "10"))
    application.BODY_SECONDS = float(os.environ.get("BODY_SECONDS", "10"))
    application.QUIET_SECONDS = float(os.environ.get("QUIET_SECONDS", "15"))
    engine_process.STOP_SECONDS = float(os.environ.get("STOP_SECONDS", "60"))
    routes.PART_SECONDS = float(os.environ.get("BODY_SECONDS", "30"))
    if "QUICK_JOBS" in os.environ:
        jobs.CHILD = QUICK_JOB
    engine = COMMAND if "REAL_ENGINE" in os.environ else ENGINE
    folder = os.environ.get("RELEASES", "synthbounds-releases")
    server.serve(
        port=0, announce=write, opens_browser=False, engine=engine, folder=folder, most_upload=100_000, demo=True
    )
    return 0


if __name__ == "__main__":
    sys.exit(guarded(main))
