"""The sheet of what is concluded from a release: the sentence, intervals or edges as pictures, what not to conclude."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from bounds.privacy.statements import DP
from mechanisms.infer.findings import About, Interval, Kind
from synthbounds.render.document import Answer, Document, Stamp, Title
from synthbounds.render.inferred import KINDS, Said
from synthbounds.report import cautions
from synthbounds.report.inference_pictures import pictures
from synthbounds.report.one_person import one_person
from synthbounds.report.sheet import Cautions, Certified, Details, Part, Sheet
from synthbounds.report.spending import spending_of

if TYPE_CHECKING:
    from mechanisms.infer.chi_square.answers import PValue
    from release.private_release import Release

NOTHING_MORE = "Asking a release spends nothing: only what was released before is used."
ONE_QUESTION = (
    "A level applies to one question, fixed before the answer was seen. Among many questions some answers fail, and an "
    "answer picked for what it says fails more often than its level says."
)
POPULATION = (
    "What is said about a population assumes that the records were drawn from it independently. Whether they were is "
    "not known here."
)
NOT_CAUSES = "That columns go together says nothing about causes."
TABLE_PART = "What is said about the table concerns the people in it, not others."
CONFIDENCE_OF_BOTH = (
    "Confidence is about the noise, and for the population also about which records were drawn: a statement fails with "
    "the small remaining probability, and nobody can see whether it did."
)
CONFIDENCE_OF_A_TEST = (
    "A p-value accounts for the noise and for which records were drawn: a true hypothesis is rejected with the small "
    "probability stated, and nobody can see whether it was. Not to reject a hypothesis does not show that it is true."
)
_VERDICTS: dict[Kind, str] = {"exact": "exact", "asymptotic": "a limit of many records", "simulated": "simulated"}


def inference_sheet(found: Any, said: Said, release: Release) -> Sheet:
    """From the answer, and how the command says it."""
    document = said.document(release)
    title = next(block for block in document if isinstance(block, Title))
    parts: list[Part] = [
        _sentence(document, found, said.conclusions),
        *pictures(said.question, found, said.conclusions),
    ]
    if release.cost is not None:
        person = one_person(release.cost, is_simulated=release.is_simulated)
        parts += [] if person is None else [person]
        parts.append(spending_of(release.cost, is_simulated=release.is_simulated, note=NOTHING_MORE))
    warned = Cautions(tuple(_warned(said.question, {one.about for one in said.conclusions})))
    stamp = next((block.text for block in document if isinstance(block, Stamp)), None)
    return Sheet(title.text, "", (*parts, warned, Details(document)), stamp=stamp)


def _warned(question: str, about: set[About]) -> Iterator[str]:
    """Whom it is about decides what may not be concluded, and what its confidence accounts for."""
    yield ONE_QUESTION
    if "population" in about:
        yield POPULATION
    if "table" in about:
        yield TABLE_PART if "population" in about else cautions.NOT_THE_POPULATION
    if question != "proportion":
        yield NOT_CAUSES
    if question in ("chi2", "fit"):
        yield CONFIDENCE_OF_A_TEST
    else:
        yield CONFIDENCE_OF_BOTH if "population" in about else cautions.CONFIDENCE
    yield cautions.NOT_A_LEGAL_OPINION


def inference_plan_sheet(document: Document, privacy: DP) -> Sheet:
    """What to expect before anything is spent, and what it would mean for one person: nothing in it is certified."""
    title = next(block for block in document if isinstance(block, Title))
    person = one_person(privacy)
    parts: tuple[Part, ...] = (
        Certified(_first(document), "An estimate: nothing is released yet", is_neutral=True),
        *(() if person is None else (person,)),
        Cautions((cautions.ONLY_A_PLAN, ONE_QUESTION, cautions.NOT_A_LEGAL_OPINION)),
        Details(document),
    )
    return Sheet(title.text, "Before anything is spent", parts)


def _sentence(document: Document, found: Any, conclusions: Sequence[Interval]) -> Certified:
    """What it says, and in which senses its levels hold; for a test, the sense of the p-value."""
    p_value: PValue | None = getattr(found, "simulated", None)
    if p_value is not None:
        return Certified(_first(document), f"The p-value is {_VERDICTS[p_value.kind]}", is_neutral=True)
    kinds: dict[About, list[Kind]] = {}
    for one in conclusions:
        known = kinds.setdefault(one.about, [])
        if one.kind not in known:
            known.append(one.kind)
    found_kinds = list(dict.fromkeys(kind for known in kinds.values() for kind in known))
    if len(found_kinds) == 1:
        (kind,) = found_kinds
        return Certified(_first(document), f"The level is {_VERDICTS[kind]}", f"{KINDS[kind]}.", is_neutral=True)
    told = "; ".join(_level(about, known) for about, known in kinds.items())
    counted = "two" if len(found_kinds) == 2 else "three"
    return Certified(_first(document), f"Levels of {counted} kinds", f"{told}.", is_neutral=True)


def _level(about: About, kinds: Sequence[Kind]) -> str:
    """That of the first conclusion about it, and others if they differ."""
    others = " or ".join(kinds[1:])
    return f"in the {about} {KINDS[kinds[0]]}" + (f", except where it says {others}" if others else "")


def _first(document: Document) -> str:
    """The sentence below the title, or else the first number with its meaning."""
    title = next(block for block in document if isinstance(block, Title))
    if title.subtitle:
        return title.subtitle
    name, value, meaning = next(row for block in document if isinstance(block, Answer) for row in block.rows)
    return f"{name} {value}: {meaning}"
