"""The sheet of a certificate for a model, from a release or by a query, and of the plan of one."""

from __future__ import annotations

from dataclasses import replace

from bounds.certify.verdict import INFORMATIVE, VACUOUS, WEAK
from bounds.privacy.ledger import Ledger
from bounds.privacy.statements import DP
from synthbounds.render.document import Answer, Document, Stamp, Title
from synthbounds.render.sentences import PLAN_IS_AN_ESTIMATE
from synthbounds.report import cautions
from synthbounds.report.one_person import one_person
from synthbounds.report.sheet import Cautions, Certified, Details, Part, Sheet
from synthbounds.report.spending import spending_of

NOTHING_MORE = "Certifying a model spends nothing: only what was released before is used."
_SAID = {INFORMATIVE: "says something", WEAK: "is weak", VACUOUS: "says nothing"}
_NEAR = "no model it is compared with can be better by more than {}"


def certificate_sheet(
    document: Document, *, cost: Ledger | None, is_simulated: bool, note: str = NOTHING_MORE, left: str | None = None
) -> Sheet:
    """From the answer as the command prints it, whose title is the sentence and whose rows are its numbers."""
    title = next(block for block in document if isinstance(block, Title))
    rows = {name: (value, meaning) for name, value, meaning in _rows(document)}
    word, reason = rows.get("verdict", ("", ""))
    says = word in ("", INFORMATIVE)
    parts: list[Part] = [Certified(title.subtitle, _verdict(word, reason), _in_other_words(rows), says)]
    if cost is not None:
        person = one_person(cost, is_simulated=is_simulated)
        parts += [] if person is None else [person]
        spent = spending_of(cost, is_simulated=is_simulated, note=note)
        parts.append(replace(spent, left=left))
    said = [cautions.NOT_THE_POPULATION, cautions.NOT_CAUSES, cautions.NO_MORE_THAN_CERTIFIED, cautions.CONFIDENCE]
    if word == VACUOUS:
        said.insert(0, cautions.VACUOUS)
    elif word == WEAK:
        said.insert(0, cautions.weak(reason))
    said += [cautions.NOT_A_LEGAL_OPINION]
    stamp = next((block.text for block in document if isinstance(block, Stamp)), None)
    return Sheet(title.text, "", (*parts, Cautions(tuple(said)), Details(document)), stamp=stamp)


def _rows(document: Document) -> list[tuple[str, str, str]]:
    return [row for block in document if isinstance(block, Answer) for row in block.rows]


def _verdict(word: str, reason: str) -> str:
    return f"The certificate {_SAID[word]}: {reason}" if word else ""


def _in_other_words(rows: dict[str, tuple[str, str]]) -> str:
    """The same with the numbers that it should be compared with, as far as they are known."""
    said = []
    if "risk" in rows:
        said.append(f"the loss of this model is at most {rows['risk'][0]}")
    if "constant" in rows and "risk" in rows:
        said.append(f"giving everybody the same answer has a loss of at least {rows['constant'][0]}")
    if "gain" in rows:
        said.append(f"giving everybody the same answer has a loss larger by at least {rows['gain'][0]}")
    if "excess" in rows:
        said.append(_NEAR.format(rows["excess"][0]))
    return f"On the real table, which nobody needs to see, {'; '.join(said)}. A smaller loss is better." if said else ""


def certificate_plan_sheet(document: Document, sentence: str, privacy: DP) -> Sheet:
    """What to expect of a certificate, before anything is spent: nothing in it is certified."""
    title = next(block for block in document if isinstance(block, Title))
    expected = sentence.removesuffix(f" {PLAN_IS_AN_ESTIMATE}")
    person = one_person(privacy)
    parts: tuple[Part, ...] = (
        Certified(expected, "An estimate: nothing is certified yet", PLAN_IS_AN_ESTIMATE, False),
        *(() if person is None else (person,)),
        Cautions((cautions.ONLY_A_PLAN, cautions.NOT_CAUSES, cautions.NOT_A_LEGAL_OPINION)),
        Details(document),
    )
    return Sheet(title.text, "Before anything is spent", parts)
