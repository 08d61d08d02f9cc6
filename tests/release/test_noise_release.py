"""Releases: exact noise only, no seed, no numpy, no more privacy spent than asked for."""

from __future__ import annotations

import ast
import inspect
import math
import secrets
import sys
from collections import deque
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from bounds.errors import BudgetError, DataError, NotCertified, ParameterError, UsageError
from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from bounds.privacy.sensitivity import l1_sensitivity
from bounds.privacy.statements import DP
from bounds.queries import family_of_degree
from release.measure import Measurement, measure
from release.noise import cube, rounded_gaussian
from release.noise.choice import choose_noise
from release.noise.draw import draw
from release.noise.exact import laplace_measurement, opendp, run_measurement, with_exact_noise
from release.noise.exponential import exponential
from release.noise.geometric import geometric
from release.noise.kinds import LATTICE_KINDS, NoisePlan
from release.noise.laplace import laplace_noise
from release.noise.lattice import lattice_sums
from release.noise.quantiles import largest_noise
from release.noise.randomness import read_randomness
from release.statistics.statistic import Counted
from tests.paths import PACKAGES, source_of

RELEASING = (
    "release.noise.exact",
    "release.noise.cube",
    "release.noise.choice",
    "release.noise.quantiles",
    "release.noise.lattice",
    "release.noise.rounded_gaussian",
    "release.noise.geometric",
    "release.noise.exponential",
)
FACTS = family_of_degree("monomials", 4, 2, 2)


def plan(mechanism: str, **changes: object) -> NoisePlan:
    asked: dict[str, object] = {
        "epsilon": "0.5",
        "dp_delta": "1e-6",
        "n": 100,
        "adjacency": "replace-one",
        "beta": "0.05",
        "mode": "release",
    }
    return choose_noise(FACTS, 3, mechanism=mechanism, **(asked | changes))  # type: ignore[arg-type]


def released(found: NoisePlan, sums: list[int], *, n: int, anchor: list[int] | None = None) -> Measurement:
    """What a release of these sums would publish."""
    exact = Counted(n=n, values=tuple(lattice_sums(found, sums, n=n, anchor=anchor)))
    ledger = Ledger.of(found.total)
    return measure(exact, found.noise, ledger, what="answers", randomness=read_randomness("release"))[0]


def with_laplace(values: list[int], *, l1: int, epsilon: Fraction) -> tuple[list[int], Fraction]:
    """Counts with exact noise, and the scale that was used."""
    moved = l1_sensitivity(value=l1, adjacency="replace-one", n_is_public=True)
    noise = laplace_noise(len(values), sensitivity=moved, epsilon=epsilon, mode="release")
    assert isinstance(noise.scales, Fraction)
    return [int(value) for value in draw(noise, values, read_randomness("release"))], noise.scales


# --- numpy's noise cannot get here -------------------------------------------------------------------------------


def imports_of(path: Path) -> set[str]:
    """Every module that the source names in an import, wherever it stands; names of packages' members included."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None
            assert node.level == 0
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def imports_at_once(path: Path) -> set[str]:
    """The same without what stands in functions, or is there for type checkers only."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found.add(node.module)
    return found


def reachable(start: str) -> dict[str, set[str]]:
    """Our modules that importing `start` may import, at once or later, with what each imports."""
    graph: dict[str, set[str]] = {}
    queue = deque([start])
    while queue:
        module = queue.popleft()
        path = source_of(module)
        assert path is not None or module != start, f"{start} is no module"
        if module in graph or path is None:
            continue
        graph[module] = imports_of(path)
        queue.extend(name for name in graph[module] if name.split(".")[0] in PACKAGES)
        for k in range(1, module.count(".") + 1):  # packages around it: what they import at once
            package = source_of(module.rsplit(".", k)[0])
            assert package is not None
            queue.extend(name for name in imports_at_once(package) if name.split(".")[0] in PACKAGES)
    return graph


def random_numbers(graph: dict[str, set[str]]) -> set[str]:
    """Modules that name numpy's random numbers, Python's, or the simulation."""
    found = set()
    for module, names in graph.items():
        path = source_of(module)
        assert path is not None
        named = any(
            n == "random" or n.startswith(("numpy.random", "random.", "release.noise.simulated")) for n in names
        )
        used = any(
            isinstance(node, ast.Attribute) and node.attr in ("random", "default_rng")
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        )
        if named or used:
            found.add(module)
    return found


@pytest.mark.parametrize("module", RELEASING)
def test_no_import_leads_from_a_release_to_simulated_noise(module: str) -> None:
    graph = reachable(module)
    assert "bounds.enclosure" in graph
    assert "release.noise.simulated" not in graph
    assert random_numbers(graph) == set()
    ours = [m for m in graph if m.startswith("release.")]
    assert module in ours
    assert not any(name.split(".")[0] == "numpy" for m in ours for name in graph[m])


def test_the_search_for_imports_finds_simulated_noise_where_it_is() -> None:
    graph = reachable("release.noise.draw")
    assert {"release.noise.simulated", "release.noise.exact"} <= graph.keys()
    assert {"release.noise.simulated", "release.noise.draw"} <= random_numbers(graph)


def _refuse(*_: object, **__: object) -> None:
    raise AssertionError("a random number of numpy or of Python's generator was asked for")


@pytest.fixture
def _no_numpy_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    import random

    opendp()  # whatever it imports may name numpy's generators; drawing from them is what is switched off
    for name in ("Generator", "Philox", "PCG64", "RandomState", "default_rng", "laplace", "normal", "random", "seed"):
        monkeypatch.setattr(np.random, name, _refuse)
    for name in ("random", "getrandbits", "gauss", "Random"):
        monkeypatch.setattr(random, name, _refuse)
    monkeypatch.setitem(sys.modules, "release.noise.simulated", None)


@pytest.mark.usefixtures("_no_numpy_noise")
@pytest.mark.parametrize("mechanism", LATTICE_KINDS)
@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
def test_releases_run_with_numpys_noise_switched_off(mechanism: str, adjacency: str) -> None:
    anchor = [0] * 10 if adjacency == "add-remove" else None
    found = released(plan(mechanism, adjacency=adjacency), [150] * 10, n=100, anchor=anchor)
    assert not found.is_simulated
    assert all(type(value) is int for value in found.values)
    assert len(found.values) == 10
    assert len(with_laplace([1, 2, 3], l1=2, epsilon=Fraction(1, 10))[0]) == 3
    simulated = plan(mechanism, adjacency=adjacency, mode="simulate").noise
    with pytest.raises(ImportError):
        draw(simulated, [0] * 10, read_randomness("simulate", seed=1))


@pytest.mark.parametrize(
    "function",
    [with_exact_noise, cube.sample_cube, run_measurement, rounded_gaussian.rounded_gaussian, geometric, exponential],
)
def test_no_release_takes_a_seed_or_a_source(function: object) -> None:
    names = set(inspect.signature(function).parameters)  # type: ignore[arg-type]
    assert not names & {"seed", "run", "generator", "rng", "source", "random_state", "draw", "bits"}
    for more in ({"seed": 0}, {"run": 1}, {"stream": np.random.default_rng(1)}):
        with pytest.raises(UsageError, match="operating system"):
            read_randomness("release", **more)  # type: ignore[arg-type]


def test_the_cube_asks_the_operating_system() -> None:
    assert cube.secrets is secrets
    tree = ast.parse(inspect.getsource(cube.sample_cube))
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "LazyUniform"]
    assert [ast.unparse(call.args[0]) for call in calls] == ["secrets.randbits"] * 2


def test_the_rounded_gaussian_asks_the_operating_system() -> None:
    assert rounded_gaussian.secrets is secrets
    body = ast.parse(inspect.getsource(rounded_gaussian.rounded_gaussian)).body[0]
    assert isinstance(body, ast.FunctionDef)
    assert ast.unparse(body.body[-1]) == "return _draw_all(sd, count, secrets.randbits)"


# --- what is spent -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", ["1e-4", "0.1", "1/3", "0.7", "3", "50"])
@pytest.mark.parametrize("mechanism", LATTICE_KINDS)
@pytest.mark.parametrize("adjacency", list(Adjacency))
def test_what_is_spent_is_just_below_the_budget(epsilon: str, mechanism: str, adjacency: Adjacency) -> None:
    found = plan(mechanism, epsilon=epsilon, adjacency=adjacency)
    spent = released(found, [150] * 10, n=100, anchor=[3] * 10).noise.cost
    assert isinstance(spent, DP)
    assert spent.adjacency is adjacency
    assert found.epsilon * (1 - Fraction(1, 2**40)) < spent.epsilon.hi <= found.epsilon
    assert spent.delta.hi == (Fraction(1, 10**6) if mechanism == "gaussian" else 0)
    if mechanism == "linf":
        assert spent.epsilon.lo == spent.epsilon.hi == found.epsilon


@pytest.mark.parametrize("mechanism", LATTICE_KINDS)
def test_a_plan_with_too_little_noise_is_refused(mechanism: str) -> None:
    found = plan(mechanism)
    short = replace(found, scale=Fraction(float(found.scale * Fraction(999, 1000))))
    with pytest.raises(BudgetError, match="only"):
        released(short, [150] * 10, n=100)
    wrong = replace(found, sensitivity=plan("linf" if mechanism != "linf" else "laplace").sensitivity)
    with pytest.raises((UsageError, BudgetError)):
        released(wrong, [150] * 10, n=100)
    with pytest.raises(UsageError, match="mode = simulate"):
        released(plan(mechanism, mode="simulate"), [150] * 10, n=100)


@pytest.mark.parametrize("mechanism", ["laplace", "gaussian"])
def test_a_sampler_that_states_more_than_was_charged_does_not_draw(mechanism: str) -> None:
    noise = plan(mechanism).noise
    assert isinstance(noise.scales, Fraction)
    with pytest.raises(NotCertified, match="privacy loss"):
        with_exact_noise(replace(noise, scales=Fraction(float(noise.scales * Fraction(999, 1000)))), [150] * 10)
    with pytest.raises(UsageError, match="not the one"):
        with_exact_noise(replace(noise, sensitivity=plan("linf").sensitivity), [150] * 10)


def test_the_samplers_own_statement_is_within_the_budget() -> None:
    for sensitivity in (1, 2, 110, 10**15 + 1):
        for epsilon in (Fraction(1, 5), Fraction(1, 3), Fraction(7, 10), Fraction(1, 10**6)):
            noisy, scale = with_laplace([5], l1=sensitivity, epsilon=epsilon)
            assert len(noisy) == 1
            stated = Fraction(laplace_measurement(scale).map(sensitivity))
            assert sensitivity / scale <= stated <= epsilon


def test_missing_opendp_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opendp.measurements", None)
    with pytest.raises(UsageError, match=r"pip install 'synthbounds\[release\]'") as caught:
        with_laplace([1], l1=1, epsilon=Fraction(1))
    assert "\n" not in str(caught.value)
    released(plan("linf"), [150] * 10, n=100)  # needs no OpenDP


# --- the laws that are drawn from --------------------------------------------------------------------------------

DRAWS = 20_000
FAR = 8
"""Standard errors; beyond this by chance with probability below 1e-13."""


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(3), Fraction(2**20)])
def test_discrete_laplace_has_its_mean_and_variance(scale: Fraction) -> None:
    noisy, used = with_laplace([7] * DRAWS, l1=1, epsilon=1 / scale)
    p = math.exp(-1 / float(used))
    variance = 2 * p / (1 - p) ** 2
    noise = np.array(noisy, dtype=float) - 7
    kurtosis = 6 + 1 / variance  # an upper bound: 6 for the continuous law, 1/variance for rare steps of size one
    assert abs(noise.mean()) <= FAR * math.sqrt(variance / DRAWS)
    assert abs(noise.var() / variance - 1) <= FAR * math.sqrt(kurtosis / DRAWS)


@pytest.mark.parametrize("mechanism", LATTICE_KINDS)
def test_released_noise_stays_within_its_quantile_as_often_as_promised(mechanism: str) -> None:
    found = plan(mechanism)
    limit = largest_noise(found.mechanism, found.mode, count=found.count, scale=found.scale, beta=Fraction(1, 2))
    runs = 600
    outside = 0
    for _ in range(runs):
        noisy = released(found, [150] * 10, n=100).values
        outside += max(abs(value - 150) for value in noisy) > limit
    assert outside <= runs / 2 + FAR * math.sqrt(runs) / 2
    assert outside >= runs / 4 - FAR * math.sqrt(3 * runs) / 4


def test_discrete_gaussian_has_its_mean_and_variance() -> None:
    found = plan("gaussian")
    wide = replace(found, count=DRAWS)
    noise = np.array(released(wide, [0] * DRAWS, n=100).values, dtype=float)
    sigma = float(found.scale)
    assert sigma > 10
    assert abs(noise.mean()) <= FAR * sigma / math.sqrt(DRAWS)
    assert abs(noise.var() / sigma**2 - 1) <= FAR * math.sqrt(2 / DRAWS)


def test_sums_that_do_not_fit_are_refused_and_noise_saturates() -> None:
    with pytest.raises(ParameterError, match="2\\^62"):
        with_laplace([2**62 + 1], l1=1, epsilon=Fraction(1))
    noisy, _ = with_laplace([2**62] * 200, l1=1, epsilon=Fraction(1, 2**70))
    assert max(noisy) == 2**63 - 1  # fails with probability below 2^-190
    assert min(noisy) == -(2**63)


def test_simulated_noise_is_that_of_its_stream() -> None:
    noise = plan("laplace", mode="simulate").noise
    drawn = [draw(noise, [4] * 10, read_randomness("simulate", stream=np.random.default_rng(9))) for _ in range(2)]
    assert drawn[0] == drawn[1]
    assert all(type(value) is float for value in drawn[0])
    for more in ({}, {"seed": 1, "stream": np.random.default_rng(1)}):
        with pytest.raises(UsageError, match="a simulation records its seed"):
            read_randomness("simulate", **more)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="mode = x"):
        read_randomness("x", seed=1)
    with pytest.raises(DataError, match="2 numbers for noise on 10"):
        draw(noise, [4] * 2, read_randomness("simulate", seed=1))
