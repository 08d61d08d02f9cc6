"""What every mechanism is: a frozen configuration that plans, runs once on records and a ledger, and makes the rest.

`plan` sees only public facts and costs nothing. `run` is the only step that sees records; if the ledger does not have
enough left to pay for it, it is refused before any noise is drawn. `make` is post-processing of the release: it can be
repeated, and costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from release.data.schema import Schema
from release.data.source import Source
from release.private_release import Release

Plan = TypeVar("Plan", covariant=True)
Made = TypeVar("Made", covariant=True)
Released = TypeVar("Released", bound=Release)


@dataclass(frozen=True, kw_only=True)
class Public:
    """What may be known before anything is spent: the schema, the adjacency, and how many records there are.

    `size` is n under replace-one, where it is public, and a public lower bound on n under add-remove.
    """

    schema: Schema
    adjacency: Adjacency
    size: int


class Mechanism(Protocol[Plan, Released, Made]):
    """A procedure that turns records into something private."""

    def plan(self, public: Public) -> Plan:
        """What the mechanism would do, measure and cost."""

    def run(self, source: Source, public: Public, ledger: Ledger) -> tuple[Released, Ledger]:
        """The release, and the ledger after paying for it."""

    def make(self, release: Released) -> Made:
        """The result, made from the release alone."""
