"""The house in order: arrows between folders, exact constants, proofs for every statement, small modules."""

from __future__ import annotations

import ast
import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

from bounds.model import EDITIONS
from bounds.quantities import SYMBOLS
from bounds.registry import all_theorems

ROOT = Path(__file__).resolve().parent.parent
OURS = ("bounds", "lp", "verify", "synthbounds", "benchmarks", "docs_site", "paper_figures", "tests")
MAY_IMPORT = {
    "bounds": set(),
    "lp": {"bounds"},
    "verify": {"bounds", "lp"},
    "synthbounds": {"bounds", "lp", "verify", "paper_figures"},
    "benchmarks": {"synthbounds", "lp", "verify"},  # the programme against other solvers, audits against seeded bugs
    "paper_figures": {"synthbounds", "lp", "verify"},  # what the papers print is in verify; files appear whole by lp
    "docs_site": {"bounds", "synthbounds", "verify"},  # pages generated from the registry, the ledger, the parser
}
SOURCES = [p for folder in MAY_IMPORT for p in sorted((ROOT / folder).rglob("*.py"))]
PAGES = sorted((ROOT / "docs" / "proofs").glob("*.md"))
DESCRIBED = re.findall(
    r"^Inside `([\w/]+)/`:$", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"), flags=re.MULTILINE
)
ONE_OF_MANY = {str(path.relative_to(ROOT)) for path in (ROOT / "paper_figures").glob("*[0-9]_*.py")}
"""Figures are described by docs/figures.md."""


def imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module.split(".")[0])
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_arrows_between_folders(path: Path) -> None:
    folder = path.relative_to(ROOT).parts[0]
    assert (imported(path) & set(OURS)) - {folder} <= MAY_IMPORT[folder]


def test_the_mathematics_draws_no_random_numbers_and_prints_nothing() -> None:
    for path in sorted((ROOT / "bounds").rglob("*.py")):
        assert "random" not in imported(path)
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"(?<![\w.])print\(", text)
        assert "np.random" not in text


def test_no_float_in_a_theorem() -> None:
    for folder in ("theorems", "pieces"):
        for path in sorted((ROOT / "bounds" / folder).glob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant):
                    assert not isinstance(node.value, float), f"{path.name}:{node.lineno}"
                if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
                    both = isinstance(node.left, ast.Constant) and isinstance(node.right, ast.Constant)
                    assert not both, f"{path.name}:{node.lineno} divides two integers into a float"


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_modules_are_small_and_say_what_they_are_for(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 320
    assert ast.get_docstring(ast.parse(text))


@pytest.mark.parametrize("folder", DESCRIBED)
def test_every_module_is_described(folder: str) -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = page.split(f"\nInside `{folder}/`:\n", 1)[1].split("\n\n", 1)[0]
    for path in sorted((ROOT / folder).iterdir()):
        if path.name.startswith("_") or path.suffix not in ("", ".py") or path.name == "output":
            continue
        name = f"`{path.name}/`" if path.is_dir() else f"`{path.stem}`"
        assert name in table or f"{folder}/{path.name}" in ONE_OF_MANY, path.name


def test_every_theorem_is_complete() -> None:
    for theorem in all_theorems().values():
        assert re.fullmatch(r"[a-z]+\d*\.[a-z0-9-]+", theorem.id)
        names = [e.name for e in theorem.editions]
        assert names == [n for n in EDITIONS if n in names]
        assert "sharp" in names
        assert set(theorem.inputs) <= SYMBOLS.keys()
        for edition in theorem.editions:
            if edition.name == "printed":
                assert not edition.proof
                continue
            page = ROOT / "docs" / "proofs" / f"{edition.proof}.md"
            assert page.is_file(), f"{theorem.id} {edition.name} has no proof page"


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_proof_pages(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    if page.stem == "README":
        for other in PAGES:
            assert other.stem == "README" or f"({other.name})" in text
        return
    code = (path for path in SOURCES if path.relative_to(ROOT).parts[0] in ("bounds", "lp"))
    assert page.stem in all_theorems() or any(f"docs/proofs/{page.name}" in path.read_text("utf-8") for path in code)
    assert text.startswith(f"# {page.stem}: ")
    assert "## Statement" in text
    assert "## Proof" in text
    assert not re.search(r"\\[lg]t\b", text)  # known to web renderers only, not to LaTeX
    for target in re.findall(r"\]\(([^)#]+\.md)\)", text):
        assert (page.parent / target).is_file(), target


def test_the_project_speaks_of_itself_alone() -> None:
    places = "|".join("/" + name + "/" for name in ("work", "root", "tmp", "home"))
    hosts = "|".join(a + b for a, b in (("py", r"pi\.org"), ("python", "hosted"), ("registry", r"\.npm")))
    unfinished = "|".join(rf"\b{a}{b}\b" for a, b in (("TO", "DO"), ("FIX", "ME")))
    forbidden = re.compile(f"{places}|{hosts}|{unfinished}")
    for suffix in ("*.py", "*.md", "*.toml", "*.txt", "Makefile", "*.cff"):
        for path in ROOT.rglob(suffix):
            if {".venv", ".git", ".hypothesis", "build"} & set(path.relative_to(ROOT).parts):
                continue
            found = forbidden.search(path.read_text(encoding="utf-8"))
            assert found is None, f"{path.relative_to(ROOT)}: {found.group() if found else ''}"


def _modules() -> list[str]:
    names = ["bounds", "lp", "synthbounds", "verify"]
    for package in list(names):
        found = importlib.import_module(package)
        names += [m.name for m in pkgutil.walk_packages(found.__path__, f"{package}.") if "__main__" not in m.name]
    return names


@pytest.mark.parametrize("name", _modules())
def test_examples_in_docstrings_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_constraints_pin_every_dependency() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pinned = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line)
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["data"], *extras["release"], *extras["figures"], *extras["docs"]]
    wanted += extras["notebooks"][1:]
    wanted += extras["test"][1:]
    assert extras["test"][0] == "synthbounds[data,docs,figures,notebooks,release]"
    for requirement in wanted:
        assert re.split(r"[<>=!\[]", requirement)[0] in pinned


def test_the_python_door_offers_every_parameter() -> None:
    import inspect

    import synthbounds as sb
    from bounds.parameters import PARAMETERS

    signature = inspect.signature(sb.require).parameters
    assert set(signature) == {*PARAMETERS, "measure", "edition", "theorem"}
    assert all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in signature.values())
