"""A share from a finished table and what a release certifies about it: bounds against exact distances."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from bounds.errors import DataError, NotApplicable, ParameterError
from mechanisms.infer.shares import finished
from mechanisms.infer.shares.ask import ask_proportion_of_rows
from mechanisms.infer.shares.certified_binomial import population_from_bound
from mechanisms.infer.shares.event import read_events
from mechanisms.infer.shares.finished import certified_share
from release.accuracy.make import release_accuracy
from release.accuracy.workload import read_workload
from release.data.domain import Domain
from release.data.schema import schema_of_domain
from release.distance.file import DistanceRelease
from release.distance.make import release_distance
from release.statistics.features import choose_features
from tests.mechanisms.infer.share_examples import LEVEL, records, released, schema

FEATURES: list[dict[str, Any]] = [
    {"label": "ill", "one_hot": ["town", "job", "sex"]},
    {"label": "ill", "reduced": ["town", "job"]},
    {"label": "sex", "one_hot": ["town"], "linear": ["job", "ill"]},
]
QUESTIONS = (
    "ill=1",
    "sex=0",
    "town=1",
    "town=0|2",
    "job=0|1",
    "job=3",
    "ill=1 & town=0",
    "sex=1 & town=1|2",
    "ill=0 & sex=1",
)
WIDE = schema_of_domain(Domain((2, 3, 4, 2), ("ill", "town", "job", "sex")))


def wide(n: int, seed: int) -> Any:
    """Records with another column of two values."""
    sex = np.random.default_rng(seed + 1).integers(0, 2, n)
    return np.column_stack([records(n, seed), sex]).astype(WIDE.domain.code_type)


def met(codes: Any, text: str) -> Fraction:
    found = np.ones(len(codes), dtype=bool)
    for event in read_events(text, WIDE):
        found &= np.isin(codes[:, event.column], event.codes)
    return Fraction(int(found.sum()), len(codes))


def distances(real: Any, rows: Any, features: Any, size: int) -> tuple[Fraction, Fraction]:
    """Exactly what the two numbers say, in floats and rounded up, on the scale of the features."""
    one = float(features.one)
    moments = []
    for codes, factor in ((real, 1 / size), (rows, 1 / len(rows))):
        f, y = features.features(codes) / one, features.labels(codes) / features.label_one
        moments.append((factor * f.T @ y, factor * f.T @ f))
    first = np.linalg.norm(moments[0][0] - moments[1][0])
    second = np.abs(np.linalg.eigvalsh(moments[0][1] - moments[1][1])).max()
    return Fraction(float(first) + 1e-12), Fraction(float(second) + 1e-12)


@pytest.mark.parametrize("features", FEATURES, ids=lambda one: "-".join(map(str, one)) + one["label"])
@pytest.mark.parametrize("private", [False, True])
def test_no_share_is_further_off_than_the_moments_say(
    features: dict[str, Any], private: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the exact distance in the place of the noisy one, for pairs of random tables."""
    chosen, asked, loose = choose_features(WIDE, **features), 0, []
    for seed in range(6):
        real, rows = wide(150, seed), wide(70, seed + 50)
        size = (120, 190)[seed % 2] if private else 150  # a stated number may be too large
        release = release_distance(
            real,
            rows,
            chosen,
            epsilon=1,
            adjacency="add-remove" if private else "replace-one",
            mode="simulate",
            seed=1,
            least_size=size if private else None,
        )
        exact = distances(real, rows, chosen, size)
        monkeypatch.setattr(DistanceRelease, "radii", lambda self, failure, exact=exact: exact)
        for text in QUESTIONS:
            try:
                found = certified_share(release, rows, read_events(text, WIDE), Fraction(1, 20))
            except NotApplicable:
                continue
            asked += 1
            assert found.estimate == met(rows, text)
            assert found.least <= met(real, text) <= found.most
            assert found.records <= 150
            loose.append(float((found.most - found.least) / 2 / max(abs(found.estimate - met(real, text)), 1e-9)))
        monkeypatch.undo()
    assert asked >= 12
    assert min(loose) < 6


def test_the_best_mixture_is_reached() -> None:
    """Where one value of k + 1 takes from the others evenly, what is known of n makes the bound an equality."""
    chosen = choose_features(schema(), label="ill", one_hot=["town"], linear=["job"])
    events = read_events("town=0", schema())
    # D for the indicator of one code and the intercept, the others unseen: [[d, d], [d, 0]]
    d = 0.1
    norm = np.abs(np.linalg.eigvalsh(np.array([[d, d], [d, 0.0]]))).max()
    assert float(finished._exact_norm(chosen, events[0])) * norm == pytest.approx(d)


def test_a_seeded_bug_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finished, "_exact_norm", lambda features, event: Fraction(1, 4))
    with pytest.raises(AssertionError):
        test_no_share_is_further_off_than_the_moments_say(FEATURES[0], False, monkeypatch)


@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
def test_errors_of_cells_bound_the_share(adjacency: str) -> None:
    real, rows = wide(3000, 1), wide(800, 9)
    release = release_accuracy(
        real,
        rows,
        WIDE,
        read_workload("pairs", WIDE),
        epsilon=50,
        adjacency=adjacency,
        mode="simulate",
        seed=2,
        least_size=None if adjacency == "replace-one" else 3000,
    )
    for text in QUESTIONS:
        found = ask_proportion_of_rows(release, rows, proportion=text, level=LEVEL)
        assert found.table.lo <= met(real, text) <= found.table.hi
        assert found.population.lo < found.table.lo or found.table.lo == 0
        assert found.population.hi > found.table.hi
        assert found.table.kind == found.population.kind == "exact"
    alone = ask_proportion_of_rows(release, rows, proportion="town=1", level=LEVEL)
    cells = 2  # of town and ill, or of town and sex
    largest = release.errors(1 - LEVEL).largest
    assert alone.table.width == pytest.approx(2 * float(cells * largest), rel=1e-9)


def test_the_family_of_cells_has_them_all() -> None:
    rows = records(500, seed=3)
    release = release_accuracy(
        records(), rows, schema(), read_workload("cells:2", schema()), epsilon=9, adjacency="replace-one",
        mode="simulate", seed=2,
    )  # fmt: skip
    found = ask_proportion_of_rows(release, rows, proportion="town=1", level=LEVEL)
    assert found.table.width == pytest.approx(2 * float(release.errors(1 - LEVEL).largest), rel=1e-9)


def test_levels_multiply() -> None:
    """(1 - a)(1 - b) = 1 - alpha: an adversary who is at the bound makes the interval cover just so often."""
    n, p, failure, alpha = 60, 0.3, Fraction(1, 50), Fraction(1, 20)
    eta = Fraction(3, 60)
    covered = 0.0
    for count in range(n + 1):
        # rows that are too high by all of eta: the lower end is that of the count, less 2 eta of it lost above
        low, _ = population_from_bound(
            least=Fraction(count, n), most=Fraction(count, n) + 2 * eta, failure=failure, n=n, n_is_least=False,
            alpha=alpha,
        )  # fmt: skip
        covered += binom.pmf(count, n, p) * (float(low) <= p)
    each = (1 - float((1 - alpha) / (1 - failure))) / 2
    assert covered >= 1 - each
    one = population_from_bound(
        least=Fraction(1, 3), most=Fraction(1, 3), failure=failure, n=n, n_is_least=False, alpha=alpha, one_sided=True
    )
    both = population_from_bound(
        least=Fraction(1, 3), most=Fraction(1, 3), failure=failure, n=n, n_is_least=False, alpha=alpha
    )
    assert both[0] < one[0] < one[1] < both[1]
    often = population_from_bound(
        least=Fraction(1, 3), most=Fraction(1, 3), failure=alpha, n=n, n_is_least=False, alpha=alpha
    )
    assert often == (0, 1)


def test_what_cannot_be_answered() -> None:
    rows = records(200, seed=4)
    linear = choose_features(schema(), label="ill", linear=["town", "job"])
    distance = release_distance(records(), rows, linear, epsilon=1, adjacency="replace-one", mode="simulate", seed=1)
    with pytest.raises(NotApplicable, match="show only its mean"):
        ask_proportion_of_rows(distance, rows, proportion="town=1", level=LEVEL)
    with pytest.raises(DataError, match="is not the table"):
        ask_proportion_of_rows(distance, records(200, seed=5), proportion="ill=1", level=LEVEL)
    with pytest.raises(NotApplicable, match="without synthetic"):
        ask_proportion_of_rows(released(), rows, proportion="ill=1", level=LEVEL)
    with pytest.raises(ParameterError, match="not a column"):
        ask_proportion_of_rows(distance, rows, proportion="age=1", level=LEVEL)
    narrow = release_accuracy(
        records(), rows, schema(), read_workload("thresholds:1", schema()), epsilon=1, adjacency="replace-one",
        mode="simulate", seed=1,
    )  # fmt: skip
    with pytest.raises(NotApplicable, match="says nothing about cells of town"):
        ask_proportion_of_rows(narrow, rows, proportion="town=1", level=LEVEL)
