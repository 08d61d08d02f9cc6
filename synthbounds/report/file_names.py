"""Files by name only: where they are on a machine is none of a reader's business."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")


def names_only(shown: T, files: Iterable[str]) -> T:
    """What is shown, in every text the folders of these files left out, as they were written and as they are.

    A folder that was written as docs/ takes nothing from docs/proofs/page.md, which is no file of this machine.
    """
    written = [(file, Path(file)) for file in files]
    whole = {str(path.absolute().parent) for _, path in written} | {str(path.resolve().parent) for _, path in written}
    said = {file[: len(file) - len(path.name)].rstrip("/") for file, path in written} - whole - {""}
    parts = [re.escape(folder) + "/+" for folder in whole - {"/"}]
    parts += [re.escape(folder) + r"/+(?![^\s,;]*/)" for folder in said]
    if not parts:
        return shown
    pattern = re.compile(rf"(?<![\w./~-])(?:{'|'.join(sorted(parts, key=len, reverse=True))})")
    return _without(shown, pattern)  # type: ignore[no-any-return]


def _without(shown: Any, pattern: re.Pattern[str]) -> Any:
    if isinstance(shown, str):
        return pattern.sub("", shown)
    if isinstance(shown, tuple):
        return tuple(_without(part, pattern) for part in shown)
    if is_dataclass(shown) and not isinstance(shown, type):
        return replace(shown, **{f.name: _without(getattr(shown, f.name), pattern) for f in fields(shown) if f.init})
    return shown
