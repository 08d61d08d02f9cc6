"""What a release says about the graph of partial correlations, as blocks of a document and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bounds.exact import show_rational
from mechanisms.infer.findings import Interval
from mechanisms.infer.regression.edges import EdgesAnswer
from mechanisms.infer.regression.edges_answer import Edge
from synthbounds.render.document import Answer, Block, Bullets, Facts, Table, Title, Vacuous
from synthbounds.render.inferred import ABOUT, KINDS, SPENT, end_text

PROOF = "docs/proofs/synthbounds.noisy-graph.md"
_MOST_ROWS, _MOST_OPEN = 100, 5
_SIGNS = {1: "+", -1: "-", 0: "open"}
_SIDES = {1: "together", -1: "apart"}


def edges_blocks(found: EdgesAnswer) -> tuple[Block, ...]:
    """Which signs are certain, and which correlations are certainly small."""
    blocks: list[Block] = [Title(f"Edges between columns, {_given(found)}", _sentence(found))]
    blocks.append(Answer(tuple(_answer(found))))
    if not found.certain and not found.small:
        blocks.append(
            Vacuous("no certified interval answers what was asked: there is too much noise for these columns")
        )
    blocks += [_table(found), Facts(tuple(_facts(found)))]
    if found.notes:
        blocks.append(Bullets("Notes", found.notes))
    return tuple(blocks)


def edges_details(found: EdgesAnswer) -> dict[str, Any]:
    """What is special to edges: who has which sign, and which regressions the noise leaves open."""
    return {
        "nodes": list(found.nodes),
        "least": show_rational(found.least),
        "n_is_public": found.n_is_public,
        "pairs": len(found.edges),
        "certain": len(found.certain),
        "certain_by_search": len(found.sharper_certain),
        "small": len(found.small),
        "edges": [
            {
                "first": edge.first,
                "second": edge.second,
                "sign": edge.sign,
                "sign_by_search": None if edge.sharper is None else edge.sharper_sign,
                "small": edge.is_small,
            }
            for edge in found.edges
        ],
        "untold": [
            {
                "column": node.name,
                "proved": node.is_proved,
                "weakest": [{"column": name, "weight_est": weight} for name, weight in node.weakest],
            }
            for node in found.untold
        ],
        "notes": list(found.notes),
        "proof": PROOF,
    }


def _sentence(found: EdgesAnswer) -> str:
    certain, many = found.certain, len(found.edges)
    if not certain:
        searched = len(found.sharper_certain)
        more = f"; sharper sets, whose ends are estimates, determine {searched}" if searched else ""
        return f"No sign of the {many} partial correlations of {len(found.nodes)} columns is certain{more}."
    first, one = certain[0], len(certain) == 1
    named = f"{first.first} and {first.second}"
    strongest = f"{named} {_SIDES[first.sign]}" if one else f"{named} most strongly, which go {_SIDES[first.sign]}"
    go = "goes" if one else "go"
    return f"{len(certain)} of {many} pairs of columns certainly {go} together or apart {_given(found)}: {strongest}."


def _given(found: EdgesAnswer) -> str:
    if len(found.nodes) == 2:
        return "given no other column"
    return "given the other named columns" if found.columns_are_named else "given all others"


def _answer(found: EdgesAnswer) -> Iterator[tuple[str, str, str]]:
    many, least = len(found.edges), show_rational(found.least)
    yield "certain", f"{len(found.certain)} of {many}", "signs of partial correlations, certified, all at once"
    if any(edge.sharper is not None for edge in found.edges):
        yield "by search", f"{len(found.sharper_certain)} of {many}", "signs by sharper sets whose ends are estimates"
    yield "small", f"{len(found.small)} of {many}", f"correlations that are certainly at most {least} in size"


def _table(found: EdgesAnswer) -> Table:
    """Every pair about which something is certain; of the others only a few, so that they do not hide the rest."""
    told = [edge for edge in found.edges if edge.sign or edge.sharper_sign or edge.is_small]
    unsure = [edge for edge in found.edges if edge not in told]
    shown = [*told[:_MOST_ROWS], *unsure[:_MOST_OPEN]]
    columns = ("first", "second", "estimate", "from", "to", "sign", "by search", "small")
    rows = tuple(_row(edge) for edge in shown)
    marked = frozenset(place for place, edge in enumerate(shown) if edge.sign)
    more = [f"{len(told) - _MOST_ROWS} more of these"] if len(told) > _MOST_ROWS else []
    more += [f"{len(unsure) - _MOST_OPEN} more pairs that are open"] if len(unsure) > _MOST_OPEN else []
    legend = "; ".join(["the sign is certain", *([f"{' and '.join(more)} in the JSON"] if more else [])])
    return Table("Partial correlations", columns, rows, right=frozenset({2, 3, 4}), marked=marked, legend=legend)


def _row(edge: Edge) -> tuple[str, ...]:
    sharper: Interval | None = edge.sharper
    told = edge.correlation
    return (
        edge.first,
        edge.second,
        "-" if told.estimate is None else f"{told.estimate:.3g}",
        end_text(told.lo, up=False),
        end_text(told.hi, up=True),
        _SIGNS[edge.sign],
        "-" if sharper is None else _searched(sharper, edge.sharper_sign),
        "yes" if edge.is_small else "",
    )


def _searched(sharper: Interval, sign: int) -> str:
    return f"{_SIGNS[sign]}, {float(sharper.lo or 0):.2g} to {float(sharper.hi or 0):.2g}"


def _facts(found: EdgesAnswer) -> Iterator[tuple[str, str]]:
    yield "About", ABOUT["table"]
    yield "Level", f"{show_rational(found.level)}, {KINDS['exact']}"
    yield "Ends", "certified, enclosed and rounded outwards; all pairs at once"
    if any(edge.sharper is not None for edge in found.edges):
        simulated = any(edge.sharper is not None and edge.sharper.kind == "simulated" for edge in found.edges)
        open_sets = "; simulated if a joint set is not bounded" if simulated else ""
        yield (
            "By search",
            f"also all pairs at once, apart from the certified ones; level exact, ends estimates{open_sets}",
        )
    yield "An edge", "no partial correlation of a finite table is exactly 0: an edge is a pair whose sign is certain"
    yield "Without privacy", "every interval would have no width: the question is about the table itself"
    yield "Spent", SPENT
    yield "Proof", PROOF
