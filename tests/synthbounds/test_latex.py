"""LaTeX output uses its symbols, escapes everything else, and is accepted by an engine."""

from __future__ import annotations

import re
import shutil
import subprocess
from itertools import takewhile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bounds.latex_names import GREEK
from bounds.papers import PAPERS
from bounds.quantities import SYMBOLS
from bounds.registry import all_theorems
from synthbounds.api import STATED
from synthbounds.cli import main
from synthbounds.render.document import Answer, Bullets, Code, Facts, Stamp, Table, Title
from synthbounds.render.latex import render_latex
from synthbounds.render.latex_prose import prose
from synthbounds.render.stated_theorems import explained_in_form
from tests.latex import NEEDED, faults
from tests.recorded.running import groups, stored

FORMS = [choice for choice in STATED["format"].choices if choice.startswith("latex-")]
SIZES = "--p 10 --degree 2 --epsilon 0.2 --accuracy 0.4 --failure 0.05"
RISK = "--features 10 --radius 1 --epsilon 1 --dp-delta 1e-6 --failure 0.01 --target 0.5 --intercept 0"
ASKED = (
    f"require {SIZES}",
    f"require {SIZES} --edition printed",
    f"require --theorem synthbounds.lower-bound {SIZES}",
    "require --solve-for epsilon --n 5000 --p 10 --degree 2 --accuracy 0.4 --failure 0.05",
    "require --measure histogram --edition printed --p 30 --t 9 --degree 2 --epsilon 1 --delta 0.02 --gamma 0.01 "
    "--tau1 1e-30 --tau2 1e-28",
    f"compare {SIZES}",
    f"compare {RISK}",
    f"risk {RISK}",
    "risk --features 5 --radius 1 --marginals 4 --marginal-error 0.01",
)


def said(arguments: str, form: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert main([*arguments.split(), "--format", form]) == 0
    return capsys.readouterr().out


def recorded() -> list[str]:
    """All that recorded commands said as LaTeX."""
    texts = []
    for name in groups():
        for block in stored(name):
            head, *rest = block.splitlines()
            if "--format latex" in head and "said:" in rest:
                lines = takewhile(lambda line: line.startswith(" "), rest[rest.index("said:") + 1 :])
                texts.append("\n".join(line[1:] for line in lines))
    return [text for text in texts if "<version>" not in text]


def in_article(text: str) -> str:
    """A row stands in a table."""
    if not text.startswith("% theorem &"):
        return text
    columns = text.partition("\n")[0].count("&") + 1
    return f"\\begin{{tabular}}{{{'l' * columns}}}\n{text}\\end{{tabular}}\n"


def test_recorded_latex_is_clean() -> None:
    texts = recorded()
    assert len(texts) > 40
    for text in texts:
        assert not faults(text), text


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_every_answer_is_clean(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ASKED:
        text = said(arguments, form, capsys)
        assert not faults(text), text
        keys = set(re.findall(r"\\cite(?:\[\{.*?\}\])?\{(\w+)\}", text))
        assert keys
        assert keys <= PAPERS.keys()


@pytest.mark.share(3)
@pytest.mark.parametrize("name", sorted(all_theorems()))
def test_every_theorem_is_clean(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    for form in (*FORMS, "latex"):
        text = said(f"explain {name}", form, capsys)
        assert not faults(text), text


def words_of(text: str) -> set[str]:
    """Whole words, each with the digits and signs next to it that a symbol may take in."""
    return set(re.findall(r"[A-Za-z]{3,}", text))


def test_no_word_is_torn() -> None:
    """Every sentence of every theorem: what is set as text or as an upright name is a word of the sentence."""
    of_symbols = words_of(re.sub(r"\\[A-Za-z]+", " ", " ".join(symbol.latex for symbol in SYMBOLS.values())))
    for theorem in all_theorems().values():
        said = [theorem.title, theorem.guarantee, *(symbol.meaning for symbol in SYMBOLS.values())]
        for edition in theorem.editions:
            said += edition.changes
            for route in edition.routes:
                said += [route.summary, *(h.text for h in route.hypotheses), *(d.meaning for d in route.derived)]
        for sentence in said:
            text = re.sub(r"\\(?:textsuperscript|[A-Za-z]+)", " ", prose(sentence))
            torn = words_of(text) - words_of(sentence) - of_symbols
            assert not torn, (sentence, torn)


def test_a_name_is_one_symbol_in_formulas_and_sentences() -> None:
    """No Greek letter is spelled out, and a derived quantity is set in its sentence as in its formula."""
    for theorem in all_theorems().values():
        said = explained_in_form("latex-theorem", theorem)
        assert not re.search(rf"\\mathrm\{{({'|'.join(GREEK)})\}}", said), theorem.id


def test_symbols_of_a_theorem_are_explained_and_used(capsys: pytest.CaptureFixture[str]) -> None:
    text = said("explain zhou2024.logistic-private --edition printed", "latex-theorem", capsys)
    assert text.count(r"\begin{theorem}") == 1
    assert "$m$ the number of features of a record, without the label; $l$ the largest number of levels" in text
    assert r"\item $d$ is at most $m$ + 1" in text
    assert r"\item there are at most $m^{d}$ marginals" in text
    assert r"\[ v = 2 \cdot 3^{d - 1} s" in text
    assert r"has at most $v$ more risk than the best one, except with probability $\beta$." in text


def test_no_hypothesis_names_an_option(capsys: pytest.CaptureFixture[str]) -> None:
    for theorem in all_theorems().values():
        for route in (route for edition in theorem.editions for route in edition.routes):
            assert not any("--" in hypothesis.text for hypothesis in route.hypotheses), theorem.id
    for arguments in ASKED:
        if not arguments.startswith("compare"):
            assert r"\texttt{-" not in said(arguments, "latex-theorem", capsys), arguments


def test_conclusions_begin_with_a_comma(capsys: pytest.CaptureFixture[str]) -> None:
    text = said(f"risk {RISK}", "latex-theorem", capsys)
    assert re.search(r"Then, from \$[\d{},]+\$ records on, the empirical risk", text)
    assert "the 55 marginals (of 2 of the 10 features, and of each feature with the label) together move by" in text


def test_an_edition_that_a_theorem_does_not_have(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "synthbounds.lower-bound", "--edition", "printed"]) == 4
    assert "has no printed edition (it has: sharp)" in capsys.readouterr().err


@pytest.mark.slow
def test_an_engine_takes_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    engine = shutil.which("pdflatex")
    if engine is None:
        pytest.skip("not run: pdflatex is not installed")
    texts = [*recorded(), *(said(arguments, form, capsys) for arguments in ASKED for form in FORMS)]
    texts += [said(f"explain {name}", "latex-theorem", capsys) for name in all_theorems()]
    texts += [render_latex(_document(HOSTILE))]
    (tmp_path / "all.tex").write_text(NEEDED % "\n\n\\clearpage\n".join(map(in_article, texts)), encoding="utf-8")
    run = subprocess.run(
        [engine, "-interaction=nonstopmode", "-halt-on-error", "all.tex"],
        cwd=tmp_path,
        capture_output=True,
        check=False,
    )
    said_by_engine = run.stdout.decode(errors="replace")
    assert run.returncode == 0, said_by_engine[said_by_engine.find("\n!") :][:500]


HOSTILE = '\\input{x} $ & % # _ { } ~ ^ < > | " [a] * -- `c` \\end{verbatim} é \u4e2d \x1b \u202e ε ]'


def _document(text: str) -> tuple[Title | Answer | Facts | Table | Bullets | Code | Stamp, ...]:
    return (
        Title(text, text),
        Answer(((text, text, text), ("n", "1", "[records]"))),
        Facts(((text, text), ("[a]", "[b]"))),
        Table(text, (text, "*"), ((text, "[x]"), ("[y]", "*z"))),
        Bullets(text, (text, "[x]", "*")),
        Code((text,)),
        Stamp(text),
    )


@given(text=st.text(st.characters(codec="utf-8"), max_size=40))
def test_nothing_in_a_text_is_a_command(text: str) -> None:
    assert not faults(prose(text))
    assert not faults(render_latex(_document(text.replace("\n", " "))))


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("l_inf noise", r"$\ell_\infty$ noise"),
        ("epsilon = 0.2 in total", r"$\varepsilon$ = 0.2 in total"),
        ("epsilon-private", r"$\varepsilon$-private"),
        ("dp-delta = 1e-6", r"$\delta_{\mathrm{DP}}$ = $10^{-6}$"),
        ("give --dp-delta 2.5e-9", r"give \texttt{-{}-dp-delta} $2.5 \cdot 10^{-9}$"),
        ("Q_laplace", r"$Q_{\mathrm{laplace}}$"),
        ("|Omega| and |F|", r"$|\Omega|$ and $|\mathcal{F}|$"),
        ("|w|_1 <= R", r"$\|w\|_1$ $\le$ R"),
        ("tau1 or tau", r"$\tau_1$ or $\tau$"),
        ("sqrt(m) and sqrt m", r"$\sqrt{m}$ and $\sqrt{m}$"),
        ("n^2", r"$n$\textsuperscript{2}"),
        ("features^order marginals", r"features\textsuperscript{order} marginals"),
        ("2^-lambda.", r"2\textsuperscript{-$\lambda$}."),
        ("e^(-lambda1^2/2)", r"e\textsuperscript{(-$\lambda_1$\textsuperscript{2}/2)}"),
        ("D_2alpha and D_(2alpha-1)", r"$D_{2\alpha}$ and $D_{2\alpha-1}$"),
        ("mu_D and e_k", r"$\mu_{D}$ and $e_{k}$"),
        ("see zhou2024.phi-gamma", "see zhou2024.phi-gamma"),
        ("docs/proofs/bojkovic2024.uniform.md", "docs/proofs/bojkovic2024.uniform.md"),
        ("the paper's own", "the paper's own"),
        ("income_high", r"income\_high"),
    ],
)
def test_symbols(text: str, latex: str) -> None:
    assert prose(text) == latex


@pytest.mark.parametrize(
    "text",
    ["a_b", "50%", "{", "}", "$x", r"\begin{a}", r"\end{a}", r"\[ x", "a & b", "x^2", r"\nothing", "a#b", "\u4e2d"],
)
def test_faults_are_found(text: str) -> None:
    assert faults(text)


def test_a_form_that_an_answer_does_not_have(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--format", "latex-row"]) == 2
    assert "format = latex-row: must be one of text, json, latex, markdown" in capsys.readouterr().err
    assert main(["risk", "--theorem", "zhou2024.lower", "--format", "latex-row"]) == 2
    assert "this answer has no such form" in capsys.readouterr().err


REQUIRED = {
    "article": {"author", "title", "journal", "year"},
    "inproceedings": {"author", "title", "booktitle", "year"},
    "misc": {"author", "title", "year"},
}


def test_bibtex_is_complete() -> None:
    for key, paper in PAPERS.items():
        fields = dict(paper.fields)
        assert REQUIRED[paper.kind] <= fields.keys(), key
        assert key in ("synthbounds", "sikkema1961") or {"eprint", "doi", "url"} & fields.keys(), key
        assert re.fullmatch(r"\d{4}", fields["year"])
        assert re.fullmatch(r"\d+--\d+", fields.get("pages", "1--2"))
        assert re.fullmatch(r"\d{4}\.\d{5}", fields.get("eprint", "2405.04554"))
        lines = paper.bibtex()
        assert max(map(len, lines)) <= 78, key
        text = "\n".join(lines)
        assert text.count("{") == text.count("}")
        read = dict(re.findall(r"^  (\w+) = \{(.*?)\},$", text, re.MULTILINE | re.DOTALL))
        assert {name: " ".join(value.split()) for name, value in read.items()} == fields
        assert fields["year"] in paper.reference
