"""The options of a regression, read and checked by public facts alone, before a record is seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from bounds.errors import NotApplicable, ParameterError
from mechanisms.regression.parameters import (
    LOGISTIC,
    POISSON,
    REGRESS_PARAMETERS,
    SQUARED,
    read_regression_numbers,
    require_taken,
)
from release.statistics.features import FeatureMap


@dataclass(frozen=True, kw_only=True)
class Wish:
    """A requested model: its method, loss and constraint; other options by name."""

    method: str
    loss: str
    tau: Fraction | None
    numbers: Mapping[str, Fraction]
    choices: Mapping[str, str]
    tune: bool = False

    @property
    def seed(self) -> int | None:
        """Seed for rows or a mixture of a log."""
        return int(self.numbers["seed"]) if "seed" in self.numbers else None

    def number(self, name: str) -> Fraction:
        """The option as given, or its declared default."""
        return self.numbers[name] if name in self.numbers else REGRESS_PARAMETERS[name].number()

    def choice(self, name: str) -> str:
        return REGRESS_PARAMETERS[name].choice(self.choices.get(name))


def only_said(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given: not None, a flag that is off or an empty list; the number 0 counts as given."""
    return {name: value for name, value in given.items() if not (value is None or value is False or value in ((), []))}


def read_wish(given: Mapping[str, object], *, method: str, features: FeatureMap) -> Wish:
    """The request that the options express, for a known method and features; None means not given."""
    said = only_said(given)
    require_taken(method, said)
    numbers = read_regression_numbers(said)
    choices = {n: REGRESS_PARAMETERS[n].choice(v) for n, v in said.items() if REGRESS_PARAMETERS[n].choices}
    return Wish(
        method=method,
        loss=loss_for(features, choices.get("loss")),
        tau=numbers.get("tau"),
        numbers=numbers,
        choices=choices,
        tune="tune" in said,
    )


def loss_for(features: FeatureMap, said: str | None) -> str:
    """The given loss, if it suits such labels; by default the one that goes with them."""
    if said is None:
        return SQUARED if features.label_is_number else LOGISTIC
    if said == LOGISTIC:
        features.require_two_values("for the logistic loss")
    if said == POISSON:
        if not features.label_is_number:
            raise ParameterError("label", f"{features.label}, of two values", "a column of numbers", "counts")
        if features.label_range[0] < 0:
            raise NotApplicable(f"loss = {POISSON}: label {features.label} has negative numbers; counts have none")
    return said
