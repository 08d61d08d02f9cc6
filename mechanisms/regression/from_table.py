"""A model from a real table: options are read and everything decided by public facts, then a method runs once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from bounds.errors import NotApplicable, UsageError
from bounds.privacy.adjacency import Adjacency
from mechanisms.regression.ask import Wish, only_said, read_wish
from mechanisms.regression.fit import plan_fit
from mechanisms.regression.from_release import named_features
from mechanisms.regression.parameters import (
    ADASSP,
    DD_SSP,
    DP_SGD,
    GAUSSIAN,
    LOGISTIC,
    METHODS,
    OBJPERT,
    OF_MECHANISMS,
    POISSON,
    REGRESS_PARAMETERS,
    ROWS,
    SSP_EDGE,
    is_study,
    keeps_release,
)
from release.noise.randomness import Randomness, read_randomness
from release.parameters import FEATURE_PARAMETERS, read_release_numbers, require_given
from release.statistics.features import FeatureMap

if TYPE_CHECKING:
    from mechanisms.regression.regression import Regression
    from release.data.schema import Schema
    from release.data.source import Source

Say = Callable[[str], None]
_PRIVACY = ("mode", "epsilon", "dp_delta", "adjacency", "least_size", "seed")


@dataclass(frozen=True, kw_only=True)
class TableRegression:
    """A requested model from a table, checked before any record is seen."""

    features: FeatureMap
    wish: Wish
    adjacency: Adjacency
    epsilon: Fraction
    dp_delta: Fraction
    least_size: int | None
    randomness: Randomness

    def run(self, source: Source, *, say: Say | None = None) -> Regression:
        """Run the method on the records, and make the model."""
        from mechanisms.regression import methods

        return methods.RUN[self.wish.method](self, source, say)


def read_table_request(schema: Schema, given: Mapping[str, Any], *, with_release: bool = False) -> TableRegression:
    """Refuse, before the table is read, requests that could not run on any table."""
    said = only_said(given)
    require_given(said, "mode", "epsilon", "dp_delta")
    method = REGRESS_PARAMETERS["method"].choice(said.pop("method", SSP_EDGE))
    numbers = read_release_numbers(
        {name: said[name] for name in _PRIVACY if name not in ("mode", "adjacency") and name in said}
    )
    features = named_features(schema, said)
    chosen = {name: value for name, value in said.items() if name not in (*FEATURE_PARAMETERS, *_PRIVACY)}
    wish = read_wish(chosen, method=method, features=features)
    seed = int(numbers["seed"]) if "seed" in numbers else None
    found = TableRegression(
        features=features,
        wish=wish,
        adjacency=Adjacency(said["adjacency"]),
        epsilon=numbers["epsilon"],
        dp_delta=numbers["dp_delta"],
        least_size=int(numbers["least_size"]) if "least_size" in numbers else None,
        randomness=read_randomness(said["mode"], seed=seed),
    )
    _require(found)
    if with_release and not keeps_release(method, wish.choices.get("edition")):
        raise UsageError(f"release: --method {method} measures nothing that could be kept: the model is all there is")
    return found


def _require(asked: TableRegression) -> None:
    """Refuse settings for which a method is not proved, or not made."""
    wish = asked.wish
    assert wish.method in METHODS
    if wish.choice("edition") == GAUSSIAN and wish.method != OBJPERT:
        raise UsageError(f"edition = {GAUSSIAN}: is for --method {OBJPERT}")
    study = is_study(wish.method, wish.choices.get("edition"))
    if (wish.method == DP_SGD or study) and not asked.randomness.is_simulated:
        why = "its accounting and sampling are in floats" if wish.method == DP_SGD else "its noise is for study only"
        raise NotApplicable(f"mode = release: not for {wish.method}{' as printed' if study else ''}: {why}")
    if (wish.method in (OBJPERT, DP_SGD) or study) and asked.adjacency is not Adjacency.ADD_REMOVE:
        said = f"{wish.method}{' as printed' if study else ''}"
        raise NotApplicable(f"adjacency = {asked.adjacency.value}: {said} is stated only for add-remove")
    if wish.loss == POISSON and wish.method not in (SSP_EDGE, DD_SSP):
        raise NotApplicable(f"loss = {POISSON}: not for {wish.method}; {SSP_EDGE} and {DD_SSP} take it")
    if wish.method == OBJPERT and wish.loss != LOGISTIC:
        raise NotApplicable(
            f"loss = {wish.loss}: objective perturbation needs a loss of bounded slope, such as {LOGISTIC}"
        )
    if wish.tau is not None and wish.method in (ADASSP, OBJPERT, DP_SGD):
        raise UsageError(f"tau is not for --method {wish.method}")
    mechanism = ROWS.get(wish.method) or wish.choice("marginals")
    for name in wish.numbers:
        if wish.method in (DD_SSP, *ROWS) and mechanism not in OF_MECHANISMS.get(name, (mechanism,)):
            raise UsageError(f"{name.replace('_', '-')} is for {' or '.join(OF_MECHANISMS[name])}, not for {mechanism}")
    if wish.method not in (OBJPERT, DP_SGD, *ROWS):
        plan_fit(asked.features, wish, of_tables=wish.method == DD_SSP)
