"""A private release as an object: its public fields, a ledger of its cost, and its measurements.

Moments, marginals, gradients and answers to queries are kinds of it. A release says what was measured, how much noise
it carries, which privacy that costs under which adjacency, and whether n is public; its file is JSON that explains
itself, and a digest over everything else shows that it has not been changed. A plan is not a release: it has no
numbers, no digest and no file.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypedDict, get_args

from bounds.errors import DataError
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from bounds.shown import Shown
from release.files.digest import digest_of
from release.files.fields import read_choice, read_counter, read_whole
from release.files.strict_json import shown
from release.noise.kinds import NOT_A_RELEASE, Mode
from release.parameters import MOST_RECORDS

VERSION = 1
"""Of the files."""
ALWAYS = {"synthbounds_release", "kind", "mode", "adjacency", "schema", "digest"}
"""Fields that the file of every release from records has."""
SOMETIMES = {"n", "least_size", "seed", "run"}
"""One of the sizes, and in simulations the source of the noise."""


class Release(Shown, ABC):
    """What every kind has: its adjacency, its cost, whether it is real, its file."""

    KIND: ClassVar[str]
    ROWS: ClassVar[tuple[str, ...]] = ()
    """Fields whose items are on one line each."""

    if TYPE_CHECKING:  # a field in some kinds, a property in others

        @property
        def adjacency(self) -> Adjacency: ...

        @property
        def is_simulated(self) -> bool:
            """Whether its noise is from numpy and protects nobody."""

    @property
    @abstractmethod
    def cost(self) -> Ledger | None:
        """The ledger of its cost; None for numbers that were made elsewhere."""

    @abstractmethod
    def body(self) -> dict[str, Any]:
        """Everything in its file except the digest."""

    @property
    def n_is_public(self) -> bool:
        return self.adjacency is Adjacency.REPLACE_ONE

    @cached_property
    def digest(self) -> str:
        return digest_of(self.body())

    def to_json(self) -> dict[str, Any]:
        """The JSON object that the reader of this kind accepts."""
        return {**self.body(), "digest": self.digest}

    def to_text(self) -> str:
        """The file: one field per line, and for long ones one item per line."""
        lines = []
        for key, value in self.to_json().items():
            if key in self.ROWS:
                rows = ",\n".join(f"    {_text(row)}" for row in value)
                lines.append(f"  {json.dumps(key)}: [\n{rows}\n  ]")
            else:
                lines.append(f"  {json.dumps(key)}: {_text(value)}")
        return "{\n" + ",\n".join(lines) + "\n}\n"


def size_field(adjacency: Adjacency) -> str:
    """n if it is public; else the public least number of records in the table."""
    return "n" if adjacency is Adjacency.REPLACE_ONE else "least_size"


def read_stated_size(fields: dict[str, Any], adjacency: Adjacency, where: str) -> int:
    """The size that goes with the adjacency, from the fields of a file; the other one must not be present."""
    name = size_field(adjacency)
    other = "least_size" if name == "n" else "n"
    if name not in fields or other in fields:
        raise DataError(f"{where}: adjacency {adjacency.value} goes with {name}, and not with {other}")
    size = read_whole(fields[name], f"{where}: {name}")
    if not 1 <= size <= MOST_RECORDS:
        raise DataError(f"{where}: {name} = {shown(fields[name])}: must be from 1 to {MOST_RECORDS}")
    return size


class Drawn(TypedDict):
    """The source of the noise of a simulation; that of a real release is unknown to everybody."""

    seed: int | None
    run: int | None


def read_drawn(fields: dict[str, Any], where: str, *, simulated: bool) -> Drawn:
    """Seed and run, from the fields of a file: a simulation has both, and nothing else has either."""
    for name in ("seed", "run"):
        if (name in fields) != simulated:
            raise DataError(f"{where}: {name} goes with mode simulate, and with no other")
    if not simulated:
        return {"seed": None, "run": None}
    return {"seed": read_counter(fields["seed"], f"{where}: seed"), "run": read_counter(fields["run"], f"{where}: run")}


def read_stated_mode(fields: dict[str, Any], where: str) -> Mode:
    return "simulate" if read_choice(fields["mode"], get_args(Mode), f"{where}: mode") == "simulate" else "release"


def read_stated_adjacency(fields: dict[str, Any], where: str) -> Adjacency:
    return Adjacency(read_choice(fields["adjacency"], (a.value for a in Adjacency), f"{where}: adjacency"))


def stamp_of(*, simulated: bool) -> str | None:
    return NOT_A_RELEASE if simulated else None


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
