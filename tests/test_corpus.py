"""No number changes unnoticed, and no constant of a formula could be another without a number changing."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus import FILE, entries

ROOT = Path(__file__).resolve().parent.parent
FORMULA_FILES = sorted(
    p for folder in ("theorems", "pieces") for p in (ROOT / "bounds" / folder).glob("*.py") if p.name != "__init__.py"
)
SPEED_ONLY = {"_normal_guess"}
"""Formulas that only say where a search begins."""
DIFFERENT = 3
PROBE = f"import sys; from tests.corpus import differs; sys.exit({DIFFERENT} if differs(tuple(sys.argv[1:])) else 0)"
CRASHES = {"ZeroDivisionError", "NotCertified", "Undecided", "ValueError", "AssertionError"}
"""A mutant may also die by making a formula impossible; any other failure is a failure of this test."""
USERS = {
    "mean_and_noise": ("bojkovic2024.private-lp",),
    "paper_terms": ("bojkovic2024.uniform", "bojkovic2024.histogram-floor"),
    "promises": ("bojkovic2024.uniform", "bojkovic2024.histogram-floor"),
    "reference": ("bojkovic2024.private-lp", "synthbounds.reference-points"),
    "rows": ("synthbounds.full-support",),
}
"""For a building block, theorems that are made of it; a theorem file is checked by its own numbers."""


def test_no_number_changed() -> None:
    assert dict(entries()) == json.loads(FILE.read_text(encoding="utf-8"))


def constants(path: Path) -> list[tuple[int, int, int, str]]:
    """Line, column and value of every integer in a formula of the file, with the formula's name."""
    found: dict[tuple[int, int], tuple[int, int, int, str]] = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.FunctionDef | ast.Lambda) or "q" not in [a.arg for a in node.args.args]:
            continue
        name = getattr(node, "name", "lambda")
        for inner in ast.walk(node):
            if isinstance(inner, ast.Constant) and type(inner.value) is int and name not in SPEED_ONLY:
                key = (inner.lineno, inner.col_offset)
                if key not in found or found[key][3] == "lambda":
                    found[key] = (*key, inner.value, name)
    return sorted(found.values())


@pytest.mark.parametrize("path", [p for p in FORMULA_FILES if constants(p)], ids=lambda p: p.stem)
def test_every_constant_matters(path: Path, tmp_path: Path) -> None:
    mutants = constants(path)
    for package in ("bounds", "tests"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    copy = tmp_path / path.relative_to(ROOT)
    lines = copy.read_bytes().split(b"\n")  # syntax trees count columns in bytes
    users = USERS.get(path.stem) or (path.stem.replace("_", ".", 1).replace("_", "-"),)
    assert _probe(tmp_path, users) == 0, "the unchanged copy must agree with the corpus"
    survived = []
    for line, column, value, name in mutants:
        changed = list(lines)
        text = changed[line - 1]
        old, new = str(value).encode(), str(value + 1).encode()
        assert text[column:].startswith(old)
        changed[line - 1] = text[:column] + new + text[column + len(old) :]
        copy.write_bytes(b"\n".join(changed))
        if _probe(tmp_path, users) == 0:
            survived.append((path.stem, name, text.decode().strip(), value))
    assert survived == []


def _probe(folder: Path, users: tuple[str, ...]) -> int:
    done = subprocess.run(
        [sys.executable, "-c", PROBE, *users], cwd=folder, capture_output=True, text=True, timeout=120
    )
    if done.returncode not in (0, DIFFERENT):
        assert done.stderr.strip().split("\n")[-1].split(":")[0].split(".")[-1] in CRASHES, done.stderr
    return done.returncode
