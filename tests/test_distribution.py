"""What is published: installed without extras it answers and says what is missing; built again it is the same."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.distribution import build, build_distribution, digest_of
from tests.paths import PROJECT, ROOT

pytestmark = pytest.mark.slow
UV = Path(sys.prefix) / "bin" / "uv"
SURVEY = ROOT / "docs" / "examples" / "survey.csv"
SCHEMA = SURVEY.with_suffix(".schema.json")


def _done(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    environment["UV_PYTHON_DOWNLOADS"] = "never"
    return subprocess.run([str(a) for a in arguments], cwd=cwd, env=environment, capture_output=True, text=True)


def _run(*arguments: str | Path, cwd: Path) -> str:
    done = _done(*arguments, cwd=cwd)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and no extra; the wheel is built from the source distribution."""
    folder = tmp_path_factory.mktemp("clean")
    source = folder / "source"  # a copy, so that building leaves nothing behind in the work tree
    packages = {name.split(".")[0] for name in PROJECT["tool"]["setuptools"]["packages"]}
    for name in (*packages, "docs"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ROOT.iterdir():
        if file.is_file():
            shutil.copy(file, source)
    build(source, folder / "dist")
    (wheel,) = (folder / "dist").glob("*.whl")
    _run(sys.executable, "-m", "venv", "--without-pip", folder / "env", cwd=folder)
    python, pinned = folder / "env" / "bin" / "python", ROOT / "constraints.txt"
    _run(UV, "pip", "install", "--quiet", "--python", python, "--constraint", pinned, wheel, cwd=folder)
    return folder


def test_it_answers_in_a_clean_environment(clean: Path) -> None:
    command = clean / "env" / "bin" / "synthbounds"
    out = _run(
        command, "require", "--edition", "printed", "--p", "3", "--degree", "2",
        "--epsilon", "0.2", "--delta", "0.5", "--gamma", "0.25", "--format", "json", cwd=clean,
    )  # fmt: skip
    assert '"n": 467' in out
    assert "ok" in _run(command, "doctor", cwd=clean)
    inside = _run(clean / "env" / "bin" / "python", "-c", "import bounds; print(bounds.__file__)", cwd=clean)
    assert str(clean) in inside


@pytest.mark.parametrize(
    ("arguments", "extra"),
    [
        (f"schema {SURVEY}", "data"),
        (f"synth {SURVEY} --schema {SCHEMA} --epsilon 1 --mode simulate --synthetic out.csv", "data"),
        ("serve --no-browser", "web"),
        ("figures", "figures"),
    ],
)
def test_what_needs_an_extra_names_it(clean: Path, arguments: str, extra: str) -> None:
    done = _done(clean / "env" / "bin" / "synthbounds", *arguments.split(), cwd=clean)
    assert done.returncode != 0
    assert done.stderr.startswith("synthbounds: ")
    assert done.stderr.count("\n") == 1
    assert f"[{extra}]" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_source_has_what_a_reader_wants_and_no_tests(clean: Path) -> None:
    (source,) = (clean / "dist").glob("*.tar.gz")
    with tarfile.open(source) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    assert {
        "README.md",
        "CHANGELOG.md",
        "LICENSE",
        "constraints.txt",
        "docs/guide.md",
        "docs/examples/survey.csv",
    } <= names
    assert not [name for name in names if name.startswith(("tests/", "benchmarks/", "notebooks/"))]


def test_the_files_have_the_same_bytes_wherever_they_are_built(tmp_path: Path) -> None:
    """Two clones in two folders, under two masks of permissions."""
    first = build_distribution(tmp_path / "first")
    before = os.umask(0o077)
    try:
        second = build_distribution(tmp_path / "second")
    finally:
        os.umask(before)
    assert [file.name for file in first] == [file.name for file in second]
    assert list(map(digest_of, first)) == list(map(digest_of, second))
