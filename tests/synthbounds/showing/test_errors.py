"""Errors in Python name parameters as Python does; those of commands keep their own words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import synthbounds as sb
from bounds.errors import SynthboundsError
from synthbounds.api.commands import COMMANDS
from synthbounds.cli import main
from synthbounds.showing.asking import in_python
from tests.synthbounds.showing.examples import SCHEMA, SIZES, TABLE, marginals, moments, training

BAD: dict[str, Callable[[], Any]] = {
    "degree": lambda: sb.require(p=10, epsilon="0.2", delta="0.05", gamma="0.05"),
    "tau1": lambda: sb.require(**SIZES, theorem="bojkovic2024.histogram", edition="printed"),
    "dp_delta": lambda: sb.require(**SIZES, mechanism="gaussian"),
    "marginal_error": lambda: sb.risk(features=10, radius=1, marginals=2),
    "n": lambda: sb.plan(features=4),
    "like": lambda: sb.plan(n=10, epsilon=1),
    "least_size": lambda: sb.plan_release(SCHEMA, n=10, adjacency="add-remove"),
    "error": lambda: sb.plan_release(SCHEMA, n=10, of="one-way"),
    "simulate": lambda: sb.perturbed_histogram("uniform:4", n=5, epsilon=1, variant="mixed"),
    "query": lambda: sb.certify(moments(), training().model, tau=-1),
    "k": lambda: sb.improve(TABLE, release=marginals(), k=0),
    "function": lambda: sb.approximate(None, interval="-1,1", degree=2),  # type: ignore[arg-type]
    "samples": lambda: sb.audit("histogram", samples=10),
}


@pytest.mark.parametrize("name", sorted(BAD))
def test_errors_of_functions_have_no_options(name: str) -> None:
    with pytest.raises(SynthboundsError) as caught:
        BAD[name]()
    message = str(caught.value)
    assert "--" not in message
    assert "\n" not in message
    hyphened = {p.name.replace("_", "-") for c in COMMANDS.values() for p in c.parameters.values() if "_" in p.name}
    assert not message.startswith(tuple(f"{each} " for each in hyphened))


def test_names_are_those_of_the_functions() -> None:
    with pytest.raises(SynthboundsError, match=r"^tau1 is missing"):
        BAD["tau1"]()
    with pytest.raises(SynthboundsError, match="like with an earlier release"):
        BAD["like"]()
    with pytest.raises(SynthboundsError, match="give least_size"):
        BAD["least_size"]()


def test_commands_keep_their_words(capsys: pytest.CaptureFixture[str]) -> None:
    options = [part for name, value in SIZES.items() for part in (f"--{name}", value)]
    assert main(["require", *options, "--theorem", "bojkovic2024.histogram", "--edition", "printed"]) == 2
    assert "--tau1 is missing" in capsys.readouterr().err
    assert main(["compare", *options]) == 0
    assert "--tau1 is missing" in capsys.readouterr().out


def test_words_that_are_no_names_stay() -> None:
    assert (
        in_python("the one-way answers of a held-out table, 2 -- 3")
        == "the one-way answers of a held-out table, 2 -- 3"
    )
    assert in_python("held-out is for certificates") == "held_out is for certificates"
    assert in_python("give --dp-delta, or --n with --least-size") == "give dp_delta, or n with least_size"
