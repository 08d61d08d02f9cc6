"""Statements and claims are found by the words with which their papers number them."""

from __future__ import annotations

import pytest

from bounds.errors import UsageError
from bounds.numbering import Numbered, numbers_of, read_place, standing_at
from bounds.registry import all_theorems, find_theorem
from synthbounds.api.ledger import verify
from synthbounds.api.statements import cite, explain, theorems
from verify.ledger import all_claims, claims_at, the_claim
from verify.run import choose

SHORT = {
    "theorem": "Thm.",
    "corollary": "Cor.",
    "lemma": "lem.",
    "proposition": "Prop.",
    "definition": "Def.",
    "claim": "claim",
    "remark": "Rem.",
    "algorithm": "Alg.",
    "figure": "Fig.",
    "table": "tab.",
    "section": "§",
    "appendix": "app.",
}
PAPERS_READ = ("bojkovic2024", "zhou2024", "ddssp2024", "vietri2022", "wang2023")


def asked(paper: str, numbered: Numbered) -> list[str]:
    """The same number in the ways in which people write it."""
    kind, number = numbered.kind, numbered.number.upper() if numbered.number[0].isalpha() else numbered.number
    if kind == "item":
        return []
    if kind == "equation":
        return [f"{paper} eq. ({number})", f"{paper} ({number})", f"{paper}, Equation {number}"]
    return [f"{paper} {kind} {number}", f"{kind.capitalize()} {number} of {paper}", f"{paper}: {SHORT[kind]} {number}"]


def test_every_claim_is_found_by_every_number_of_its_place() -> None:
    found = 0
    for claim in all_claims():
        for numbered in numbers_of(claim.locator):
            for text in asked(claim.paper, numbered) if claim.paper in PAPERS_READ else []:
                assert claim in claims_at(text, all_claims()), (claim.id, claim.locator, text)
                found += 1
    assert found > 1500


def test_every_theorem_of_a_paper_is_found_by_every_number_of_its_place() -> None:
    for theorem in all_theorems().values():
        for numbered in numbers_of(theorem.citation.locator):
            for text in asked(theorem.citation.paper, numbered):
                assert theorem in theorems(where=text), (theorem.id, text)
        if theorem.citation.paper != "synthbounds":
            assert numbers_of(theorem.citation.locator), theorem.id


def test_an_id_is_not_read_as_a_place() -> None:
    for claim in all_claims():
        assert choose(claim_id=claim.id) == (claim,)
        assert the_claim(claim.id) is claim


@pytest.mark.parametrize(
    ("text", "theorem"),
    [
        ("Theorem III.1", "bojkovic2024.histogram"),
        ("theorem iii.1", "bojkovic2024.histogram"),
        ("Corollary 3.6", "zhou2024.logistic-private"),
        ("zhou2024 3.6", "zhou2024.logistic-private"),
        ("zhou2024.3.6", "zhou2024.logistic-private"),
        ("Zhou et al. (2024), Theorem 3.2", "zhou2024.logistic"),
        ("Thm. 3.2", "zhou2024.logistic"),
        ("Lemma 3.4", "zhou2024.marginal-noise"),
        ("Claim B.5 in zhou2024", "zhou2024.error-to-risk"),
        ("Theorem 2.3, equation (2)", "zhou2024.coefficient-sum"),
        ("Bojkovic and Loh, Cor. IV.1.1", "bojkovic2024.kde-uniform"),
        ("bojkovic2024 eq. (10)", "synthbounds.renyi-bounds"),
    ],
)
def test_the_one_that_is_meant(text: str, theorem: str) -> None:
    assert find_theorem(text).id == explain(text).theorem.id == theorem


@pytest.mark.parametrize("text", ["zhou2024.logistic", "histogram", "zhou2024", "", "x" * 10**6, "Theorem"])
def test_what_is_no_place(text: str) -> None:
    assert read_place(text) is None


def test_of_several_claims_the_one_exactly_there_is_meant() -> None:
    assert the_claim("zhou2024 Lemma A.2").id == "zhou2024.LA2.statement"
    assert the_claim("Corollary 3.6").id == the_claim("zhou2024 3.6").id == "zhou2024.Cor36.statement"


def test_several_are_listed_in_one_line() -> None:
    with pytest.raises(UsageError) as told:
        explain("Theorem 2.3")
    assert str(told.value) == (
        "Theorem 2.3 stands for 3 statements: give one of zhou2024.bernstein-continuous (Theorem 2.3, equation (1) of "
        "zhou2024), zhou2024.bernstein-lipschitz (Theorem 2.3, equation (1) of zhou2024), "
        "zhou2024.coefficient-sum (Theorem 2.3, equation (2) of zhou2024)"
    )
    with pytest.raises(UsageError, match=r"Theorem 1 is in vietri2022, wang2023: name the paper"):
        choose(claim_id="Theorem 1")
    with pytest.raises(UsageError, match=r"has 13 claims: give the id of one, such as zhou2024\.F1b"):
        the_claim("zhou2024 Figure 1(b)")
    with pytest.raises(UsageError, match=r"no theorem here is at wang2023 Theorem 1: see `synthbounds verify --id"):
        explain("wang2023 Theorem 1")
    for asked in (explain, lambda place: theorems(where=place)):
        with pytest.raises(UsageError, match=r"no theorem here is at Theorem 99\.9, and no claim"):
            asked("Theorem 99.9")
    with pytest.raises(UsageError, match=r"zhou2024 is a paper.*see `synthbounds list --paper zhou2024`"):
        explain("zhou2024")
    with pytest.raises(UsageError, match=r"must be a place.*see `synthbounds list --paper zhou2024`"):
        theorems(where="zhou2024")
    with pytest.raises(UsageError, match="stands in bojkovic2024, zhou2024: name the paper"):
        cite("Lemma A.1")


def test_the_paper_decides() -> None:
    assert {claim.paper for claim in choose(claim_id="Algorithm 2", paper="vietri2022")} == {"vietri2022"}
    assert [result.claim.id for result in verify(id="wang2023 Prop. 1")] == ["wang2023.P1"]
    assert next(paper.key for paper in cite("zhou2024 3.6")) == "zhou2024"
    assert [paper.key for paper in cite("wang2023 Theorem 1")] == ["wang2023"]


def test_a_number_is_not_the_beginning_of_another() -> None:
    known = [("p", locator, locator) for locator in ("Table II", "Table 12", "Figure 1(a)", "Figure 1b", "Section 1.1")]
    for text, wanted in {
        "Table I": (),
        "Table 1": (),
        "Figure 1": ("Figure 1(a)", "Figure 1b"),
        "Section 1": (),
        "Table 12": ("Table 12",),
    }.items():
        place = read_place(text)
        assert place is not None
        assert standing_at(place, known) == wanted
