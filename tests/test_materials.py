"""The bill of materials is current: versions as in the constraints, all required packages, licences as stated."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from packaging.requirements import Requirement

from docs_site import materials
from synthbounds._version import __version__
from tests.paths import ROOT


@pytest.fixture(scope="module")
def bill() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(materials.FILE.read_text(encoding="utf-8"))
    return found


def test_versions_are_those_of_the_constraints(bill: dict[str, Any]) -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if "==" in line)
    versions = {part["name"]: part["version"] for part in bill["components"]}
    assert versions == {name: pinned[name] for name in versions}
    assert list(versions) == sorted(versions)


def test_everything_that_can_be_installed_is_in_it(bill: dict[str, Any]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = {part["value"] for one in bill["components"] for part in one["properties"]} - {materials.BASE}
    assert extras == project["optional-dependencies"].keys() - {"bench", "gans", "test"}  # for studies and tests alone
    for part, lines in {materials.BASE: project["dependencies"], **project["optional-dependencies"]}.items():
        if part not in extras | {materials.BASE}:
            continue
        asked = {materials.canonical(Requirement(line).name) for line in lines} - {"synthbounds"}
        with_it = {
            one["name"] for one in bill["components"] if {"name": materials.WITH, "value": part} in one["properties"]
        }
        assert asked <= with_it


def test_the_file_is_what_is_installed_here(bill: dict[str, Any]) -> None:
    """Made anew by `python -m docs_site.materials` after a change of dependencies."""
    assert materials.text() == materials.FILE.read_text(encoding="utf-8")
    stated = [one["licenses"][0] for one in bill["components"]]
    assert all(one.get("expression") or one["license"]["name"] != "not stated" for one in stated)


def test_the_version_that_is_mended_is_this_one() -> None:
    minor = ".".join(__version__.split(".")[:2])
    assert f"| the last commit, and {minor} | yes |" in (ROOT / "SECURITY.md").read_text(encoding="utf-8")
