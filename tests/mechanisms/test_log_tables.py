"""Tables from logs: what is certified about them is true, and the log alone gives the same rows again."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from bounds.errors import DataError, NotCertified, UsageError
from mechanisms.log_rows import LogFit
from mechanisms.pgm import certificate
from mechanisms.select import gen
from mechanisms.select.settings import AIM, GEN, MST, TREE
from mechanisms.synth import known
from mechanisms.synth.ask import read_request
from mechanisms.synth.known import known_from_log
from mechanisms.synth.log_summary import summarise
from mechanisms.synth.make_by_log import redraw, rows_of
from mechanisms.synth.parameters import GRAPHICAL
from release.data.schema import Schema
from release.data.source import RecordsSource
from release.log.file import MarginalLog
from release.log.impossible import Impossible
from release.log.read import parse_log
from tests.log_examples import made as log_made
from tests.mechanisms.test_synth_methods import SCHEMA, chosen, public, schema_of, table
from tests.speeds import some

ASK: dict[str, Any] = {"mode": "simulate", "epsilon": "1", "dp_delta": "1e-6"}
ADJACENCY: dict[str, dict[str, str]] = {
    "replace-one": {},
    "add-remove": {"adjacency": "add-remove", "least_size": "380"},
}
FAILURE = Fraction(1, 20)


def made(records: np.ndarray[Any, Any], schema: Schema = SCHEMA, **said: Any) -> Any:
    return read_request({**ASK, **said}).run(RecordsSource(records, schema.domain), schema)


def shares(rows: np.ndarray[Any, Any], columns: tuple[int, ...], log: MarginalLog) -> np.ndarray[Any, Any]:
    """Of the codes that a table of the log has: merged ones in wide tables, where it merged any."""
    sizes = log.shape.of(columns)
    if log.groups is not None and len(columns) > 1:
        rows = np.column_stack([np.array(group)[rows[:, u]] for u, group in enumerate(log.groups)])
    cells = np.ravel_multi_index(tuple(rows[:, u].astype(int) for u in columns), sizes)
    return np.bincount(cells, minlength=int(np.prod(sizes))) / len(rows)


@pytest.mark.parametrize("adjacency", ADJACENCY)
@pytest.mark.parametrize("method", GRAPHICAL)
def test_the_log_gives_the_same_rows_again(method: str, adjacency: str) -> None:
    """From its file, too; with a seed other rows, as many as asked for, and nothing else changes."""
    found = made(table(400, 3), method=method, k="300", **ADJACENCY[adjacency])
    log = parse_log(found.release.to_text())
    again = redraw(log, k=300, beta=FAILURE)
    assert np.array_equal(again.rows, found.rows)
    assert again.known == found.known
    assert again.is_redrawn
    assert not again.is_spent
    other = redraw(log, k=300, seed=0, beta=FAILURE)
    assert not np.array_equal(other.rows, found.rows)
    assert np.array_equal(other.rows, redraw(log, k=300, seed=0, beta=FAILURE).rows)
    assert len(redraw(log, beta=FAILURE).rows) == (400 if adjacency == "replace-one" else 380)


@pytest.mark.parametrize("adjacency", ADJACENCY)
@pytest.mark.parametrize("method", GRAPHICAL)
def test_what_is_known_of_a_table_from_a_log_holds(method: str, adjacency: str) -> None:
    """True errors of all shares of single columns and of measured cells: misses compatible with beta."""
    records, runs, misses = table(400, 3), some(20), 0
    for seed in range(runs):
        found = made(records, method=method, seed=str(seed), failure="0.2", k="150", **ADJACENCY[adjacency])
        bounds = {(u,): error for u, error in enumerate(found.known.one_way)}
        bounds |= found.known.tables
        assert len(bounds) > 4
        wrong = [
            columns
            for columns, error in bounds.items()
            if np.abs(shares(records, columns, found.release) - shares(found.rows, columns, found.release)).max()
            > error
        ]
        misses += bool(wrong)
    assert stats.binomtest(misses, runs, 0.2, alternative="greater").pvalue > 0.001


def test_a_bound_is_above_the_distance_to_what_was_measured() -> None:
    """Of every table that was measured, also where its codes were merged; and sums of wide tables sharpen columns."""
    rng = np.random.default_rng(5)
    columns = [{"name": f"c{i}", "levels": list("abcdef")} for i in range(4)]
    schema = schema_of(columns)
    records = np.minimum(rng.geometric(0.6, (500, 4)) - 1, 5).astype(np.uint8)
    found = made(records, schema, method=MST, epsilon="1/2", k="500")
    log = found.release
    assert isinstance(log, MarginalLog)
    assert log.groups is not None
    assert any(max(group) < 5 for group in log.groups)
    for step in log.tables:
        if len(step.columns) == 1:
            continue
        far = np.abs(shares(found.rows, step.columns, log) - np.maximum(step.counts, 0) / 500).max()
        assert far < found.known.tables[step.columns]
    aim = made(records, schema, method=AIM, k="500")
    first = aim.release.tables[0]
    from release.noise.quantiles import largest_noise

    radius = largest_noise("gaussian", "release", count=24, scale=first.sd, beta=FAILURE / 2)
    assert min(aim.known.one_way) < radius / 500


def test_parts_of_beta_do_not_depend_on_the_noise_they_are_for() -> None:
    """A log that goes on has the same bounds on what came before: its later tables have their own part."""
    found = made(table(400, 3), method=TREE, k="400")
    log = found.release
    from dataclasses import replace

    shorter = replace(log, steps=tuple(step for step in log.steps if len(getattr(step, "columns", (0,))) == 1))
    alone = known_from_log(shorter, found.rows, FAILURE)
    assert all(a >= b for a, b in zip(alone.one_way, found.known.one_way, strict=True))


@pytest.mark.parametrize("method", GRAPHICAL)
def test_parts_of_beta_sum_to_beta_at_most(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One for all first tables together; of each later one a part for its cells, and another one for its sums."""
    found = made(table(400, 3), method=method)
    cells, sums = list[Fraction](), list[Fraction]()
    radius, summed = known._radius, known._sums
    monkeypatch.setattr(
        known, "_radius", lambda sd, count, failure: cells.append(failure) or radius(sd, count, failure)
    )
    monkeypatch.setattr(known, "_sums", lambda log, wide, failure: sums.append(failure) or summed(log, wide, failure))
    known_from_log(found.release, found.rows, FAILURE)
    columns = len(SCHEMA.columns)
    assert set(cells[:columns]) == {FAILURE / 2}
    assert len(cells) == len(found.release.tables)
    assert len(sums) == sum(len(step.columns) > 1 for step in found.release.tables) > 0
    assert FAILURE / 2 < cells[0] + sum(cells[columns:]) + sum(sums) <= FAILURE


@pytest.mark.parametrize("method", GRAPHICAL)
def test_where_the_budget_went(method: str) -> None:
    for share in ("0", "1/5"):
        said = {"label": "ill", "distance": share} if share != "0" else {}
        found = made(table(400, 3), method=method, **said)
        summary = summarise(found.release)
        assert summary.spent == summary.rho == found.release.ledger.total
        assert sum(summary.parts.values()) == 1
        assert summary.parts.get("distance", 0) == Fraction(share)
        assert (found.distance is not None) == (share != "0")
        again = redraw(parse_log(found.release.to_text()), k=400, beta=FAILURE)
        assert np.array_equal(again.rows, found.rows)  # the rows came before their distance


@pytest.mark.parametrize("method", GRAPHICAL)
def test_empty_constant_and_single(method: str) -> None:
    """No record, one value in each column, one column: tables come out, or one line says why not."""
    hidden = {"adjacency": "add-remove", "least_size": "40", "method": method}
    empty = made(table(0, 1), **hidden)
    assert len(empty.rows) == 40
    assert empty.too_few
    with pytest.raises(DataError, match="has no rows"):
        made(table(0, 1), method=method)
    assert len(made(np.zeros((60, 4), dtype=np.uint8), method=method).rows) == 60
    one = schema_of([{"name": "a", "levels": ["x", "y", "z"]}])
    assert made(np.array([[0], [1], [1]], dtype=np.uint8), one, method=method).rows.shape == (3, 1)


def test_rows_of_a_tilt_have_the_seed_that_was_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gen, "is_tilted", lambda log: True)
    monkeypatch.setattr(gen, "tilted_rows", lambda log, k, *, seed, say: SimpleNamespace(codes=seed))
    assert [rows_of(log_made(), 9, seed=seed)[0] for seed in (None, 4)] == [None, 4]


def test_the_size_of_a_model_counts_what_is_impossible() -> None:
    log, cells = log_made(), 7 * 3 * 5
    facts = ((), (Impossible((0, 1, 4), ((0, 0, 0),)),))
    without, beside = (rows_of(replace(log, impossible=fact), 9)[1].model_bytes for fact in facts)
    assert without < 8 * cells < beside


def test_a_fit_that_cannot_be_certified_is_no_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_long(_: object) -> None:
        raise NotCertified("would take minutes")

    monkeypatch.setattr(certificate, "certify_fit", too_long)
    found = made(table(100, 3), method=GEN)
    assert isinstance(found.fit, LogFit)
    assert found.fit.certificate is None
    assert len(found.rows) == 100


@pytest.mark.parametrize("method", [AIM, MST, GEN])
def test_a_label_is_for_methods_that_know_one(method: str) -> None:
    with pytest.raises(UsageError, match=r"^label is for --method moments or tree or rap .*, or with --distance"):
        read_request({**ASK, "method": method, "label": "ill"})
    read_request({**ASK, "method": method, "label": "ill", "distance": "1/10"})


def test_the_rule_takes_a_tree_where_the_fit_of_moments_is_dear() -> None:
    wide = schema_of([{"name": f"c{i}", "levels": [f"v{j}" for j in range(40)]} for i in range(12)])
    assert chosen(dp_delta="1e-6", of=public(wide, size=5_000)).method == "moments"
    dear = chosen(dp_delta="1e-6", of=public(wide, size=60_000))
    assert dear.method == TREE
    assert "features" in dear.reason
    assert chosen(dp_delta="1e-6", of=public(wide, size=60_000), k="1000").method == "moments"
    assert chosen("release", dp_delta="1e-6", of=public(wide, size=60_000)).method == "moments"
    assert chosen("log", dp_delta="1e-6").method == TREE
    assert chosen(dp_delta="1e-6", most_cells="50").method == AIM


def test_aim_says_how_far_it_is() -> None:
    said: list[str] = []
    asked = read_request({**ASK, "method": AIM})
    asked.run(RecordsSource(table(300, 3), SCHEMA.domain), SCHEMA, progress=said.append)
    assert said[0].startswith("at most ")
    assert said[0].endswith("14 sets of columns, 100 MB")
    assert all("of the budget, junction tree" in line and "gap" in line for line in said[1:-2])
