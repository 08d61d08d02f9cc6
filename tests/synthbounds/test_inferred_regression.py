"""How regressions, lassos and their plans are shown: blocks for people, details for machines."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

from mechanisms.infer.regression.answer import RegressionAnswer
from mechanisms.infer.regression.ask import coefficients_from_release
from mechanisms.infer.regression.penalised import lasso_from_release
from mechanisms.infer.regression.plan import RegressionPlan, plan_coefficients
from release.moments.make import make_release
from release.statistics.features import build_feature_map
from synthbounds.render.document import Answer, Block, Facts, Stamp, Table, Title, Vacuous
from synthbounds.render.inferred_lasso import lasso_blocks, lasso_details
from synthbounds.render.inferred_regression import regression_blocks, regression_details
from synthbounds.render.inferred_regression_plan import regression_plan_blocks, regression_plan_details
from tests.moment_examples import SCHEMA, table

N = 6000


def planned(n: int = N) -> RegressionPlan:
    return plan_coefficients(
        SCHEMA,
        "pays ~ age + owns + size",
        n=n,
        epsilon=Fraction(1),
        dp_delta=Fraction(1, 10**6),
        adjacency="replace-one",
    )


def answered(
    formula: str = "pays ~ age + owns + size",
    *,
    codes: np.ndarray | None = None,
    epsilon: int = 8,
    any_formula: bool = False,
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
    return coefficients_from_release(made, formula, any_formula=any_formula)


def texts(blocks: tuple[Block, ...]) -> str:
    return " ".join(map(str, blocks))


def test_an_answer_is_shown_with_all_that_it_rests_on() -> None:
    found = answered("pays ~ .")
    blocks = regression_blocks(found)
    assert isinstance(blocks[0], Title)
    certain = [name for name, one in zip(found.names, found.joint, strict=True) if one.sign and name != "intercept"]
    named = [name for name in certain if f"{name} (" in blocks[0].subtitle]
    assert len(named) == min(3, len(certain)) > 0
    assert ("more" in blocks[0].subtitle) == (len(certain) > 3)
    alone = regression_blocks(answered("pays ~ age"))[0]
    assert isinstance(alone, Title)
    assert "with 95 % confidence the coefficient of age in the table is 0." in alone.subtitle
    assert not any(isinstance(block, Stamp | Vacuous) for block in blocks)
    tables = [block for block in blocks if isinstance(block, Table)]
    assert [len(one.rows) for one in tables] == [6, 5, 6, 6]
    assert tables[0].marked == frozenset(j for j, one in enumerate(found.joint) if one.sign)
    for one in tables:
        assert all(len(row) == len(one.columns) for row in one.rows)
    facts = dict(next(block for block in blocks if isinstance(block, Facts)).rows)
    assert {"About", "All at once", "Each alone", "R squared", "Population", "Compared with", "Spent", "Proof"} <= set(
        facts
    )
    details = json.loads(json.dumps(regression_details(found)))
    assert details["bounded"]
    assert details["references"] == ["town=north"]
    assert details["coefficients"][0]["unit"] == {"factor": "1/60", "text": "share of pays=yes per unit of age"}


def test_the_headline_of_r_squared_is_certified() -> None:
    found = answered("pays ~ age + owns")
    assert [one.is_certified for one in found.explained] == [True, False]
    shown = next(block for block in regression_blocks(found) if isinstance(block, Answer)).rows[1]
    lo, _, hi = shown[1].partition(" to ")
    assert float(lo) <= float(found.explained[0].lo or 0) < float(found.explained[0].hi or 0) <= float(hi)
    facts = dict(next(block for block in regression_blocks(found) if isinstance(block, Facts)).rows)
    assert "(certified); " in facts["R squared"]
    assert "(asymptotic: for R squared above 0 and fixed, and little noise)" in facts["R squared"]


def test_what_holds_for_any_formula_is_shown_alone() -> None:
    found = answered("pays ~ age", any_formula=True)
    blocks = regression_blocks(found)
    assert isinstance(blocks[0], Title)
    assert "with 95 % confidence for all formulas together the coefficient of age" in blocks[0].subtitle
    tables = [block for block in blocks if isinstance(block, Table)]
    assert [one.title for one in tables] == ["Coefficients of the table", "In units of the table, all at once"]
    facts = dict(next(block for block in blocks if isinstance(block, Facts)).rows)
    assert "Each alone" not in facts
    assert facts["Chosen"].endswith("together, even if chosen afterwards")
    details = regression_details(found)
    assert details["any_formula"]
    assert all(one["first_order_est"] is None for one in details["coefficients"])


def test_ends_in_units_are_those_of_the_table() -> None:
    found = answered()
    shown = next(b for b in regression_blocks(found) if isinstance(b, Table) and b.title.startswith("In units"))
    age = found.coefficients[0]
    assert age.lo is not None
    assert float(shown.rows[0][2]) == pytest.approx(float(age.lo) / 60, rel=1e-3)


def test_an_unbounded_answer_names_the_direction_and_what_to_drop() -> None:
    codes = table(N)
    codes[:, 3] = codes[:, 0] > 3
    codes[:, 4] = 3 * codes[:, 3]
    found = answered("pays ~ owns + size + town", codes=codes, epsilon=1)
    assert found.weakness is not None
    blocks = regression_blocks(found)
    said = next(block.text for block in blocks if isinstance(block, Vacuous))
    assert "is unbounded: for the combination" in said
    assert "owns" in said
    assert "size" in said
    assert f"drop {found.weakness.drop[0]}" in said
    assert "no end" in texts(blocks)
    assert len([block for block in blocks if isinstance(block, Table)]) == 1
    assert all(one["first_order_est"] is None for one in regression_details(found)["coefficients"])
    details = json.loads(json.dumps(regression_details(found)))
    assert details["weakness"]["unbounded_for_sure"] is True
    assert details["weakness"]["drop"] == list(found.weakness.drop)


def test_a_ridge_and_a_lasso_are_shown() -> None:
    found = answered()
    ridged = coefficients_from_release(found.release, "pays ~ .", ridge=Fraction(1, 10))
    facts = dict(next(block for block in regression_blocks(ridged) if isinstance(block, Facts)).rows)
    assert facts["Ridge"].startswith("0.1: (0.1/2) norm^2 is added")
    assert regression_details(ridged)["ridge"] == "0.1"
    assert not ridged.population
    lasso = lasso_from_release(found.release, "pays ~ .", penalty=Fraction(1, 4))
    blocks = lasso_blocks(lasso)
    assert isinstance(blocks[0], Title)
    table_shown = next(block for block in blocks if isinstance(block, Table))
    assert len(table_shown.rows) == len(lasso.names)
    details = json.loads(json.dumps(lasso_details(lasso)))
    assert details["zero"] == [n for n, z in zip(lasso.names, lasso.zero, strict=True) if z]


def test_a_plan_is_shown_with_what_it_supposes() -> None:
    said = texts(regression_plan_blocks(planned()))
    assert "independent columns whose values are equally frequent" in said
    assert "this is a plan" in said
    details = json.loads(json.dumps(regression_plan_details(planned())))
    assert details["bounded"]
    assert len(details["coefficients"]) == 4
    assert "would have no bounds" in texts(regression_plan_blocks(planned(n=40)))
