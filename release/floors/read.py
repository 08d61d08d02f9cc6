"""Releases of floors read from files: every field is checked, and what follows from others is recomputed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bounds.certify.margin_losses import LOSSES
from bounds.errors import DataError
from release.data.schema import schema_of
from release.files.fields import (
    read_choice,
    read_exact,
    require_digest,
    require_same,
    require_version,
    within,
)
from release.files.strict_json import parse_json, read_json_file, require_object, shown
from release.floors.file import FloorRelease
from release.floors.planned import FLOORS
from release.parameters import NORM
from release.private_release import (
    ALWAYS,
    SOMETIMES,
    VERSION,
    read_drawn,
    read_stated_adjacency,
    read_stated_mode,
    read_stated_size,
)
from release.reserving import read_budget
from release.scores.read import read_answers
from release.statistics.features import FeatureMap

_NEEDED = ALWAYS | {"stamp", "statistic", "loss", "tau", "noise", "budget", "feature_map", "questions"}


def read_floors(path: str | Path) -> FloorRelease:
    """The release of floors in a file."""
    text, where = read_json_file(path, "release")
    return floors_of(parse_json(text, where), where)


def floors_of(body: object, where: str = "release") -> FloorRelease:
    """The release in an object that parse_json has read; `where` begins every error message."""
    if isinstance(body, dict) and body.get("kind", FLOORS) != FLOORS:
        raise DataError(f'{where}: kind = {shown(body["kind"])}: must be "{FLOORS}"')
    fields = require_object(body, where, _NEEDED, SOMETIMES)
    require_version(fields, "synthbounds_release", VERSION, where)
    require_digest(fields, where)
    found = within(lambda: _release(fields, where), where)
    require_same(within(found.to_json, where), fields, where)
    return found


def _release(fields: dict[str, Any], where: str) -> FloorRelease:
    mode, adjacency = read_stated_mode(fields, where), read_stated_adjacency(fields, where)
    schema = schema_of(fields["schema"], f"{where}: schema")
    if mode == "release":
        within(schema.require_public, where)
    drawn = read_drawn(fields, where, simulated=mode == "simulate")
    if not isinstance(fields["tau"], list):
        raise DataError(f"{where}: tau = {shown(fields['tau'])}: must be a list of norms")
    _, values = read_answers(fields["questions"], schema, f"{where}: questions")
    return FloorRelease(
        feature_map=FeatureMap.from_json(fields["feature_map"], schema, f"{where}: feature_map"),
        loss=read_choice(fields["loss"], LOSSES, f"{where}: loss"),
        taus=tuple(read_exact(tau, f"tau[{i}]", where, allowed=NORM) for i, tau in enumerate(fields["tau"])),
        mode=mode,
        ledger=read_budget(fields["budget"], adjacency, what=FLOORS, where=f"{where}: budget"),
        stated_size=read_stated_size(fields, adjacency, where),
        **drawn,
        values=values,
    )
