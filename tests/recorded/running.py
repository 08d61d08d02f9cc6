"""Run recorded commands through the command line, and record what each printed and wrote.

Only `synthbounds.cli.main` and files are used, so that modules may move. Text that depends on the machine or the day is
replaced by a name in angle brackets, and nothing else is.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import tests.same_arithmetic  # isort: skip # noqa: F401 - before numpy is imported
from flint import ctx

from synthbounds.cli import main

HERE = Path(__file__).parent
COMMANDS = HERE / "commands.txt"
OUTPUTS = HERE / "outputs"
EXAMPLES = HERE.parent.parent / "docs" / "examples"
LONGEST_FILE = 5000
"""Longer files are kept as a digest."""
FORMATS = {"+": ("text", "json"), "*": ("text", "json", "latex", "markdown")}


@dataclass(frozen=True)
class Command:
    line: str
    roughly: bool = False
    """The last digits depend on the machine: numbers that are said are compared to a part in a thousand, files by their
    words and keys, digests not at all."""
    words_only: bool = False
    """One of several answers that are equally right is shown: numbers are not compared, and files only by name."""


def groups(path: Path = COMMANDS) -> dict[str, tuple[Command, ...]]:
    """Commands by group, in order; the file says how it is written."""
    found: dict[str, list[Command]] = {}
    name = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("["):
            name = line.strip("[]")
            assert name not in found, f"{name} stands twice"
            found[name] = []
            continue
        marks, _, rest = line.partition(" ") if line[0] in "+*~?" else ("", "", line)
        forms = [form for mark in FORMATS if mark in marks for form in FORMATS[mark]] or ["text"]
        for form in forms:
            ask = rest.strip() if form == "text" else f"{rest.strip()} --format {form}"
            found[name].append(Command(ask, roughly="~" in marks, words_only="?" in marks))
    return {name: tuple(commands) for name, commands in found.items()}


def run_group(commands: tuple[Command, ...]) -> list[str]:
    """What each command said and wrote; all run in one new folder that holds the inputs."""
    with tempfile.TemporaryDirectory() as place, contextlib.chdir(place), _same_surroundings():
        folder = Path(place).resolve()
        for source in (*EXAMPLES.glob("survey.*"), *(HERE / "inputs").iterdir()):
            shutil.copy(source, folder)
        return [_run(command, folder) for command in commands]


@contextlib.contextmanager
def _same_surroundings() -> Iterator[None]:
    """Text is wrapped to the width of the terminal; debugging shows tracebacks."""
    before = dict(os.environ)
    os.environ["COLUMNS"] = "80"
    os.environ.pop("SYNTHBOUNDS_DEBUG", None)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _run(command: Command, folder: Path) -> str:
    before = _contents(folder)
    out, err = io.StringIO(), io.StringIO()
    arguments = shlex.split(command.line)
    ctx.cleanup()  # constants that another test left behind, to more digits, change the last digits of balls
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(arguments)
    after = _contents(folder)
    told = [f"$ synthbounds {command.line}".rstrip(), f"exit {code}"]
    for name, text in (("said", out.getvalue()), ("complained", err.getvalue())):
        if text:
            told += [f"{name}:", _indented(_normal(text, arguments, folder))]
    for name in sorted(before.keys() | after.keys()):
        if name not in after:
            told.append(f"removed {name}")
        elif after[name] != before.get(name):
            told.append(f"wrote {name}" if command.words_only else _file(name, after[name], arguments, folder))
    return "\n".join(told) + "\n"


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _file(name: str, data: bytes, arguments: list[str], folder: Path) -> str:
    """Pictures and Parquet say which library wrote them: that they are there is all that is kept."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return f"wrote {name}: not text"
    if name.endswith(".svg"):
        return f"wrote {name}: a picture"
    text = _normal(text, arguments, folder)
    if len(text) > LONGEST_FILE:
        return f"wrote {name}: {len(text):,} characters, sha256 {hashlib.sha256(text.encode()).hexdigest()}"
    return f"wrote {name}:\n{_indented(text)}"


def _indented(text: str) -> str:
    """Indented, so that a line that begins with a dollar sign is always a command."""
    return "\n".join(f" {line}" for line in text.splitlines()) + ("" if text.endswith("\n") else "\n(no end of line)")


def _normal(text: str, arguments: list[str], folder: Path) -> str:
    """Replace what must vary, and say why for each."""
    # The next version is to say the same.
    text = re.sub(r'(?<="version": ")[^"]+', "<version>", text)
    # A fingerprint of source files, which changes when they move.
    text = re.sub(r'(?<="ledger": ")[^"]+', "<fingerprint>", text)
    # How long a claim took.
    text = re.sub(r'(?<="seconds": )[\d.e+-]+', "<seconds>", text)
    # Files are named as on the command line, relative to a folder of another name each time.
    text = text.replace(str(folder), "<folder>")
    if arguments == ["--version"]:
        text = re.sub(r"[\d.]+\w*", "<version>", text)
    if arguments[:1] == ["doctor"]:  # versions of what is installed, and the fingerprint again
        text = re.sub(r"\b\d+\.\d+[\w.+]*", "<version>", text)
        text = re.sub(r"(?<=digest )\w+", "<fingerprint>", text)
    if "--help" in arguments or "invalid choice" in text:  # versions of Python break lines and quote names differently
        text = re.sub(r"\s+", " ", text).replace("'", "").strip() + "\n"
    return text


def stored(name: str) -> list[str]:
    """The blocks of a stored file, one a command."""
    text = (OUTPUTS / f"{name}.txt").read_text(encoding="utf-8")
    return ["$ " + block.rstrip("\n") + "\n" for block in re.split(r"(?m)^\$ ", text)[1:]]


_NUMBER = re.compile(r"-?\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?(?:/2\^\d+)?")


def agree(found: str, wanted: str, command: Command) -> bool:
    """Whether two blocks say the same, as far as the command lets them."""
    if found == wanted or not (command.roughly or command.words_only):
        return found == wanted
    if found.splitlines()[:2] != wanted.splitlines()[:2]:  # the command and its exit code
        return False
    words, numbers = zip(*(_taken_apart(text) for text in (found, wanted)), strict=True)
    return words[0] == words[1] and (
        command.words_only
        or all(abs(a - b) <= 1e-3 * max(abs(a), abs(b)) + 1e-9 for a, b in zip(*numbers, strict=True))
    )


def _taken_apart(text: str) -> tuple[str, list[float]]:
    """The words with a mark for each number, and the numbers that were said; widths of columns do not count."""
    text = re.sub(r"\b(?=\d*[a-f])[0-9a-f]{16,}\b", "<digest>", text)
    text = re.sub(r"[\d,]+ characters, sha256 <digest>", "<long file>", text)
    said = text.partition("\nwrote ")[0]
    numbers = [_value(number) for number in _NUMBER.findall(said)]
    return re.sub(r"[\s-]+", " ", _NUMBER.sub("#", text)), numbers


def _value(number: str) -> float:
    shown, _, exponent = number.replace(",", "").partition("/2^")
    return float(shown) / 2.0 ** int(exponent or 0)
