"""Compare the certificate of a model with its release and its model, read here independently.

`python -m verify.checkers.given CERTIFICATE RELEASE [MODEL]`. The checker of models takes sums,
noise and features as given. Here they are computed again from the release that the certificate
names, and the coefficients from its model; the first field that differs is the reason to reject.
Releases are described in docs/releases.md, models in docs/training.md.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from datetime import date
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import Any

from verify.checkers import (
    FRACTION,
    MOST_BYTES,
    Rejected,
    entries,
    fields,
    file_bytes,
    number,
    parsed,
    require,
    run,
    shown,
    whole,
)
from verify.checkers.domination import LOSSES
from verify.checkers.model_file import MULTIPLICITIES, read_fields

VERSION = 1
MOST_CODES = 2**16
MOST_MAP_BITS = 20
COLUMN_FIELDS = (
    *("levels", "ordered", "range", "bins", "grid", "edges", "whole"),
    *("date", "first", "last", "by", "outside", "missing"),
)
CYCLES = {"weekday": 7, "hour": 24}
MONTHS_OF_A_BIN = {"year": 12, "quarter": 3, "month": 1}
DAYS_OF_A_BIN = {"week": 7, "day": 1}
ALWAYS = (
    "synthbounds_release",
    "kind",
    "mode",
    "stamp",
    "statistic",
    "adjacency",
    "weight",
    "fourth_weight",
    "sensitivity",
    "noise",
    "budget",
    "schema",
    "feature_map",
    "first",
    "second",
    "digest",
)
SOMETIMES = ("n", "least_size", "fourth", "seed", "run")
MODEL_ALWAYS = ("synthbounds_model", "feature_map", "names", "coefficients", "loss")
MODEL_SOMETIMES = ("tau", "ridge", "intercept", "norm", "made", "release")
BUDGET = ("epsilon", "dp_delta", "mu_squared", "mu_squared_spent", "reserve", "reservation")
STATES = ("open", "spent")
ROUNDED_UP = 1 + Fraction(1, 10**13)
"""Deviations are rounded up to 15 digits, give or take one."""
SIGNED = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?|[+-]?\d+/\d+", re.ASCII)
"""A coefficient; models may be written by hand."""
DECIMAL = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,4})?", re.ASCII)
"""A number of a schema."""

FROM_RELEASE = "note, adjacency, size, bits, squared_norm, blocks, feature_map, noise"
FROM_MODEL = "coefficients, loss, model"


def compare(
    certificate: str | bytes, release: str | bytes | None, model: str | bytes | None
) -> tuple[list[str], list[str]]:
    """What was computed again and is the same, and what is still taken as given."""
    body = read_fields(parsed(certificate))
    same, left = [], []
    if release is not None:
        found = read_release(release)
        require_same_features(body, found)
        require_same_sums(body, found)
        require_same_noise(body, found)
        require_named(body["release"], found)
        sums = "first, second" if body["fourth"] is None else "first, second, fourth"
        same.append(f"from the release: {FROM_RELEASE}, {sums} and its digest")
        left.append("the release was made as it says: from records of its schema, with that noise")
    if model is not None:
        require_same_model(body, model)
        same.append(f"from the model: {FROM_MODEL} (its digest)")
    return same, left


def canonical_digest(value: Any) -> str:
    """SHA-256 of the one text of a JSON value: keys sorted, no spaces, ASCII."""
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode()).hexdigest()


def require_field(holds: object, field: str, where: str = "release") -> None:
    require(holds, f"{field}: is not that of the {where}")


# the release


def read_release(data: str | bytes) -> dict[str, Any]:
    """The fields of a release of moments whose digest is the one that it states."""
    found = parsed(without_mark(data))
    require(isinstance(found, dict), "release: is not an object")
    kind = found.get("kind", "moments")
    require(kind == "moments", f"release: kind {shown(kind)}: certificates are made from moments")
    body = fields(found, "release", ALWAYS, SOMETIMES)
    whole(body["synthbounds_release"], "release: synthbounds_release", VERSION, VERSION)
    content = {key: value for key, value in body.items() if key != "digest"}
    require(body["digest"] == canonical_digest(content), "release: its digest is not its own")
    fields(body["budget"], "release: budget", BUDGET)
    return body


def without_mark(data: str | bytes) -> str | bytes:
    """Without the mark that some editors put before UTF-8 text."""
    return data.removeprefix(b"\xef\xbb\xbf") if isinstance(data, bytes) else data


def require_named(named: str, release: dict[str, Any]) -> None:
    """The certificate names this release, before or after the query that its reserve pays for."""
    kept = release["budget"]["reservation"]
    digests = {release["digest"]}
    if kept is not None:
        fields(kept, "release: reservation", ("mu_squared", "state", "id"))
        content = {key: value for key, value in release.items() if key != "digest"}
        for state in STATES:
            budget = {**release["budget"], "reservation": {**kept, "state": state}}
            digests.add(canonical_digest({**content, "budget": budget}))
    require_field(named in digests, "release")


def require_same_features(body: dict[str, Any], release: dict[str, Any]) -> None:
    """The blocks are all codes of all columns but the label, by the encodings of the release."""
    schema = fields(
        release["schema"],
        "release: schema",
        ("synthbounds_schema", "source", "columns"),
        ("note", "missing_values", "spaces", "ignored"),
    )
    columns = entries(schema["columns"], "release: columns", 2, 10_000)
    shapes = {str(column.get("name")): column for column in columns if isinstance(column, dict)}
    sizes = dict(column_size(column) for column in columns)
    require(len(sizes) == len(columns), "release: a column stands twice")
    said = fields(
        release["feature_map"],
        "release: feature_map",
        ("label", "positive", "encodings", "bits", "digest"),
    )
    label = said["label"]
    require(isinstance(label, str) and label in sizes, "release: the label is not a column")
    names = [name for name in sizes if name != label]
    encodings = fields(said["encodings"], "release: encodings", names)
    bits = whole(said["bits"], "release: bits", 1, MOST_MAP_BITS)
    decides = {
        "columns": columns,
        "label": label,
        "positive": said["positive"],
        "encodings": [encodings[name] for name in names],
        "bits": bits,
    }
    decides |= {key: schema[key] for key in ("missing_values", "spaces") if key in schema}
    require(said["digest"] == canonical_digest(decides), "release: feature_map: a wrong digest")
    require_field(body["feature_map"] == said["digest"], "feature_map")
    require_field(body["bits"] == bits, "bits")
    blocks = [block_of(encodings[name], sizes[name], 2**bits, shapes[name]) for name in names]
    require_field(body["blocks"] == blocks, "blocks")
    require_field(body["squared_norm"] == squared_norm(encodings), "squared_norm")


def squared_norm(encodings: dict[str, Any]) -> int:
    """One for each column with features, one for the intercept."""
    return 1 + sum(1 for encoding in encodings.values() if encoding != "none")


def column_size(column: Any) -> tuple[str, tuple[int, bool]]:
    """The name of a column, how many values it has, and whether cells may be missing."""
    said = fields(column, "release: a column", ("name",), COLUMN_FIELDS)
    name, missing = said["name"], said.get("missing", False)
    require(isinstance(name, str), "release: a column's name is not text")
    gap = missing is not False
    if "levels" in said:
        count = len(entries(said["levels"], "release: levels", 2 - gap, MOST_CODES))
    elif "edges" in said:
        count = len(entries(said["edges"], "release: edges", 3 - gap, MOST_CODES + 1)) - 1
    elif "date" in said:
        count = calendar_bins(said)
    else:
        count = whole(said.get("bins", said.get("grid")), "release: bins or grid", 2, MOST_CODES)
    require(2 <= count + gap <= MOST_CODES, "release: a column has too few or too many codes")
    return name, (count, gap)


def calendar_bins(column: dict[str, Any]) -> int:
    """How many years, quarters, months, weeks or days there are from the first day to the last."""
    by = str(column.get("by"))
    if by in CYCLES:
        return CYCLES[by]
    first, last = (day(column.get(key), f"release: {key}") for key in ("first", "last"))
    if by in MONTHS_OF_A_BIN:
        months = MONTHS_OF_A_BIN[by]
        ends = [(12 * when.year + when.month - 1) // months for when in (first, last)]
    else:
        require(by in DAYS_OF_A_BIN, f"release: unknown bins of dates {shown(by)}")
        ends = [(when.toordinal() - 1) // DAYS_OF_A_BIN[by] for when in (first, last)]
    return ends[1] - ends[0] + 1


def day(said: Any, name: str) -> date:
    require(isinstance(said, str) and len(said) == 10, f"{name}: is not a day")
    try:
        return date.fromisoformat(said)
    except ValueError:
        raise Rejected(f"{name}: is not a day") from None


def block_of(
    encoding: Any, shape: tuple[int, bool], one: int, column: dict[str, Any]
) -> list[list[int]]:
    """For each code its features: from -1 to 1, rounded, or one indicator a code, or nothing.

    Steps are equal, or as the numbers of the codes are. Beside the steps of several values the
    missing code, the last, has an indicator of its own.
    """
    known = ("linear", "value", "one-hot", "none")
    require(encoding in known, f"release: unknown encoding {shown(encoding)}")
    count, gap = shape
    size = count + gap
    if encoding == "none":
        return [[] for _ in range(size)]
    if encoding == "one-hot":
        require(size <= 1000, "release: too many indicators")
        return [[one if code == other else 0 for other in range(size)] for code in range(size)]
    apart = gap and count > 1
    if encoding == "linear" or (gap and not apart):
        line = line_of([Fraction(code) for code in range(size - apart)], one)
    else:
        line = line_of(numbers_of(column, count), one)
    return [*([x, 0] for x in line), [0, one]] if apart else [[x] for x in line]


def line_of(numbers: list[Fraction], one: int) -> list[int]:
    """Numbers from -1 at the least to 1 at the largest, rounded."""
    lo, hi = min(numbers), max(numbers)
    require(lo < hi, "release: a column has no two different numbers")
    return [round((2 * x - lo - hi) * one / (hi - lo)) for x in numbers]


def numbers_of(column: dict[str, Any], count: int) -> list[Fraction]:
    """What the codes stand for: labels that are numbers, points of a grid, middles of bins.

    Where all numbers are whole, the middle is that of the whole ones of the bin, rounded down.
    """
    if "levels" in column:
        return [decimal(level) for level in column["levels"]]
    require("date" not in column, "release: a date is not a number")
    if "edges" in column:
        edges = [decimal(edge) for edge in column["edges"]]
    else:
        lo, hi = (decimal(end) for end in entries(column.get("range"), "release: range", 2, 2))
        if "grid" in column:
            return [lo + (hi - lo) * Fraction(code, count - 1) for code in range(count)]
        edges = [lo + (hi - lo) * Fraction(code, count) for code in range(count + 1)]
    if column.get("whole", False) is not True:
        return [(left + right) / 2 for left, right in pairwise(edges)]
    lasts = [*(ceil(edge) - 1 for edge in edges[1:-1]), floor(edges[-1])]
    pairs = zip(edges[:-1], lasts, strict=True)
    return [Fraction((ceil(left) + last) // 2) for left, last in pairs]


def decimal(said: Any) -> Fraction:
    """A number of a schema, exactly as it is written."""
    require(isinstance(said, str) and len(said) <= 1200, "release: a value is not a number")
    found = DECIMAL.fullmatch(said)
    require(found is not None, f"release: {shown(said)} is not a number")
    return Fraction(said)


def require_same_sums(body: dict[str, Any], release: dict[str, Any]) -> None:
    """The noisy sums, and what they are divided by."""
    first = entries(release["first"], "release: first", 2, 1000)
    second = entries(release["second"], "release: second", len(first), len(first))
    rows = [[str(x) for x in entries(row, "release: second", 1, len(first))] for row in second]
    require_field(body["first"] == [str(x) for x in first], "first")
    require_field(body["second"] == rows, "second")
    if body["fourth"] is not None:
        require("fourth" in release, "fourth: the release has none")
        fourth = entries(release["fourth"], "release: fourth", 1, 10_000_000)
        require_field(body["fourth"] == [str(x) for x in fourth], "fourth")
    adjacency = release["adjacency"]
    require_field(body["adjacency"] == adjacency, "adjacency")
    one = 2 ** release["feature_map"]["bits"]
    if adjacency == "replace-one":
        size = whole(release.get("n"), "release: n", 1, 10**15)
    else:
        least = whole(release.get("least_size"), "release: least_size", 1, 10**15)
        size = max(least, round(Fraction(int(rows[-1][0]), one**2)))
    require_field(body["size"] == size, "size")
    require_field(body["note"] == (release["stamp"] or ""), "note")


def require_same_noise(body: dict[str, Any], release: dict[str, Any]) -> None:
    """Deviations as the release states them, and as sensitivity, budget and weights ask for.

    On the scale of x = f / sqrt(P) the second moments have the variance sensitivity^2/mu^2, first
    ones 1/weight and fourth ones 1/fourth_weight times as much; sums are counted in steps of
    2^-bits, 4^-bits and 16^-bits. See docs/proofs/synthbounds.moment-release.md.
    """
    needed = variances(release)
    stated = stated_noise(release)
    require(len(stated) == len(needed), "release: noise: does not go with its moments")
    for deviation, variance in zip(stated, needed, strict=True):
        close = variance <= deviation**2 <= variance * ROUNDED_UP**2
        require(close, "release: noise: does not follow from its budget and sensitivity")
    count = len(entries(body["noise"], "noise", 3, 3 + len(MULTIPLICITIES)))
    said = [number(x, "noise") for x in body["noise"]]
    require_field(said == stated[:count], "noise")


def variances(release: dict[str, Any]) -> list[Fraction]:
    """Of first moments, second ones on and off the diagonal, fourth ones by multiplicity."""
    budget = release["budget"]
    names = ("mu_squared", "mu_squared_spent", "reserve")
    whole_mu, spent, reserve = (positive(budget[name], name) for name in names)
    require(spent == (1 - reserve) * whole_mu, "release: mu_squared_spent: is not what is left")
    sensitivity = fields(
        release["sensitivity"], "release: sensitivity", ("norm", "squared", "decimal")
    )
    base = positive(sensitivity["squared"], "sensitivity") / spent
    norm = squared_norm(release["feature_map"]["encodings"])
    one = 2 ** release["feature_map"]["bits"]
    first = base / positive(release["weight"], "weight") * norm * one**2
    second = base * norm**2 * one**4
    found = [first, second, second / 2]
    if release["fourth_weight"] is not None:
        weight = positive(release["fourth_weight"], "fourth_weight")
        fourth = base / weight * norm**4 * one**8
        found += [fourth / m for m in MULTIPLICITIES]
    return found


def stated_noise(release: dict[str, Any]) -> list[Fraction]:
    names = ("first", "second_diagonal", "second_off_diagonal")
    said = fields(release["noise"], "release: noise", ("law", *names), ("fourth",))
    found = [positive(said[name], f"noise {name}") for name in names]
    if "fourth" in said:
        keys = [f"multiplicity_{m}" for m in MULTIPLICITIES]
        fourth = fields(said["fourth"], "release: noise: fourth", keys)
        found += [positive(fourth[key], "noise fourth") for key in keys]
    return found


def positive(value: Any, name: str) -> Fraction:
    found = number(value, f"release: {name}", FRACTION)
    require(found > 0 or (found == 0 and name == "reserve"), f"release: {name}: is not positive")
    return found


# the model


def require_same_model(body: dict[str, Any], data: str | bytes) -> None:
    """Its coefficients are those of the certificate, on the same features."""
    found = parsed(without_mark(data), floats=True)
    model = fields(found, "model", MODEL_ALWAYS, MODEL_SOMETIMES)
    whole(model["synthbounds_model"], "model: synthbounds_model", VERSION, VERSION)
    digest = model["feature_map"]
    if isinstance(digest, dict):
        digest = digest.get("digest")  # the features are those of the release, compared above
    require_field(body["feature_map"] == digest, "feature_map", "model")
    listed = entries(model["coefficients"], "model: coefficients", 2, 1000)
    coefficients = [coefficient(value) for value in listed]
    stated = [number(value, "coefficients") for value in body["coefficients"]]
    require_field(stated == coefficients, "coefficients", "model")
    require(body["loss"] in LOSSES, "loss: is not one that is known here")
    said = {
        "feature_map": digest,
        "coefficients": [str(value) for value in coefficients],
        "loss": LOSSES[body["loss"]].name,
    }
    require_field(body["model"] == canonical_digest(said), "model", "model")


def coefficient(value: Any) -> Fraction:
    """A number in quotes or not, exactly as it is written."""
    written = str(value) if type(value) in (str, int) else ""
    require(len(written) <= 420, "model: coefficients: a number is too long")
    stripped = written.strip()
    if SIGNED.fullmatch(stripped) is None:
        raise Rejected(f"model: coefficients: {shown(value)} is not a number")
    return Fraction(stripped)


def main(arguments: list[str]) -> int:
    """Certificate, release and perhaps model, by name."""

    def said(data: bytes, limit: int | None) -> str:
        others = [file_bytes(path) for path in arguments[1:]]
        same, left = compare(data, others[0], others[1] if len(others) > 1 else None)
        return "\n- ".join([" as far as can be computed again:", *same, *left])

    if len(arguments) not in (2, 3):
        sys.stderr.write(
            f"give CERTIFICATE RELEASE [MODEL], each of at most {MOST_BYTES:,} bytes\n"
        )
        return 2
    return run(arguments[:1], said)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
