"""A made-up table, releases of it, and what is asked of them: for the tests of the command infer."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from synthbounds.cli import main
from tests.synthbounds.folders import quietly_in

_SCHEMA = {
    "synthbounds_schema": 1,
    "source": "public",
    "columns": [
        {"name": "sex", "levels": ["F", "M"]},
        {"name": "old", "range": ["0", "120"], "bins": 4},
        {"name": "ill", "levels": ["no", "yes"]},
    ],
}
_TWINS = {**_SCHEMA, "columns": [*_SCHEMA["columns"], {"name": "copy", "levels": ["F", "M"]}]}  # type: ignore[misc]


def _codes() -> Any:
    """Those who are older, and men, are ill more often; nobody is above 90."""
    source = np.random.default_rng(1)
    n = 6000
    sex, old = source.integers(0, 2, n), source.integers(0, 3, n)
    ill = (source.random(n) < 0.15 + 0.1 * sex + 0.25 * old).astype(int)
    return np.column_stack([sex, old, ill])


CODES = _codes()
"""Of sex, old and ill; the feature of old goes from -1 to 1 in steps of 2/3."""
PLAN = ["--plan", "--schema", "table.schema.json", "--n", "6000", "--epsilon", "1", "--dp-delta", "1e-6"]
_DRAWN = ["--epsilon", "1", "--dp-delta", "1e-6", "--mode", "simulate", "--seed", "3"]


def _write(name: str, schema: dict[str, Any], codes: Any) -> None:
    Path(f"{name}.schema.json").write_text(json.dumps(schema), encoding="utf-8")
    texts = [["F", "M"], ["15", "45", "75", "105"], ["no", "yes"], ["F", "M"]]
    lines = [",".join(texts[place][code] for place, code in enumerate(row)) for row in codes.tolist()]
    head = ",".join(column["name"] for column in schema["columns"])
    Path(f"{name}.csv").write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")


@pytest.fixture(scope="session")
def inferred_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inferred")
    with quietly_in(folder):
        _write("table", _SCHEMA, CODES)
        _write("twins", _TWINS, np.column_stack([CODES, CODES[:, 0]]))
        _write("finished", _SCHEMA, CODES[::5])
        Path("shares.csv").write_text("sex,share\nF,0.5\nM,1/2\n", encoding="utf-8")
        table = ["table.csv", "--schema", "table.schema.json"]
        for line in (
            ["release", "marginals", *table, *_DRAWN, "--output", "tables.json"],
            ["release", "marginals", *table, *_DRAWN, "--pairs", "sex:old", "--output", "few.json"],
            ["release", "moments", *table, *_DRAWN, "--label", "ill", "--linear", "all", "--output", "moments.json"],
            ["release", "moments", "twins.csv", "--schema", "twins.schema.json", *_DRAWN, "--label", "ill", "--linear",
             "all", "--output", "twins.json"],
            ["release", "distance", "table.csv", "finished.csv", "--schema", "table.schema.json", "--label", "sex",
             "--epsilon", "1", "--mode", "simulate", "--seed", "3", "--output", "distance.json"],
            ["train", "moments.json", "--tau", "2", "--points", "2000", "--output", "model.json"],
        ):  # fmt: skip
            assert main(line) == 0, line
    return folder


@pytest.fixture
def made(inferred_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """All of it in a folder of its own."""
    for file in inferred_folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def asked(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """What the command says as JSON."""
    code = main(["infer", *arguments])
    told = capsys.readouterr()
    assert code == 0, told.err
    body: dict[str, Any] = json.loads(told.out)
    return body


def said_of(arguments: list[str]) -> tuple[int, str, str]:
    """Exit code, output and errors."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["infer", *arguments])
    return code, out.getvalue(), err.getvalue()
