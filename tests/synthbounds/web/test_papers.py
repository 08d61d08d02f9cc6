"""The page of errata and theorems has everything, says it like the commands, and has no markup but MathML."""

from __future__ import annotations

import gzip
import json
import re
from functools import cache
from typing import Any
from xml.etree.ElementTree import Element, fromstring

import pytest

from bounds.papers import PAPERS
from bounds.registry import all_theorems
from synthbounds.render.mathml import mathml
from synthbounds.web.engine import respond
from synthbounds.web.papers import papers_text
from tests.synthbounds.test_cli import run
from verify.claim import AGAINST, Lost, Severity
from verify.counts import headline
from verify.ledger import all_claims

NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"
CHILDREN = {"mfrac": 2, "msub": 2, "msup": 2, "msubsup": 3, "mroot": 2, "mover": 2}
ANY_NUMBER = {"math", "mrow", "msqrt"}
TEXT = {"mi", "mn", "mo", "mtext", "mspace"}
ATTRIBUTES = set("accent display fence form linethickness lspace maxsize minsize rspace stretchy width".split())
MOST_BYTES = {"claims": 68_000, "everything": 120_000}
"""Gzipped, as a reader of the page waits for them."""


@cache
def data() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(papers_text())
    return found


def theorems() -> dict[str, dict[str, Any]]:
    return {theorem["theorem"]: theorem for theorem in data()["theorems"]}


def test_every_claim_is_there_as_declared() -> None:
    told = {claim["id"]: claim for claim in data()["claims"]}
    assert list(told) == [claim.id for claim in all_claims()]
    for claim in all_claims():
        said = told[claim.id]
        assert (said["paper"], said["locator"], said["statement"]) == (claim.paper, claim.locator, claim.statement)
        assert (said["expected"], said["method"]) == (claim.expected.value, claim.method.value)
        assert said.get("corrected", "") == claim.corrected
        assert said.get("formula", "") == claim.formula
        assert tuple(said.get("hypotheses", ())) == claim.hypotheses
        assert tuple(said.get("theorems", ())) == claim.theorems
        assert said.get("against", False) == (claim.expected in AGAINST)
        quote, lost = (None, claim.quote.reason) if isinstance(claim.quote, Lost) else (claim.quote or None, None)
        assert (said.get("quote"), said.get("quote_lost")) == (quote, lost)
        assert said.get("severity", Severity.NONE.value) == claim.severity.value
        assert data()["versions"][claim.paper] == claim.version
        assert (tuple(said.get("depends_on", ())), said.get("root", "")) == (claim.depends_on, claim.root)
        assert said.get("twice", False) or claim.expected not in AGAINST  # those have two routes
        assert said["expected"] in data()["verdicts"]
    assert data()["severities"] == [severity.value for severity in Severity if severity is not Severity.NONE]
    assert headline(all_claims()) in data()["note"]
    assert set(data()["verdicts"][:2]) == {verdict.value for verdict in AGAINST}


def test_every_theorem_and_every_source_is_there() -> None:
    assert theorems().keys() == all_theorems().keys()
    for name, theorem in all_theorems().items():
        said = theorems()[name]
        assert tuple(said.get("see_also", ())) == theorem.see_also
        assert [edition["edition"] for edition in said["editions"]] == [edition.name for edition in theorem.editions]
        assert all(edition["edition"] in data()["editions"] for edition in said["editions"])
    assert [source["key"] for source in data()["sources"]] == list(PAPERS)


@pytest.mark.parametrize("name", ["zhou2024.logistic-private", "bojkovic2024.histogram", "synthbounds.rows"])
def test_a_theorem_says_what_explain_says(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    explained = json.loads(run(["explain", name, "--format", "json"], capsys)[0])
    said = theorems()[name]
    for field in ("title", "guarantee", "citation", "direction", "needs"):
        assert said[field] == explained[field]
    for told, expected in zip(said["editions"], explained["editions"], strict=True):
        assert told.get("changes", []) == expected["changes"]
        assert told.get("proof") == expected["proof"]
        for route, same in zip(told["routes"], expected["routes"], strict=True):
            assert (route["route"], route["summary"]) == (same["route"], same["summary"])
            assert route.get("hypotheses", []) == same["hypotheses"]
            for rows in ("terms", "where"):
                shown = [(row["name"], data()["formulas"][row["formula"]]) for row in route.get(rows, [])]
                assert shown == [(row["name"], mathml(row["latex"], display=True)) for row in same[rows]]


def check(element: Element) -> None:
    """Known elements alone, each with as many children as it must have, and no attribute that could act."""
    name = element.tag.removeprefix(NAMESPACE)
    assert element.tag == NAMESPACE + name
    assert set(element.keys()) <= ATTRIBUTES, element.keys()
    if name in CHILDREN:
        assert len(element) == CHILDREN[name], name
    else:
        assert name in ANY_NUMBER | TEXT
        assert not (name in TEXT and len(element))
    for child in element:
        assert not (child.tail or "").strip()
        check(child)


def test_formulas_are_mathml_and_nothing_else() -> None:
    assert len(set(data()["formulas"])) == len(data()["formulas"]) > 300
    for formula in data()["formulas"]:
        root = fromstring(formula)  # noqa: S314 - our own
        assert root.tag == NAMESPACE + "math"
        check(root)
        for accented in root.iter(NAMESPACE + "mover"):  # the hat of an estimate is a sign of its own
            accented[1].text = (accented[1].text or "").replace("^", "hat")
        shown = "".join(root.itertext())
        assert shown.strip()
        assert not re.search(r"[\\{}_^$]|mathrm|frac", shown), shown
    used = json.dumps(data()["theorems"])
    assert {int(number) for number in re.findall(r'"formula": (\d+)', used)} == set(range(len(data()["formulas"])))


def test_a_name_keeps_its_distance_from_a_factor() -> None:
    spaced = mathml(r"2 \log x + \log y", display=False)
    assert spaced.count("<mspace") == 1
    assert '<mn>2</mn><mspace width="0.17em" /><mi>log</mi>' in spaced
    check(fromstring(mathml(r"\frac{a \log b}{c^{\log d}}", display=False)))  # noqa: S314 - our own


def test_the_page_stays_small() -> None:
    def gzipped(text: str) -> int:
        return len(gzip.compress(text.encode()))

    assert gzipped(json.dumps(data()["claims"])) <= MOST_BYTES["claims"]
    assert gzipped(papers_text()) <= MOST_BYTES["everything"]


VISITOR = {
    "sizes": ("require", {"p": "4", "degree": "2", "accuracy": "0.4"}),
    "risk": ("risk", {"features": "4", "radius": "1", "dp-delta": "1e-6", "n": "9999"}),
}


def test_asking_with_a_theorem_reaches_that_theorem() -> None:
    """With what a visitor has filled in, or told by name what that theorem needs besides."""
    answered = 0
    for name, theorem in theorems().items():
        if "ask" not in theorem:
            continue
        address = dict(theorem["ask"])
        command, filled = VISITOR[address.pop("view")]
        for edition in theorem["editions"]:
            options = {**filled, **address, "epsilon": "1", "failure": "0.1", "edition": edition["edition"]}
            (line,) = respond(json.dumps({"ask": "answer", "command": command, "options": options}))
            told = json.loads(line)
            if told["exit_code"] == 0:
                answered += 1
                assert told["body"]["theorem"].removesuffix("-private") == name.removesuffix("-private")
            else:
                assert told["exit_code"] in (2, 4), told["error"]
                assert "does not bound" not in told["error"]
                assert "helper statement" not in told["error"]
    assert answered >= 20
