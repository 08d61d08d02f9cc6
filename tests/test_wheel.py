"""The wheel: in a clean environment it gives the same answers, and rebuilt it is identical."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.paths import ROOT
from tests.wheel import build_wheel, digest_of

UV = Path(sys.prefix) / "bin" / "uv"


def _run(*arguments: str | Path, cwd: Path) -> str:
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    environment["UV_PYTHON_DOWNLOADS"] = "never"
    done = subprocess.run([str(a) for a in arguments], cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_wheel_in_a_clean_environment(tmp_path: Path) -> None:
    constraints = ROOT / "constraints.txt"
    source = tmp_path / "source"  # a copy, so that building leaves nothing behind in the work tree
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    folders = {name.split(".")[0] for name in project["tool"]["setuptools"]["packages"]}
    for name in folders:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source / name)
    _run(
        UV,
        "build",
        "--quiet",
        "--wheel",
        "--build-constraints",
        constraints,
        "--out-dir",
        tmp_path / "dist",
        source,
        cwd=tmp_path,
    )
    wheels = list((tmp_path / "dist").glob("*.whl"))
    assert len(wheels) == 1
    clean = tmp_path / "clean"
    _run(sys.executable, "-m", "venv", "--without-pip", clean, cwd=tmp_path)
    _run(
        UV,
        "pip",
        "install",
        "--quiet",
        "--python",
        clean / "bin" / "python",
        "--constraint",
        constraints,
        wheels[0],
        cwd=tmp_path,
    )
    out = _run(
        clean / "bin" / "synthbounds", "require", "--edition", "printed", "--p", "3", "--degree", "2",
        "--epsilon", "0.2", "--delta", "0.5", "--gamma", "0.25", "--format", "json", cwd=tmp_path,
    )  # fmt: skip
    assert '"n": 467' in out
    assert "ok" in _run(clean / "bin" / "synthbounds", "doctor", cwd=tmp_path)
    inside = _run(clean / "bin" / "python", "-c", "import bounds; print(bounds.__file__)", cwd=tmp_path)
    assert str(clean) in inside


@pytest.mark.slow
def test_the_wheel_has_the_same_bytes_wherever_it_is_built(tmp_path: Path) -> None:
    """Two clones in two folders, under two masks of permissions."""
    first = build_wheel(tmp_path / "first")
    before = os.umask(0o077)
    try:
        second = build_wheel(tmp_path / "second")
    finally:
        os.umask(before)
    assert first.name == second.name
    assert digest_of(first) == digest_of(second)
