"""Every answer: a short line, a table that is well formed and escaped, formulas, a frame, a picture."""

from __future__ import annotations

import json
import pickle
import sys
from typing import Any
from xml.etree import ElementTree

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

import synthbounds as sb
from bounds.errors import UsageError
from bounds.shown import Rows, Shown
from synthbounds.api.commands import COMMANDS
from synthbounds.render.mathml import mathml
from synthbounds.showing import words
from synthbounds.showing.form import _function
from synthbounds.showing.forms import FORMS, form_of
from tests.synthbounds.showing.examples import INPUTS, MADE, SIMULATED, TABLE, made

mpl.use("Agg")
EVERY = sorted(MADE)
TAGS = set("div h3 p dl dt dd table thead tbody tr th td ul li details summary".split())
ELSEWHERE = {
    "serve", "recover",  # which need a process that was interrupted
    "figures", "verify_guarantees", "audit_all",  # which take minutes
    "open_account", "show_account", "redraw", "correct", "certify_log", "train_cross_moments", "certify_cross_moments",
    "confirm_predictions", "certify_predictions", "infer_fit",
}  # fmt: skip
"""Asked below, or in the tests of their commands."""


def parsed(page: str) -> ElementTree.Element:
    """Strictly: what is not well formed fails."""
    return ElementTree.fromstring(page)  # noqa: S314 - made here


def test_every_function_of_a_command_has_an_example() -> None:
    functions = {name for command in COMMANDS.values() for name in command.functions}
    assert functions - MADE.keys() <= ELSEWHERE


@pytest.mark.share(3)
@pytest.mark.parametrize("name", EVERY)
def test_the_line_is_short_and_says_the_answer(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = made(name)
    assert isinstance(found, Shown)
    if form_of(found) is not None and not isinstance(found, Rows):  # nothing is hidden by the way out of a mistake
        monkeypatch.setattr(words, "_fields", lambda answer: pytest.fail(f"{name} is not said by its command"))
    line = repr(found)
    kind = found.of.__name__ if isinstance(found, Rows) else type(found).__name__
    assert kind in line
    assert len(kind) + 3 < len(line) <= 120
    assert line.isprintable()
    assert "--" not in line
    assert "Fraction(" not in line


@pytest.mark.share(3)
@pytest.mark.parametrize("name", EVERY)
def test_the_table_is_well_formed_and_in_words_of_python(name: str) -> None:
    page = parsed(made(name)._repr_html_())
    texts = list(page.itertext())
    assert any(text.strip() for text in texts)
    assert not any("not written" in text or "--" in text for text in texts)
    assert {element.tag for element in page.iter()} <= TAGS


@pytest.mark.parametrize("name", EVERY)
def test_formulas_are_understood_in_full(name: str) -> None:
    found = made(name)._repr_latex_()
    if found is None:
        return
    for formula in found.split("\n\n"):
        inside = formula.strip("$").strip()
        assert formula == (f"$$ {inside} $$" if formula.startswith("$$") else f"${inside}$")
        mathml(inside, display=True)


def test_numbers_are_said_as_formulas() -> None:
    assert made("require")._repr_latex_() == r"$n = 440,\quad k = 1{,}867$"
    assert made("theorem")._repr_latex_().count("$$") >= 4


@pytest.mark.parametrize("name", EVERY)
def test_a_frame_has_what_the_dict_has(name: str) -> None:
    found = made(name)
    json.dumps(found.to_dict(), allow_nan=False)
    frame, table = found.to_frame(), words.table(found)
    assert list(frame.columns) == list(table.columns)
    assert len(frame) == len(table.rows) > 0
    back = frame.astype(object).where(frame.notna(), None).to_dict("list")
    assert back == table.to_dict()


def test_without_pandas_one_line_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UsageError, match="a frame needs pandas"):
        made("require").to_frame()
    assert made("require").to_dict()["n"] == 440


def test_without_matplotlib_one_line_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(UsageError, match="a picture needs matplotlib"):
        made("compare").plot()


@pytest.mark.parametrize("name", EVERY)
def test_a_picture_draws_the_rows_or_a_line_says_why_not(name: str) -> None:
    found, axes = made(name), plt.figure().add_subplot()
    form = form_of(found)
    if name != "sweep" and (form is None or not form.picture):
        with pytest.raises(UsageError, match="nothing to draw"):
            found.plot(ax=axes)
    else:
        assert found.plot(ax=axes) is axes
        assert axes.lines or axes.patches
    plt.close("all")


@pytest.mark.parametrize("function", ["logistic", "hinge", "huber:1/2", "log(1+exp(-x))"])
def test_a_polynomial_is_drawn_near_its_function(function: str) -> None:
    found = sb.approximate(function, interval=(-1, 1.5), degree=3)
    drawn, fitted = found.plot().lines
    assert max(abs(drawn.get_ydata() - fitted.get_ydata())) == pytest.approx(float(found.error), rel=0.01)
    plt.close("all")


def test_other_columns_can_be_drawn() -> None:
    drawn = made("plan_release").plot(y="one_way.error")
    assert drawn.get_ylabel() == "one_way.error"
    with pytest.raises(UsageError, match="'nothing' is not a column; these are: method"):
        made("plan_release").plot(y="nothing")
    with pytest.raises(UsageError, match="colour is not taken"):
        made("plan_release").plot(colour="red")
    plt.close("all")


@pytest.mark.parametrize("name", sorted(FORMS))
def test_a_form_names_what_there_is(name: str) -> None:
    form = FORMS[name]
    assert not form.command or form.command in COMMANDS
    assert callable(_function(form.document))
    assert callable(_function(form.payload))
    kind = name.removeprefix("rows of ")
    assert isinstance(_function(kind), type)
    assert issubclass(_function(kind), Shown)


def _again(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - ours


def test_answers_stay_what_they_are() -> None:
    rows, again = made("compare"), sb.compare(p=10, degree=2, epsilon="0.2", delta="0.05", gamma="0.05")
    assert isinstance(rows, tuple)
    assert rows[:9] == again[:9]
    assert made("require") == sb.require(p=10, degree=2, epsilon=0.2, delta=0.05, gamma=0.05)
    assert hash(made("require")) == hash(rows[[row.requirement for row in rows].index(made("require"))].requirement)
    for each in (made("require"), rows):
        copy = _again(each)
        assert copy == each
        assert copy.to_dict() == each.to_dict()
    assert _again(sb.require) is sb.require is sb.require
    assert sb.models.certify is sb.certify
    assert float(made("require").n) == 440.0


def test_what_was_made_behind_the_front_door_is_shown_by_its_fields() -> None:
    from synthbounds.api.inferring import infer_proportion

    found = infer_proportion(made("release_marginals"), "insured=yes")
    assert repr(found).startswith("ShareAnswer: ")
    assert parsed(found._repr_html_() or "").tag == "p"
    assert found._repr_latex_() is None
    with pytest.raises(UsageError, match="release is missing: ask through `synthbounds`"):
        found.to_dict()


def test_no_table_is_kept_with_its_answer() -> None:
    codes = sb.data.read_codes(TABLE, sb.data.read_schema(INPUTS / "people.schema.json"))
    found = sb.release_moments(codes, INPUTS / "people.schema.json", label="insured", **SIMULATED)
    assert found._asked is not None
    assert not {"table", "codes"} & (found._asked.said.keys() | found._asked.beside.keys())
    kept = pickle.dumps(found._asked)
    assert len(kept) < 1000 < codes.nbytes


HOSTILE = "<script>alert('x')</script>&\"\x1b[2J\u202e--no"


def test_hostile_names_are_text() -> None:
    columns = [{"name": HOSTILE, "levels": ["<img src=x onerror=y>", "]]>"]}, {"name": "</td>", "levels": ["0", "1"]}]
    schema = sb.data.parse_schema(json.dumps({"synthbounds_schema": 1, "source": "public", "columns": columns}))
    codes = np.array([[0, 0], [1, 1], [0, 1]] * 20)
    tables = sb.release_marginals(codes, schema, **SIMULATED)
    features = sb.release_moments(codes, schema, label="</td>", **SIMULATED)
    model = sb.train(features, tau=1, points=100).model
    answers: list[Any] = [
        schema, tables, features, model, sb.certify(features, model), sb.infer_proportion(tables, "</td>=1"),
        sb.synthesize(codes, schema, **SIMULATED), sb.certify_marginals(tables, model, label="</td>"),
    ]  # fmt: skip
    for answer in answers:
        page = parsed(answer._repr_html_())
        assert not {"script", "img"} & {element.tag for element in page.iter()}
        assert repr(answer).isprintable()
        assert len(repr(answer)) <= 120
        answer.to_frame()
    assert HOSTILE.partition("\x1b")[0] in "".join(parsed(schema._repr_html_()).itertext())
