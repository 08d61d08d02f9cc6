"""Planned regressions against releases of tables that fit the plan's assumptions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from bounds.errors import NotApplicable, SynthboundsError, UsageError
from mechanisms.infer.regression.answer import RegressionAnswer
from mechanisms.infer.regression.ask import coefficients_from_release
from mechanisms.infer.regression.plan import RegressionPlan, plan_coefficients
from release.moments.make import make_release
from release.statistics.features import build_feature_map
from tests.moment_examples import SCHEMA, table

N = 6000


def planned(formula: str = "pays ~ age + owns + size", **changes: object) -> RegressionPlan:
    asked = {"n": N, "epsilon": Fraction(1), "dp_delta": Fraction(1, 10**6), "adjacency": "replace-one"}
    return plan_coefficients(SCHEMA, formula, **(asked | changes))  # type: ignore[arg-type]


def answered(
    formula: str = "pays ~ age + owns + size", *, codes: np.ndarray | None = None, epsilon: int = 8
) -> RegressionAnswer:
    made = make_release(
        table(N) if codes is None else codes,
        build_feature_map(SCHEMA, label="pays"),
        epsilon=epsilon,
        dp_delta="1e-6",
        adjacency="replace-one",
        mode="simulate",
        seed=3,
    )
    return coefficients_from_release(made, formula)


def uniform(n: int) -> np.ndarray:
    """Independent columns whose values are equally frequent, and a label that two of them decide with chance."""
    source = np.random.default_rng(1)
    codes = np.column_stack([source.integers(0, column.size, n) for column in SCHEMA.columns])
    score = 0.4 * (codes[:, 0] - 3) / 2 + 0.4 * (2 * codes[:, 3] - 1) + 0.4 * (codes[:, 4] - 1.5) / 1.12
    codes[:, 2] = source.random(n) < np.clip(0.5 + 0.5 * score, 0, 1)
    return codes.astype(np.uint8)


@pytest.mark.parametrize("epsilon", [1, 8])
@pytest.mark.parametrize("regressors", ["age", "owns", "age + owns", "size + owns", "age + size + owns"])
def test_a_plan_has_bounds_where_the_signal_is_above_what_is_needed(regressors: str, epsilon: int) -> None:
    """Supposed equations have zeros that real ones have not, and balls around them must not hide the bounds."""
    plan = planned(f"pays ~ {regressors}", epsilon=Fraction(epsilon))
    assert plan.is_bounded == (plan.signal > plan.needed)


def test_a_plan_says_what_a_release_of_such_a_table_says() -> None:
    plan = planned(epsilon=Fraction(1))
    found = answered(codes=uniform(N), epsilon=1)
    assert plan.is_bounded
    assert [one.name for one in plan.coefficients] == list(found.names)
    for one, alone, joint, drawn in zip(
        plan.coefficients, found.coefficients, found.joint, found.population, strict=True
    ):
        assert one.alone == pytest.approx((alone.width or 0) / 2, rel=0.2)
        assert one.joint == pytest.approx((joint.width or 0) / 2, rel=0.25)
        assert one.population == pytest.approx((drawn.width or 0) / 2, rel=0.2)
        assert one.without_privacy == pytest.approx((drawn.width_without_privacy or 0) / 2, rel=0.25)
    assert plan.signal == pytest.approx(found.signal, rel=0.3)


def test_a_plan_has_the_least_eigenvalue_that_is_needed() -> None:
    plan = planned()
    more = planned(n=4 * N)
    assert more.least_eigenvalue == pytest.approx(plan.least_eigenvalue / 4, rel=1e-6)
    assert plan.needed == pytest.approx(3.0802, abs=1e-3)  # the chi-quantile of 4 dimensions
    tiny = planned(n=40)
    assert not tiny.is_bounded
    assert tiny.signal < tiny.needed


@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
def test_plans_of_both_adjacencies_and_kinds_of_response(adjacency: str) -> None:
    size = {"least_size": N, "n": None} if adjacency == "add-remove" else {}
    for formula in ("pays ~ .", "age ~ town + owns"):
        found = planned(formula, adjacency=adjacency, **size)
        assert found.n_is_public == (adjacency == "replace-one")
        assert found.size == N
        assert all(one.alone and one.joint and one.alone < one.joint for one in found.coefficients)
        assert found.is_bounded


@pytest.mark.parametrize(
    ("formula", "changes", "why", "error"),
    [
        ("pays ~ height", {}, "height is not a column", UsageError),
        ("town=west ~ age", {}, "a plan can explain only a column", UsageError),
        ("pays ~ age", {"n": None}, "give n", NotApplicable),
        ("town ~ age", {}, "label", SynthboundsError),
    ],
)
def test_plans_that_make_no_sense_are_refused(
    formula: str, changes: dict[str, object], why: str, error: type[Exception]
) -> None:
    with pytest.raises(error, match=why) as told:
        planned(formula, **changes)
    assert "\n" not in str(told.value)
