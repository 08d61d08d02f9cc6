"""A requirement, an inversion and a comparison as documents."""

from __future__ import annotations

from bounds.exact import show_rational
from bounds.sizes.require import ComparisonRow
from bounds.sizes.requirement import Requirement
from bounds.sizes.solve_for import Inversion
from synthbounds.render.document import Answer, Block, Bullets, Document, Facts, Table, Title, Vacuous
from synthbounds.render.numbers import down, enclosure_text, integer_text, nearest_text
from synthbounds.render.shared import budget_text, fewest_possible, hypotheses, provenance, remarks, source

LARGEST_PRACTICAL_LP = 10**8
"""Number of columns beyond which even column generation on the whole domain is not practical."""
_COUNTS = {
    "n": "records",
    "m": "reference points",
    "k": "synthetic records",
}


def requirement_document(answer: Requirement) -> Document:
    """Answer first, then terms, hypotheses, citation and provenance."""
    blocks: list[Block] = [
        Title(f"{answer.title} - {answer.edition} edition", provenance(answer, " as it is printed")),
        _answer(answer),
    ]
    if answer.guarantee.vacuous:
        blocks.append(Vacuous(answer.guarantee.reason))
    blocks += [_guarantee(answer), _terms(answer), _derived(answer)]
    if answer.alternatives:
        blocks.append(_alternatives(answer))
    blocks.append(hypotheses(answer.hypotheses))
    if answer.notes:
        blocks.append(remarks(answer))
    blocks.append(source(answer, f"ball arithmetic, up to {answer.precision} bits"))
    return tuple(blocks)


def inversion_document(answer: Inversion) -> Document:
    value = show_rational(answer.value)
    word = "largest" if answer.parameter == "degree" else "smallest"
    what = f"{word} for which this theorem needs at most {integer_text(answer.n)} records, whatever m"
    rows = [("this", value, integer_text(answer.requirement.n))]
    if answer.neighbour is None:
        what = f"{what}; the search ends here, at the edge of the allowed range"
    else:
        asked = "more than any number" if answer.neighbour_n is None else integer_text(answer.neighbour_n)
        rows.append(("next", show_rational(answer.neighbour), asked))
    solved = Answer(((answer.parameter, value, what),))
    proof = Table("Proof", ("", answer.parameter, "records needed"), tuple(rows), frozenset({1, 2}))
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
                ("theorem", "edition", "n", "m", "k", "epsilon", "accuracy", "failure", "for"),
                tuple(_comparison_row(row) for row in applied),
                right=frozenset({2, 3, 4, 5, 6, 7}),
                legend="fewest records",
                marked=frozenset(
                    i for i, r in enumerate(applied) if r.requirement is not None and r.requirement.n == fewest
                ),
            )
        )
        first = applied[0].requirement
        facts = [] if first is None else [("Adjacency", first.guarantee.privacy.adjacency.value)]
        if any(row.misses for row in applied):
            facts.append(("!", "marks a promise that falls short of what was asked"))
        blocks.append(Facts(tuple(facts)))
    if refused:
        reasons: dict[tuple[str, str], list[str]] = {}
        for row in refused:
            reasons.setdefault((row.theorem, row.reason), []).append(row.edition)
        items = tuple(f"{theorem} ({', '.join(e)}): {reason}" for (theorem, reason), e in reasons.items())
        blocks.append(Bullets("Not applicable", items))
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
        ("! " if "epsilon" in row.misses else "") + enclosure_text(guarantee.privacy.epsilon, 6),
        enclosure_text(guarantee.accuracy, 6),
        ("! " if "failure" in row.misses else "") + enclosure_text(guarantee.failure_probability, 6),
        "vacuous" if guarantee.vacuous else ("any data" if guarantee.any_data else "independent records"),
    )


def _answer(answer: Requirement) -> Answer:
    sizes = (("n", answer.n), ("m", answer.m), ("k", answer.k))
    rows = [(name, integer_text(value), _COUNTS[name]) for name, value in sizes if value is not None]
    if answer.m is not None and answer.m == answer.domain_size:
        rows[1] = ("m", rows[1][1], "reference points: every point of the domain once")
    if answer.k_given:
        rows[-1] = ("k", rows[-1][1], "synthetic records, as given")
    if answer.direction == "necessary":
        rows = [(name, value, f"{meaning}, at least, for any mechanism") for name, value, meaning in rows]
    return Answer(tuple(rows))


def _guarantee(answer: Requirement) -> Facts:
    guarantee, privacy = answer.guarantee, answer.guarantee.privacy
    failure = enclosure_text(guarantee.failure_probability, 8)
    who = "for every data set" if guarantee.any_data else "for records drawn independently from one distribution"
    if privacy.least_public_size is not None:
        who += ", from at least n0 records"
    size = "n is public"
    if privacy.least_public_size is not None:
        size = f"n is private; only the least size n0 = {integer_text(privacy.least_public_size)} is public"
    necessary = answer.direction == "necessary"
    rows = [
        (
            "Against" if necessary else "Promise",
            f"{integer_text(answer.queries)} queries ({answer.family}: {answer.queries_in_words}), each within "
            f"{enclosure_text(guarantee.accuracy, 8)}, except with probability {failure}, {who}",
        ),
        ("Privacy", f"{budget_text(privacy)} in total; adjacency {privacy.adjacency.value}; {size}"),
    ]
    if not necessary:
        rows += [("Noise", f"{privacy.mechanism}; {privacy.sensitivity}"), ("Route", answer.summary)]
    if answer.m is not None and answer.m > LARGEST_PRACTICAL_LP:
        rows.insert(0, ("Effort", f"!! a linear programme with {integer_text(answer.m)} columns is out of reach"))
    if not guarantee.vacuous and guarantee.reason:
        rows.append(("Note", guarantee.reason))
    if answer.lower_bound is not None:
        rows_too = "" if answer.k is None else f" or {integer_text(answer.lower_bound.k)} synthetic records"
        rows.append(
            (
                "Limit",
                f"{fewest_possible(answer.lower_bound)}{rows_too}: no mechanism "
                "with this privacy keeps this promise for every data set (synthbounds.lower-bound); "
                f"{nearest_text(answer.lower_bound.ratio, 3)} times as many suffice",
            )
        )
    if answer.unbiased_limit is not None:
        rows.append(
            (
                "Unbiased",
                "no unbiased mechanism with this privacy keeps the standard deviation of every answer below "
                f"{down(answer.unbiased_limit.lo)} at n records (synthbounds.unbiased-limit); biased ones may",
            )
        )
    if answer.lower_bound is None and not guarantee.any_data and answer.edition == "sharp":
        rows.append(("Limit", "we know no lower bound for independently drawn records"))
    return Facts(tuple(rows))


def _terms(answer: Requirement) -> Table:
    return Table(
        "Terms (every integer proved at its value, and refuted one below)",
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
        legend="binds",
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
