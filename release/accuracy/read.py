"""Releases of accuracy read from files: every field is checked, and what follows from others is recomputed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bounds.errors import DataError
from release.accuracy.file import AccuracyRelease
from release.accuracy.planned import ACCURACY, SyntheticAnswers
from release.accuracy.workload import workload_of
from release.comparison.file import HEADER, read_header, read_synthetic, require_paid
from release.data.schema import Schema
from release.files.fields import read_exact, require_same, within
from release.files.strict_json import parse_json, read_json_file, require_object
from release.private_release import SOMETIMES


def read_accuracy(path: str | Path) -> AccuracyRelease:
    """The release of accuracy in a file."""
    text, where = read_json_file(path, "release")
    return accuracy_of(parse_json(text, where), where)


def accuracy_of(body: object, where: str = "release") -> AccuracyRelease:
    """The release in an object that parse_json has read; `where` begins every error message."""
    fields = require_object(body, where, HEADER | {"workload"}, SOMETIMES)
    said = read_header(fields, ACCURACY, where)
    schema: Schema = said.pop("schema")
    answers, digest = _synthetic(fields["synthetic"], f"{where}: synthetic")
    found = AccuracyRelease(
        workload=workload_of(fields["workload"], schema, f"{where}: workload"),
        synthetic=answers,
        synthetic_digest=digest,
        **said,
    )
    require_same(within(found.to_json, where), fields, where)
    require_paid(found, where)
    return found


def _synthetic(body: Any, where: str) -> tuple[SyntheticAnswers, str]:
    fields = require_object(body, where, {"rows", "digest", "largest_mean", "average_mean"})
    rows, digest = read_synthetic(fields, where)
    largest, average = (read_exact(fields[name], name, where) for name in ("largest_mean", "average_mean"))
    if not 0 <= average <= largest <= 1:
        raise DataError(f"{where}: average_mean is from 0 to largest_mean, and that at most 1")
    return SyntheticAnswers(rows=rows, largest_mean=largest, average_mean=average), digest
