"""The documentation site: what is generated is complete, maths becomes MathML, the link checker finds faults."""

from __future__ import annotations

import argparse
import json
import re
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import markdown
import pytest

from bounds.registry import all_theorems
from docs_site.build import run_mkdocs, write_configuration
from docs_site.check import check_site
from docs_site.examples import with_output
from docs_site.github_markdown import for_python_markdown
from docs_site.house_page import PLACES, SAYS, layers, picture
from docs_site.ledger_pages import claim_page, tombstone_page
from docs_site.mathml import MathExtension
from docs_site.navigation import is_off, navigation
from docs_site.pages import ROOT, all_pages, site_map
from docs_site.performance_page import HEADLINES
from docs_site.quotations import with_formulas
from docs_site.site_map import SiteMap
from docs_site.text import demoted, plain
from paper_figures._recorded import recorded_runs
from synthbounds.cli.parser import build_parser
from synthbounds.render.mathml import mathml
from tests.verify.invented_claims import SMALL
from verify.claim import Withdrawn
from verify.counts import headline
from verify.graph import graph_of
from verify.ledger import all_claims, all_withdrawn


@cache
def pages() -> dict[str, str]:
    return all_pages(run_commands=False)


def html(text: str) -> str:
    extensions = [MathExtension(), "tables", "pymdownx.superfences", "pymdownx.escapeall"]
    return markdown.markdown(for_python_markdown(text), extensions=extensions)


def test_maths_is_mathml() -> None:
    shown = html(
        "Let $x_1 < \\frac{a*b*c}2$ and\n$$\\sum_{k=1}^n |a_k| \\le \\Big\\lceil R \\Big\\rceil$$ but `$y$` and \\$5."
    )
    assert shown.count("<math") == 2
    assert '<span class="formula"><math' in shown
    assert "<em>" not in shown
    assert "<code>$y$</code>" in shown
    assert "$5" in shown
    found = mathml(r"\frac{\mathrm{budget}}{k}", display=False)
    assert "<mtext>budget</mtext>" in found
    assert ElementTree.fromstring(found)[0].tag.endswith("mrow")  # noqa: S314 - our own
    sized = mathml(r"\Bigl\lbrace a\Bigr\rbrace \bigl\|b\bigr\|", display=True)
    assert "".join(ElementTree.fromstring(sized).itertext()) == "{a}‖b‖"  # noqa: S314 - our own
    assert mathml("|a|", display=False).count('lspace="0" rspace="0" stretchy="false">&#x0007C;<') == 2


def test_maths_that_is_not_understood_is_refused() -> None:
    with pytest.raises(ValueError, match="nosuchthing"):
        mathml(r"a + \nosuchthing b", display=False)
    with pytest.raises(ValueError, match="no MathML"):
        mathml(r"\frac{1", display=False)


def test_formulas_of_quotations_are_set_where_they_are_understood() -> None:
    page = "> at most `\\frac{1}{n}`, `\\frac{1}{`, `x_1, we have`, `n`\n\n`\\frac{1}{n}` elsewhere"
    said = "> at most $\\frac{1}{n}$, `\\frac{1}{`, `x_1, we have`, `n`\n\n`\\frac{1}{n}` elsewhere"
    assert with_formulas(page) == said


def test_lists_as_repository_pages_write_them() -> None:
    shown = html("Before:\n- one\n  - inner\n  - more\n    still more\n- two\n\nAfter.")
    assert shown.count("<ul>") == 2
    assert "still more" in shown.split("<li>more")[1].split("</li>")[0]
    assert "<p>After.</p>" in shown
    steps = html("1. First:\n\n   ```python\n   x = 1\n   ```\n\n   more\n2. Second")
    assert steps.count("<ol>") == 1
    assert steps.index("x") < steps.index("more") < steps.index("Second") < steps.index("</ol>")


def test_text_is_shown_as_it_is() -> None:
    text = "|w|_1 <= R*S*T [a](b) <id> $x$ #1 `a_b*c`"
    shown = html(plain(text))
    assert "<em>" not in shown
    assert "<a " not in shown
    assert "<math" not in shown
    assert "&lt;id&gt; $x$ #1 <code>a_b*c</code>" in shown
    assert demoted("# A\n\n```\n# code\n```\n## B") == "## A\n\n```\n# code\n```\n### B"


def test_links_are_rewritten() -> None:
    places = SiteMap({"docs/a.md": "a.md", "docs/proofs/b.md": "theorems/b.md"}, {"p.x": "theorems/p.x.md"})
    assert places.rewritten("[t](../a.md#part) ", "docs/proofs/b.md", "theorems/b.md") == "[t](../a.md#part) "
    assert places.rewritten("[t](proofs/b.md)", "docs/a.md", "a.md") == "[t](theorems/b.md)"
    assert places.rewritten("[the code](../lp/x.py)", "docs/a.md", "a.md") == "the code (`lp/x.py`)"
    assert places.rewritten("see `p.x`, `p.y`", "docs/a.md", "a.md") == "see [`p.x`](theorems/p.x.md), `p.y`"
    assert places.rewritten("```\n`p.x`\n```", "docs/a.md", "a.md") == "```\n`p.x`\n```"


@pytest.mark.share(3)
@pytest.mark.parametrize("name", all_theorems())
def test_every_theorem_has_its_page(name: str) -> None:
    page = pages()[f"theorems/{name}.md"]
    theorem = all_theorems()[name]
    assert plain(theorem.guarantee) in page
    for edition in theorem.editions:
        section = page.split(f"## {edition.name.capitalize()} edition\n", 1)[1].split("\n## ", 1)[0]
        assert all(plain(change) in section for change in edition.changes)
        for route in edition.routes:
            bare = section.replace("`", "").replace("\\", "")  # names are shown as code, where nothing is escaped
            assert all(h.text.replace("`", "").replace("\\", "") in bare for h in route.hypotheses)
        assert section.count("$$") >= 2 * sum(len(route.terms) for route in edition.routes)
        if edition.proof == name:
            assert "\n### Proof" in page.split("\n## Proof\n", 1)[1]
        elif edition.proof:
            assert f"({edition.proof}.md)" in page
    against = [c for c in all_claims() if name in c.theorems and c.expected.value in ("refuted", "inconsistent")]
    assert all(f"../ledger/claims/{claim.id}.md" in page for claim in against)
    assert ("Does not hold as printed:" in page) == bool(against)


def test_a_formula_of_a_theorem() -> None:
    printed = pages()["theorems/zhou2024.logistic.md"].split("## Corrected edition")[0]
    assert r"$$\frac{3 R}{4 \left(d - 1\right)}$$" in printed


def test_every_claim_has_its_page() -> None:
    lists = {place: text for place, text in pages().items() if place.startswith("ledger/") and place.count("/") == 1}
    for claim in all_claims():
        place = f"ledger/claims/{claim.id}.md"
        assert plain(claim.statement) in pages()[place]
        assert site_map().ids[claim.id] == place
        assert f"](claims/{claim.id}.md)" in lists[f"ledger/{claim.paper}.md"]
        assert "".join(lists.values()).count(f'<a id="{claim.id}"></a>') == 1  # addresses of old
        assert f"[{claim.paper}]({claim.paper}.md)" in lists["ledger/index.md"]
    assert {stone.id for stone in all_withdrawn()} <= site_map().ids.keys()
    assert headline(all_claims()) in lists["ledger/index.md"]


def test_a_page_of_a_claim() -> None:
    graph = graph_of(SMALL)
    page = claim_page(graph.claims["zhou2024.lemma"], graph, frozenset(all_theorems()))
    for words in ("> in words", "**refuted; severity: proof falls**", "- Instead: Half of it holds."):
        assert words in page
    assert "- Used by: [theorem](zhou2024.theorem.md)" in page
    assert "- Falls with it: [theorem](zhou2024.theorem.md), [remark](zhou2024.remark.md)" in page
    assert "- Repeated in: [lemma-again](zhou2024.lemma-again.md)" in page
    user = claim_page(graph.claims["zhou2024.theorem"], graph, frozenset(all_theorems()))
    assert "- Uses: [lemma](zhou2024.lemma.md), [step](zhou2024.step.md)" in user
    assert "- Theorems: [zhou2024.lipschitz](../../theorems/zhou2024.lipschitz.md)" in user
    stone = tombstone_page(Withdrawn("zhou2024.gone", "it is not said", "zhou2024.lemma"), graph.claims)
    assert "was withdrawn: it is not said. What remains of it: [lemma](zhou2024.lemma.md)." in stone


def test_every_option_is_in_the_command_reference() -> None:
    page = pages()["commands.md"]

    def look(parser: argparse.ArgumentParser, name: str) -> None:
        below = [a for a in parser._actions if isinstance(a, argparse._SubParsersAction)]
        for action in below:
            for word, command in action.choices.items():
                look(command, f"{name} {word}".strip())
        if below:
            return
        section = page.split(f"\n## {name} {{", 1)[1].split("\n## ", 1)[0]
        for action in parser._actions:
            for option in action.option_strings:
                shown = re.search(rf"`(-\w, )?{re.escape(option)}\b", section)
                assert option in ("-h", "--help") or shown, f"{name} {option}"

    look(build_parser(), "")


def test_performance_is_what_was_recorded() -> None:
    page = pages()["performance.md"]
    for name, key, text in HEADLINES:
        value = json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text(encoding="utf-8"))[key]
        row = next(line for line in page.splitlines() if plain(text) in line)
        assert float(row.split("|")[1].replace(",", "")) == pytest.approx(value, rel=1e-5)
    for path in (ROOT / "benchmarks" / "results").glob("*.json"):
        assert f"\n## {path.stem}\n" in page


def test_every_page_but_those_of_lists_is_in_the_navigation_once() -> None:
    def places(entry: Any) -> list[str]:
        if isinstance(entry, str):
            return [entry]
        return [place for part in (entry.values() if isinstance(entry, dict) else entry) for place in places(part)]

    assert sorted(places(navigation(pages()))) == sorted(place for place in pages() if not is_off(place))
    assert {path.name for path in (ROOT / "docs").glob("*.md")} <= pages().keys()


def test_how_to_add_is_taken_from_the_guide() -> None:
    assert pages()["adding.md"].count("\n## How to add a ") == 3
    assert "Names that occur more than once" not in pages()["adding.md"]
    assert "Names that occur more than once" in pages()["layout.md"]


def test_commands_on_pages_are_run() -> None:
    page = "```run\nsynthbounds cite bojkovic2024\n... 1\n```\n\n```run-python\nprint(6 * 7)\n```\n"
    assert with_output(page, ROOT) == (
        "```console\n$ synthbounds cite bojkovic2024\nbojkovic2024\n...\n```\n\n"
        "```python\nprint(6 * 7)\n```\n\nprints\n\n```text\n42\n```\n"
    )
    with pytest.raises(RuntimeError, match="ends with 2"):
        with_output("```run\nsynthbounds explain nothing.here\n```\n", ROOT)
    with pytest.raises(RuntimeError, match="not ours"):
        with_output("```run\nls\n```\n", ROOT)


def test_the_link_checker(tmp_path: Path) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "b.html").write_text('<h2 id="part">B</h2><a href="../a.html">up</a><code>$x$</code>')
    good = '<a href="below/b.html#part">b</a><a href="#here" id="here">h</a><a href="https://example.org/">e</a>'
    (tmp_path / "a.html").write_text(good)
    report = check_site(tmp_path)
    assert (report.pages, report.links, report.broken) == (2, 4, ())
    assert report.external == ("https://example.org/",)
    wrong = {
        '<a href="c.html">': "no such file",
        '<a href="below/b.html#other">': "no such anchor",
        '<a href="../elsewhere.html">': "leads out of the site",
        '<script src="https://example.org/x.js"></script>': "from elsewhere",
        '<link rel="stylesheet" href="//example.org/x.css">': "from elsewhere",
        '<img src="picture.png">': "no such file",
        "<p>the value $x_1$ is</p>": "left as text",
        "<p>\\frac12</p>": "left as text",
    }
    for text, problem in wrong.items():
        (tmp_path / "a.html").write_text(good + text)
        (found,) = check_site(tmp_path).broken
        assert problem in found


def test_a_warning_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "pages" / "assets").mkdir(parents=True)
    (tmp_path / "pages" / "assets" / "site.css").touch()
    page = tmp_path / "pages" / "index.md"
    page.write_text("# Home\n\n$x^2$, and [a link](#home).\n")
    write_configuration(tmp_path, [{"Home": "index.md"}])
    assert run_mkdocs(tmp_path, strict=True) == 0
    assert check_site(tmp_path / "site").broken == ()
    assert "<msup>" in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
    page.write_text("# Home\n\n[a link](nowhere.md)\n")
    assert run_mkdocs(tmp_path, strict=True) == 1


def test_the_picture_of_the_house_has_the_layers_of_the_contract_and_names_places_that_are_there() -> None:
    found = layers(ROOT)
    assert found[0] == ["synthbounds"]
    assert found[-1] == ["bounds"]
    assert {name for names in found for name in names} == set(SAYS)
    heights = [int(y) for y in re.findall(r'<rect x="[0-9.]+" y="(\d+)"', picture(found))]
    assert heights == sorted(heights)
    assert len(heights) == len(SAYS)
    for _, place in PLACES:
        assert (ROOT / place).exists(), place


def test_theorems_say_whose_proofs_they_lead_to_and_are_led_to_by() -> None:
    def row(page: str, words: str) -> set[str]:
        line = next(line for line in pages()[f"theorems/{page}.md"].splitlines() if f"| {words} |" in line)
        return set(re.findall(r"\]\(([\w.-]+)\.md\)", line))

    for name in ("bojkovic2024.kde", "synthbounds.model-certificate"):
        rests = row(name, "its proof refers to")
        assert rests
        for other in rests & set(all_theorems()):
            assert name in row(other, "proofs that refer to it")


def test_the_benchmark_has_every_run_that_was_recorded_with_a_label() -> None:
    page, lines = pages()["benchmark.md"], recorded_runs("tables")
    for line in lines:
        if line["label"] and line["epsilon"] is not None and "refused" not in line:
            section = page.split(f"## {line['table'].replace('-', ', ').capitalize()}\n", 1)[1].split("\n## ", 1)[0]
            assert re.search(rf"\| `?{re.escape(line['method'])}`?(, as shipped)? \| {line['epsilon']} \|", section)
