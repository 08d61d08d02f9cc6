"""Formulas: their meaning on the features of a release, and one clear line with the position of an error."""

from __future__ import annotations

from fractions import Fraction

import pytest

from bounds.errors import UsageError
from mechanisms.infer.noisy_matrix import noisy_matrix
from mechanisms.infer.regression.design import Design, design_of
from mechanisms.infer.regression.formula import parse_formula
from mechanisms.infer.regression.units import unit_of
from release.data.columns import BINS, LevelColumn, NumberColumn
from release.data.schema import Schema
from release.moments.make import make_release
from release.statistics.features import FeatureMap, build_feature_map
from tests.moment_examples import SCHEMA, feature_map, table

NAMES = ("age", "Senior Citizen", "capital-gain", "capital", "gain", "pay>50", "town", "town=north", "a.b", "it's")


@pytest.mark.parametrize(
    ("text", "response", "terms", "intercept"),
    [
        ("age ~ town", "age", ((1, "town"),), True),
        ("age~town+gain", "age", ((1, "town"), (1, "gain")), True),
        (" pay>50 ~ . - age - 1 ", "pay>50", ((1, "."), (-1, "age")), False),
        ("'pay>50' ~ Senior Citizen + `a.b` + 0", "pay>50", ((1, "Senior Citizen"), (1, "a.b")), False),
        ("age ~ capital-gain", "age", ((1, "capital-gain"),), True),
        ("age ~ capital - gain", "age", ((1, "capital"), (-1, "gain")), True),
        ('age ~ "capital"-"gain"', "age", ((1, "capital"), (-1, "gain")), True),
        ("age ~ - 1 + town=north", "age", ((1, "town=north"),), False),
        ('age ~ "it\'s" + 1', "age", ((1, "it's"),), True),
        ("age ~ 0 + town + 1", "age", ((1, "town"),), True),
        ("age ~ it's", "age", ((1, "it's"),), True),
    ],
)
def test_what_is_written(text: str, response: str, terms: tuple[tuple[int, str], ...], intercept: bool) -> None:
    found = parse_formula(text, NAMES)
    assert (found.response, found.terms, found.intercept) == (response, terms, intercept)


@pytest.mark.parametrize(
    ("text", "place", "why"),
    [
        ("", None, "it is empty"),
        ("age", 4, "~ must follow here"),
        ("age ~", 6, "a name is missing at the end"),
        ("age ~ town +", 13, "a name is missing"),
        ("age ~ + town", 7, "must come here, not +"),
        ("age ~ capital + + gain", 17, "must come here, not +"),
        ("~ town", 1, "the name to be explained must come here"),
        (". ~ town", 1, "cannot be explained"),
        ("age ~ ages", 7, "ages is not a column or feature of the release; age is"),
        ("age ~ height", 7, "it has Senior Citizen, "),
        ("age ~ age:town", 7, "interactions are not among"),
        ("age ~ log(gain)", 7, "functions are not among"),
        ("age ~ gain^2", 7, "powers are not among"),
        ('age ~ "town', 7, "this quote is not closed"),
        ("age ~ ''", 7, "nothing between these quotes"),
        ("age ~ town ~ gain", 12, "a second ~"),
        ("age ~ 'town' 'gain'", 14, r"\+ or - must follow"),
        ("age ~ . - .", 11, "the dot cannot be taken away"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(text: str, place: int | None, why: str) -> None:
    with pytest.raises(UsageError, match=why) as told:
        parse_formula(text, NAMES)
    said = str(told.value)
    assert said.startswith("formula: " if place is None else f"formula: position {place}: ")
    assert "\n" not in said


def design(text: str, *, keeps_all: bool = False, features: FeatureMap | None = None, adjacency: str = "") -> Design:
    made = make_release(
        table(500),
        features or feature_map(),
        epsilon=1,
        dp_delta="1e-6",
        adjacency=adjacency or "replace-one",
        n0=400 if adjacency else None,
        mode="simulate",
        seed=1,
    )
    return design_of(text, made.feature_map, noisy_matrix(made), keeps_all=keeps_all)


def test_columns_stand_for_their_features() -> None:
    found = design("pays ~ .")
    assert found.regressors == ("age", "town=south", "town=west", "owns", "size", "intercept")
    assert found.references == ("town=north",)
    assert found.response == "pays"
    assert found.response_is_sign
    names = noisy_matrix_names()
    assert tuple(names[place] for place in found.places) == found.regressors
    assert names[found.response_place] == "pays"


def noisy_matrix_names() -> tuple[str, ...]:
    features = feature_map()
    return (*features.names, features.label)


def test_references_depend_on_what_else_is_there() -> None:
    assert design("pays ~ . - 1").references == ()
    assert "town=north" in design("pays ~ . - 1").regressors
    assert design("pays ~ .", keeps_all=True).references == ()
    assert design("pays ~ town - town=west").references == ()
    assert design("pays ~ town - town=west").regressors == ("town=north", "town=south", "intercept")
    assert design('pays ~ "town=west" + age').regressors == ("town=west", "age", "intercept")
    assert design("pays ~ age + age").regressors == ("age", "intercept")


@pytest.mark.parametrize(
    ("text", "reference", "kept"),
    [
        ('"town=north" + town', "town=south", ("town=north", "town=west", "intercept")),
        ('town + "town=north"', "town=south", ("town=north", "town=west", "intercept")),
        ('town + "town=south"', "town=north", ("town=south", "town=west", "intercept")),
        ('town=north + "town=south" + town=west', "town=north", ("town=south", "town=west", "intercept")),
        ('town=north + "town=south" + town=west - 1', None, ("town=north", "town=south", "town=west")),
    ],
)
def test_one_indicator_is_left_out_however_the_column_is_named(
    text: str, reference: str | None, kept: tuple[str, ...]
) -> None:
    found = design(f"pays ~ {text}")
    assert found.references == (() if reference is None else (reference,))
    assert found.regressors == kept


def test_a_column_or_a_feature_can_be_explained() -> None:
    assert design("owns ~ .").regressors == ("age", "town=south", "town=west", "pays", "size", "intercept")
    assert not design("owns ~ .").response_is_sign
    assert design("town=west ~ .").regressors == ("age", "pays", "owns", "size", "intercept")
    found = design("age ~ .", adjacency="add-remove")
    assert "pays" not in found.regressors
    assert "the dot leaves pays out" in found.notes[0]
    assert design("age ~ owns", adjacency="add-remove").notes == ()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("pays ~ 1", "no explaining column is left"),
        ("pays ~ 0", "no explaining column is left"),
        ("pays ~ age - age", "no explaining column is left"),
        ("pays ~ age + pays", "is on both sides"),
        ("town=west ~ town", "is on both sides"),
        ("town ~ age", 'town has 3 features: explain one of them, such as "town=north"'),
        ("pays ~ age - size", "size: it is not among the terms before it"),
    ],
)
def test_formulas_that_mean_nothing_are_refused(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why) as told:
        design(text)
    assert "\n" not in str(told.value)


def test_columns_without_features_are_refused() -> None:
    features = FeatureMap(SCHEMA, "pays", "yes", ("linear", "none", "linear", "linear"))
    with pytest.raises(UsageError, match="town has no feature in the release: it cannot explain"):
        design("pays ~ town", features=features)
    with pytest.raises(UsageError, match="town has no feature in the release: it cannot be explained"):
        design("town ~ age", features=features)
    assert design("pays ~ .", features=features).regressors == ("age", "owns", "size", "intercept")


def test_units_are_those_of_the_schema() -> None:
    features = feature_map()
    age = unit_of(features, "pays", "age")
    assert age is not None
    # seven bins from 0 to 70: the middles are 5 to 65, and the feature rises by 2 over 60
    assert age.factor == Fraction(1, 60)
    assert age.text == "share of pays=yes per unit of age"
    owns = unit_of(features, "pays", "owns")
    assert owns is not None
    assert (owns.factor, owns.text) == (1, "share of pays=yes when owns is yes and not no")
    west = unit_of(features, "pays", "town=west")
    assert west is not None
    assert (west.factor, west.text) == (Fraction(1, 2), "share of pays=yes when it is town=west")
    assert unit_of(features, "pays", "intercept") is None
    size = unit_of(features, "age", "size")
    assert size is not None
    assert (size.factor, size.text) == (Fraction(30) * Fraction(2, 6), "change of age per unit of size")
    pays = unit_of(features, "town=west", "pays")
    assert pays is not None
    assert (pays.factor, pays.text) == (2, "share of town=west when pays is yes")


def test_units_of_levels_numbers_and_gaps() -> None:
    columns = (
        LevelColumn("rank", ("low", "middle", "high"), ordered=True),
        LevelColumn("down", ("3", "2", "1")),
        NumberColumn("pay", BINS, 4, (Fraction(0), Fraction(8)), missing=("",)),
        LevelColumn("y", ("1", "10", "100")),
    )
    features = build_feature_map(Schema(columns, "public"), label="y", one_hot=(), by_value=("pay",))
    found = {name: unit_of(features, "y", name) for name in features.names}
    told = {name: None if unit is None else (unit.factor, unit.text) for name, unit in found.items()}
    half = Fraction(99, 2)
    assert told["rank"] == (half, "change of y per level of rank")
    assert told["down"] == (-half, "change of y per unit of down")
    assert told["pay"] == (half / 3, "change of y per unit of pay")
    assert told["pay is missing"] == (half, "change of y when pay is missing")
    rank = unit_of(features, "rank", "y")
    assert rank is not None
    assert (rank.factor, rank.text) == (Fraction(2, 99), "change of rank in levels per unit of y")
