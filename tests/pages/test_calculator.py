"""The calculator's build: its contents, how scripts are combined, whose work it ships, and what the page then says."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
import zipfile
from fractions import Fraction
from importlib.machinery import PathFinder
from pathlib import Path

import pytest

from docs_site.calculator.archives import STANDARD
from docs_site.calculator.build import PAGE, explain_absence, put_into_site
from docs_site.calculator.bundle import bundled
from docs_site.calculator.carried import OURS, carried, imports_of
from docs_site.calculator.corpus import start_corpus
from docs_site.calculator.licences import TEXTS
from docs_site.calculator.parts import Missing, Part, fetched, run_tool
from docs_site.calculator.single import with_policy
from docs_site.calculator.works import ALLOWED, WASM, WORKS, works_in
from docs_site.pages import ROOT
from synthbounds.web.engine import respond
from tests.browser.places import Built, built

HERE = ROOT / "docs_site" / "calculator"
SIZES = {"p": "10", "degree": "2", "epsilon": "0.2", "accuracy": "0.1", "failure": "0.05"}
RISK = {"features": "3", "radius": "1", "epsilon": "1", "dp-delta": "1e-6", "failure": "0.01", "n": "10000"}
QUESTIONS = [
    {"ask": "answer", "command": "require", "options": SIZES},
    {"ask": "answer", "command": "require", "options": {**SIZES, "measure": "kde", "tau": "0.5", "lipschitz": "2"}},
    {"ask": "answer", "command": "require", "options": {**SIZES, "epsilon": "-1"}},
    {"ask": "answer", "command": "compare", "options": {**SIZES, "p": "4"}},
    {"ask": "answer", "command": "risk", "options": RISK},
    {"ask": "answer", "command": "list", "options": {}},
    {"ask": "curve", "command": "require", "options": SIZES, "over": "epsilon", "values": ["0.1", "0.3", "x"]},
    {"ask": "forms"},
    {"ask": "nothing"},
]


def differences(page: object, native: object, place: str = "") -> list[str]:
    """Where two answers differ; of an enclosure `lo`, `hi`, only where it does not overlap or is 1% wider or narrower.

    Both have the same midpoints, but FLINT works out exp, log, erf and the like in whole machine words, of 32 bits in
    the page and 64 here, so the radii that it proves differ a little. Sums, products and roots have the same radii.
    """
    if isinstance(page, dict) and isinstance(native, dict) and page.keys() == native.keys():
        if {"lo", "hi"} <= page.keys() and isinstance(page["lo"], str) and page != native:
            ends = [(Fraction(each["lo"]), Fraction(each["hi"])) for each in (page, native)]
            (low, high), (other_low, other_high) = ends
            width, other = high - low, other_high - other_low
            alike = low <= other_high and other_low <= high and abs(width - other) <= other / 100
            rest = [{k: v for k, v in each.items() if k not in ("lo", "hi")} for each in (page, native)]
            return ([] if alike else [f"{place}: {page} is not {native}"]) + differences(*rest, place)
        return [found for key in page for found in differences(page[key], native[key], f"{place}/{key}")]
    if isinstance(page, list) and isinstance(native, list) and len(page) == len(native):
        pairs = enumerate(zip(page, native, strict=True))
        return [found for i, (one, other) in pairs for found in differences(one, other, f"{place}/{i}")]
    return [] if (type(page), page) == (type(native), native) else [f"{place}: {page} is not {native}"]


@pytest.mark.parametrize(
    "other",
    [
        {"n": 8, "margin": {"lo": "0.10", "hi": "0.20"}},
        {"n": 7.0, "margin": {"lo": "0.10", "hi": "0.20"}},
        {"n": 7, "margin": {"lo": "0.201", "hi": "0.301"}},
        {"n": 7, "margin": {"lo": "0.10", "hi": "0.21"}},
        {"n": 7, "margin": {"lo": "0.20", "hi": "0.10"}},
        {"n": 7, "margin": {"lo": "0.10", "hi": "0.20", "digits": 3}},
        {"n": 7},
    ],
)
def test_only_far_digits_of_an_enclosure_may_differ(other: dict[str, object]) -> None:
    native = {"n": 7, "margin": {"lo": "0.10", "hi": "0.20"}}
    assert differences({"n": 7, "margin": {"lo": "0.10001", "hi": "0.20001"}}, native) == []
    assert len(differences([other], [native])) == 1


def unpacked(path: Path) -> bytes:
    """What a file holds; a wheel, what its files hold."""
    if path.suffix != ".whl":
        return path.read_bytes()
    with zipfile.ZipFile(path) as wheel:
        return b"".join(wheel.read(name) for name in wheel.namelist())


def page_modules() -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for folder in (PAGE, HERE) for path in folder.glob("*.js")}


def test_the_modules_of_the_page_become_one_script() -> None:
    modules = page_modules()
    for entry in ("main.js", "single_boot.js", "single_worker.js"):
        script = bundled(modules, entry)
        assert not [line for line in script.splitlines() if line.startswith(("import", "export"))]
    assert "startEngine(self.loadPyodide" in script
    assert script.index("async function startEngine") < script.index("startEngine(self.loadPyodide")


def test_modules_stand_once_and_before_their_users() -> None:
    modules = {
        "main.js": 'import { b } from "./b.js";\nimport { a } from "./a.js";\nb(a);\n',
        "b.js": 'import { a } from "./a.js";\nexport async function b() {}\n',
        "a.js": "export const a = 1;\n",
    }
    assert bundled(modules, "main.js") == "const a = 1;\n\nasync function b() {}\n\nb(a);\n"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('import { a as b } from "./a.js";', "a.js does not export a as b"),
        ('import a from "./a.js";', "cannot be put into one file"),
        ("export default 1;", "cannot be put into one file"),
        ("export { c };", "cannot be put into one file"),
        ('import { hidden } from "./a.js";', "a.js does not export hidden"),
        ('import { a } from "./a.js";\nconst hidden = 2;', "hidden is also declared in a.js"),
        ('import { c } from "./c.js";', "imports itself"),
    ],
)
def test_what_one_script_cannot_hold_is_refused(line: str, reason: str) -> None:
    modules = {
        "main.js": line + "\n",
        "a.js": "export const a = 1;\nconst hidden = 2;\n",
        "c.js": 'import { d } from "./d.js";\nexport const c = 1;\n',
        "d.js": 'import { c } from "./c.js";\nexport const d = 1;\n',
    }
    with pytest.raises(ValueError, match=reason):
        bundled(modules, "main.js")


@pytest.mark.slow
def test_every_module_that_a_question_loads_is_carried_or_known_to_be_left_out() -> None:
    program = (
        "import json, sys; from synthbounds.web.engine import respond\n"
        "for question in json.load(sys.stdin): list(respond(json.dumps(question)))\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(QUESTIONS),
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    loaded = {name for name in json.loads(done.stdout) if name.partition(".")[0] in OURS}
    found = carried()
    assert len(loaded) > 100
    assert loaded <= found.files.keys() | found.left_out.keys()
    assert not found.files.keys() & found.left_out.keys()


def test_the_standard_library_is_cut_no_shorter_than_our_imports() -> None:
    named = {other for name in carried().files for other in imports_of(name).at_once if "." not in other}
    standard = [name for name in named if name in sys.stdlib_module_names]
    written = {name for name in standard if (spec := PathFinder.find_spec(name)) and str(spec.origin).endswith(".py")}
    assert len(written) > 20
    assert written <= STANDARD


def test_a_part_with_another_digest_is_refused(tmp_path: Path) -> None:
    (tmp_path / "part.tgz").write_bytes(b"other")
    with pytest.raises(ValueError, match="sha256 is d9298a10"):
        fetched(Part("part.tgz", "0" * 64, ("false",)), tmp_path)


def test_a_part_that_cannot_be_had_is_missing_with_a_reason(tmp_path: Path) -> None:
    with pytest.raises(Missing, match=r"part.tgz cannot be fetched: no-such-tool is not installed"):
        fetched(Part("part.tgz", "0" * 64, ("no-such-tool",)), tmp_path)
    with pytest.raises(Missing, match=r"part.tgz cannot be fetched: the index gave another file"):
        fetched(Part("part.tgz", "0" * 64, ("true",)), tmp_path)
    with pytest.raises(Missing, match=r"^a: not there$"):
        run_tool([sys.executable, "-c", "import sys; sys.exit('x\\nnot there')"], "a")
    assert list(tmp_path.iterdir()) == []


def test_a_page_says_why_the_calculator_is_not_there(tmp_path: Path) -> None:
    explain_absence(tmp_path, "npm <is> not installed")
    page = (put_into_site(tmp_path) / "index.html").read_text("utf-8")
    assert "npm &lt;is&gt; not installed" in page


def test_the_policy_stands_before_whatever_is_loaded() -> None:
    page = with_policy((PAGE / "index.html").read_text("utf-8"), "default-src 'none'")
    assert page.index("Content-Security-Policy") < page.index("stylesheet")


def test_licences_are_allowed_and_have_their_texts() -> None:
    texts = {path.stem for path in TEXTS.iterdir()}
    named = {text for work in WORKS for text in work.texts}
    assert texts <= named
    for work in WORKS[1:]:  # the first is ours
        assert {*work.licence.split(" AND ")} <= ALLOWED
        assert work.texts or work.licence == "public domain"
        in_wheel = work.files == ("python_flint.whl",)
        assert in_wheel or {*work.texts} <= texts
        for year in re.findall("[0-9]{4}", work.copyright if work.texts and not in_wheel else ""):
            assert year in "".join((TEXTS / f"{text}.txt").read_text("utf-8") for text in work.texts), work.name


@pytest.fixture(scope="module")
def page() -> Built:
    return built()


@pytest.mark.slow
def test_what_is_shipped_is_small_and_every_file_has_a_licence(page: Built) -> None:
    files = {path.relative_to(page.folder).as_posix(): path for path in page.folder.rglob("*") if path.is_file()}
    assert [name for name in files if not works_in(name)] == []
    assert {work for name in files for work in works_in(name)} == set(WORKS)
    assert sum(len(gzip.compress(path.read_bytes())) for path in files.values()) < 15e6
    assert page.single.stat().st_size < 21e6
    assert json.loads(files["pyodide/pyodide-lock.json"].read_text("utf-8"))["packages"] == {}
    for path in (files["licences.html"], page.single):
        assert "GNU LESSER GENERAL PUBLIC LICENSE" in path.read_text("utf-8")


@pytest.mark.slow
def test_the_works_are_those_that_the_shipped_files_name(page: Built) -> None:
    for work in WORKS:
        for text in work.says:
            assert text.encode() in unpacked(page.folder / work.files[0]), (work.name, text)
        for version in re.findall(r"[0-9]+(?:[.][0-9]+)+", work.name if work.says else ""):
            assert version in " ".join((*work.says, work.known)) or version == "21.1.8"  # libc++ writes it as 210108
    wasm = unpacked(page.folder / WASM)
    versions = {found.decode() for found in re.findall(rb"(?<=\0)[0-9]+[.][0-9]+[.][0-9]+(?=\0)", wasm)}
    named = {text.strip("\0") for work in works_in(WASM) for text in work.says}
    assert versions - named == {"1.1.0"}  # that of ctypes, a part of CPython


@pytest.mark.slow
def test_the_page_answers_as_python_does(page: Built) -> None:
    script = (
        f"import {{ nodeEngine }} from {json.dumps((HERE / 'node_engine.mjs').as_uri())};"
        f"const {{ answer }} = await nodeEngine({json.dumps(str(page.folder))});"
        "for (const question of JSON.parse(process.argv[1])) {"
        "const said = []; answer(JSON.stringify(question), (text) => said.push(text));"
        "console.log(JSON.stringify(said)); }"
    )
    plan = {"ask": "answer", "command": "certify", "options": {"plan": True, "n": "20000", "features": "5"}}
    questions = json.dumps([*QUESTIONS, plan])
    done = subprocess.run(
        ["node", "--input-type=module", "--eval", script, questions], capture_output=True, text=True, check=True
    )
    said = [json.loads(line) for line in done.stdout.splitlines()]
    for question, messages in zip(QUESTIONS, said, strict=False):
        native = [json.loads(message) for message in respond(json.dumps(question))]
        assert differences([json.loads(message) for message in messages], native) == [], question
    assert "needs numpy, which is not part of this page" in json.loads(said[-1][-1])["error"]


@pytest.mark.slow
def test_another_number_in_the_page_is_found(page: Built, tmp_path: Path) -> None:
    entries = "{'same': lambda: ['1'], 'other': lambda: ['2'], 'new': lambda: ['3']}"
    (tmp_path / "corpus.py").write_text(f"def askings(only):\n    return {entries}.items()\n")
    (tmp_path / "corpus.json").write_text(json.dumps({"same": ["1"], "other": ["9"], "gone": ["1"]}))
    asked, wrong = start_corpus(page.folder, tmp_path).problems()
    assert asked == 3
    assert wrong == [
        "not asked in the page: gone",
        "other numbers in the page: new",
        "other numbers in the page: other",
    ]
