"""Files of shares: exactly what they may contain, and one-line errors for the rest."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from bounds.errors import DataError
from mechanisms.infer.chi_square.share_file import Shares, parse_shares, read_shares
from release.data.schema import parse_schema

SCHEMA = parse_schema(
    json.dumps(
        {
            "synthbounds_schema": 1,
            "source": "public",
            "columns": [{"name": "sex", "levels": ["F", "M"]}, {"name": "race, etc", "levels": ["a", 'b "c"', "d"]}],
        }
    )
)
ONE = "sex,share\nM,1/3\nF,2/3\n"
THIRD = Fraction(1, 3)


def test_shares_are_exact_and_in_the_order_of_the_schema(tmp_path: Path) -> None:
    expected = Shares(columns=("sex",), shares=(2 * THIRD, THIRD))
    assert parse_shares(ONE, SCHEMA) == expected
    assert parse_shares(ONE.replace("\n", "\r\n"), SCHEMA) == expected
    assert parse_shares('{"columns": ["sex"], "shares": [["M", "1/3"], ["F", "2/3"]]}', SCHEMA) == expected
    path = tmp_path / "shares.csv"
    path.write_text(ONE, encoding="utf-8")
    assert read_shares(path, SCHEMA) == expected


def test_cells_of_two_columns() -> None:
    lines = ['"race, etc",sex,share', "a,F,0.1", "a,M,0.2", '"b ""c""",F,0', '"b ""c""",M,.3', "d,F,1/5", "d,M,2/10"]
    found = parse_shares("\n".join(lines), SCHEMA)
    assert found.columns == ("race, etc", "sex")
    assert found.shares == tuple(Fraction(x, 10) for x in (1, 2, 0, 3, 2, 2))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "first line must name"),
        ("sex\nF\n", "first line must name"),
        ("sex,part\nF,1\n", "first line must name"),
        ("sex,share\nF,0.5\n", '"M" has no share'),
        ("sex,share\nF,0.5\nM,0.4\n", "add up to 0.9: must be exactly 1"),
        ("sex,share\nF,0.333\nM,0.667\nF,0\n", '"F" already has a share'),
        ("sex,share\nf,0.5\nM,0.5\n", "not a value of sex as the schema spells it"),
        ("sex,share\nF,-0.5\nM,1.5\n", "must be from 0 to 1"),
        ("sex,share\nF,half\nM,0.5\n", "share"),
        ("sex,share\nF,0.5,1\nM,0.5\n", "has 3 entries"),
        ("age,share\nF,1\n", "is not a column of the release"),
        ("sex,sex,share\nF,F,1\n", "one column or two different ones"),
        ("a,b,c,share\nF,F,F,1\n", "one column or two different ones"),
        ('sex,share\n"F,1\n', "is not CSV"),
        ('{"columns": ["sex"]}', "shares"),
        ('{"columns": "sex", "shares": []}', "must be a list of names"),
        ('{"columns": ["sex"], "shares": {}}', "list of"),
        ('{"columns": ["sex"], "shares": [["F", 0.5], ["M", 0.5]]}', "in quotes"),
        ("{", "ends early"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message) as caught:
        parse_shares(text, SCHEMA)
    assert "\n" not in str(caught.value)
