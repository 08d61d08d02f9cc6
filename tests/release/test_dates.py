"""Dates: formats read as strptime reads them, codes are those of the calendar, texts read back as their codes."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from bounds.errors import DataError
from release.data.date_format import DateFormat
from release.data.dates import BY, DateColumn
from release.data.schema import Schema
from release.data.tables import read_codes
from release.data.writing import write_table
from release.files.outputs import Outputs
from tests.release.test_tables import read_text, schema_of
from tests.speeds import examples

FORMATS = (
    "%Y-%m-%d", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S.%f", "%d.%m.%Y %H:%M", "%m/%d/%y", "%d %b %Y", "%B %d, %Y",
    "%Y/%j", "%m/%d/%Y %I:%M %p", "%Y%m%d", "%Y-%m", "%Y",
)  # fmt: skip
moments = st.datetimes(min_value=datetime(1969, 1, 1), max_value=datetime(2068, 12, 31, 23, 59, 59))
SPAN = {"first": "2012-11-05", "last": "2014-02-10"}


def date_column(**fields: Any) -> DateColumn:
    column = schema_of({"name": "d", **SPAN, **fields}).columns[0]
    assert isinstance(column, DateColumn)
    return column


@given(when=moments, written=st.sampled_from(FORMATS))
@examples(500)
def test_formats_are_those_of_strptime(when: datetime, written: str) -> None:
    text = when.strftime(written)
    meant = datetime.strptime(text, written).replace(tzinfo=UTC)
    assert DateFormat(written).read(text) == (meant.toordinal(), meant.hour)
    inside = (meant - meant.replace(hour=0, minute=0, second=0, microsecond=0)) // timedelta(microseconds=1)
    assert DateFormat(written).write(meant.toordinal(), inside) == text


@given(text=st.text("0123456789-:/ TJanfeb.", max_size=20), written=st.sampled_from(FORMATS))
@examples(500)
def test_what_strptime_refuses_is_refused(text: str, written: str) -> None:
    read = DateFormat(written).read(text)
    if read is not None:
        meant = datetime.strptime(text, written).replace(tzinfo=UTC)
        assert read == (meant.toordinal(), meant.hour)


@pytest.mark.parametrize("text", ["2013-02-29", "2013-13-01", "2013-1-1x", " 2013-01-01", "0000-01-01", "13-01-01", ""])
def test_no_such_date(text: str) -> None:
    assert DateFormat("%Y-%m-%d").read(text) is None
    assert DateFormat("%Y/%j").read("2013/366") is None
    assert DateFormat("%Y/%j").read("2012/366") == (date(2012, 12, 31).toordinal(), 0)


def test_two_digits_of_a_year() -> None:
    years = [DateFormat("%y").read(text) for text in ("68", "69")]
    assert years == [(date(2068, 1, 1).toordinal(), 0), (date(1969, 1, 1).toordinal(), 0)]


def expected(by: str, when: datetime) -> int:
    """The code by another way: counting bins one after the other."""
    first = date.fromisoformat(SPAN["first"])
    if by == "hour":
        return when.hour
    if by == "weekday":
        return when.isoweekday() - 1
    key: dict[str, Any] = {
        "year": lambda d: d.year,
        "quarter": lambda d: (d.year, (d.month + 2) // 3),
        "month": lambda d: (d.year, d.month),
        "week": lambda d: d.isocalendar()[:2],
        "day": lambda d: d,
    }
    days = [first + timedelta(i) for i in range((when.date() - first).days + 1)]
    return len(dict.fromkeys(key[by](day) for day in days)) - 1


inside_span = st.datetimes(min_value=datetime(2012, 11, 5), max_value=datetime(2014, 2, 10, 23, 59))


@given(when=inside_span, by=st.sampled_from(BY))
@examples(300)
def test_codes_are_those_of_the_calendar(when: datetime, by: str) -> None:
    column = date_column(date="%Y-%m-%d %H", by=by)
    assert column.code_of(when.toordinal(), when.hour) == expected(by, when)


@pytest.mark.parametrize("by", BY)
def test_clipping_moves_to_the_nearest_end(by: str) -> None:
    refusing, clipping = (date_column(date="%Y-%m-%d %H", by=by, outside=o) for o in ("refuse", "clip"))
    first, last = clipping.first.toordinal(), clipping.last.toordinal()
    for outside, end in ((first - 1, (first, 0)), (last + 1, (last, 23)), (1, (first, 0))):
        assert refusing.code_of(outside, 12) is None
        assert clipping.code_of(outside, 12) == refusing.code_of(*end)


@pytest.mark.parametrize("by", BY)
@pytest.mark.parametrize("values", ["middle", "inside"])
@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_what_is_written_reads_back(by: str, values: str, name: str, tmp_path: Path) -> None:
    written = "%d.%m.%Y %H:%M" if by == "hour" else "%d.%m.%Y"
    schema = schema_of(
        {"name": "d", "date": written, **SPAN, "by": by, "missing": True}, {"name": "s", "levels": ["a", "b"]}
    )
    codes = np.random.default_rng(1).integers(0, schema.domain.sizes, (300, 2)).astype(np.uint16)
    with Outputs() as outputs:
        write_table(outputs, tmp_path / name, codes, schema, values=values, seed=5)
    assert np.array_equal(read_codes(tmp_path / name, schema), codes)


def test_values_inside_bins_do_not_depend_on_blocks_and_fill_them(tmp_path: Path) -> None:
    schema = schema_of({"name": "d", "date": "%Y-%m-%d", **SPAN, "by": "month"})
    codes = np.full((2000, 1), 3, dtype=np.uint8)
    for name, given_ in (("a.csv", codes), ("b.csv", iter(np.split(codes, [7, 1500])))):
        with Outputs() as outputs:
            write_table(outputs, tmp_path / name, given_, schema, values="inside", seed=2)
    text = (tmp_path / "a.csv").read_text()
    assert text == (tmp_path / "b.csv").read_text()
    assert set(text.split()[1:]) == {f"2013-02-{day:02}" for day in range(1, 29)}


def test_parquet_dates_are_taken_as_they_are(tmp_path: Path) -> None:
    schema = schema_of(*({"name": n, "date": "%Y-%m-%d %H:%M:%S", **SPAN, "by": "hour"} for n in ("ns", "s", "zone")))
    days = schema_of({"name": "d32", "date": "%Y-%m-%d", **SPAN, "by": "day"})
    when = [datetime(2013, 1, 1, 13, 59, 59, 999999), datetime(2012, 11, 5), datetime(2014, 2, 10, 23)]
    table = {
        "ns": pa.array(when, pa.timestamp("ns")),
        "s": pa.array([w.replace(microsecond=0) for w in when], pa.timestamp("s")),
        "zone": pa.array(when, pa.timestamp("ms", tz="Asia/Tokyo")),
        "d32": pa.array([w.date() for w in when], pa.date32()),
    }
    parquet.write_table(pa.table(table), tmp_path / "t.parquet")
    assert read_codes(tmp_path / "t.parquet", schema, extra="ignore").tolist() == [[13] * 3, [0] * 3, [23] * 3]
    ordinals = [w.toordinal() - date(2012, 11, 5).toordinal() for w in when]
    assert read_codes(tmp_path / "t.parquet", days, extra="ignore")[:, 0].tolist() == ordinals


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("2013-02-30", "is not a date of the format that the schema declares"),
        ("1.2.2013", "is not a date"),
        ("2012-11-04", "is outside the span of days"),
        ("", "is missing"),
        ("NA", "is not a date"),
    ],
)
def test_bad_cells_are_told_with_row_and_column(cell: str, said: str, tmp_path: Path) -> None:
    schema = schema_of({"name": "d", "date": "%Y-%m-%d", **SPAN, "by": "month"}, {"name": "x", "levels": ["0", "1"]})
    with pytest.raises(DataError, match="row 2, column 'd'") as caught:
        read_text(f"d,x\n2013-01-01,0\n{cell},1\n", schema, tmp_path, echo_values=False)
    assert said in str(caught.value)
    assert not cell or cell not in str(caught.value)
    assert "\n" not in str(caught.value)


BAD = [
    ({"date": "%Y-%m-%d", "by": "fortnight"}, "by = "),
    ({"date": "%Y-%m-%d", "by": "month", "last": "2012-01-01"}, "must not be before the first day"),
    ({"date": "%Y-%m-%d", "by": "month", "first": "2012-13-01"}, "must be a day such as"),
    ({"date": "%Y-%m-%d", "by": "month", "first": 2012}, "must be a day such as"),
    ({"date": "%Y-%m-%d", "by": "year", "last": "2012-12-01"}, "has 1 such bins"),
    ({"date": "%Y-%m-%d", "by": "weekday", "last": "2012-11-10"}, "every day of the week"),
    ({"date": "%Y-%m-%d", "by": "hour"}, "reads as another"),
    ({"date": "%Y-%m", "by": "month"}, "a first day that begins a bin"),
    ({"date": "%Y", "by": "month"}, "reads as another"),
    ({"date": "%y", "by": "year", "first": "1950-01-01"}, "reads as another"),
    ({"date": "%x", "by": "month"}, "%x is not a directive"),
    ({"date": "%Y-%m-%", "by": "month"}, "is not a directive"),
    ({"date": "%Y-%y", "by": "year"}, "mean the same"),
    ({"date": "%Y-%Y", "by": "year"}, "given twice"),
    ({"date": "%m-%d", "by": "month"}, "must show the year"),
    ({"date": "%Y-%d", "by": "month"}, "needs the month"),
    ({"date": "%Y %I", "by": "year"}, "need each other"),
    ({"date": "%Y %S", "by": "year"}, "%S needs %M"),
    ({"date": "%Y-%m-%d", "by": "month", "whole": True}, "whole is for numbers"),
    ({"date": "%Y-%m-%d", "by": "month", "ordered": True}, "ordered is for levels"),
    ({"date": "%Y-%m-%d", "by": "month", "missing": ["2012-12-01"]}, "is also how a bin is written"),
    ({"date": "%Y-%m-%d"}, "date, first, last and by"),
]


@pytest.mark.parametrize(("fields", "said"), BAD)
def test_bad_columns(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError) as caught:
        schema_of({"name": "d", **SPAN, **fields})
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_order_and_json() -> None:
    assert [date_column(date="%Y-%m-%d %H", by=by).is_ordered for by in BY] == [by != "weekday" for by in BY]
    said = {"name": "d", "date": "%Y-%m-%d", **SPAN, "by": "month", "outside": "clip", "missing": True}
    schema = schema_of(said)
    assert schema.to_json()["columns"] == [said]
    assert schema.columns[0].missing_code == schema.columns[0].size - 1 == 16
    assert isinstance(schema, Schema)
