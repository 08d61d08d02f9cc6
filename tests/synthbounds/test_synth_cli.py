"""The synth command: files together or not at all, reports that say what happened, bad input in one line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from release.data.schema import read_schema
from release.data.tables import read_codes
from synthbounds.cli import main
from tests.speeds import ALL, in_both

COLUMNS = ("a", "b", "c", "d")
SCHEMA = {
    "synthbounds_schema": 1,
    "source": "public",
    "columns": [{"name": name, "levels": ["no", "yes"]} for name in COLUMNS],
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    generator = np.random.default_rng(1)
    table = np.where(generator.random((2000, 4)) < [0.2, 0.5, 0.7, 0.9], "yes", "no")
    lines = [",".join(COLUMNS), *(",".join(row) for row in table)]
    (tmp_path / "table.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA))
    monkeypatch.chdir(tmp_path)
    return tmp_path


ASK = ["synth", "table.csv", "--schema", "schema.json", "--epsilon", "1"]
SIMULATE = [*ASK, "--mode", "simulate"]
RELEASE = [*ASK, "--mode", "release", "--adjacency", "replace-one"]


def test_table_and_report_appear_together(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(
        [*RELEASE, "--synthetic", "out.csv", "--output", "report.json", "--format", "json", "--accuracy", "0.1"]
    )
    assert code == 0
    report = json.loads(Path("report.json").read_text())
    schema = read_schema("schema.json")
    assert len(read_codes("out.csv", schema)) == report["k"]
    assert report["mode"] == "release"
    assert report["stamp"] is None
    assert (report["n"], report["n_is_public"], report["adjacency"]) == (2000, True, "replace-one")
    assert float(report["epsilon_spent"]) <= 1
    assert float(report["certificate"]["accuracy"]) <= float(report["promise"]["accuracy"]) <= 0.1
    assert float(report["gap"]) <= 1e-9
    assert report["queries"] == 10
    assert report["columns"] == 16
    assert report["theorem"] == "bojkovic2024.uniform"
    assert sorted(os.listdir(place)) == ["out.csv", "report.json", "schema.json", "table.csv"]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "json"])
def test_a_simulation_is_stamped_in_every_format(place: Path, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SIMULATE, "--synthetic", "out.parquet", "--format", form]) == 0
    said = capsys.readouterr()
    assert "NOT A RELEASE" in said.out
    assert "NOT A RELEASE" in said.err
    import pyarrow.parquet as pq

    assert b"NOT A RELEASE" in pq.read_schema("out.parquet").metadata[b"synthbounds"]


def test_the_proof_of_the_optimum_is_checked_again(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SIMULATE, "--synthetic", "out.csv", "--certificate", "proof.json"]) == 0
    assert main([*SIMULATE, "--synthetic", "exact.csv", "--exact", "--certificate", "exact.json"]) == 0
    capsys.readouterr()
    assert main(["check", "proof.json"]) == 0
    assert "10 queries (monomials) on every point of the domain" in capsys.readouterr().out
    assert main(["check", "exact.json", "--format", "json"]) == 0
    claims = json.loads(capsys.readouterr().out)["claims"]
    assert claims["lower"] == claims["upper"]
    damaged = json.loads(Path("proof.json").read_text())
    assert damaged["note"].startswith("NOT A RELEASE")
    damaged["upper"] = "0"
    damaged["targets"][0] = "1/3"
    Path("proof.json").write_text(json.dumps(damaged))
    assert main(["check", "proof.json"]) == 1
    assert "upper bound is not proved" in capsys.readouterr().out


def test_the_number_of_records_stays_hidden_under_add_remove(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask = [*ASK, "--mode", "release", "--adjacency", "add-remove", "--least-size", "1500", "--synthetic", "out.csv"]
    assert main([*ask, "--output", "report.json", "--format", "json"]) == 0
    assert main([*ask, "--force"]) == 0
    everything = Path("report.json").read_text() + "".join(capsys.readouterr())
    assert "2000" not in everything
    assert "2,000" not in everything
    assert json.loads(Path("report.json").read_text())["least_size"] == 1500


def test_no_rows_are_a_table_under_add_remove_only(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("table.csv").write_text(",".join(COLUMNS) + "\n")
    ask = [*ASK, "--mode", "release", "--synthetic", "out.csv", "--force"]
    for spelling in ("add-remove", "add/remove"):
        assert main([*ask, "--adjacency", spelling, "--least-size", "1500"]) == 0
    assert main([*ask, "--adjacency", "replace-one"]) == 3
    assert "has no rows" in capsys.readouterr().err


def test_a_simulation_does_not_depend_on_the_hash_seed(place: Path) -> None:
    found = set()
    for seed in ("0", "12345"):
        subprocess.run(
            [sys.executable, "-m", "synthbounds", *SIMULATE, "--synthetic", "out.csv", "--force"],
            check=True,
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        found.add(Path("out.csv").read_bytes())
    assert len(found) == 1


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--mode", "release"], 2, "adjacency is missing"),
        (["--mode", "release", "--adjacency", "replace-one", "--seed", "1"], 2, "operating system"),
        (["--mode", "simulate", "--accuracy", "0.0001"], 4, "asks for"),
        (["--mode", "simulate", "--epsilon", "0"], 2, "epsilon = 0"),
        (["--mode", "simulate", "--degree", "9"], 2, "degree = 9"),
        (["--mode", "simulate", "--m", "10", "--measure", "uniform"], 4, "no theorem covers"),
        (["--mode", "simulate", "--m", "10", "--accuracy", "0.1"], 4, "which no theorem covers"),
        (["--mode", "simulate", "--measure", "histogram"], 4, "--accuracy"),
        (["--mode", "simulate", "--schema", "nowhere.json"], 3, "nowhere.json"),
        (["--mode", "simulate", "--synthetic", "nowhere/out.csv"], 6, "does not exist"),
        (["--mode", "simulate", "--synthetic", "out.xlsx"], 6, ".csv or .parquet"),
        (["--mode", "simulate", "--output", "out.csv"], 2, "name the same file"),
        (["--mode", "simulate", "--output", "table.csv", "--force"], 6, "is the table that is read"),
        (["--mode", "simulate", "--certificate", "schema.json", "--force"], 6, "is the schema that is read"),
        (["--mode", "simulate", "--synthetic", "table.csv", "--force"], 6, "is the table that is read"),
        (["--mode", "release", "--adjacency", ""], 2, "adjacency"),
        (["--mode", "simulate", "--family", ""], 2, "family"),
        (["--mode", "simulate", "--lipschitz", "1"], 2, "lipschitz"),
    ],
)
def test_refusals(place: Path, arguments: list[str], code: int, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(os.listdir(place))
    synthetic = [] if "--synthetic" in arguments else ["--synthetic", "out.csv"]
    assert main([*ASK, *synthetic, *arguments]) == code
    said = capsys.readouterr()
    assert said.err.count("\n") == 1
    assert said.err.startswith("synthbounds: error: ")
    assert words in said.err
    assert sorted(os.listdir(place)) == before


@pytest.mark.parametrize("epsilon", ["30", "100", "1000"])
def test_hardly_any_noise(place: Path, epsilon: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*RELEASE, "--synthetic", "out.csv", "--epsilon", epsilon]) == 0
    assert float(capsys.readouterr().out.split("error")[1].split()[0]) < 0.005


def test_a_certificate_that_says_nothing_is_called_vacuous(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*SIMULATE, "--synthetic", "out.csv", "--epsilon", "0.001", "--anyway"]) == 0
    said = capsys.readouterr().out
    assert "VACUOUS" in said
    assert "was promised" not in said


def test_noise_beyond_its_quantile_is_noticed(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seen = 0
    for seed in range(6):
        ask = [*SIMULATE, "--synthetic", "out.csv", "--force", "--failure", "0.999999", "--epsilon", "0.01"]
        assert main([*ask, "--mechanism", "laplace", "--seed", str(seed), "--anyway", "--format", "json"]) == 0
        certificate = json.loads(capsys.readouterr().out)["certificate"]
        seen += bool(certificate["reason"] and "larger than its quantile" in certificate["reason"])
    assert seen > 0


def test_too_few_records_for_the_public_least_size(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ask = [*ASK, "--mode", "release", "--adjacency", "add-remove", "--least-size", "50000", "--synthetic", "out.csv"]
    assert main(ask) == 0
    said = capsys.readouterr()
    assert "fewer" not in said.out + said.err
    assert "of at least 50,000 records" in " ".join(said.out.split())


def test_nothing_is_left_behind_if_nobody_sees_the_answer(place: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "synthbounds", *SIMULATE, "--synthetic", "out.csv"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert done.returncode == 6
    assert not Path("out.csv").exists()


def test_json_stays_json_without_utf8(place: Path) -> None:
    Path("u.csv").write_text("é,b\n" + "à,1\n😀,2\n" * 5, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "synthbounds", "schema", "u.csv", "--format", "json"],
        capture_output=True,
        env={**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"},
    )
    assert done.returncode == 0
    assert json.loads(done.stdout)["columns"][0] == {"name": "é", "levels": ["à", "😀"]}


def test_schema_from_data_is_refused_in_a_release(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("schema.json").write_text(json.dumps({**SCHEMA, "source": "data-dependent"}))
    assert main([*RELEASE, "--synthetic", "out.csv"]) == 3
    assert main([*SIMULATE, "--synthetic", "out.csv"]) == 0
    assert "made from data" in capsys.readouterr().err


@pytest.mark.parametrize("mode", [SIMULATE, RELEASE])
def test_bad_cells_are_named_and_echoed_only_in_a_simulation(
    place: Path, mode: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    text = Path("table.csv").read_text().splitlines()
    text[7] = "no,secret-value,no,no"
    Path("table.csv").write_text("\n".join(text) + "\n")
    assert main([*mode, "--synthetic", "out.csv"]) == 3
    said = capsys.readouterr().err
    assert "row 7" in said
    assert "'b'" in said
    assert ("secret-value" in said) == (mode is SIMULATE)
    assert not Path("out.csv").exists()


def test_a_domain_too_large_says_so_before_anything_is_made(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [f"c{i}" for i in range(60)]
    levels = [str(v) for v in range(10)]
    Path("wide.json").write_text(
        json.dumps({**SCHEMA, "columns": [{"name": name, "levels": levels} for name in names]})
    )
    Path("wide.csv").write_text(",".join(names) + "\n" + ",".join(["1"] * 60) + "\n")
    ask = ["synth", "wide.csv", "--schema", "wide.json", "--epsilon", "1", "--mode", "simulate", "--synthetic", "o.csv"]
    ask += ["--method", "lp"]
    assert main(ask) == 2
    assert "at most 131072 queries (here 177600)" in capsys.readouterr().err
    assert main([*ask, "--family", "monomials"]) == 4
    assert "the domain has about 2^199 points, above the 4194304 that are taken whole" in capsys.readouterr().err
    assert not Path("o.csv").exists()


@in_both
def test_kill_at_any_moment_leaves_no_partial_table(place: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "synthbounds",
        *SIMULATE,
        "--synthetic",
        "out.csv",
        "--output",
        "report.txt",
        "--force",
    ]
    subprocess.run(command, check=True, capture_output=True)
    whole = Path("out.csv").read_bytes()
    Path("out.csv").unlink()
    started = time.monotonic()
    subprocess.run(command, check=True, capture_output=True)
    usual = time.monotonic() - started
    for share in (0.5, 0.7, 0.8, 0.9, 0.95, 1.0) if ALL else (0.8, 0.95):
        for name in ("out.csv", "report.txt"):
            Path(name).unlink(missing_ok=True)
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            time.sleep(usual * share)
            process.send_signal(signal.SIGKILL)
        if Path("out.csv").exists():
            assert Path("out.csv").read_bytes() == whole
        for left in set(os.listdir(place)) - {"table.csv", "schema.json", "out.csv", "report.txt"}:
            assert left.startswith(".synthbounds-")


def test_a_full_disk_keeps_the_old_table(place: Path) -> None:
    Path("out.csv").write_text("old")
    limited = "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
    limited += "resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64)); from synthbounds.cli import main; "
    limited += "sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-c", limited, *SIMULATE, "--synthetic", "out.csv", "--force", "--k", "1000"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 6
    assert "cannot be written" in done.stderr
    assert Path("out.csv").read_text() == "old"
    assert sorted(os.listdir(place)) == ["out.csv", "schema.json", "table.csv"]


@pytest.mark.slow
def test_two_runs_to_one_file_do_not_interleave(place: Path) -> None:
    def command(seed: str) -> list[str]:
        return [sys.executable, "-m", "synthbounds", *SIMULATE, "--seed", seed, "--synthetic", "out.csv"]

    alone = []
    for seed in ("1", "2"):
        subprocess.run(command(seed), check=True, capture_output=True)
        alone.append(Path("out.csv").read_bytes())
        Path("out.csv").unlink()
    both = [subprocess.Popen(command(seed), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) for seed in "12"]
    codes = sorted(process.wait() for process in both)
    assert codes == [0, 6]
    assert Path("out.csv").read_bytes() in alone
