"""What rests on what: claims on the claims that their arguments use, theorems as printed on the claims about them.

An edge says that the paper's argument for one claim uses another. If a claim falls, so does, as argued in the paper,
everything that uses it or a place that repeats it. A claim that falls this way may still be true by another proof.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bounds.errors import ParameterError
from bounds.shown import Shown
from verify.claim import Claim, Severity, Verdict
from verify.ledger import all_claims, the_claim

USES, REPEATS, ABOUT = "uses", "repeats", "is about"
"""Kinds of edges: between claims, between claims, and from a claim to a theorem."""


@dataclass(frozen=True)
class Fallen(Shown):
    """What falls with a claim, as the paper argues."""

    claim: Claim
    repeats: tuple[Claim, ...]
    """The same mistake in other places."""
    claims: tuple[Claim, ...]
    """Those that use it or a place that repeats it, directly or not; nearest first."""
    theorems: tuple[str, ...]
    """Theorems that any of these claims is about: their printed editions must be looked at."""


@dataclass(frozen=True)
class Graph:
    """Claims and the edges between them; claims that are named but not among these are left out."""

    claims: Mapping[str, Claim]

    @cached_property
    def users(self) -> dict[str, tuple[str, ...]]:
        """By claim: which claims use it."""
        found: dict[str, list[str]] = {name: [] for name in self.claims}
        for name, claim in sorted(self.claims.items()):
            for premise in claim.depends_on:
                if premise in found:
                    found[premise].append(name)
        return {name: tuple(users) for name, users in found.items()}

    @cached_property
    def repeats(self) -> dict[str, tuple[str, ...]]:
        """By claim: which entries repeat it."""
        found: dict[str, list[str]] = {name: [] for name in self.claims}
        for name, claim in sorted(self.claims.items()):
            if claim.root in found:
                found[claim.root].append(name)
        return {name: tuple(others) for name, others in found.items()}

    def what_falls(self, name: str) -> Fallen:
        """With this claim."""
        if name not in self.claims:
            raise ParameterError("falls", name, "the id of a claim", "see `synthbounds verify`")
        start = (name, *self.repeats[name])
        found: dict[str, None] = {}
        waiting = list(start)
        while waiting:
            for user in self.users[waiting.pop(0)]:
                if user not in found and user not in start:
                    found[user] = None
                    waiting.append(user)
        touched = [self.claims[other] for other in (*start, *found)]
        return Fallen(
            self.claims[name],
            tuple(self.claims[other] for other in start[1:]),
            tuple(self.claims[other] for other in found),
            tuple(sorted({theorem for claim in touched for theorem in claim.theorems})),
        )

    def refuted_below(self, claim: Claim) -> tuple[Claim, ...]:
        """What this claim uses, directly or not, that is refuted; gravest first, then nearest."""
        found: dict[str, None] = {}
        waiting = list(claim.depends_on)
        while waiting:
            name = waiting.pop(0)
            if name not in found and name in self.claims:
                found[name] = None
                waiting += self.claims[name].depends_on
        refuted = [self.claims[name] for name in found if self.claims[name].expected is Verdict.REFUTED]
        return tuple(sorted(refuted, key=lambda other: list(Severity).index(other.severity)))

    @cached_property
    def connected(self) -> tuple[str, ...]:
        """Claims that use another or are used."""
        return tuple(
            name
            for name, claim in sorted(self.claims.items())
            if self.users[name] or any(premise in self.claims for premise in claim.depends_on)
        )

    @cached_property
    def shadow(self) -> frozenset[str]:
        """Claims that rest on one whose result or proof falls."""
        fallen = [c for c in self.claims.values() if c.severity in (Severity.RESULT_FALLS, Severity.PROOF_FALLS)]
        return frozenset(other.id for claim in fallen for other in self.what_falls(claim.id).claims)

    def to_json(self) -> dict[str, Any]:
        """Claims with an edge, and the edges, as data; theorems are nodes without a verdict."""
        edges = []
        for name, claim in sorted(self.claims.items()):
            edges += [{"from": name, "to": other, "kind": USES} for other in claim.depends_on if other in self.claims]
            edges += [{"from": name, "to": claim.root, "kind": REPEATS}] if claim.root in self.claims else []
            edges += [{"from": name, "to": theorem, "kind": ABOUT} for theorem in claim.theorems]
        theorems = sorted({edge["to"] for edge in edges if edge["kind"] == ABOUT})
        named = {name for edge in edges for name in (edge["from"], edge["to"])}
        nodes: list[dict[str, Any]] = [
            {
                "id": name,
                "verdict": claim.expected.value,
                "severity": claim.severity.value,
                "in_shadow": name in self.shadow,
            }
            for name, claim in sorted(self.claims.items())
            if name in named
        ]
        return {"claims": nodes, "theorems": theorems, "edges": edges}


def graph_of(claims: Iterable[Claim]) -> Graph:
    return Graph({claim.id: claim for claim in claims})


def what_falls(name: str) -> Fallen:
    """What falls with this claim of the ledger, given by its id or its place."""
    graph = graph_of(all_claims())
    return graph.what_falls(name if name in graph.claims else the_claim(name).id)
