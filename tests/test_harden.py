"""The campaign against releasing commands, small: it runs, and finds nothing."""

from __future__ import annotations

import argparse
import sys

import pytest

from benchmarks import harden


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="address space is not limited here")
def test_a_small_campaign_finds_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    few = argparse.Namespace(limits=3, others=0, signals=0, kills=4, races=2, faults=2, seed=3)
    found = harden.campaign(few)
    assert found["violations"] == 0, capsys.readouterr().out
    assert found["runs"] == 3 * 2 + 4 + 2 + 2 * len(harden.COMMANDS)
    assert found["budgets_lost"] == 0
