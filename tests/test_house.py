"""The house in order: arrows between folders, exact constants, proofs for every statement, small modules."""

from __future__ import annotations

import ast
import doctest
import importlib
import os
import pkgutil
import re
from collections.abc import Iterable, Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from bounds.model import EDITIONS
from bounds.quantities import SYMBOLS
from bounds.registry import all_theorems
from tests.paths import PACKAGES, PROJECT, ROOT, source_of, sources
from tests.verify.test_checkers import MOST_LINES

SOURCES = [path for folder in (*PACKAGES, "benchmarks", "docs_site") for path in sources(folder)]
PAGES = sorted((ROOT / "docs" / "proofs").glob("*.md"))
PROOFS = {page.stem for page in PAGES}


def imported(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module.split(".")[0])
    return found


def test_every_folder_with_modules_is_declared() -> None:
    """What pyproject.toml does not list is missing from the wheel."""
    declared = set(PROJECT["tool"]["setuptools"]["packages"])
    found = {".".join(p.relative_to(ROOT).parent.parts) for package in PACKAGES for p in sources(package)}
    assert found == declared


def imported_at_once(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """What a module names in imports that run when it is imported: not in functions, nor for type checkers alone."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from imported_at_once(node.orelse)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            within = {f"{node.module}.{alias.name}" for alias in node.names}
            yield from {name if source_of(name) else node.module for name in within}
        else:
            yield from imported_at_once(ast.iter_child_nodes(node))


def test_no_module_needs_itself_to_be_imported() -> None:
    graph = {}
    for path in SOURCES:
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        graph[name] = set(imported_at_once(ast.parse(path.read_text(encoding="utf-8")).body)) - {name}
    assert len(graph) > 500
    TopologicalSorter(graph).prepare()  # raises CycleError, which names the modules


def test_a_name_stands_in_one_room_or_contributing_says_why() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"^- `(\w+)`: .* in several rooms", page, flags=re.MULTILINE))
    for name in ("certificate", "parameters", "plan", "release"):
        places = [p for package in PACKAGES for p in sources(package) if name in (p.stem, p.parent.name + "/" + p.stem)]
        folders = {p.parent for package in PACKAGES for p in sources(package) if p.parent.name == name}
        assert len(places) + len(folders) <= 1 or name in explained, [*places, *folders]


NAMED = re.compile(rf"(?:{'|'.join(PACKAGES)})(?:\.[a-z_]\w*)+")


def test_modules_that_a_test_names_as_text_exist() -> None:
    """A rule about a module that has moved would pass without looking."""
    for path in sources("tests"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Constant) or not isinstance(node.value, str) or not NAMED.fullmatch(node.value):
                continue
            name = node.value
            if name in PROOFS or name.rsplit(".", 1)[-1] in ("csv", "json", "parquet", "zzz_broken"):
                continue
            try:
                pkgutil.resolve_name(name)
            except (ImportError, AttributeError):
                pytest.fail(f"{path.name}:{node.lineno} names {name}, which is not there")


def test_the_mathematics_draws_no_random_numbers_and_prints_nothing() -> None:
    for path in sources("bounds"):
        assert "random" not in imported(path)
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"(?<![\w.])print\(", text)
        assert "np.random" not in text


def test_no_float_in_a_theorem() -> None:
    for folder in ("theorems", "pieces"):
        for path in sources(f"bounds/{folder}"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant):
                    assert not isinstance(node.value, float), f"{path.name}:{node.lineno}"
                if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
                    both = isinstance(node.left, ast.Constant) and isinstance(node.right, ast.Constant)
                    assert not both, f"{path.name}:{node.lineno} divides two integers into a float"


def test_modules_are_small_and_say_what_they_are_for() -> None:
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        assert text.count("\n") <= (MOST_LINES if path.parent == ROOT / "verify" / "checkers" else 320), path
        assert ast.get_docstring(ast.parse(text)), path


def test_every_theorem_is_complete() -> None:
    for theorem in all_theorems().values():
        assert re.fullmatch(r"[a-z]+\d*\.[a-z0-9-]+", theorem.id)
        names = [e.name for e in theorem.editions]
        assert names == [n for n in EDITIONS if n in names]
        assert "sharp" in names
        assert set(theorem.inputs) <= SYMBOLS.keys()
        for edition in theorem.editions:
            if edition.name == "printed" and not edition.proof:  # the paper's own
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
    code = (path for path in SOURCES if path.relative_to(ROOT).parts[0] in ("bounds", "release", "lp", "mechanisms"))
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
    forbidden = re.compile(rf"(?<!\w)(?:{places})|{hosts}|{unfinished}")
    looked = 0
    for folder, folders, files in os.walk(ROOT):
        folders[:] = set(folders) - {".venv", ".git", ".hypothesis", ".mypy_cache", "build", "node_modules"}
        for path in (Path(folder, name) for name in files):
            if path.suffix in (".py", ".md", ".toml", ".txt", ".cff", ".in") or path.name == "Makefile":
                looked += 1
                found = forbidden.search(path.read_text(encoding="utf-8"))
                assert found is None, f"{path.relative_to(ROOT)}: {found.group() if found else ''}"
    assert looked > 2000


def _with_examples() -> list[str]:
    paths = (path for package in PACKAGES for path in sources(package) if ">>> " in path.read_text(encoding="utf-8"))
    return [".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__") for path in paths]


@pytest.mark.parametrize("name", _with_examples())
def test_examples_in_docstrings_run(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_constraints_pin_every_dependency() -> None:
    project = PROJECT["project"]
    pinned = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line)
    extras = project["optional-dependencies"]
    wanted = [
        *project["dependencies"],
        *extras["data"],
        *extras["release"],
        *extras["sgd"],
        *extras["figures"],
        *extras["frames"],
        *extras["docs"],
        *extras["evaluate"],
        *extras["web"],
    ]
    wanted += [*extras["lake"][1:], *extras["notebooks"][1:]]
    wanted += extras["test"][1:]
    assert extras["test"][0] == "synthbounds[cluster,data,docs,evaluate,figures,frames,lake,notebooks,release,sgd,web]"
    for requirement in wanted:
        assert re.split(r"[<>=!\[]", requirement)[0] in pinned


def test_the_python_door_offers_every_parameter() -> None:
    import inspect

    import synthbounds as sb
    from bounds.parameters import PARAMETERS

    signature = inspect.signature(sb.require).parameters
    assert set(signature) == {*PARAMETERS, "measure", "edition", "theorem", "schema"}
    assert all(p.kind is inspect.Parameter.KEYWORD_ONLY for p in signature.values())
