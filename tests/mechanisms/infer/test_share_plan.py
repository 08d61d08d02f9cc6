"""A plan of widths against the answers from releases, and the texts of both."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest

from bounds.errors import SynthboundsError
from bounds.privacy.adjacency import Adjacency
from mechanisms.infer.shares.ask import ask_proportion, ask_proportion_of_rows
from mechanisms.infer.shares.plan import SharePlan, plan_proportion
from release.distance.make import release_distance
from release.statistics.features import choose_features
from synthbounds.render.inferred_shares import (
    NAIVE,
    shares_blocks,
    shares_details,
    shares_plan_blocks,
    shares_plan_details,
)
from synthbounds.render.text import TextRenderer
from tests.mechanisms.infer.share_examples import LEVEL, elsewhere, records, released, schema


def planned(**more: Any) -> SharePlan:
    asked = {
        "size": 3000, "epsilon": 1, "dp_delta": "1e-6", "adjacency": Adjacency.REPLACE_ONE, "proportion": "ill=1",
    } | more  # fmt: skip
    return plan_proportion(schema(), **asked)


def test_the_plan_is_what_a_release_then_says() -> None:
    found = ask_proportion(released(mode="release"), proportion="ill=1", level=LEVEL)
    plan = planned(share=Fraction(found.population.estimate))
    first = plan.releases[0]
    assert first.deviation == pytest.approx(found.deviation)
    assert first.population_width == pytest.approx(found.population.width, rel=1e-6)
    assert first.table_width == pytest.approx(found.table.width, rel=1e-6)
    assert first.effective_records == pytest.approx(found.effective_records)
    assert (first.tables, first.used) == (3, found.tables)


def test_one_table_alone_is_better_than_all_pairs() -> None:
    plan = planned(share=Fraction(1, 4), pairs=[("ill", "town")], one_way=[])
    assert [one.name for one in plan.releases] == ["this release", "its own table alone", "all pairs"]
    asked, alone, every = (one.population_width for one in plan.releases)
    assert plan.width_without_privacy < alone < asked < every
    group = planned(given="town=1", share=Fraction(1, 4))
    assert group.group_share == Fraction(1, 3)
    assert group.releases[0].population_width > group.releases[1].population_width > plan.width_without_privacy


@pytest.mark.parametrize(
    "more",
    [
        {"dp_delta": None, "proportion": "job=1|2"},
        {"dp_delta": None, "size": 2500, "adjacency": Adjacency.ADD_REMOVE},
        {"size": 2500, "adjacency": Adjacency.ADD_REMOVE},
        {"proportion": "ill=1 & town=0"},
    ],
)
def test_every_noise_is_planned(more: dict[str, Any]) -> None:
    for one in planned(**more).releases:
        assert 0 < one.table_width < one.population_width <= 1


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"share": Fraction(1)}, "share"),
        ({"given": "ill=0"}, "the column of the event"),
        ({"level": Fraction(1)}, "level"),
        ({"proportion": "ill=1 & town=0", "given": "job=1"}, "leave none"),
    ],
)
def test_bad_plans_have_a_reason(more: dict[str, Any], reason: str) -> None:
    with pytest.raises(SynthboundsError) as refused:
        planned(**more)
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


def said(answer: Any) -> str:
    json.dumps(shares_details(answer))
    return " ".join(TextRenderer().render(shares_blocks(answer)).split())


def test_answers_are_said() -> None:
    release = released()
    share = said(ask_proportion(release, proportion="ill=1", level=LEVEL))
    assert "The share of ill=1 is between" in share
    assert "would say as much without noise" in share
    group = said(ask_proportion(release, proportion="ill=1", given="town=1", level=LEVEL))
    assert "among records with town=1" in group
    assert "asymptotically" in group
    between = ask_proportion(release, proportion="ill=1", difference="town=1,0", odds_ratio=True, level=LEVEL)
    assert "by simulation" in said(between)
    assert "odds ratio" in said(between)
    assert "The share of ill=1 among records with town=1 minus that among records with town=0 is" in said(between)
    assert "assumes records drawn independently from the population" in said(between)
    assert len(between.conclusions) == 6
    assert "VACUOUS" not in said(between)
    private = released(adjacency="add-remove", least_size=2500)
    assert "their number is private" in said(ask_proportion(private, proportion="ill=1", level=LEVEL))


def test_what_excludes_nothing_is_not_missed() -> None:
    noisy = released(records(200), epsilon="0.05")
    found = ask_proportion(noisy, proportion="ill=1", difference="job=3,0", odds_ratio=True, level=LEVEL)
    assert "VACUOUS: Nothing is excluded: job=3: the group may have no records" in said(found)
    group = ask_proportion(noisy, proportion="ill=1", given="job=3", level=LEVEL)
    assert "VACUOUS: Nothing is excluded: the group may have no records" in said(group)


def test_rows_that_exclude_nothing_are_told_by_their_certificate() -> None:
    rows = records(100, seed=4)
    wide = release_distance(
        records(200), rows, choose_features(schema(), label="ill"), epsilon="0.01", adjacency="replace-one",
        mode="simulate", seed=1,
    )  # fmt: skip
    text = said(ask_proportion_of_rows(wide, rows, proportion="ill=1", level=LEVEL))
    assert "VACUOUS: Nothing is excluded: what is certified about the rows allows any share." in text
    assert "Release fewer tables" not in text


def test_a_radius_that_leaves_none_for_sampling_is_told() -> None:
    text = said(ask_proportion(elsewhere(None, beta=Fraction(1, 20)), proportion="ill=1", level=LEVEL))
    assert "between 0.19 and 0.21 in the table" in text
    assert "VACUOUS: Nothing is excluded about the population: the radius of the tables fails as often" in text


@pytest.mark.parametrize("level", [Fraction(1, 2), Fraction(999, 1000)])
def test_the_warning_names_no_level(level: Fraction) -> None:
    """It is on every answer, and so must be true of each."""
    assert "synthetic rows as if they were records" in NAIVE
    assert "%" not in NAIVE
    share = ask_proportion(released(), proportion="ill=1", level=level)
    assert "95 %" not in said(share)


def test_plans_are_said() -> None:
    plan = planned(given="town=1", share=Fraction(1, 4))
    text = " ".join(TextRenderer().render(shares_plan_blocks(plan)).split())
    assert "its own table alone" in text
    assert "as if all values were equally frequent (--group-share sets another share)" in text
    assert json.loads(json.dumps(shares_plan_details(plan)))["group_share"] == "1/3"
