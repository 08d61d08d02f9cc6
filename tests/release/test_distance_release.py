"""Distance of a finished table: the theorem on many neighbours, charges on all of them, misses, files, texts."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from bounds.errors import BudgetError, DataError, SynthboundsError, UsageError
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from bounds.privacy.statements import ZCDP, GaussianDP
from release import measure as measure_module
from release.distance.file import DistanceRelease
from release.distance.make import measure_distance, release_distance
from release.distance.read import distance_of
from release.files.digest import digest_of
from release.files.strict_json import parse_json
from release.noise.draw import draw
from release.noise.quantiles import deepest_fall
from release.noise.randomness import read_randomness
from release.statistics.features import FeatureMap
from release.statistics.moment_distance import distance_sensitivity, distance_steps
from release.statistics.moments import MomentSums, moment_sums
from release.statistics.statistic import RECORD_STEPS
from tests.release.comparison_examples import (
    BUDGETS,
    DOMAIN,
    FEATURES,
    ONE_HOT,
    SCHEMA,
    miss_rates,
    name_of,
    table,
)

REAL, SYNTHETIC = table(60, 1), table(40, 2)
BETA = Fraction(1, 20)


def made(records: np.ndarray = REAL, synthetic: np.ndarray = SYNTHETIC, **changes: Any) -> DistanceRelease:
    asked: dict[str, Any] = {"epsilon": 1, "adjacency": "replace-one", "mode": "simulate", "seed": 3}
    return release_distance(records, synthetic, FEATURES, **(asked | changes))


def without_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure_module, "draw", lambda noise, values, randomness: tuple(values))


def distances_est(
    real: np.ndarray, synthetic: np.ndarray, features: FeatureMap, size: int | None = None
) -> tuple[float, float]:
    """Both distances in records, by numpy alone."""
    x, s = (features.features(codes) / features.one / features.squared_norm**0.5 for codes in (real, synthetic))
    y, t = features.labels(real), features.labels(synthetic)
    times = len(real) if size is None else size
    first = y @ x - times * (t @ s) / len(s)
    second = x.T @ x - times * s.T @ s / len(s)
    return float(np.linalg.norm(first)), float(np.abs(np.linalg.eigvalsh(second)).max())


# --- the theorem ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [2, 3, 5])
def test_no_two_neighbours_are_further_apart_than_the_theorem_says(p: int) -> None:
    """Over 10^5 pairs of neighbouring tables, of which many are as far apart as they can be."""
    rng = np.random.default_rng(p)
    count = 40_000
    centre, spread = rng.normal(size=(count, p)), rng.normal(size=(count, p, p))
    first, second = 3 * centre, spread + spread.transpose(0, 2, 1)
    z, other = (rng.normal(size=(count, p)) for _ in range(2))
    lengths = rng.random((2, count, 1)) ** 0.1
    z, other = (
        v / np.linalg.norm(v, axis=1, keepdims=True) * np.where(length > 0.8, 1, length)
        for v, length in zip((z, other), lengths, strict=True)
    )
    # Half of them are aligned with what the tables differ by, where the triangle inequality is an equality.
    first[::2], second[::2] = 9 * (z - other)[::2], 9 * (_squares(z) - _squares(other))[::2]
    before = _both(first, second)
    replaced, added = (
        _both(first + other - z, second + _squares(other) - _squares(z)),
        _both(first + z, second + _squares(z)),
    )
    moved = np.abs(before - replaced)
    assert np.hypot(*moved).max() <= 2 + 1e-9
    assert moved.sum(axis=0).max() <= 27**0.5 / 2 + 1e-9
    moved = np.abs(before - added)
    assert np.hypot(*moved).max() <= 2**0.5 + 1e-9
    assert moved.sum(axis=0).max() <= 2 + 1e-9


def _squares(z: np.ndarray) -> np.ndarray:
    return np.asarray(z[:, :, None] * z[:, None, :])


def _both(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.stack([np.linalg.norm(first, axis=1), np.abs(np.linalg.eigvalsh(second)).max(axis=1)])


def copies(*parts: tuple[int, MomentSums]) -> MomentSums:
    """Sums of a table that holds each of these tables so many times."""
    first = zip(*([times * x for x in sums.first] for times, sums in parts), strict=True)
    rows = zip(*(sums.second for _, sums in parts), strict=True)
    second = tuple(
        tuple(
            sum(times * x for (times, _), x in zip(parts, entries, strict=True)) for entries in zip(*row, strict=True)
        )
        for row in rows
    )
    return MomentSums(
        n=sum(times * sums.n for times, sums in parts), first=tuple(map(sum, first)), second=second, fourth=None
    )


@pytest.mark.parametrize("adjacency", Adjacency)
def test_what_is_charged_is_reached_and_not_exceeded(adjacency: Adjacency) -> None:
    """All pairs of records of the domain, in tables that differ in just these: whole steps, as they are released."""
    l1, l2_squared = distance_sensitivity(adjacency)
    n, worst = 5, [0.0, 0.0]
    replaced = adjacency is Adjacency.REPLACE_ONE
    alone = [moment_sums(record[None], FEATURES) for record in DOMAIN]
    for record, other in itertools.product(alone, repeat=2):
        before = copies((n, record))
        after = copies((n - 1, record), (1, other)) if replaced else copies((n - 1, record))
        steps = [distance_steps(t, other, FEATURES, n if replaced else 2) for t in (before, after)]
        moved = [abs(x - y) for x, y in zip(*steps, strict=True)]
        assert sum(moved) <= l1
        assert sum(x * x for x in moved) <= l2_squared
        worst = [max(worst[0], sum(moved)), max(worst[1], sum(x * x for x in moved))]
    assert worst[0] > l1 - 8
    assert worst[1] ** 0.5 > float(l2_squared) ** 0.5 - 8


@pytest.mark.parametrize("features", [FEATURES, ONE_HOT], ids=["linear", "one-hot"])
@pytest.mark.parametrize("size", [None, 50])
def test_steps_are_the_distances_rounded_up(features: FeatureMap, size: int | None) -> None:
    for seed in range(20):
        real, synthetic = table(30 + seed, seed), table(7 + 5 * seed, 100 + seed)
        wanted = distances_est(real, synthetic, features, size)
        sums = moment_sums(real, features), moment_sums(synthetic, features)
        found = distance_steps(*sums, features, len(real) if size is None else size)
        for steps, near, most in zip(found, wanted, (1, 2), strict=True):
            assert -1e-6 <= steps - near * RECORD_STEPS <= most + 1e-6


def test_equal_tables_have_no_distance() -> None:
    sums = moment_sums(REAL, FEATURES)
    first, second = distance_steps(sums, sums, FEATURES, len(REAL))
    assert first == 0
    assert 0 <= second <= 2
    twice = moment_sums(np.concatenate([REAL, REAL]), FEATURES)
    assert distance_steps(sums, twice, FEATURES, len(REAL))[0] == 0


# --- noise ---------------------------------------------------------------------------------------------------------


def rate_of_misses(numbers: list[tuple[int, ...]], fall: int, exact: tuple[float, float]) -> tuple[float, float]:
    misses = sum(
        any(max(0, value + fall) / RECORD_STEPS < true for value, true in zip(found, exact, strict=True))
        for found in numbers
    )
    return miss_rates(misses, len(numbers))


@pytest.mark.parametrize("budget", BUDGETS, ids=name_of)
def test_misses_are_compatible_with_beta(budget: dict[str, Any]) -> None:
    """A thousand draws of the noise: the bounds fail as often as they say, and hardly less."""
    beta, first = Fraction(1, 5), made(**budget)
    size = first.stated_size
    steps = distance_steps(moment_sums(REAL, FEATURES), first.synthetic, FEATURES, size)
    numbers = [
        tuple(round(x) for x in draw(first.noise, steps, read_randomness("simulate", seed=9, run=run)))
        for run in range(1000)
    ]
    lo, hi = rate_of_misses(numbers, first.fall(beta), distances_est(REAL, SYNTHETIC, FEATURES, size))
    assert lo <= float(beta)
    assert hi >= 0.9 * float(beta)


@pytest.mark.slow
@pytest.mark.parametrize("budget", BUDGETS, ids=name_of)
def test_misses_of_whole_releases(budget: dict[str, Any]) -> None:
    beta = Fraction(1, 5)
    sums = moment_sums(REAL, FEATURES)
    releases = [made(sums, run=run, **budget) for run in range(1000)]
    exact = distances_est(REAL, SYNTHETIC, FEATURES, releases[0].stated_size)
    lo, hi = rate_of_misses([found.numbers for found in releases], releases[0].fall(beta), exact)
    assert lo <= float(beta)
    assert hi >= 0.9 * float(beta)


@pytest.mark.parametrize("kind", ["rounded-gaussian", "laplace"])
@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(2), Fraction(10_645)])
@pytest.mark.parametrize("failure", ["0.9", "0.05", "1e-9"])
def test_how_deep_noise_falls_is_exact(kind: str, scale: Fraction, failure: str) -> None:
    """The chance that one of two independent numbers falls deeper, by the law itself; one step less is too little."""
    noise = replace(made(dp_delta="1e-6").noise, kind=kind, scales=scale)
    fall = deepest_fall(noise, Fraction(failure))

    def chance(q: int) -> mpmath.mpf:
        depth = (q + mpmath.mpf(1) / 2) * scale.denominator / scale.numerator
        each = mpmath.exp(-depth) / 2 if kind == "laplace" else mpmath.erfc(depth / mpmath.sqrt(2)) / 2
        return 1 - (1 - each) ** 2

    assert chance(fall) <= mpmath.mpf(failure)
    assert fall == 0 or failure == "0.9" or chance(fall - 1) > mpmath.mpf(failure) * (1 - mpmath.mpf("0.05"))


def test_discrete_laplace_noise_falls_no_deeper_than_the_rounded_one() -> None:
    for b in (0.2, 1.0, 30.0):
        p = np.exp(-1 / b)
        for q in range(20):
            assert p ** (q + 1) / (1 + p) <= np.exp(-(q + 0.5) / b) / 2 * (1 + 1e-12)


# --- what goes through and what is refused -------------------------------------------------------------------------


@pytest.mark.parametrize("budget", BUDGETS, ids=name_of)
@pytest.mark.parametrize("mode", ["release", "simulate"])
def test_files_are_read_back(budget: dict[str, Any], mode: str) -> None:
    found = made(mode=mode, seed=None if mode == "release" else 4, **budget)
    assert distance_of(parse_json(found.to_text(), "x"), "x") == found
    assert found.ledger.entries[-1].what == "distance"
    assert found.ledger.left < found.ledger.total / 10**9


def test_the_bounds_hold_without_noise_and_shrink_with_the_distance(monkeypatch: pytest.MonkeyPatch) -> None:
    without_noise(monkeypatch)
    found = made()
    exact = distances_est(REAL, SYNTHETIC, FEATURES)
    for value, true in zip(found.numbers, exact, strict=True):
        assert value / RECORD_STEPS == pytest.approx(true, abs=3 / RECORD_STEPS)
    near = found.distance(BETA)
    assert near.first > exact[0] / len(REAL)
    assert float(near.first - Fraction(found.fall(BETA), RECORD_STEPS * len(REAL))) == pytest.approx(
        exact[0] / len(REAL), abs=1e-4
    )


@pytest.mark.parametrize("mode", ["release", "simulate"])
def test_what_the_schema_allows_goes_through(mode: str) -> None:
    """A constant label, one row, and under add-remove no row at all; nothing is said of it."""
    seed = None if mode == "release" else 1
    constant = DOMAIN[DOMAIN[:, 3] == 1]
    for records in (constant, constant[:1]):
        assert made(records, constant, mode=mode, seed=seed).stated_size == len(records)
    empty = made(REAL[:0], mode=mode, seed=seed, adjacency="add-remove", least_size=7)
    assert empty.stated_size == 7
    assert distance_of(parse_json(empty.to_text(), "x"), "x") == empty


def test_refusals() -> None:
    with pytest.raises(DataError, match=r"^synthetic: the table has no rows$"):
        made(synthetic=SYNTHETIC[:0])
    with pytest.raises(DataError, match=r"^the table has no rows$"):
        made(REAL[:0])
    with pytest.raises(UsageError, match="least-size is for --adjacency add-remove"):
        made(adjacency="add-remove")
    with pytest.raises(UsageError, match="seed is for --mode simulate"):
        made(mode="release")
    with pytest.raises(SynthboundsError, match="epsilon"):
        made(epsilon=0)
    with pytest.raises(UsageError, match="other features"):
        made(moment_sums(REAL, ONE_HOT))
    with pytest.raises(UsageError, match=r"paid for in mu\^2"):
        measure_distance(
            REAL,
            SYNTHETIC,
            FEATURES,
            Ledger.of(ZCDP(rho=1, adjacency="replace-one")),  # type: ignore[arg-type]
            ZCDP(rho=1, adjacency="replace-one"),  # type: ignore[arg-type]
            read_randomness("simulate", seed=1),
        )


def test_a_part_of_a_larger_ledger_pays() -> None:
    ledger = Ledger.in_mu_squared(epsilon=1, dp_delta="1e-6", adjacency="replace-one")
    ledger = ledger.spend(ledger.statement(ledger.total * Fraction(9, 10)), "moments")
    cost = ledger.statement(ledger.left)
    assert isinstance(cost, GaussianDP)
    found, paid = measure_distance(REAL, SYNTHETIC, FEATURES, ledger, cost, read_randomness("release"))
    assert paid.left == 0
    assert [entry.what for entry in paid.entries] == ["moments", "distance"]
    assert distance_of(parse_json(found.to_text(), "x"), "x") == found
    assert found.noise.cost == cost

    def never() -> Any:
        raise AssertionError("the table was read although nothing is left")
        yield

    with pytest.raises(BudgetError, match=r"only 0 of .* is left for replace-one \(distance\)"):
        measure_distance(never(), SYNTHETIC, FEATURES, paid, cost, read_randomness("release"))
    kept = Ledger.of(cost).reserve_share(1, "later")
    written: list[Ledger] = []
    _, drawn = measure_distance(
        REAL, SYNTHETIC, FEATURES, kept, cost, read_randomness("release"), reserve="later", book=written.append
    )
    assert written == [drawn]
    assert (drawn.reserved, drawn.entries[-1].reserve) == (0, "later")
    rho = Ledger.of(ZCDP(rho=1, adjacency="replace-one"))  # type: ignore[arg-type]
    _, left = measure_distance(REAL, SYNTHETIC, FEATURES, rho, cost, read_randomness("simulate", seed=1))
    assert left.spent == cost.mu_squared / 2


CHANGES: list[tuple[str, Any, str]] = [
    ("numbers", [1], "numbers: has 1 entries"),
    ("cost", {"mu_squared": "1"}, "sensitivity"),
    ("cost", {}, "mu_squared or epsilon"),
    ("cost", {"epsilon": "2"}, "noise"),
    ("noise", {"kind": "laplace", "scale": "1"}, "noise: scale"),
    ("sensitivity", {"norm": "L1", "amount": "1"}, "sensitivity: amount"),
    ("statistic", "sums", "statistic"),
    ("adjacency", "add-remove", "ledger: is for replace-one"),
    ("kind", "accuracy", 'must be "distance"'),
    ("seed", None, "seed"),
]


@pytest.mark.parametrize(("field", "value", "said"), CHANGES)
def test_a_file_that_was_changed_is_refused(field: str, value: Any, said: str) -> None:
    body = json.loads(made().to_text()) | {field: value}
    with pytest.raises(DataError, match=r"digest: is not that of the content|kind|adjacency"):
        distance_of(parse_json(json.dumps(body), "f"), "f")
    body["digest"] = digest_of(body)
    with pytest.raises(DataError, match=said):
        distance_of(parse_json(json.dumps(body), "f"), "f")


def test_a_ledger_that_did_not_pay_is_refused() -> None:
    body = json.loads(made().to_text())
    body["ledger"]["entries"][0]["cost"]["epsilon"] = "1/2"
    body["digest"] = digest_of(body)
    with pytest.raises(DataError, match="ledger: has no entry distance with the cost of this noise"):
        distance_of(parse_json(json.dumps(body), "f"), "f")


def test_moments_of_another_number_of_rows_are_refused() -> None:
    body = json.loads(made().to_text())
    body["synthetic"]["rows"] += 1
    body["digest"] = digest_of(body)
    with pytest.raises(DataError, match="is not that of 41 rows"):
        distance_of(parse_json(json.dumps(body), "f"), "f")


def test_the_digest_names_the_table_not_its_file() -> None:
    """The same rows in other batches have one digest; other rows, or another order, another."""
    batches = made(synthetic=iter([SYNTHETIC[:9], SYNTHETIC[9:]]))  # type: ignore[arg-type]
    assert batches.synthetic_digest == made().synthetic_digest
    assert made(synthetic=SYNTHETIC[::-1]).synthetic_digest != made().synthetic_digest
    assert made(synthetic=SYNTHETIC.astype(np.int64)).synthetic_digest == made().synthetic_digest
    assert SCHEMA.names == ("a", "b", "c", "y")


def test_noise_below_its_quantile_does_not_make_tables_equal() -> None:
    """A very negative number says that the noise was unlikely, not that there is no distance."""
    found = replace(made(), numbers=(-(10**9), 5))
    fall = found.fall(Fraction(1, 20))
    assert found.at_most(Fraction(1, 20)) == (fall, 5 + fall)


def test_no_two_tables_are_further_apart_than_two_and_one() -> None:
    far = replace(made(), numbers=(10**9, 10**9)).distance(Fraction(1, 20))
    assert (far.first, far.second) == (2, 1)
