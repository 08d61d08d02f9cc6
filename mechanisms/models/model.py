"""A linear model as a file: coefficients on the public features as decimal text, and statements about them.

A model belongs to a feature map, which the file names by its digest or includes; its score is coefficients times
features, exactly. The file may be written by hand: its statements are checked when it is read, in exact arithmetic, and
the rest is computed. Whether a model is any good is not decided here.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_DOWN, Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from bounds.certify.margin_losses import LOSSES
from bounds.enclosure import decimal_text
from bounds.errors import DataError, ParameterError, SynthboundsError, UsageError
from bounds.exact import parse_rational, root_at_least
from bounds.shown import Shown
from release.data.schema import Schema
from release.files.strict_json import Number, is_text, parse_json, read_json_file, require_object, shown
from release.statistics.features import FeatureMap

VERSION = 1
INSIDE, FREE = "inside", "free"
KNOWN_LOSSES = (*LOSSES, "poisson")
"""Nothing is certified about the last one, e^s - y s for counts y."""
MOST_SIZE = 10**12
MOST_DIGITS = 400
_NORM_DIGITS = 12


@dataclass(frozen=True, kw_only=True)
class Model(Shown):
    """Coefficients on the features of a map, intercept last, and how they were trained."""

    feature_map: FeatureMap
    coefficients: tuple[Fraction, ...]
    loss: str = "logistic"
    tau: Fraction | None = None
    """The norm bound that it was trained within, and satisfies exactly."""
    ridge: Fraction | None = None
    """Training added (ridge/2) norm^2 to the mean loss."""
    intercept: str = INSIDE
    """`inside`: the intercept counts in the norm; `free`: neither tau nor the ridge applies to it."""
    made: str = ""
    """How the model was made, in words."""
    release: str | None = None
    """The digest of the release that it was trained from, if any."""

    def __post_init__(self) -> None:
        if len(self.coefficients) != self.feature_map.size:
            raise ParameterError(
                "coefficients", f"{len(self.coefficients)} of them", f"{self.feature_map.size}, one for each feature"
            )
        if max(abs(c) for c in self.coefficients) > MOST_SIZE:
            raise ParameterError("coefficients", "one that is larger", f"at most {MOST_SIZE} in size")
        if self.loss not in KNOWN_LOSSES:
            raise ParameterError("loss", self.loss, f"one of {', '.join(KNOWN_LOSSES)}")
        if self.intercept not in (INSIDE, FREE):
            raise ParameterError("intercept", self.intercept, f"{INSIDE} or {FREE}")
        for name, value in (("tau", self.tau), ("ridge", self.ridge)):
            if value is not None and value <= 0:
                raise ParameterError(name, value, "greater than 0")
        if self.tau is not None and self.counted_norm_squared > self.tau**2:
            norm = decimal_text(root_at_least(self.counted_norm_squared), _NORM_DIGITS, up=True)
            raise ParameterError("norm", norm, f"at most tau = {decimal_text(self.tau, _NORM_DIGITS, up=False)}")

    @property
    def norm_squared(self) -> Fraction:
        """P ||coefficients||^2 with the intercept, exactly: the squared norm on the scale of x."""
        return _squared(self.feature_map, self.coefficients)

    @property
    def counted_norm_squared(self) -> Fraction:
        """The same for the coefficients to which tau and the ridge apply."""
        return _squared(self.feature_map, self.coefficients if self.intercept == INSIDE else self.coefficients[:-1])

    @property
    def norm_hi(self) -> Fraction:
        """The norm with the intercept, rounded up."""
        return root_at_least(self.norm_squared) if self.norm_squared else Fraction(0)

    def to_json(self, *, with_features: bool = False) -> dict[str, Any]:
        """The JSON object that `model_of` reads back as this model; coefficients must be finite decimals."""
        found: dict[str, Any] = {
            "synthbounds_model": VERSION,
            "feature_map": self.feature_map.to_json() if with_features else self.feature_map.digest,
            "names": list(self.feature_map.names),
            "coefficients": [terminating_decimal(c) for c in self.coefficients],
            "loss": self.loss,
            "tau": None if self.tau is None else str(self.tau),
            "ridge": None if self.ridge is None else str(self.ridge),
            "intercept": self.intercept,
            "norm": decimal_text(self.norm_hi, _NORM_DIGITS, up=True) if self.norm_hi else "0",
            "made": self.made,
        }
        return found | ({} if self.release is None else {"release": self.release})


def model_text(model: Model, *, with_features: bool = False) -> str:
    """The file: one field a line; `with_features` for a model of features that no release has."""
    body = model.to_json(with_features=with_features)
    rows = (f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in body.items())
    return "{\n" + ",\n".join(rows) + "\n}\n"


def read_model(path: str | Path, feature_map: FeatureMap) -> Model:
    """The model in a file, for these features."""
    text, where = read_json_file(path, "model")
    return parse_model(text, feature_map, where=where)


def read_model_for(path: str | Path, schema: Schema, feature_map: FeatureMap | None = None) -> Model:
    """The model in a file that includes its own features of that schema, or else one for the given features."""
    text, where = read_json_file(path, "model")
    body = parse_json(text, where)
    said = body.get("feature_map") if isinstance(body, dict) else None
    if isinstance(said, dict):
        feature_map = FeatureMap.from_json(said, schema, f"{where}: feature_map")
    if feature_map is None:
        raise UsageError(f"label is missing: {where} names its features only by digest; say what it predicts (--label)")
    return model_of(body, feature_map, where)


def parse_model(text: str, feature_map: FeatureMap, *, where: str = "model") -> Model:
    """The model in JSON text; error messages begin with `where`."""
    return model_of(parse_json(text, where), feature_map, where)


def model_of(body: object, feature_map: FeatureMap, where: str = "model") -> Model:
    """The model in an object that parse_json has read."""
    needed = {"synthbounds_model", "feature_map", "names", "coefficients", "loss"}
    fields = require_object(body, where, needed, {"tau", "ridge", "intercept", "norm", "made", "release"})
    version = fields["synthbounds_model"]
    if not isinstance(version, Number) or version != str(VERSION):
        raise DataError(f"{where}: synthbounds_model = {shown(version)}: must be {VERSION}")
    for name in ("loss", "intercept", "made"):
        if not is_text(fields.get(name, "")):
            raise DataError(f"{where}: {name} = {shown(fields[name])}: must be text")
    said = fields["feature_map"]
    digest = FeatureMap.from_json(said, feature_map.schema, where).digest if isinstance(said, dict) else said
    if isinstance(said, dict) and digest != feature_map.digest:
        raise DataError(
            f"{where}: feature_map: the model brings its own features, which this release does not have; "
            "`synthbounds confirm` can ask about such a model"
        )
    _check_names(fields["names"], feature_map, where)
    if not is_text(digest):
        raise DataError(f"{where}: feature_map = {shown(said)}: must be the digest of features, or an object")
    if digest != feature_map.digest:
        raise DataError(
            f"{where}: feature_map = {shown(digest)}: the model was made for other features "
            f"than those of the release ({feature_map.digest[:12]}...)"
        )
    release = fields.get("release")
    if release is not None and not is_text(release):
        raise DataError(f"{where}: release = {shown(release)}: must be the digest of a release, or null")
    try:
        found = Model(
            feature_map=feature_map,
            coefficients=_coefficients(fields["coefficients"], feature_map, where),
            loss=str(fields["loss"]),
            tau=_optional(fields, "tau", where),
            ridge=_optional(fields, "ridge", where),
            intercept=str(fields.get("intercept", INSIDE)),
            made="".join(c if c.isprintable() else "?" for c in str(fields.get("made", ""))),
            release=None if release is None else str(release),
        )
    except ParameterError as error:
        raise DataError(f"{where}: {error}") from None
    stated = _optional(fields, "norm", where)
    if stated is not None and abs(stated**2 - found.norm_squared) > found.norm_squared / 10**6:
        actual = decimal_text(found.norm_hi, 9, up=True) if found.norm_hi else "0"
        raise DataError(f"{where}: norm = {shown(fields['norm'])}: these coefficients have norm {actual}")
    return found


def rounded_decimal(value: Fraction, digits: int) -> Fraction:
    """The number rounded toward zero to this many significant digits.

    >>> rounded_decimal(Fraction(-2, 3), 3)
    Fraction(-333, 500)
    """
    exact = Context(prec=digits, rounding=ROUND_DOWN)
    return Fraction(exact.divide(Decimal(value.numerator), Decimal(value.denominator)))


def terminating_decimal(value: Fraction) -> str:
    """The exact decimal of a coefficient, in a unique form.

    >>> terminating_decimal(Fraction(-1, 8)), terminating_decimal(Fraction(3, 10**9))
    ('-0.125', '3E-9')
    """
    exact = Context(prec=MOST_DIGITS)
    found = exact.divide(Decimal(value.numerator), Decimal(value.denominator))
    if Fraction(found) != value:
        raise ParameterError("coefficients", str(value), f"decimals of at most {MOST_DIGITS} digits")
    return str(found.normalize(exact)) if found else "0"


def _squared(feature_map: FeatureMap, coefficients: Sequence[Fraction]) -> Fraction:
    return feature_map.squared_norm * sum((c * c for c in coefficients), Fraction(0))


def _check_names(listed: object, feature_map: FeatureMap, where: str) -> None:
    if not isinstance(listed, list) or len(listed) != feature_map.size:
        count = len(listed) if isinstance(listed, list) else shown(listed)
        raise DataError(f"{where}: names: {count} of them; the release has {feature_map.size} features")
    for i, (name, wanted) in enumerate(zip(listed, feature_map.names, strict=True)):
        if not is_text(name) or name != wanted:
            raise DataError(f"{where}: names[{i}] = {shown(name)}: feature {i} of the release is {shown(wanted)}")


def _coefficients(listed: object, feature_map: FeatureMap, where: str) -> tuple[Fraction, ...]:
    if not isinstance(listed, list) or len(listed) != feature_map.size:
        count = len(listed) if isinstance(listed, list) else shown(listed)
        raise DataError(f"{where}: coefficients: {count} of them; the release has {feature_map.size} features")
    return tuple(_number(value, f"{where}: coefficients[{i}]") for i, value in enumerate(listed))


def _optional(fields: dict[str, Any], name: str, where: str) -> Fraction | None:
    value = fields.get(name)
    return None if value is None else _number(value, f"{where}: {name}")


def _number(body: object, where: str) -> Fraction:
    """A number from decimal text, a fraction a/b, or a JSON number, which strict reading keeps as it was written."""
    if not isinstance(body, str) or len(body) > MOST_DIGITS + 20:
        raise DataError(f"{where} = {shown(body)}: must be a decimal number, such as -0.25")
    try:
        return parse_rational(str(body), "number")
    except SynthboundsError:
        raise DataError(f"{where} = {shown(body)}: must be a finite decimal number, such as -0.25") from None
