"""Every file of the errata by its path in the repository."""

from __future__ import annotations

import json
from collections.abc import Sequence

from bounds.papers import find_paper
from verify.claim import Withdrawn
from verify.counts import OURS, papers_of
from verify.errata.index_page import index_page, pointer_page
from verify.errata.letter import letter
from verify.errata.paper_page import paper_page
from verify.errata.picture import picture
from verify.graph import graph_of
from verify.run import ClaimResult

FOLDER = "docs/errata"
POINTER = "docs/errata.md"


def pages(results: Sequence[ClaimResult], withdrawn: Sequence[Withdrawn]) -> dict[str, str]:
    """The texts, from what the checks have just found."""
    claims = tuple(result.claim for result in results)
    found = {POINTER: pointer_page(claims), f"{FOLDER}/index.md": index_page(claims)}
    for paper in papers_of(claims):
        ours = [result for result in results if result.claim.paper == paper]
        graph = graph_of(result.claim for result in ours)
        stones = [stone for stone in withdrawn if stone.id.startswith(f"{paper}.")]
        drawn = picture(graph)
        found[f"{FOLDER}/{paper}.md"] = paper_page(paper, ours, stones, graph, has_picture=bool(drawn))
        if drawn:
            found[f"{FOLDER}/{paper}.svg"] = drawn
        if paper != OURS:
            found[f"{FOLDER}/letters/{paper}.md"] = letter(find_paper(paper), ours)
    found[f"{FOLDER}/graph.json"] = json.dumps(graph_of(claims).to_json(), indent=1) + "\n"
    return dict(sorted(found.items()))
