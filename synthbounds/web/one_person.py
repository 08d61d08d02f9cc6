"""What the privacy of an answer means for one person: the privacy it promises, or that a comparison was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from bounds.enclosure import Enclosure
from bounds.errors import SynthboundsError
from bounds.parameters import PARAMETERS
from bounds.privacy.adjacency import read_adjacency
from bounds.privacy.meaning import meaning
from bounds.privacy.statements import DP
from bounds.sizes.solve_for import Inversion
from synthbounds.render.meaning import meaning_payload

if TYPE_CHECKING:
    from bounds.sizes.requirement import PrivacyStatement


def meaning_for_one(command: str, answer: Any, said: Mapping[str, str | bool]) -> dict[str, Any] | None:
    """In numbers and words; None if nothing private is asked, or so little that nothing can be said."""
    try:
        statement = _statement(command, answer, said)
        return None if statement is None else meaning_payload(meaning(statement))
    except SynthboundsError:
        return None


def _statement(command: str, answer: Any, said: Mapping[str, str | bool]) -> DP | None:
    if command == "require":
        sizes = answer.requirement if isinstance(answer, Inversion) else answer
        return _promised(sizes.guarantee.privacy)
    if command == "risk":
        noise = getattr(answer, "noise", None)  # Theorem 4.1 has none
        return None if noise is None or not noise.is_private else _promised(noise.privacy)
    if command == "certify":
        plan = answer.plan.question
        return DP(epsilon=Enclosure.of(plan.epsilon), delta=Enclosure.of(plan.delta), adjacency=plan.adjacency)
    if command == "compare" and "epsilon" in said:
        epsilon = PARAMETERS["epsilon"].number(said["epsilon"])
        delta = PARAMETERS["dp_delta"].number(said["dp_delta"]) if "dp_delta" in said else 0
        adjacency = read_adjacency(said.get("adjacency", PARAMETERS["adjacency"].default))
        return DP(epsilon=Enclosure.of(epsilon), delta=Enclosure.of(delta), adjacency=adjacency)
    return None


def _promised(privacy: PrivacyStatement) -> DP:
    return DP(epsilon=privacy.epsilon, delta=privacy.dp_delta or Enclosure.of(0), adjacency=privacy.adjacency)
