"""A server that is killed during a release: nothing is half-written, and nothing is spent without being reported."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.synthbounds.web.killing import DONE, INTERRUPTED, NOTHING, appears, killed_while, outcome

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
MOMENTS = ("release-*/order.json", "release-*/*.recovery.json", "release-*/synthetic.csv", "release-*/outcome.json")


@pytest.mark.slow
@pytest.mark.parametrize("with_jobs", [pytest.param(False, id="server"), pytest.param(True, id="everything")])
def test_killed_at_the_steps_of_a_release(with_jobs: bool, tmp_path: Path) -> None:
    """`python -m benchmarks.guided_kills` does it at random moments."""
    found: list[str] = []
    before: set[str] = set()
    for moment in MOMENTS:
        place = tmp_path / f"{len(found)}"
        place.mkdir()
        killed_while(place, appears(moment), with_jobs=with_jobs)
        found.append(outcome(place, before))
    assert found[0] == NOTHING
    assert set(found[1:3]) <= {NOTHING, INTERRUPTED, DONE}
    assert found[3] == DONE
