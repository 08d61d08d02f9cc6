"""Noise plans: the cheapest mechanism, certified quantiles, integers under both adjacencies, simulations."""

from __future__ import annotations

import itertools
import math
import random
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import stats

from bounds.errors import DataError, ParameterError, UsageError
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.gaussian import gaussian_delta, gaussian_noise
from bounds.privacy.sensitivity import l2_sensitivity
from bounds.queries import QueryFamily, family_of_degree
from release.data.domain import Domain
from release.noise.choice import choose_noise
from release.noise.draw import draw
from release.noise.kinds import LATTICE_KINDS, LatticeKind, NoisePlan
from release.noise.lattice import lattice_sensitivity, lattice_sums
from release.noise.quantiles import largest_noise
from release.noise.randomness import read_randomness
from release.noise.scales import double_at_least, sampler_scale
from release.noise.simulated import continuous_noise, stream_of
from release.statistics.families import Family, build_family

MONOMIALS = family_of_degree("monomials", 10, 2, 2)


def plan(facts: QueryFamily = MONOMIALS, denominator: int = 1, **changes: object) -> NoisePlan:
    asked: dict[str, object] = {
        "epsilon": "0.2",
        "n": 2259,
        "adjacency": "replace-one",
        "beta": "0.05",
        "mode": "release",
    }
    return choose_noise(facts, denominator, **(asked | changes))  # type: ignore[arg-type]


# --- quantiles ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 7, 300])
@pytest.mark.parametrize("scale", [Fraction(1, 9), Fraction(4, 5), Fraction(33, 2), Fraction(1000)])
@pytest.mark.parametrize("beta", [Fraction(1, 2), Fraction(1, 20), Fraction(1, 10**6)])
def test_discrete_laplace_quantile_is_the_smallest_integer(count: int, scale: Fraction, beta: Fraction) -> None:
    found = int(largest_noise("laplace", "release", count=count, scale=scale, beta=beta))
    with mpmath.workdps(60):
        p = mpmath.exp(-mpmath.mpf(scale.denominator) / scale.numerator)
        goal = 1 - mpmath.mpf(beta.numerator) / beta.denominator

        def within(q: int) -> mpmath.mpf:
            """P(max |Z| <= q) from the mass p^|k| (1 - p)/(1 + p), summed as two geometric series."""
            inside = (1 - p) / (1 + p) * (1 + 2 * p * (1 - p**q) / (1 - p))
            return inside**count

        assert within(found) >= goal
        assert found == 0 or within(found - 1) < goal


@pytest.mark.parametrize("count", [1, 12, 250])
@pytest.mark.parametrize("sigma", [Fraction(1, 3), Fraction(1), Fraction(17, 4), Fraction(250)])
@pytest.mark.parametrize("beta", [Fraction(9, 10), Fraction(1, 20), Fraction(1, 10**5)])
def test_discrete_gaussian_quantile_holds_and_is_nearly_smallest(count: int, sigma: Fraction, beta: Fraction) -> None:
    found = int(largest_noise("gaussian", "release", count=count, scale=sigma, beta=beta))
    with mpmath.workdps(30):
        reach = int(14 * sigma) + 14
        mass = [mpmath.exp(-mpmath.mpf(k * k) / (2 * mpmath.mpf(float(sigma)) ** 2)) for k in range(reach)]
        total = mass[0] + 2 * mpmath.fsum(mass[1:])

        def within(q: int) -> mpmath.mpf:
            return ((mass[0] + 2 * mpmath.fsum(mass[1 : q + 1])) / total) ** count

        assert within(found) >= 1 - float(beta)
        assert found <= 1 or within(found - 2) < 1 - float(beta)


@pytest.mark.parametrize("count", [1, 3, 55, 2000])
@pytest.mark.parametrize("scale", [Fraction(1, 50), Fraction(1), Fraction(500, 7)])
def test_rounded_cube_quantile_is_the_smallest_integer(count: int, scale: Fraction) -> None:
    found = int(largest_noise("linf", "release", count=count, scale=scale, beta=Fraction(1, 20)))
    law = stats.gamma(count, scale=float(scale))
    assert law.sf(found + 0.5) <= 0.05
    assert found == 0 or law.sf(found - 0.5) > 0.05


@pytest.mark.parametrize(("mechanism", "coefficient"), [("laplace", 383.790), ("linf", 67.7401), ("gaussian", 93.2326)])
def test_continuous_quantiles_are_those_of_the_proof_pages(mechanism: str, coefficient: float) -> None:
    found = plan(mode="simulate", dp_delta="1e-6", mechanism=mechanism)
    assert float(found.quantile) == pytest.approx(coefficient / (2259 * 0.2), rel=2e-6)


@pytest.mark.parametrize("mode", ["release", "simulate"])
@pytest.mark.parametrize("mechanism", LATTICE_KINDS)
def test_quantiles_grow_as_beta_falls(mechanism: LatticeKind, mode: str) -> None:
    quantiles = [
        plan(mode=mode, dp_delta="1e-6", mechanism=mechanism, beta=beta).quantile for beta in ("1e-9", "0.05", "0.5")
    ]
    assert quantiles[0] > quantiles[1] > quantiles[2]
    with pytest.raises(ParameterError, match="beta = 1"):
        plan(mode=mode, dp_delta="1e-6", mechanism=mechanism, beta=1)


# --- choice ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["release", "simulate"])
@pytest.mark.parametrize(
    ("facts", "dp_delta", "best"),
    [
        (MONOMIALS, None, "linf"),
        (MONOMIALS, "1e-6", "linf"),
        (family_of_degree("monomials", 20, 2, 2), "1e-6", "gaussian"),
        (family_of_degree("cells", 10, 4, 2), None, "linf"),
        (family_of_degree("cells", 10, 5, 2), None, "laplace"),
        (family_of_degree("cells", 10, 2, 2), "1e-6", "gaussian"),
    ],
    ids=str,
)
def test_the_cheapest_is_chosen_and_every_alternative_named(
    facts: QueryFamily, dp_delta: str | None, best: str, mode: str
) -> None:
    found = plan(facts, dp_delta=dp_delta, mode=mode)
    assert found.mechanism == best
    names = [a.mechanism for a in found.alternatives]
    assert names == [name for name in LATTICE_KINDS if dp_delta or name != "gaussian"]
    assert found.quantile == min(a.quantile for a in found.alternatives)
    for alternative in found.alternatives:
        alone = plan(facts, dp_delta=dp_delta, mode=mode, mechanism=alternative.mechanism)
        assert (alone.scale, alone.quantile) == (alternative.scale, alternative.quantile)


def test_scales_are_exact_or_just_above() -> None:
    exact = Fraction(55 * 12) * 5
    assert plan(denominator=12, mechanism="linf").scale == 60
    assert plan(denominator=12, mechanism="laplace", mode="simulate").scale == exact
    above = plan(denominator=12, mechanism="laplace").scale
    assert exact < above < exact * (1 + Fraction(1, 2**45))
    assert Fraction(float(above)) == above
    assert plan(denominator=12).sensitivity.amount == 12


def test_simulated_gaussian_noise_is_calibrated_exactly() -> None:
    found = plan(dp_delta="1e-6", mechanism="gaussian", mode="simulate")
    sensitivity = l2_sensitivity(squared=55, adjacency="replace-one", n_is_public=True)

    def delta(sigma: Fraction) -> Fraction:
        return gaussian_delta(gaussian_noise(sigma=sigma, sensitivity=sensitivity), epsilon="0.2").delta.lo

    assert delta(found.scale) <= Fraction(1, 10**6) < delta(found.scale * (1 - Fraction(1, 10**12)))


def test_doubles_are_rounded_up() -> None:
    for value in (Fraction(1, 3), Fraction(2, 3), Fraction(10**30 + 1), Fraction(1, 7**20), Fraction(1, 2)):
        found = double_at_least(value)
        assert Fraction(found) >= value > Fraction(math.nextafter(found, 0))
    for bad in (Fraction(0), Fraction(2**81)):
        with pytest.raises(ParameterError, match="at most 2\\^80"):
            sampler_scale(bad)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": 0}, "epsilon = 0: must be greater than 0"),
        ({"epsilon": float("inf")}, "finite"),
        ({"n": 0}, "n = 0"),
        ({"n": "2.5"}, "whole"),
        ({"beta": 0}, "beta = 0"),
        ({"dp_delta": 1}, "dp_delta = 1"),
        ({"mode": "publish"}, "mode = publish: must be release or simulate"),
        ({"adjacency": "both"}, "adjacency = both"),
        ({"mechanism": "gaussian"}, "without a dp_delta"),
        ({"mechanism": "cauchy"}, "mechanism = cauchy"),
    ],
)
def test_bad_requests_are_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        plan(**changes)


def test_sums_beyond_64_bits_leave_the_cube() -> None:
    found = plan(denominator=2**52, n=10**6, dp_delta="1e-6")
    assert [a.mechanism for a in found.alternatives] == ["linf"]
    with pytest.raises(Exception, match="64 bits"):
        plan(denominator=2**52, n=10**6, mechanism="laplace")


# --- integers under both adjacencies -----------------------------------------------------------------------------


def families() -> list[Family]:
    mixed, boolean = Domain((2, 3, 4)), Domain((2, 2, 2, 2))
    return [
        build_family("monomials", mixed, 2),
        build_family("cells", mixed, 2),
        build_family("thresholds", mixed, 3),
        build_family("parities", boolean, 2),
    ]


def all_values(family: Family) -> list[list[int]]:
    """The integers of all queries at every point of the domain, the first and the last point first and last."""
    points = family.domain.points(np.arange(family.domain.size))
    return [[int(v) for v in column] for column in family.values(points).T]


def distance(mechanism: LatticeKind, moved: list[int]) -> int:
    if mechanism == "laplace":
        return sum(map(abs, moved))
    return max(map(abs, moved)) if mechanism == "linf" else sum(m * m for m in moved)


@pytest.mark.parametrize("mechanism", LATTICE_KINDS)
@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
@pytest.mark.parametrize("which", range(4))
def test_one_record_moves_the_lattice_at_most_so_far(mechanism: LatticeKind, adjacency: str, which: int) -> None:
    family = families()[which]
    values = all_values(family)
    rng = random.Random(f"{mechanism} {adjacency} {which}")
    seen = Fraction(0)
    for n0 in (1, 3, 8):
        found = choose_noise(
            family.facts,
            family.denominator,
            epsilon=1,
            dp_delta="1e-6",
            n=n0,
            adjacency=adjacency,
            beta="0.1",
            mode="release",
            mechanism=mechanism,
        )
        anchor = rng.choice(values)
        for _ in range(60):
            n = n0 if adjacency == "replace-one" else rng.randrange(0, 2 * n0 + 3)
            table = [rng.choice([rng.choice(values), values[0], values[-1]]) for _ in range(n)]
            if adjacency == "replace-one":
                other = [rng.choice([values[0], values[-1], rng.choice(values)]), *table[1:]]
            else:
                other = [*table, rng.choice([values[0], values[-1], rng.choice(values)])]
            here, there = (
                lattice_sums(
                    found, [sum(column) for column in zip(*rows, strict=True)] or [0] * family.count,
                    n=len(rows), anchor=anchor,
                )
                for rows in (table, other)
            )  # fmt: skip
            moved = distance(mechanism, [a - b for a, b in zip(here, there, strict=True)])
            assert moved <= found.sensitivity.amount
            seen = max(seen, Fraction(moved, found.sensitivity.amount))
    assert seen > Fraction(2, 5)  # the bound is not idle; in L2 it is the square that is compared


def test_answers_under_add_remove_are_the_true_ones_up_to_half_a_step() -> None:
    family = families()[0]
    values = all_values(family)
    rng = random.Random(3)
    for mechanism in LATTICE_KINDS:
        found = choose_noise(
            family.facts, family.denominator, epsilon=1, dp_delta="1e-6", n=10, adjacency="add-remove", beta="0.1",
            mode="release", mechanism=mechanism,
        )  # fmt: skip
        for n in (4, 10, 11, 37):
            table = [rng.choice(values) for _ in range(n)]
            sums = [sum(column) for column in zip(*table, strict=True)]
            lattice = lattice_sums(found, sums, n=n, anchor=values[0])
            for value, total, centre in zip(lattice, sums, values[0], strict=True):
                true = Fraction(total, n * family.denominator)
                towards = Fraction(centre, family.denominator)
                wanted = true if n >= 10 else Fraction(n, 10) * true + Fraction(10 - n, 10) * towards
                assert abs(value * found.unit - wanted) <= found.unit / 2
        assert found.quantile > largest_noise(
            mechanism, "release", count=found.count, scale=found.scale, beta=found.beta
        ) * found.unit  # fmt: skip


def test_add_remove_costs_hardly_more_than_replace_one() -> None:
    for mechanism in LATTICE_KINDS:
        here = plan(dp_delta="1e-6", mechanism=mechanism, mode="simulate")
        there = plan(dp_delta="1e-6", mechanism=mechanism, mode="simulate", adjacency="add-remove")
        assert 1 < there.quantile / here.quantile < 1 + Fraction(1, 1000)
        assert there.adjacency is Adjacency.ADD_REMOVE
        assert not there.n_is_public


@pytest.mark.parametrize("mechanism", ["laplace", "gaussian"])
def test_a_coarse_lattice_would_not_be_enough(mechanism: LatticeKind) -> None:
    # One record more moves every share a little; on a coarse lattice many of them step at once.
    facts = family_of_degree("cells", 1, 40, 1)
    found = choose_noise(
        facts,
        1,
        epsilon=1,
        dp_delta="1e-6",
        n=80,
        adjacency="add-remove",
        beta="0.1",
        mode="release",
        mechanism=mechanism,
    )
    coarse = replace(found, refinement=1)
    anchor = [1] + [0] * 39
    worst: dict[str, Fraction] = {}
    for name, chosen in (("coarse", coarse), ("fine", found)):
        plain = 2 * chosen.refinement if mechanism == "laplace" else 2 * chosen.refinement**2
        moves = []
        for n in range(80, 400):
            sums = [n // 40 + (k < n % 40) for k in range(40)]
            here = lattice_sums(chosen, sums, n=n, anchor=anchor)
            there = lattice_sums(chosen, [sums[0] + 1, *sums[1:]], n=n + 1, anchor=anchor)
            moves.append(distance(mechanism, [a - b for a, b in zip(here, there, strict=True)]))
        worst[name] = Fraction(max(moves), plain)
    assert worst["coarse"] > 1
    assert worst["fine"] <= 1


@pytest.mark.parametrize("mechanism", LATTICE_KINDS)
def test_rounding_costs_no_noise_up_to_a_million_records_and_little_beyond(mechanism: LatticeKind) -> None:
    for facts in (MONOMIALS, family_of_degree("cells", 10, 6, 2)):
        for size in (1, 100, 2**20 - 1, 10**8):
            public, _ = lattice_sensitivity(mechanism, facts, denominator=3, size=size, adjacency=Adjacency.REPLACE_ONE)
            hidden, refinement = lattice_sensitivity(
                mechanism, facts, denominator=3, size=size, adjacency=Adjacency.ADD_REMOVE
            )
            plain = int(public.amount) * refinement ** (2 if mechanism == "gaussian" else 1)
            if mechanism == "linf" or size < 2**20:
                assert hidden.amount == plain
            elif mechanism == "laplace":
                # what the proof asks for: moved by size/(size + 1) of the whole, and one step of rounding a query
                assert hidden.amount - facts.varying <= Fraction(plain * size, size + 1) < hidden.amount
                assert plain < hidden.amount < plain * (1 + Fraction(1, 2**19))
            else:
                with mpmath.workdps(40):
                    needed = (mpmath.sqrt(plain) * size / (size + 1) + mpmath.sqrt(facts.varying)) ** 2
                    assert plain < needed <= int(hidden.amount) < needed + 4


def test_the_lattice_refuses_what_does_not_belong() -> None:
    found = plan()
    with pytest.raises(DataError, match="public size 2259"):
        lattice_sums(found, [0] * 55, n=2260)
    with pytest.raises(DataError, match="54 numbers for 55 queries"):
        lattice_sums(found, [0] * 54, n=2259)
    with pytest.raises(UsageError, match="anchor"):
        lattice_sums(plan(adjacency="add-remove"), [0] * 55, n=2259)


def test_discrete_laplace_spends_at_most_epsilon_on_a_small_lattice() -> None:
    # log of the ratio of the masses p^|y - s| is the difference of the L1 norms over the scale, exactly.
    found = plan(family_of_degree("monomials", 2, 2, 1), n=5, mechanism="laplace")
    assert found.count == 2
    shifts = [s for s in itertools.product((-1, 0, 1), repeat=2) if sum(map(abs, s)) <= found.sensitivity.amount]
    outputs = list(itertools.product(range(-6, 7), repeat=2))
    worst = max(
        Fraction(sum(abs(y - s) for y, s in zip(output, shift, strict=True)) - sum(map(abs, output))) / found.scale
        for shift in shifts
        for output in outputs
    )
    assert worst == found.sensitivity.amount / found.scale
    assert worst <= found.epsilon < worst * (1 + Fraction(1, 2**45))


# --- simulations -------------------------------------------------------------------------------------------------


def test_simulations_depend_on_seed_and_run_only() -> None:
    found = plan(mode="simulate")
    sums = list(range(55))
    runs = {run: draw(found.noise, sums, read_randomness("simulate", seed=11, run=run)) for run in (3, 0, 7)}
    again = draw(found.noise, sums, read_randomness("simulate", seed=11))
    assert again == runs[0]
    assert len(set(runs.values())) == 3
    assert draw(found.noise, sums, read_randomness("simulate", seed=12)) != again


@pytest.mark.parametrize("mechanism", LATTICE_KINDS)
def test_the_simulated_maximum_exceeds_its_quantile_as_often_as_it_should(mechanism: LatticeKind) -> None:
    found = plan(mode="simulate", dp_delta="1e-6", mechanism=mechanism)
    limit, runs = float(found.quantile / found.unit), 4000
    streams = (stream_of(read_randomness("simulate", seed=1, run=run)) for run in range(runs))
    beyond = sum(np.abs(continuous_noise(found.noise, stream)).max() > limit for stream in streams)
    assert stats.binomtest(int(beyond), runs, 0.05).pvalue > 1e-4


def test_simulated_noise_is_refused_for_a_release() -> None:
    with pytest.raises(UsageError, match="mode = release: this noise is not for mode = simulate"):
        draw(plan().noise, [0] * 55, read_randomness("simulate", seed=1))
    with pytest.raises(UsageError, match="mode = simulate: this noise is not for mode = release"):
        draw(plan(mode="simulate").noise, [0] * 55, read_randomness("release"))
    for seed, run in ((-1, 0), (2**128, 0), (0, -1)):
        with pytest.raises(ParameterError):
            read_randomness("simulate", seed=seed, run=run)
    assert replace(plan(), mode="simulate").scale == plan().scale
