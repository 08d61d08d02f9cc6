"""The public feature map of a linear model: records of a schema to integer features and a label, exactly.

Every column but the label gives a block of features of Euclidean norm at most 1 (release.statistics.blocks), or none;
an intercept of 1 comes last. So the squared norm of the features is at most the number of blocks, for every record of
the public domain. A label of two values is +1 or -1; one of numbers lies in between, -1 at the least number of its
column and 1 at the largest. Features, and labels that are numbers, are integers over 2^bits. Only the two functions
that turn codes into arrays see data, and nothing is private here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from bounds.errors import DataError, ParameterError, UsageError
from bounds.exact import show_rational
from release.data.schema import Schema
from release.files.digest import digest_of
from release.files.strict_json import Number, is_text, require_object, shown
from release.statistics.blocks import (
    LINEAR,
    NONE,
    ONE_HOT,
    REDUCED,
    VALUE,
    Block,
    block_names,
    block_of,
)
from release.statistics.feature_rules import MOST_BITS, check_features

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from release.data.domain import Codes

INTERCEPT = "intercept"
EVERY = "all"
"""Instead of naming every column."""
BITS = 16


@dataclass(frozen=True)
class FeatureMap:
    """Which column is the label, and how every other one becomes features; make it with `build_feature_map`."""

    schema: Schema
    label: str
    positive: str | None
    """The text of the label that is y = +1, if it has two values; None if it is a number."""
    encodings: tuple[str, ...]
    """One for each column but the label, in the order of the schema."""
    bits: int = BITS

    def __post_init__(self) -> None:
        check_features(self)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns that give features: all but the label."""
        return tuple(name for name in self.schema.names if name != self.label)

    @cached_property
    def places(self) -> tuple[int, ...]:
        """The places of those columns in a record."""
        return tuple(i for i, name in enumerate(self.schema.names) if name != self.label)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The features, as release.statistics.blocks calls them; intercept last."""
        found: list[str] = []
        for place, encoding in zip(self.places, self.encodings, strict=True):
            found += block_names(self.schema.columns[place], encoding)
        return (*found, INTERCEPT)

    @property
    def size(self) -> int:
        """p, the number of features with the intercept."""
        return len(self.names)

    @property
    def one(self) -> int:
        """The integer that stands for 1."""
        return 1 << self.bits

    @property
    def label_is_number(self) -> bool:
        """Whether the label is any number from -1 to 1, and not one of the two."""
        return self.positive is None

    @property
    def label_one(self) -> int:
        """The integer that stands for a label of 1."""
        return self.one if self.label_is_number else 1

    @cached_property
    def label_values(self) -> tuple[int, ...]:
        """For each code of the label its y, as an integer over `label_one`."""
        column = self.schema.columns[self.schema.names.index(self.label)]
        if self.positive is None:
            return tuple(row[0] for row in block_of(column, VALUE, self.one))
        return tuple(1 if text == self.positive else -1 for text in column.texts)

    @cached_property
    def label_range(self) -> tuple[Fraction, Fraction]:
        """The numbers that labels of -1 and 1 stand for, if the label is a number."""
        numbers = self.schema.columns[self.schema.names.index(self.label)].numbers
        assert self.label_is_number, "a label of two values stands for no number"
        assert numbers is not None
        return min(numbers), max(numbers)

    @property
    def label_text(self) -> str:
        """The meaning of the label, in words."""
        if self.positive is not None:
            return f"{self.label}; {self.positive} is +1"
        least, most = (show_rational(end) for end in self.label_range)
        return f"{self.label}, a number; {least} is -1 and {most} is +1"

    def require_two_values(self, what: str) -> str:
        """The text of the label that is +1; a label that is a number is refused where +1 and -1 are needed."""
        if self.positive is None:
            raise ParameterError("label", f"{self.label}, a number", "a column with exactly two values", what)
        return self.positive

    @property
    def squared_norm(self) -> int:
        """P: the squared norm of the features is at most this, and this is reached where every block has norm 1."""
        return sum(encoding != NONE for encoding in self.encodings) + 1

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """For each column but the label and each of its codes the features, as integers over 2^bits.

        The intercept, always 2^bits, is not a column and not listed.
        """
        columns = (self.schema.columns[place] for place in self.places)
        return tuple(
            block_of(column, encoding, self.one) for encoding, column in zip(self.encodings, columns, strict=True)
        )

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything that decides the features: columns, label, encodings and bits."""
        said = {
            **self.schema.reading_json(),
            "label": self.label,
            "positive": self.positive,
            "encodings": list(self.encodings),
            "bits": self.bits,
        }
        return digest_of(said)

    def features(self, codes: Codes) -> NDArray[np.int64]:
        """The features of records, one row each, as integers over 2^bits; codes as the schema has them."""
        import numpy as np

        found = np.empty((len(codes), self.size), dtype=np.int64)
        start = 0
        for place, block in zip(self.places, self.blocks, strict=True):
            table = np.array(block, dtype=np.int64)
            found[:, start : start + table.shape[1]] = table[codes[:, place]]
            start += table.shape[1]
        found[:, start] = self.one
        return found

    def labels(self, codes: Codes) -> NDArray[np.signedinteger]:
        """y of each record, over `label_one`: +1 or -1 if the label has two values."""
        import numpy as np

        values: NDArray[np.signedinteger] = np.array(self.label_values, np.int64 if self.label_is_number else np.int8)
        return values[codes[:, self.schema.names.index(self.label)]]

    def margin_range(self, coefficients: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
        """The least and the largest score, coefficients times features, over the whole public domain, exactly."""
        if len(coefficients) != self.size:
            raise ParameterError("coefficients", f"{len(coefficients)} of them", f"{self.size}, one for each feature")
        lo = hi = Fraction(coefficients[-1])
        start = 0
        for block, encoding in zip(self.blocks, self.encodings, strict=True):
            part = coefficients[start : start + len(block[0])]
            if encoding in (ONE_HOT, REDUCED):
                scores = [Fraction(value) for value in part] + [Fraction(0)] * (encoding == REDUCED)
            elif encoding in (LINEAR, VALUE):
                # One number, and perhaps a missing code, the last: extremes are at its ends or there.
                scores = [_product(part, row) / self.one for row in (min(block), max(block), block[-1])]
            else:
                scores = [_product(part, row) / self.one for row in block]
            lo, hi = lo + min(scores), hi + max(scores)
            start += len(block[0])
        return lo, hi

    def to_json(self) -> dict[str, Any]:
        """The JSON object that `from_json` reads back, together with the schema."""
        return {
            "label": self.label,
            "positive": self.positive,
            "encodings": dict(zip(self.columns, self.encodings, strict=True)),
            "bits": self.bits,
            "digest": self.digest,
        }

    @classmethod
    def from_json(cls, body: object, schema: Schema, where: str = "feature map") -> FeatureMap:
        """The feature map of an object that parse_json has read, for that schema; its digest must be the one stated."""
        fields = require_object(body, where, {"label", "positive", "encodings", "bits", "digest"})
        for name in ("label", "positive", "digest"):
            if not is_text(fields[name]) and not (name == "positive" and fields[name] is None):
                raise DataError(f"{where}: {name} = {shown(fields[name])}: must be text")
        bits = fields["bits"]
        if not isinstance(bits, Number) or not (bits.isascii() and bits.isdigit() and len(bits) <= 2):
            raise DataError(f"{where}: bits = {shown(bits)}: must be a whole number from 1 to {MOST_BITS}")
        columns = {name for name in schema.names if name != fields["label"]}
        encodings = require_object(fields["encodings"], f"{where}: encodings", columns)
        listed = tuple(encodings[name] for name in schema.names if name in columns)
        try:
            positive = None if fields["positive"] is None else str(fields["positive"])
            found = cls(schema, str(fields["label"]), positive, listed, int(bits))
        except UsageError as error:
            raise DataError(f"{where}: {error}") from None
        if found.digest != fields["digest"]:
            raise DataError(f"{where}: digest = {shown(fields['digest'])}: these columns and encodings have another")
        return found


def build_feature_map(
    schema: Schema,
    *,
    label: str,
    positive: str | None = None,
    one_hot: Iterable[str] | None = None,
    by_value: Iterable[str] = (),
    reduced: Iterable[str] = (),
    bits: int = BITS,
) -> FeatureMap:
    """The feature map with this label; `positive` is by default the last of its two values.

    A label of more values is a number. `one_hot` are the columns with an indicator for each value: exactly these, or by
    default those of more than two values that the schema does not call ordered. Those of `reduced` have one for each
    value but the first. Those of `by_value` are linear in their number, others in their code.
    """
    column = next((column for column in schema.columns if column.name == label), None)
    if column is None:
        raise ParameterError("label", label, "a column of the schema")
    numbers = _named(schema, label, "by_value", by_value)
    fewer = _named(schema, label, "reduced", reduced)
    ruled = (name for name in _nominal(schema, label) if name not in (*numbers, *fewer))
    hot = _named(schema, label, "one_hot", ruled if one_hot is None else one_hot)
    encoded: dict[str, str] = {}
    named = (("one_hot", ONE_HOT, hot), ("by_value", VALUE, numbers), ("reduced", REDUCED, fewer))
    for parameter, encoding, names in named:
        for name in names:
            if name in encoded:
                raise ParameterError(parameter, name, f"a column that is not {encoded[name]}")
            encoded[name] = encoding
    if positive is None and column.size == 2:
        positive = column.texts[-1]
    encodings = tuple(encoded.get(name, LINEAR) for name in schema.names if name != label)
    return FeatureMap(schema, label, positive, encodings, bits)


def choose_features(
    schema: Schema,
    *,
    label: str,
    positive: str | None = None,
    one_hot: Iterable[str] = (),
    linear: Iterable[str] = (),
    by_value: Iterable[str] = (),
    reduced: Iterable[str] = (),
) -> FeatureMap:
    """The features by the rule of `build_feature_map`, except for the named columns.

    `linear` may be the one word `all`: then every column that is not named elsewhere has one feature. So may `reduced`:
    then every column that would be one-hot has one indicator less.
    """
    hot, numbers = _named(schema, label, "one_hot", one_hot), _named(schema, label, "by_value", by_value)
    plain, fewer = tuple(linear), tuple(reduced)
    if fewer == (EVERY,) and EVERY not in schema.names:
        fewer = tuple(name for name in _nominal(schema, label) if name not in (*hot, *numbers, *plain))
    if plain == (EVERY,) and EVERY not in schema.names:
        plain = tuple(name for name in schema.names if name not in (label, *hot, *numbers, *fewer))
    for name in _named(schema, label, "linear", plain):
        if name in (*hot, *numbers, *fewer):
            raise ParameterError("linear", name, "a column with no other encoding")
    ruled = (name for name in _nominal(schema, label) if name not in (*hot, *plain, *numbers, *fewer))
    return build_feature_map(
        schema, label=label, positive=positive, one_hot=(*hot, *ruled), by_value=numbers, reduced=fewer
    )


def _nominal(schema: Schema, label: str) -> Iterator[str]:
    """Columns of unordered values; two such values would be -1 and 1 anyway."""
    return (c.name for c in schema.columns if not c.is_ordered and c.size > 2 and c.name != label)


def _named(schema: Schema, label: str, parameter: str, names: Iterable[str]) -> tuple[str, ...]:
    """Columns that a parameter names: of the schema, once, and not the label."""
    found = tuple(names)
    for name in found:
        if name not in schema.names or name == label:
            raise ParameterError(parameter, name, "a column of the schema other than the label")
        if found.count(name) > 1:
            raise ParameterError(parameter, name, "given once")
    return found


def _product(coefficients: Sequence[Fraction], row: Sequence[int]) -> Fraction:
    return sum((c * x for c, x in zip(coefficients, row, strict=True)), Fraction(0))
