"""The Rényi condition number: exact values, bounds that hold, and the probability that it is infinite."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import factorial, prod
from pathlib import Path

import pytest
from flint import arb, fmpq
from hypothesis import given
from hypothesis import strategies as st

from bounds import clopper_pearson
from bounds.enclosure import precision
from bounds.errors import DataError, ParameterError
from bounds.renyi import condition_number, infinite_kappa_probability
from lp.study.distributions import aligned, distribution, normalise, read_table
from lp.study.perturbed_histogram import simulate_kappa


def named(text: str) -> tuple[Fraction, ...]:
    return distribution(text, "nu").probabilities


tables = st.lists(st.integers(1, 50), min_size=2, max_size=8)


@given(st.data())
def test_kappa_is_exact_and_every_bound_holds(data: st.DataObject) -> None:
    weights = data.draw(tables)
    same_size = st.lists(st.integers(1, 50), min_size=len(weights), max_size=len(weights))
    nu, mu, middle = (normalise(w) for w in (weights, data.draw(same_size), data.draw(same_size)))
    report = condition_number(nu, mu, middle)
    assert report.kappa == sum(a * a / b for a, b in zip(nu, mu, strict=True))
    assert report.kappa >= 1
    assert report.direct_bound is not None
    assert report.ratio_bound is not None
    assert report.kappa <= report.direct_bound <= report.ratio_bound
    assert report.through_bound is not None
    assert report.kappa <= report.through_bound.hi


def test_kappa_is_infinite_where_mu_vanishes() -> None:
    half = Fraction(1, 2)
    report = condition_number([half, half, Fraction(0)], [Fraction(1), Fraction(0), Fraction(0)])
    assert report.kappa is None
    assert report.infinite_at == 2
    fine = condition_number([Fraction(1), Fraction(0)], [half, half])
    assert fine.kappa == 2


def test_known_values() -> None:
    zipf, uniform = named("zipf:32"), named("uniform:32")
    kappa = condition_number(zipf, uniform).kappa
    assert kappa is not None
    assert float(kappa) == pytest.approx(3.135945, abs=5e-7)
    found = infinite_kappa_probability(uniform, 460518, Fraction(1, 10**4))
    assert found.exact
    assert found.lower.decimal(10) == ("0.9998675390", "0.9998675391")
    wide = infinite_kappa_probability(zipf, 10000, Fraction(1, 5))
    assert not wide.exact
    assert wide.lower.decimal(4)[0] == "0.001315"
    assert wide.upper.hi < Fraction(132, 100000)


@pytest.mark.parametrize("weights", [(1, 1), (1, 1, 1), (1, 2, 5), (3, 1, 1, 2)])
@pytest.mark.parametrize("n", [1, 4, 7])
def test_probability_of_infinity_by_enumerating_all_counts(weights: tuple[int, ...], n: int) -> None:
    nu = normalise(list(weights))
    epsilon = Fraction(3, 2)
    found = infinite_kappa_probability(nu, n, epsilon)
    with precision(200):
        survive = arb(0)
        for counts in product(range(n + 1), repeat=len(nu)):
            if sum(counts) != n:
                continue
            ways = Fraction(factorial(n), prod(factorial(c) for c in counts))
            chance = ways * prod(p**c for p, c in zip(nu, counts, strict=True))
            kept = arb(fmpq(chance.numerator, chance.denominator))
            for count in counts:
                kept *= 1 - (arb(fmpq(-3, 4)) * count).exp() / 2
            survive += kept
        difference = 1 - survive - arb(fmpq(found.lower.lo.numerator, found.lower.lo.denominator))
        assert abs(difference) < arb(10) ** -15
    assert found.exact


@given(st.lists(st.integers(1, 9), min_size=2, max_size=10), st.integers(1, 40))
def test_the_bounds_enclose_the_exact_probability(weights: list[int], n: int) -> None:
    from bounds import renyi

    nu = normalise(weights)
    epsilon = Fraction(1, 2)
    exact = infinite_kappa_probability(nu, n, epsilon)
    with precision(200):
        low = 1 - renyi._independent_survival(nu, n, epsilon)
        high = renyi._union(nu, n, epsilon)
        truth = arb(fmpq(exact.lower.hi.numerator, exact.lower.hi.denominator))
        assert low < truth + arb(10) ** -12
        assert high > truth - arb(10) ** -12


def test_many_equal_cells_do_not_lose_the_probability_to_cancellation() -> None:
    found = infinite_kappa_probability([Fraction(1, 3000)] * 3000, 10, Fraction(1, 5))
    assert found.exact
    assert Fraction(99, 100) < found.lower.lo <= found.lower.hi <= 1 + Fraction(1, 10**15)


def test_simulation_agrees_with_the_exact_probability_and_is_reproducible() -> None:
    nu = named("uniform:32")
    first = simulate_kappa(nu, n=1000, epsilon=Fraction(1, 5), runs=800, seed=7)
    again = simulate_kappa(nu, n=1000, epsilon=Fraction(1, 5), runs=800, seed=7)
    assert first == again
    exact = infinite_kappa_probability(nu, 1000, Fraction(1, 5)).lower
    assert first.infinite_low_est <= float(exact.hi) <= first.infinite_high_est
    shorter = simulate_kappa(nu, n=1000, epsilon=Fraction(1, 5), runs=400, seed=7)
    assert shorter.infinite <= first.infinite  # the first 400 runs are the same runs


def test_lifting_keeps_kappa_finite() -> None:
    nu = named("zipf:32")
    shifted = simulate_kappa(nu, n=5000, epsilon=Fraction(1, 5), runs=300, seed=1, variant="shifted")
    mixed = simulate_kappa(nu, n=5000, epsilon=Fraction(1, 5), runs=300, seed=1, variant="mixed")
    assert shifted.infinite == 0
    assert mixed.infinite == 0


def test_clopper_pearson_against_known_values() -> None:
    assert clopper_pearson.interval(0, 10) == pytest.approx((0, 0.3084971), abs=1e-6)
    assert clopper_pearson.interval(10, 10) == pytest.approx((0.6915029, 1), abs=1e-6)
    assert clopper_pearson.interval(5, 10) == pytest.approx((0.1870860, 0.8129140), abs=1e-6)


def test_tables_are_exact_and_add_up(tmp_path: Path) -> None:
    table = tmp_path / "nu.csv"
    table.write_text("cell,weight\na,0.1\nb,0.3\nc,3\n", encoding="utf-8")
    found = read_table(table, "nu")
    assert found.probabilities == (Fraction(1, 34), Fraction(3, 34), Fraction(30, 34))
    assert found.labels == ("a", "b", "c")
    assert sum(named("dirichlet:20:0.5:3")) == 1
    assert named("dirichlet:20:0.5:3") == named("dirichlet:20:0.5:3")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no rows"),
        (b"weight\n", "no rows"),
        (b"1\n-2\n", "row 2, column 1 is negative"),
        (b"1\nx\n", "row 2, column 1 is not a number"),
        (b"a,2\n3\n", "row 2 has 1 columns"),
        (b"1,2,3\n4,5,6\n", "3 columns"),
        (b"a,1\na,2\n", "names a point twice"),
        (b"1,5\n2,5\n", "decimal points"),
        (b"a," + b"1" * 200_000 + b"\n", "not a readable table"),
        (b"0\n0\n", "only zero weights"),
        (b"1\n\x00\n", "NUL"),
        ("1\n2\n".encode("utf-16"), "not UTF-8"),
    ],
)
def test_bad_tables(tmp_path: Path, content: bytes, words: str) -> None:
    table = tmp_path / "nu.csv"
    table.write_bytes(content)
    with pytest.raises(DataError, match=words):
        read_table(table, "nu")


@pytest.mark.parametrize("text", ["zipf:0", "zipf:9999999", "uniform:x", "dirichlet:4:1", "uniform:4:4", "zipf:4:9"])
def test_bad_families(text: str) -> None:
    with pytest.raises(ParameterError):
        distribution(text, "nu")


def test_tables_are_matched_by_label(tmp_path: Path) -> None:
    first, second, other = (tmp_path / name for name in ("a.csv", "b.csv", "c.csv"))
    first.write_text("a,10\nb,20\nc,30\n", encoding="utf-8")
    second.write_text("b,20\nc,30\na,10\n", encoding="utf-8")
    other.write_text("b,20\nc,30\nx,10\n", encoding="utf-8")
    nu = read_table(first, "nu")
    assert aligned(nu, read_table(second, "mu"), "mu") == nu.probabilities
    assert condition_number(nu.probabilities, aligned(nu, read_table(second, "mu"), "mu")).kappa == 1
    with pytest.raises(DataError, match="same points"):
        aligned(nu, read_table(other, "mu"), "mu")


def test_a_missing_file_is_named() -> None:
    with pytest.raises(DataError, match="neither a file nor one of"):
        distribution("no-such-file.csv", "nu")


def test_tables_must_list_the_same_points() -> None:
    with pytest.raises(DataError, match="same points"):
        condition_number([Fraction(1)], [Fraction(1, 2), Fraction(1, 2)])


def test_an_emptied_histogram_counts_as_infinite_in_both() -> None:
    """One record, hardly any signal: the certified probability and the simulation must mean the same event."""
    nu = named("zipf:4")
    exact = infinite_kappa_probability(nu, 1, Fraction(1, 10**4)).lower
    run = simulate_kappa(nu, n=1, epsilon=Fraction(1, 10**4), runs=4000, seed=3)
    assert run.infinite_low_est <= float(exact.lo) <= run.infinite_high_est
