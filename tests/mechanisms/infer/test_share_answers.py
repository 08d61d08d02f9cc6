"""Answers about shares: against exact tables, against numpy, for every noise and both adjacencies; bad questions."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from bounds.errors import NotApplicable, SynthboundsError, UsageError
from bounds.privacy.adjacency import Adjacency
from mechanisms.infer.chi_square.showing import shown_pair
from mechanisms.infer.chi_square.tables import tables_of
from mechanisms.infer.shares.ask import ask_proportion
from mechanisms.infer.shares.conditional import ConditionalAnswer, fieller, line_of, point_note
from mechanisms.infer.shares.difference import DifferenceAnswer
from mechanisms.infer.shares.event import read_event, read_events
from mechanisms.infer.shares.noisy_share import noisy_share
from mechanisms.infer.shares.share import ShareAnswer, table_interval
from mechanisms.infer.shares.shown import shown_by
from mechanisms.infer.shares.uncounted import UncountedAnswer
from mechanisms.infer.unchosen_tables import unchosen_tables
from mechanisms.mechanism import Public
from mechanisms.select.mst import plan_mst, run_mst
from release.data.domain import Domain
from release.data.schema import schema_of_domain
from release.marginals.file import Marginals, MarginalTable, NoiseLaw
from release.noise.randomness import read_randomness
from tests.cross_examples import SCHEMA as LOG_SCHEMA
from tests.mechanisms.infer.share_examples import LEVEL, elsewhere, records, released, schema, share
from tests.mechanisms.test_aim import made

Z = norm.ppf(0.975)


def asked(release: Any, proportion: str = "ill=1", **more: Any) -> Any:
    return ask_proportion(release, proportion=proportion, level=more.pop("level", LEVEL), **more)


NOISES = [
    {"dp_delta": "1e-6"},
    {"dp_delta": None, "mechanism": "laplace"},
    {"dp_delta": None, "mechanism": "linf"},
    {"dp_delta": "1e-6", "adjacency": "add-remove", "least_size": 2500},
    {"dp_delta": None, "mechanism": "laplace", "adjacency": "add-remove", "least_size": 2500},
]


@pytest.mark.parametrize("noise", NOISES, ids=lambda one: "-".join(map(str, one.values())))
@pytest.mark.parametrize("mode", ["simulate", "release"])
def test_with_next_to_no_noise_it_is_the_share(noise: dict[str, Any], mode: str) -> None:
    codes = records()
    sure = 1 - Fraction(1, 10**9)  # the noise of a release has no seed
    found = asked(released(codes, mode=mode, **noise, epsilon=300), "town=0|2", level=sure)
    truth = share(codes, 1, 0, 2)
    assert float(found.table.lo) <= truth <= float(found.table.hi)
    assert found.table.width < 0.01
    free = found.population.width_without_privacy
    assert 0.99 * free < found.population.width < 1.6 * free
    assert found.table.kind == found.population.kind == "exact"
    assert found.n_is_public == ("adjacency" not in noise)


@pytest.mark.parametrize("noise", NOISES[:4], ids=lambda one: "-".join(map(str, one.values())))
def test_tables_are_covered(noise: dict[str, Any]) -> None:
    """60 releases, at the level one half: so few hits or so many would be a chance of one in two thousand."""
    codes, hits = records(300), 0
    truth = share(codes, 1, 1)
    more = {"pairs": [("ill", "town")]} | noise | ({"least_size": 280} if "least_size" in noise else {})
    for seed in range(60):
        found = noisy_share(shown_by(released(codes, seed=seed, **more)), read_events("town=1", schema()))
        lo, hi = table_interval(found, Fraction(1, 2))
        hits += lo <= truth <= hi
    assert hits >= 17
    assert hits <= 43 or noise.get("mechanism") == "linf"


def test_a_release_is_nearly_a_simulation() -> None:
    """The same noise: rounding to the lattice costs a little more than half a step for a coefficient."""
    continuous, discrete = asked(released()), asked(released(mode="release"))
    assert continuous.deviation <= discrete.deviation < 1.1 * continuous.deviation  # whose scale is another
    assert continuous.table.width < discrete.table.width < continuous.table.width * 1.2


def test_effective_records_give_its_width_to_other_software() -> None:
    found = asked(released())
    p, k = found.population.estimate, found.quoted_records
    assert found.population.width == pytest.approx(2 * Z * (p * (1 - p) / k) ** 0.5, rel=0.01)
    assert k < found.size


def test_one_end_alone_is_that_of_a_lower_level() -> None:
    for release in (released(), released(dp_delta=None, mechanism="laplace")):
        both, alone = asked(release, level=Fraction(9, 10)), asked(release)
        for ends, two in ((alone.one_sided_table, both.table), (alone.one_sided_population, both.population)):
            assert abs(ends[0].lo - two.lo) < Fraction(1, 10**9)
            assert abs(ends[1].hi - two.hi) < Fraction(1, 10**9)
            assert (ends[0].hi, ends[1].lo) == (None, None)
            assert [end.name for end in ends] == ["ill=1, at least", "ill=1, at most"]
            assert {end.width_without_privacy for end in ends} == {None}


def test_tables_made_elsewhere_are_taken_at_their_word() -> None:
    sd = Fraction(1, 500)
    gaussian = asked(elsewhere(NoiseLaw(law="gaussian", sd=sd)))
    tail = asked(elsewhere(NoiseLaw(law="sub-gaussian", sd=sd)))
    radius = asked(elsewhere(None))
    exact = asked(elsewhere(NoiseLaw(law="gaussian", sd=Fraction(0))))
    # one column of two values: n - N0 is another estimate of N1
    assert gaussian.table.width == pytest.approx(2 * Z * 0.002 / 2**0.5, rel=1e-6)
    assert tail.table.width == pytest.approx(2 * (2 * np.log(40)) ** 0.5 * 0.002 / 2**0.5, rel=1e-6)
    assert radius.table.width == pytest.approx(0.02)
    assert exact.table.lo == exact.table.hi == Fraction(1, 5)
    widths = [answer.population.width for answer in (exact, gaussian, tail, radius)]
    assert widths == sorted(widths)
    assert [answer.way for answer in (gaussian, tail, radius)] == ["gaussian", "proxy", "radius"]
    with pytest.raises(NotApplicable, match="fails with probability"):
        asked(elsewhere(None, beta=Fraction(1, 10)))


def test_a_radius_that_fails_as_often_as_the_interval_says_nothing_of_the_population() -> None:
    found = asked(elsewhere(None, beta=Fraction(1, 20)))
    assert (found.table.lo, found.table.hi) == (Fraction(19, 100), Fraction(21, 100))
    assert (found.population.lo, found.population.hi) == (0, 1)
    assert [found.one_sided_population[0].lo, found.one_sided_population[1].hi] == [0, 1]
    assert "none is left for sampling" in found.population.note
    assert asked(elsewhere(None, beta=Fraction(1, 20)), level=Fraction(9, 10)).population.width < 0.1


def exact_pair(rounding: Fraction) -> Marginals:
    """40 of 120 are ill in town 0, 30 of 60 in town 1, 12 of 20 in town 2; without noise."""
    law = NoiseLaw(law="gaussian", sd=Fraction(0), rounding=rounding)
    table = MarginalTable(
        columns=(0, 1), counts=(80, 30, 8, 40, 30, 12), denominator=200, radius=Fraction(1, 100), noise=law
    )
    return Marginals(
        schema=schema(),
        adjacency=Adjacency.REPLACE_ONE,
        size=200,
        origin="elsewhere",
        beta=Fraction(1, 100),
        tables=(table,),
    )


@pytest.mark.parametrize("rounding", [Fraction(0), Fraction(1, 10_000), Fraction(1, 400), Fraction(1, 40)])
def test_groups_of_exact_tables_are_off_by_their_rounding_alone(rounding: Fraction) -> None:
    """|X - q Y| is at most the slack, and nothing more; for the population sampling is added."""
    release = exact_pair(rounding)
    line = line_of(shown_by(release), *(read_event(text, schema()) for text in ("ill=1", "town=1")))
    assert line.variance.at(Fraction(1, 2)) == 0
    found = asked(release, given="town=1")
    lo, hi = ((line.x + side * line.slack) / line.y for side in (-1, 1))
    assert float(found.table.lo) == pytest.approx(max(float(lo), 0), abs=1e-9)
    assert float(found.table.hi) == pytest.approx(min(float(hi), 1), abs=1e-9)
    assert found.table.lo <= Fraction(1, 2) <= found.table.hi
    score = Z * (1 / (4 * (60 + Z**2))) ** 0.5  # Wilson's interval around one half
    assert found.population.width >= max(2 * score - 1e-9, found.table.width)
    grid = np.linspace(0, 1, 20_001)
    far = np.abs(float(line.x) - grid * float(line.y)) - float(line.slack)
    least = grid[far <= Z * np.sqrt(float(line.y) * grid * (1 - grid) / 200)]
    assert found.population.width >= least[-1] - least[0] - 1e-3
    assert found.population.width <= 1.5 * (least[-1] - least[0])
    between = asked(release, difference="town=1,0", odds_ratio=True)
    assert float(between.table.lo) <= 1 / 6 <= float(between.table.hi)
    assert between.table.width == pytest.approx(0, abs=1e-9) if not rounding else between.table.width > 0


@pytest.mark.parametrize("seed", [1, 2])
def test_a_share_in_a_group_is_fieller_s_set(seed: int) -> None:
    """Against a grid: all p for which (1 - p) N11 - p N10 is within its noise, from one table of both columns."""
    release = released(seed=seed, pairs=[("ill", "town")], one_way=[], epsilon="0.2")
    table = release.tables[0]
    cells = np.array([float(x) for x in table.cells]).reshape(2, 3)
    n, k = cells.size, 3
    sd = float(table.noise.sd)  # type: ignore[union-attr]
    fitted = cells + (1 - cells.sum()) / n
    grid = np.linspace(0, 1, 4001)
    pivot = (1 - grid) * fitted[1, k - 2] - grid * fitted[0, k - 2]
    variance = sd**2 * ((1 - grid) ** 2 + grid**2 - (1 - 2 * grid) ** 2 / n)
    kept = grid[np.abs(pivot) <= Z * np.sqrt(variance)]
    found = asked(release, given="town=1")
    assert isinstance(found, ConditionalAnswer)
    assert found.table.kind == "exact"
    assert float(found.table.lo) == pytest.approx(kept[0], abs=1 / 3000)
    assert float(found.table.hi) == pytest.approx(kept[-1], abs=1 / 3000)
    sampling = np.maximum(fitted[:, 1].sum(), 0) * grid * (1 - grid) / 3000
    wider = grid[np.abs(pivot) <= Z * np.sqrt(variance + sampling)]
    assert float(found.population.lo) == pytest.approx(wider[0], abs=1 / 3000)
    assert float(found.population.hi) == pytest.approx(wider[-1], abs=1 / 3000)
    assert found.population.kind == "asymptotic"


def test_the_true_share_of_a_group_leaves_pure_noise() -> None:
    codes = records()
    line = line_of(shown_by(released(codes, epsilon=300)), *(read_event(t, schema()) for t in ("ill=1", "job=2")))
    p = Fraction(int(codes[codes[:, 2] == 2, 0].sum()), int((codes[:, 2] == 2).sum()))
    assert abs(float(line.x - p * line.y)) < 4 * float(line.variance.at(p)) ** 0.5
    lo, hi = fieller(line, alpha=Fraction(1, 20))
    assert lo < hi
    assert fieller(replace(line, slack=Fraction(1, 100)), alpha=Fraction(1, 20))[0] < lo


def test_a_set_without_a_share_is_not_shown_as_a_sure_one() -> None:
    """Less than none of a group in the event: the noise is larger than it may be, and the point is marked."""
    line = line_of(shown_by(released()), *(read_event(text, schema()) for text in ("ill=1", "town=1")))
    noise = float(line.variance.at(Fraction(0))) ** 0.5
    far = line.supposed_at(Fraction(-20 * noise), Fraction(1, 2))
    ends = fieller(far, alpha=Fraction(1, 20))
    assert ends == (0, 0)
    assert "no share is left" in point_note(far, ends)
    assert not point_note(line, fieller(line, alpha=Fraction(1, 20)))
    exact = line_of(shown_by(exact_pair(Fraction(0))), *(read_event(text, schema()) for text in ("ill=1", "town=1")))
    assert not point_note(exact, fieller(exact, alpha=Fraction(1, 20)))


def test_a_group_that_may_be_empty_excludes_nothing() -> None:
    found = asked(released(records(200), epsilon="0.05"), given="job=3")
    assert found.group_may_be_empty
    assert (found.table.lo, found.table.hi) == (0, 1)
    assert "may have no records" in found.table.note
    answer = asked(released(records(200), epsilon="0.05"), difference="job=3,0", odds_ratio=True)
    assert (answer.population.lo, answer.population.hi) == (-1, 1)
    assert (answer.odds_population.lo, answer.odds_population.hi) == (None, None)
    assert "job=3" in answer.population.note


def test_a_difference_is_that_of_two_groups() -> None:
    codes = records()
    found = asked(released(codes, epsilon=300), difference="town=1,0", odds_ratio=True)
    assert isinstance(found, DifferenceAnswer)
    shares = [codes[codes[:, 1] == town, 0].mean() for town in (1, 0)]
    sizes = [(codes[:, 1] == town).sum() for town in (1, 0)]
    difference = shares[0] - shares[1]
    assert float(found.table.lo) < difference < float(found.table.hi)
    assert found.table.width < 0.002
    width = 2 * Z * sum(p * (1 - p) / m for p, m in zip(shares, sizes, strict=True)) ** 0.5
    assert found.population.width == pytest.approx(width, rel=0.01)
    assert found.population.width_without_privacy == pytest.approx(width, rel=0.01)
    odds = [p / (1 - p) for p in shares]
    assert float(found.odds_table.lo) < odds[0] / odds[1] < float(found.odds_table.hi)
    spread = Z * sum(1 / (m * p * (1 - p)) for p, m in zip(shares, sizes, strict=True)) ** 0.5
    ends = odds[0] / odds[1] * np.exp([-spread, spread])
    assert [float(found.odds_population.lo), float(found.odds_population.hi)] == pytest.approx(ends, rel=0.01)
    assert found.population.kind == found.odds_population.kind == "simulated"
    assert found.table.kind == "exact"
    swapped = asked(released(codes, epsilon=300), difference="town=0,1")
    assert swapped.table.lo == -found.table.hi
    assert swapped.conclusions[1].lo == pytest.approx(-float(found.population.hi))


def test_the_noise_of_a_difference_is_counted_with_its_covariance() -> None:
    """Its variance by drawing tables: two groups of one table share the correction by the known total."""
    shown = shown_by(released(records(), pairs=[("ill", "town")], one_way=[], epsilon="0.5"))
    found = asked(released(records(), pairs=[("ill", "town")], one_way=[], epsilon="0.5"), difference="town=1,0")
    sd, source = float(shown.tables[0].variance) ** 0.5, np.random.default_rng(1)
    exact = np.array([[np.mean((records()[:, 0] == i) & (records()[:, 1] == j)) for j in range(3)] for i in range(2)])
    drawn = exact + source.normal(scale=sd, size=(20_000, 2, 3))
    drawn += (1 - drawn.sum((1, 2)))[:, None, None] / 6
    shares = drawn[:, 1] / drawn.sum(1)
    free = found.population.width_without_privacy / 2 / Z
    noise = (found.population.width / 2 / Z) ** 2 - free**2
    assert noise == pytest.approx(float((shares[:, 1] - shares[:, 0]).var()), rel=0.1)


def test_two_events_and_several_values() -> None:
    codes = records()
    found = asked(released(codes, epsilon=300), "ill=1 & town=0|1")
    assert isinstance(found, ShareAnswer)
    assert float(found.table.estimate) == pytest.approx(np.mean((codes[:, 0] == 1) & (codes[:, 1] < 2)), abs=1e-3)


def test_a_log_counts_where_nothing_had_been_chosen() -> None:
    log = made(2000, Adjacency.REPLACE_ONE)
    name = LOG_SCHEMA.names[0]
    found = asked(log, f"{name}={LOG_SCHEMA.columns[0].texts[0]}")
    assert found.tables == 1
    step = next(step for step in log.steps if step.columns == (0,))
    sd = float(step.sd) / 2000
    size = LOG_SCHEMA.columns[0].size
    assert found.deviation == pytest.approx(sd * (1 - 1 / size) ** 0.5)
    pair = next(step.columns for step in log.tables if len(step.columns) == 2)
    event = " & ".join(f"{LOG_SCHEMA.names[i]}={LOG_SCHEMA.columns[i].texts[0]}" for i in pair)
    with pytest.raises(UsageError, match="measured because of what had been seen"):
        asked(log, event)


@pytest.mark.parametrize("columns", [2, 3])
def test_merging_by_noisy_counts_is_a_choice(columns: int) -> None:
    """MST merges rare codes or not, and among two columns chooses nothing: its pairs are never used."""
    names, sizes = ("town", "ill", "job")[:columns], (20, 2, 3)[:columns]
    some = schema_of_domain(Domain(sizes, names))
    plan = plan_mst(
        Public(schema=some, adjacency=Adjacency.REPLACE_ONE, size=20_000),
        epsilon=Fraction(3, 10),
        dp_delta=Fraction(1, 10**6),
        mode="simulate",
    )
    for seed, codes in ((1, np.arange(20_000) % 20), (2, np.arange(20_000) % 3)):
        rows = np.column_stack([codes, np.arange(20_000) // 7 % 2, codes % 3][:columns]).astype(some.domain.code_type)
        log = run_mst(rows, plan, read_randomness("simulate", seed=seed, run=0))
        assert (log.groups is not None) == (seed == 2)
        before, after = unchosen_tables(log)
        assert [step.columns for step in before] == [(place,) for place in range(columns)]
        assert len(after) == columns - 1
        assert asked(log, "town=0").tables == 1
        with pytest.raises(NotApplicable, match=r"no table of the release shows|by looking at the records"):
            shown_pair(tables_of(log), names[:2])


def test_a_log_of_a_private_number_of_records_is_a_ratio() -> None:
    """Both counts are noisy: against a grid, for one of the columns, with the number of records from all of them."""
    log = made(2000)
    names, columns = LOG_SCHEMA.names, LOG_SCHEMA.columns
    found = asked(log, f"{names[0]}={columns[0].texts[0]}")
    assert isinstance(found, UncountedAnswer)
    before, _ = unchosen_tables(log)
    assert {len(step.columns) for step in before} == {1}
    cells = [np.array(step.counts, dtype=float) for step in before]
    sd = np.array([float(step.sd) for step in before])
    places = [step.columns[0] for step in before]
    # weights of the total, and of what column 0 adds to a code's even part
    precision = np.array([1 / (s * s * len(c)) for s, c in zip(sd, cells, strict=True)])
    weights = precision / precision.sum()
    total = float(sum(w * c.sum() for w, c in zip(weights, cells, strict=True)))
    own, k = places.index(0), len(cells[places.index(0)])
    count = cells[own][0] - cells[own].sum() / k + total / k
    # coefficients of X - q Y on every cell
    grid, variance = np.linspace(0, 1, 4001), 0.0
    for i, (s, c) in enumerate(zip(sd, cells, strict=True)):
        for code in range(len(c)):
            contrast = ((code == 0) - 1 / k) if i == own else 0.0
            variance = variance + s * s * (contrast + weights[i] * (1 / k - grid)) ** 2
    kept = grid[np.abs(count - grid * total) <= Z * np.sqrt(variance)]
    assert float(found.table.lo) == pytest.approx(kept[0], abs=2e-3)  # and half a count for rounding
    assert float(found.table.hi) == pytest.approx(kept[-1], abs=2e-3)
    assert found.table.estimate == pytest.approx(count / total)
    assert found.records_est == pytest.approx(total)
    assert (found.table.kind, found.population.kind) == ("exact", "asymptotic")
    assert found.population.lo < found.table.lo
    with pytest.raises(NotApplicable, match="none in groups"):
        asked(log, f"{names[0]}={columns[0].texts[0]}", given=f"{names[1]}={columns[1].texts[0]}")
    pair = next(step.columns for step in log.tables if len(step.columns) == 2)
    with pytest.raises(UsageError, match="measured because of what had been seen"):
        asked(log, " & ".join(f"{names[i]}={columns[i].texts[0]}" for i in pair))


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ({"proportion": "age=1"}, "age is not a column"),
        ({"proportion": "ill=2"}, "2 is not a value of it"),
        ({"proportion": "ill"}, "COLUMN=VALUE"),
        ({"proportion": "ill=0|1"}, "the share of all is 1"),
        ({"proportion": "ill=1 & town=0 & job=1"}, "at most two columns"),
        ({"proportion": "ill=1", "given": "ill=0"}, "the column of the event"),
        ({"proportion": "ill=1", "given": "town="}, "nothing is not a value"),
        ({"proportion": "ill=1", "given": "town=0|1|2"}, "not all"),
        ({"proportion": "ill=1", "given": "town=1", "difference": "job=1,2"}, "cannot go with difference"),
        ({"proportion": "ill=1", "difference": "town"}, "a column of two values"),
        ({"proportion": "ill=1", "difference": "town=1,1"}, "without a value in common"),
        ({"proportion": "ill=1", "difference": "town=1,"}, "nothing is not a value"),
        ({"proportion": "town=1", "difference": "town=1,2"}, "the column of the event"),
        ({"proportion": "ill=1", "odds_ratio": True}, "compares two groups"),
        ({"proportion": "ill=1 & town=0", "given": "job=1"}, "leave none"),
        ({"proportion": "ill=1", "level": Fraction(1)}, "level"),
        ({"proportion": "town=1", "given": "job=1"}, "no table of town x job"),
        ({"proportion": "job=1 & town=1"}, "no table shows job x town"),
    ],
)
def test_bad_questions_have_one_line_with_the_reason(question: dict[str, Any], reason: str) -> None:
    release = released(pairs=[("ill", "town"), ("ill", "job")])
    with pytest.raises(SynthboundsError) as refused:
        asked(release, **question)
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_column_that_is_not_in_the_release_is_named() -> None:
    with pytest.raises(UsageError, match="no table shows job: the release has ill"):
        asked(released(pairs=[], one_way=["ill"]), "job=1")
    with pytest.raises(NotApplicable, match="Gaussian noise"):
        asked(released(dp_delta=None, mechanism="laplace"), given="town=1")
