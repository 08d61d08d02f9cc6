"""What a certificate means to a reader: loss and accuracy by norm, a norm chosen by rule, the norm of a class."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import synthbounds as sb
from bounds.certify.classes import ModelClass, within_norm
from bounds.certify.verdict import WEAK
from bounds.errors import NotApplicable, UsageError
from bounds.exact import root_at_least
from mechanisms.models.certify.from_moments import certify_model, class_for
from mechanisms.models.cross_event import LabelledMoments
from mechanisms.models.event import known_moments
from mechanisms.models.model import FREE, INSIDE, Model
from mechanisms.models.plan import choose_tau as choosing
from mechanisms.models.plan.choose_tau import choose_tau, chosen_tau
from mechanisms.models.plan.query_forecast import excess_forecast
from mechanisms.models.train.from_release import train_from_release
from mechanisms.models.train.over_tau import GRID, SyntheticRecords, TauChoice, over_tau
from release.moments.file import MomentRelease
from release.moments.make import make_release
from release.parameters import DEFAULT_BETA
from tests import cross_examples
from tests.moment_examples import feature_map, table

N = 20_000


def released(codes: np.ndarray, *, reserve: str = "0") -> MomentRelease:
    return make_release(
        codes,
        feature_map(),
        epsilon=1,
        dp_delta=Fraction(1, N * N),
        adjacency="replace-one",
        mode="simulate",
        reserve=reserve,
        seed=3,
    )


@pytest.fixture(scope="module")
def made() -> MomentRelease:
    return released(table(N))


@pytest.fixture(scope="module")
def choice(made: MomentRelease) -> TauChoice:
    return choose_tau(made)


@pytest.fixture(scope="module")
def records(made: MomentRelease) -> SyntheticRecords:
    return SyntheticRecords.of(made)


def test_a_norm_that_binds_no_more_is_what_scikit_learn_finds(made: MomentRelease, records: SyntheticRecords) -> None:
    model = train_from_release(made, tau=2, points=2000).model
    found = over_tau(records, model, loss="logistic", tau=Fraction(3, 2))
    assert [tau for tau, _ in found.rows] == sorted({*GRID, Fraction(3, 2)})
    weights = records.weights / records.weights.sum()
    free = LogisticRegression(C=1e9, fit_intercept=False, tol=1e-10, max_iter=1000)
    free.fit(records.features, records.labels, sample_weight=weights * len(weights))
    margins = records.labels * (records.features @ free.coef_[0])
    last = found.rows[-1][1]
    assert last.loss_est == pytest.approx(float(weights @ np.logaddexp(0, -margins)), abs=1e-5)
    assert last.accuracy_est == pytest.approx(float(weights[margins > 0].sum()), abs=2e-3)
    losses = [reached.loss_est for _, reached in found.rows]
    assert losses == sorted(losses, reverse=True)
    assert found.rows[2][1].loss_est <= found.model.loss_est + 1e-9  # norm 2, of which the model is one
    share = float(weights[records.labels > 0].sum())
    assert found.constant.accuracy_est == pytest.approx(max(share, 1 - share))
    assert found.constant.loss_est == pytest.approx(-share * np.log(share) - (1 - share) * np.log(1 - share))


def test_numbers_are_near_those_of_the_table(records: SyntheticRecords) -> None:
    """Not a promise: table and noise are fixed by their seeds."""
    codes = table(N)
    real = SyntheticRecords.drawn(records.feature_map, codes)
    for tau in GRID[:4]:
        model = records.best(tau, loss="logistic", intercept=INSIDE)
        assert records.reached(model.coefficients, loss="logistic").loss_est == pytest.approx(
            real.reached(model.coefficients, loss="logistic").loss_est, abs=0.01
        )


def test_the_chosen_norm_has_the_least_sum_and_its_certificate_is_as_expected(
    made: MomentRelease, choice: TauChoice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mechanisms.models.certify.from_moments.SPLITS", 0)  # one polynomial is what was expected
    assert [candidate.tau for candidate in choice.candidates] == list(GRID)
    assert choice.tau == min(choice.candidates, key=lambda c: c.loss_est + c.certificate_est).tau
    expected = next(c.certificate_est for c in choice.candidates if c.tau == choice.tau)
    model = train_from_release(made, tau=choice.tau).model
    one_polynomial = certify_model(made, model, class_for(model)).routes[0].value
    assert one_polynomial is not None
    assert float(one_polynomial) == pytest.approx(expected, rel=0.05)
    assert chosen_tau(made, "2", loss=None, intercept=None) is None


def test_budget_that_is_kept_allows_a_larger_norm(choice: TauChoice) -> None:
    kept = choose_tau(released(table(N), reserve="1/2"))
    assert kept.tau >= choice.tau
    for few, query in zip(choice.candidates[2:], kept.candidates[2:], strict=True):
        assert query.certificate_est < few.certificate_est


def test_a_query_for_the_excess_counts_all_that_a_free_intercept_may_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mechanisms.models.train.over_tau.POINTS", 1000)
    monkeypatch.setattr(choosing, "_from_moments", lambda *_: float("inf"))
    release = released(table(N), reserve="1/2")
    for candidate in choose_tau(release, loss="hinge", intercept=FREE).candidates:
        compared_with = ModelClass(loss="hinge", tau=candidate.tau, intercept=FREE)
        reach = within_norm(compared_with, known_moments(release, DEFAULT_BETA)).reach
        assert reach > 2 * candidate.tau
        least, most = (
            excess_forecast(release, compared_with, own_reach=own, class_reach=reach, beta=DEFAULT_BETA)
            for own in (Fraction(0), reach)
        )
        assert least is not None
        assert most is not None
        assert least.bound_est < candidate.certificate_est < most.bound_est


def test_a_release_without_any_certificate_has_no_norm(made: MomentRelease, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choosing, "_from_moments", lambda *_: float("inf"))
    with pytest.raises(NotApplicable, match=r"^tau = auto: no certificate can be expected"):
        choose_tau(made)


def test_cross_moments_have_both(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mechanisms.models.train.over_tau.POINTS", 1000)
    moments = LabelledMoments.of(cross_examples.made())
    choice = chosen_tau(moments, "auto", loss="squared", intercept=None)
    assert choice is not None
    assert choice.tau == min(choice.candidates, key=lambda candidate: candidate.sum_est).tau
    model = Model(feature_map=moments.feature_map, coefficients=(Fraction(0),) * moments.feature_map.size)
    found = over_tau(SyntheticRecords.of(moments), model, loss="squared", tau=None)
    assert found.model.loss_est == pytest.approx(1 / 2)
    assert found.rows[-1][1].loss_est < found.constant.loss_est < found.model.loss_est


def test_the_norm_of_a_class_is_that_of_the_model_as_it_counts(made: MomentRelease) -> None:
    slopes = (Fraction(1, 3),) * (made.feature_map.size - 1)
    model = Model(feature_map=made.feature_map, coefficients=(*slopes, Fraction(-7)), intercept=FREE)
    assert class_for(model).tau == root_at_least(model.counted_norm_squared)
    assert class_for(model, intercept=INSIDE).tau == model.norm_hi
    assert certify_model(made, model, class_for(model)).compared_with.intercept == FREE
    nothing = replace(model, coefficients=(*(0 * slope for slope in slopes), Fraction(-7)))
    with pytest.raises(UsageError, match=r"^tau is missing: the norm of the model is 0;"):
        class_for(nothing)


def test_a_model_near_the_best_of_a_class_that_a_constant_beats_is_weak(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rare label and a small norm: the excess is small, and smaller than what the model gains over zero."""
    monkeypatch.setattr("mechanisms.models.certify.from_moments.SPLITS", 0)  # the other routes say enough
    monkeypatch.setattr("mechanisms.models.train.over_tau.POINTS", 1000)
    codes = table(N)
    rare = np.random.default_rng(5).random(N) < 0.8
    codes[rare, 2] = 0
    release = released(codes)
    model = train_from_release(release, tau=1, points=2000).model
    found = certify_model(release, model, class_for(model))
    lines = found.baselines
    assert found.bound < lines.zero_risk - lines.model_risk
    assert lines.constant_risk is not None
    assert lines.constant_risk < lines.model_risk
    assert (found.verdict, found.verdict_reason) == (WEAK, "not shown to be better than a constant score")
    reached = sb.over_tau(found)
    assert reached is not None
    assert reached.model.loss_est > reached.constant.loss_est
