"""Every number in the prose of the pages written by hand is tied to its source, and is what the source says."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from tests.pages import quoted_limits as limits
from tests.pages.quoted import CODE, ROOT, Page, check_page, is_shown, numbers, prose, text_of, untied
from tests.pages.quoted_any_model import ANY_MODEL
from tests.pages.quoted_evaluate import EVALUATE
from tests.pages.quoted_front import GUIDE, README
from tests.pages.quoted_improve import IMPROVE
from tests.pages.quoted_infer import INFER
from tests.pages.quoted_large_tables import LARGE_TABLES
from tests.pages.quoted_local_page import CALCULATOR, GUIDED, LOCAL_PAGE
from tests.pages.quoted_methods import METHODS_COMPARED
from tests.pages.quoted_planning import PLANNING_A_RELEASE
from tests.pages.quoted_records import AUDITS, PLANNING
from tests.pages.quoted_regression import REGRESSION
from tests.pages.quoted_reports import REPORTS
from tests.pages.quoted_spreading import SPREADING
from tests.pages.quoted_theorems import EDITIONS, constant
from tests.pages.quoted_threat_model import THREAT_MODEL

PAGES = {
    "README.md": README,
    "docs/accounts.md": limits.ACCOUNTS,
    "docs/any-model.md": ANY_MODEL,
    "docs/audits.md": AUDITS,
    "docs/calculator.md": CALCULATOR,
    "docs/certificates.md": limits.CERTIFICATES,
    "docs/certify-planning.md": PLANNING,
    "docs/certify.md": limits.CERTIFY,
    "docs/confirm.md": limits.CONFIRM,
    "docs/editions.md": EDITIONS,
    "docs/evaluate.md": EVALUATE,
    "docs/figures.md": limits.FIGURES,
    "docs/formal-proofs.md": Page(),
    "docs/guide.md": GUIDE,
    "docs/improve.md": IMPROVE,
    "docs/infer.md": INFER,
    "docs/json.md": limits.JSON,
    "docs/large-tables.md": LARGE_TABLES,
    "docs/guided-app.md": GUIDED,
    "docs/local-page.md": LOCAL_PAGE,
    "docs/methods-compared.md": METHODS_COMPARED,
    "docs/notebooks.md": limits.NOTEBOOKS,
    "docs/planning.md": PLANNING_A_RELEASE,
    "docs/public-schema.md": limits.PUBLIC_SCHEMA,
    "docs/python.md": Page(),
    "docs/regression.md": REGRESSION,
    "docs/releases.md": limits.RELEASES,
    "docs/reports.md": REPORTS,
    "docs/schema.md": limits.SCHEMA,
    "docs/private-tables.md": limits.PRIVATE_TABLES,
    "docs/spreading.md": SPREADING,
    "docs/synthesis.md": limits.SYNTHESIS,
    "docs/threat-model.md": THREAT_MODEL,
    "docs/training.md": limits.TRAINING,
    "docs_site/by_hand/index.md": Page(),
    "docs_site/by_hand/questions.md": Page(),
    "docs_site/by_hand/start.md": limits.START,
    "docs_site/by_hand/trust.md": limits.TRUST,
}
ELSEWHERE = {"docs/errata.md": "generated, with docs/errata: tests/verify/test_errata.py"}


@cache
def quotes_of(path: str) -> tuple[str, ...]:
    return tuple(PAGES[path].quotes())


@pytest.mark.parametrize("path", PAGES)
def test_numbers_of_pages_are_what_their_sources_say(path: str) -> None:
    check_page(text_of(path), PAGES[path])


@pytest.mark.parametrize("path", PAGES)
def test_a_number_that_is_changed_in_a_page_is_found(path: str) -> None:
    bare, phrases = prose(text_of(path)), [*quotes_of(path), *PAGES[path].given_phrases]
    for start, end in numbers(bare):
        digit = max(place for place in range(start, end) if bare[place].isdigit())
        changed = bare[:digit] + str((int(bare[digit]) + 5) % 10) + bare[digit + 1 :]
        lost = any(not is_shown(changed, prose(quote)) for quote in quotes_of(path))
        assert lost or untied(changed, phrases), bare[start - 20 : end + 20]


def test_every_page_by_hand_is_here() -> None:
    found = {
        str(path.relative_to(ROOT)) for folder in ("docs", "docs_site/by_hand") for path in (ROOT / folder).glob("*.md")
    }
    assert found | {"README.md"} == PAGES.keys() | ELSEWHERE.keys()


def test_a_number_that_is_tied_to_nothing_is_found() -> None:
    text = "Of 240 runs\n17 fail, `n = 12` and [33](44.html) in 1,234 runs (1.5e-7, .25, 7 %, 2^22).\n\n```\n99\n```\n"
    assert [len(untied(text, [phrase])) for phrase in ("nothing", "Of 240 runs 17 fail")] == [8, 6]
    rest = ["Of 240 runs 17 fail", "[33]", "1,234 runs", "1.5e-7", ".25", "7 %", "2^22"]
    assert untied(text, rest) == []
    assert untied("two rounds, norm 2, p2024x, B.11", []) == []
    assert len(untied("9 of 10 pages took 100ms", ["of 10 pages"])) == 1


def test_a_phrase_does_not_hide_a_longer_number() -> None:
    assert is_shown("at most 4.5 there", "most 4.5")
    for text in ("at most 4.51 there", "at most 4.5,000"):
        assert not is_shown(text, "most 4.5")
    assert not is_shown("12.5 of them", "2.5 of")
    assert untied("1,234 runs", ["234 runs"]) != []


def test_a_value_that_has_changed_is_found() -> None:
    """The same page fails as soon as the source says something else."""
    source = {"n": 467}

    def quotes() -> Iterator[str]:
        yield f"needs {source['n']} records"

    page, text = Page(quotes), "It needs 467\nrecords."
    assert all(is_shown(text, phrase) for phrase in page.quotes())
    assert untied(text, page.quotes()) == []
    source["n"] = 468
    assert not any(is_shown(text, phrase) for phrase in page.quotes())
    assert untied(text, page.quotes()) != []


def test_a_constant_that_is_in_no_formula_is_found() -> None:
    assert constant("bojkovic2024.histogram", "printed", "57/16") == "57/16"
    with pytest.raises(AssertionError):
        constant("bojkovic2024.histogram", "printed", "58/16")


def test_prose_has_neither_code_nor_targets() -> None:
    assert prose("a `b 1`\n[c](d) (e)\n```\nf\n```\n") == f"a {CODE} [c]{CODE} (e)"
