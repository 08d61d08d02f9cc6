"""How components, their plans and edges are shown: a sentence that answers, blocks, details for machines."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from mechanisms.infer.regression import edges as room
from mechanisms.infer.regression.edges import edges_from_release
from mechanisms.infer.regression.edges_answer import EdgesAnswer
from mechanisms.infer.spectrum import spectrum_from_release
from mechanisms.infer.spectrum_answer import Spectrum, SpectrumOf
from mechanisms.infer.spectrum_plan import plan_spectrum
from release.moments.file import MomentRelease
from release.moments.make import make_release
from synthbounds.render.document import Answer, Block, Bullets, Facts, Table, Title, Vacuous
from synthbounds.render.inferred_edges import edges_blocks, edges_details
from synthbounds.render.inferred_spectrum import (
    spectrum_blocks,
    spectrum_details,
    spectrum_plan_blocks,
    spectrum_plan_details,
)
from synthbounds.render.text import TextRenderer
from tests.moment_examples import SCHEMA, feature_map, table

N = 4000


def release(epsilon: Fraction | int = 20, *, adjacency: str = "replace-one") -> MomentRelease:
    n0 = N // 2 if adjacency == "add-remove" else None
    return make_release(
        table(N),
        feature_map(one_hot=False),
        epsilon=epsilon,
        dp_delta="1e-6",
        adjacency=adjacency,
        mode="simulate",
        n0=n0,
        seed=1,
    )


def components(*, rank: int = 2, of: SpectrumOf = "moments", epsilon: Fraction | int = 20) -> Spectrum:
    return spectrum_from_release(release(epsilon), rank=rank, of=of)


def graph(epsilon: Fraction | int = 20) -> EdgesAnswer:
    return edges_from_release(release(epsilon))


def the(kind: type[Block], blocks: tuple[Block, ...]) -> list[Block]:
    return [block for block in blocks if isinstance(block, kind)]


def titled(blocks: tuple[Block, ...], title: str) -> Table:
    return next(block for block in blocks if isinstance(block, Table) and block.title.startswith(title))


@pytest.mark.parametrize("of", ["moments", "covariance"])
def test_the_sentence_is_the_answer(of: SpectrumOf) -> None:
    found = components(of=of)
    title = spectrum_blocks(found)[0]
    assert isinstance(title, Title)
    assert title.subtitle.startswith("The first 2 components of the noisy matrix explain between ")
    lo, hi = found.share_explained.lo, found.share_explained.hi
    assert lo is not None
    assert hi is not None
    shown = re.search(r"between ([\d.]+) % and ([\d.]+) %", title.subtitle)
    assert shown is not None
    least, most = float(shown[1]), float(shown[2])
    assert least <= 100 * float(lo) < least + 0.1
    assert most - 0.1 < 100 * float(hi) <= most


def test_what_is_lost_is_said_in_the_unit_of_what_is_explained() -> None:
    found = components()
    said = re.search(r"the best explain at most about ([\d.e-]+) % more\.$", _subtitle(found))
    assert said is not None
    whole = sum(one.estimate or 0.0 for one in found.eigenvalues)
    assert float(said[1]) == pytest.approx(100 * float(found.loss.hi or 0) / whole, rel=0.01)
    loose = replace(found, loss=replace(found.loss, hi=Fraction(2)))  # there is less than 1 to lose
    assert _subtitle(loose).endswith("of the real table.")


@pytest.mark.parametrize(
    ("of", "said"),
    [
        ("moments", " % of the second moments (not centred; --centred asks for the covariance) of the real table"),
        ("covariance", " % of the variance of the real table"),
    ],
)
def test_what_is_explained_is_a_variance_only_where_the_means_are_taken_off(of: SpectrumOf, said: str) -> None:
    blocks = spectrum_blocks(components(of=of))
    assert said in _subtitle(components(of=of))
    assert bool(re.search(r"\bvariance\b", TextRenderer().render(blocks))) == (of == "covariance")


def _subtitle(found: Spectrum) -> str:
    title = spectrum_blocks(found)[0]
    assert isinstance(title, Title)
    return title.subtitle


def test_a_sine_is_named_for_what_it_is() -> None:
    def named(rank: int) -> str:
        answer = the(Answer, spectrum_blocks(components(rank=rank)))[0]
        assert isinstance(answer, Answer)
        return answer.rows[2][2]

    assert named(1).startswith("of the angle to the real one; ")
    assert named(2).startswith("root of the summed squares, between the spans; ")


def test_every_eigenvalue_and_component_has_a_line() -> None:
    found = components()
    blocks = spectrum_blocks(found)
    eigenvalues = titled(blocks, "Eigenvalues")
    assert len(eigenvalues.rows) == len(found.names)
    assert eigenvalues.marked == {0, 1}
    assert len(titled(blocks, "Components").rows) == 2
    largest = max(zip(found.names, found.components[0].weights, strict=True), key=lambda pair: abs(pair[1]))[0]
    assert titled(blocks, "Largest weights").rows[0][1].startswith(largest)
    facts = the(Facts, blocks)[0]
    assert isinstance(facts, Facts)
    said = dict(facts.rows)
    assert said["About"] == "the records of the table themselves"
    assert said["Level"].startswith("0.95, exact")
    assert said["Proof"] == "docs/proofs/synthbounds.noisy-spectrum.md"
    assert said["Spent"].startswith("nothing")
    assert len(the(Answer, blocks)) == 1


def test_what_is_not_told_is_said() -> None:
    found = components(rank=3, epsilon=Fraction(1, 10))
    blocks = spectrum_blocks(found)
    assert "do not tell" in " ".join(TextRenderer().render(blocks).split())
    assert the(Vacuous, blocks)
    details = spectrum_details(found)
    assert [one["told"] for one in details["components"]] == [one.is_told for one in found.components]
    assert not all(one["told"] for one in details["components"])


def test_details_are_json_and_ends_are_rounded_up() -> None:
    found = components()
    details = json.loads(json.dumps(spectrum_details(found)))
    assert details["rank"] == 2
    assert details["columns"] == list(found.names)
    assert details["n_is_public"] is True
    assert Fraction(details["classical"]["radius"]) >= found.classical.radius
    assert len(details["components"][0]["weights"]) == len(found.names)


def test_plans_are_shown_by_gap() -> None:
    numbers = {"epsilon": Fraction(1), "dp_delta": Fraction(1, 10**6)}
    plan = plan_spectrum(SCHEMA, rank=2, n=N, adjacency="replace-one", **numbers)
    blocks = spectrum_plan_blocks(plan)
    table_of_gaps = titled(blocks, "By gap")
    assert len(table_of_gaps.rows) == len(plan.at)
    assert table_of_gaps.rows[0][1] == "nothing"
    assert "after component 2, tells the first 2 components from the others" in " ".join(
        TextRenderer().render(blocks).split()
    )
    details = json.loads(json.dumps(spectrum_plan_details(plan)))
    assert details["n"] == N
    assert details["least_size"] is None
    private = spectrum_plan_details(plan_spectrum(SCHEMA, rank=1, adjacency="add-remove", least_size=N, **numbers))
    assert private["n"] is None
    assert private["least_size"] == N
    alone = TextRenderer().render(
        spectrum_plan_blocks(plan_spectrum(SCHEMA, rank=1, n=N, adjacency="replace-one", **numbers))
    )
    assert "first component will" in alone
    assert "after component 1, tells the first component from the others" in alone


def test_edges_are_counted_in_a_sentence_and_listed() -> None:
    found = graph()
    blocks = edges_blocks(found)
    title, listed = blocks[0], titled(blocks, "Partial correlations")
    assert isinstance(title, Title)
    assert title.subtitle.startswith(
        f"{len(found.certain)} of {len(found.edges)} pairs of columns certainly go together"
    )
    first = found.certain[0]
    assert f"{first.first} and {first.second} most strongly" in title.subtitle
    told = [edge for edge in found.edges if edge.sign or edge.sharper_sign or edge.is_small]
    assert [row[:2] for row in listed.rows[: len(told)]] == [(edge.first, edge.second) for edge in told]
    assert len(listed.rows) <= min(len(told) + 5, len(found.edges))
    assert listed.marked == set(range(len(found.certain)))
    assert listed.rows[0][5] == ("+" if first.sign > 0 else "-")
    assert not the(Vacuous, blocks)
    details = json.loads(json.dumps(edges_details(found)))
    assert details["certain"] == len(found.certain)
    assert details["certain_by_search"] == len(found.sharper_certain)
    assert [edge["sign"] for edge in details["edges"]] == [edge.sign for edge in found.edges]
    assert details["proof"] == "docs/proofs/synthbounds.noisy-graph.md"


def test_a_sentence_of_one_edge_and_of_named_columns() -> None:
    found = graph()
    alone = replace(found, edges=found.certain[:1])
    first = found.certain[0]
    side = "together" if first.sign > 0 else "apart"
    assert _said(alone) == (
        f"1 of 1 pairs of columns certainly goes together or apart given all others: {first.first} and {first.second} "
        f"{side}."
    )
    assert " certainly go together or apart given all others: " in _said(found)
    named = edges_from_release(release(), columns=[first.first, first.second])
    assert "apart given no other column: " in _said(named)
    third = next(name for name in found.nodes if name not in (first.first, first.second))
    named = edges_from_release(release(), columns=[first.first, first.second, third])
    assert "apart given the other named columns: " in _said(named)
    title = edges_blocks(named)[0]
    assert isinstance(title, Title)
    assert title.text == "Edges between columns, given the other named columns"


def _said(found: EdgesAnswer) -> str:
    title = edges_blocks(found)[0]
    assert isinstance(title, Title)
    return title.subtitle


def test_no_edge_is_an_answer_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "MOST_SEARCHED", 0)
    found = graph(Fraction(1, 50))
    blocks = edges_blocks(found)
    title = blocks[0]
    assert isinstance(title, Title)
    assert title.subtitle.startswith("No sign of the ")
    assert the(Vacuous, blocks)
    assert the(Bullets, blocks)
    details = json.loads(json.dumps(edges_details(found)))
    assert {one["column"] for one in details["untold"]} == {node.name for node in found.untold}
    assert details["edges"][0]["sign_by_search"] is None
    said = TextRenderer().render(blocks)
    assert "by search" not in said.split("Partial correlations")[0]
    assert np.all([edge.correlation.lo == -1 for edge in found.edges])
    assert all(edge.correlation.estimate is None for edge in found.edges if edge.correlation.hi == 1)
    listed = titled(blocks, "Partial correlations")
    assert len(listed.rows) == 5
    assert listed.legend == f"the sign is certain; {len(found.edges) - 5} more pairs that are open in the JSON"
    assert len(details["edges"]) == len(found.edges)
