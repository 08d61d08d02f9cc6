"""Every control of every view changes the question, the address and the answer, which is that of the command line."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from tests.browser.calculator import Calculator, assert_same
from tests.browser.conftest import Visit

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Control:
    """A value to give to a control, and what must be asked besides for it to matter."""

    name: str
    value: str
    given: dict[str, str] = field(default_factory=dict)
    option: str | None = ""
    """How the line shows it, if not as --name value; None where it shows something else."""


HISTOGRAM = {"measure": "histogram", "tau1": "0.0005", "tau2": "0.002"}
KERNEL = {"measure": "kde", "tau": "0.5", "lipschitz": "0.4", "density-max": "2"}
SIZES = [
    Control("solve", "failure", option="--solve-for failure"),
    Control("n", "12345", {"solve": "accuracy"}),
    Control("p", "12"),
    Control("degree", "3"),
    Control("epsilon", "1/3"),
    Control("accuracy", "0.0875"),
    Control("failure", "1e-3"),
    Control("family", "parities"),
    Control("t", "3", {"family": "cells"}),
    Control("dp-delta", "1e-7"),
    Control("adjacency", "add-remove"),
    Control("measure", "histogram", {"tau1": "0.0005", "tau2": "0.002"}),
    Control("tau1", "0.0004", HISTOGRAM),
    Control("tau2", "0.003", HISTOGRAM),
    Control("tau", "0.4", KERNEL),
    Control("lipschitz", "0.3", KERNEL),
    Control("density-max", "3", KERNEL),
    Control("kappa", "2000", {"measure": "custom"}),
    Control("mechanism", "laplace"),
    Control("rows", "drawing"),
    Control("release", "density"),
    Control("k", "5000"),
    Control("edition", "printed"),
    Control("theorem", "bojkovic2024.private-lp"),
]
RISK = [
    Control("solve", "excess", option="--n 10000"),
    Control("n", "12345", {"solve": "excess"}),
    Control("target", "0.15"),
    Control("features", "7"),
    Control("radius", "3/2"),
    Control("epsilon", "0.7"),
    Control("dp-delta", "1e-8"),
    Control("failure", "0.002"),
    Control("loss", "hinge"),
    Control("intercept", "0.5"),
    Control("levels", "3"),
    Control("marginals", "3"),
    Control("release", "moments"),
    Control("approximation", "chebyshev"),
    Control("optimisation-gap", "0.001"),
    Control("edition", "corrected"),
    Control("theorem", "zhou2024.lipschitz-private"),
]
PLAN = [
    Control("solve", "n", option="--target 0.02"),
    Control("n", "12345"),
    Control("target", "0.03", {"solve": "n"}),
    Control("features", "9"),
    Control("epsilon", "0.7"),
    Control("tau", "3"),
    Control("dp-delta", "1e-8"),
    Control("beta", "0.01"),
    Control("loss", "squared"),
    Control("ridge", "0.01"),
    Control("intercept", "free"),
    Control("adjacency", "add-remove"),
    Control("reserve", "0.25"),
    Control("fourth", "true", option="--fourth"),
]
VIEWS = {"sizes": SIZES, "risk": RISK, "plan": PLAN}


@pytest.mark.parametrize("name", VIEWS)
def test_every_control_asks(name: str, served: str, visit: Visit) -> None:
    """Every one, typed or chosen, and by its slider where it has one; a newer question does not wait for a curve."""
    view = Calculator(visit(served), name).ask().unfold()
    assert {control.name for control in VIEWS[name]} == set(view.controls()) - {"over"}
    answers = set()
    for control in VIEWS[name]:
        view.open(**control.given)
        view.give(control.name, control.value).answered(control.option or f"--{control.name} {control.value}")
        assert view.address[control.name] == control.value, control
        assert_same(view, context=str(control))
        answers.add(view.huge or view.error)
        slider = view.slider(control.name)
        if not slider.count():
            continue
        slider.focus()
        slider.press("ArrowRight")
        value = view.field(control.name).input_value()
        assert value != control.value, control
        view.answered(f"--{control.name} {value}")
        assert view.address[control.name] == value, control
        assert slider.get_attribute("aria-valuetext"), control
    assert len(answers) > len(VIEWS[name]) // 2


@pytest.mark.parametrize("typed", ["2 %", "2%"])
def test_a_share_may_be_typed_in_percent(typed: str, served: str, visit: Visit) -> None:
    view = Calculator(visit(served)).settled()
    view.change("accuracy", typed).change("failure", "5 %")
    assert "--accuracy 0.02" in view.line
    assert "--failure 0.05" in view.line or "--failure" not in view.line
    assert_same(view)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("2", "Did you mean 2 % (0.02)?"), ("1", "Did you mean 1 % (0.01)?"), ("250 %", "must be below 1")],
)
def test_an_accuracy_that_promises_nothing_is_asked_about(typed: str, meant: str, served: str, visit: Visit) -> None:
    view = Calculator(visit(served)).settled().change("accuracy", typed)
    for place in (".error", "[data-field=accuracy] .wrong"):
        assert meant in view.find(place).inner_text()
    assert view.change("accuracy", "0.02").find(".error").is_hidden()
