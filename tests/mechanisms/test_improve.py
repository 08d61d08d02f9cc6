"""Finished tables brought near to releases of every kind: what is fitted, what is out of reach, what comes out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import synthbounds as sb
from bounds.errors import DataError, NotApplicable, ParameterError, UsageError
from mechanisms.improve.ask import Wish
from mechanisms.improve.improve import wanted_of
from mechanisms.improve.improvement import Improvement
from mechanisms.improve.weights import LEAST_EFFECTIVE
from release.log.file import MarginalLog
from release.marginals.file import NoiseLaw
from release.moments.file import MomentRelease
from release.statistics.fourier_features import FourierFeatures
from release.statistics.number_moments import NumberMoments
from tests import cross_examples, log_examples
from tests.cross_examples import SCHEMA, table

N = 2000
LOUD: dict[str, Any] = {"mode": "simulate", "epsilon": 200, "dp_delta": "1e-6"}
PLAIN: dict[str, Any] = {"mode": "simulate", "epsilon": 4, "dp_delta": "1e-6"}


def moments(rows: np.ndarray | None = None, **asked: Any) -> MomentRelease:
    return sb.release_moments(table(N) if rows is None else rows, SCHEMA, label="pays", **{**PLAIN, **asked})


def finished(n: int = 3000, seed: int = 1) -> np.ndarray:
    """Columns of the example, each by itself."""
    generator = np.random.default_rng(seed)
    return np.column_stack([generator.permutation(column) for column in table(n, seed).T])


def log_of_queries() -> MarginalLog:
    return log_examples.log_with_queries(epsilon=200)


def answered(log: MarginalLog, queries: Any) -> MarginalLog:
    """The log with exact answers of another workload in the place of its answers."""
    from release.log.steps import AnswersStep

    asked = tuple(range(0, queries.count, 3))
    sums = tuple(int(value) for value in queries.sums_of(log_examples.records(), asked))
    step = AnswersStep(workload=0, queries=asked, sd=Fraction(1), rho=Fraction(1, 100), sums=sums)
    return replace(log, queries=(queries,), steps=(*log.tables, step))


CORRELATION = Wish(fit="correlation")
RELEASES: dict[str, Callable[[], Any]] = {
    "moments": lambda: moments(**LOUD),
    "moments of a number": lambda: sb.release_moments(table(N), SCHEMA, label="age", **LOUD),
    "moments, n private": lambda: moments(**LOUD, adjacency="add-remove", least_size=1500),
    "marginals": lambda: sb.release_marginals(table(N), SCHEMA, **LOUD),
    "cross moments": lambda: cross_examples.made(epsilon=200),
    "log": lambda: log_examples.made(epsilon=200),
    "log of merged codes": lambda: log_examples.made(epsilon=200, merged=True),
    "log of queries": log_of_queries,
}


@pytest.mark.parametrize("wish", [Wish(), CORRELATION, replace(CORRELATION, features=("pays", "age", "size"))])
@pytest.mark.parametrize("kind", RELEASES)
def test_the_real_rows_have_what_is_wanted_up_to_the_noise_that_is_said(kind: str, wish: Wish) -> None:
    release = RELEASES[kind]()
    is_log = isinstance(release, MarginalLog)
    if wish.fit == "correlation" and (is_log or (kind.endswith("a number") and wish.features)):
        with pytest.raises(NotApplicable, match="a log is fitted as it is" if is_log else "no correlation with it"):
            wanted_of(release, table(N), wish)
        return
    wanted = wanted_of(release, table(N), wish)
    off = (wanted.statistics.means(np.full(N, 1 / N)) - wanted.targets) / wanted.sds
    assert np.abs(off).max() < 5
    assert 0.6 < np.sqrt(np.mean(off**2)) < 1.6, off  # noise of one table is in several moments
    assert len({wanted.name(place) for place in range(len(off))}) >= 0.5 * len(off)


@pytest.mark.parametrize(
    "queries",
    [NumberMoments(SCHEMA, (0,), (2,)), NumberMoments(SCHEMA, (0,)), FourierFeatures(SCHEMA, label=2, count=9)],
)
def test_queries_of_any_kind_are_their_answers_at_every_row(queries: Any) -> None:
    log = answered(log_of_queries(), queries)
    wanted = wanted_of(log, log_examples.records(), Wish())
    off = wanted.statistics.means(np.full(N, 1 / N)) - wanted.targets
    asked = len(log.answers[0].sums)
    np.testing.assert_allclose(off[-asked:], 0, atol=1e-9)
    assert wanted.name(len(off) - 1).startswith("query")


def test_tables_without_a_law_of_their_noise_are_fitted_by_their_radii() -> None:
    made = sb.release_marginals(table(N), SCHEMA, **PLAIN)
    bare = [replace(one, noise=None) for one in made.tables]
    exact = [replace(one, noise=NoiseLaw(law="gaussian", sd=Fraction(0))) for one in made.tables]
    for tables in (bare, exact):
        elsewhere = replace(made, origin="elsewhere", plan=None, seed=None, tables=tuple(tables))
        found = sb.improve(finished(), elsewhere)
        assert found.after is not None
        assert found.cost.release is None
        assert found.effective_size > 0.2


def errors(found: Improvement, real: np.ndarray) -> tuple[float, float]:
    """Mean error of moments of the real rows, before and after."""
    wanted = wanted_of(found.release, found.codes, Wish())
    truth = wanted_of(found.release, real, Wish()).statistics.means(np.full(len(real), 1 / len(real)))
    before = wanted.statistics.means(np.full(len(found.codes), 1 / len(found.codes)))
    after = wanted.statistics.means(found.weights / len(found.codes))
    return float(np.abs(before - truth).mean()), float(np.abs(after - truth).mean())


@pytest.mark.parametrize("kind", RELEASES)
def test_weights_bring_a_table_nearer_to_the_real_one(kind: str) -> None:
    release = {
        "moments": moments,
        "moments of a number": lambda: sb.release_moments(table(N), SCHEMA, label="age", **PLAIN),
        "moments, n private": lambda: moments(adjacency="add-remove", least_size=1500),
        "marginals": lambda: sb.release_marginals(table(N), SCHEMA, **PLAIN),
        "cross moments": lambda: cross_examples.made(epsilon=4),
        "log": lambda: log_examples.made(epsilon=4),
        "log of merged codes": lambda: log_examples.made(epsilon=4, merged=True),
        "log of queries": lambda: log_examples.log_with_queries(epsilon=4),
    }[kind]()
    found = sb.improve(finished(), release)
    before, after = errors(found, table(N))
    assert after < 0.85 * before
    assert found.weights.sum() == pytest.approx(3000)
    assert (found.weights >= 0).all()
    assert found.effective_size > 0.1
    assert not found.fitted.raised
    assert found.before is not None
    assert found.after is not None
    assert found.after.deviations < found.before.deviations
    assert found.divergence > 0
    assert 0 < found.distance < 2


def test_rows_are_weights_rounded_up_or_down_in_the_order_of_the_table() -> None:
    rows = finished()
    for k in (1, 100, 3000, 20_000):
        found = sb.improve(rows, moments(), k=k)
        assert len(found.chosen) == k
        assert (np.diff(found.chosen) >= 0).all()
        counted = np.bincount(found.chosen, minlength=len(rows))
        # systematic along an order: every row gets its share, rounded up or down
        assert (np.abs(counted - found.weights * k / len(rows)) < 1).all()
    again = sb.improve(rows, moments(), k=k)
    np.testing.assert_array_equal(found.chosen, again.chosen)
    assert found.of_rows is not None
    assert found.after is not None
    assert found.of_rows.deviations < found.after.deviations + 1


def test_weights_do_not_depend_on_the_order_of_rows_and_copies_share_them() -> None:
    rows, release = finished(), moments()
    found = sb.improve(rows, release)
    order = np.random.default_rng(0).permutation(len(rows))
    np.testing.assert_allclose(sb.improve(rows[order], release).weights, found.weights[order], atol=1e-6)
    twice = sb.improve(np.concatenate([rows, rows]), release)
    np.testing.assert_allclose(twice.weights[: len(rows)], found.weights, atol=1e-6)
    _, which = np.unique(rows, axis=0, return_inverse=True)
    assert np.ptp(found.weights[which.ravel() == 5]) < 1e-12


def test_weights_to_start_from_count_like_so_many_rows() -> None:
    rows, release = finished(200), moments()
    copies = np.arange(200) % 3
    found = sb.improve(rows, release, start=copies.tolist())
    whole = sb.improve(np.repeat(rows, copies, axis=0), release)
    summed = np.bincount(np.repeat(np.arange(200), copies), whole.weights, minlength=200)
    np.testing.assert_allclose(found.weights / 200, summed / copies.sum(), atol=1e-8)
    for wrong, said in (
        ([1.0] * 199, "199 rows"),
        ([-1.0] + [1.0] * 199, "row 1 "),
        ([0.0] * 200, "every weight is 0"),
    ):
        with pytest.raises(DataError, match=said):
            sb.improve(rows, release, start=wrong)


# what is out of reach


def test_what_rows_cannot_have_is_said_and_the_rest_is_fitted_all_the_same() -> None:
    rows, release = finished(), moments()
    rows[:, 0] = 6
    found = sb.improve(rows, release)
    assert found.constant == ("age",)
    assert {residual.name for residual in found.out_of_reach} >= {"age", "age squared"}
    assert found.after is not None
    assert found.after.name.startswith("age")
    assert "out of reach" in found.warnings[0]
    assert "age: the same in every row" in found.warnings[0]
    others = sb.improve(rows[:, 1:], _without_age(release))
    assert found.effective_size == pytest.approx(others.effective_size, abs=0.15)
    assert found.root_mean_square < 1.5


def _without_age(release: MomentRelease) -> MomentRelease:
    from release.data.schema import Schema

    smaller = Schema(SCHEMA.columns[1:], "public")
    return sb.release_moments(table(N)[:, 1:], smaller, label="pays", **PLAIN)


@pytest.mark.parametrize("wrong", ["rare level", "few rows", "half of the range", "other table"])
@pytest.mark.parametrize("price", ["soft", "box"])
def test_no_table_is_destroyed(wrong: str, price: str) -> None:
    rows, release = finished(), moments(epsilon=20)
    if wrong == "rare level":
        rows = rows[(rows[:, 3] == 0) | (np.arange(3000) < 5)]
    elif wrong == "few rows":
        rows = rows[:12]
    elif wrong == "half of the range":
        rows = rows[rows[:, 0] < 2]
    else:
        rows = np.random.default_rng(0).integers(0, SCHEMA.domain.sizes, (500, 5))
    found = sb.improve(rows, release, price=price)
    assert np.isfinite(found.weights).all()
    assert found.effective_size >= 0.8 * LEAST_EFFECTIVE
    if price == "box" and found.fitted.price == "soft":
        assert any("box" in text or "no weights" in text or "only weights" in text for text in found.warnings)
    if wrong != "other table":
        assert found.warnings
        assert found.after is not None
        assert found.after.deviations > 4


def test_a_label_that_never_changes_is_refused_with_its_rows() -> None:
    rows = finished()
    rows[:, 2] = 1
    with pytest.raises(DataError, match="column pays: all 3,000 rows that count have the value yes"):
        sb.improve(rows, moments())
    with pytest.raises(DataError, match="column pays"):
        sb.improve(rows, cross_examples.made())
    assert sb.improve(rows, sb.release_marginals(table(N), SCHEMA, **PLAIN)).constant == ("pays",)


def test_the_box_of_the_paper_and_its_denoising() -> None:
    rows = finished()
    numbers = moments(epsilon=50, linear=("all",))
    three: dict[str, Any] = {"fit": "correlation", "features": ("pays", "age", "owns")}  # of which no square repeats
    within = sb.improve(rows, numbers, price="box", gamma="1e-6", **three)
    assert within.fitted.price == "box"
    assert within.after is not None
    assert within.after.absolute <= 1.1e-6
    soft = sb.improve(rows, numbers, strength="1e-9", **three)
    np.testing.assert_allclose(soft.weights, within.weights, atol=1e-3)
    few = finished(40)
    plain, denoised = (sb.improve(few, moments(), price="box", denoise=flag) for flag in (False, True))
    assert plain.fitted.price == "soft"
    assert plain.fitted.given_up
    assert denoised.fitted.denoised_sd is not None
    assert denoised.fitted.denoised_sd > 1


# what it has cost


def test_costs_add_up_under_one_adjacency() -> None:
    rows, release = finished(200), moments()
    assert sb.improve(rows, release).cost.total is None
    total = sb.improve(rows, release, table_spent="1/2,1e-6", table_adjacency="replace-one").cost.total
    assert total is not None
    assert total.epsilon.hi == Fraction(9, 2)
    assert total.delta.hi == Fraction(2, 10**6)
    kept = cross_examples.made(reserve=Fraction(1, 4))
    whole = sb.improve(rows, kept, table_spent="2", table_adjacency="replace-one").cost.total
    assert whole is not None
    assert whole.epsilon.hi == 3  # what the release keeps for later is promised, too
    with pytest.raises(UsageError, match="add-remove: the release is private under replace-one"):
        sb.improve(rows, release, table_spent="1", table_adjacency="add-remove")
    for spent, adjacency in (("1", None), (None, "replace-one")):
        with pytest.raises(UsageError, match="is missing: it goes with"):
            sb.improve(rows, release, table_spent=spent, table_adjacency=adjacency)
    for spent in ("1,2", "x", "1,1e-6,3", "-1", "", "0"):
        with pytest.raises(ParameterError, match="table_spent"):
            sb.improve(rows, release, table_spent=spent, table_adjacency="replace-one")


def test_what_does_not_go_together_is_refused() -> None:
    rows, release = finished(200), moments()
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"features": ("age", "pays")}, "features is for fit correlation"),
        ({"fit": "correlation", "features": ("age", "nobody")}, "features = nobody"),
        ({"fit": "correlation", "features": ("age",)}, "at least two different columns"),
        ({"gamma": "0.1"}, "gamma is for price box"),
        ({"denoise": True}, "denoise is for price box"),
        ({"price": "box", "strength": 1}, "strength is for price soft"),
        ({"price": "hard"}, "price = hard"),
        ({"fit": "some"}, "fit = some"),
        ({"k": 0}, "k = 0"),
        ({"strength": 0}, "strength = 0"),
        ({"price": "box", "gamma": -1}, "gamma = -1"),
    ]
    for more, said in wrong:
        with pytest.raises(UsageError, match=said):
            sb.improve(rows, release, **more)
    distance = sb.release_distance(table(N), rows, SCHEMA, label="pays", mode="simulate", epsilon=1)
    with pytest.raises(DataError, match='kind = "distance": must be one of "moments"'):
        sb.improve(rows, distance)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="has no rows"):
        sb.improve(rows[:0], release)


def test_a_table_that_is_near_already_keeps_its_weights() -> None:
    found = sb.improve(table(N), moments(epsilon="0.05"))
    assert found.effective_size > 0.95
    assert not found.warnings
    whole = np.concatenate([table(N), finished()])
    release = sb.release_marginals(whole, SCHEMA, mode="simulate", epsilon="0.01", dp_delta="1e-6")
    again = sb.improve(whole, release)
    assert again.effective_size > 0.85
