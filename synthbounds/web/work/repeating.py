"""Next to a trial and a release: the same again as a script and as a notebook."""

from __future__ import annotations

import contextlib

from bounds.errors import SynthboundsError
from release.files.outputs import Outputs
from synthbounds.web.retold import Retold, notebook, script, tidied
from synthbounds.web.work.jobs import Job, Jobs
from synthbounds.web.work.places import SCHEMA

SCRIPT, NOTEBOOK = "repeat.sh", "repeat.ipynb"


def retell(job: Job, jobs: Jobs, *, table: str) -> None:
    """Both files, if the job went well; the last plan for the same schema comes first."""
    place = job.order.folder
    if job.exit_code != 0 or not (place / SCHEMA).exists():
        return
    schema = (place / SCHEMA).read_text("utf-8")
    plans = [other.order for other in jobs if other.order.do == "plan" and other.exit_code == 0]
    same = [plan for plan in plans if (plan.folder / SCHEMA).read_text("utf-8") == schema]
    commands = [*(tidied(plan.arguments, report="plan.html") for plan in same[-1:]), tidied(job.order.arguments)]
    told = Retold(commands=commands, table=table, schema=SCHEMA, schema_text=schema)
    with (
        contextlib.suppress(SynthboundsError, OSError),
        Outputs() as outputs,
    ):  # the job's results are there all the same
        outputs.add(place / SCRIPT, script(told).encode())
        outputs.add(place / NOTEBOOK, notebook(told).encode())
