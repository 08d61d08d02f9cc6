"""From a question to a theorem: the statement for a measure, and all of them side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bounds.errors import SynthboundsError, UsageError
from bounds.model import Theorem
from bounds.parameters import PARAMETERS, STATEMENT, option_for
from bounds.registry import all_theorems, find_theorem
from bounds.shown import Shown
from bounds.sizes.evaluate import evaluate, records_of
from bounds.sizes.requirement import Requirement
from bounds.sizes.setting import Setting, build_setting

_WITH_LEVELS = ("cells", "thresholds")


def require(*, fewest_records: bool = False, **question: object) -> Requirement:
    """Sizes n, m, k that suffice, each integer proved at its value and one below; `levels` stand for p and t."""
    return evaluate(*_asked(**question), fewest_records=fewest_records)  # type: ignore[arg-type]


def fewest_records(**question: object) -> int:
    """The n of `require` with fewest records, and nothing else."""
    return records_of(*_asked(**question))  # type: ignore[arg-type]


def _asked(
    *,
    measure: str | None = None,
    edition: str = "sharp",
    theorem: str | None = None,
    levels: Sequence[int] | None = None,
    **parameters: object,
) -> tuple[Theorem, str, Setting]:
    """The statement that a question is for, its edition, and the setting."""
    edition = STATEMENT["edition"].choice(edition)
    named = STATEMENT["measure"].choice(measure)
    chosen = find_theorem(theorem) if theorem is not None else theorem_for(named, parameters)
    if measure is not None and chosen.measure not in (measure, "any"):
        raise UsageError(f"measure = {measure}: {chosen.id} is for --measure {chosen.measure}")
    _refuse_unused(chosen, parameters)
    _refuse_unknown(parameters)
    return chosen, edition, build_setting(continuous=chosen.measure == "kde", levels=levels, **parameters)


def _refuse_unknown(parameters: dict[str, object]) -> None:
    for name in parameters:
        if name not in PARAMETERS:
            from bounds.nearest import did_you_mean

            hint = did_you_mean(name, PARAMETERS)
            raise UsageError(f"{name[:40]} is not a parameter of a question" + (f": {hint}" if hint else ""))


def _single_measure(parameters: dict[str, object]) -> list[tuple[str, str]]:
    """Given parameters that only one measure uses: for others they would silently answer another question."""
    return [
        (name, PARAMETERS[name].measure)
        for name, value in parameters.items()
        if value is not None and name in PARAMETERS and PARAMETERS[name].measure
    ]


def _refuse_unused(theorem: Theorem, parameters: dict[str, object]) -> None:
    for name, measure in _single_measure(parameters):
        if theorem.measure != measure:
            raise UsageError(f"{name} is for --measure {measure}: {theorem.id} does not use it")
    if theorem.direction == "necessary":
        for name in ("k", "mechanism", "rows", "release"):
            if parameters.get(name) is not None:
                raise UsageError(f"{name} is not for {theorem.id}: it holds for every mechanism and every table")
    levels = parameters.get("t")
    if theorem.measure == "kde" and levels not in (None, 2, "2") and parameters.get("family") not in _WITH_LEVELS:
        raise UsageError(
            "t is for finite domains, or for --family cells or thresholds: continuous attributes have no levels"
        )


def theorem_for(measure: str, parameters: dict[str, object]) -> Theorem:
    """The statement of the paper that answers this measure with these inputs."""
    given = {name for name, value in parameters.items() if value is not None}
    if measure == "uniform":
        return find_theorem("bojkovic2024.uniform")
    if measure == "histogram":
        return find_theorem("bojkovic2024.histogram" if "tau1" in given else "bojkovic2024.histogram-uniform")
    if measure == "kde":
        general = any(only == "kde" for _, only in _single_measure(parameters))
        return find_theorem("bojkovic2024.kde" if general else "bojkovic2024.kde-uniform")
    return find_theorem("bojkovic2024.private-lp")


@dataclass(frozen=True)
class ComparisonRow(Shown):
    """One theorem in one edition: its answer, or why it gives none."""

    theorem: str
    edition: str
    requirement: Requirement | None
    reason: str = ""
    misses: tuple[str, ...] = ()
    """The ways in which the promise falls short of what was asked."""

    def __str__(self) -> str:
        found = self.requirement
        return f"{self.theorem}, {self.edition} edition: {self.reason}" if found is None else str(found)


def compare(
    *, measure: str | None = None, levels: Sequence[int] | None = None, **parameters: object
) -> tuple[ComparisonRow, ...]:
    """Every release theorem in every edition at the same parameters; refusals with their reason.

    Without a measure, the finite-domain theorems are compared unless a continuous parameter is given.
    """
    _refuse_unknown(parameters)
    continuous = _is_continuous(measure, parameters)
    for name, only in _single_measure(parameters):
        if (only == "kde") != continuous:
            raise UsageError(f"{name} is for --measure {only}: finite and continuous domains are compared separately")
    setting = build_setting(continuous=continuous, levels=levels, **parameters)
    for name in ("epsilon", "delta", "gamma"):
        if name not in setting.numbers:
            raise UsageError(f"{option_for(name)} is missing: every theorem needs it")
    rows: list[ComparisonRow] = []
    for theorem in all_theorems().values():
        if theorem.direction != "sufficient" or (theorem.measure == "kde") != continuous:
            continue
        if measure is not None and theorem.measure not in (measure, "custom"):
            continue
        rows.extend(_row(theorem, edition.name, setting) for edition in theorem.editions)
    return tuple(rows)


def _is_continuous(measure: str | None, parameters: dict[str, object]) -> bool:
    if measure is not None:
        return STATEMENT["measure"].choice(measure) == "kde"
    return any(only == "kde" for _, only in _single_measure(parameters))


def _row(theorem: Theorem, edition: str, setting: Setting) -> ComparisonRow:
    try:
        answer = evaluate(theorem, edition, setting)
    except SynthboundsError as error:
        return ComparisonRow(theorem.id, edition, None, str(error))
    misses = []
    if answer.guarantee.privacy.epsilon.lo > setting.numbers["epsilon"]:
        misses.append("epsilon")
    if answer.guarantee.failure_probability.lo > 4 * setting.numbers["gamma"]:
        misses.append("failure")
    return ComparisonRow(theorem.id, edition, answer, misses=tuple(misses))
