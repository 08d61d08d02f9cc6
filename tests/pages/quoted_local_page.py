"""Numbers of the pages on the calculator and the local page: recorded ones, and the limits that modules set."""

from __future__ import annotations

from collections.abc import Iterator

from synthbounds.web import MOST_QUESTION
from synthbounds.web.engine_child import MOST_BYTES
from synthbounds.web.engine_process import MOST_CURVE_SECONDS, MOST_SECONDS, MOST_WAITING
from synthbounds.web.server import TOKEN_BYTES
from synthbounds.web.work.jobs import MOST_RUNNING
from synthbounds.web.work.jobs import MOST_WAITING as MOST_JOBS_WAITING
from synthbounds.web.work.uploads import MOST_BYTES as MOST_UPLOAD
from tests.pages.quoted import DEFINITION, NAME, Page, recorded
from tests.synthbounds.web.test_work_large import SERVER_MB


def _local_page() -> Iterator[str]:
    yield f"a token of {8 * TOKEN_BYTES} random bits"
    yield f"JSON of at most {MOST_QUESTION // 1024} kB"
    yield f"Up to {MOST_WAITING} more wait in order"
    yield f"longer than {MOST_SECONDS:g} seconds"
    yield f"for {MOST_CURVE_SECONDS:g} seconds in all"
    yield f"use {MOST_BYTES // 2**30} GB of memory"


LOCAL_PAGE = Page(_local_page)


def _guided() -> Iterator[str]:
    yield f"It may have {MOST_UPLOAD // 10**9} GB"
    yield f"{'Two' if MOST_RUNNING == 2 else MOST_RUNNING} jobs run at a time, {MOST_JOBS_WAITING} wait"
    yield f"less than {SERVER_MB} MB"


GUIDED = Page(_guided, given={DEFINITION: ("(mode 700)",), NAME: ("UTF-16",)})


def _calculator() -> Iterator[str]:
    measured = recorded("web_page")
    yield f"The one file has {measured['single_file_mb']:.1f} MB"
    yield f"about {measured['first_answer_cpu_s']:.0f} seconds of a processor in a recorded run"


CALCULATOR = Page(_calculator, given={NAME: ('by "Corollary 3.6"',)})
