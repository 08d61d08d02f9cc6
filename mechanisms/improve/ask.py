"""The options of an improvement, read and checked before the table is read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bounds.errors import ParameterError, UsageError
from bounds.exact import Exact
from mechanisms.improve.parameters import ALL, BOX, CORRELATION, IMPROVE_PARAMETERS, SOFT
from release.data.schema import Schema


@dataclass(frozen=True, kw_only=True)
class Wish:
    """How a table is brought near to a release."""

    fit: str = ALL
    features: tuple[str, ...] | None = None
    """Columns whose correlations are fitted; None for all."""
    price: str = SOFT
    strength: float | None = None
    """None: chosen by the noise."""
    gamma: float | None = None
    denoise: bool = False
    k: int | None = None


def read_wish(
    *,
    fit: str | None = None,
    features: Iterable[str] = (),
    price: str | None = None,
    strength: Exact | None = None,
    gamma: Exact | None = None,
    denoise: bool = False,
    k: Exact | None = None,
) -> Wish:
    """The checked options; `require_columns` compares the columns with the release."""
    declared = IMPROVE_PARAMETERS
    kind, priced, named = declared["fit"].choice(fit), declared["price"].choice(price), tuple(features)
    if named and kind != CORRELATION:
        raise UsageError(f"features is for --fit {CORRELATION}")
    for name, said, owner in (("strength", strength, SOFT), ("gamma", gamma, BOX), ("denoise", denoise or None, BOX)):
        if said is not None and priced != owner:
            raise UsageError(f"{name} is for --price {owner}, not for {priced}")
    return Wish(
        fit=kind,
        features=named or None,
        price=priced,
        strength=None if strength is None else float(declared["strength"].number(strength)),
        gamma=float(declared["gamma"].number(gamma)) if priced == BOX else None,
        denoise=denoise,
        k=None if k is None else int(declared["k"].number(k)),
    )


def require_columns(wish: Wish, schema: Schema) -> None:
    """Refuse columns that the release does not have or that are named twice, and too few for a correlation."""
    for name in wish.features or ():
        if name not in schema.names:
            raise ParameterError("features", name, "columns of the release")
    if wish.features is not None and not 2 <= len(set(wish.features)) == len(wish.features):
        raise ParameterError("features", ", ".join(wish.features), "at least two different columns", "a correlation")
