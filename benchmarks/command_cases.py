"""Commands that draw noise on a table of two records, for audits, as a user would call them.

A case is a list of commands in a folder that has `table.csv`, the public `schema.json`, `finished.csv`,
`predictions.csv` and `others.csv`; their output goes into the same folder. The claimed privacy is that of all commands
together.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from bounds.privacy.adjacency import Adjacency
from synthbounds.cli import main
from verify.audit.small_tables import RECORDS
from verify.audit.subject import DELTA as SMALL_DELTA

if TYPE_CHECKING:
    from release.data.domain import Codes

EPSILON, DELTA = Fraction(1), Fraction(1, 100)
"""A large delta, with which samples can come near the claim of Gaussian noise."""
COLUMNS = ("size", "group", "label")
LOW_HIGH = ("0.5", "7.5")
"""Only the ends of the column of numbers, where a record has most influence; the other columns have two values."""
SCHEMA = {
    "synthbounds_schema": 1,
    "source": "public",
    "columns": [
        {"name": "size", "edges": [str(edge) for edge in range(9)]},
        {"name": "group", "levels": ["0", "1"]},
        {"name": "label", "levels": ["0", "1"]},
    ],
}


@dataclass(frozen=True, kw_only=True)
class CommandCase:
    """Commands with the privacy that they claim together; `is_adaptive` if questions depend on earlier outputs."""

    name: str
    adjacency: Adjacency
    commands: Callable[[list[str]], list[list[str]]]
    """Gives the commands from the options for mode and adjacency."""
    delta: Fraction = DELTA
    is_adaptive: bool = False
    is_slow: bool = False
    """If so, fewer tables are compared and fewer runs made."""

    @property
    def title(self) -> str:
        return f"{self.name}, {self.adjacency.value}"

    def run(self, table: Codes, folder: Path, *, seed: int | None = None) -> None:
        """All commands on a table; a release without a seed, else a simulation."""
        for path in folder.iterdir():
            path.unlink()
        _write(folder, table)
        mode = ["--mode", "release"] if seed is None else ["--mode", "simulate", "--seed", str(seed)]
        options = [*mode, "--adjacency", self.adjacency.value, "--epsilon", str(EPSILON), "--schema", "schema.json"]
        if self.delta:
            options += ["--dp-delta", str(float(self.delta))]
        if self.adjacency is Adjacency.ADD_REMOVE:
            options += ["--least-size", "1"]
        for command in self.commands(options):
            seeds = ["--seed", str(seed)] if command[0] == "confirm" and seed is not None else []
            said = io.StringIO()
            with contextlib.chdir(folder), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
                code = main([*command, *seeds])
            if code != 0:
                raise RuntimeError(f"{self.title}: {' '.join(command)}: exit code {code}: {said.getvalue()}")


def _write(folder: Path, table: Codes) -> None:
    rows = [[LOW_HIGH[size], str(group), str(label)] for size, group, label in table.tolist()]
    finished = [["0.5", "1", "0"], ["7.5", "1", "1"], ["0.5", "0", "1"]]
    for name, lines in {"table": [COLUMNS, *rows], "finished": [COLUMNS, *finished]}.items():
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(lines)
    for name, column, value in (("predictions", 0, "7.5"), ("others", 1, "0")):
        predicted = "\n".join(["label", *("0.99" if row[column] == value else "0.01" for row in rows)]) + "\n"
        (folder / f"{name}.csv").write_text(predicted, encoding="utf-8")
    (folder / "schema.json").write_text(json.dumps(SCHEMA), encoding="utf-8")


def all_cases() -> list[CommandCase]:
    found = []
    for adjacency in Adjacency:
        for name, command in _ONE_COMMAND.items():
            delta = Fraction(0) if name.endswith(_PURE) else DELTA
            found.append(
                CommandCase(
                    name=name, adjacency=adjacency, delta=delta, commands=lambda options, c=command: [[*c, *options]]
                )
            )
        for name, more in _LOGS.items():
            found.append(
                CommandCase(
                    name=f"synth {name}",
                    adjacency=adjacency,
                    commands=lambda options, n=name, m=more: [[*_SYNTH, n, "--log", "log.json", *m, *options]],
                    is_adaptive=True,
                    is_slow=name in ("gem", "merf", "rap", "rap++"),
                )
            )
        for name, queries in _QUERIES.items():
            found.append(
                CommandCase(
                    name=name,
                    adjacency=adjacency,
                    commands=queries,
                    is_adaptive=_PREDICTED[0] not in queries([])[-1],
                    is_slow=_PREDICTED[0] not in queries([])[-1],
                )
            )
    return [*found, *(case for adjacency in Adjacency for case in _further(adjacency))]


def _further(adjacency: Adjacency) -> list[CommandCase]:
    """Cases added later, after the others, since samples are numbered."""
    made = {
        f"synth lp by {name}": [*_LP, "laplace", "--measure", name, *more]
        for name, more in _MEASURES_OF_RECORDS.items()
    }
    logged = {
        **{f"regress {method}": [*_REGRESS, method, *more] for method, more in _BY_LOGS.items()},
        **{f"synth {name} with distance": [*_SYNTH, name, *_DISTANCE, *more] for name, more in _WITH_DISTANCE.items()},
    }
    return [
        *(
            CommandCase(
                name=name, adjacency=adjacency, delta=Fraction(0), commands=lambda options, c=command: [[*c, *options]]
            )
            for name, command in made.items()
        ),
        *(
            CommandCase(
                name=name,
                adjacency=adjacency,
                commands=lambda options, c=command: [[*c, *options]],
                is_adaptive=True,
                is_slow=True,
            )
            for name, command in logged.items()
        ),
        *(
            CommandCase(name=name, adjacency=adjacency, commands=queries, is_adaptive=True, is_slow=True)
            for name, queries in _CHOICES.items()
        ),
    ]


def objective_case() -> CommandCase:
    """Objective perturbation, set up as in verify/audit/objective_subjects.py."""
    command = ["regress", "table.csv", *_LABEL, "--output", "model.json", "--method", "objpert", "--loss", "logistic"]
    return CommandCase(
        name="regress objpert",
        adjacency=Adjacency.ADD_REMOVE,
        delta=SMALL_DELTA,
        commands=lambda options: [[*command, *options]],
    )


_PURE = ("laplace", "linf")
_RELEASE = ["release"]
_LABEL = ["--label", "label"]
_SYNTH = ["synth", "table.csv", "--synthetic", "synthetic.csv", "--k", str(RECORDS), "--method"]
_LP = [*_SYNTH, "lp", "--degree", "2", "--family", "cells", "--failure", "0.1", "--anyway", "--mechanism"]
_REGRESS = ["regress", "table.csv", *_LABEL, "--output", "model.json", "--release", "noisy.json", "--method"]
_OUT = ["--output", "release.json"]

_ONE_COMMAND: dict[str, list[str]] = {
    "release moments": ["release", "moments", "table.csv", *_LABEL, *_OUT],
    "release moments with fourth": ["release", "moments", "table.csv", *_LABEL, "--fourth", *_OUT],
    **{
        f"release marginals {kind}": ["release", "marginals", "table.csv", "--mechanism", kind, *_OUT]
        for kind in ("laplace", "linf", "gaussian")
    },
    "release floors": ["release", "floors", "table.csv", *_LABEL, *_OUT],
    "release distance laplace": ["release", "distance", "table.csv", "finished.csv", *_LABEL, *_OUT],
    "release distance gaussian": ["release", "distance", "table.csv", "finished.csv", *_LABEL, *_OUT],
    "release accuracy laplace": ["release", "accuracy", "table.csv", "finished.csv", "--workload", "pairs", *_OUT],
    "release accuracy gaussian": ["release", "accuracy", "table.csv", "finished.csv", "--workload", "pairs", *_OUT],
    "synth moments": [*_SYNTH, "moments", "--release", "release.json"],
    **{
        f"synth lp {kind}": [*_LP, kind]
        for kind in ("laplace", "linf", "gaussian", "contrast-gaussian", "contrast-linf")
    },
    "regress ssp": [*_REGRESS, "ssp", "--loss", "squared"],
    "regress ssp-edge": [*_REGRESS, "ssp-edge", "--loss", "squared"],
    "regress adassp": [*_REGRESS, "adassp", "--loss", "squared"],
}
_LOGS: dict[str, list[str]] = {
    "aim": ["--degree", "2", "--rounds", "6"],
    "mst": [],
    "tree": _LABEL,
    "gen": ["--degree", "2"],
    "rap": ["--degree", "2", "--rounds", "2", "--points", "20"],
    "rap++": [
        "--labels",
        "label",
        "--numbers",
        "size",
        "--rounds",
        "2",
        "--points",
        "20",
        "--top",
        "2",
        "--thresholds",
        "6",
    ],
    "gem": ["--rounds", "2"],
    "merf": _LABEL,
}


def _reserving(kind: str, asked: list[str]) -> Callable[[list[str]], list[list[str]]]:
    release = ["release", kind, "table.csv", *_LABEL, "--reserve", "1/2", *_OUT]

    def commands(options: list[str]) -> list[list[str]]:
        found = [[*release, *options]]
        query = ["confirm", "table.csv", "release.json"]
        if "--predictions" in asked:
            query += ["--model-from", "public", *asked]
        else:
            found.append(["train", "release.json", "--tau", "2", "--output", "model.json"])
            query += ["model.json", *asked, "--anyway"]
        return [*found, [*query, "--output", "answer.json"]]

    return commands


_PREDICTED = ["--predictions", "predictions.csv"]
_QUERIES: dict[str, Callable[[list[str]], list[list[str]]]] = {
    "moments, then confirm gradient": _reserving("moments", ["--ask", "gradient"]),
    "moments, then confirm excess": _reserving("moments", ["--ask", "excess"]),
    "floors, then confirm loss": _reserving("floors", [*_PREDICTED, "--ask", "loss", "--loss", "log"]),
    "floors, then confirm calibration": _reserving("floors", [*_PREDICTED, "--ask", "calibration"]),
    "moments, then confirm auc": _reserving(
        "moments", [*_PREDICTED, "--ask", "auc", "--least-positive", "1", "--least-other", "1"]
    ),
}


def _against(options: list[str]) -> list[list[str]]:
    """Two linear models, one of which is asked whether it is the better one."""
    train = ["train", "release.json", "--output"]
    query = ["confirm", "table.csv", "release.json", "model.json", "--against", "other.json", "--anyway"]
    return [
        ["release", "moments", "table.csv", *_LABEL, "--reserve", "1/2", *_OUT, *options],
        [*train, "model.json", "--tau", "2"],
        [*train, "other.json", "--tau", "1/2"],
        [*query, "--output", "answer.json"],
    ]


_MEASURES_OF_RECORDS: dict[str, list[str]] = {
    "histogram": [],
    "grid": [],
    "bernstein": ["--bernstein-degree", "2", "--bandwidth", "1/2"],
}
_BY_LOGS: dict[str, list[str]] = {
    "dd-ssp": ["--loss", "squared", "--rounds", "4"],
    "aim-synth": ["--loss", "squared", "--rounds", "4"],
    "mst-synth": ["--loss", "squared"],
}
_DISTANCE = ["--log", "log.json", "--distance", "1/4", *_LABEL]
_WITH_DISTANCE: dict[str, list[str]] = {"aim": _LOGS["aim"], "mst": _LOGS["mst"]}
_CHOICES: dict[str, Callable[[list[str]], list[list[str]]]] = {
    "moments, then confirm against a model": _against,
    "floors, then confirm the best of two": _reserving(
        "floors", [*_PREDICTED, "others.csv", "--ask", "loss", "--loss", "log"]
    ),
}
