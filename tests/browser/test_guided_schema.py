"""The rows of columns that are corrected on the page: from drafts and schema files, and back to the same schema."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from release.data.schema import parse_schema
from release.data.template import NOTE, draft_of_table
from synthbounds.api.commands import COMMANDS
from synthbounds.render.drafted_schema import draft_payload
from tests.browser.conftest import Visit
from tests.paths import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Page

EXAMPLES = ROOT / "docs" / "examples"
PAGE = ROOT / "synthbounds" / "web" / "page"
RETURNED = """async (schema) => {
    const { rowsOfSchema, schemaOf, sharedOf } = await import("/schema_rows.js");
    return schemaOf(rowsOfSchema(schema), sharedOf(schema));
}"""
DRAFTED = """async ([found, change]) => {
    const { rowsOfDraft, schemaOf, sharedOf } = await import("/schema_rows.js");
    const rows = rowsOfDraft(found);
    for (const row of rows) Object.assign(row, change[row.name] ?? {});
    return schemaOf(rows, sharedOf(found));
}"""
STILL_DRAFTED = """async ([found, change]) => {
    const { isAsDrafted, rowsOfDraft } = await import("/schema_rows.js");
    const rows = rowsOfDraft(found);
    for (const row of rows) Object.assign(row, change[row.name] ?? {});
    return rows.filter(isAsDrafted).map(({ name }) => name);
}"""
OTHERS: dict[str, Any] = {
    "synthbounds_schema": 1,
    "source": "public",
    "note": "by definition",
    "missing_values": ["", "NA"],
    "columns": [
        {"name": "x", "range": ["0", "1"], "grid": 4097},
        {"name": "two\nlines", "levels": ["a\nb", "c"]},
        {"name": "grade", "levels": ["low", "high"], "ordered": True, "missing": ["?"]},
        {"name": "size", "levels": ["1", "2"], "ordered": False},
        {"name": "day", "date": "%d.%m.%Y", "first": "2024-01-01", "last": "2024-12-31", "by": "week"},
    ],
}


@pytest.fixture
def page(served: str, visit: Visit) -> Page:
    return visit(served)


def test_a_schema_file_comes_back_as_it_was(page: Page) -> None:
    schemas = [json.loads(path.read_text("utf-8")) for path in sorted(EXAMPLES.glob("*.schema.json"))]
    assert len(schemas) > 3
    for schema in (*schemas, OTHERS):
        assert page.evaluate(RETURNED, schema) == schema


def test_the_note_of_a_draft_is_no_source(page: Page) -> None:
    found = page.evaluate(RETURNED, {**OTHERS, "note": NOTE})
    assert found["source"] == "data-dependent"
    assert "note" not in found


@pytest.mark.parametrize("name", ["clinic.csv", "survey.csv"])
def test_a_draft_becomes_the_schema_of_the_command(name: str, page: Page) -> None:
    draft = draft_of_table(EXAMPLES / name)
    wanted = {**draft.schema.to_json(), "note": None}
    found = page.evaluate(DRAFTED, [draft_payload(draft, None), {}])
    assert found["source"] == "data-dependent"
    assert {**found, "note": None} == wanted
    sources = {column: {"source": f"book {i % 2}"} for i, column in enumerate(draft.schema.names)}
    public = page.evaluate(DRAFTED, [draft_payload(draft, None), sources])
    assert parse_schema(json.dumps(public)).is_public
    assert "book 0" in public["note"]
    assert "book 1" in public["note"]
    first = {draft.schema.names[0]: {"source": " "}}  # a blank is no source
    assert page.evaluate(DRAFTED, [draft_payload(draft, None), {**sources, **first}])["source"] == "data-dependent"


def test_columns_that_are_as_drafted_are_known(page: Page) -> None:
    draft = draft_of_table(EXAMPLES / "survey.csv")
    first, second, third, *others = draft.schema.names
    change = {first: {"levels": "F\nM\nX"}, second: {"from": "0"}, third: {"kept": False}, others[0]: {"source": "x"}}
    assert page.evaluate(STILL_DRAFTED, [draft_payload(draft, None), change]) == others


def test_all_methods_are_offered() -> None:
    text = Path(PAGE / "step_trial.js").read_text("utf-8")
    table = text[text.index("const METHODS") : text.index("};")]
    offered = re.findall(r'^  "?([\w+]+)"?: "', table, re.MULTILINE)
    assert sorted(offered) == sorted(COMMANDS["synth"].parameters["method"].choices)
