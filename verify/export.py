"""The ledger as one file: everything declared, without the checks, for programs that do not run ours.

`synthbounds verify --export FILE` writes it, `read_export` reads it strictly, and a ledger that was read is written out
again byte for byte. What a check finds is not part of it: `expected` is the verdict that the check must reach.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar

from bounds.errors import DataError
from bounds.papers import PAPERS
from bounds.shown import Shown
from release.files.digest import digest_of
from release.files.fields import read_choice, read_whole, require_digest, require_version
from release.files.strict_json import is_text, parse_json, read_json_file, require_object, shown
from verify.claim import Claim, Evidence, Kind, Lost, Method, Scope, Severity, Verdict, Withdrawn, not_run
from verify.counts import papers_of
from verify.ledger import all_claims, all_withdrawn

KIND, VERSION = "synthbounds_claims", 1
CLAIM_ID = r"[a-z]+[0-9]*\.[A-Za-z0-9_.'-]+"
THEOREM_ID = r"[a-z]+[0-9]*\.[a-z0-9-]+"
_FIELDS = {KIND, "papers", "claims", "withdrawn", "digest"}
_TEXTS = ("id", "paper", "locator", "statement")
_MAYBE = ("quote", "quote_lost", "formula", "corrected", "root", "lemma")
_LISTS = {"hypotheses": "(?s:.*)", "theorems": THEOREM_ID, "depends_on": CLAIM_ID}
"""Lists, with the pattern of their texts."""
_CHOICES: dict[str, type[Enum]] = {
    "expected": Verdict,
    "severity": Severity,
    "scope": Scope,
    "kind": Kind,
    "method": Method,
}
_Choice = TypeVar("_Choice", bound=Enum)


@dataclass(frozen=True)
class Source:
    """A paper as the ledger read it."""

    key: str
    reference: str
    version: str
    text_digest: str
    """SHA-256 of the text that was read; empty for our own pages."""


@dataclass(frozen=True)
class Export(Shown):
    """A ledger: this one, or one from a file, whose claims have no checks."""

    papers: tuple[Source, ...]
    claims: tuple[Claim, ...]
    withdrawn: tuple[Withdrawn, ...]

    def to_json(self) -> dict[str, Any]:
        """The JSON object of its file."""
        body = {
            KIND: VERSION,
            "papers": [
                {"key": p.key, "reference": p.reference, "version": p.version, "text_digest": p.text_digest or None}
                for p in self.papers
            ],
            "claims": [claim_json(claim) for claim in self.claims],
            "withdrawn": [{"id": w.id, "reason": w.reason, "see": w.see or None} for w in self.withdrawn],
        }
        return {**body, "digest": digest_of(body)}

    def to_text(self) -> str:
        return json.dumps(self.to_json(), indent=1, ensure_ascii=False) + "\n"


def claim_json(claim: Claim) -> dict[str, Any]:
    """A claim as it is declared."""
    quote, lost = (None, claim.quote.reason) if isinstance(claim.quote, Lost) else (claim.quote or None, None)
    return {
        "id": claim.id,
        "paper": claim.paper,
        "locator": claim.locator,
        "quote": quote,
        "quote_lost": lost,
        "statement": claim.statement,
        "formula": claim.formula or None,
        "hypotheses": list(claim.hypotheses),
        "expected": claim.expected.value,
        "severity": claim.severity.value,
        "scope": claim.scope.value,
        "kind": claim.kind.value,
        "method": claim.method.value,
        "routes": 1 if claim.again is None else 2,
        "corrected": claim.corrected or None,
        "theorems": list(claim.theorems),
        "depends_on": list(claim.depends_on),
        "root": claim.root or None,
        "lemma": claim.lemma or None,
    }


def ledger_export() -> Export:
    """The export of the current ledger."""
    claims, withdrawn = all_claims(), all_withdrawn()
    keys = {entry.id.partition(".")[0] for entry in withdrawn} | set(papers_of(claims))
    sources = (PAPERS[key] for key in sorted(keys))
    return Export(
        tuple(Source(p.key, p.reference, p.version, p.text_digest) for p in sources),
        claims,
        withdrawn,
    )


def read_export(path: str | Path) -> Export:
    """The ledger in a file; refused if anything is inconsistent."""
    return parse_export(*read_json_file(path, "claims"))


def parse_export(text: str, where: str = "claims") -> Export:
    """The ledger in the text of a file."""
    fields = require_object(parse_json(text, where), where, _FIELDS)
    require_version(fields, KIND, VERSION, where)
    require_digest(fields, where)
    found = Export(
        tuple(_source(item, at) for item, at in _items(fields, "papers", where)),
        tuple(_claim(item, at) for item, at in _items(fields, "claims", where)),
        tuple(_withdrawn(item, at) for item, at in _items(fields, "withdrawn", where)),
    )
    _require_fit(found, where)
    return found


def _items(fields: dict[str, Any], name: str, where: str) -> Iterable[tuple[object, str]]:
    if not isinstance(fields[name], list):
        raise DataError(f"{where}: {name} must be a list")
    return [(item, f"{where}: {name}[{i}]") for i, item in enumerate(fields[name])]


def _source(body: object, where: str) -> Source:
    fields = require_object(body, where, {"key", "reference", "version", "text_digest"})
    key, reference, version = (_text(fields, name, where) for name in ("key", "reference", "version"))
    return Source(key, reference, version, _maybe(fields, "text_digest", where))


def _withdrawn(body: object, where: str) -> Withdrawn:
    fields = require_object(body, where, {"id", "reason", "see"})
    return Withdrawn(_text(fields, "id", where), _text(fields, "reason", where), _maybe(fields, "see", where))


def _claim(body: object, where: str) -> Claim:
    fields = require_object(body, where, {*_TEXTS, *_MAYBE, *_LISTS, *_CHOICES, "routes"})
    texts = {name: _text(fields, name, where) for name in _TEXTS}
    maybe = {name: _maybe(fields, name, where) for name in _MAYBE}
    lists = {name: _list(fields, name, pattern, where) for name, pattern in _LISTS.items()}
    routes = read_whole(fields["routes"], f"{where}: routes", least=1)
    if routes > 2 or (maybe["quote"] and maybe["quote_lost"]):
        raise DataError(f"{where}: has more than two routes, or a quotation that is lost")
    return Claim(
        id=texts["id"],
        paper=texts["paper"],
        locator=texts["locator"],
        statement=texts["statement"],
        expected=_choice(fields, "expected", Verdict, where),
        method=_choice(fields, "method", Method, where),
        check=_not_here,
        corrected=maybe["corrected"],
        theorems=lists["theorems"],
        formula=maybe["formula"],
        hypotheses=lists["hypotheses"],
        again=_not_here if routes == 2 else None,
        quote=Lost(maybe["quote_lost"]) if maybe["quote_lost"] else maybe["quote"],
        severity=_choice(fields, "severity", Severity, where),
        scope=_choice(fields, "scope", Scope, where),
        depends_on=lists["depends_on"],
        root=maybe["root"],
        kind=_choice(fields, "kind", Kind, where),
        lemma=maybe["lemma"],
    )


def _not_here() -> Evidence:
    """A file has no checks."""
    return not_run("the check is not in the file")


def _choice(fields: dict[str, Any], name: str, kind: type[_Choice], where: str) -> _Choice:
    return kind(read_choice(fields[name], (member.value for member in kind), f"{where}: {name}"))


def _text(fields: dict[str, Any], name: str, where: str) -> str:
    if not is_text(fields[name]) or not fields[name]:
        raise DataError(f"{where}: {name} = {shown(fields[name])}: must be text")
    return str(fields[name])


def _maybe(fields: dict[str, Any], name: str, where: str) -> str:
    return "" if fields[name] is None else _text(fields, name, where)


def _list(fields: dict[str, Any], name: str, pattern: str, where: str) -> tuple[str, ...]:
    items = fields[name]
    if not isinstance(items, list) or not all(is_text(item) and re.fullmatch(pattern, item) for item in items):
        raise DataError(f"{where}: {name} must be a list of {'names' if pattern != _LISTS['hypotheses'] else 'texts'}")
    return tuple(str(item) for item in items)


def _require_fit(found: Export, where: str) -> None:
    """Every name stands for exactly one thing, and for something that exists."""
    papers, ids = {p.key for p in found.papers}, {c.id for c in found.claims}
    once = ids | {w.id for w in found.withdrawn}
    if len(papers) < len(found.papers) or len(once) < len(found.claims) + len(found.withdrawn):
        raise DataError(f"{where}: a name stands for two things")
    for name in sorted(once):
        if not re.fullmatch(CLAIM_ID, name):
            raise DataError(f"{where}: {shown(name)} is not the name of a claim")
    for claim in found.claims:
        if claim.paper not in papers:
            raise DataError(f"{where}: {claim.id} is of {shown(claim.paper)}, which is not among the papers")
        for other in (*claim.depends_on, claim.root or claim.id):
            if other not in ids:
                raise DataError(f"{where}: {claim.id} names {shown(other)}, which is not among the claims")
    for entry in found.withdrawn:
        if entry.see and entry.see not in ids:
            raise DataError(f"{where}: {entry.id} names {shown(entry.see)}, which is not among the claims")
