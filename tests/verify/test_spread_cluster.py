"""The same over a Dask cluster on this machine: equal answers, and one clear line if it cannot be used."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from distributed import LocalCluster
from distributed.security import Security

from bounds.errors import ParameterError, WorkersLost
from synthbounds.cli import main
from tests.paths import ROOT
from verify.guarantee import guarantees
from verify.run_certificates import ATTACKS, EVENTS, PIPELINES, run_certificates
from verify.run_guarantees import run_guarantees, store_at
from verify.spread import cluster as cluster_module
from verify.spread.workers import HERE, Workers

INPUTS = ROOT / "tests" / "recorded" / "inputs"
JOBS = "tests.verify.spread_jobs"
pytestmark = pytest.mark.filterwarnings("default")  # Dask's own


def local(**more: Any) -> LocalCluster:
    asked = {"n_workers": 1, "threads_per_worker": 1, "processes": False, "protocol": "tcp://"} | more
    return LocalCluster(dashboard_address="127.0.0.1:0", scheduler_port=0, host="127.0.0.1", **asked)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """Of a scheduler whose one worker is a thread of this process: it starts at once."""
    with local() as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def give_up(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From now on nobody is waited for: whoever will not come is known not to."""
    return lambda: monkeypatch.setattr(cluster_module, "WAIT_S", 1)


def test_answers_come_in_order(address: str) -> None:
    by = Workers.asked(None, address)
    assert list(by.chunks(f"{JOBS}:square", range(5), size=2)) == [[0, 1], [4, 9], [16]]
    assert set(by.answers(f"{JOBS}:threads", range(2))) == {1}


def test_a_refusal_comes_back_as_it_was(address: str) -> None:
    answers = Workers(1, address).answers(f"{JOBS}:refuses", range(6))
    assert [next(answers) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ParameterError, match="number = 3: must be another one"):
        next(answers)


def test_commands_say_the_same(address: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for command in (
        ["verify", "--simulate", "3", "--id", "bojkovic2024.uniform.printed"],
        ["verify", "--id", "bojkovic2024.A5"],
        ["audit", "histogram", "--all", "--layer", "ratio", "--samples", "1000"],
        ["evaluate", *[str(INPUTS / "people.csv")] * 2, "--schema", str(INPUTS / "people.schema.json")],
        ["figures", "zhou2024-figure1a", "--output", str(tmp_path)],
    ):
        said = []
        for more in ([], ["--scheduler", address]):
            assert main([*command, *more]) == 0
            said.append(capfd.readouterr())
        assert said[0] == said[1]
        assert said[0].err.count("\n") == (command[0] == "evaluate")  # its one warning


def test_another_version_is_refused(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = iter([{"mathematics": "ours"}, {"mathematics": "theirs"}])
    monkeypatch.setattr(cluster_module, "version", lambda: next(versions))
    with pytest.raises(WorkersLost, match=r"worker tcp://.* is refused: mathematics is theirs there, ours here"):
        list(Workers(1, address).answers(f"{JOBS}:square", [1]))


def test_a_worker_of_several_threads_is_refused() -> None:
    with local(threads_per_worker=2) as cluster, pytest.raises(WorkersLost, match="it has 2 threads, not one"):
        list(Workers(1, cluster.scheduler_address).answers(f"{JOBS}:square", [1]))


def test_a_cluster_without_workers_is_refused(give_up: Callable[[], None]) -> None:
    give_up()
    with local(n_workers=0) as cluster, pytest.raises(WorkersLost, match=r"scheduler = tcp://.*: has no workers$"):
        list(Workers(1, cluster.scheduler_address).answers(f"{JOBS}:square", [1]))


def test_an_address_where_nobody_answers_is_one_line(
    give_up: Callable[[], None], capfd: pytest.CaptureFixture[str]
) -> None:
    give_up()
    for address in ("tcp://127.0.0.1:9", "tcp://nowhere.invalid:8786"):
        assert main(["verify", "--simulate", "1", "--scheduler", address]) == 6
        said = capfd.readouterr()
        assert said.out == ""
        assert said.err.startswith(f"synthbounds: error: scheduler = {address}: cannot be reached (")
        assert said.err.count("\n") == 1
    assert main(["verify", "--simulate", "1", "--scheduler", "somewhere"]) == 2


def test_what_was_finished_before_the_scheduler_died_is_kept(
    give_up: Callable[[], None], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    chosen = [g for g in guarantees() if g.id == "bojkovic2024.uniform.printed"]
    path = tmp_path / "runs"
    with local() as cluster, pytest.raises(WorkersLost, match=r"no longer answers|has no workers"):
        run_guarantees(
            chosen,
            2000,
            store=store_at(path),
            workers=Workers(1, cluster.scheduler_address),
            progress=lambda _: (give_up(), cluster.close()),
        )
    kept = store_at(path).known(chosen[0].id)
    assert 0 < len(kept) < 2000
    assert list(kept) == list(range(len(kept)))
    assert capfd.readouterr().err == ""


def test_without_a_scheduler_dask_is_not_loaded() -> None:
    program = (
        "import sys; from synthbounds.cli import main; "
        "main(['verify', '--simulate', '1', '--id', 'bojkovic2024.uniform.printed']); "
        "sys.exit('dask' in sys.modules or 'distributed' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)


def certificates(folder: Path, *names: str) -> None:
    """A certificate authority in each folder, with a certificate of its own."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("not run: there is no openssl to make certificates with")
    for name in names:
        place = folder / name
        place.mkdir()

        def run(*arguments: str, place: Path = place) -> None:
            subprocess.run([openssl, *arguments], cwd=place, check=True, capture_output=True)

        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        run("req", "-x509", *key, "-keyout", "ca-key.pem", "-out", "ca.pem", "-days", "2", "-subj", f"/CN={name}")
        run("req", *key, "-keyout", "key.pem", "-out", "request.pem", "-subj", "/CN=worker")
        signing = ["-CA", "ca.pem", "-CAkey", "ca-key.pem", "-CAcreateserial", "-days", "2"]
        run("x509", "-req", "-in", "request.pem", *signing, "-out", "cert.pem")


def test_both_sides_show_certificates(give_up: Callable[[], None], tmp_path: Path) -> None:
    certificates(tmp_path, "ours", "theirs")
    files = {key: str(tmp_path / "ours" / name) for key, name in cluster_module.FILES.items()}
    roles = {
        f"tls_{role}_{kind}": files[f"tls_client_{kind}"]
        for role in ("scheduler", "worker")
        for kind in ("cert", "key")
    }
    with local(protocol="tls://", security=Security(require_encryption=True, **files, **roles)) as cluster:
        address = cluster.scheduler_address
        assert address.startswith("tls://")
        by = Workers.asked(None, address, tmp_path / "ours")
        assert list(by.answers(f"{JOBS}:square", range(3))) == [0, 1, 4]
        give_up()
        for folder in (tmp_path / "theirs", None):
            with pytest.raises(WorkersLost, match="cannot be reached"):
                list(Workers.asked(None, address, folder).answers(f"{JOBS}:square", [1]))
        with pytest.raises(WorkersLost, match="cannot be reached"):
            list(Workers(1, address.replace("tls", "tcp")).answers(f"{JOBS}:square", [1]))


def studies(by: Workers, progress: Any = None) -> tuple[Any, Any]:
    """Guarantees and coverage: enough of them that a worker can die in between."""
    chosen = [g for g in guarantees() if g.id.startswith("bojkovic2024.")][:3]
    found = run_guarantees(chosen, 100, workers=by, progress=progress)
    rows = run_certificates({PIPELINES: 8, EVENTS: 24, ATTACKS: 2}, workers=by, progress=progress)
    return [(f.guarantee.id, f.runs, f.failures) for f in found], rows


@pytest.mark.slow  # test_commands_say_the_same and those of test_spread.py catch the same mistakes
def test_one_process_two_and_a_cluster_of_two_even_if_one_is_killed_agree_to_the_last_bit() -> None:
    alone = studies(HERE)
    assert alone[1][PIPELINES]
    assert studies(Workers(2)) == alone
    with local(n_workers=2, processes=True) as cluster:
        by, killed = Workers(1, cluster.scheduler_address), []
        assert studies(by) == alone

        def kill(_: str) -> None:
            if not killed:
                killed.append(cluster.workers[0].pid)
                os.kill(killed[0], signal.SIGKILL)

        assert studies(by, kill) == alone
        assert killed
