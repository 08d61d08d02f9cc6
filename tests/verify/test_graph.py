"""Which claims fall with a claim, and where the nodes of the picture go."""

from __future__ import annotations

import random
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from bounds.errors import ParameterError
from tests.verify.invented_claims import PAPER, SMALL, invented
from verify.claim import Verdict
from verify.errata.layers import components, layout, without_shortcuts
from verify.errata.picture import picture
from verify.graph import Graph, graph_of, what_falls
from verify.ledger import all_claims

GRAPH = graph_of(SMALL)


def short(names: object) -> list[str]:
    return [str(name).removeprefix(f"{PAPER}.") for name in names]  # type: ignore[attr-defined]


def test_what_falls() -> None:
    fallen = GRAPH.what_falls(f"{PAPER}.lemma")
    assert short(c.id for c in fallen.repeats) == ["lemma-again"]
    assert short(c.id for c in fallen.claims) == ["theorem", "remark", "corollary"]  # nearest first
    assert fallen.theorems == ("zhou2024.lipschitz",)
    assert short(c.id for c in GRAPH.what_falls(f"{PAPER}.step").claims) == ["theorem", "corollary"]
    assert GRAPH.what_falls(f"{PAPER}.alone").claims == ()
    assert short(sorted(GRAPH.shadow)) == ["corollary", "remark", "theorem"]
    with pytest.raises(ParameterError, match="the id of a claim"):
        GRAPH.what_falls("nothing")


def test_what_a_claim_rests_on() -> None:
    """The other direction: with a refuted claim falls what rests on it, and nothing else without repeats."""
    assert short(c.id for c in GRAPH.refuted_below(GRAPH.claims[f"{PAPER}.corollary"])) == ["lemma"]
    graph = graph_of(all_claims())
    for claim in all_claims():
        below = {c.id for c in graph.refuted_below(claim)}
        assert below == {
            c.id for c in all_claims() if c.expected is Verdict.REFUTED and claim.id in graph_users(graph, c.id)
        }


def graph_users(graph: Graph, name: str) -> set[str]:
    """What uses it, directly or not."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        for user in graph.users[waiting.pop()]:
            if user not in found:
                found.add(user)
                waiting.append(user)
    return found


def test_what_is_connected_and_the_data() -> None:
    assert set(short(GRAPH.connected)) == {"lemma", "lemma-again", "theorem", "step", "corollary", "remark"}
    data = GRAPH.to_json()
    kinds = [edge["kind"] for edge in data["edges"]]
    assert (kinds.count("uses"), kinds.count("repeats"), kinds.count("is about")) == (4, 1, 1)
    assert data["theorems"] == ["zhou2024.lipschitz"]
    assert {node["id"] for node in data["claims"] if node["in_shadow"]} == GRAPH.shadow


def test_every_claim_of_the_ledger_has_an_answer() -> None:
    graph = graph_of(all_claims())
    for claim in all_claims():
        fallen = graph.what_falls(claim.id)
        assert {c.id for c in fallen.claims} >= set(graph.users[claim.id]) - {c.id for c in fallen.repeats}
        assert all(other.paper == claim.paper for other in fallen.repeats)
    assert what_falls(all_claims()[0].id).claim is all_claims()[0]


def test_an_edge_that_follows_from_others_is_left_out() -> None:
    assert without_shortcuts([("a", "b"), ("b", "c"), ("a", "c"), ("a", "d")]) == (("a", "b"), ("a", "d"), ("b", "c"))
    assert components("abcde", [("a", "b"), ("c", "b")]) == [["a", "b", "c"], ["d"], ["e"]]


@pytest.mark.parametrize("seed", range(5))
def test_nodes_stand_apart_and_arrows_lead_right(seed: int) -> None:
    rng = random.Random(seed)
    nodes = [f"n{i:02}" for i in range(25)]
    edges = [(nodes[rng.randrange(i)], nodes[i]) for i in range(1, 25) for _ in range(rng.randrange(1, 4))]
    found = layout(nodes, edges)
    assert found == layout(nodes, edges[::-1])
    taken: dict[int, list[float]] = {}
    for layer, row in {*found.places.values(), *(point for path in found.paths.values() for point in path)}:
        taken.setdefault(layer, []).append(row)
    for rows in taken.values():
        ordered = sorted(rows)
        assert all(b - a > 0.99 for a, b in pairwise(ordered))
    for (one, other), path in found.paths.items():
        assert (path[0], path[-1]) == (found.places[one], found.places[other])
        assert [layer for layer, _ in path] == list(range(path[0][0], path[-1][0] + 1))
    assert set(found.paths) == set(without_shortcuts(edges))


def test_the_picture() -> None:
    root = ElementTree.fromstring(picture(GRAPH))  # noqa: S314 - our own
    text = "\n".join(element.text or "" for element in root.iter("{http://www.w3.org/2000/svg}text"))
    assert text.split("\n")[::2].count("theorem") == 1
    assert "alone" not in text
    assert "proof falls: Lemma 2.1" in text
    assert picture(graph_of([invented("a"), invented("b")])) == ""
    marked = picture(graph_of([invented("a", statement="x < y & z"), invented("b", depends_on="a")]))
    ElementTree.fromstring(marked)  # noqa: S314 - our own
