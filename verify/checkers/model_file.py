"""The certificate of a model, read strictly and put into numbers; nothing is proved here.

Numbers become exact rationals of python-flint, sums become moments: divided by the number of
records and by the steps in which they are counted. The format is described in docs/certificates.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any

from flint import fmpq, fmpq_mat

from verify.checkers import entries, fields, number, require, text, whole, whole_text
from verify.checkers.domination import LOSSES, Loss, Matrix, Polynomial

KIND = "model"
VERSION = 1
MOST_FEATURES = 300
MOST_CODES = 2**16
MOST_BITS = 64
MOST_SIZE = 10**300
MOST_DIGITS = 999
MULTIPLICITIES = (1, 4, 6, 12, 24)
"""How often a product of four features occurs in the tensor, by which of them are equal."""
FIELDS = (
    "certificate",
    "version",
    "note",
    "statement",
    "bound",
    "beta",
    "loss",
    "tau",
    "ridge",
    "intercept",
    "near",
    "reach",
    "balls",
    "model",
    "coefficients",
    "feature_map",
    "squared_norm",
    "bits",
    "blocks",
    "release",
    "adjacency",
    "size",
    "first",
    "second",
    "fourth",
    "noise",
    "failures",
    "radii",
    "contraction",
    "feature",
    "constant",
    "label",
    "forms",
    "excess",
    "absolute",
    "label_scale",
    "ball_multipliers",
)
OPTIONAL = ("label_bits", "half")
"""Fields for a label that is a number, absent if it is +1 or -1; for a claim on a coefficient."""
HALF = ("coefficient", "name", "sign", "threshold", "multiplier")

Vector = list[fmpq]


@dataclass(frozen=True)
class Half:
    """Models v with sign v[place] <= sign threshold: none of these may be a best one."""

    place: int
    sign: int
    threshold: fmpq
    multiplier: fmpq


@dataclass(frozen=True)
class Compared:
    """The class of models, and the balls and scores within which they are compared."""

    loss: Loss
    tau: fmpq | None
    ridge: fmpq | None
    free: bool
    """Neither norm nor penalty includes the intercept."""
    near: fmpq | None
    reach: fmpq
    balls: Vector
    half: Half | None


@dataclass(frozen=True)
class Released:
    """What is taken as given: sums with noise, its deviations, and the features of the domain."""

    private: bool
    """Whether the number of records is private."""
    size: int
    one: int
    label_one: int
    """The integer that stands for a label of 1: 1 where labels are +1 and -1."""
    squared_norm: int
    blocks: list[list[list[fmpq]]]
    first: Vector
    second: fmpq_mat
    fourth: list[int] | None
    noise: Vector


@dataclass(frozen=True)
class Proof:
    bound: fmpq
    beta: fmpq
    failures: Vector
    radii: Vector
    contraction: Vector | None
    feature: int | None
    q: Polynomial
    excess: fmpq
    absolute: list[Matrix]
    label_scale: fmpq
    multipliers: Vector

    @property
    def forms(self) -> list[Matrix]:
        return [self.q.form, self.q.weighted][: len(self.absolute)]


def read_fields(value: Any) -> dict[str, Any]:
    """The fields, with all text that is printed later looked at."""
    body = fields(value, "certificate", FIELDS, OPTIONAL)
    require(body["certificate"] == KIND, "is not a certificate of a model")
    whole(body["version"], "version", VERSION, VERSION)
    for key in ("release", "model", "feature_map", "note"):
        text(body[key], key)
    return body


def read_sizes(body: dict[str, Any]) -> tuple[int, int]:
    """The number of features with the intercept, and the degree of the moments that are used."""
    p = len(entries(body["coefficients"], "coefficients", 2, MOST_FEATURES))
    return p, 2 * len(entries(body["forms"], "forms", 1, 2))


def fraction(value: Any, where: str) -> fmpq:
    found = number(value, where, digits=MOST_DIGITS)
    return fmpq(found.numerator, found.denominator)


def optional(value: Any, where: str) -> fmpq | None:
    """A positive number, or null."""
    if value is None:
        return None
    found = fraction(value, where)
    require(found > 0, f"{where}: is not positive")
    return found


def numbers(value: Any, where: str, count: int) -> Vector:
    return [fraction(part, where) for part in entries(value, where, count, count)]


def square(value: Any, where: str, size: int) -> Matrix:
    return [numbers(row, where, size) for row in entries(value, where, size, size)]


def choice(value: Any, where: str, known: tuple[str, str]) -> bool:
    """Whether it is the second of two texts; it must be one of them."""
    require(value in known, f"{where}: is not one of {known[0]} and {known[1]}")
    return bool(value == known[1])


def read_compared(body: dict[str, Any]) -> Compared:
    formula = text(body["loss"], "loss")
    require(formula in LOSSES, "loss: is not one that is known here")
    free = choice(body["intercept"], "intercept", ("inside", "free"))
    tau, ridge = optional(body["tau"], "tau"), optional(body["ridge"], "ridge")
    require(tau is not None or ridge is not None, "tau and ridge: one must be given")
    squared = LOSSES[formula].name == "squared"
    require(squared or "label_bits" not in body, "loss: is not one for a label that is a number")
    return Compared(
        loss=LOSSES[formula],
        tau=tau,
        ridge=ridge,
        free=free,
        near=optional(body["near"], "near"),
        reach=fraction(body["reach"], "reach"),
        balls=numbers(body["balls"], "balls", 1 + free),
        half=read_half(body) if "half" in body else None,
    )


def read_half(body: dict[str, Any]) -> Half:
    """A claim about one coefficient, which needs the whole class, or a sufficient part of it."""
    half = fields(body["half"], "half", HALF)
    text(half["name"], "half: name")
    require(body["near"] is None, "near: is not allowed with a claim about a coefficient")
    sign = whole(half["sign"], "half: sign", -1, 1)
    require(sign != 0, "half: sign: is not 1 or -1")
    found = Half(
        place=whole(half["coefficient"], "half: coefficient", 0, len(body["coefficients"]) - 1),
        sign=sign,
        threshold=fraction(half["threshold"], "half: threshold"),
        multiplier=fraction(half["multiplier"], "half: multiplier"),
    )
    require(found.multiplier >= 0, "half: multiplier: is negative")
    return found


def read_released(body: dict[str, Any], p: int, degree: int) -> Released:
    private = choice(body["adjacency"], "adjacency", ("replace-one", "add-remove"))
    one = 2 ** whole(body["bits"], "bits", 1, MOST_BITS)
    label_one = (
        2 ** whole(body["label_bits"], "label_bits", 1, MOST_BITS) if "label_bits" in body else 1
    )
    size = whole(body["size"], "size", 1, MOST_SIZE)
    blocks = [read_block(block, one) for block in entries(body["blocks"], "blocks", 1, p - 1)]
    columns = sum(len(block[0]) for block in blocks)
    require(columns == p - 1, "blocks: are not those of the coefficients")
    norm = whole(body["squared_norm"], "squared_norm", len(blocks) + 1, len(blocks) + 1)
    first = [whole_text(x, "first", MOST_DIGITS) for x in entries(body["first"], "first", p, p)]
    fourth = None
    if degree == 4:
        count = comb(p + 3, 4)
        listed = entries(body["fourth"], "fourth", count, count)
        fourth = [whole_text(x, "fourth", MOST_DIGITS) for x in listed]
    require(degree == 4 or body["fourth"] is None, "fourth: is not used but not null")
    return Released(
        private=private,
        size=size,
        one=one,
        label_one=label_one,
        squared_norm=norm,
        blocks=blocks,
        first=[fmpq(x, size * one * label_one) for x in first],
        second=read_triangle(body["second"], p, size * one**2),
        fourth=fourth,
        noise=read_noise(body["noise"], degree),
    )


def read_noise(value: Any, degree: int) -> Vector:
    """Deviations of first and second moments, and one for each multiplicity of fourth moments."""
    found = numbers(value, "noise", 3 if degree == 2 else 3 + len(MULTIPLICITIES))
    require(min(found) > 0, "noise: a deviation is not positive")
    return found


def read_block(value: Any, one: int) -> list[list[fmpq]]:
    """For every code of a column its features, of Euclidean norm at most 1."""
    rows = entries(value, "blocks: a column", 1, MOST_CODES)
    width = len(entries(rows[0], "blocks: a code", 1, MOST_FEATURES))
    block = []
    for row in rows:
        codes = [
            whole(x, "blocks: a feature", -one, one)
            for x in entries(row, "blocks: a code", width, width)
        ]
        require(sum(x * x for x in codes) <= one**2, "blocks: a code has a norm above 1")
        block.append([fmpq(x, one) for x in codes])
    return block


def read_triangle(value: Any, p: int, unit: int) -> fmpq_mat:
    """A symmetric matrix from the rows of its upper triangle."""
    found = fmpq_mat(p, p)
    for i, row in enumerate(entries(value, "second", p, p)):
        for j, entry in enumerate(entries(row, "second: a row", p - i, p - i), start=i):
            found[i, j] = found[j, i] = fmpq(whole_text(entry, "second", MOST_DIGITS), unit)
    return found


def read_proof(body: dict[str, Any], p: int, degree: int) -> Proof:
    feature = body["feature"]
    if feature is not None:
        whole(feature, "feature", 0, p - 2)
    n = 3 if feature is None else 4
    events, free = 1 + degree // 2, body["intercept"] == "free"
    forms = [square(form, "forms", n) for form in body["forms"]]
    listed = entries(body["absolute"], "absolute", len(forms), len(forms))
    require(degree == 4 or body["contraction"] is None, "contraction: is not used but not null")
    constant, label = fraction(body["constant"], "constant"), numbers(body["label"], "label", n)
    nothing = [[fmpq(0)] * n for _ in range(n)]
    found = Proof(
        bound=fraction(body["bound"], "bound"),
        beta=fraction(body["beta"], "beta"),
        failures=numbers(body["failures"], "failures", events),
        radii=numbers(body["radii"], "radii", events),
        contraction=numbers(body["contraction"], "contraction", 3) if degree == 4 else None,
        feature=feature,
        q=Polynomial(constant, label, *[*forms, nothing][:2]),
        excess=fraction(body["excess"], "excess"),
        absolute=[square(form, "absolute", n) for form in listed],
        label_scale=fraction(body["label_scale"], "label_scale"),
        multipliers=numbers(body["ball_multipliers"], "ball_multipliers", 1 + free),
    )
    if "half" in body:
        require(found.bound < 0, "bound: is not negative, so nothing is excluded")
    else:
        require(found.bound >= 0, "bound: is negative")
    require(min(found.radii) > 0, "radii: one is not positive")
    require(found.label_scale > 0, "label_scale: is not positive")
    require(min(found.multipliers) >= 0, "ball_multipliers: one is negative")
    return found
