"""Pages for people: complete, without requests and safe, whatever the texts in them; every part has its form."""

from __future__ import annotations

import re
from fractions import Fraction
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounds.certify.verdict import INFORMATIVE, VACUOUS, WEAK
from bounds.enclosure import Enclosure
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from bounds.privacy.meaning import meaning
from bounds.privacy.statements import DP, ZCDP
from mechanisms.synth.log_summary import CHOICES, WIDER
from release.cross_moments.planned import CROSS, ONE_WAY
from synthbounds.render import document as blocks
from synthbounds.render.meaning import (
    chance,
    factor_words,
    meaning_payload,
    meaning_words,
    often,
    percent,
    suspicion_words,
)
from synthbounds.report import cautions
from synthbounds.report.certificate_sheet import certificate_sheet
from synthbounds.report.curve import draw_curve
from synthbounds.report.dots import draw_guesses
from synthbounds.report.frame import plain_sheet, with_warnings
from synthbounds.report.html import POLICY, render_html
from synthbounds.report.markup import element, prose
from synthbounds.report.one_person import budget_text, one_person
from synthbounds.report.sheet import (
    BarColumn,
    Bars,
    Cautions,
    CellError,
    Certified,
    Curve,
    CurveLine,
    Details,
    Graph,
    GraphEdge,
    HeatMap,
    Sheet,
    Spending,
    SpendingRow,
    WhiskerRow,
    Whiskers,
)
from synthbounds.report.spending import MOST_ROWS, spending_of

HOSTILE = "</style></title><script>alert(1)</script><img src=x onerror=alert(1)>\"'&\x00\u202e\ud800"
VOID = {"meta"}


class _Reader(HTMLParser):
    """What a page holds; complains where a tag is left open or closed twice."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self.open:
            self.text += data


def read(page: str) -> _Reader:
    reader = _Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


def document(text: str) -> blocks.Document:
    """Every block there is."""
    return (
        blocks.Title(text, text),
        blocks.Answer(((text, text, text),)),
        blocks.Vacuous(text),
        blocks.Stamp(text),
        blocks.Facts(((text, text),), text),
        blocks.Table(text, (text, text), ((text, text), (text, text)), frozenset({1}), frozenset({0}), text),
        blocks.Bullets(text, (text,)),
        blocks.Code((text, text), text),
        blocks.Formulas(text, ((text, text, text),)),
        blocks.Glossary(text, ((text, text, text),)),
    )


def sheet(text: str) -> Sheet:
    """Every part there is."""
    person = one_person(private("1", "1e-6"))
    assert person is not None
    column = BarColumn(text, (text, "b"), (Fraction(1, 3), 0.5), (0.25, 0.75), (0.1, 0.1))
    cell = CellError(Fraction(1, 7), text)
    return Sheet(
        text,
        text,
        (
            Certified(text, text, text, experts=text),
            person,
            Spending((SpendingRow(text, text, Fraction(1, 3)), SpendingRow(text, text)), text, text, text, text),
            Bars(text, (column,), text, text),
            HeatMap(text, (text, "b"), ((None, cell), (cell, None)), text, text),
            Curve(text, text, text, (CurveLine(text, ((1, Fraction(1, 2)), (2.0, 0.25))),), text, 1),
            Whiskers(text, (WhiskerRow(text, 0.5, Fraction(1, 4), None, True),), text, text, 0, marked=text),
            Graph(text, (text, "b"), (GraphEdge((0, 1), -1, 0.5),), text),
            Cautions((text,)),
            Details(document(text)),
        ),
        text,
        text,
        {text: text},
    )


def private(epsilon: str, delta: str = "0", adjacency: str = "replace-one") -> DP:
    return DP(
        epsilon=Enclosure.of(Fraction(epsilon)), delta=Enclosure.of(Fraction(delta)), adjacency=Adjacency(adjacency)
    )


def test_nothing_in_a_page_runs_or_asks() -> None:
    page = render_html(sheet(HOSTILE))
    found = read(page)
    assert not {"script", "img", "link", "iframe", "object", "form", "a", "base"} & set(found.tags)
    assert not [name for name, _ in found.attributes if name.startswith("on") or name in ("href", "src", "style")]
    assert POLICY in [value for _, value in found.attributes]
    assert not re.search(r"https?:|@import|url\(", page.replace(HOSTILE, ""))
    assert "alert(1)" in found.text
    assert "\x00" not in page
    assert "\u202e" not in page
    page.encode()  # no half of a pair of surrogates is left


@given(st.text(max_size=40))
def test_any_text_is_shown_and_closes_nothing(text: str) -> None:
    found = read(render_html(Sheet(text, text, (Certified(text), Details(document(text))), stamp=text)))
    assert found.tags.count("body") == found.tags.count("main") == 1
    assert found.tags[:2] == ["html", "head"]


def test_a_page_says_everything_that_its_sheet_says() -> None:
    found = read(render_html(sheet("Wörter")))
    assert found.text.count("Wörter") > 40
    for heading in ("What it means for one person", "What was spent, and what is left", "What not to conclude"):
        assert heading in found.text
    assert found.tags.count("h1") == 1


def test_every_picture_has_its_words_and_its_numbers() -> None:
    page = render_html(sheet("x"))
    for picture in re.findall(r"<svg.*?</svg>", page, re.DOTALL):
        assert 'aria-hidden="true"' in picture or ("<title>" in picture and "<desc>" in picture)
    assert page.count("<summary>Numbers</summary>") == 5


def test_what_is_not_known_to_the_renderer_is_refused() -> None:
    with pytest.raises(AssertionError):
        render_html(Sheet("", "", ("no part",)))  # type: ignore[arg-type]
    assert element("p", "<", class_="a b", data_x='"') == '<p class="a b" data-x="&quot;">&lt;</p>'


@pytest.mark.parametrize(("share", "right"), [("0.5", 50), ("0.501", 51), ("0.7311", 74), ("0.99996", 100), ("1", 100)])
def test_dots_promise_no_more_than_the_sentence(share: str, right: int) -> None:
    picture = draw_guesses(Fraction(share))
    counts = [picture.count(f'class="{kind}"') for kind in ("chance", "more", "never")]
    assert counts == [50, right - 50, 100 - right]
    assert f"at most {right - 50} more" in picture


def test_a_curve_without_a_positive_point_has_no_picture() -> None:
    nothing = Curve("t", "x", "y", (CurveLine("zero", ((1, 0), (2, 0))),))
    assert "<svg" not in draw_curve(nothing)
    flat = Curve("t", "x", "y", (CurveLine("flat", ((1, 3), (1, 3))), CurveLine("gap", ((1, 0), (5, 2)))))
    assert draw_curve(flat).count("<polyline") == 2


def test_shares_are_rounded_up_and_never_to_certainty() -> None:
    for share in (Fraction(k, 997) for k in range(1, 997)):
        shown = Fraction(percent(share).removesuffix(" %"))
        assert 100 * share <= shown < 100
        assert often(share).split()[0] == percent(share).split()[0]
    assert [percent(Fraction(text)) for text in ("0.01", "0.1", "1", "0.0267")] == ["1 %", "10 %", "100 %", "2.7 %"]


def test_words_say_whom_the_adjacency_protects() -> None:
    replaced, removed = (meaning(private("1", adjacency=name)) for name in ("replace-one", "add-remove"))
    assert "two possibilities" in meaning_words(replaced)
    assert "in the table at all" in meaning_words(removed)
    assert "except with a chance" not in suspicion_words(removed)
    assert "of whether this person is in the table, the odds" in suspicion_words(removed)
    assert suspicion_words(removed).endswith("what their record says is protected less, as if epsilon were 2.")
    assert "known to be" not in suspicion_words(replaced)
    with_delta = meaning(private("1", "1e-6", "add-remove"))
    assert "at most 3.00-fold" in suspicion_words(with_delta)
    assert ", except with a chance of at most 1 in 90,000: a suspicion" in suspicion_words(with_delta)
    assert suspicion_words(with_delta).endswith("as if epsilon were 2 and delta 0.00000372.")
    assert meaning_payload(with_delta)["exception"] == "0.000011"
    assert suspicion_words(meaning(private("1", "0.5"))) == (
        "Nothing limits how far a suspicion grows: delta is too large."
    )
    assert "nothing is promised about it" in suspicion_words(meaning(private("1", "0.5", "add-remove")))
    assert "hardly any protection" in meaning_words(meaning(private("5")))
    assert "hardly any protection" not in meaning_words(meaning(private("4")))
    body = meaning_payload(replaced)
    assert body["words"].startswith(meaning_words(replaced))
    assert (body["epsilon"], body["adjacency"], len(body["suspicion"])) == ("1", "replace-one", 2)


def test_why_odds_grow_by_this_factor() -> None:
    assert "Why 3.00-fold: epsilon = 1 means 2.72-fold" in factor_words(meaning(private("1", "1e-9")))
    assert factor_words(meaning(private("1"))).startswith("Why 2.72-fold: this is what epsilon = 1 means")
    assert factor_words(meaning(private("1", "0.5"))) == factor_words(meaning(private("50"))) == ""


@pytest.mark.parametrize(
    ("probability", "said"),
    [
        ("1.1e-8", "1 in 90 million"),
        ("1e-6", "1 in 1 million"),
        ("1/999999", "1 in 990,000"),
        ("0.1", "1 in 10"),
        ("0.11", "11 %"),
        ("1e-12", "1 in 1 trillion"),
        ("9e-10", "1 in 1.1 billion"),
    ],
)
def test_chances_are_rounded_up(probability: str, said: str) -> None:
    assert chance(Fraction(probability)) == said


@given(st.fractions(min_value=Fraction(1, 10**24), max_value=Fraction(1, 10)))
def test_a_chance_is_never_said_to_be_smaller_than_it_is(probability: Fraction) -> None:
    number, *word = chance(probability).removeprefix("1 in ").replace(",", "").split()
    size = {"million": 10**6, "billion": 10**9, "trillion": 10**12}[word[0]] if word else 1
    assert probability <= 1 / (Fraction(number) * size) <= probability * Fraction(11, 10)


def test_exact_terms_are_folded() -> None:
    found = read(render_html(sheet("x")))
    assert found.text.count("For experts") == 3  # the sentence, the person, the budget: where there is something to say
    assert ("class", "experts") in found.attributes


def test_one_person_is_read_from_the_ledger_at_its_total() -> None:
    ledger = Ledger.in_rho(epsilon="1", dp_delta="1e-6", adjacency="add-remove")
    found, alone = one_person(ledger), one_person(private("1", "1e-6", "add-remove"))
    assert found is not None
    assert alone is not None
    assert Fraction(1, 2) < Fraction(found.guess_at_most) < Fraction(alone.guess_at_most)
    assert found.sentences[1] == alone.sentences[1]  # what is suspected goes by epsilon and delta
    assert one_person(ledger.reserve_share("1/4", "later")) == found
    assert "protects nobody" in one_person(ledger, is_simulated=True).sentences[0]  # type: ignore[union-attr]
    assert one_person(Ledger.of(ZCDP(rho=Enclosure.of(1), adjacency=Adjacency.ADD_REMOVE))) is None
    hopeless = one_person(private("5000"))
    assert hopeless is not None
    assert "protects nobody" in hopeless.sentences[0]
    assert hopeless.guess_at_most == 1


def test_a_plan_says_that_its_guess_is_for_any_mechanism() -> None:
    """It does not know the noise; without a delta it cannot be Gaussian."""
    ledger = Ledger.in_rho(epsilon="1", dp_delta="1e-6", adjacency="add-remove")
    told = [one_person(cost) for cost in (private("1", "1e-6"), private("1"), ledger)]
    assert ["with Gaussian noise" in person.sentences[0] for person in told if person] == [True, False, False]


def test_delta_is_written_one_way() -> None:
    for delta in ("1e-8", "1e-6", "1/5621641"):
        person = one_person(private("1", delta))
        assert person is not None
        assert person.basis.startswith(f"(1, {budget_text(private('1', delta)).partition('delta = ')[2]})-")


def test_words_between_backticks_are_code() -> None:
    assert element("p", *prose("a `--b <c>` d")) == "<p>a <code>--b &lt;c&gt;</code> d</p>"
    assert element("p", *prose("one ` alone")) == "<p>one ` alone</p>"


def test_spending_adds_up_to_the_budget() -> None:
    ledger = Ledger.of(private("1")).reserve_share("1/4", "a query")
    for what in ("tables", "tables", "a choice"):
        ledger = ledger.spend(private("1/8"), what)
    found = spending_of(ledger, is_simulated=False)
    assert [(row.what, row.share) for row in found.rows] == [
        ("kept for later: a query", Fraction(1, 4)),
        ("tables", Fraction(1, 4)),
        ("a choice", Fraction(1, 8)),
        ("neither spent nor kept", Fraction(3, 8)),
    ]
    assert found.total == "Privacy budget (epsilon): 1; smaller protects better."
    assert found.experts == "The whole budget: epsilon = 1."
    simulated = spending_of(ledger, is_simulated=True).total
    assert simulated.endswith("A release would spend a privacy budget (epsilon) of 1; smaller protects better.")


def test_spending_is_told_without_jargon() -> None:
    ledger = Ledger.of(private("1")).reserve_share("1/4", CROSS)
    for what in (ONE_WAY, WIDER, CHOICES):
        ledger = ledger.spend(private("1/8"), what)
    assert [row.what for row in spending_of(ledger, is_simulated=False).rows][:4] == [
        "kept for later: pairs of columns",
        "single columns",
        "two or more columns together",
        "choosing what to measure",
    ]


def test_many_rounds_are_told_together() -> None:
    ledger = Ledger.of(private("1"))
    for round_ in range(40):
        ledger = ledger.spend(private("1/40"), f"round {round_}")
    rows = spending_of(ledger, is_simulated=False).rows
    assert len(rows) == MOST_ROWS
    assert rows[-1].what.startswith("33 further")
    assert sum(Fraction(row.share or 0) for row in rows) == 1


def test_warnings_of_the_run_come_first_among_cautions() -> None:
    found = plain_sheet(document("x"))
    assert (found.title, found.stamp) == ("x", "x")
    framed = with_warnings(found, ("x", "take care"), command="plan", inputs={})
    assert framed.parts[0] == Cautions(("Take care.",))
    again = with_warnings(framed, ("more!",), command="plan", inputs={})
    assert again.parts[0] == Cautions(("More!", "Take care."))


@pytest.mark.parametrize(
    ("word", "holds", "first"),
    [
        (INFORMATIVE, True, cautions.NOT_THE_POPULATION),
        (WEAK, False, cautions.weak("because")),
        (VACUOUS, False, cautions.VACUOUS),
        ("", True, cautions.NOT_THE_POPULATION),
    ],
)
def test_a_certificate_that_says_little_says_so_loudly(word: str, holds: bool, first: str) -> None:
    rows = (("excess", "0.1", ""), ("risk", "0.5", ""), ("constant", "0.6", ""))
    verdict = (("verdict", word, "because"),) if word else ()
    answer = (blocks.Title("A certificate", "With confidence."), blocks.Answer((*rows, *verdict)))
    found = certificate_sheet(answer, cost=None, is_simulated=False)
    certified, said, details = found.parts
    assert isinstance(certified, Certified)
    assert (certified.sentence, certified.holds) == ("With confidence.", holds)
    assert all(value in certified.detail for _, value, _ in rows)
    assert certified.verdict.endswith(": because") == bool(word)
    assert isinstance(said, Cautions)
    assert said.items[0] == first
    assert details == Details(answer)
    assert ('class="certified nothing"' in render_html(found)) != holds
