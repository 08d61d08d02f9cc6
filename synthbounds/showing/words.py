"""An answer in every form that Python needs; the words are those of the command that prints it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import fields, replace
from fractions import Fraction
from typing import Any

from bounds.enclosure import Enclosure
from bounds.errors import UsageError
from bounds.exact import show_rational
from bounds.shown import Rows, Shown
from synthbounds.api.sweeping import Sweep
from synthbounds.render.document import Answer, Block, Code, Document, Facts, Stamp, Title, Vacuous
from synthbounds.render.numbers import json_enclosure
from synthbounds.showing import swept
from synthbounds.showing.asking import in_python, inputs_shown
from synthbounds.showing.beside import UNWRITTEN, NoFile, NotNoted
from synthbounds.showing.form import Form
from synthbounds.showing.forms import form_of
from synthbounds.showing.table import Table, rows_in, scalars

_LONGEST, _SHORT, _MOST_NAMED = 120, 40, 9
_AROUND = ("schema_version", "command", "inputs", "provenance")
_GREEK = frozenset(
    {"alpha", "beta", "delta", "epsilon", "eta", "gamma", "kappa", "lambda", "mu", "nu", "rho", "sigma", "tau"}
)
_NUMBER = re.compile(r"(-?)([\d,]+)(\.\d+)?(?:e([+-]?\d+))?")


def line(answer: Shown) -> str:
    """Its type and the numbers asked for, with their units, in one line."""
    name = type(answer).__name__
    if isinstance(answer, Sweep):
        return _shortened(f"{name}: {swept.sentence(answer)}")
    if isinstance(answer, Rows):
        said = (_said_of(item) for item in answer[:_MOST_NAMED])
        return _shortened(f"{len(answer):,} {answer.of.__name__}: {'; '.join(said)}")
    return _shortened(f"{name}: {_said_of(answer)}") if _said_of(answer) else f"<{name}>"


def _said_of(answer: Any) -> str:
    if "__str__" in type(answer).__dict__:
        return str(answer)
    form = form_of(answer)
    if form is None or isinstance(answer, Rows):
        return _fields(answer)
    try:
        blocks = form.blocks(answer, answer._asked)
    except Exception:  # a line is also shown in error messages, and must not fail itself
        return _fields(answer)
    return "; ".join(_headline(blocks)) or _fields(answer)


def _headline(blocks: Document) -> Iterable[str]:
    for block in blocks:
        if isinstance(block, Stamp):
            yield block.text.partition(":")[0]
        elif isinstance(block, Vacuous):
            yield "VACUOUS"
    answers = [block for block in blocks if isinstance(block, Answer)]
    for block in answers[:1]:
        for symbol, value, meaning in block.rows:
            unit = re.split(r"[,;:(]", meaning)[0].strip()
            yield f"{symbol} = {value}" + (f" {unit}" if unit and len(unit) <= 24 and not unit[0].isdigit() else "")
    titles = [block for block in blocks if isinstance(block, Title)]
    if not answers and titles:
        yield from (text for text in (titles[0].text, titles[0].subtitle) if text)


def _fields(answer: Any) -> str:
    """Its short fields, if no command prints it."""
    said = {each.name: _plain(getattr(answer, each.name)) for each in fields(answer)}
    short = {name: str(getattr(answer, name)) for name, value in said.items() if value not in (None, "", [])}
    return "; ".join(f"{name} = {text}" for name, text in short.items() if len(text) <= _SHORT)


def _shortened(text: str) -> str:
    """On one line; items that do not fit are left out, or the text is cut if too little would remain."""
    text = "".join(char if char.isprintable() else "?" for char in in_python(text))
    if len(text) <= _LONGEST:
        return text
    whole = text[: _LONGEST - 4].rpartition("; ")[0]
    return f"{whole}; ..." if len(whole) >= _LONGEST // 2 else f"{text[: _LONGEST - 3]}..."


def html(answer: Shown) -> str | None:
    """What was asked for comes first; the rest of what the command prints can be opened."""
    from synthbounds.report.blocks import draw_document
    from synthbounds.report.markup import element

    if isinstance(answer, Sweep):
        return str(element("div", *draw_document(swept.document(answer)), class_="synthbounds"))
    form, found = form_of(answer), _blocks(answer)
    if form is None or found is None:
        return str(element("p", line(answer)))
    blocks = _for_python(found)
    first: Document = tuple(block for block in blocks if isinstance(block, Title | Answer | Vacuous | Stamp))
    if not any(isinstance(block, Answer) for block in first):
        first = blocks[:2]
    rest = tuple(block for block in blocks if block not in first)
    asked = _inputs(answer, form)
    if asked:
        rest = (*rest, Facts(tuple(asked.items()), "Asked"))
    more = [element("details", element("summary", "all of it"), *draw_document(rest))] if rest else []
    return str(element("div", *draw_document(first), *more, class_="synthbounds"))


def _blocks(answer: Shown) -> Document | None:
    """None if no command prints it, or if too little is known about how it was asked."""
    form = form_of(answer)
    try:
        found: Document | None = None if form is None else form.blocks(answer, answer._asked)
    except NotNoted:
        return None
    return found


def _for_python(blocks: Document) -> Document:
    """Without commands to type or files that were not written, and with Python names."""

    def kept(block: Block) -> Block:
        if isinstance(block, Facts):
            block = Facts(tuple(row for row in block.rows if not row[1].startswith(UNWRITTEN)), block.title)
        if isinstance(block, Title) and block.subtitle == UNWRITTEN:
            block = Title(block.text)
        return replace(block, **{each.name: _in_python(getattr(block, each.name)) for each in fields(block)})

    return tuple(kept(block) for block in blocks if not isinstance(block, Code))


def _in_python(value: Any) -> Any:
    """Every text of a block with parameters by their names in Python."""
    if isinstance(value, str):
        return in_python(value)
    return tuple(map(_in_python, value)) if isinstance(value, tuple) else value


def latex(answer: Shown) -> str | None:
    """The numbers asked for as a formula, or the formulas themselves."""
    from synthbounds.render.document import Formulas

    blocks = _blocks(answer)
    if blocks is None:
        return None
    formulas = [row for block in blocks if isinstance(block, Formulas) for row in block.rows]
    if formulas:
        return "\n\n".join(f"$$ {tex} $$" for _, _, tex in formulas)
    numbers = [row for block in blocks if isinstance(block, Answer) for row in block.rows if _NUMBER.fullmatch(row[1])]
    said = r",\quad ".join(rf"{_symbol(symbol)} = {_number(value)}" for symbol, value, _ in numbers)
    return f"${said}$" if said else None


def _symbol(name: str) -> str:
    if name in _GREEK:
        return f"\\{name}"
    return name if len(name) == 1 else rf"\text{{{''.join(c if c.isalnum() or c == '-' else ' ' for c in name)}}}"


def _number(text: str) -> str:
    found = _NUMBER.fullmatch(text)
    assert found is not None
    sign, whole, rest, power = found.groups()
    scaled = "" if power is None else rf" \cdot 10^{{{int(power)}}}"
    return f"{sign}{whole.replace(',', '{,}')}{rest or ''}{scaled}"


def to_dict(answer: Shown) -> dict[str, Any]:
    """The object of `--format json` or, for a file, that of the file."""
    if isinstance(answer, Sweep):
        return swept.to_dict(answer)
    form = form_of(answer)
    if form is None:
        return _own(answer)
    body: dict[str, Any] = _files_out(form.body(answer, answer._asked))
    if not form.command:
        return body
    from synthbounds.render.envelope import envelope

    ledger = None
    if form.uses_ledger:
        from bounds.registry import registry_digest

        ledger = registry_digest()
    return envelope(form.command, _inputs(answer, form), body, precision=_precision(answer, form), ledger=ledger)


def _own(answer: Any) -> dict[str, Any]:
    if isinstance(answer, Rows):
        return {"rows": [each.to_dict() for each in answer]}
    if hasattr(answer, "to_json"):
        found: dict[str, Any] = answer.to_json()
        return found
    said = {each.name: _plain(getattr(answer, each.name)) for each in fields(answer)}
    return {name: value for name, value in said.items() if value is not None}


def _plain(value: Any) -> Any:
    """As in JSON; None for what JSON cannot represent."""
    if isinstance(value, Fraction):
        return show_rational(value)
    if isinstance(value, Enclosure):
        return json_enclosure(value)
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if hasattr(value, "tolist"):
        return value.tolist()
    return value if isinstance(value, str | int | float) else None


def _precision(answer: Any, form: Form) -> int | None:
    for name in form.precision.split(".") if form.precision else ():
        answer = getattr(answer, name)
    return answer if form.precision else None


def _files_out(value: Any) -> Any:
    if isinstance(value, NoFile):
        return None
    if isinstance(value, dict):
        return {name: _files_out(each) for name, each in value.items()}
    return [_files_out(each) for each in value] if isinstance(value, list) else value


def _inputs(answer: Shown, form: Form) -> dict[str, str]:
    """What was asked, as the command would show it."""
    if answer._asked is None or not form.command:
        return {}
    return inputs_shown(answer._asked, form.command, files=form.names_files)


def table(answer: Shown) -> Table:
    """The rows of an answer or, if it has none, its numbers."""
    if isinstance(answer, Sweep):
        return swept.table(answer)
    form, body = form_of(answer), to_dict(answer)
    if form is not None and form.rows:
        return Table.of(rows_in(body, form.rows))
    if form is None and isinstance(answer, Rows):
        return Table.of(rows_in(body, "rows"))
    said = {name: value for name, value in body.items() if name not in _AROUND}
    return Table.of([scalars(said) or said])


def plot(answer: Shown, **how: Any) -> Any:
    from synthbounds.showing import pictures

    if isinstance(answer, Sweep):
        return swept.plot(answer, **how)
    form = form_of(answer)
    if form is None or not form.picture:
        raise UsageError(f"{type(answer).__name__}: has nothing to draw; to_frame() has its numbers")
    return pictures.draw(answer, table(answer), form.picture, **how)
