"""Compare the certificate of a model with its release and its model, both read independently here.

`python -m verify.checkers.given CERTIFICATE RELEASE [MODEL]`. The checker of models takes sums,
noise and features as given. Here they are computed again from the release that the certificate
names, and the coefficients from its model; the first field that differs is the reason to reject.
Releases are described in docs/releases.md, models in docs/training.md.
"""

from __future__ import annotations

import re
import sys
from fractions import Fraction
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
from verify.checkers.given_features import canonical_digest, label_bits, same_blocks, squared_norm
from verify.checkers.model_file import HALF, MULTIPLICITIES, read_fields

VERSION = 1
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

FROM_RELEASE = "note, adjacency, size, bits, squared_norm, blocks, feature_map, noise"
FROM_MODEL = "coefficients, loss, model"
HALF_NAME = "the name of the coefficient"


def compare(
    certificate: str | bytes, release: str | bytes | None, model: str | bytes | None
) -> tuple[list[str], list[str]]:
    """What was recomputed and agrees, and what is still taken as given."""
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
        named = f", {HALF_NAME}" if "half" in body else ""
        same.append(f"from the model: {FROM_MODEL} (its digest){named}")
    return same, left


def require_field(holds: object, field: str, where: str = "release") -> None:
    require(holds, f"{field}: is not that of the {where}")


# the release


def read_release(data: str | bytes) -> dict[str, Any]:
    """The fields of a release of moments whose digest is the one it states."""
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
    """Without the byte order mark that some editors put before UTF-8 text."""
    return data.removeprefix(b"\xef\xbb\xbf") if isinstance(data, bytes) else data


def require_named(named: str, release: dict[str, Any]) -> None:
    """The certificate names this release, before or after the query that its reserve pays for."""
    kept = release["budget"].get("reservation")
    digests = {release["digest"]}
    if kept is not None:
        fields(kept, "release: reservation", ("mu_squared", "state", "id"))
        states = [{**kept, "state": state} for state in STATES]
        digests |= {digest_with(release, "reservation", state) for state in states}
    require_field(named in digests, "release")


def digest_with(body: dict[str, Any], field: str, value: Any) -> str:
    """The digest of a file in which a field of its budget has another value."""
    content = {key: part for key, part in body.items() if key != "digest"}
    return canonical_digest({**content, "budget": {**body["budget"], field: value}})


def require_same_features(body: dict[str, Any], release: dict[str, Any]) -> None:
    """The blocks are all codes of all columns except the label, by the encodings of the release."""
    said = release["feature_map"]
    same = same_blocks(body["blocks"], release["schema"], said)
    require_field(body["feature_map"] == said["digest"], "feature_map")
    require_field(body["bits"] == said["bits"], "bits")
    own = label_bits(release["schema"], said)
    require_field(body.get("label_bits", 0) == own, "label_bits")
    require_field(same, "blocks")
    require_field(body["squared_norm"] == squared_norm(said["encodings"]), "squared_norm")


def require_same_sums(body: dict[str, Any], release: dict[str, Any]) -> None:
    """The noisy sums and their divisors."""
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
    """Deviations as stated in the release, and as required by sensitivity, budget and weights.

    On the scale of x = f / sqrt(P) the second moments have the variance sensitivity^2/mu^2, first
    ones 1/weight and fourth ones 1/fourth_weight times as much; sums are counted in steps of
    2^-bits (4^-bits for a label that is a number), 4^-bits and 16^-bits. See
    docs/proofs/synthbounds.moment-release.md.
    """
    needed = variances(release)
    stated = stated_noise(release)
    require(len(stated) == len(needed), "release: noise: does not match its moments")
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
    require(
        spent == (1 - reserve) * whole_mu, "release: mu_squared_spent: is not the remaining budget"
    )
    sensitivity = fields(
        release["sensitivity"], "release: sensitivity", ("norm", "squared", "decimal")
    )
    base = positive(sensitivity["squared"], "sensitivity") / spent
    norm = squared_norm(release["feature_map"]["encodings"])
    one = 2 ** release["feature_map"]["bits"]
    label = 2 ** label_bits(release["schema"], release["feature_map"])
    first = base / positive(release["weight"], "weight") * norm * (one * label) ** 2
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
    features, coefficients = read_model(data)
    if "half" in body:
        half = fields(body["half"], "half", HALF)
        place = whole(half["coefficient"], "half: coefficient", 0, len(coefficients) - 1)
        count = len(coefficients)
        names = entries(model_fields(data)["names"], "model: names", count, count)
        require_field(half["name"] == names[place], "half: name", "model")
    require_field(body["feature_map"] == features, "feature_map", "model")
    stated = [number(value, "coefficients") for value in body["coefficients"]]
    require_field(stated == coefficients, "coefficients", "model")
    require(body["loss"] in LOSSES, "loss: is not one that is known here")
    said = model_digest(features, coefficients, LOSSES[body["loss"]].name)
    require_field(body["model"] == said, "model", "model")


def model_fields(data: str | bytes) -> dict[str, Any]:
    """The fields of a model."""
    found = parsed(without_mark(data), floats=True)
    model = fields(found, "model", MODEL_ALWAYS, MODEL_SOMETIMES)
    whole(model["synthbounds_model"], "model: synthbounds_model", VERSION, VERSION)
    return model


def read_model(data: str | bytes) -> tuple[Any, list[Fraction]]:
    """The digest of the features of a model, and its coefficients.

    A model may contain its features; its release shows whether the digest is theirs.
    """
    model = model_fields(data)
    features = model["feature_map"]
    if isinstance(features, dict):
        features = features.get("digest")
    listed = entries(model["coefficients"], "model: coefficients", 2, 1000)
    return features, [coefficient(value) for value in listed]


def model_digest(features: Any, coefficients: list[Fraction], loss: str) -> str:
    """The name of a linear model in certificates."""
    written = [str(value) for value in coefficients]
    return canonical_digest({"feature_map": features, "coefficients": written, "loss": loss})


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
        return "\n- ".join([" as far as it can be recomputed:", *same, *left])

    if len(arguments) not in (2, 3):
        sys.stderr.write(
            f"give CERTIFICATE RELEASE [MODEL], each of at most {MOST_BYTES:,} bytes\n"
        )
        return 2
    return run(arguments[:1], said)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
