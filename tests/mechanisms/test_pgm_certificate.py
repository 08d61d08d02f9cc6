"""Certificates of fits: never below the true distance, sharp where they can be, sweeps in floats against balls."""

from fractions import Fraction

import numpy as np
import pytest

from bounds.enclosure import precision
from bounds.errors import NotCertified
from mechanisms.pgm import certificate
from mechanisms.pgm.algebra import Linear, Underflow
from mechanisms.pgm.balls import Balls, exact_table
from mechanisms.pgm.certificate import certify_fit
from mechanisms.pgm.dual import SHARE
from mechanisms.pgm.layout import Layout
from mechanisms.pgm.roundings import UNIT, Checked, relative_error, roundings
from mechanisms.pgm.sweep import Sweep
from tests.graphical_examples import exact_estimate, joint_of, random_example, sharpness


def ratio_to_true_distance(seed):
    """The certified distance over the true one, for a fit that stops anywhere."""
    stream = np.random.default_rng(seed)
    sd = 0.05 if seed % 10 == 9 else None
    example = random_example(stream, columns=2 + seed % 4, with_zeros=seed % 3 == 1, sd=sd, by_cell=seed % 5 == 2)
    model = example.estimator().fit(enough=1e-3, most_steps=int(stream.integers(0, 40)))
    exact, gap = exact_estimate(example, model.bases)
    own = (gap * SHARE / (2 * example.total)) ** 0.5
    assert own < 1e-5
    found = certify_fit(model)
    assert found.gap.lo <= Fraction(model.gap_est) * (1 + Fraction(1, 10**6)) + Fraction(1, 10**9)
    return float(found.l1) / max(float(np.abs(joint_of(model)[0] - exact).sum()) - own, 1e-300)


def test_the_certified_distance_is_never_below_the_true_one():
    assert min(ratio_to_true_distance(seed) for seed in range(20)) >= 1


@pytest.mark.slow
def test_the_certified_distance_is_never_below_the_true_one_for_500_logs():
    ratios = [ratio_to_true_distance(seed) for seed in range(500)]
    assert min(ratios) >= 1
    assert min(ratios) < 10  # a bound that is ten times smaller would be refuted


@pytest.mark.parametrize("moved", [2_000.0, -9_000.0])
def test_the_certified_distance_is_sharp(moved):
    assert 1 <= sharpness(moved) <= 1.001


@pytest.mark.parametrize("seed", range(6))
def test_the_gap_from_floats_encloses_that_from_balls(seed, monkeypatch):
    model = random_example(np.random.default_rng(seed), with_zeros=seed % 2 == 1).estimator().fit(most_steps=9)
    by_floats = certify_fit(model)
    monkeypatch.setattr(certificate, "_by_floats", raise_underflow)
    by_balls = certify_fit(model)
    assert (by_floats.in_balls, by_balls.in_balls) == (False, True)
    assert by_floats.gap.lo <= by_balls.gap.lo <= by_balls.gap.hi <= by_floats.gap.hi
    assert by_floats.gap.hi - by_floats.gap.lo < 1e-9 * by_floats.gap.hi
    assert by_floats.l1 >= by_balls.l1


def raise_underflow(law):
    raise Underflow


def test_a_fit_in_logarithms_is_certified_in_balls_or_not_at_all(monkeypatch):
    example = random_example(np.random.default_rng(9), columns=3, sd=0.02)
    model = example.estimator().fit(enough=1e-4, most_steps=1000)
    found = certify_fit(model)
    assert found.in_balls
    assert found.gap.hi < 1e-3
    monkeypatch.setattr(certificate, "MOST_FLOPS", 5)
    with pytest.raises(NotCertified, match="too many for balls"):
        certify_fit(model)


@pytest.mark.parametrize("seed", range(5))
def test_no_share_has_more_error_than_its_roundings(seed):
    """Random factors over random scopes, some with exact zeros; the exact shares are computed in balls."""
    stream = np.random.default_rng(seed)
    sizes = (3, 2, 4, 2, 3, 2)
    scopes = sorted(
        {tuple(sorted(stream.choice(6, size=stream.integers(1, 4), replace=False).tolist())) for _ in range(9)}
    )
    layout = Layout(sizes, [*((u,) for u in range(6) if (u,) not in scopes), *scopes])
    factors = [np.exp(stream.normal(0, 9, [sizes[u] for u in scope])) for scope in layout.scopes]
    if seed % 2:
        factors[-1].flat[1] = 0.0
    found = layout.out(Sweep(layout.plan, layout.products(factors), Checked()).marginals())
    plain = layout.out(Sweep(layout.plan, layout.products(factors), Linear()).marginals())
    np.testing.assert_array_equal(found, plain)
    with precision(256):
        balls = Sweep(layout.plan, layout.products([exact_table(factor) for factor in factors]), Balls()).marginals()
        exact = layout.out(balls)
        counts = np.repeat(roundings(layout), layout.lengths)
        errors = [abs(float(s / e - 1)) for s, e in zip(found, exact, strict=True) if s]
        assert [e == 0 for e in exact] == (found == 0).tolist()
        counts = counts[found > 0]
    units = np.array(errors) / float(UNIT)
    assert (units <= counts).all()
    assert units.max() > 0.5  # an error of nothing would not test the counts
    assert counts.max() < 10_000


def test_roundings_of_two_factors_by_hand():
    """Two tables of two codes each that share a column: every count, step by step."""
    layout = Layout((2, 2, 2), [(0,), (0, 1), (1, 2)])
    # The table of (0, 1) is a product of two factors: 1. Column 0 alone is summed out of it: 1 + 1 = 2, then column 1
    # of that and of (1, 2): 2 + 0 + 2 = 4, then column 2 of the rest: 4 + 1 = 5. The reverse sweep begins with
    # 5 + 1 = 6 and keeps it; (1, 2) is 6 + 2 + 1 and one more for its product, 10 in all, and as shares of four cells
    # 2 * 10 + 4 = 24; column 1's message is 6 + 0 + 2 = 8, (0, 1) is 8 + 1 + 1 = 10 and 24, and (0,) adds one sum.
    assert roundings(layout) == [25, 24, 24]
    assert relative_error(1) == UNIT / (1 - UNIT)


@pytest.mark.parametrize(
    "call",
    [
        lambda a: a.times(np.array([1.0, 1e-200]), np.array([1.0, 1e-200])),
        lambda a: a.products(np.array([[[1.0, 1e-200]]]), np.array([[[1.0], [1e-200]]])),
        lambda a: a.over(np.array([1e-200]), np.array([1e200])),
        lambda a: a.over(np.array([1e200]), np.array([1e-200])),
        lambda a: a.settled(np.array([1e150, 1e-280])),
        lambda a: a.shares(np.array([1e150, 1e-280])),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow")
def test_what_could_underflow_or_overflow_is_refused(call):
    with pytest.raises(Underflow):
        call(Checked())
