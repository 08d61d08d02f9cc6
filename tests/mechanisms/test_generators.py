"""Generators: gradients against differences, exact charges, rows as near as shares say, and what is refused."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from bounds.errors import DataError, NotApplicable, ParameterError, UsageError
from bounds.privacy.adjacency import Adjacency
from mechanisms.generators import gem as gem_module
from mechanisms.generators import merf as merf_module
from mechanisms.generators import smartnoise
from mechanisms.generators.fit_features import FeatureTarget, add_wave_gradient, mean_waves
from mechanisms.generators.fit_tables import ColumnTargets, PairTarget, Products, add_columns, add_pair, residual_of
from mechanisms.generators.gem import plan_gem, rows_of_gem, run_gem
from mechanisms.generators.merf import plan_merf, rows_of_merf, run_merf
from mechanisms.generators.network import Network
from mechanisms.generators.outputs import Mixture, Outputs
from mechanisms.mechanism import Public
from release.data.domain import Domain
from release.data.schema import Schema, schema_of_domain
from release.log.file import MarginalLog
from release.log.impossible import Impossible
from release.log.read import parse_log
from release.log.steps import ChoiceStep, TableStep
from release.noise.randomness import read_randomness
from release.statistics.fourier_features import squared_length
from synthbounds.schemas import json_schema
from tests.cross_examples import SCHEMA, table

ADD, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE
N = 2000
RUNS: dict[str, Any] = {"gem": (plan_gem, run_gem, rows_of_gem), "merf": (plan_merf, run_merf, rows_of_merf)}
FEWER: dict[str, dict[str, int]] = {"gem": {}, "merf": {"features": 100}}
KINDS: list[dict[str, Any]] = [{}, {"adjacency": ADD, "size": 1500}, {"mode": "release"}, {"reserve": Fraction(1, 7)}]


@pytest.fixture
def one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a fit, and a short one: enough to be near."""
    for module, steps in ((gem_module, "_LAST_STEPS"), (merf_module, "_STEPS")):
        monkeypatch.setattr(module, "_MOST_PASSES", 1)
        monkeypatch.setattr(module, steps, 200)


def planned(method: str, *, schema: Schema = SCHEMA, adjacency: Adjacency = REPLACE, size: int = N, **said: Any) -> Any:
    budget = {"epsilon": Fraction(1), "dp_delta": Fraction(1, 10**6), "mode": "simulate"}
    return RUNS[method][0](Public(schema=schema, adjacency=adjacency, size=size), **budget | said)


def made(method: str, *, records: Any = None, seed: int = 3, **said: Any) -> MarginalLog:
    plan = planned(method, **said)
    simulated = plan.log.is_simulated
    randomness = read_randomness("simulate", seed=seed) if simulated else read_randomness("release")
    found: MarginalLog = RUNS[method][1](table(N) if records is None else records, plan, randomness)
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_gem_spends_its_budget_to_the_last_fraction_and_asks_no_pair_twice(kind: dict[str, Any]) -> None:
    log, plan = made("gem", **kind), planned("gem", **kind)
    whole = log.ledger.total * (1 - kind.get("reserve", Fraction(0)))
    assert sum((step.rho for step in log.steps), Fraction(0)) == log.ledger.spent == whole
    assert sum((step.rho for step in log.tables[:5]), Fraction(0)) == plan.start
    rounds = list(zip(log.steps[5::2], log.steps[6::2], strict=True))
    assert len(rounds) == plan.rounds == 10
    assert len({choice.chosen for choice, _ in rounds}) == 10
    for left, (choice, measured) in zip(range(10, 0, -1), rounds, strict=True):
        assert isinstance(choice, ChoiceStep)
        assert isinstance(measured, TableStep)
        assert (len(choice.candidates), choice.chosen) == (left, measured.columns)
        assert choice.rho * 9 == measured.rho
    moved = 2 if log.size_is_exact else 1
    for step in log.tables:
        assert step.rho * Fraction(999999, 10**6) < moved / (2 * step.sd**2) <= step.rho
    _reads_back(log)


@pytest.mark.parametrize("label", [None, "pays", "size"])
@pytest.mark.parametrize("kind", KINDS)
def test_merf_releases_every_feature_once_at_one_price(kind: dict[str, Any], label: str | None) -> None:
    log = made("merf", label=label, features=20, **kind)
    whole = log.ledger.total * (1 - kind.get("reserve", Fraction(0)))
    assert sum((step.rho for step in log.steps), Fraction(0)) == log.ledger.spent == whole
    assert len(log.steps) == 6
    (answers,) = log.answers
    assert answers.queries == tuple(range(20))
    assert len(answers.sums) == 20 * 2 * {None: 1, "pays": 2, "size": 5}[label]
    moved = squared_length() * 20 * (4 if log.size_is_exact else 1)
    assert answers.rho * Fraction(999999, 10**6) < moved / (2 * answers.sd**2) <= answers.rho
    _reads_back(log)


def _reads_back(log: MarginalLog) -> None:
    Draft202012Validator(json_schema("release-marginal-log")).validate(json.loads(log.to_text()))
    assert parse_log(log.to_text()) == log


@pytest.mark.share(3)
@pytest.mark.usefixtures("one_pass")
@pytest.mark.parametrize("method", ["gem", "merf"])
@pytest.mark.parametrize("kind", KINDS[:2])
def test_rows_are_a_function_of_the_log_and_near_the_records(method: str, kind: dict[str, Any]) -> None:
    """With little noise: distances of pairs, in L1, are far below those of independent columns."""
    log = made(method, epsilon=Fraction(20), **kind, **FEWER[method])
    rows_of = RUNS[method][2]
    found = rows_of(log, 3000)
    assert found.codes.dtype == SCHEMA.domain.code_type
    assert np.array_equal(found.codes, rows_of(parse_log(log.to_text()), 3000).codes)
    assert not np.array_equal(found.codes, rows_of(log, 3000, seed=0).codes)
    real, stream = table(N), np.random.default_rng(0)
    apart = np.stack([stream.permutation(column) for column in real.T], axis=1)
    assert _distance(found.codes, real) < 0.4 * _distance(apart, real)


def _distance(rows: Any, others: Any) -> float:
    sizes = SCHEMA.domain.sizes
    pairs = [(u, v) for v in range(5) for u in range(v)]
    tables = [
        [
            np.bincount(r[:, u].astype(int) * sizes[v] + r[:, v], minlength=sizes[u] * sizes[v]) / len(r)
            for u, v in pairs
        ]
        for r in (rows, others)
    ]
    return float(np.mean([np.abs(one - other).sum() for one, other in zip(*tables, strict=True)]))


@pytest.mark.usefixtures("one_pass")
def test_merged_codes_are_neighbours_and_rows_have_all_of_them() -> None:
    schema = schema_of_domain(Domain((90, 3, 70)))
    stream = np.random.default_rng(4)
    first = stream.integers(0, 90, 4000)
    records = np.stack([first, first // 30, np.minimum(69, first // 2 + stream.integers(0, 25, 4000))], axis=1)
    for method in RUNS:
        log = made(
            method, records=records.astype(np.uint8), schema=schema, size=4000, epsilon=Fraction(20), **FEWER[method]
        )
        codes = RUNS[method][2](log, 4000).codes.astype(int)
        assert (log.groups is not None) is (method == "gem")
        assert np.abs(np.bincount(codes[:, 0], minlength=90) - np.bincount(first, minlength=90)).mean() < 10
        assert np.mean(codes[:, 0] // 30 == codes[:, 1]) > 0.9
        assert np.corrcoef(codes[:, 0], codes[:, 2])[0, 1] > 0.8


@pytest.mark.parametrize("sizes", [(40, 3, 90), (60_000, 3)])
def test_a_label_of_many_codes_and_columns_of_more_than_features_take(sizes: tuple[int, ...]) -> None:
    schema = schema_of_domain(Domain(sizes))
    records = (np.random.default_rng(2).random((500, len(sizes))) * sizes).astype(schema.domain.code_type)
    label = "x1" if sizes[0] < 100 else None
    log = made("merf", records=records, schema=schema, size=500, label=label)
    assert len(log.answers[0].queries) == {None: 2**22 // 60_003, "x1": 500}[label]
    assert rows_of_merf(log, 50).codes.shape == (50, len(sizes))


def test_a_pair_that_noise_would_drown_is_left_out_of_a_choice() -> None:
    schema = schema_of_domain(Domain((2, 3, 30, 25)))
    records = np.random.default_rng(1).integers(0, (2, 3, 30, 25), (300, 4)).astype(np.uint8)
    plan = planned("gem", schema=schema, size=300)
    log = made("gem", records=records, schema=schema, size=300)
    cells = {pair: plan.shape.cells(pair) for pair in plan.pairs}
    heard = {pair for pair in plan.pairs if plan.noise * cells[pair] < 600}
    assert set() < heard < set(plan.pairs)
    assert {step.chosen for step in log.choices} == set(log.choices[0].candidates) == heard
    assert log.ledger.spent == log.ledger.total


class TestGradients:
    """Against central differences, in double precision where nothing says otherwise."""

    sizes = (3, 2, 4)

    def shares(self, points: int = 6) -> tuple[Any, list[slice]]:
        stream = np.random.default_rng(7)
        blocks = [slice(0, 3), slice(3, 5), slice(5, 9)]
        return np.concatenate([stream.dirichlet(np.ones(size), points) for size in self.sizes], axis=1), blocks

    def test_of_columns(self) -> None:
        shares, _ = self.shares()
        stream = np.random.default_rng(1)
        target = ColumnTargets(stream.random(9).astype(np.float32), stream.random(9).astype(np.float32))
        found = np.zeros_like(shares)
        add_columns(found, shares, target)
        _is_gradient(found, shares, lambda at: float(target.weights @ (at.mean(axis=0) - target.shares) ** 2))

    def test_of_pairs_one_by_one_and_at_once(self) -> None:
        shares, blocks = self.shares()
        stream = np.random.default_rng(1)
        wanted = {pair: stream.random([self.sizes[u] for u in pair]) for pair in ((0, 1), (0, 2))}
        pairs = [PairTarget(u, table.astype(np.float32), 0.7 + u[1]) for u, table in wanted.items()]
        found, at_once = np.zeros_like(shares), np.zeros_like(shares)
        for pair in pairs:
            add_pair(found, shares, pair, blocks)
        losses = [lambda at, p=pair: p.weight * float((residual_of(at, p, blocks) ** 2).sum()) for pair in pairs]
        _is_gradient(found, shares, lambda at: sum(loss(at) for loss in losses))
        Products(pairs, blocks).add(at_once, shares)
        assert np.allclose(at_once, found, atol=1e-6)

    @pytest.mark.parametrize("label", [None, 1])
    def test_of_waves(self, label: int | None) -> None:
        """Frequencies that are not looked at are taken to say what the others do."""
        shares, blocks = self.shares()
        stream = np.random.default_rng(2)
        waves = {u: np.exp(2j * np.pi * stream.random((size, 5))) for u, size in enumerate(self.sizes) if u != label}
        wanted = stream.standard_normal((5, 1 if label is None else 2)) * (1 + 1j)
        target = FeatureTarget(label, waves, wanted)  # type: ignore[arg-type]
        chosen = np.array([3, 1])
        found = np.zeros_like(shares)
        add_wave_gradient(found, shares, target, chosen, blocks)
        left = lambda at: mean_waves(at, target, chosen, blocks) - wanted[chosen]  # noqa: E731
        _is_gradient(found, shares, lambda at: 2.5 * float((np.abs(left(at)) ** 2).sum()))

    def test_of_the_network(self) -> None:
        network = Network(self.sizes, np.random.default_rng(3), points=8)
        network.points = network.points.astype(float)  # type: ignore[assignment]
        network.weights = [weight.astype(float) for weight in network.weights]  # type: ignore[misc]
        slope: Any = np.random.default_rng(4).standard_normal((8, 9))
        network.forward()
        for weight, found in zip(network.weights, network.slopes(slope), strict=True):
            for place in [tuple(np.random.default_rng(i).integers(0, weight.shape)) for i in range(9)]:
                kept, ends = weight[place], []
                for step in (1e-6, -1e-6):
                    weight[place] = kept + step
                    ends.append(float((network.forward() * slope).sum()))
                weight[place] = kept
                assert abs((ends[0] - ends[1]) / 2e-6 - found[place]) < 1e-6


def _is_gradient(found: Any, shares: Any, loss: Any) -> None:
    for place in np.ndindex(shares.shape):
        change = np.zeros_like(shares)
        change[place] = 1e-6
        assert abs((loss(shares + change) - loss(shares - change)) / 2e-6 - found[place]) < 1e-5


def test_rows_of_a_point_have_every_code_as_often_as_its_share_says() -> None:
    sizes = (4, 2)
    outputs = Outputs(tuple(tuple(range(size)) for size in sizes), tuple(np.full(size, 1 / size) for size in sizes))
    stream = np.random.default_rng(5)
    for k in (1, 37, 400):
        shares = np.concatenate([stream.dirichlet(np.ones(size), 1) for size in sizes], axis=1).astype(np.float32)
        codes = Mixture(outputs, shares).rows(k, stream)
        for u, block in ((0, slice(0, 4)), (1, slice(4, 6))):
            exact = k * shares[0, block].astype(float)
            assert np.abs(np.bincount(codes[:, u], minlength=sizes[u]) - exact).max() < 1 + 1e-3
    sure = np.eye(4, dtype=np.float32)[np.arange(300) % 4]  # a point is sure of its codes: as many rows of each
    codes = Mixture(outputs, np.concatenate([sure, np.eye(2, dtype=np.float32)[np.arange(300) % 2]], axis=1)).rows(
        900, stream
    )
    assert np.bincount(codes[:, 0]).tolist() == [225] * 4
    assert np.array_equal(codes[:, 0] % 2, codes[:, 1])


BIG = schema_of_domain(Domain((3000, 2)))
ONE = schema_of_domain(Domain((3,)))
IMPOSSIBLE = (Impossible((0, 3), ((0, 1),)),)


@pytest.mark.parametrize(
    ("method", "said", "error", "line"),
    [
        ("gem", {"schema": ONE}, NotApplicable, "gem measures tables of two columns; the schema has one"),
        ("gem", {"rounds": 11}, ParameterError, "rounds = 11: must be 1 to 10"),
        ("gem", {"rounds": 0}, ParameterError, "rounds = 0: must be 1 to 10"),
        ("gem", {"most_codes": 1}, ParameterError, "most_codes = 1: must be at least 2"),
        (
            "gem",
            {"schema": BIG, "most_codes": 2500},
            NotApplicable,
            "gem: the columns have 2,502 codes.* at most 2,048",
        ),
        ("gem", {"impossible": IMPOSSIBLE}, NotApplicable, "impossible: gem cannot exclude combinations of codes"),
        ("merf", {"impossible": IMPOSSIBLE}, NotApplicable, "impossible: merf cannot exclude combinations of codes"),
        ("merf", {"label": "rent"}, ParameterError, 'label = "rent": must be a column of the schema'),
        ("merf", {"features": 0}, ParameterError, "features = 0: must be 1 to"),
        ("merf", {"schema": ONE, "label": "x1"}, NotApplicable, "columns besides the label: the schema has none"),
    ],
)
def test_what_cannot_be_run_is_refused_before_anything_is_read(
    method: str, said: dict[str, Any], error: type[Exception], line: str
) -> None:
    with pytest.raises(error, match=line) as refused:
        planned(method, **said)
    assert "\n" not in str(refused.value)


def test_rows_of_another_workload_are_refused() -> None:
    log = made("gem")
    with pytest.raises(DataError, match="must have one workload, of Fourier features"):
        rows_of_merf(log, 10)


def test_scores_are_whole_numbers_that_one_record_moves_by_a_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every candidate of every choice, with one record added to the table whose scores are taken."""
    seen: list[list[int]] = []
    scores = gem_module._Run._scores

    def kept(run: Any, pairs: Any) -> list[int]:
        before = scores(run, pairs)
        run._counts += extra
        seen.append([b - a for a, b in zip(before, scores(run, pairs), strict=True)])
        run._counts -= extra
        return before

    monkeypatch.setattr(gem_module._Run, "_scores", kept)
    record, starts = (3, 1, 0, 1, 4), np.cumsum([0, *SCHEMA.domain.sizes])
    extra = np.zeros((int(starts[-1]),) * 2)
    places = [starts[u] + code for u, code in enumerate(record)]
    extra[np.ix_(places, places)] = gem_module.RECORD_STEPS
    made("gem")
    assert len(seen) == 10
    moved = [change for changes in seen for change in changes]
    assert all(abs(change) <= gem_module.RECORD_STEPS for change in moved)
    assert {abs(change) for change in moved} >= {gem_module.RECORD_STEPS}


class TestSmartnoise:
    def test_it_is_named_or_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        domain = Domain((3, 2))
        records = np.zeros((4, 2), dtype=np.uint8)
        said: dict[str, Any] = {"epsilon": Fraction(1), "dp_delta": Fraction(1, 100), "rows": 4}
        monkeypatch.delenv(smartnoise.VARIABLE, raising=False)
        with pytest.raises(UsageError, match="smartnoise-synth is needed, in an environment of its own"):
            smartnoise.gan_rows(records, domain, "dpctgan", **said)
        with pytest.raises(UsageError, match="/nowhere: is not a file"):
            smartnoise.gan_rows(records, domain, "dpctgan", **said, python="/nowhere")
        with pytest.raises(ParameterError, match="epochs = 3: must be left out for patectgan"):
            smartnoise.gan_rows(records, domain, "patectgan", **said, epochs=3)
        with pytest.raises(ParameterError, match="method = gan: must be one of dpctgan, patectgan"):
            smartnoise.gan_rows(records, domain, "gan", **said)  # type: ignore[arg-type]

    @pytest.mark.slow
    @pytest.mark.parametrize("method", ["dpctgan", "patectgan"])
    def test_rows_are_codes_of_the_domain(self, method: Any) -> None:
        if not smartnoise.is_there():
            pytest.skip(f"not run: {smartnoise.VARIABLE} names no interpreter that has smartnoise-synth")
        domain, stream = Domain((3, 2, 5)), np.random.default_rng(0)
        records = stream.integers(0, (2, 2, 5), (1500, 3)).astype(np.uint8)  # one code is never met
        epochs = 1 if method == "dpctgan" else None
        rows = smartnoise.gan_rows(
            records, domain, method, epsilon=Fraction(2), dp_delta=Fraction(1, 10**4), rows=200, epochs=epochs
        )
        assert rows.shape == (200, 3)
        assert rows.dtype == domain.code_type
