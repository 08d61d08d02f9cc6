"""What every mechanism is: a frozen configuration that plans, runs once on records and a ledger, and makes the rest.

`plan` sees public facts alone and costs nothing. `run` is the only step that sees records; it is refused by a ledger
that does not hold what it costs, before any noise is drawn. `make` is post-processing of the release: it can be
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
    """What may be known before anything is spent: the schema, who is compared, and how many records there are.

    `size` is n under replace-one, where it is public, and a public least number of records under add-remove.
    """

    schema: Schema
    adjacency: Adjacency
    size: int


class Mechanism(Protocol[Plan, Released, Made]):
    """A way from records to something private."""

    def plan(self, public: Public) -> Plan:
        """What it would do, measure and cost."""

    def run(self, source: Source, public: Public, ledger: Ledger) -> tuple[Released, Ledger]:
        """The release, and the ledger after what it cost."""

    def make(self, release: Released) -> Made:
        """What is made from the release alone."""
