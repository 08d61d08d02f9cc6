"""Numbers of the page on spreading work: recorded ones."""

from __future__ import annotations

from collections.abc import Iterator

from bounds.errors import ParameterError, WorkersLost
from tests.pages.quoted import Page, recorded, thousands

_NAMES = {
    "one_process": "one process",
    "two_processes": "two processes",
    "cluster_of_two": "a cluster of two, started for it",
}


def _spreading() -> Iterator[str]:
    measured = recorded("spreading")
    assert measured["same_answers"]
    assert measured["guarantees"] == 3
    yield f"a recorded run of {thousands(measured['runs'] * measured['guarantees'])} runs of three guarantees"
    for key, name in _NAMES.items():
        row = measured[key]
        pays = f" {row['pays_from_cpu_s']} " if "pays_from_cpu_s" in row else " "
        yield f"| {name} | {row['start_cpu_s']:.2f} | {row['runs_cpu_s']:.2f} |{pays}|"
    assert measured["cluster_of_two"]["pays_from_cpu_s"] < 60
    yield f"exit code {WorkersLost.exit_code}; an address that cannot be one is exit code {ParameterError.exit_code}"


SPREADING = Page(_spreading)
