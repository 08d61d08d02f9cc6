"""Commands on pages are run when the site is built, and their output is put below them.

A page has a block of the language `run`, with one command per line: `synthbounds require ...`. A line `... N` after it
keeps the first N lines of the output; without it everything is shown. A block of the language `run-python` is also run,
and its output follows. A command that fails stops the build.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import tempfile
from collections.abc import Iterator
from pathlib import Path

_RUN = re.compile(r"^```run(-python)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def with_output(page: str, root: Path) -> str:
    """The page with its `run` blocks as consoles; commands of one page share a folder that has a link to docs/."""
    if not _RUN.search(page):
        return page
    with _elsewhere(root):
        return _RUN.sub(lambda block: _python(block.group(2)) if block.group(1) else _console(block.group(2)), page)


def _console(block: str) -> str:
    lines = ["```console"]
    commands = block.strip().splitlines()
    for number, command in enumerate(commands):
        if command.startswith("..."):
            continue
        following = commands[number + 1] if number + 1 < len(commands) else ""
        keep = int(following.removeprefix("...")) if following.startswith("...") else None
        said = output_of(command).rstrip("\n").split("\n")
        lines.append(f"$ {command}")
        lines += said if keep is None or keep >= len(said) else [*said[:keep], "..."] if keep else []
    return "\n".join([*lines, "```"])


def _python(block: str) -> str:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(block, "a page", "exec"), {})  # noqa: S102 - our own page
    return f"```python\n{block}```\n\nprints\n\n```text\n{said.getvalue()}```"


def output_of(command: str) -> str:
    """What a command prints; RuntimeError if it fails."""
    from synthbounds.cli import main

    program, *arguments = shlex.split(command)
    if program != "synthbounds":
        raise RuntimeError(f"a page runs {program}, which is not ours")
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(arguments)
    if code:
        raise RuntimeError(f"`{command}` on a page ends with {code}: {err.getvalue().strip()[:200]}")
    return out.getvalue()


@contextlib.contextmanager
def _elsewhere(root: Path) -> Iterator[None]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "docs").symlink_to(root / "docs")
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)
