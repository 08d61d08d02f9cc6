"""The page's modules as one script, so that it works from a disk, where browsers load no modules.

This is not a real bundler: it concatenates files. So the modules follow a few rules, which are checked: imports
are at the top, one line each, by name and without renaming; a name is exported in its declaration; no name is declared
twice.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

_IMPORT = re.compile(r'import \{ ([\w, ]+) \} from "\./([\w.-]+\.js)";')
_EXPORT = re.compile(r"^export (?=(?:async function|function|const|class) )", re.MULTILINE)
_DECLARED = re.compile(r"^(?:async function|function|const|let|class) (\w+)", re.MULTILINE)


def bundled(modules: Mapping[str, str], entry: str) -> str:
    """One script that does what the entry does; modules come before those that import them."""
    parts: dict[str, str] = {}
    _add(modules, entry, parts, ())
    owners: dict[str, str] = {}
    for name, text in parts.items():
        for declared in _DECLARED.findall(text):
            if declared in owners:
                raise ValueError(f"{name}: {declared} is also declared in {owners[declared]}")
            owners[declared] = name
    return "\n".join(parts.values())


def _add(modules: Mapping[str, str], name: str, parts: dict[str, str], above: tuple[str, ...]) -> None:
    if name in above:
        raise ValueError(f"{name}: imports itself through {above[-1]}")
    if name in parts:
        return
    kept = []
    for line in modules[name].splitlines():
        if found := _IMPORT.fullmatch(line):
            _check_exports(modules, found[2], found[1].split(", "), name)
            _add(modules, found[2], parts, (*above, name))
        else:
            kept.append(line)
    text = _EXPORT.sub("", "\n".join(kept) + "\n")
    if left := re.search(r"^\s*(?:import\b|export\b).*", text, re.MULTILINE):
        raise ValueError(f"{name}: {left[0].strip()!r} cannot be put into one file")
    parts[name] = text


def _check_exports(modules: Mapping[str, str], home: str, names: list[str], user: str) -> None:
    given = _DECLARED.findall(
        "\n".join(_EXPORT.sub("", part) for part in modules[home].splitlines() if part[:6] == "export")
    )
    for name in names:
        if name not in given:
            raise ValueError(f"{user}: {home} does not export {name}")
