"""The excess of a model on a table, against numpy."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bounds.errors import ParameterError
from verify.table_excess import Records, excess_on

records = st.lists(
    st.tuples(st.lists(st.integers(-16, 16), min_size=3, max_size=3), st.integers(1, 40)), min_size=1, max_size=8
)
models = st.lists(st.decimals(-2, 2, places=5), min_size=3, max_size=3)


@settings(max_examples=60)
@given(records, models, models, st.sampled_from(["logistic", "hinge", "squared"]))
def test_the_excess_is_a_difference_of_two_means(table: list, model: list, better: list, loss: str) -> None:  # type: ignore[type-arg]
    signed, counts = zip(*table, strict=True)
    w, v = (tuple(Fraction(c) for c in vector) for vector in (model, better))
    found = excess_on(Records(signed=signed, counts=counts, one=16), w, v, tau=Fraction(99), squared_norm=3, loss=loss)
    margins = np.array(signed) / 16 @ np.array([w, v], dtype=float).T
    losses = {
        "logistic": np.logaddexp(0, -margins),
        "hinge": np.maximum(0, 1 - margins),
        "squared": (1 - margins) ** 2 / 2,
    }[loss]
    expected = np.average(losses[:, 0] - losses[:, 1], weights=counts)
    assert float(found.lo) - 1e-12 <= expected <= float(found.hi) + 1e-12
    assert found.hi - found.lo < Fraction(1, 10**20)


def test_what_proves_nothing_is_refused() -> None:
    table = Records(signed=((1, 1),), counts=(3,), one=1)
    w, at, beyond = ((Fraction(x), Fraction(0)) for x in ("1", "2", "2.00001"))
    # the norm counts features in the unit ball: 2 on features of squared norm 2 is sqrt 8
    assert excess_on(table, w, at, tau=Fraction("2.82843"), squared_norm=2).lo > 0
    with pytest.raises(ParameterError, match="better"):
        excess_on(table, w, beyond, tau=Fraction("2.82843"), squared_norm=2)
    with pytest.raises(ParameterError, match="counts"):
        Records(signed=((1, 1),), counts=(3, 1), one=1)
    with pytest.raises(ParameterError, match="counts"):
        Records(signed=((1, 1), (1, 0)), counts=(3, 0), one=1)
