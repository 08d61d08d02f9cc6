"""Sentences of reports are literally true: what is bounded, what is assumed, and what each beta is for."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from release.data.schema import parse_schema
from release.marginals.make import release_marginals
from synthbounds.api.comparisons import release_distance
from synthbounds.render.comparison import distance_document
from synthbounds.render.document import Answer
from synthbounds.report import plain, table_sheet
from synthbounds.report.cautions import may_fail
from synthbounds.report.file_names import names_only
from synthbounds.report.release_sheet import release_sheet
from synthbounds.report.sheet import CellError, Certified, HeatMap

BETA = Fraction(1, 20)
ASKED: dict[str, Any] = {"label": "y", "mode": "simulate", "seed": 1, "epsilon": 10}
SCHEMA_TEXT = """{"synthbounds_schema": 1, "source": "public", "columns": [
    {"name": "x", "levels": ["a", "b"]}, {"name": "y", "levels": ["no", "yes"]}]}"""
SCHEMA = parse_schema(SCHEMA_TEXT)


def table(n: int, positive: int) -> Any:
    """x balanced, and independent of y."""
    return np.array([[i % 2, int(i < positive)] for i in range(n)])


def first_moments(rows: Any) -> Any:
    """Sums of the label times the features, which are in the unit ball."""
    features = np.column_stack([2 * rows[:, 0] - 1, np.ones(len(rows))]) / np.sqrt(2)
    return (2 * rows[:, 1] - 1) @ features


def test_a_distance_under_add_remove_is_said_of_sums_over_the_least_size() -> None:
    """With twice the least size the means are far apart, and the sums over the least size are not."""
    least = 10_000
    real, synthetic = table(2 * least, 12_500), table(least, 7_500)
    found = release_distance(real, synthetic, SCHEMA, **ASKED, adjacency="add-remove", least_size=least)
    near = float(found.distance(BETA).first)
    means = first_moments(synthetic) / least
    assert np.linalg.norm(first_moments(real) / (2 * least) - means) > 10 * near  # what is not said
    assert np.linalg.norm(first_moments(real) / least - means) <= near
    sheet = release_sheet(found, (), BETA)
    said = sheet.parts[0]
    assert isinstance(said, Certified)
    assert said.sentence.startswith(
        "With 95 % confidence: sums over the real table of the label times a feature are within"
    )
    assert "of the synthetic table's means, if divided by 10,000, the least size," in said.sentence
    (answer,) = (block for block in distance_document(found, "d.json", "s.csv", BETA) if isinstance(block, Answer))
    assert answer.rows[0][2].startswith("largest distance of real sums of label times feature, over 10,000, from")
    assert "assumed to have at least 10,000 records" in sheet.subtitle


def test_a_distance_under_replace_one_is_said_of_means() -> None:
    found = release_distance(table(900, 500), table(900, 400), SCHEMA, **ASKED, adjacency="replace-one")
    sheet = release_sheet(found, (), BETA)
    assert sheet.subtitle == "of 900 records"
    assert sheet.parts[0].sentence.startswith("With 95 % confidence: means of the label times a feature are")  # type: ignore[union-attr]


def test_pairs_are_hatched_where_nothing_is_certified_of_them() -> None:
    found = release_marginals(
        table(10, 5), SCHEMA, epsilon="0.01", adjacency="replace-one", mode="simulate", seed=1, pairs=[("x", "y")]
    )
    (drawn,) = (part for part in release_sheet(found, (), found.beta).parts if isinstance(part, HeatMap))
    assert drawn.values[1][0] is None  # it was released
    assert "were not released, or have so much noise that nothing is certified" in drawn.note


SURE = (BETA, None)


def test_the_sentence_is_in_points_and_the_exact_one_is_for_experts() -> None:
    pairs = {(0, 1): Fraction("0.0481"), (0, 2): Fraction("0.251"), (1, 2): Fraction("0.03")}
    found = table_sheet._certified(Fraction("0.00828"), pairs, SURE)
    assert found.sentence == (
        "With 95 % confidence: no percentage of one column is off by more than 0.83 points; of two columns combined, "
        "by 26 points at worst, and 4.9 points or less for half of the pairs."
    )
    assert found.experts == (
        "Every share of a single column is within 0.0083 of the real table's, and every share of two columns together "
        "within 0.26 (for half of the pairs, within 0.049), except with probability 0.05."
    )
    least = table_sheet._certified(Fraction("0.00828"), {}, (Fraction(1, 30), 1000)).sentence
    assert least.startswith("With 96.6666 % confidence, if the table has 1,000 records or more: no percentage")
    query = table_sheet._certified(Fraction(1), {}, SURE, query=Fraction("0.123")).sentence
    assert (
        query == "With 95 % confidence: every answer that the method was asked for is within 0.13 of the real table's."
    )
    assert not table_sheet._certified(Fraction(1), {}, SURE).holds


def test_points_are_rounded_up_and_confidence_down() -> None:
    for share in (Fraction(k, 997) for k in range(1, 997)):
        assert Fraction(plain.points(share)) >= 100 * share
        assert 0 <= 1 - share - Fraction(plain.confidence(share).split()[0]) / 100 < Fraction(1, 10**4)


def purpose(share: str, *weak: bool, columns: int = 3) -> str:
    """Of a table with these pairs, row by row."""
    cells = [CellError(Fraction(1, 10), "10", is_weak) for is_weak in weak]
    drawn = HeatMap("", ("a", "b", "c"), ((None,), (cells[0], None), (cells[1], cells[2], None)), "")
    said = table_sheet._certified(Fraction(share), {}, SURE, query=Fraction("0.1") if share == "1" else None)
    return table_sheet._purpose(said, Fraction(share), drawn, columns)


def test_a_table_may_be_used_for_what_is_certified() -> None:
    assert "percentages of one column and of two columns, as far" in purpose("0.01", False, False, False)
    assert "and of those pairs whose relation" in purpose("0.01", True, False, False)
    assert "and of those pairs whose relation" in purpose("0.01", False, False, False, columns=4)
    none = purpose("0.01", True, True, True)
    assert "percentages of one column, as far" in none
    assert "small groups or relations of columns, about which nothing" in none
    assert "the answers that the method was asked for" in purpose("1", False, False, False)
    nothing = table_sheet._certified(Fraction(1), {}, SURE)
    assert "hardly anything is certified" in table_sheet._purpose(nothing, Fraction(1), None, 3)


def test_where_columns_come_from_is_said_as_the_schema_says_it() -> None:
    assert table_sheet.source_text(SCHEMA) == ""
    noted = parse_schema(SCHEMA_TEXT.replace('"source"', '"note": "from the form", "source"'))
    assert table_sheet.source_text(noted) == "; columns and values: from the form"
    made = release_marginals(
        table(900, 500), noted, epsilon="1", adjacency="replace-one", mode="simulate", seed=1, pairs=[("x", "y")]
    )
    found = release_sheet(made, (), made.beta)
    assert found.subtitle == "of 900 records; columns and values: from the form"
    assert found.purpose.startswith("Use these numbers for percentages of the columns that were counted")


def test_every_statement_has_its_own_beta() -> None:
    assert may_fail("0.05").startswith("Each certified statement may fail, with probability at most 0.05")


@pytest.mark.parametrize(
    ("text", "files", "shown"),
    [
        ("/a b/c.csv, /a b/d.json", ["/a b/x.csv"], "c.csv, d.json"),
        ("docs/t.csv by docs/proofs/p.md", ["docs/t.csv"], "t.csv by docs/proofs/p.md"),
        ("1/4 of it", ["t.csv"], "1/4 of it"),
        ("x /t.csv", ["/t.csv"], "x /t.csv"),
    ],
)
def test_files_are_shown_by_their_names(text: str, files: list[str], shown: str) -> None:
    assert names_only((Certified(text), 3), files) == (Certified(shown), 3)
