"""Numbers on pages are what their marks say, each has a mark or is harmless, and changed ones are found."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import pytest

from docs_site.numbers.__main__ import main, problems
from docs_site.numbers.forms import tokens, written
from docs_site.numbers.marks import read, rewritten, silenced, untied
from docs_site.numbers.names import ROOT, run
from docs_site.numbers.pages import all_pages, parts

PAGES = {str(path.relative_to(ROOT)): path for path in all_pages()}
PROOFS_THAT_COMPUTE = (
    "empirical-tv",
    "kde",
    "cross-moments",
    "lower-bound",
    "marginal-moments",
    "noisy-moments",
    "moment-radii",
)
"""Their numbers take seconds."""
LONGER = {"docs/audits.md"} | {page for page in PAGES if page.endswith(tuple(f".{n}.md" for n in PROOFS_THAT_COMPUTE))}


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=pytest.mark.slow) if page in LONGER else page for page in PAGES]
)
def test_numbers_of_a_page_are_what_their_marks_say(page: str) -> None:
    assert problems(PAGES[page], check=True) == []
    text = PAGES[page].read_text(encoding="utf-8")
    assert _missed(PAGES[page], text) == []


def _missed(path: Path, text: str) -> list[str]:
    """Numbers that a mark speaks of, each with one digit changed, which no difference tells."""
    known, changed = read(text).tied, text
    tied = [one for one in tokens(silenced(text)) if one.start in known and one.counts]
    for one in tied:
        digit = max(place for place in range(one.start, one.end) if text[place].isdigit())
        changed = changed[:digit] + str((int(text[digit]) + 5) % 10) + changed[digit + 1 :]
    told = {found.start for found in read(changed).differences}
    return [one.text for one in tied if one.start not in told]


def check(text: str) -> list[tuple[str, str | None]]:
    return [(one.shown, one.wanted) for one in read(text).differences]


@pytest.mark.parametrize(
    ("value", "shown", "anew"),
    [
        (0.00791, "0.0079", "0.0079"),
        (1234, "5,000", "1,234"),
        (1234, "9999", "1234"),
        (0.971, ".97", ".97"),
        (0.000023, "1.0e-5", "2.3e-5"),
        (2**-30, "2^-7", "2^-30"),
        (10**6, "10^{2}", "10^{6}"),
        (8.64e9, r"1.00\cdot10^2", r"8.64\cdot10^9"),
        (Fraction(57, 16), "1/2", "57/16"),
        (Fraction(57, 16), r"\frac12", r"\frac{57}{16}"),
        (Fraction(11, 20), "0.5", "0.55"),
        (12, "7", "12"),
    ],
)
def test_a_value_is_written_in_the_form_that_is_shown(value: object, shown: str, anew: str) -> None:
    assert written(value, shown) == anew
    assert [one.text for one in tokens(f"so {anew} it is")] == [anew]


@pytest.mark.parametrize(("value", "shown"), [(3, "2^4"), (0, "10^3"), ("words", "1/2")])
def test_what_has_no_such_form_is_told(value: object, shown: str) -> None:
    assert check(f"in {shown}<!-- = {value!r} -->") != []


def test_marks_take_the_numbers_before_them() -> None:
    text = "**20,000**<!-- = 2 * 10**4 --> of\n`7` [8](9.md), 3 x 4.5 <!-- = 3, 4.5 -->"
    assert check(text) == []
    assert check(text.replace("20,000", "20,001")) == [("20,001", "20,000")]
    wrong = text.replace("4.5 <", "4.4 <")
    assert rewritten(wrong, read(wrong).differences) == text
    assert check("7 <!-- = 7, 8 -->")[0][1] is None
    assert check("| adult | 7 |<!-- = 'adult', 7 -->") == []
    assert check("| dutch | 7 |<!-- = 'adult', 7 -->") == [("adult", None)]
    assert check("it holds<!-- = 1 == 2 -->") != []
    assert check("7<!-- = nothing_at_all -->")[0][1] is None


def test_a_given_number_is_never_rewritten() -> None:
    assert check("within 0.4<!-- given 0.4: the question -->") == []
    assert check("within 0.5<!-- given 0.4: the question -->") == [("0.5", None)]


def test_numbers_without_a_mark_are_found_unless_they_are_harmless() -> None:
    text = "Of 240 runs\n17 fail in 2024 (Theorem 3.1, Lemmas 2.2 and 2.3), `n = 12`, SHA-256.\n\n```\n99\n```\n"
    assert [one.text for one in untied(text, frozenset(), [(0, len(text))])] == ["240", "17"]
    assert [one.text for one in untied(text, frozenset(), [(0, 8)])] == ["240"]
    assert untied("two rounds, norm 2, p2024x, B.11", frozenset(), [(0, 40)]) == []


def test_the_command_writes_pages_anew(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    draws, page = run("audit")["samples"], tmp_path / "page.md"
    page.write_text('so 5,000<!-- = run("audit")["samples"] --> draws, and 77 more', encoding="utf-8")
    assert main(["--check", str(page)]) == 1
    assert re.search(r"page.md:1: 5,000: [\d,]+ by run", capsys.readouterr().out)
    assert main([str(page)]) == 1  # 77 is tied to nothing
    assert f"so {draws:,}<!--" in page.read_text(encoding="utf-8")


def test_proof_pages_are_asked_for_the_sections_that_show_numbers() -> None:
    text = "# 12\n\n## Numbers\n\n34\n\n## Proof\n\n56\n\n## Numerically checked\n\n78\n"
    shown = "".join(text[first:last] for first, last in parts(ROOT / "docs/proofs/x.md", text))
    assert re.findall(r"\d\d", shown) == ["34", "78"]
