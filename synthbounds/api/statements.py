"""Theorems and papers: what is stated where, in which editions, what it gives at your numbers, and how to cite it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bounds.errors import NotApplicable, ParameterError, UsageError, shorten
from bounds.exact import Exact
from bounds.shown import Rows, Shown

if TYPE_CHECKING:
    from bounds.model import Edition, Theorem
    from bounds.papers import Paper
    from bounds.values import ValueResult

__all__ = ["Explained", "cite", "evaluate", "explain", "theorem", "theorems"]


@dataclass(frozen=True)
class Explained(Shown):
    """A theorem, and its values if numbers were given."""

    theorem: Theorem
    values: tuple[ValueResult, ...]


def theorems(*, where: str | None = None, paper: str | None = None) -> Rows[Theorem]:
    """Every statement in the registry, by id, or only those of one paper or at a place such as "Theorem 2.3".

    >>> any(t.id == "bojkovic2024.uniform" for t in theorems(paper="bojkovic2024"))
    True
    """
    from bounds.model import Theorem
    from bounds.papers import find_paper
    from bounds.registry import all_theorems

    known = tuple(all_theorems().values())
    if where is not None:
        known = _standing_at(where, known)
    key = None if paper is None else find_paper(paper).key
    return Rows((t for t in known if key in (None, t.citation.paper)), of=Theorem)


def _standing_at(where: str, known: tuple[Theorem, ...]) -> tuple[Theorem, ...]:
    from bounds.numbering import read_place, standing_at

    place = read_place(where)
    if place is None:
        from bounds.papers import PAPERS

        hint = f"see `synthbounds list --paper {where}`" if where in PAPERS else ""
        raise ParameterError("where", where, "a place of a paper, such as 'Theorem 3.2' or 'zhou2024 3.6'", hint)
    found = standing_at(place, [(t.citation.paper, t.citation.locator, t) for t in known])
    if not found:
        raise UsageError(f"no theorem here is at {shorten(where)}{_claims_there(where)}")
    return found


def _claims_there(where: str) -> str:
    """Where to look instead, if a claim of a paper stands there."""
    from verify.ledger import all_claims, claims_at

    try:
        stands = bool(claims_at(where, all_claims()))
    except UsageError:  # in several papers
        stands = True
    return (
        f": see `synthbounds verify --id '{shorten(where)}'` for claims"
        if stands
        else ", and no claim of a paper either"
    )


def theorem(theorem_id: str) -> Theorem:
    """One statement by its id, or by the number that its paper gives it.

    >>> theorem("bojkovic2024.uniform").citation.locator
    'Theorem B.1'
    """
    from bounds.registry import NoTheoremThere, find_theorem

    try:
        return find_theorem(theorem_id)
    except NoTheoremThere as error:
        raise UsageError(f"{error}{_claims_there(theorem_id)}") from None


def evaluate(theorem_id: str, *, edition: str | None = None, **quantities: Exact) -> Rows[ValueResult]:
    """The value that a helper statement gives, in every edition, enclosed.

    >>> for row in evaluate("bojkovic2024.max-laplace", sigma=1, count=256, gamma=".05"):
    ...     print(row.edition, row.value.decimal(6)[1])
    printed 110.904
    corrected 8.54091
    sharp 8.51548
    """
    from bounds.values import ValueResult, evaluate_value

    return Rows(evaluate_value(theorem(theorem_id), quantities, edition), of=ValueResult)


def explain(
    id: str,  # noqa: A002 - as the option
    *,
    at: str | Mapping[str, Exact] | None = None,
    edition: str | None = None,
) -> Explained:
    """A theorem with its editions, or one of them, and, at numbers such as "sigma=1,count=256,gamma=0.05", its values.

    >>> [row.edition for row in explain("bojkovic2024.max-laplace", at="sigma=1,count=256,gamma=0.05").values]
    ['printed', 'corrected', 'sharp']
    """
    from bounds.values import evaluate_value

    stated = theorem(id)
    if edition is not None:
        stated = replace(stated, editions=(_edition_of(stated, edition),))
    if at is None:
        return Explained(stated, ())
    values = evaluate_value(stated, _assignments(at) if isinstance(at, str) else at, edition)
    if all(v.value is None for v in values):
        raise NotApplicable(f"{stated.id} gives no value there: {values[0].reason}")
    return Explained(stated, values)


def _edition_of(stated: Theorem, name: str) -> Edition:
    from bounds.model import EDITIONS

    found = stated.edition(name)
    if found is None:
        if name not in EDITIONS:
            raise ParameterError("edition", name, f"one of {', '.join(EDITIONS)}")
        has = ", ".join(e.name for e in stated.editions)
        raise NotApplicable(f"{stated.id} has no {name} edition (it has: {has})")
    return found


def cite(what: str = "synthbounds") -> Rows[Paper]:
    """The papers to cite for a theorem (by its id or its number in the paper), for a paper or for this tool.

    >>> [paper.key for paper in cite("bojkovic2024.uniform")][:1]
    ['bojkovic2024']
    """
    from bounds.nearest import did_you_mean
    from bounds.numbering import read_place
    from bounds.papers import PAPERS, find_paper, sources_of
    from bounds.registry import all_theorems, theorems_at

    if what in PAPERS:
        return _cited(sources_of(what))
    if what in all_theorems():
        # corrected and sharp editions are stated and proved here
        sources = (*sources_of(theorem(what).citation.paper), find_paper("synthbounds"))
        return _cited(sources)
    place = read_place(what)
    if place is None:
        hint = did_you_mean(what, [*PAPERS, *all_theorems()], "see `synthbounds list`")
        raise UsageError(f"{what[:60]!r} is neither a theorem nor a paper: {hint}")
    found = theorems_at(place)
    keys = {t.citation.paper for t in found} or {place.paper} - {""}
    if len(keys) == 1:
        ours = (find_paper("synthbounds"),) if found else ()
        return _cited((*sources_of(keys.pop()), *ours))
    whose = f"stands in {', '.join(sorted(keys))}" if keys else "is no theorem here"
    raise UsageError(f"{shorten(what)} {whose}: name the paper, as in 'zhou2024 {shorten(what)}'")


def _cited(papers: Iterable[Paper]) -> Rows[Paper]:
    """Each once; the tool with its version, which the mathematics does not know."""
    from bounds.papers import Paper
    from synthbounds._version import __version__

    version = ("version", __version__)
    return Rows(
        (replace(p, fields=(*p.fields, version)) if p.key == "synthbounds" else p for p in dict.fromkeys(papers)),
        of=Paper,
    )


def _assignments(text: str) -> dict[str, object]:
    pairs: dict[str, object] = {}
    for part in text.split(","):
        name, equals, value = part.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise ParameterError("at", text, "NAME=VALUE pairs separated by commas, such as sigma=1,count=256")
        if name.strip() in pairs:
            raise ParameterError("at", text, "without repetition", f"{name.strip()} is given twice")
        pairs[name.strip()] = value.strip()
    return pairs
