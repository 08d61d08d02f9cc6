"""Text fits a terminal of 80 columns, and no part of an answer is lost."""

from __future__ import annotations

import io
import shlex
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synthbounds.api.commands import COMMANDS
from synthbounds.cli import main
from synthbounds.cli.parser import EXIT_CODES
from synthbounds.render.columns import layout
from synthbounds.render.document import Answer, Bullets, Code, Facts, Formulas, Table, Title
from synthbounds.render.text import TextRenderer
from tests.recorded.running import groups, stored

words = st.text("abcdefg.-", min_size=1, max_size=18)
cells = st.lists(words, max_size=9).map(" ".join)
tables = st.integers(1, 8).flatmap(
    lambda n: st.lists(st.lists(cells, min_size=n, max_size=n).map(tuple), min_size=2, max_size=5)
)


def test_every_recorded_text_fits_80_columns() -> None:
    lines = 0
    for name in groups():
        for block in stored(name):
            head, *rest = block.splitlines()
            if "--format" in head or "--help" in head or "said:" not in rest:
                continue
            for line in rest[rest.index("said:") + 1 :]:
                if not line.startswith(" "):
                    break
                assert len(line) <= 81, (head, line)  # of which the first character is not theirs
                lines += 1
    assert lines > 5000


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_every_help_fits_80_columns_and_its_example_can_be_copied(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main([*name.split(), "--help"]) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    assert " ".join(EXIT_CODES.split()) in " ".join(text.split())
    if name and COMMANDS[name].example:
        example = text.partition("example: ")[2].partition("\nexit codes")[0]
        assert shlex.split(example.replace("\\\n", "")) == shlex.split(COMMANDS[name].example)


def test_help_is_as_narrow_as_the_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    assert main(["regress", "--help"]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 60


@pytest.mark.parametrize(
    "question",
    [
        "require --degree 500 --accuracy 0.02",
        "require --degree 500 --accuracy 0.02 --mechanism laplace",
        "require --degree 500 --accuracy 0.02 --mechanism gaussian --dp-delta 1e-9",
        "require --degree 100 --accuracy 0.02 --mechanism contrast-linf --family cells",
        "require --degree 500 --accuracy 0.02 --edition printed",
        "require --degree 500 --accuracy 0.02 --family parities --measure histogram --tau1 1e-302",
        "compare --degree 500 --accuracy 0.02",
    ],
)
def test_very_large_counts_are_shortened(question: str, capsys: pytest.CaptureFixture[str]) -> None:
    asked = [*question.split(), "--p", "1000", "--epsilon", "1", "--failure", "0.05"]
    assert main(asked) == 0
    said = capsys.readouterr().out
    assert max(map(len, said.splitlines())) <= 80
    assert "digits)" in said


@given(rows=tables, width=st.integers(40, 100), right=st.booleans())
def test_no_word_of_a_table_is_lost(rows: list[tuple[str, ...]], width: int, right: bool) -> None:
    to_the_right = frozenset({0}) if right and all(len(row[0]) < 20 for row in rows) else frozenset()
    made = layout(rows, to_the_right, width)
    assert sorted(i for line in made.lines for i in line) == list(range(len(rows[0])))
    for row in rows:
        lines = made.row(row)
        assert max(map(len, lines)) <= width
        assert sorted(" ".join(lines).split()) == sorted(" ".join(row).split())


@given(text=cells, long=st.lists(words, min_size=20, max_size=40).map(" ".join))
def test_every_block_fits(text: str, long: str) -> None:
    made = TextRenderer(width=80).render(
        (
            Title(long, long),
            Answer(((text[:9], text[:20], long),)),
            Facts(((text[:30] or "a", long), (long, text))),
            Table(long, ("", text), ((text, long), (long, text)), legend=text),
            Bullets(long, (long, text)),
            Formulas(text, ((long, long.replace(" ", "*"), ""),)),
            Code((long, f'x --name "{text[:40]}"'), "sh"),
        )
    )
    assert max(map(len, made.splitlines())) <= 80


def test_the_terminal_says_how_wide(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    widest = {}
    for columns in ("", "20", "60", "80", "90", "100", "250"):
        if columns:
            monkeypatch.setenv("COLUMNS", columns)
        else:
            monkeypatch.delenv("COLUMNS", raising=False)
        assert main(["explain", "bojkovic2024.uniform"]) == 0
        widest[columns] = max(map(len, capsys.readouterr().out.splitlines()))
    assert widest[""] == widest["80"] <= 80
    assert widest["60"] <= 60
    assert 80 < widest["100"] == widest["250"] <= 100
    monkeypatch.setattr(sys, "stdout", io.StringIO())


def test_a_file_does_not_depend_on_the_terminal(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    texts = []
    for columns in ("60", "100"):
        monkeypatch.setenv("COLUMNS", columns)
        assert main(["list", "-o", f"{tmp_path}/{columns}"]) == 0
        with open(f"{tmp_path}/{columns}", encoding="utf-8") as file:
            texts.append(file.read())
    assert texts[0] == texts[1]
