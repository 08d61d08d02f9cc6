"""Wrong types of arguments are explained in one line, by every function, before anything is read or spent."""

from __future__ import annotations

import inspect
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import synthbounds as sb
from bounds.errors import SynthboundsError
from tests.synthbounds.showing.examples import SCHEMA, SIZES, TABLE, marginals, moments, training

FUNCTIONS = sorted(name for name in sb.__getattr__("__all__") if inspect.isfunction(getattr(sb, name)))
_LONG = {"audit_all", "doctor", "export_claims", "figures", "schema_names", "strict", "sweep", "verify"}
"""They work for long, or have nothing to refuse."""


wild: Any = sb
"""The same for calls that a type checker refuses."""


class Strange:
    """A type that nothing takes."""


WRONG: dict[str, Any] = {"number": 3, "strange": Strange(), "mapping": {"a": 1}, "list": [Strange()], "bytes": b"a"}


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name not in _LONG])
def test_wrong_types_are_one_line(name: str) -> None:
    function = getattr(sb, name)
    parameters = inspect.signature(function).parameters.values()
    named = [p for p in parameters if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    needed = {p.name: "none-such" for p in named if p.default is p.empty}
    for parameter in named:
        for wrong in WRONG.values():
            with suppress(SynthboundsError):
                function(**{**needed, parameter.name: wrong})


def test_what_was_meant_is_said() -> None:
    schema = sb.data.parse_schema(Path(SCHEMA).read_text())
    asked: dict[str, Any] = {"label": "insured", "mode": "simulate", "epsilon": 1, "dp_delta": "1e-6"}
    for given, words in (
        (lambda: wild.train(3), "release: is of type int; must be a file or a release of moments"),
        (lambda: wild.certify(training().model, moments()), "release and model seem to be swapped"),
        (lambda: wild.release_moments(schema, TABLE, **asked), "schema; must be|is of type Schema"),
        (lambda: wild.release_moments(TABLE, {"columns": []}, **asked), r"is of type dict; .*parse_schema\(json"),
        (
            lambda: wild.release_moments(TABLE, SCHEMA, **asked, one_hot="sex"),
            "one_hot: is of type str; must be a list",
        ),
        (lambda: sb.confirm("release.json", TABLE, "model.json"), "first a table, then a release"),
    ):
        with pytest.raises(SynthboundsError, match=words):
            given()
    pandas = pytest.importorskip("pandas")
    with pytest.raises(SynthboundsError, match=r"table: is of type DataFrame; write it to a file"):
        wild.release_moments(pandas.read_csv(TABLE), SCHEMA, **asked)


def test_none_means_that_a_list_was_not_given() -> None:
    asked = {"label": "insured", "mode": "simulate", "epsilon": 1, "dp_delta": "1e-6"}
    assert wild.release_moments(TABLE, SCHEMA, **asked, one_hot=None)


def test_unknown_keywords_say_which_was_meant() -> None:
    with pytest.raises(TypeError, match=r"plan\(\) has no parameter 'eps'; did you mean epsilon\?"):
        wild.plan(eps=1)
    with pytest.raises((TypeError, SynthboundsError), match=r"did you mean epsilon\?"):
        sb.require(**{**SIZES, "epsilom": 1})


def test_a_training_is_a_model_and_a_pair_of_columns_is_two() -> None:
    found, model = sb.certify(moments(), training()), sb.certify(moments(), training().model)
    assert found.bound == model.bound
    assert sb.infer_independence(marginals(), ("owns", "insured")) is not None


def test_losses_that_most_mean_are_named_first() -> None:
    with pytest.raises(SynthboundsError, match="loss = cross-entropy: must be logistic, hinge, squared or a function"):
        sb.certify(moments(), training().model, loss="cross-entropy")
