"""Planned queries: slopes in fixed point with a proved error, a budget booked once, files that are read strictly."""

from __future__ import annotations

import hashlib
import itertools
import json
from fractions import Fraction
from math import exp
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bounds.certify.gradient import GradientClass
from bounds.errors import DataError, NotApplicable, ParameterError, SynthboundsError, UsageError
from bounds.exact import root_at_least
from bounds.privacy.adjacency import Adjacency
from mechanisms.models.confirm.line import LINES as LINES_TO_RANK
from mechanisms.models.confirm.line import rank_lines
from mechanisms.models.confirm.prove import confirm, expected_bound, noisy_gradient, query_errors
from mechanisms.models.confirm.second_round import corrected_model
from mechanisms.models.event import moment_radii
from mechanisms.models.train.newton import train_on_table
from release import measure as measure_module
from release.data.schema import parse_schema
from release.files.digest import canonical_json
from release.gradient import planned as planned_module
from release.gradient.make import ask_gradient
from release.gradient.planned import plan_gradient, query_sensitivity
from release.gradient.read import parse_query, read_query
from release.moments.file import MomentRelease, release_text
from release.moments.make import make_release
from release.moments.read import parse_release
from release.query.make import Payer
from release.statistics.features import build_feature_map
from release.statistics.gradients import SLOPE_BITS, FixedSlopes, slope_sums
from release.statistics.statistic import Counted

COLUMNS = [
    {"name": "a", "levels": ["0", "1"]},
    {"name": "b", "range": ["0", "1"], "bins": 4},
    {"name": "c", "levels": ["x", "y", "z"]},
    {"name": "y", "levels": ["no", "yes"]},
]
SCHEMA = parse_schema(json.dumps({"synthbounds_schema": 1, "source": "public", "columns": COLUMNS}))
FEATURES = build_feature_map(SCHEMA, label="y", one_hot=["c"])
DOMAIN = np.array(list(itertools.product(range(2), range(4), range(3), range(2))), dtype=np.uint8)
TABLE = DOMAIN[np.random.Generator(np.random.Philox(7)).integers(0, len(DOMAIN), 3000)]
MODEL = tuple(Fraction(text) for text in ("0.71", "-1.3", "0.25", "0.5", "-0.125", "0.3"))
HALF, EIGHTH = Fraction(1, 2), Fraction(1, 8)
LINES = [(Fraction(0), Fraction(0)), (HALF, Fraction(0)), (HALF, EIGHTH)]


def made(**changes: Any) -> MomentRelease:
    asked: dict[str, Any] = {
        "epsilon": 1,
        "dp_delta": "1e-6",
        "adjacency": "replace-one",
        "mode": "simulate",
        "seed": 5,
        "reserve": "1/4",
    }
    return make_release(TABLE, FEATURES, **(asked | changes))


def without_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure_module, "draw", lambda noise, values, randomness: tuple(values))


def margins(codes: np.ndarray) -> np.ndarray:
    scores = FEATURES.features(codes) / FEATURES.one @ np.array([float(c) for c in MODEL])
    return np.asarray(FEATURES.labels(codes) * scores)


def slope_est(loss: str, m: float) -> float:
    return {"logistic": -1 / (1 + exp(m)), "squared": m - 1, "hinge": -1.0 if m < 1 else 0.0}[loss]


# --- slopes in fixed point ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["logistic", "squared"])
@pytest.mark.parametrize(("offset", "slope"), LINES)
@pytest.mark.parametrize("scale", [1, 30])
def test_slopes_are_as_near_as_they_say(loss: str, offset: Fraction, slope: Fraction, scale: int) -> None:
    model = tuple(scale * c for c in MODEL)
    fixed = FixedSlopes(FEATURES, model, loss, offset, slope)
    got = fixed.slopes(DOMAIN) / 2.0**SLOPE_BITS
    m = scale * margins(DOMAIN)
    true = np.array([slope_est(loss, x) for x in m]) + float(offset) - float(slope) * m
    assert np.abs(got - true).max() <= float(fixed.slope_error) + 1e-12
    assert fixed.slope_error < Fraction(1, 2**20)
    assert np.abs(got).max() <= fixed.largest / 2**SLOPE_BITS


def test_slopes_of_the_hinge_loss_are_exact_away_from_its_kink() -> None:
    fixed = FixedSlopes(FEATURES, MODEL, "hinge", HALF)
    m = margins(DOMAIN)
    assert np.abs(m - 1).min() > 1e-6
    assert (fixed.slopes(DOMAIN) == np.where(m < 1, -1, 1) * 2 ** (SLOPE_BITS - 1)).all()
    assert fixed.slope_error == 0
    assert 0 < fixed.slack < Fraction(1, 2**36)


def test_sums_are_those_of_the_slopes_in_any_batches() -> None:
    fixed = FixedSlopes(FEATURES, MODEL, "logistic")
    slopes, features, labels = fixed.slopes(TABLE), FEATURES.features(TABLE), FEATURES.labels(TABLE)
    by_hand = tuple(
        sum(int(g) * int(y) * int(f) for g, y, f in zip(slopes, labels, features[:, j], strict=True)) for j in range(6)
    )
    assert slope_sums(TABLE, fixed).values == by_hand
    assert slope_sums(iter([TABLE[:1], TABLE[1:700], TABLE[700:]]), fixed).values == by_hand


@pytest.mark.parametrize("adjacency", list(Adjacency))
@pytest.mark.parametrize(
    ("loss", "offset", "slope"),
    [(loss, *line) for loss in ("logistic", "squared", "hinge") for line in LINES if loss != "hinge" or not line[1]],
)
def test_no_record_of_the_domain_moves_the_sum_further(
    loss: str, offset: Fraction, slope: Fraction, adjacency: Adjacency
) -> None:
    fixed = FixedSlopes(FEATURES, MODEL, loss, offset, slope)
    rows = fixed.slopes(DOMAIN)[:, None] / 2.0**SLOPE_BITS * FEATURES.labels(DOMAIN)[:, None]
    rows = rows * FEATURES.features(DOMAIN) / FEATURES.one / FEATURES.squared_norm**0.5
    others = rows if adjacency is Adjacency.REPLACE_ONE else np.zeros((1, rows.shape[1]))
    largest = np.sqrt(((rows[:, None, :] - others[None, :, :]) ** 2).sum(axis=2)).max()
    assert largest <= float(query_sensitivity(fixed, adjacency)) + 1e-12


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"offset": Fraction(1, 3)}, "offset"),
        ({"slope": Fraction(-1)}, "slope"),
        ({"loss_name": "hinge", "slope": EIGHTH}, "slope"),
        ({"coefficients": tuple(10_000 * c for c in MODEL)}, "coefficients"),
        ({"coefficients": MODEL[:-1]}, "coefficients"),
        ({"loss_name": "exponential"}, "loss"),
    ],
)
def test_slopes_that_cannot_be_asked_for(changes: dict[str, Any], name: str) -> None:
    asked: dict[str, Any] = {"feature_map": FEATURES, "coefficients": MODEL, "loss_name": "logistic"} | changes
    with pytest.raises(ParameterError, match=name):
        FixedSlopes(**asked)


# --- the budget --------------------------------------------------------------------------------------------------


def test_a_reservation_pays_for_one_query() -> None:
    release = made()
    booking = ask_gradient(TABLE, release, MODEL, seed=5)
    assert booking.query.mu_squared == release.mu_squared_reserved
    assert booking.query.mu_squared + release.mu_squared_spent == release.mu_squared
    assert booking.release == release.with_reservation_spent()
    assert booking.release.reservation_state == "spent"
    with pytest.raises(UsageError, match="is spent"):
        ask_gradient(TABLE, booking.release, MODEL, seed=5)
    with pytest.raises(UsageError, match="nothing is reserved"):
        ask_gradient(TABLE, made(reserve=0), MODEL, seed=5)


def test_what_a_query_leaves_pays_for_the_next() -> None:
    release = made()
    first = ask_gradient(TABLE, release, MODEL, part=Fraction(1, 3), seed=5)
    second = ask_gradient(TABLE, first.release, MODEL, previous=first.query, seed=5)
    assert first.query.mu_squared + second.query.mu_squared == release.mu_squared_reserved
    assert second.previous is not None
    assert second.previous.left_state == "spent"
    assert second.query.previous == first.query.identity == second.previous.identity
    assert first.query.digest != second.previous.digest
    with pytest.raises(UsageError, match="is spent"):
        ask_gradient(TABLE, first.release, MODEL, previous=second.previous, seed=5)
    with pytest.raises(UsageError, match="left nothing"):
        ask_gradient(TABLE, first.release, MODEL, previous=second.query, seed=5)
    with pytest.raises(UsageError, match="is open although"):
        ask_gradient(TABLE, release, MODEL, previous=first.query, seed=5)
    with pytest.raises(UsageError, match="another release"):
        ask_gradient(TABLE, made(seed=6), MODEL, previous=first.query, seed=5)


@pytest.mark.parametrize("part", [Fraction(0), Fraction(-1), Fraction(3, 2)])
def test_a_part_is_a_share(part: Fraction) -> None:
    with pytest.raises(ParameterError, match="part"):
        ask_gradient(TABLE, made(), MODEL, part=part, seed=5)


def test_another_table_is_refused_before_noise_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> list[int]:
        raise AssertionError("noise was drawn")

    release = made()
    monkeypatch.setattr(measure_module, "draw", never)
    with pytest.raises(DataError, match="3000 rows"):
        ask_gradient(TABLE[1:], release, MODEL, seed=5)


def test_noise_has_the_stated_size_and_is_not_that_of_the_release(monkeypatch: pytest.MonkeyPatch) -> None:
    release = made()
    plan = plan_gradient(release, MODEL, seed=5)
    exact = np.array(slope_sums(TABLE, plan.slopes).values)

    def noise(run: int = 0) -> np.ndarray:
        return np.array(ask_gradient(TABLE, release, MODEL, seed=5, run=run).query.sums) - exact

    monkeypatch.setattr(planned_module, "slope_sums", lambda *_: Counted(n=3000, values=tuple(exact.tolist())))
    drawn = np.array([noise(run) for run in range(400)]) / float(plan.deviation)
    assert abs(drawn.mean()) < 0.1
    assert abs(drawn.std() - 1) < 0.06
    bare = made(seed=5)
    same_stream = np.array(bare.first_sums) - np.array(
        [int(v) for v in (FEATURES.labels(TABLE).astype(np.int64) @ FEATURES.features(TABLE))]
    )
    assert np.abs(np.corrcoef(same_stream, drawn[0])[0, 1]) < 0.999
    first = ask_gradient(TABLE, release, MODEL, seed=5, part=Fraction(1, 2))
    second = ask_gradient(TABLE, first.release, MODEL, seed=5, previous=first.query)
    assert first.query.sums != second.query.sums


def test_a_release_takes_exact_noise_and_no_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    from release.noise import exact
    from release.noise import simulated as simulate

    def never(*_: Any) -> Any:
        raise AssertionError("simulated noise in a release")

    release, simulated = made(mode="release", seed=None), made()
    monkeypatch.setattr(simulate, "with_simulated_noise", never)
    drawn: list[tuple[Fraction, int]] = []

    def sampler(sd: Fraction, count: int) -> list[int]:
        drawn.append((sd, count))
        return [0] * count

    monkeypatch.setattr(exact, "rounded_gaussian", sampler)
    with pytest.raises(UsageError, match="book is missing"):
        ask_gradient(TABLE, release, MODEL)
    kept: list[Payer] = []
    booking = ask_gradient(TABLE, release, MODEL, book=kept.append)
    assert [payer.release.reservation_state for payer in kept] == ["spent"]
    assert drawn == [(booking.query.deviation, 1)] * 6
    assert booking.query.sums == slope_sums(TABLE, booking.query.slopes).values
    with pytest.raises(UsageError, match="seed"):
        ask_gradient(TABLE, release, MODEL, seed=1)
    with pytest.raises(UsageError, match="seed"):
        ask_gradient(TABLE, simulated, MODEL)


# --- what it proves ----------------------------------------------------------------------------------------------


def true_gradient(loss: str = "logistic") -> np.ndarray:
    slopes = np.array([slope_est(loss, m) for m in margins(TABLE)])
    return np.asarray((slopes * FEATURES.labels(TABLE)) @ FEATURES.features(TABLE) / FEATURES.one / len(TABLE))


@pytest.mark.parametrize(("offset", "slope"), LINES)
def test_the_noisy_gradient_is_within_its_errors(
    monkeypatch: pytest.MonkeyPatch, offset: Fraction, slope: Fraction
) -> None:
    without_noise(monkeypatch)
    outside = 0
    for run in range(40):
        release = made(run=run)
        booking = ask_gradient(TABLE, release, MODEL, offset=offset, slope=slope, seed=5)
        proved = confirm(booking.query, booking.release, failure=HALF, tau=Fraction(4))
        error = np.linalg.norm(np.array([float(g) for g in proved.gradient]) - true_gradient())
        outside += error > float(proved.certificate.errors.shift) + 1e-12
        assert (proved.release_failure, proved.query_failure) == (HALF / 20, HALF * 19 / 20)  # for plain ones, too
    assert outside <= (0 if not offset else 4)  # the release may miss its radii in a fortieth of the runs


def test_all_lines_rest_on_one_event_of_the_release() -> None:
    """Line and model come from the release, so radii that fitted them would be chosen after its noise was drawn."""
    release, small = made(), tuple(c / 10 for c in MODEL)
    compared = GradientClass(squared_norm=FEATURES.squared_norm, tau=Fraction(4))
    first, second = moment_radii(release, Fraction(1, 100))
    for coefficients in (MODEL, small):
        size = root_at_least(sum((c * c for c in coefficients), Fraction(0)))
        for offset, slope in LINES:
            asked = plan_gradient(release, coefficients, offset=offset, slope=slope, seed=5)
            shift = query_errors(asked, release, compared, release_failure=Fraction(1, 100)).shift
            own = asked.slopes.slope_error * root_at_least(Fraction(FEATURES.squared_norm))
            assert shift - own == offset * first + slope * size * second


def test_the_certificate_holds_on_the_table() -> None:
    best = train_on_table(TABLE, FEATURES, tau=4).risk_est
    risk = float(np.logaddexp(0, -margins(TABLE)).mean())
    release = made(epsilon=4)
    bounds = [
        confirm(
            ask_gradient(TABLE, release, MODEL, seed=5, run=run).query,
            release,
            failure=Fraction(1, 20),
            tau=Fraction(4),
        )
        for run in range(30)
    ]
    missed = sum(float(b.bound) < risk - best for b in bounds)
    assert missed <= 6  # more has a probability below 0.001
    plan = plan_gradient(release, MODEL, seed=5)
    gradient, w = true_gradient(), np.array([float(c) for c in MODEL])
    along = -float(gradient @ w) / np.linalg.norm(w) / FEATURES.squared_norm**0.5
    across = np.sqrt(max(0.0, float(gradient @ gradient) / FEATURES.squared_norm - along**2))
    planned = expected_bound(
        plan, release, failure=Fraction(1, 20), along=Fraction(along), across=Fraction(across), tau=Fraction(4)
    )
    assert float(planned) == pytest.approx(np.median([float(b.bound) for b in bounds]), rel=0.2)


def test_without_noise_the_gradient_of_every_loss_is_the_true_one(monkeypatch: pytest.MonkeyPatch) -> None:
    without_noise(monkeypatch)
    for loss in ("logistic", "squared", "hinge"):
        booking = ask_gradient(TABLE, made(), MODEL, loss=loss, seed=5)
        found = noisy_gradient(booking.query, booking.release)
        assert np.abs(np.array([float(g) for g in found]) - true_gradient(loss)).max() < 1e-7


def test_under_add_remove_sums_are_over_the_least_size(monkeypatch: pytest.MonkeyPatch) -> None:
    release = made(adjacency="add-remove", n0=2500)
    without_noise(monkeypatch)
    booking = ask_gradient(TABLE, release, MODEL, seed=5)
    proved = confirm(booking.query, booking.release, failure=Fraction(1, 20), tau=Fraction(4))
    assert [float(g) for g in proved.gradient] == pytest.approx(list(true_gradient() * 3000 / 2500), abs=1e-6)
    assert proved.certificate.errors.shift == 0
    assert proved.certificate.errors.slack > 0
    best = train_on_table(TABLE, FEATURES, tau=4).risk_est
    assert float(proved.bound) >= float(np.logaddexp(0, -margins(TABLE)).mean()) - best
    with pytest.raises(NotApplicable, match="ridge"):
        confirm(booking.query, booking.release, failure=Fraction(1, 20), ridge=Fraction(1, 10))


def test_the_default_class_is_the_model_s_own_norm() -> None:
    booking = ask_gradient(TABLE, made(), MODEL, seed=5)
    proved = confirm(booking.query, booking.release, failure=Fraction(1, 20))
    tau = proved.certificate.compared.tau
    assert tau is not None
    assert 0 <= tau**2 - 4 * sum(c * c for c in MODEL) < Fraction(1, 10**10)
    other = confirm(booking.query, booking.release, failure=Fraction(1, 20), ridge=Fraction(1, 10))
    assert other.certificate.compared.tau is None
    with pytest.raises(UsageError, match="another release"):
        confirm(booking.query, made(seed=6), failure=Fraction(1, 20))


def test_assistance_lowers_the_noise_and_pays_in_shift() -> None:
    release = made()
    plain, assisted = (plan_gradient(release, MODEL, offset=offset, seed=5) for offset in (Fraction(0), HALF))
    assert assisted.deviation < plain.deviation / 2
    proved = confirm(
        ask_gradient(TABLE, release, MODEL, seed=5).query, release, failure=Fraction(1, 20), tau=Fraction(4)
    )
    compared = proved.certificate.compared
    shifts = [query_errors(p, release, compared, release_failure=Fraction(1, 100)).shift for p in (plain, assisted)]
    assert shifts[0] < Fraction(1, 10**6) < shifts[1]


def test_a_second_round_moves_towards_the_real_minimum(monkeypatch: pytest.MonkeyPatch) -> None:
    without_noise(monkeypatch)
    first = ask_gradient(TABLE, made(), MODEL, part=HALF, seed=5)
    seen = confirm(first.query, first.release, failure=Fraction(1, 20), tau=Fraction(4))
    half = TABLE[: len(TABLE) // 2]  # stands for synthetic records
    moved = corrected_model(
        FEATURES.features(half) / float(FEATURES.one),
        FEATURES.labels(half),
        np.ones(len(half)),
        squared_norm=FEATURES.squared_norm,
        loss="logistic",
        coefficients=MODEL,
        gradient=seen.gradient,
        deviation=Fraction(1, 10**9),
        tau=Fraction(4),
    )
    assert moved.kept > 0.99
    assert FEATURES.squared_norm * sum(c * c for c in moved.coefficients) <= 16
    scores = FEATURES.features(TABLE) / FEATURES.one @ np.array([float(c) for c in moved.coefficients])
    risk = float(np.logaddexp(0, -FEATURES.labels(TABLE) * scores).mean())
    best = train_on_table(TABLE, FEATURES, tau=4).risk_est
    before = float(np.logaddexp(0, -margins(TABLE)).mean())
    assert risk - best < 0.1 * (before - best)


@pytest.mark.parametrize(("reserve", "first"), [("1/50", (HALF, EIGHTH)), ("9/10", (Fraction(0), Fraction(0)))])
def test_a_small_share_is_better_assisted_and_a_large_one_plain(reserve: str, first: tuple[Fraction, Fraction]) -> None:
    release = made(reserve=reserve)
    ranked = rank_lines(release, MODEL, failure=Fraction(1, 20), along=Fraction(1, 20))
    assert [line.expected for line in ranked] == sorted(line.expected for line in ranked)
    places = [(line.offset, line.slope) for line in ranked]
    assert set(places) == {line for line in LINES_TO_RANK if line[1] < 1}
    if first[1]:
        assert ranked[0].slope > 0
        assert places.index((0, 0)) == len(places) - 1
    else:
        assert places[0] == first


def test_lines_of_other_losses() -> None:
    release = made(reserve="1/200")
    hinge = rank_lines(release, MODEL, failure=Fraction(1, 20), along=Fraction(1, 20), loss="hinge")
    assert all(line.slope == 0 for line in hinge)
    squared = rank_lines(release, MODEL, failure=Fraction(1, 20), along=Fraction(1, 20), loss="squared")
    assert (squared[0].offset, squared[0].slope) == (1, 1)


# --- files -------------------------------------------------------------------------------------------------------

KINDS: list[dict[str, Any]] = [
    {},
    {"offset": HALF, "slope": EIGHTH},
    {"loss": "hinge", "part": HALF},
    {"loss": "squared"},
]


@pytest.mark.parametrize("asked", KINDS)
@pytest.mark.parametrize("adjacency", [{}, {"adjacency": "add-remove", "n0": 2000}])
def test_files_are_read_back(asked: dict[str, Any], adjacency: dict[str, Any], tmp_path: Path) -> None:
    release = made(**adjacency)
    booking = ask_gradient(TABLE, release, MODEL, seed=5, **asked)
    path = tmp_path / "query.json"
    path.write_text(booking.query.to_text())
    kept = parse_release(release_text(booking.release))
    assert read_query(path, kept) == booking.query
    assert parse_query(booking.query.to_text(), release) == booking.query


def with_digest(body: dict[str, Any]) -> str:
    body = {key: value for key, value in body.items() if key != "digest"}
    return json.dumps({**body, "digest": hashlib.sha256(canonical_json(body).encode()).hexdigest()})


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("sums", 0), 12),
        (("sums", 0), 1.5),
        (("sums",), [1]),
        (("noise", "deviation"), "1"),
        (("sensitivity", "value"), "1/2"),
        (("model", "coefficients", 0), "0.5"),
        (("model", "coefficients"), ["1"]),
        (("model", "loss"), "hinge"),
        (("model", "digest"), "0" * 64),
        (("budget", "mu_squared"), "1/1000"),
        (("budget", "left"), "1/1000"),
        (("budget", "left_state"), "open"),
        (("offset",), "1/2"),
        (("offset",), "1/3"),
        (("slope",), 0.5),
        (("round",), 2),
        (("previous",), "0" * 64),
        (("release",), "0" * 32),
        (("feature_map",), "0" * 64),
        (("adjacency",), "add-remove"),
        (("mode",), "release"),
        (("stamp",), None),
        (("n",), 10),
        (("kind",), "hessian"),
        (("synthbounds_query",), 2),
        (("seed",), "-1"),
        (("more",), 1),
    ],
)
def test_changed_files_are_refused(path: tuple[Any, ...], value: object) -> None:
    release = made()
    text = ask_gradient(TABLE, release, MODEL, seed=5).query.to_text()
    body = json.loads(text)
    part = body
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = value
    with pytest.raises(DataError) as caught:
        parse_query(json.dumps(body), release)
    assert "\n" not in str(caught.value)
    if path != ("sums", 0) or not isinstance(value, int):  # sums are what they are: the digest alone protects them
        with pytest.raises(DataError):
            parse_query(with_digest(body), release)


def test_other_broken_files() -> None:
    release = made()
    text = ask_gradient(TABLE, release, MODEL, seed=5).query.to_text()
    for broken in ("", "{}", "[]", text[:-3], text.replace('"round": 1', '"round": NaN'), text.replace("}", "}}", 1)):
        with pytest.raises(SynthboundsError):
            parse_query(broken, release)
    with pytest.raises(DataError, match="another release"):
        parse_query(text, made(seed=8))
