"""`synthbounds recover FILE --table TABLE`: a run with several measurements goes on, and spends the rest only once."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Sequence
from contextvars import Context
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bounds.enclosure import decimal_text
from bounds.errors import DataError, OutputError
from release.cross_moments.file import CROSS_MOMENTS
from release.distance.planned import DISTANCE
from release.files.digest import digest_of
from release.log.planned import MARGINAL_LOG
from release.log.read import read_log
from release.noise.kinds import Noise
from release.recovery_file import GOING_ON
from release.spending import SUFFIX
from synthbounds.api.recovering import recover
from synthbounds.cli import main
from tests.synthbounds.test_after_the_noise import BUDGET, COMMANDS, LABEL, MODE, TABLE, made, place
from tests.synthbounds.test_recover_cli import ADDED, LOGS, MORE, interrupted_after, made_by

__all__ = ["made", "place"]
KEPT = f"x.csv{SUFFIX}"
RUNS = {
    **{method: MORE[method] for method in (*LOGS, "distance of a table")},
    "moments": COMMANDS["table"],
    "rap++": [*TABLE, *BUDGET, *MODE, "--synthetic", "x.csv", "--k", "100", "--method", "rap++", "--rounds", "2"],
    "dd-ssp": ["regress", *TABLE, *LABEL, *BUDGET, *ADDED, "--method", "dd-ssp", "--output", "x.json"],
}
RUNS["rap++"] = ["synth", *RUNS["rap++"], "--numbers", "age", "size", "--label", "pays", "--thresholds", "50"]
RUNS["rap++"] += ["--points", "50"]


def chance(*said: object) -> np.random.Generator:
    return np.random.default_rng(int.from_bytes(sha256(repr(said).encode()).digest()[:8], "big"))


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Noise that follows from what it is put on, so that runs that ask the same get the same; and what was asked."""
    asked: list[str] = []

    def numbers(noise: Noise, values: Sequence[int], _: object) -> tuple[int, ...]:
        asked.append("numbers")
        scales = noise.scales if isinstance(noise.scales, tuple) else (noise.scales,) * len(values)
        moved = chance(noise.kind, scales, values).standard_normal(len(values))
        return tuple(int(v) + round(float(s) * m) for v, s, m in zip(values, scales, moved, strict=True))

    def places(rate: object, scores: Sequence[int], _: object, *, count: int = 1) -> tuple[int, ...]:
        asked.append("places")
        weights = np.exp(float(rate) * (np.array(scores, float) - max(scores))) + 1e-9  # type: ignore[arg-type]
        return tuple(chance(rate, scores).choice(len(scores), count, replace=False, p=weights / weights.sum()).tolist())

    monkeypatch.setattr("release.measure.draw", numbers)
    monkeypatch.setattr("release.choose.draw_exponential", places)
    return asked


def target(run: str) -> str:
    return RUNS[run][-1] if RUNS[run][-1].endswith(".json") else "x.csv"


@pytest.mark.share(3)
@pytest.mark.parametrize(
    "kept", [1, pytest.param(2, marks=pytest.mark.slow), 3, pytest.param(5, marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("run", RUNS)
def test_a_run_that_goes_on_ends_as_one_that_was_never_interrupted(
    run: str, kept: int, place: Path, drawn: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    before = {path.name for path in place.iterdir()}
    assert main(RUNS[run]) == 0, capsys.readouterr().err
    expected, all_drawn = made_by(place, before), len(drawn)
    for name in expected:
        (place / name).unlink()
    drawn.clear()
    if interrupted_after(monkeypatch, RUNS[run], kept) == 0:
        assert made_by(place, before) == expected  # it draws no more often
        return
    (place / "table.csv").rename(place / "elsewhere.csv")
    file = f"{target(run)}{SUFFIX}"
    assert recover(file, table="elsewhere.csv").drawing is False
    capsys.readouterr()
    assert main(["recover", file, "--table", "elsewhere.csv", "--format", "json"]) == 0, capsys.readouterr().err
    assert len(drawn) == all_drawn  # each part of the budget was used once
    (place / "elsewhere.csv").rename(place / "table.csv")
    assert made_by(place, before) == expected
    assert json.loads(capsys.readouterr().out)["went_on"] is True
    assert not (place / file).exists()


def test_a_run_may_be_interrupted_again_and_books_once(
    place: Path, drawn: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(MORE["aim"]) == 0
    expected = (place / "x.log.json").read_bytes()
    (place / "x.log.json").unlink()
    (place / "x.csv").unlink()
    opened = ["account", "open", "people.json", "--name", "p", "--adjacency", "replace-one", "--epsilon", "4.1"]
    assert main([*opened, "--dp-delta", "2e-6"]) == 0
    assert interrupted_after(monkeypatch, [*MORE["aim"], "--account", "people.json"], 1) == 70
    booked = (place / "people.json").read_bytes()
    on = ["recover", KEPT, "--table", "table.csv"]
    for held in (3, 5):
        assert interrupted_after(monkeypatch, on, 2) == 70
        assert len(recover(KEPT).measurements) == held
    assert main(on) == 0
    assert (place / "x.log.json").read_bytes() == expected
    assert (place / "people.json").read_bytes() == booked


@pytest.mark.parametrize("what", ["measure.draw", "choose.draw_exponential"])
def test_noise_that_may_be_lost_is_not_drawn_again(
    what: str, place: Path, drawn: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert interrupted_after(monkeypatch, MORE["aim"], 1 if what.startswith("choose") else 2) == 70
    on = ["recover", KEPT, "--table", "table.csv"]
    with monkeypatch.context() as patch:
        patch.setattr(f"release.{what}", lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
        assert main(on) == 130
    assert recover(KEPT).drawing
    drawn.clear()
    capsys.readouterr()
    assert main(on) == 3
    said = capsys.readouterr().err
    assert "ended while noise was drawn" in said
    assert said.count("\n") == 1
    assert main(["recover", KEPT]) == 0
    assert not drawn
    assert read_log("x.log.json").unfinished > 0


def test_of_two_runs_that_go_on_one_draws(
    place: Path, drawn: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert interrupted_after(monkeypatch, MORE["mst"], 1) == 70
    drawn.clear()
    other: list[int] = []

    def first(records: Any, *details: Any, **more: Any) -> Any:
        if not other:
            other.append(0)
            other[0] = Context().run(main, ["recover", KEPT, "--table", "table.csv"])  # as another process
        return real(records, *details, **more)

    from mechanisms.select import mst

    real = mst.OpenLog
    monkeypatch.setattr(mst, "OpenLog", first)
    capsys.readouterr()
    assert main(["recover", KEPT, "--table", "table.csv", "--synthetic", "y.csv", "--log", "y.json"]) == 6
    assert "nothing more was spent" in capsys.readouterr().err
    assert other == [0]
    assert not (place / "y.csv").exists()
    count = len(drawn)
    drawn.clear()
    (place / "x.csv").unlink()
    (place / "x.log.json").unlink()
    assert main(MORE["mst"]) == 0
    assert len(drawn) == count + 1  # the one that was kept; nothing was drawn by the run that came too late


def test_a_file_that_changed_since_it_was_read_is_not_gone_on_from(
    place: Path, drawn: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert interrupted_after(monkeypatch, MORE["aim"], 1) == 70
    drawn.clear()

    def meanwhile(path: Path, body: dict[str, Any], **how: Any) -> None:
        path.write_bytes(path.read_bytes() + b"\n")
        real(path, body, **how)

    from release import spending

    real = spending._write
    monkeypatch.setattr(spending, "_write", meanwhile)
    assert main(["recover", KEPT, "--table", "table.csv"]) == 6
    assert "has been changed since it was read" in capsys.readouterr().err
    assert not drawn


def test_another_table_another_kind_and_an_older_file_are_refused(
    place: Path, drawn: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert interrupted_after(monkeypatch, MORE["aim"], 2) == 70
    drawn.clear()
    lines = (place / "table.csv").read_text().splitlines(keepends=True)
    (place / "fewer.csv").write_text("".join(lines[:-1]))
    capsys.readouterr()
    assert main(["recover", KEPT, "--table", "fewer.csv"]) == 3
    assert "not have as many records" in capsys.readouterr().err
    body = json.loads((place / KEPT).read_text())
    del body["drawing"], body["digest"]
    (place / KEPT).write_text(json.dumps(body | {"digest": digest_of(body)}))
    assert main(["recover", KEPT, "--table", "table.csv"]) == 3
    body["drawing"] = 1
    (place / KEPT).write_text(json.dumps(body | {"digest": digest_of(body)}))
    with pytest.raises(DataError, match="drawing: must be true or false"):
        recover(KEPT)
    assert interrupted_after(monkeypatch, COMMANDS["moments"], 1) == 70
    capsys.readouterr()
    assert main(["recover", f"x.json{SUFFIX}", "--table", "table.csv"]) == 2
    assert "draws all its noise at once" in capsys.readouterr().err
    assert drawn == ["numbers"]


def test_no_noise_is_drawn_where_the_file_cannot_say_so(
    place: Path, drawn: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from release import spending

    real = spending._write

    def full(path: Path, body: dict[str, Any], **how: Any) -> None:
        if body.get("drawing"):
            raise OutputError("recovery file: cannot be written")
        real(path, body, **how)

    monkeypatch.setattr(spending, "_write", full)
    monkeypatch.setattr(spending, "keep_anyhow", lambda *_: False)
    assert main(MORE["aim"]) == 6
    said = capsys.readouterr().err
    assert "the next noise was not drawn" in said
    assert f"noisy numbers are kept in {KEPT}" in said
    assert drawn == ["numbers"]
    assert recover(KEPT, table="table.csv").drawing is False


def test_kinds_that_go_on_are_those_of_their_modules() -> None:
    assert GOING_ON == (MARGINAL_LOG, CROSS_MOMENTS, DISTANCE)


@pytest.mark.parametrize("run", ["aim", "moments", "dd-ssp"])
def test_the_command_that_is_said_finishes_the_release(
    run: str, place: Path, drawn: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (place / "table.csv").rename(place / "the table.csv")
    asked = ["the table.csv" if word == "table.csv" else word for word in RUNS[run]]
    assert interrupted_after(monkeypatch, asked, 1) == 70
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    found = re.search(r"kept in (\S+) \(finish with `synthbounds (.*)`\)", said)
    assert found, said
    words = shlex.split(found[2])
    assert words == ["recover", found[1], "--table", "the table.csv"]
    assert main(words) == 0, capsys.readouterr().err
    assert (place / target(run)).exists()
    assert "forgone" not in capsys.readouterr().err


def test_without_the_table_it_is_said_first_what_is_forgone(
    place: Path, drawn: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert interrupted_after(monkeypatch, MORE["aim"], 2) == 70
    share = recover(KEPT).share_left
    assert 0 < share < 1
    capsys.readouterr()
    assert main(["recover", KEPT]) == 0
    said = capsys.readouterr().err
    assert said.startswith("synthbounds: warning: without --table, ")
    assert Fraction(said.split()[4]) == Fraction(decimal_text(100 * share, 3, up=False))
    assert "% of the budget (of rho) is forgone" in said


def test_nothing_is_forgone_where_nothing_could_go_on(
    place: Path, drawn: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """All noise is drawn at once: the command that is said needs no table."""
    assert interrupted_after(monkeypatch, MORE["independent"], 1) == 70
    assert f"(finish with `synthbounds recover {KEPT}`)" in capsys.readouterr().err
    assert main(["recover", KEPT]) == 0
    assert "forgone" not in capsys.readouterr().err
