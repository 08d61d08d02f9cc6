"""What a new user runs into first is answered in words that name the file and the remedy."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

import synthbounds as sb
from bounds.errors import FILES, ParameterError
from bounds.exact import parse_rational
from synthbounds._version import __version__
from synthbounds.cli import main

BROKEN = [
    ("", "is empty"),
    (" \n", "is empty"),
    ('{\n"a": 1,\n', "ends early, line 2"),
    ('{\n"a": "b', "ends early, line 2"),
]


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert main(arguments) > 0
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "Errno" not in told
    return told


@pytest.mark.parametrize("command", [["check"], ["train"]])
@pytest.mark.parametrize(("content", "words"), BROKEN)
def test_a_file_that_ends_early(
    command: list[str], content: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "cut.json"
    file.write_text(content)
    more = ["--output", str(tmp_path / "model.json")] if command == ["train"] else []
    assert refused([*command, str(file), *more], capsys).rstrip().endswith(words)


def test_only_the_encoding_is_blamed_for_the_encoding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "c.json"
    file.write_bytes(b'{"a": "\xff"}')
    assert "is not text in UTF-8" in refused(["check", str(file)], capsys)
    file.write_text('{\n"a" 1}')
    assert "is not JSON (line 2)" in refused(["check", str(file)], capsys)


@pytest.mark.parametrize("key", FILES)
def test_another_file_of_ours_is_no_certificate(key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "x.json"
    file.write_text(f'{{"{key}": 1}}')
    assert main(["check", str(file)]) == 1
    assert f"is {FILES[key]}, not a certificate" in capsys.readouterr().out


def test_the_folder_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert "table .: is not a regular file" in refused(["schema", "."], capsys)


def test_what_the_system_says_is_said_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = refused(["check", "nofile.json"], capsys)
    assert "nofile.json: cannot be read (No such file or directory)" in told
    (tmp_path / "file").write_text("")
    folder = str(tmp_path / "file" / "x")
    told = refused(["figures", "zhou2024-figure1a", "--output", folder], capsys)
    assert told.rstrip().endswith("cannot be created as a folder (Not a directory)")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("arguments", ["list", "cite --help"])
def test_a_full_disk_behind_standard_output(arguments: str) -> None:
    line = f'"{sys.executable}" -m synthbounds {arguments} > /dev/full'
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True)
    assert done.returncode == 6
    assert done.stderr == "synthbounds: error: standard output: cannot be written (No space left on device)\n"


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("1,0", "write 1.0"),
        ("0,125", "write 0.125"),
        ("20,000", "write 20000 or 20.000"),
        ("1,000,000", "write 1000000"),
    ],
)
def test_a_comma_in_a_number(text: str, remedy: str) -> None:
    with pytest.raises(ParameterError) as told:
        parse_rational(text, "epsilon")
    assert str(told.value).endswith(f"({remedy})")
    for number in remedy.removeprefix("write ").split(" or "):
        assert isinstance(parse_rational(number, "epsilon"), Fraction)


def test_only_bibtex(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cite", "bojkovic2024.uniform", "--format", "bibtex"]) == 0
    said = capsys.readouterr().out
    entries = sb.cite("bojkovic2024.uniform")
    assert said == "\n\n".join("\n".join(paper.bibtex()) for paper in entries) + "\n"
    assert f"  version = {{{__version__}}}," in said


def test_the_warning_about_intercepts_is_short(capsys: pytest.CaptureFixture[str]) -> None:
    assert main("risk --features 10 --radius 1 --n 100000 --epsilon 1 --dp-delta 1e-6 --failure 0.01".split()) == 0
    warning = capsys.readouterr().err
    assert "--intercept 0" in warning
    assert len(warning) <= 81
