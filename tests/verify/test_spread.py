"""Work that is spread: the same answers in order for any workers, what ends a worker, refusals, and what is kept."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bounds.errors import DataError, OutputError, ParameterError, UsageError, WorkersLost
from tests.verify import spread_jobs
from verify.spread import processes
from verify.spread.store import Store, run_studies
from verify.spread.workers import HERE, Workers

JOBS = "tests.verify.spread_jobs"


def test_answers_come_in_order_and_by_chunks() -> None:
    assert list(HERE.answers(f"{JOBS}:square", range(5))) == [0, 1, 4, 9, 16]
    assert list(HERE.chunks(f"{JOBS}:square", range(5), size=2)) == [[0, 1], [4, 9], [16]]
    assert list(Workers(2).chunks(f"{JOBS}:square", range(5), size=2)) == [[0, 1], [4, 9], [16]]
    assert list(Workers(2).chunks(f"{JOBS}:square", [])) == []


def test_linear_algebra_has_one_thread_wherever_items_are_made() -> None:
    assert set(HERE.answers(f"{JOBS}:threads", range(2))) == {1}
    assert set(Workers(2).answers(f"{JOBS}:threads", range(2))) == {1}


def test_a_refusal_comes_back_as_it_was() -> None:
    answers = Workers(2).answers(f"{JOBS}:refuses", range(6))
    assert [next(answers) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ParameterError, match=r"number = 3: must be another one \(it is three\)") as caught:
        next(answers)
    assert (caught.value.name, caught.value.allowed) == ("number", "another one")


def test_what_a_killed_process_had_not_finished_is_made_again(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    assert list(Workers(2).answers(f"{JOBS}:ends_once", [(str(mark), i) for i in range(6)])) == [0, 1, 4, 9, 16, 25]
    assert mark.exists()


def test_items_that_always_end_their_process_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "MOST_DEATHS", 2)
    with pytest.raises(WorkersLost, match="processes were ended 2 times at the same items"):
        list(Workers(2).answers(f"{JOBS}:always_ends", range(2)))


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ((0, None, None), "workers = 0"),
        ((2, "tcp://127.0.0.1:8786", None), "give only one of the two"),
        ((None, "127.0.0.1:8786", None), "scheduler = 127.0.0.1:8786: must be tcp://HOST:PORT"),
        ((None, "http://there:80", None), "must be tcp://HOST:PORT or tls://HOST:PORT"),
        ((None, "tcp://there:port", None), "must be tcp"),
        ((None, None, "here"), "certificates is for --scheduler"),
        ((None, "tcp://there:8786", "here"), "certificates is for a scheduler at tls"),
        ((None, "tls://there:8786", "here"), "certificates = here: there is no ca.pem"),
    ],
)
def test_what_makes_no_sense_is_refused_at_once(said: tuple[int | None, str | None, str | None], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        Workers.asked(*said)


@pytest.mark.parametrize(
    ("address", "secret"),
    [
        ("tcp://127.0.0.1:8786", True),
        ("tcp://localhost:1", True),
        ("tcp://[::1]:8786", True),
        ("tls://cluster.example:8786", True),
        ("tcp://cluster.example:8786", False),
        ("tcp://127.0.0.1.example:8786", False),
    ],
)
def test_answers_of_a_private_table_need_a_way_that_nobody_reads(address: str, *, secret: bool) -> None:
    by = Workers(1, address)
    if secret:
        by.require_secrecy("it")
    else:
        with pytest.raises(UsageError, match="it needs tls://, or a scheduler on this machine"):
            by.require_secrecy("it")
    Workers(2).require_secrecy("it")


def made(store: Store | None, wanted: dict[str, range], size: int = 2) -> dict[str, dict[int, int]]:
    return run_studies(f"{JOBS}:counted", wanted, size=size, store=store)


def test_finished_runs_are_kept_and_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, seen = tmp_path / "runs.jsonl", []
    monkeypatch.setattr(spread_jobs, "counted", lambda item: seen.append(item) or {"found": item[1]})
    assert made(Store(path, 1), {"a": range(3)}) == {"a": {i: {"found": i} for i in range(3)}}
    with path.open("a", encoding="utf-8") as stream:
        stream.write('{"study": "a", "version": 1, "run": 3, "fou')  # cut off
    found = made(Store(path, 1), {"a": range(1, 4), "b": range(1)})
    assert found == {"a": {i: {"found": i} for i in (1, 2, 3)}, "b": {0: {"found": 0}}}
    assert seen == [("a", 0), ("a", 1), ("a", 2), ("a", 3), ("b", 0)]
    assert Store(path, 1).known("a").keys() == {0, 1, 2, 3}
    assert len(path.read_text(encoding="utf-8").splitlines()) == 5


def test_what_is_finished_before_a_failure_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spread_jobs, "counted", lambda item: spread_jobs.refuses(item[1]))
    with pytest.raises(ParameterError):
        made(Store(tmp_path / "runs", "v"), {"a": range(6)}, size=1)
    assert Store(tmp_path / "runs", "v").known("a").keys() == {0, 1, 2}


def test_runs_of_another_version_do_not_count_and_stay(tmp_path: Path) -> None:
    path = tmp_path / "runs"
    path.write_text(
        json.dumps({"study": "a", "version": "old", "run": 0, "found": 7})
        + "\n"
        + json.dumps({"guarantee": "a", "version": "older", "run": 0, "failed": True})
        + "\n"
    )
    assert made(Store(path, "new"), {"a": range(1)}) == {"a": {0: 0}}
    assert Store(path, "old").known("a") == {0: 7}


@pytest.mark.parametrize("line", ["", "[]", "7", '{"study": "a"}', '{"study": 1, "version": 1, "run": 0, "found": 1}'])
def test_a_line_that_is_no_run_is_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 1: is not the result of a run"):
        Store(path, 1)


def test_a_store_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written"):
        made(Store(tmp_path / "nowhere" / "runs", 1), {"a": range(1)})
