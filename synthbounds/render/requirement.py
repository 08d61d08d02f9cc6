"""A requirement, an inversion and a comparison as documents."""

from __future__ import annotations

from bounds.exact import show_rational
from bounds.invert import Inversion
from bounds.papers import find_paper
from bounds.plan import ComparisonRow
from bounds.requirement import Requirement
from synthbounds.render.document import Answer, Block, Bullets, Document, Facts, Table, Title, Vacuous
from synthbounds.render.numbers import enclosure_text, integer_text

_COUNTS = {
    "n": "records",
    "m": "reference points",
    "k": "synthetic records",
}


def requirement_document(answer: Requirement) -> Document:
    """Answer first, then terms, hypotheses, citation and provenance."""
    blocks: list[Block] = [
        Title(f"{answer.title} - {answer.edition} edition", f"{answer.theorem} ({answer.locator})"),
        _answer(answer),
    ]
    if answer.guarantee.vacuous:
        blocks.append(Vacuous(answer.guarantee.reason))
    blocks += [_guarantee(answer), _terms(answer), _derived(answer)]
    if answer.alternatives:
        blocks.append(_alternatives(answer))
    blocks.append(_hypotheses(answer))
    if answer.notes:
        heading = "Choices made where the print is silent" if answer.edition == "printed" else "What changed"
        blocks.append(Bullets(heading, answer.notes))
    blocks.append(_source(answer))
    return tuple(blocks)


def inversion_document(answer: Inversion) -> Document:
    value = show_rational(answer.value)
    word = "largest" if answer.parameter == "degree" else "smallest"
    solved = Answer(((answer.parameter, value, f"{word} that {integer_text(answer.n)} records allow"),))
    rows = [(answer.parameter, value, integer_text(answer.requirement.n))]
    if answer.neighbour is not None:
        asked = "more than can be written down" if answer.neighbour_n is None else integer_text(answer.neighbour_n)
        rows.append(("next", show_rational(answer.neighbour), asked))
    proof = Table("Proof on both sides", ("", answer.parameter, "records asked for"), tuple(rows), frozenset({2}))
    return (Title(f"Solved for {answer.parameter}"), solved, proof, *requirement_document(answer.requirement))


def comparison_document(rows: tuple[ComparisonRow, ...]) -> Document:
    applied = [row for row in rows if row.requirement is not None]
    refused = [row for row in rows if row.requirement is None]
    blocks: list[Block] = [Title("Every theorem and edition that applies")]
    if applied:
        fewest = min(r.requirement.n for r in applied if r.requirement is not None)
        blocks.append(
            Table(
                "",
                ("theorem", "edition", "n", "m", "k", "epsilon", "accuracy", "failure", ""),
                tuple(_comparison_row(row) for row in applied),
                right=frozenset({2, 3, 4}),
                marked=frozenset(
                    i for i, r in enumerate(applied) if r.requirement is not None and r.requirement.n == fewest
                ),
            )
        )
        first = applied[0].requirement
        if first is not None:
            blocks.append(Facts((("adjacency", first.guarantee.privacy.adjacency.value),)))
    if refused:
        blocks.append(Bullets("Not applicable", tuple(f"{r.theorem}, {r.edition}: {r.reason}" for r in refused)))
    return tuple(blocks)


def _comparison_row(row: ComparisonRow) -> tuple[str, ...]:
    answer = row.requirement
    assert answer is not None
    guarantee = answer.guarantee
    return (
        row.theorem,
        row.edition,
        integer_text(answer.n),
        integer_text(answer.m),
        integer_text(answer.k),
        enclosure_text(guarantee.privacy.epsilon, 6),
        enclosure_text(guarantee.accuracy, 6),
        enclosure_text(guarantee.failure_probability, 6),
        "vacuous" if guarantee.vacuous else ("any data" if guarantee.any_data else "independent records"),
    )


def _answer(answer: Requirement) -> Answer:
    sizes = (("n", answer.n), ("m", answer.m), ("k", answer.k))
    rows = [(name, integer_text(value), _COUNTS[name]) for name, value in sizes if value is not None]
    if answer.m is not None and answer.m == answer.domain_size:
        rows[1] = ("m", rows[1][1], "reference points: every point of the domain once")
    if answer.theorem.endswith("lower-bound"):
        rows = [(name, value, f"{meaning}, at least, for any mechanism") for name, value, meaning in rows]
    return Answer(tuple(rows))


def _guarantee(answer: Requirement) -> Facts:
    guarantee, privacy = answer.guarantee, answer.guarantee.privacy
    failure = enclosure_text(guarantee.failure_probability, 8)
    who = "for every data set" if guarantee.any_data else "for records drawn independently from one distribution"
    epsilon = f"epsilon = {enclosure_text(privacy.epsilon, 8)}"
    if privacy.dp_delta is not None:
        epsilon += f", dp-delta = {enclosure_text(privacy.dp_delta, 8)}"
    rows = [
        (
            "Promise",
            f"every one of {integer_text(answer.queries)} queries ({answer.family}) within "
            f"{enclosure_text(guarantee.accuracy, 8)}, except with probability {failure}, {who}",
        ),
        ("Privacy", f"{epsilon} in total; adjacency {privacy.adjacency.value}; {privacy.size_is_public}"),
        ("Noise", f"{privacy.mechanism}; {privacy.sensitivity}"),
        ("Route", answer.summary),
    ]
    if answer.theorem.endswith("lower-bound"):
        rows = rows[:2]
    if not guarantee.vacuous and guarantee.reason:
        rows.append(("Note", guarantee.reason))
    if answer.lower_bound is not None:
        rows.append(
            (
                "Limit",
                f"nobody can do with fewer than {integer_text(answer.lower_bound.n)} records or "
                f"{integer_text(answer.lower_bound.k)} synthetic records: no mechanism with this privacy keeps "
                "this promise for every data set (synthbounds.lower-bound)",
            )
        )
    return Facts(tuple(rows))


def _terms(answer: Requirement) -> Table:
    return Table(
        "Terms (> binds; every integer proved at its value and one below)",
        ("", "term", "at least", "so"),
        tuple(
            (
                term.quantity,
                term.name + (f" [{term.note}]" if term.note else ""),
                enclosure_text(term.threshold, 12),
                integer_text(term.required),
            )
            for term in answer.terms
        ),
        right=frozenset({2, 3}),
        marked=frozenset(i for i, term in enumerate(answer.terms) if term.binding),
    )


def _derived(answer: Requirement) -> Table:
    domain = integer_text(answer.domain_size) if answer.domain_size is not None else "the unit cube"
    rows = [("|Omega|", "points of the domain", domain), ("|F|", "queries", integer_text(answer.queries))]
    rows += [(d.name, d.meaning, enclosure_text(d.enclosure, 10)) for d in answer.derived]
    return Table("Quantities", ("", "meaning", "value"), tuple(rows), right=frozenset({2}))


def _alternatives(answer: Requirement) -> Table:
    return Table(
        "Other proved routes of this edition",
        ("route", "n", "m", "k", ""),
        tuple(
            (a.route, integer_text(a.n), integer_text(a.m), integer_text(a.k), a.reason) for a in answer.alternatives
        ),
        right=frozenset({1, 2, 3}),
    )


def _hypotheses(answer: Requirement) -> Facts:
    def state(kind: str, holds: bool | None) -> str:
        return "asserted by you" if kind == "asserted" else ("holds" if holds else "VIOLATED")

    return Facts(
        tuple(
            (state(h.kind, h.holds), h.text + (f" ({h.why})" if h.holds is False and h.why else ""))
            for h in answer.hypotheses
        ),
        title="Hypotheses",
    )


def _source(answer: Requirement) -> Facts:
    rows = [("Source", find_paper(answer.paper).reference)]
    if answer.proof:
        rows.append(("Proof", f"docs/proofs/{answer.proof}.md"))
    rows.append(("Certified", f"ball arithmetic, up to {answer.precision} bits"))
    return Facts(tuple(rows))
