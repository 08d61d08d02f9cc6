"""The lasso of a table from its moments: the real one inside, zeros that are certain, and what is refused."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from bounds.errors import NotApplicable, ParameterError
from mechanisms.infer.regression.penalised import LassoAnswer, lasso_from_release
from release.moments.make import make_release
from tests.moment_examples import feature_map, table

N = 4000


def asked(epsilon: int, penalty: str, *, seed: int = 0, adjacency: str = "replace-one") -> LassoAnswer:
    made = make_release(
        table(N),
        feature_map(),
        epsilon=epsilon,
        dp_delta="1e-6",
        adjacency=adjacency,
        mode="simulate",
        n0=N - 10 if adjacency == "add-remove" else None,
        seed=seed,
    )
    return lasso_from_release(made, "pays ~ age + owns + size + town - town=north", penalty=Fraction(penalty))


def real_lasso(answer: LassoAnswer) -> np.ndarray:
    """By an independent library: half the mean squared error, the intercept free, as here."""
    features, codes = answer.release.feature_map, table(N)
    x = (features.features(codes) / features.one)[:, [features.names.index(name) for name in answer.names[:-1]]]
    y = features.labels(codes).astype(float)
    centred, mean = x - x.mean(0), y.mean()
    b = np.zeros(x.shape[1])
    # proximal steps, until they stop
    step = 1 / np.linalg.eigvalsh(centred.T @ centred / N).max()
    for _ in range(4000):
        moved = b + step * centred.T @ (y - mean - centred @ b) / N
        b = np.sign(moved) * np.maximum(np.abs(moved) - step * float(answer.penalty), 0)
    return np.append(b, mean - x.mean(0) @ b)


@pytest.mark.parametrize(("epsilon", "penalty"), [(100, "0.01"), (100, "0.1"), (8, "0.1"), (8, "0.4")])
def test_the_lasso_of_the_table_is_inside(epsilon: int, penalty: str) -> None:
    missed = 0
    for seed in range(4):
        found = asked(epsilon, penalty, seed=seed)
        wanted = real_lasso(found)
        assert found.is_bounded
        inside = all(
            one.lo is not None and one.hi is not None and float(one.lo) - 1e-9 <= b <= float(one.hi) + 1e-9
            for one, b in zip(found.coefficients, wanted, strict=True)
        )
        missed += not inside
        for one, b, is_zero in zip(found.coefficients, wanted, found.zero, strict=True):
            assert not (is_zero and inside and abs(b) > 1e-9)
            assert (one.note == "certainly 0") == is_zero
            assert one.is_certified
            assert one.simultaneous
    assert missed <= 2


def test_a_large_penalty_makes_all_certainly_zero() -> None:
    found = asked(100, "2")
    assert found.zero == (True,) * (len(found.names) - 1) + (False,)
    assert found.chosen == ()
    assert all(one.lo == one.hi == 0 for one in found.coefficients[:-1])


def test_certain_choices_are_named() -> None:
    found = asked(100, "0.01")
    assert "age" in found.chosen
    assert "intercept" not in found.chosen


def test_noise_that_is_too_large_leaves_no_ends() -> None:
    made = make_release(
        table(50), feature_map(), epsilon=1, dp_delta="1e-6", adjacency="replace-one", mode="simulate", seed=1
    )
    found = lasso_from_release(made, "pays ~ .", penalty=Fraction(1, 10))
    assert not found.is_bounded
    assert all(one.lo is None and one.hi is None and one.note for one in found.coefficients)
    assert not any(found.zero)


def test_products_that_are_public_make_all_certainly_zero() -> None:
    """Indicators of one column exclude each other: no noise is left on any equation at 0."""
    made = make_release(
        table(N), feature_map(), epsilon=8, dp_delta="1e-6", adjacency="replace-one", mode="simulate", seed=1
    )
    found = lasso_from_release(made, '"town=north" ~ "town=west" - 1', penalty=Fraction(1, 10))
    assert found.zero == (True,)
    assert (found.coefficients[0].lo, found.coefficients[0].hi) == (0, 0)


def test_what_makes_no_sense_is_refused() -> None:
    with pytest.raises(NotApplicable, match="under add-remove n is private"):
        asked(8, "0.1", adjacency="add-remove")
    with pytest.raises(ParameterError, match="penalty"):
        asked(8, "0")
