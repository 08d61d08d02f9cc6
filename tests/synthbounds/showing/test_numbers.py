"""A float in any parameter means the decimal that it shows: the result is the same as from the text."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import synthbounds as sb
from bounds.errors import SynthboundsError
from bounds.parameter import Parameter
from synthbounds.api.commands import COMMANDS
from tests.synthbounds.showing.examples import OF_PRIVATE, RISK, SCHEMA, SIZES, TABLE, moments, training

NUMBERS = {
    (p.name, p.kind, p.range): p for command in COMMANDS.values() for p in command.parameters.values() if p.is_number
}
FLOATS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False, min_value=-1e6, max_value=1e6),
    st.integers(-3, 1000).map(float),
    st.sampled_from([0.1, 0.05, 0.5, 1e-6, 1.0, 2.0]),
)


def outcome(ask: Callable[[], Any]) -> Any:
    """The answer, or the line that refuses it."""
    try:
        return ask()
    except SynthboundsError as error:
        return str(error)


@given(FLOATS, st.sampled_from(sorted(NUMBERS.values(), key=lambda p: (p.name, p.kind))))
def test_every_declared_number_takes_floats(value: float, parameter: Parameter) -> None:
    said = outcome(lambda: parameter.number(repr(value)))
    assert outcome(lambda: parameter.number(value)) == said
    assert outcome(lambda: parameter.number(np.float64(value))) == said
    assert said == (Fraction(repr(value)) if isinstance(said, Fraction) else said)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), np.float32("-inf")])
def test_what_is_no_number_is_refused_everywhere(value: float) -> None:
    for parameter in NUMBERS.values():
        with pytest.raises(SynthboundsError, match=parameter.name):
            parameter.number(value)


MOMENTS = {"label": "insured", "mode": "simulate", "epsilon": "2.5", "dp_delta": "1e-6", "seed": "1"}
ASKED: dict[str, tuple[Callable[..., Any], dict[str, str]]] = {
    "require": (sb.require, SIZES),
    "require histogram": (sb.require, {**SIZES, "p": "6", "measure": "histogram", "tau1": "0.01", "tau2": "0.02"}),
    "require kde": (
        sb.require,
        {"measure": "kde", "lipschitz": "2", "tau": "0.5", "p": "3", "degree": "2", "epsilon": "0.5",
         "accuracy": "0.25", "failure": "0.05", "edition": "corrected"},
    ),
    "require custom": (sb.require, {**SIZES, "measure": "custom", "kappa": "3.5", "k": "5000"}),
    "require delta": (sb.require, {**SIZES, "dp_delta": "1e-6", "t": "2", "mechanism": "gaussian"}),
    "require queries": (sb.require, {"p": "4", "queries": "7", **{n: SIZES[n] for n in ("epsilon", "delta", "gamma")}}),
    "solve_for": (
        lambda **said: sb.solve_for("epsilon", **said),
        {"n": "2000", **{name: value for name, value in SIZES.items() if name != "epsilon"}},
    ),
    "lower_bound": (sb.lower_bound, {"p": "10", "epsilon": "0.2", "accuracy": "0.4", "failure": "0.05"}),
    "risk": (sb.risk, RISK),
    "risk of private": (sb.risk, {**OF_PRIVATE, "failure": "0.01", "n": "5000", "intercept": "0.5"}),
    "risk target": (sb.risk, {**OF_PRIVATE, "failure": "0.01", "target": "0.2", "levels": "2"}),
    "query_lower_bound": (sb.query_lower_bound, {"query_constant": "0.75", "log_n": "20.5"}),
    "approximate": (lambda **said: sb.approximate("hinge", interval=(-1, 1), **said), {"degree": "3"}),
    "approximate optimal": (
        lambda **said: sb.approximate("hinge", interval=(-1, 1), method="optimal", **said),
        {"degree": "2", "marginal_error": "0.05"},
    ),
    "perturbed_histogram": (
        lambda **said: sb.perturbed_histogram("uniform:4", **said),
        {"n": "50", "epsilon": "0.5", "simulate": "100", "seed": "3"},
    ),
    "plan": (sb.plan, {"features": "4", "n": "20000", "epsilon": "0.5", "dp_delta": "1e-6", "tau": "1.5",
                       "beta": "0.1", "reserve": "0.25"}),
    "plan_release": (
        lambda **said: sb.plan_release(SCHEMA, **said), {"n": "10000", "error": "0.02", "beta": "0.1"}
    ),
    "release_moments": (
        lambda **said: sb.release_moments(TABLE, SCHEMA, **said), {**MOMENTS, "reserve": "0.5", "weight": "0.75"}
    ),
    "train": (lambda **said: sb.train(moments(), **said).model, {"tau": "1.5", "points": "200", "seed": "4"}),
    "train ridge": (lambda **said: sb.train(moments(), **said).model, {"ridge": "0.125", "points": "200"}),
    "certify": (lambda **said: sb.certify(moments(), training().model, **said).bound, {"tau": "2.5", "beta": "0.1"}),
    "infer_components": (
        lambda **said: sb.infer_components(moments(), **said).conclusions, {"pca": "1", "level": "0.9"}
    ),
    "audit": (lambda **said: sb.audit("histogram-half-scale", **said).verdict, {"epsilon": "0.5"}),
}  # fmt: skip
NO_NUMBERS = {"measure", "edition", "mechanism", "label", "mode"}


@pytest.mark.share(3)
@pytest.mark.parametrize("name", sorted(ASKED))
def test_functions_take_floats_in_every_number(name: str) -> None:
    ask, said = ASKED[name]
    expected = ask(**said)
    floats: dict[str, Any] = {key: value if key in NO_NUMBERS else float(value) for key, value in said.items()}
    assert ask(**floats) == expected
    scalars = {key: value if key in NO_NUMBERS else np.float32(value) for key, value in said.items()}
    assert ask(**scalars) == expected
    with sb.strict(), pytest.raises(SynthboundsError, match="must be exact"):
        ask(**floats)


def test_lists_and_intervals_of_floats() -> None:
    assert sb.renyi([0.5, 0.5], list(np.array([0.25, 0.75]))) == sb.renyi([".5", ".5"], [".25", ".75"])
    assert sb.renyi([np.float32(0.1)] * 10, "uniform:10").kappa == 1
    assert sb.approximate("hinge", interval=(-0.5, 1.5), degree=2) == sb.approximate(
        "hinge", interval="-0.5,1.5", degree=2
    )
    assert sb.privacy.analytic_gaussian(epsilon=0.5, dp_delta=1e-5, adjacency="replace-one") == (
        sb.privacy.analytic_gaussian(epsilon="1/2", dp_delta="1e-5", adjacency="replace-one")
    )


def test_the_exact_value_is_shown_with_the_answer() -> None:
    found = sb.require(p=10, degree=2, epsilon=0.1 + 0.2, delta=np.float32(0.05), gamma=Fraction(1, 20))
    assert found.to_dict()["inputs"] == {
        "degree": "2", "delta": "0.05", "edition": "sharp", "epsilon": "0.30000000000000004", "gamma": "1/20",
        "p": "10",
    }  # fmt: skip
    assert "0.30000000000000004" in found._repr_html_()


def test_enclosures_compare_and_convert() -> None:
    bound = sb.risk(**RISK).bound
    assert 0.0130 < bound < 0.0131
    assert bound > 0
    assert bound <= bound.hi
    assert 0.01307 < float(bound) < 0.01308
    assert repr(bound).startswith("Enclosure(0.013075")
    assert len(repr(bound)) < 60
    with pytest.raises(SynthboundsError, match="do not decide"):
        bool(bound < bound.midpoint)
