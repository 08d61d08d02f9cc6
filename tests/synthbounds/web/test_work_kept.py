"""The folder of releases on its own: who may make a release, and what a new start finds."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from bounds.errors import UsageError
from release.spent import SPENT
from synthbounds.web.work.kept import ORDER, OUTCOME, Kept


def killed(kept: Kept, number: int = 1, *files: str, **order: object) -> str:
    """A release whose server was killed when these files were there."""
    claim = kept.claim("digest", number)
    place = kept.folder / claim.release
    (place / ORDER).write_text(json.dumps({"command": "synthbounds synth", **order}))
    for name in files:
        (place / name).write_text("{}")
    (place / "table.csv").symlink_to("gone.csv")
    (place / ".synthbounds-x.part").write_text("half")
    os.close(claim.held)
    return claim.release


def test_one_claim_for_each_number(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "new")
    first = kept.claim("digest", 1)
    for number in (1, 3):
        with pytest.raises(UsageError, match=r"made already \(release-1\)"):
            kept.claim("digest", number)
    assert kept.claim("digest", 2).release == "release-2"
    assert kept.claim("other", 1).release == "release-3"
    assert kept.made("digest") == [first.release, "release-2"]


def test_nothing_was_spent(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    killed(kept, 1, "schema.json", "said.txt")
    kept.settle()
    assert kept.made("digest") == kept.releases() == []
    assert kept.claim("digest", 1).release == "release-1"


@pytest.mark.parametrize("file", ["synthetic.csv", "synthetic.csv.recovery.json", "release.json"])
def test_it_counts_as_spent(file: str, tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    name = killed(kept, 1, file)
    kept.settle()
    (told,) = kept.releases()
    assert (told["name"], told["state"], told["spent"]) == (name, "interrupted", True)
    assert SPENT in told["told"]
    assert {one["name"] for one in told["files"]} == {ORDER, OUTCOME, file}
    assert kept.made("digest") == [name]


@pytest.mark.parametrize(("booked", "is_spent"), [(0, True), (1, False)])
def test_an_account_knows(booked: int, is_spent: bool, tmp_path: Path) -> None:
    """A file for recovery that holds nothing was made before anything was booked."""
    (tmp_path / "people.account.json").write_text(json.dumps({"ledger": {"entries": [{}]}}))
    kept = Kept(tmp_path)
    killed(kept, 1, "synthetic.csv.recovery.json", account="people.account.json", booked=booked)
    kept.settle()
    assert [one["spent"] for one in kept.releases()] == [True] * is_spent


def test_one_that_runs_is_left_alone(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    claim = kept.claim("digest", 1)
    Kept(tmp_path).settle()
    assert kept.made("digest") == [claim.release]
    assert (tmp_path / claim.release / ORDER).exists()
    assert kept.releases()[0]["state"] == "running"


def test_folders_of_others_and_releases_that_were_moved(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    mine = tmp_path / "release-1"
    mine.mkdir()
    (mine / "schema.json").write_text("mine")
    name = killed(kept, 1, "synthetic.csv")
    assert name == "release-2"
    kept.settle()
    (tmp_path / name).rename(tmp_path / "published")
    kept.settle()
    assert kept.made("digest") == [name]
    assert (mine / "schema.json").read_text() == "mine"
    assert kept.releases() == []


def test_digests_tell_nothing_without_the_key(tmp_path: Path) -> None:
    one, two = Kept(tmp_path / "a"), Kept(tmp_path / "b")
    assert one.digest("table") == Kept(tmp_path / "a").digest("table") != two.digest("table")
    assert (tmp_path / "a/.claims/key").stat().st_mode & 0o077 == 0
    for wrong in (".claims", "..", "release-0", "release-1/..", "", None):
        with pytest.raises(UsageError):
            one.place(wrong)


def test_a_link_to_a_folder_is_no_release(tmp_path: Path) -> None:
    kept = Kept(tmp_path / "releases")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "secret.txt").write_text("theirs")
    kept.folder.mkdir()
    (kept.folder / "release-9").symlink_to(elsewhere)
    with pytest.raises(UsageError, match="no such release"):
        kept.place("release-9")
    assert kept.releases() == []
    (kept.folder / "release-9").unlink()
    (kept.folder / "release-9").mkdir()
    assert kept.place("release-9") == kept.folder / "release-9"


def test_a_release_says_what_it_is_of(tmp_path: Path) -> None:
    kept = Kept(tmp_path)
    words = ["synth", "survey.csv", "--mode", "release", "--epsilon", "1", "--dp-delta=1e-8", "--method", "auto"]
    order = {"arguments": words, "account": "people-2024.account.json", "begun": "2024-05-06T07:08:09+00:00"}
    name = killed(kept, 1, "synthetic.csv", **order)
    (tmp_path / name / "answer.json").write_text(json.dumps({"method": "moments"}))
    killed(kept, 2, "query.json", arguments=["confirm", "survey.csv", "../release-1/release.json"])
    killed(kept, 3, "release.json", arguments=["release", "floors", "b.csv", "--epsilon", "1/2"])
    first, second, third = kept.releases()
    assert {key: first[key] for key in ("table", "method", "epsilon", "dp_delta", "account", "begun")} == {
        "table": "survey.csv",
        "method": "moments",
        "epsilon": "1",
        "dp_delta": "1e-8",
        "account": "people-2024",
        "begun": "2024-05-06T07:08:09+00:00",
    }
    assert (second["table"], second["method"], second["epsilon"], second["account"]) == (
        "survey.csv",
        "question",
        None,
        None,
    )
    assert (third["table"], third["method"], third["epsilon"]) == ("b.csv", "floors", "1/2")
    assert third["begun"].endswith("+00:00")
