"""One finding as the paper's authors read it: their words, the verdict, the counterexample, and what survives."""

from __future__ import annotations

from bounds.errors import DataError
from bounds.registry import all_theorems
from verify.claim import Claim, Lost, Scope, Severity
from verify.errata.markdown import formula, plain, quoted, sentence
from verify.graph import Graph
from verify.run import ClaimResult

NOT_RUN = "not run"
NOT_YET = "not yet asked"
"""What a page says about the authors until someone has written to them."""
_FORMAL = "verify/formal"


def entry(result: ClaimResult, graph: Graph) -> str:
    """The entry in full."""
    claim = result.claim
    facts = [
        ("Verdict", f"{claim.expected.value}; severity: {claim.severity.value}; {how(claim)} (`{claim.id}`)"),
        ("What it says", plain(claim.statement)),
        *(("Provided", plain(text)) for text in claim.hypotheses),
        *([("In symbols", formula(claim.formula))] if claim.formula else []),
        ("Found", found(result)),
        *([("What survives", plain(claim.corrected))] if claim.corrected else []),
        *([("Proved here", proofs)] if (proofs := proof_links(claim)) else []),
        *_relations(claim, graph),
        *([("Formal proof", f"lemma `{claim.lemma}` of `{_FORMAL}`, checked by Coq")] if claim.lemma else []),
        ("Authors", NOT_YET),
    ]
    lines = [f'<a id="{claim.id}"></a>', "", f"### {plain(claim.locator)}", "", quotation(claim), ""]
    return "\n".join([*lines, *(f"- **{name}:** {text}" for name, text in facts)])


def quotation(claim: Claim) -> str:
    """The paper's words, with the version that they come from."""
    if isinstance(claim.quote, Lost):
        said = f"(no quotation: {plain(claim.quote.reason)})"
    else:
        said = quoted(claim.quote) or "(no quotation)"
    return f"> {said}\n>\n> *{plain(claim.locator)}; {plain(claim.version)}*"


def short(result: ClaimResult, graph: Graph) -> str:
    """A slip in three lines."""
    claim = result.claim
    lines = [f"- **{plain(claim.locator)}** (`{claim.id}`, {claim.expected.value}): {sentence(plain(claim.statement))}"]
    if isinstance(claim.quote, str) and claim.quote:
        lines.append(f"  - The paper: {quoted(claim.quote)}")
    lines.append(f"  - Found: {found(result)}")
    if claim.corrected:
        lines.append(f"  - Instead: {plain(claim.corrected)}")
    lines += [f"  - {name}: {text}" for name, text in _relations(claim, graph)]
    return "\n".join(lines)


def found(result: ClaimResult) -> str:
    """What the check found; evidence that does not support the verdict stops the page."""
    if result.not_run:
        return NOT_RUN
    if not result.agrees:
        raise DataError(f"claim {result.claim.id}: expected {result.claim.expected.value}, found something else")
    return sentence(plain(result.evidence.text))


def how(claim: Claim) -> str:
    """How the verdict was reached."""
    covers = "" if claim.scope is Scope.IDENTITY else f", {claim.scope.value}"
    return f"by {claim.method.value}{covers}{', by two routes' if claim.again else ''}"


def proof_links(claim: Claim) -> str:
    """The proof pages of the theorems that the claim bears on."""
    known = all_theorems()
    pages = dict.fromkeys(
        edition.proof for name in claim.theorems if name in known for edition in known[name].editions if edition.proof
    )
    return ", ".join(f"[{page}](../proofs/{page}.md)" for page in pages)


def _relations(claim: Claim, graph: Graph) -> list[tuple[str, str]]:
    fallen = graph.what_falls(claim.id)
    repeats = ", ".join(f"`{other.id}` ({plain(other.locator)})" for other in fallen.repeats)
    rests = ", ".join(f"`{other.id}` ({plain(other.locator)}, {_state(other)})" for other in fallen.claims)
    falls = claim.severity in (Severity.RESULT_FALLS, Severity.PROOF_FALLS)
    word = "Falls with it, as argued in the paper" if falls else "What uses it"
    return [*([("The same in other places", repeats)] if repeats else []), *([(word, rests)] if rests else [])]


def _state(claim: Claim) -> str:
    return f"{claim.expected.value}: {claim.severity.value}" if claim.is_against else claim.expected.value
