"""A sweep gives the same as a single call at every setting, and says where there is no answer."""

from __future__ import annotations

import numpy as np
import pytest

import synthbounds as sb
from tests.synthbounds.showing.examples import OF_PRIVATE, SCHEMA, SIZES, moments, training


def test_require_over_a_grid_is_every_single_call() -> None:
    found = sb.sweep(sb.require, epsilon=np.linspace(0.1, 0.5, 5), p=[5, 10], degree=2, delta=0.05, gamma=0.05)
    assert found.over == ("epsilon", "p")
    singles = [
        sb.require(**{**SIZES, "epsilon": epsilon, "p": p}) for epsilon in np.linspace(0.1, 0.5, 5) for p in (5, 10)
    ]
    assert list(found.answers) == singles
    frame = found.to_frame()
    assert frame["n"].tolist() == [each.n for each in singles]
    assert frame["epsilon"].tolist() == pytest.approx([e for e in (0.1, 0.2, 0.3, 0.4, 0.5) for _ in "12"])
    assert frame["p"].tolist() == [5, 10] * 5
    assert found.to_dict()["points"][3]["answer"] == singles[3].to_dict()
    assert [line.get_label() for line in found.plot().lines] == ["p = 5", "p = 10"]


@pytest.mark.parametrize("parameter", ["epsilon", "delta", "gamma", "degree", "p"])
def test_require_over_any_parameter(parameter: str) -> None:
    values = {"epsilon": ["0.2", "1"], "delta": [0.02, 0.05], "gamma": [0.01, 0.1], "degree": range(1, 3), "p": [4, 6]}
    found = sb.sweep(sb.require, **{**SIZES, parameter: values[parameter]})
    assert [each.n for each in found.answers] == [
        sb.require(**{**SIZES, parameter: value}).n for value in values[parameter]
    ]


def test_risk_certify_and_plans() -> None:
    risk = sb.sweep(sb.risk, **{**OF_PRIVATE, "n": [10_000, 20_000]})
    assert risk.answers[1] == sb.risk(**OF_PRIVATE, n=20_000)
    assert risk.to_frame()["bound_hi"].is_monotonic_decreasing
    certified = sb.sweep(sb.certify, moments(), training().model, tau=[2, 3])
    assert certified.answers[0].bound == sb.certify(moments(), training().model, tau=2).bound
    assert list(certified.to_frame()["excess_upper"]) == pytest.approx([float(a.bound) for a in certified.answers])
    planned = sb.sweep(sb.plan, features=4, n=[5_000, 50_000], epsilon=1)
    assert [each.plan.best_est for each in planned.answers] == [
        sb.plan(features=4, n=n, epsilon=1).plan.best_est for n in (5_000, 50_000)
    ]
    errors = sb.sweep(sb.plan_release, SCHEMA, n=[1000, 10_000])
    assert errors.answers[1].to_dict() == sb.plan_release(SCHEMA, n=10_000).to_dict()


def test_where_a_theorem_does_not_apply_the_point_says_why() -> None:
    asked = {**SIZES, "measure": "histogram", "edition": "printed", "adjacency": ["replace-one", "add-remove"]}
    found = sb.sweep(sb.require, **{**asked, "delta": "0.5", "gamma": "0.25"})
    assert [point.answer is None for point in found.points] == [False, True]
    with pytest.raises(sb.SynthboundsError) as refusal:
        sb.require(**{**asked, "delta": "0.5", "gamma": "0.25", "adjacency": "add-remove"})
    assert found.points[1].refused == str(refusal.value)
    assert found.to_frame()["refused"].tolist()[1] == str(refusal.value)
    assert "1 of them refused" in repr(found)
    assert str(refusal.value).partition(":")[0] in found._repr_html_()


def test_wrong_sweeps_are_refused_in_one_line() -> None:
    with pytest.raises(sb.SynthboundsError, match="nothing is swept"):
        sb.sweep(sb.require, **SIZES)
    with pytest.raises(sb.SynthboundsError, match="sweep_estimates takes a theorem"):
        sb.sweep("bojkovic2024.uniform", epsilon=[0.1])  # type: ignore[arg-type]
    with pytest.raises(sb.SynthboundsError, match="epsilon = -1: must be at least"):
        sb.sweep(sb.require, **{**SIZES, "epsilon": [-1, -2]})
    with pytest.raises(sb.SynthboundsError, match="epsilon is empty"):
        sb.sweep(sb.require, **{**SIZES, "epsilon": []})
    for wrong in ({"eps": 1}, {"eps": [1, 2]}):
        with pytest.raises(TypeError, match=r"has no parameter 'eps'; did you mean epsilon\?"):
            sb.sweep(sb.require, **{**SIZES, "p": [4, 5]}, **wrong)
    with pytest.raises(TypeError, match=r"did you mean .*epsilon"):
        sb.risk(eps=1)


def test_one_impossible_point_leaves_the_others() -> None:
    found = sb.sweep(sb.require, **{**SIZES, "p": [4, 10**9], "epsilon": [1, -1]})
    assert [point.answer is None for point in found.points] == [False, True, True, True]
    assert "at most 400 digits" in found.points[2].refused
    assert "3 of them refused" in repr(found)


def test_a_picture_says_what_is_fixed_and_spreads_decades() -> None:
    found = sb.sweep(sb.require, **{**SIZES, "epsilon": [0.1, 0.5, 1], "p": [4, 5]})
    axes = found.plot(x="epsilon")
    assert axes.get_xscale() == "log"
    assert "degree = 2" in axes.get_title()
    assert "epsilon" not in axes.get_title()
    assert sb.sweep(sb.require, **{**SIZES, "epsilon": [0.2, 1]}).plot().get_xscale() == "linear"
