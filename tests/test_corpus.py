"""No number changes unnoticed, and no constant of a formula could be another without a number changing."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus import FILE, corpus

ROOT = Path(__file__).resolve().parent.parent
FORMULA_FILES = sorted(
    p for folder in ("theorems", "pieces") for p in (ROOT / "bounds" / folder).glob("*.py") if p.name != "__init__.py"
)
SPEED_ONLY = {"_normal_guess"}
"""Formulas that only say where a search begins."""
EQUIVALENT = {
    # Each of these changes nothing that is computed; the reason stands beside it.
}
PROBE = (
    "import json, sys; from tests.corpus import corpus, FILE;"
    "sys.exit(0 if corpus() == json.loads(FILE.read_text(encoding='utf-8')) else 1)"
)


def test_no_number_changed() -> None:
    assert corpus() == json.loads(FILE.read_text(encoding="utf-8"))


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


@pytest.mark.parametrize("path", FORMULA_FILES, ids=lambda p: p.stem)
def test_every_constant_matters(path: Path, tmp_path: Path) -> None:
    mutants = constants(path)
    if not mutants:
        assert path.read_text(encoding="utf-8")
        return
    for package in ("bounds", "tests"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    copy = tmp_path / path.relative_to(ROOT)
    lines = copy.read_text(encoding="utf-8").split("\n")
    survived = []
    for line, column, value, name in mutants:
        changed = list(lines)
        text = changed[line - 1]
        assert text[column:].startswith(str(value))
        changed[line - 1] = text[:column] + str(value + 1) + text[column + len(str(value)) :]
        copy.write_text("\n".join(changed), encoding="utf-8")
        done = subprocess.run([sys.executable, "-c", PROBE], cwd=tmp_path, capture_output=True, timeout=300)
        if done.returncode == 0:
            survived.append((path.stem, name, text.strip(), value))
    unexplained = [s for s in survived if (s[0], s[2], s[3]) not in EQUIVALENT]
    assert unexplained == []
