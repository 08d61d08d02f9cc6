"""Commands and Python examples on the pages run as they stand, one after the other, and print what is shown."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from docs_site.examples import with_output
from synthbounds.cli import main
from tests.paths import ROOT

GENERATED = {"errata.md"}
WITH_TESTS_OF_THEIR_OWN = {"guide.md", "guided-app.md", "local-page.md"}
PAGES = [
    path.name for path in sorted((ROOT / "docs").glob("*.md")) if path.name not in GENERATED | WITH_TESTS_OF_THEIR_OWN
]
BY_HAND = sorted(path.name for path in (ROOT / "docs_site" / "by_hand").glob("*.md"))
SURVEY = "docs/examples/survey.csv --schema docs/examples/survey.schema.json"
SIMULATED = f"release moments {SURVEY} --label insured --epsilon 1 --dp-delta 1e-6 --mode simulate --seed 1"
BEFORE = {
    "certify-planning.md": [f"{SIMULATED} --output release.json"],
    "confirm.md": [f"{SIMULATED} --reserve 1/6 --output open.json"],
    "releases.md": [
        f"{SIMULATED} --output before.json",
        "train before.json --tau 2 --output model.json",
    ],
    "training.md": [f"{SIMULATED} --output release.json"],
}
"""Commands that make the files which a page takes for granted."""
NAMES = {"certify.md": "fitted"}
"""What a Python example takes for granted: a classifier that was fitted elsewhere."""
_BLOCK = re.compile(r"^```([\w-]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.]*\d)")
LAST_DIGITS = 0.02
"""Where solvers stop depends on the linear algebra of the machine, in the last digits."""


@dataclass(frozen=True)
class Example:
    """A command with the output shown below it, or a Python block."""

    language: str
    code: str
    shown: str = ""


def examples(page: str) -> list[Example]:
    """All of a page, in order; a plain block must not hold commands of ours, since nobody would run them."""
    found: list[Example] = []
    for language, block in _BLOCK.findall(page):
        if language == "python":
            found.append(Example("python", block))
        elif language == "console":
            found += _commands(block)
        else:
            assert not re.search(r"^(\$ )?(\.venv/bin/)?synthbounds ", block, re.MULTILINE), block
    return found


def _commands(block: str) -> list[Example]:
    found = []
    for part in re.split(r"^\$ ", block.replace("\\\n", " "), flags=re.MULTILINE)[1:]:
        command, _, shown = part.partition("\n")
        found.append(Example("console", command, shown))
    return found


def agrees(shown: str, said: str) -> bool:
    """The same lines as far as they are shown; numbers that are no integers up to their last digits."""
    lines = shown.rstrip("\n").removesuffix("...").rstrip("\n").split("\n") if shown.strip() else []
    printed = said.rstrip("\n").split("\n")
    whole = not shown.rstrip("\n").endswith("...")
    if len(lines) > len(printed) or (lines and whole and len(lines) != len(printed)):
        return False
    return all(_same_line(ours, theirs) for ours, theirs in zip(lines, printed, strict=False))


def _same_line(ours: str, theirs: str) -> bool:
    if ours == theirs:
        return True
    pairs = list(zip(_NUMBER.findall(ours), _NUMBER.findall(theirs), strict=False))
    same_text = _NUMBER.sub("#", ours).split() == _NUMBER.sub("#", theirs).split()
    return same_text and all(a == b or ("." in a and _near(float(a), float(b))) for a, b in pairs)


def _near(one: float, other: float) -> bool:
    return abs(one - other) <= LAST_DIGITS * max(abs(one), abs(other))


def said_by(command: str) -> str:
    words = shlex.split(command, comments=True)
    assert words[0].removeprefix(".venv/bin/") == "synthbounds", command
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        code = main(words[1:])
    assert code == 0, command
    return out.getvalue()


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands that write files do so in a folder that sees the examples."""
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_examples_of_a_page_run(name: str, elsewhere: None) -> None:
    scope: dict[str, Any] = {}
    if NAMES.get(name) == "fitted":
        scope["fitted"] = _fitted()
    for command in BEFORE.get(name, []):
        said_by(f"synthbounds {command}")
    for example in examples(_page(name)):
        if example.language == "python":
            with contextlib.redirect_stdout(io.StringIO()):
                exec(compile(example.code, name, "exec"), scope)  # noqa: S102 - our own page
        else:
            said = said_by(example.code)
            assert agrees(example.shown, said), f"{example.code}\n{said}"


def _fitted() -> Any:
    """Logistic regression on the survey, as somebody fitted it who has the records."""
    from sklearn.linear_model import LogisticRegression

    from synthbounds import data, models

    schema = data.read_schema("docs/examples/survey.schema.json")
    features = models.build_feature_map(schema, label="insured")
    codes = data.read_codes("docs/examples/survey.csv", schema)
    f = features.features(codes) / features.one
    return LogisticRegression(C=0.01).fit(f[:, :-1], features.labels(codes))


@pytest.mark.slow
@pytest.mark.parametrize("name", BY_HAND)
def test_commands_of_the_site_run(name: str) -> None:
    with_output((ROOT / "docs_site" / "by_hand" / name).read_text(encoding="utf-8"), ROOT)


def test_files_that_are_shown_can_be_read() -> None:
    from synthbounds import data

    (block,) = (block for language, block in _BLOCK.findall(_page("schema.md")) if language == "json")
    assert data.parse_schema(block).domain.sizes == (2, 4, 11, 3, 4097, 12)
    (block,) = (block for language, block in _BLOCK.findall(_page("public-schema.md")) if language == "json")
    assert block == (ROOT / "docs" / "examples" / "clinic.schema.json").read_text(encoding="utf-8")
    assert data.parse_schema(block).is_public
    (block,) = (block for language, block in _BLOCK.findall(_page("training.md")) if language == "json")
    model = json.loads(block)
    columns = {name.partition("=")[0] for name in model["names"]}
    squared = len(columns) * sum(Fraction(value) ** 2 for value in model["coefficients"])
    norm = Fraction(model["norm"])
    assert 0 <= norm**2 - squared < 2 * norm * Fraction(1, 10**11)
    assert norm <= Fraction(model["tau"])


def _page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def test_python_examples_use_the_public_door() -> None:
    for name in PAGES:
        code = [example.code for example in examples(_page(name)) if example.language == "python"]
        assert not re.search(r"^\s*(from|import) (bounds|lp|verify)\b", "\n".join(code), re.MULTILINE), name


def test_examples_are_found() -> None:
    console = "```console\n$ synthbounds list \\\n    --format json  # all\n{\n...\n$ synthbounds doctor\n```\n"
    page = f"{console}```python\nx = 1\n```\n"
    first, second, third = examples(page)
    assert shlex.split(first.code, comments=True) == ["synthbounds", "list", "--format", "json"]
    assert (first.shown, second.code, second.shown, third.code) == ("{\n...\n", "synthbounds doctor", "", "x = 1\n")
    with pytest.raises(AssertionError):
        examples("```\nsynthbounds list\n```\n")


def test_output_that_is_not_printed_is_found() -> None:
    said = "n = 2,038\nexcess 0.01234 at most\nmore\n"
    assert agrees("n = 2,038\nexcess 0.01230 at most\n...\n", said)
    assert agrees(said, said)
    assert agrees("", said)
    assert not agrees("n = 2,039\n...\n", said)
    assert not agrees("n = 2,038\nexcess 0.0134 at most\n...\n", said)
    assert not agrees("n = 2,038\nexcess 0.01234 at least\n...\n", said)
    assert not agrees("n = 2,038\n", said)
    assert not agrees(said + "and more\n", said)


def test_a_command_that_fails_is_found(elsewhere: None) -> None:
    with pytest.raises(AssertionError):
        said_by("synthbounds explain nothing.here")
    with pytest.raises(AssertionError):
        said_by("ls")
