"""The bill of materials: what an installation brings with it, by version and licence, as CycloneDX in `sbom.json`.

`python -m docs_site.materials` writes it from pyproject.toml and the metadata of what is installed, with the versions
of constraints.txt. It lists the base installation and every extra that a user may choose, on Linux with Python 3.11,
and nothing that only tests or measurements need. It contains no time, so that the same versions give the same file.
"""

from __future__ import annotations

import json
import re
import tomllib
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
FILE = ROOT / "sbom.json"
BASE = "base"
WITH = "synthbounds:installed-with"
_EXTRAS = (
    "cluster",
    "data",
    "docs",
    "evaluate",
    "figures",
    "frames",
    "lake",
    "notebooks",
    "release",
    "sgd",
    "web",
)
_PLATFORM = {
    "implementation_name": "cpython",
    "os_name": "posix",
    "platform_machine": "x86_64",
    "platform_python_implementation": "CPython",
    "platform_system": "Linux",
    "python_full_version": "3.11.7",
    "python_version": "3.11",
    "sys_platform": "linux",
}
_KNOWN = {"Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "MIT-CMU", "PSF-2.0"}
"""Names that are SPDX expressions, for metadata that have them outside the field for these."""


def materials() -> dict[str, Any]:
    """The whole bill, as written to the file."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = {BASE: project["dependencies"]} | {name: project["optional-dependencies"][name] for name in _EXTRAS}
    needed: dict[str, list[str]] = {}
    for part, requirements in asked.items():
        for name in _closure([Requirement(text) for text in requirements], asked):
            needed.setdefault(name, []).append(part)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": _ours(project)},
        "components": [_component(name, needed[name]) for name in sorted(needed)],
    }


def text() -> str:
    return json.dumps(materials(), indent=2, ensure_ascii=False) + "\n"


def _closure(requirements: list[Requirement], asked: dict[str, list[str]]) -> set[str]:
    """Names of everything that these need; an extra of our own stands for its requirements."""
    found: set[str] = set()
    seen: set[tuple[str, str]] = set()
    waiting = list(requirements)
    while waiting:
        wanted = waiting.pop()
        name = canonical(wanted.name)
        for extra in ("", *wanted.extras):
            if (name, extra) in seen or not _applies(wanted, ""):
                continue
            seen.add((name, extra))
            if name == "synthbounds":
                waiting += [Requirement(line) for line in asked.get(extra, [])]
                continue
            found.add(name)
            more = [Requirement(line) for line in distribution(name).requires or []]
            waiting += [one for one in more if _applies(one, extra)]
    return found


def _applies(requirement: Requirement, extra: str) -> bool:
    return requirement.marker is None or requirement.marker.evaluate(_PLATFORM | {"extra": extra})


def canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _component(name: str, parts: list[str]) -> dict[str, Any]:
    found = distribution(name)
    return {
        "type": "library",
        "name": name,
        "version": found.version,
        "purl": f"pkg:pypi/{name}@{found.version}",
        "licenses": [licence_of(found)],
        "properties": [{"name": WITH, "value": part} for part in parts],
    }


def licence_of(found: Distribution) -> dict[str, Any]:
    """The licence in the metadata: an expression, or a short name in its makers' words. Nothing is guessed."""
    metadata: Any = found.metadata
    expression = metadata.get("License-Expression")
    stated = (metadata.get("License") or "").strip()
    if expression or stated in _KNOWN:
        return {"expression": str(expression or stated)}
    classifiers = [
        line.split(" :: ")[-1] for line in metadata.get_all("Classifier") or [] if line.startswith("License")
    ]
    is_name = "\n" not in stated and len(stated) < 60 and stated not in ("", "UNKNOWN")
    return {"license": {"name": " AND ".join(classifiers) or (stated if is_name else "not stated")}}


def _ours(project: dict[str, Any]) -> dict[str, Any]:
    from synthbounds._version import __version__

    return {
        "type": "application",
        "name": project["name"],
        "version": __version__,
        "licenses": [{"license": {"id": project["license"]}}],
    }


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
