"""Studies that are recorded run by run: existing runs are not repeated, and missing ones are made."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from verify.experiments.recorded import RecordedRuns

SETTINGS = [{"method": method, "set": number} for method in ("pair", "one") for number in (0, 1)]


def _run(made: list[dict[str, Any]], asked: dict[str, Any]) -> Iterator[dict[str, Any]]:
    made.append(asked)
    names = ("left", "right") if asked["method"] == "pair" else ("one",)
    yield from ({"method": name, "score": asked["set"]} for name in names)


def _makes(asked: dict[str, Any]) -> list[dict[str, Any]]:
    names = ("left", "right") if asked["method"] == "pair" else ("one",)
    return [asked | {"method": name} for name in names]


def test_only_what_is_missing_is_made(tmp_path: Path) -> None:
    runs, made = RecordedRuns(tmp_path / "runs.jsonl", ("method", "set")), list[dict[str, Any]]()
    runs.make(SETTINGS, lambda asked: _run(made, asked), makes=_makes)
    kept = runs.lines()
    assert [runs.key(line) for line in kept] == [
        ("left", 0), ("right", 0), ("left", 1), ("right", 1), ("one", 0), ("one", 1),
    ]  # fmt: skip
    assert made == SETTINGS
    runs.make(SETTINGS, lambda asked: _run(made, asked), makes=_makes)
    assert (made, runs.lines()) == (SETTINGS, kept)
    text = runs.path.read_text(encoding="utf-8").splitlines(keepends=True)
    runs.path.write_text("".join(text[:3]), encoding="utf-8")  # stopped between both lines of the second run
    runs.make(SETTINGS, lambda asked: _run(made, asked), makes=_makes)
    assert made[4:] == SETTINGS[1:]
    assert runs.lines() == kept


def test_what_is_not_kept_is_made_in_any_case(tmp_path: Path) -> None:
    runs, made = RecordedRuns(tmp_path / "runs.jsonl", ("method", "set")), list[dict[str, Any]]()
    for _ in range(2):
        runs.make(SETTINGS, lambda asked: _run(made, asked), makes=_makes, keeps=False)
    assert made == SETTINGS * 2
    assert not runs.path.exists()
