"""Changed certificates: none is accepted whose claims are false, and none that two readers could read differently."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from synthbounds.api.proofs import check_text
from tests.verify.certificate_mutations import mutant
from tests.verify.certificate_truth import approximation_is_true, density_is_true, model_is_true
from tests.verify.score_truth import scores_are_true

TRUE: dict[str, Callable[[dict[str, Any]], bool]] = {
    "approximation": approximation_is_true,
    "density": density_is_true,
    "model": model_is_true,
    "scores": scores_are_true,
}
QUICK = {"approximation": 500, "density": 900, "model": 100, "scores": 600}
ALL = {"approximation": 4000, "density": 4000, "model": 2400, "scores": 10_000}


def false_accepted(kind: str, numbers: range) -> tuple[list[str], int]:
    """The changed certificates that should not have been accepted, and how many were."""
    wrong, accepted = [], 0
    for number in numbers:
        changed = mutant(kind, number)
        if not check_text(changed.text).valid:
            continue
        accepted += 1
        if changed.malformed or not TRUE[kind](json.loads(changed.text)):
            wrong.append(changed.name)
    return wrong, accepted


@pytest.mark.share(2)
@pytest.mark.parametrize("kind", QUICK)
def test_no_changed_certificate_is_accepted_wrongly(kind: str) -> None:
    wrong, accepted = false_accepted(kind, range(QUICK[kind]))
    assert wrong == []
    assert accepted > QUICK[kind] // 50  # some changes are harmless, or the test would have no power


PARTS = 6
"""Of the long tests, so that no worker is left alone with one."""


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
@pytest.mark.parametrize("kind", ALL)
def test_no_changed_certificate_of_many_is_accepted_wrongly(kind: str, part: int) -> None:
    assert sum(ALL[other] for other in ALL if other != "scores") >= 10_000
    wrong, _ = false_accepted(kind, range(QUICK[kind] + part, ALL[kind], PARTS))
    assert wrong == []
