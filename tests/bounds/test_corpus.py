"""No number changes unnoticed, and no constant of a formula can change without some number changing."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus import FILE, entries
from tests.mutants import FAILED, SAME
from tests.paths import ROOT

FORMULA_FILES = sorted(
    p for folder in ("theorems", "pieces") for p in (ROOT / "bounds" / folder).glob("*.py") if p.name != "__init__.py"
)
SPEED_ONLY = {"_normal_guess", "laplace_beyond"}
"""Where a search begins, and from which domain on cheaper noise is not looked for: speed, not statements."""
CRASHES = {"ZeroDivisionError", "NotCertified", "Undecided", "ValueError", "AssertionError"}
"""A mutant may also die by making a formula impossible; any other failure is a failure of this test."""
USERS = {
    "mean_and_noise": ("bojkovic2024.private-lp",),
    "paper_terms": ("bojkovic2024.uniform", "bojkovic2024.histogram-floor"),
    "promises": ("bojkovic2024.uniform", "bojkovic2024.histogram-floor", "bojkovic2024.private-lp"),
    "reference": ("bojkovic2024.private-lp", "synthbounds.reference-points"),
    "rows": ("synthbounds.full-support", "synthbounds.product"),
    "binomial_deviation": ("zhou2024.bernstein-lipschitz",),
    "excess_risk": (
        "zhou2024.lipschitz",
        "zhou2024.logistic",
        "zhou2024.polynomial-risk",
        "synthbounds.quadratic-bias",
    ),
    "gaussian_length": ("bojkovic2024.graph", "bojkovic2024.least-squares", "bojkovic2024.chi-square"),
    "marginal_noise": ("zhou2024.sensitivity", "zhou2024.marginal-noise", "zhou2024.logistic-private"),
    "noisy_moments": ("synthbounds.noisy-moments",),
    "statistical_queries": ("zhou2024.lower", "zhou2024.phi-gamma"),
    "synthbounds_full_support": ("synthbounds.full-support", "bojkovic2024.uniform"),
}
"""Theorems made of a building block, or of a route that a theorem file lends; others are checked by themselves."""


def test_no_number_changed() -> None:
    assert dict(entries()) == json.loads(FILE.read_text(encoding="utf-8"))


def constants(path: Path) -> list[tuple[int, int, int, str]]:
    """Line, column and value of every integer of the file, in formulas and in what they are built from."""
    found: list[tuple[int, int, int, str]] = []

    def visit(node: ast.AST, name: str) -> None:
        if isinstance(node, ast.FunctionDef):
            name = node.name
        if name in SPEED_ONLY or (isinstance(node, ast.keyword) and node.arg in SPEED_ONLY):
            return
        if isinstance(node, ast.Constant) and type(node.value) is int:
            found.append((node.lineno, node.col_offset, node.value, name))
        for child in ast.iter_child_nodes(node):
            visit(child, name)

    visit(ast.parse(path.read_text(encoding="utf-8")), "module")
    return sorted(found)


@pytest.mark.slow  # it is about the corpus: a constant that changes is seen by the numbers, and they are in both halves
@pytest.mark.parametrize("path", [p for p in FORMULA_FILES if constants(p)], ids=lambda p: p.stem)
def test_every_constant_matters(path: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "bounds", tmp_path / "bounds")
    (tmp_path / "tests").mkdir()
    for name in ("__init__.py", "corpus.py", "corpus.json", "mutants.py"):
        shutil.copy2(ROOT / "tests" / name, tmp_path / "tests" / name)
    lines = path.read_bytes().split(b"\n")  # syntax trees count columns in bytes
    sources, places = [b"\n".join(lines)], []
    for line, column, value, name in constants(path):
        text = lines[line - 1]
        old, new = str(value).encode(), str(value + 1).encode()
        assert text[column:].startswith(old)
        changed = text[:column] + new + text[column + len(old) :]
        sources.append(b"\n".join([*lines[: line - 1], changed, *lines[line:]]))
        places.append((path.stem, name, text.decode().strip(), value))
    users = USERS.get(path.stem) or (path.stem.replace("_", ".", 1).replace("_", "-"),)
    unchanged, *effects = _effects(tmp_path, path.relative_to(ROOT), users, sources)
    assert unchanged == SAME, "the unchanged copy must agree with the corpus"
    for effect in effects:
        assert not effect.startswith(FAILED) or effect.removeprefix(FAILED).split(":")[0] in CRASHES, effect
    assert [place for place, effect in zip(places, effects, strict=True) if effect == SAME] == []


def _effects(folder: Path, file: Path, users: tuple[str, ...], sources: list[bytes]) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.mutants", file, *users],
        cwd=folder,
        input="".join(json.dumps(source.decode()) + "\n" for source in sources),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]
