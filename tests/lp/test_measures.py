"""Reference measures: exact weights, what they cost, what they cover, and what is refused before memory is taken."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tracemalloc
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from bounds.errors import DataError, ParameterError, UsageError
from bounds.privacy.adjacency import Adjacency
from lp.measures import Paid
from lp.measures.cells import cells_of
from lp.measures.draws import draw_indices, integer_weights
from lp.measures.grid import cells_for_lipschitz, grid_measure
from lp.measures.histogram import histogram_measure, shape
from lp.measures.noisy import noisy_counts
from lp.measures.uniform import uniform_points
from lp.study.distributions import distribution
from lp.study.perturbed_histogram import simulate_kappa
from release.data.domain import Domain
from release.noise import simulated
from tests.paths import ROOT, sources

MIXED = Domain((2, 3, 4))


def stream(seed: int = 0, run: int = 0) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=seed, counter=[0, 0, 0, run]))


def some_records(domain: Domain, n: int, seed: int = 5) -> np.ndarray:
    generator = stream(seed)
    columns = [np.minimum(generator.integers(size, size=n), generator.integers(size, size=n)) for size in domain.sizes]
    return np.stack(columns, axis=1).astype(domain.code_type)


def chi_square_is_likely(observed: np.ndarray, probabilities: np.ndarray) -> bool:
    from scipy.stats import chi2

    expected = probabilities * observed.sum()
    statistic = ((observed - expected) ** 2 / expected).sum()
    return bool(chi2.sf(statistic, observed.size - 1) > 1e-9)  # releases have no seed


# --- uniform -------------------------------------------------------------------------------------------------------


def test_a_small_domain_is_taken_whole_and_costs_nothing() -> None:
    points = uniform_points(Domain((2,) * 26), mode="release")
    assert points.full
    assert points.codes is None
    assert points.drawn == 2**26
    assert points.epsilon_spent == 0
    assert points.private


def test_a_large_domain_is_drawn_from() -> None:
    domain = Domain((2,) * 200)
    with pytest.raises(ParameterError, match="about 2\\^200 points"):
        uniform_points(domain, mode="release")
    points = uniform_points(domain, m=500, mode="simulate", generator=stream())
    assert points.codes is not None
    assert points.codes.shape == (500, 200)
    again = uniform_points(domain, m=500, mode="simulate", generator=stream())
    assert np.array_equal(points.codes, again.codes)  # type: ignore[arg-type]
    assert abs(points.codes.mean() - 0.5) < 0.01


def test_duplicates_are_collapsed_and_counted() -> None:
    points = uniform_points(MIXED, m=24_000, mode="simulate", generator=stream(), most_enumerated=1)
    assert points.codes is not None
    assert points.multiplicity is not None
    assert points.multiplicity.sum() == points.drawn == 24_000
    assert np.array_equal(MIXED.numbers(points.codes), np.arange(24))
    assert chi_square_is_likely(points.multiplicity, np.full(24, 1 / 24))


def test_release_draws_differ_and_take_no_generator() -> None:
    domain = Domain((2,) * 60)
    first, second = (uniform_points(domain, m=50, mode="release").codes for _ in range(2))
    assert not np.array_equal(first, second)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="operating system"):
        uniform_points(domain, m=50, mode="release", generator=stream())
    with pytest.raises(UsageError, match="a simulation records its seed"):
        uniform_points(domain, m=50, mode="simulate")
    with pytest.raises(ParameterError, match="release or simulate"):
        uniform_points(domain, m=50, mode="test")


# --- exact draws ---------------------------------------------------------------------------------------------------


def test_weights_are_exact_or_keep_62_bits() -> None:
    assert integer_weights([3, 0, 5]).tolist() == [3, 0, 5]
    assert integer_weights([0, 0]).tolist() == [1, 1]
    huge = integer_weights([2**90, 3 * 2**90, 1])
    assert huge[1] == 3 * huge[0]
    assert huge[2] == 0
    floats = integer_weights([0.1, 0.0, 0.3])
    assert floats[1] == 0
    assert 2**59 < floats.sum() < 2**62
    assert abs(Fraction(int(floats[0]), int(floats.sum())) - Fraction(0.1) / Fraction(0.1 + 0.3)) < Fraction(1, 2**50)


def test_draws_follow_the_weights() -> None:
    weights = np.array([5, 0, 1, 10, 4], dtype=np.int64)
    found = np.bincount(draw_indices(weights, 40_000, stream()), minlength=5)
    assert found[1] == 0
    positive = weights > 0
    assert chi_square_is_likely(found[positive], weights[positive] / weights.sum())


# --- histogram -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["release", "simulate"])
@pytest.mark.parametrize("variant", ["plain", "mixed", "shifted", "covering"])
def test_a_histogram_is_a_measure_and_is_drawn_from(variant: str, mode: str) -> None:
    generator = stream() if mode == "simulate" else None
    measure = histogram_measure(
        some_records(MIXED, 800),
        MIXED,
        epsilon="1/2",
        adjacency="replace-one",
        mode=mode,
        generator=generator,
        variant=variant,
    )
    probabilities = [measure.probability(cell) for cell in range(24)]
    assert sum(probabilities) == 1
    assert np.allclose(measure.probabilities_est(), [float(p) for p in probabilities], rtol=1e-12)
    points = measure.draw(30_000, generator)
    assert points.codes is not None
    assert points.multiplicity is not None
    drawn = np.zeros(24, dtype=np.int64)
    drawn[MIXED.numbers(points.codes)] = points.multiplicity
    positive = np.array([p > 0 for p in probabilities])
    assert drawn[~positive].sum() == 0
    assert chi_square_is_likely(drawn[positive], np.array([float(p) for p in probabilities])[positive])
    assert points.private is (mode == "release")
    assert points.adjacency is Adjacency.REPLACE_ONE
    assert points.sensitivity is not None
    assert points.sensitivity.amount == 2
    if mode == "release":
        assert Fraction(49999, 100_000) < points.epsilon_spent <= Fraction(1, 2)
    if variant == "mixed":
        assert min(probabilities) >= Fraction(5, 14) / 24


@pytest.mark.parametrize(("adjacency", "moved"), [("replace-one", 2), ("add-remove", 1)])
def test_no_neighbour_moves_the_counts_by_more(adjacency: str, moved: int) -> None:
    domain = Domain((2, 3))
    cells = cells_of(domain, None)
    records = some_records(domain, 6)
    base = cells.counts(records)
    worst = 0
    for point in domain.points(np.arange(6)):
        if adjacency == "replace-one":
            neighbours = [np.vstack([np.delete(records, i, axis=0), point]) for i in range(6)]
        else:
            neighbours = [np.vstack([records, point]), records[1:]]
        worst = max(worst, *(int(np.abs(cells.counts(other) - base).sum()) for other in neighbours))
    assert worst == moved
    measure = histogram_measure(records, domain, epsilon=1, adjacency=adjacency, mode="release")
    assert measure.paid.measurement.noise.sensitivity.amount == moved
    assert measure.paid.ledger.spent <= 1


def test_lifts_and_weights() -> None:
    assert shape("plain", cells=32, scale=Fraction(10)) == (0, 0)
    assert shape("mixed", cells=32, scale=Fraction(10)) == (0, Fraction(5, 14))
    assert shape("shifted", cells=32, scale=Fraction(10)) == (65, 0)  # 10 log(640) = 64.6
    assert shape("covering", cells=32, scale=Fraction(10)) == (78, Fraction(1, 5))  # 12 log(640) = 77.5
    with pytest.raises(ParameterError, match="gamma"):
        shape("shifted", cells=32, scale=Fraction(10), gamma=0)
    with pytest.raises(ParameterError, match="uniform_weight"):
        shape("mixed", cells=32, scale=Fraction(10), uniform_weight=2)
    with pytest.raises(ParameterError, match="variant"):
        shape("other", cells=32, scale=Fraction(10))


def test_an_emptied_histogram_is_uniform() -> None:
    domain, empty = Domain((2, 2)), np.zeros((0, 2), dtype=np.uint8)
    emptied = 0
    for run in range(200):
        generator = stream(run=run)
        measure = histogram_measure(
            empty, domain, epsilon="1/100", adjacency="add-remove", mode="simulate", generator=generator
        )
        if measure.emptied:
            emptied += 1
            assert [measure.probability(cell) for cell in range(4)] == [Fraction(1, 4)] * 4
            assert measure.draw(10, generator).drawn == 10
    assert 2 <= emptied <= 30  # each of the 4 noises is negative with probability 1/2: 12.5 are expected


def test_the_shifted_histogram_dominates_the_data_as_promised() -> None:
    """synthbounds.shifted-histogram (a), here with the integer lift: max P_n/mu <= 1 + N(B + lift)/n but for gamma."""
    domain = Domain((2,) * 5)
    records = np.zeros((3000, 5), dtype=np.uint8)
    records[:40] = some_records(domain, 40)
    frequencies = cells_of(domain, None).counts(records) / 3000
    lift, _ = shape("shifted", cells=32, scale=Fraction(10))
    bound = 1 + 32 * (10 * np.log(32 * 20) + lift) / 3000
    failures = 0
    for run in range(300):
        measure = histogram_measure(
            records,
            domain,
            epsilon="1/5",
            adjacency="replace-one",
            mode="simulate",
            generator=stream(run=run),
            variant="shifted",
        )
        occupied = frequencies > 0
        failures += bool((frequencies[occupied] > bound * measure.probabilities_est()[occupied]).any())
    assert failures <= 30  # gamma = 1/20 allows 15 on average


@pytest.mark.parametrize(
    ("nu", "n", "infinite", "median", "q95", "mixed_mean"),
    [
        ("uniform:8", 1000, 2.541e-5, 1.015910, 1.047537, 1.004732),
        ("uniform:32", 1000, 0.561605, None, None, 1.058392),
        ("uniform:32", 10_000, 1.9e-12, 1.004988, 1.007876, 1.001275),
        ("uniform:256", 10_000, 0.956162, None, None, 1.041189),
        ("uniform:256", 100_000, 0.0, 1.003884, 1.004545, 1.000966),
        ("zipf:32", 10_000, 0.001316, 1.007208, 1.015256, 1.226545),
        ("zipf:256", 100_000, 0.037512, 1.007501, 1.035282, 1.362557),
    ],
)
def test_kappa_of_the_perturbed_histogram(
    nu: str, n: int, infinite: float, median: float | None, q95: float | None, mixed_mean: float
) -> None:
    """Figures from an independent simulation of 4000 runs each; the probability is a lower bound, nearly exact."""
    table = distribution(nu, "nu").probabilities
    found = simulate_kappa(table, n=n, epsilon=Fraction(1, 5), runs=2000, seed=11)
    assert found.infinite_high_est >= infinite
    assert found.infinite_low_est <= infinite + 0.002
    if median is None or q95 is None:
        assert found.median_est == float("inf")
    else:
        assert found.median_est - 1 == pytest.approx(median - 1, rel=0.06)
        assert found.q95_est - 1 == pytest.approx(q95 - 1, rel=0.25 if infinite > 0.03 else 0.12)
    mixed = simulate_kappa(table, n=n, epsilon=Fraction(1, 5), runs=500, seed=11, variant="mixed")
    assert mixed.infinite == 0
    assert mixed.median_est == pytest.approx(mixed_mean, rel=0.01)  # half uniform: hardly skewed


def test_the_measure_and_the_simulation_of_kappa_agree() -> None:
    """The histogram that the algorithm makes has the kappa that the simulation reports, in distribution."""
    nu = np.full(8, 1 / 8)
    domain = Domain((2, 2, 2))
    kappas = []
    for run in range(400):
        generator = stream(3, run)
        records = domain.points(np.repeat(np.arange(8), generator.multinomial(1000, nu)))
        measure = histogram_measure(
            records, domain, epsilon="1/5", adjacency="replace-one", mode="simulate", generator=generator
        )
        with np.errstate(divide="ignore"):
            kappas.append(float((nu**2 / measure.probabilities_est()).sum()))
    assert np.median(kappas) - 1 == pytest.approx(0.015910, rel=0.12)
    released = [
        histogram_measure(
            domain.points(np.repeat(np.arange(8), stream(4, run).multinomial(1000, nu))),
            domain,
            epsilon="1/5",
            adjacency="replace-one",
            mode="release",
        ).probabilities_est()
        for run in range(200)
    ]
    exact_noise = np.median([float((nu**2 / mu).sum()) for mu in released])
    assert exact_noise - 1 == pytest.approx(0.015910, rel=0.3)  # about 4 standard errors: a release has no seed


# --- grid ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "q"), [(12, 4), (10, 4), (7, 7), (101, 6), (65536, 9)])
def test_cells_are_runs_of_codes_of_nearly_equal_length(size: int, q: int) -> None:
    domain = Domain((size,))
    cells = cells_of(domain, q)
    runs = cells.numbers(np.arange(size)[:, None])
    assert np.all(np.diff(runs) >= 0)
    lengths = np.bincount(runs, minlength=q)
    assert set(lengths) <= {size // q, -(-size // q)}
    starts = cells.first_code(0, np.arange(q + 1))
    assert np.array_equal(np.diff(starts), lengths)


def test_points_of_a_grid_stay_in_their_cells_and_are_uniform_there() -> None:
    domain = Domain((10, 9))
    cells = cells_of(domain, (4, 3))
    numbers = np.repeat(np.arange(12), 3000)
    points = cells.draw_inside(numbers, stream())
    assert np.array_equal(cells.numbers(points), numbers)
    inside = points[numbers == 0]
    counts = np.bincount(inside[:, 0].astype(int) * 3 + inside[:, 1], minlength=9)
    assert chi_square_is_likely(counts, np.full(9, 1 / 9))


def test_a_grid_as_fine_as_the_codes_is_the_histogram() -> None:
    records = some_records(MIXED, 300)
    options = {"epsilon": 1, "adjacency": "replace-one", "mode": "simulate"}
    whole = histogram_measure(records, MIXED, generator=stream(), **options)  # type: ignore[arg-type]
    grid = grid_measure(
        records,
        MIXED,
        cells_per_axis=4,
        variant="plain",
        generator=stream(),
        **options,  # type: ignore[arg-type]
    )
    assert grid.cells.are_points
    assert np.array_equal(whole.weights, grid.weights)


def test_kappa_of_the_grid_stays_below_its_bounds() -> None:
    """IV.1'' with nu = 1/2 + x, q = 6, n = 4596; part B with the tent 4 min(x, 1-x), q = 5, n = 2120."""
    size = 6 * 5 * 40
    domain = Domain((size,))
    middle = (np.arange(size) + 0.5) / size
    for density, q, n, variant, bound, typical in (
        (0.5 + middle, 6, 4596, "plain", 12 / 5, 1.003947),
        (4 * np.minimum(middle, 1 - middle), 5, 2120, "covering", 125 / 48, 1.08),
    ):
        nu = density / density.sum()
        cell = cells_of(domain, q).numbers(np.arange(size)[:, None])
        kappas = []
        for run in range(60):
            generator = stream(9, run)
            records = np.repeat(np.arange(size), generator.multinomial(n, nu))[:, None]
            measure = grid_measure(
                records,
                domain,
                cells_per_axis=q,
                epsilon="1/5",
                adjacency="replace-one",
                mode="simulate",
                generator=generator,
                variant=variant,
            )
            mu = measure.probabilities_est()[cell] * q / size
            kappas.append(float((nu**2 / mu).sum()))
        assert max(kappas) <= bound
        assert np.mean(kappas) == pytest.approx(typical, rel=0.02)


def test_cells_for_a_lipschitz_density() -> None:
    assert cells_for_lipschitz(3, 1) == 2
    assert cells_for_lipschitz(3, 1, tau="1/2") == 1
    assert cells_for_lipschitz(2, 6) == cells_for_lipschitz(2, 6, tau="1/4") == 7
    assert cells_for_lipschitz(2, 0) == 1
    assert cells_for_lipschitz(1, 4) == 4


# --- what is refused, and what nothing depends on ------------------------------------------------------------------


def test_a_huge_domain_is_refused_before_memory_is_taken() -> None:
    domain = Domain((2,) * 48)
    records = np.zeros((3, 48), dtype=np.uint8)
    tracemalloc.start()
    with pytest.raises(ParameterError, match=r"cells = about 2\^48: must be at most 4194304 \(.*28 PB"):
        histogram_measure(records, domain, epsilon=1, adjacency="replace-one", mode="release")
    with pytest.raises(ParameterError, match="cells"):
        histogram_measure(
            records, Domain((2,) * 4000), epsilon=1, adjacency="replace-one", mode="simulate", generator=stream()
        )
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 2**20


def test_the_limit_on_cells_is_kept_to_the_cell() -> None:
    assert cells_of(MIXED, None, most_cells=24).count == 24
    with pytest.raises(ParameterError, match="cells = 24: must be at most 23"):
        cells_of(MIXED, None, most_cells=23)


def test_bad_records_and_bad_grids_are_refused() -> None:
    def histogram(records: np.ndarray, **options: object) -> object:
        settings = {"epsilon": 1, "adjacency": "replace-one", "mode": "release", **options}
        return histogram_measure(records, MIXED, **settings)  # type: ignore[arg-type]

    with pytest.raises(DataError, match="3 columns"):
        histogram(np.zeros((4, 2), dtype=np.uint8))
    with pytest.raises(DataError, match="outside"):
        histogram(np.full((4, 3), 2, dtype=np.uint8))
    records = some_records(MIXED, 10)
    with pytest.raises(ParameterError, match="between 1 and its 3 codes"):
        histogram(records, cells_per_axis=(2, 4, 4))
    with pytest.raises(ParameterError, match="one per attribute"):
        histogram(records, cells_per_axis=(2, 2))
    with pytest.raises(ParameterError, match="at least 1"):
        histogram(records, cells_per_axis=0)
    with pytest.raises(ParameterError, match="epsilon"):
        histogram(records, epsilon=0)
    with pytest.raises(ParameterError, match="adjacency"):
        histogram(records, adjacency="none")
    with pytest.raises(UsageError, match="operating system"):
        histogram(records, generator=stream())


def test_the_order_of_records_does_not_matter() -> None:
    records = some_records(MIXED, 500)
    shuffled = stream(1).permutation(records)
    first, second = (
        histogram_measure(
            table, MIXED, epsilon=1, adjacency="replace-one", mode="simulate", generator=stream(2)
        ).weights
        for table in (records, shuffled)
    )
    assert np.array_equal(first, second)


SCRIPT = """
import sys
import numpy as np
from release.data.domain import Domain
from lp.measures.bernstein import bernstein_measure
from lp.measures.histogram import histogram_measure
domain = Domain((5, 5))
records = np.arange(50).reshape(25, 2) % 5
settings = {"epsilon": 1, "adjacency": "replace-one", "mode": sys.argv[1]}
stream = np.random.Generator(np.random.Philox(key=8)) if sys.argv[1] == "simulate" else None
for measure in (
    histogram_measure(records, domain, generator=stream, variant="mixed", **settings),
    bernstein_measure(records, domain, degree=3, bandwidth="1/2", generator=stream, **settings),
):
    points = measure.draw(40, stream)
    print(points.codes.tolist(), points.multiplicity.tolist(), points.description)
print("release.noise.simulated" in sys.modules)
"""


def run_script(mode: str, hash_seed: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, mode],
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_the_hash_seed_does_not_matter() -> None:
    assert run_script("simulate", "1") == run_script("simulate", "2")


def test_a_release_never_loads_the_noise_of_simulations() -> None:
    assert run_script("release", "0").splitlines()[-1] == "False"
    assert run_script("simulate", "0").splitlines()[-1] == "True"


def test_measures_draw_no_noise_of_their_own() -> None:
    """Only integers, uniform choices and Betas are drawn here, all of them after the noise."""
    forbidden = {"laplace", "normal", "standard_normal", "exponential", "geometric", "gamma", "logistic"}
    for path in sources("lp/measures"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        calls = {
            node.func.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        }
        assert not calls & forbidden, path.name
        modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        assert simulated.__name__ not in modules, path.name


def test_release_mode_reaches_the_exact_sampler(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[dict[str, Any]] = []
    from lp.measures import histogram

    def spy(counts: list[int], **options: Any) -> Paid:
        asked.append(options)
        return noisy_counts(counts, **options)

    monkeypatch.setattr(histogram, "noisy_counts", spy)
    histogram_measure(some_records(MIXED, 20), MIXED, epsilon="1/3", adjacency="add-remove", mode="release")
    assert len(asked) == 1
    assert asked[0]["sensitivity"].amount == 1
    assert {name: asked[0][name] for name in ("epsilon", "mode", "generator")} == {
        "epsilon": Fraction(1, 3),
        "mode": "release",
        "generator": None,
    }
