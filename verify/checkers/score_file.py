"""The certificate of scores, read strictly and put into numbers; nothing is proved here.

One file holds what was asked of a real table, the noise, the noisy answers and what is claimed to
follow. The format is described in docs/certificates.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flint import fmpq

from verify.checkers import entries, fields, require, text, whole, whole_text
from verify.checkers.model_file import MOST_BITS, MOST_FEATURES, MOST_SIZE, choice, fraction
from verify.checkers.model_file import read_block as read_codes
from verify.checkers.noise import Answer

KIND = "scores"
VERSION = 1
ASKS = ("excess", "floors", "loss", "auc", "calibration")
SOURCES = ("public", "release", "table", None)
MOST_QUESTIONS = 100
MOST_ANSWERS = 2000
MOST_DIGITS = 999
FIELDS = (
    "certificate",
    "version",
    "note",
    "statement",
    "ask",
    "beta",
    "failures",
    "claims",
    "adjacency",
    "size",
    "release",
    "query",
    "model",
    "model_from",
    "features",
    "mu_squared",
    "choice",
    "questions",
    "floors",
)
ROW = ("question", "share", "unit", "moved", "deviation", "error", "answer")
POSITIVE = ("share", "unit", "moved", "deviation")


@dataclass(frozen=True)
class Features:
    """For every column and code its features; the intercept, always 1, is not listed."""

    digest: str
    bits: int
    blocks: list[list[list[fmpq]]]

    @property
    def count(self) -> int:
        return 1 + sum(len(block[0]) for block in self.blocks)

    @property
    def squared_norm(self) -> int:
        """No record has features of a larger squared norm."""
        return 1 + len(self.blocks)


@dataclass(frozen=True)
class Row:
    """One question as in the file, its cost, and its answers."""

    question: dict[str, Any]
    share: fmpq
    unit: fmpq
    moved: fmpq
    deviation: fmpq
    error: fmpq
    """How far the rounded loss of a record may be from the true one; of an area, the area."""
    answers: list[Answer]


def read_fields(value: Any) -> dict[str, Any]:
    """The fields, with all text that is printed later looked at."""
    body = fields(value, "certificate", FIELDS)
    require(body["certificate"] == KIND, "is not a certificate of scores")
    whole(body["version"], "version", VERSION, VERSION)
    for key in ("note", "release"):
        text(body[key], key)
    for key in ("query", "model"):
        require(body[key] is None or text(body[key], key), f"{key}: is empty")
    require(body["ask"] in ASKS, "ask: is not one that is known here")
    require(body["model_from"] in SOURCES, "model_from: is not one that is known here")
    return body


def read_private_size(body: dict[str, Any]) -> tuple[bool, int]:
    """Whether the number of records is private, and that number, or the smallest that it can be."""
    private = choice(body["adjacency"], "adjacency", ("replace-one", "add-remove"))
    return private, whole(body["size"], "size", 1, MOST_SIZE)


def read_features(value: Any) -> Features | None:
    if value is None:
        return None
    said = fields(value, "features", ("digest", "bits", "blocks"))
    bits = whole(said["bits"], "features: bits", 1, MOST_BITS)
    listed = entries(said["blocks"], "features: blocks", 1, MOST_FEATURES)
    blocks = [read_codes(block, 2**bits) for block in listed]
    return Features(text(said["digest"], "features: digest"), bits, blocks)


def positive(value: Any, where: str) -> fmpq:
    found = fraction(value, where)
    require(found > 0, f"{where}: is not positive")
    return found


def probability(value: Any, where: str) -> fmpq:
    found = positive(value, where)
    require(found < 1, f"{where}: is not a probability below 1")
    return found


def read_rows(value: Any, where: str) -> list[Row]:
    """Every question with its answers."""
    return [read_row(row, where) for row in entries(value, where, 1, MOST_QUESTIONS)]


def read_row(value: Any, where: str) -> Row:
    said = fields(value, where, ROW)
    require(isinstance(said["question"], dict), f"{where}: question: is not an object")
    text(said["question"].get("kind"), f"{where}: kind")
    numbers = {name: positive(said[name], f"{where}: {name}") for name in POSITIVE}
    error = fraction(said["error"], f"{where}: error")
    listed = entries(said["answer"], f"{where}: answer", 1, MOST_ANSWERS)
    values = [whole_text(x, f"{where}: answer", MOST_DIGITS) for x in listed]
    answers = [Answer(value, numbers["unit"], numbers["deviation"]) for value in values]
    return Row(question=said["question"], error=error, answers=answers, **numbers)
