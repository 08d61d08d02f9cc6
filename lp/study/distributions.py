"""Probability tables: built-in families by name, or read from CSV, always as exact fractions that add up to 1."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from math import lcm
from pathlib import Path

from bounds.errors import DataError, ParameterError, SynthboundsError
from bounds.exact import MOST_BITS, common_denominator, parse_integer, parse_rational, require_range

MOST_POINTS = 100_000
MOST_ZIPF_POINTS = 4096
MOST_FILE_BYTES = 2**26
FAMILIES = "uniform:N, zipf:N[:S], dirichlet:N:ALPHA:SEED"


@dataclass(frozen=True)
class ProbabilityTable:
    """Probabilities of points, in order; points have names if the table gives them."""

    probabilities: tuple[Fraction, ...]
    labels: tuple[str, ...] | None = None


def distribution(text: str, name: str) -> ProbabilityTable:
    """The table that `text` names: a built-in family such as zipf:32, or a CSV file of weights."""
    kind, _, rest = text.partition(":")
    if kind in {"uniform", "zipf", "dirichlet"} and rest:
        return ProbabilityTable(_built_in(kind, rest.split(":"), text, name))
    path = Path(text)
    try:
        found = path.is_file()
    except (OSError, ValueError):
        found = False
    if not found:
        raise DataError(f"{name} = {text[:80]!r}: neither a file nor one of {FAMILIES}")
    return read_table(path, name)


def aligned(first: ProbabilityTable, second: ProbabilityTable, name: str) -> tuple[Fraction, ...]:
    """The probabilities of the second table in the order of the first, matched by label if both have labels."""
    if first.labels is None or second.labels is None or first.labels == second.labels:
        return second.probabilities
    by_label = dict(zip(second.labels, second.probabilities, strict=True))
    if set(by_label) != set(first.labels):
        raise DataError(f"{name} and nu must name the same points; they differ in their labels")
    return tuple(by_label[label] for label in first.labels)


def _built_in(kind: str, parts: list[str], text: str, name: str) -> tuple[Fraction, ...]:
    lengths = {"uniform": (1,), "zipf": (1, 2), "dirichlet": (3,)}
    if len(parts) not in lengths[kind]:
        raise ParameterError(name, text, f"one of {FAMILIES}")
    points = parse_integer(parts[0], f"{name} points")
    most = MOST_ZIPF_POINTS if kind == "zipf" else MOST_POINTS
    require_range(f"{name} points", points, parts[0], least=1, most=most)
    if kind == "uniform":
        return (Fraction(1, points),) * points
    if kind == "zipf":
        exponent = parse_integer(parts[1], f"{name} exponent") if len(parts) == 2 else 1
        most_exponent = max(1, MOST_ZIPF_POINTS // points)
        require_range(f"{name} exponent", exponent, exponent, least=0, most=min(8, most_exponent))
        common = lcm(*range(1, points + 1)) ** exponent
        return normalise([common // rank**exponent for rank in range(1, points + 1)])
    alpha = parse_rational(parts[1], f"{name} alpha")
    require_range(f"{name} alpha", alpha, parts[1], least=Fraction(1, 1000), most=10**6)
    seed = parse_integer(parts[2], f"{name} seed")
    require_range(f"{name} seed", seed, parts[2], least=0, below=2**64)
    return dirichlet(points, alpha, seed)


def dirichlet(points: int, alpha: Fraction, seed: int) -> tuple[Fraction, ...]:
    """One draw, for simulation: gamma variates of a counter-based generator, made exact and normalised."""
    import numpy as np

    generator = np.random.Generator(np.random.Philox(key=seed))
    variates = generator.standard_gamma(float(alpha), size=points)
    return normalise([Fraction(float(v)) for v in variates])


def normalise(weights: list[int] | list[Fraction]) -> tuple[Fraction, ...]:
    """Weights divided by their sum, exactly."""
    exact = [Fraction(w) for w in weights]
    common = common_denominator(exact, MOST_BITS)
    if common is None:
        raise DataError("the weights have no common denominator of reasonable size; write them as decimals")
    whole = [w.numerator * (common // w.denominator) for w in exact]
    total = sum(whole)
    if total == 0:
        raise DataError("the weights are all zero")
    return tuple(Fraction(w, total) for w in whole)


def read_table(path: Path, name: str) -> ProbabilityTable:
    """A CSV file of weights: one column, or label and weight. A first line without a number is a header."""
    where = f"{name}: {path.name}"
    rows = _read_rows(path, where)
    headed = bool(rows) and _is_header(rows[0])
    if headed:
        if len(rows) > 1 and len(rows[1]) != len(rows[0]):
            raise DataError(f"{where}, row 1 has {len(rows[1])} columns, the header has {len(rows[0])}")
        rows = rows[1:]
    if not rows:
        raise DataError(f"{where} has no rows of numbers")
    if len(rows) > MOST_POINTS:
        raise DataError(f"{where} has more than the {MOST_POINTS} rows that are allowed")
    width = len(rows[0])
    if width > 2:
        raise DataError(f"{where} has {width} columns; one of weights, or two of label and weight, are allowed")
    weights = [_weight(row, number, width, where) for number, row in enumerate(rows, start=1)]
    if not any(weights):
        raise DataError(f"{where} has only zero weights")
    labels = tuple(row[0].strip() for row in rows) if width == 2 else None
    if labels is not None and not headed and all(label.lstrip("+-").isdigit() for label in labels):
        raise DataError(f"{where} has two numbers per line: write decimal points, or name the columns in a header")
    if labels is not None and len(set(labels)) < len(labels):
        raise DataError(f"{where} names a point twice")
    return ProbabilityTable(normalise(weights), labels)


def _read_rows(path: Path, where: str) -> list[list[str]]:
    try:
        if path.stat().st_size > MOST_FILE_BYTES:
            raise DataError(f"{where} is larger than {MOST_FILE_BYTES // 2**20} MiB")
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{where} is not UTF-8 text") from None
    except OSError as error:
        raise DataError(f"{where} cannot be read ({error.strerror})") from None
    if "\0" in text:
        raise DataError(f"{where} contains NUL bytes")
    try:
        rows = (row for row in csv.reader(io.StringIO(text)) if row and any(cell.strip() for cell in row))
        return list(islice(rows, MOST_POINTS + 2))
    except csv.Error as error:
        raise DataError(f"{where} is not a readable table ({error})") from None


def _weight(row: list[str], number: int, width: int, where: str) -> Fraction:
    if len(row) != width:
        raise DataError(f"{where}, row {number} has {len(row)} columns, the first has {width}")
    try:
        weight = parse_rational(row[-1], "weight")
    except SynthboundsError:
        raise DataError(f"{where}, row {number}, column {width} is not a number") from None
    if weight < 0:
        raise DataError(f"{where}, row {number}, column {width} is negative")
    return weight


def _is_header(row: list[str]) -> bool:
    """A first line names columns if its last cell does not even begin like a number."""
    cell = row[-1].strip().lower()
    return bool(cell) and not cell[0].isdigit() and cell[0] not in "+-." and cell not in {"nan", "inf", "infinity"}
