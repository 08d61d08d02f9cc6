"""How tests of noisy tables are shown: one sentence first, then its basis, and JSON of the rest."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from bounds.privacy.adjacency import Adjacency
from mechanisms.infer.chi_square.fit import fit_test
from mechanisms.infer.chi_square.independence import independence_test
from mechanisms.infer.chi_square.power import plan_independence
from mechanisms.infer.chi_square.real_table import would_real_table_reject
from mechanisms.infer.chi_square.share_file import Shares
from synthbounds.render import inferred_tests as said_of_tests
from synthbounds.render import inferred_tests_plan as said_of_plans
from synthbounds.render.document import Stamp, Title, Vacuous
from synthbounds.render.text import TextRenderer
from tests.mechanisms.infer.chi_square_examples import records_with, schema_with, simulated

SCHEMA = schema_with(3, 2, 4)
STRONG = simulated(SCHEMA, records_with(SCHEMA, 3000, seed=1, together=0.4))
WEAK = simulated(SCHEMA, records_with(SCHEMA, 40, seed=1), epsilon="0.2")


def text(blocks: Any) -> str:
    return " ".join(TextRenderer().render(blocks).split())


def test_a_test_of_independence() -> None:
    found = independence_test(STRONG, ("a", "b"), simulations=99)
    real = would_real_table_reject(STRONG, ("a", "b"))
    blocks = said_of_tests.chi_square_blocks(found, real)
    assert isinstance(blocks[0], Title)
    assert blocks[0].text == "Independence of a and b"
    assert blocks[0].subtitle.startswith(
        "That a and b are independent in the population is rejected at significance 0.05"
    )
    assert blocks[0].subtitle.count(". ") == 0
    assert not any(isinstance(block, Stamp | Vacuous) for block in blocks)
    said = text(blocks)
    for part in (
        "p <= 0.01",
        "which can show no smaller p-value",
        "simulated at the estimated margins: it kept its level in simulations, not proved",
        "do not run this test on synthetic rows",
        "it rejects for all noise in the ellipsoid",
        f"its effect from {float(real.effect.lo or 0):.3g} to ",
        f"its statistic from {float(real.statistic.lo or 0):.3g} to ",
        f"Pearson's, without noise; rejects above {real.critical:.4g}",
        "nothing: you may ask a release as often as you like",
        "synthbounds.noisy-chi-square.md",
    ):
        assert part in said
    details = json.loads(json.dumps(said_of_tests.chi_square_details(found, real)))
    assert details["test"] == "independence"
    assert details["rejects"] is True
    assert details["p_simulated"] == {"value": 0.01, "kind": "simulated"}
    assert details["p_value"] == 0.01
    assert details["n"] == 3000
    assert details["real_table"]["verdict"] == "yes"
    assert details["real_table"]["conclusions"][0]["about"] == "table"


def test_what_excludes_nothing_is_said() -> None:
    found = independence_test(WEAK, ("a", "b"), simulations=99)
    real = would_real_table_reject(WEAK, ("a", "b"))
    blocks = said_of_tests.chi_square_blocks(found, real)
    vacuous = [block.text for block in blocks if isinstance(block, Vacuous)]
    assert any("excludes nothing" in one and "release only this pair" in one for one in vacuous)
    assert any("rejects and others on which it does not" in one for one in vacuous)
    assert found.drowned
    assert "below twice the deviation of the noise" in text(blocks)


def test_noise_that_is_not_nearly_normal_leaves_the_real_table_out() -> None:
    laplace = simulated(SCHEMA, records_with(SCHEMA, 900, seed=1), mechanism="laplace", dp_delta=None)
    said = text(said_of_tests.chi_square_blocks(independence_test(laplace, ("a", "b"), simulations=99)))
    assert "Real table not answered: what the test on the real table would say is known only if the noise" in said


def test_a_fit_is_exact_where_it_is() -> None:
    halves = Shares(columns=("b",), shares=(Fraction(1, 2),) * 2)
    found = fit_test(STRONG, halves, simulations=99)
    blocks = said_of_tests.chi_square_blocks(found)
    assert isinstance(blocks[0], Title)
    assert blocks[0].text == "Fit of b to the given shares"
    assert "That b has the given shares in the population" in blocks[0].subtitle
    assert "exact: at most its level for every n and noise" in text(blocks)
    assert said_of_tests.chi_square_details(found)["real_table"] is None
    private = simulated(SCHEMA, records_with(SCHEMA, 900, seed=1), adjacency="add-remove", least_size=700)
    said = text(said_of_tests.chi_square_blocks(fit_test(private, halves, simulations=99)))
    assert "conservative in the limit" in said
    assert "private, at least 700" in said
    details = said_of_tests.chi_square_details(fit_test(private, halves, simulations=99))
    assert (details["n"], details["least_size"]) == (None, 700)
    weak = independence_test(private, ("a", "b"), simulations=99)
    real = text(said_of_tests.chi_square_blocks(weak, would_real_table_reject(private, ("a", "b"))))
    assert "the number of records is private, and with more of them the test rejects more easily" in real


def test_a_plan_shows_one_table_alone_beside_all() -> None:
    asked: dict[str, Any] = {
        "size": 1500,
        "effect": "0.1",
        "epsilon": 1,
        "dp_delta": "1e-6",
        "adjacency": Adjacency.REPLACE_ONE,
    }
    found = plan_independence(SCHEMA, ("a", "b"), **asked)
    blocks = said_of_plans.chi_square_plan_blocks(found)
    assert isinstance(blocks[0], Title)
    assert f"with probability {found.power_est:.2f}" in blocks[0].subtitle
    said = text(blocks)
    assert "3 tables, as planned" in said
    assert f"this table alone (--pairs a:b) {found.power_alone_est:.3f}" in said
    assert "a plan uses public numbers only" in said
    details = json.loads(json.dumps(said_of_plans.chi_square_plan_details(found)))
    assert details["power_est"] < details["power_alone_est"] < details["power_without_privacy_est"]
    assert details["tables_planned"] == 3
    assert details["expected"]["about"] == "population"
    alone = said_of_plans.chi_square_plan_blocks(
        plan_independence(SCHEMA, ("a", "b"), **asked, pairs=[("a", "b")], one_way=[])
    )
    assert "this table alone" in text(alone)
    assert "--pairs" not in text(alone)
