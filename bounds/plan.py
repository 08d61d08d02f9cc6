"""From a question to a theorem: which statement answers a measure, and all of them side by side."""

from __future__ import annotations

from dataclasses import dataclass

from bounds.errors import ParameterError, SynthboundsError, UsageError
from bounds.evaluate import evaluate
from bounds.model import EDITIONS, Theorem
from bounds.registry import all_theorems, find_theorem
from bounds.requirement import Requirement
from bounds.setting import MEASURES, Setting, build_setting


def require(
    *,
    measure: str | None = None,
    edition: str = "sharp",
    theorem: str | None = None,
    fewest_records: bool = False,
    **parameters: object,
) -> Requirement:
    """Sizes n, m, k that suffice, each integer proved at its value and one below."""
    if edition not in EDITIONS:
        raise ParameterError("edition", edition, "one of " + ", ".join(EDITIONS))
    if theorem is not None and measure is not None:
        raise UsageError("give --theorem or --measure, not both: a theorem has its own measure")
    chosen = find_theorem(theorem) if theorem is not None else theorem_for(measure or "uniform", parameters)
    _refuse_unused(chosen, parameters)
    setting = build_setting(continuous=chosen.measure == "kde", **parameters)
    return evaluate(chosen, edition, setting, fewest_records=fewest_records)


MEASURE_OF = {
    "tau1": "histogram",
    "tau2": "histogram",
    "tau": "kde",
    "lipschitz": "kde",
    "density_max": "kde",
    "kappa": "custom",
}
"""Parameters that only one measure uses; elsewhere they would silently answer another question."""


def _refuse_unused(theorem: Theorem, parameters: dict[str, object]) -> None:
    for name, measure in MEASURE_OF.items():
        if parameters.get(name) is not None and theorem.measure != measure:
            raise UsageError(f"{name} is for --measure {measure}: {theorem.id} does not use it")
    if theorem.measure == "kde" and parameters.get("t") is not None and parameters.get("family") != "cells":
        raise UsageError("t is for finite domains, or for --family cells: continuous attributes have no levels")


def theorem_for(measure: str, parameters: dict[str, object]) -> Theorem:
    """The statement of the paper that answers this measure with these inputs."""
    if measure not in MEASURES:
        raise ParameterError("measure", measure, "one of " + ", ".join(MEASURES))
    given = {name for name, value in parameters.items() if value is not None}
    if measure == "uniform":
        return find_theorem("bojkovic2024.uniform")
    if measure == "histogram":
        return find_theorem("bojkovic2024.histogram" if "tau1" in given else "bojkovic2024.histogram-uniform")
    if measure == "kde":
        general = given & {"tau", "lipschitz", "density_max"}
        return find_theorem("bojkovic2024.kde" if general else "bojkovic2024.kde-uniform")
    return find_theorem("bojkovic2024.private-lp")


@dataclass(frozen=True)
class ComparisonRow:
    """One theorem in one edition: its answer, or why it gives none."""

    theorem: str
    edition: str
    requirement: Requirement | None
    reason: str = ""
    misses: tuple[str, ...] = ()
    """In what the promise falls short of what was asked."""


def compare(*, measure: str | None = None, **parameters: object) -> tuple[ComparisonRow, ...]:
    """Every release theorem in every edition at the same parameters; refusals with their reason.

    Without a measure, the finite-domain theorems are compared unless only continuous parameters are given.
    """
    continuous = _is_continuous(measure, parameters)
    for name, only in MEASURE_OF.items():
        if parameters.get(name) is not None and (only == "kde") != continuous:
            raise UsageError(f"{name} is for --measure {only}: finite and continuous domains are compared apart")
    setting = build_setting(continuous=continuous, **parameters)
    rows: list[ComparisonRow] = []
    for theorem in all_theorems().values():
        if theorem.direction != "sufficient" or (theorem.measure == "kde") != continuous:
            continue
        if measure is not None and theorem.measure not in (measure, "custom"):
            continue
        rows.extend(_row(theorem, edition.name, setting) for edition in theorem.editions)
    return tuple(rows)


def _is_continuous(measure: str | None, parameters: dict[str, object]) -> bool:
    if measure is not None and measure not in MEASURES:
        raise ParameterError("measure", measure, "one of " + ", ".join(MEASURES))
    if measure is not None:
        return measure == "kde"
    return any(parameters.get(name) is not None for name in ("tau", "lipschitz", "density_max"))


def _row(theorem: Theorem, edition: str, setting: Setting) -> ComparisonRow:
    try:
        answer = evaluate(theorem, edition, setting)
    except SynthboundsError as error:
        return ComparisonRow(theorem.id, edition, None, str(error))
    misses = []
    if setting.epsilon is not None and answer.guarantee.privacy.epsilon.lo > setting.epsilon:
        misses.append("epsilon")
    if setting.gamma is not None and answer.guarantee.failure_probability.lo > 4 * setting.gamma:
        misses.append("failure")
    return ComparisonRow(theorem.id, edition, answer, misses=tuple(misses))
