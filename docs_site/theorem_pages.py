"""One page per theorem, from the registry: statement in LaTeX, editions, hypotheses, what was wrong, the proof."""

from __future__ import annotations

import re
from typing import Any

from bounds.model import Theorem
from bounds.papers import PAPERS
from bounds.quantities import SYMBOLS
from docs_site.ledger_pages import address
from docs_site.mathml import in_table
from docs_site.text import bullets, demoted, plain, table
from synthbounds.render.statements import EDITIONS_IN_WORDS, explain_payload, symbols_of
from verify.claim import AGAINST, Claim, Verdict

_KINDS = {
    "sufficient": "sizes that suffice",
    "necessary": "sizes that no mechanism can go below",
    "value": "a helper statement with a value",
}


def theorem_page(theorem: Theorem, claims: tuple[Claim, ...], proofs: dict[str, str]) -> str:
    """The page as Markdown; `proofs` are the proof pages by name, with links as in docs/proofs."""
    found = explain_payload(theorem)
    paper = theorem.citation.paper
    facts = [
        ("id", f"`{theorem.id}`"),
        ("where", f"{plain(theorem.citation.locator)} of [{paper}](index.md#{paper})"),
        ("what it gives", _KINDS[theorem.direction]),
        ("needs", "; ".join(f"${in_table(SYMBOLS[n].latex)}$ {plain(m)}" for n, m in found["needs"].items())),
    ]
    if theorem.see_also:
        facts.append(("see also", ", ".join(f"[{other}]({other}.md)" for other in theorem.see_also)))
    parts = [
        f"# {plain(theorem.title)}",
        f"**{plain(theorem.guarantee)}**",
        table(("", ""), facts),
        *(_edition(edition) for edition in found["editions"]),
        _symbols(theorem),
        _findings(theorem, claims),
        _dependencies(theorem, proofs),
        _proof(theorem, proofs),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _edition(edition: dict[str, Any]) -> str:
    name = edition["edition"]
    parts = [f"## {name.capitalize()} edition", EDITIONS_IN_WORDS[name]]
    if edition["changes"]:
        said = "Choices where the paper leaves something open, and notes:" if name == "printed" else "What changed:"
        parts += [said, bullets(plain(change) for change in edition["changes"])]
    for route in edition["routes"]:
        parts += [f"### {plain(route['route'])} {{: #{name}-{_slug(route['route'])} }}", f"{plain(route['summary'])}."]
        parts += [f"{plain(term['name'])}:\n\n$${term['latex']}$$" for term in route["terms"]]
        if route["where"]:
            parts.append("where")
            parts += [f"{plain(row['name'])}:\n\n$${row['latex']}$$" for row in route["where"]]
        if route["hypotheses"]:
            parts += ["provided that", bullets(plain(_names_as_code(text)) for text in route["hypotheses"])]
    return "\n\n".join(parts)


def _names_as_code(text: str) -> str:
    """Names such as linear_norm, which the table of symbols explains, are shown as names."""
    return re.sub(r"\b[a-z]+_\w+\b", lambda m: f"`{m.group()}`" if m.group() in SYMBOLS else m.group(), text)


def _slug(text: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())


def _symbols(theorem: Theorem) -> str:
    rows = [(f"${in_table(latex)}$", f"`{name}`", plain(meaning)) for name, latex, meaning in symbols_of(theorem)]
    return "## Symbols\n\n" + table(("symbol", "name", "meaning"), rows) if rows else ""


def _findings(theorem: Theorem, claims: tuple[Claim, ...]) -> str:
    """What the ledger says about the theorem: first claims against it, then conditions."""
    ours = [claim for claim in claims if theorem.id in claim.theorems]
    if not ours:
        return ""
    parts = ["## What was wrong, and what holds"]
    against = [claim for claim in ours if claim.expected in AGAINST]
    if against:
        parts += ["Does not hold as printed:", bullets(_finding(claim) for claim in against)]
    conditions = [claim for claim in ours if claim.expected is Verdict.CONFIRMED_WITH_CONDITIONS]
    if conditions:
        parts += ["Holds with conditions:", bullets(_finding(claim) for claim in conditions)]
    rest = [claim for claim in ours if claim not in against and claim not in conditions]
    if rest:
        parts += ["Also in the ledger:", bullets(f"{claim_link(claim)}: {claim.expected.value}" for claim in rest)]
    return "\n\n".join(parts)


def _finding(claim: Claim) -> str:
    text = f"{claim_link(claim)}, {plain(claim.locator)} ({claim.expected.value}): {plain(claim.statement)}"
    word = "Instead" if claim.expected in AGAINST else "Note"
    return f"{text} *{word}:* {plain(claim.corrected)}" if claim.corrected else text


def claim_link(claim: Claim) -> str:
    return f"[`{claim.id}`](../{address(claim.id)})"


def _proof(theorem: Theorem, proofs: dict[str, str]) -> str:
    names = dict.fromkeys(edition.proof for edition in theorem.editions if edition.proof)
    elsewhere = [f"[{name}]({name}.md)" for name in names if name != theorem.id]
    parts = ["## Proof"]
    if elsewhere:
        parts.append(f"{'See' if theorem.id not in names else 'See also'} the proof on {', '.join(elsewhere)}.")
    if theorem.id in names:
        parts.append(demoted(proofs[theorem.id].split("\n", 1)[1].strip()))
    return "\n\n".join(parts)


_PROOF_LINK = re.compile(r"\]\(([a-z0-9]+\.[a-z0-9-]+)\.md\b")


def _dependencies(theorem: Theorem, proofs: dict[str, str]) -> str:
    """The proofs to which this one refers, and those that refer to it."""
    links = {
        name: set(_PROOF_LINK.findall(text)) & set(proofs) - {name} for name, text in proofs.items() if "." in name
    }
    ours = {edition.proof for edition in theorem.editions if edition.proof}
    rests = sorted(set().union(*(links[name] for name in ours)) - ours)
    used = sorted(name for name, found in links.items() if name not in ours and found & ours)
    both = (("its proof refers to", rests), ("proofs that refer to it", used))
    rows = [(words, ", ".join(f"[{name}]({name}.md)" for name in names)) for words, names in both if names]
    return "## What it rests on\n\n" + table(("", ""), rows) if rows else ""


def theorem_index(theorems: tuple[Theorem, ...]) -> str:
    """All theorems, by paper."""
    parts = [
        "# Theorems",
        "Every statement has up to three editions: *printed*, *corrected* and *sharp*. The formulas on these pages are "
        "those that are computed: each is one function, run here on symbols. `synthbounds explain ID` shows the same.",
    ]
    for paper in sorted({theorem.citation.paper for theorem in theorems}):
        ours = [theorem for theorem in theorems if theorem.citation.paper == paper]
        rows = [
            (
                f"[{t.id}]({t.id}.md)",
                plain(t.citation.locator),
                ", ".join(e.name for e in t.editions),
                _KINDS[t.direction],
                plain(t.title),
            )
            for t in ours
        ]
        parts += [f"## {paper}", f"{plain(PAPERS[paper].reference)}."]
        parts.append(table(("id", "where", "editions", "what it gives", "title"), rows))
    return "\n\n".join(parts) + "\n"
