"""Moments and certificates from logs: exact without noise, within their radii with it; a distance has half of beta."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bounds.errors import NotApplicable, UsageError
from bounds.privacy.ledger import Ledger
from mechanisms.models.certify import log_tables
from mechanisms.models.certify.from_distance import certify_from_distance
from mechanisms.models.certify.from_log import LogCertificate, certify_from_log
from mechanisms.models.certify.from_moments import class_for
from mechanisms.models.certify.log_tables import moments_of_log, records_of
from mechanisms.models.certify.marginal_moments import MarginalMoments
from mechanisms.models.model import model_text
from mechanisms.models.train.from_public import train_from_table
from release.data.counting import counts
from release.data.source import as_source
from release.log.distance import with_distance
from release.log.file import MarginalLog
from release.log.make import OpenLog
from release.log.planned import LogPlan
from release.log.steps import ChoiceStep, TableStep
from release.noise.randomness import read_randomness
from release.statistics.features import FeatureMap, build_feature_map, choose_features
from release.statistics.moments import moment_sums
from synthbounds.cli import main
from synthbounds.render.log_certificate import log_certification_payload
from synthbounds.render.numbers import up
from tests.log_examples import made, plan, records
from tests.mechanisms.test_marginal_moments import HOT, LINEAR, NUMBER, SCHEMA
from tests.mechanisms.test_marginal_moments import records as small_records

BETA = Fraction(1, 20)
SETS = ((0, 1, 2), (1, 2), (1, 2, 3), (0, 3))
"""The pair (1, 2) is shown three times by them, and (0, 2) once more at the end."""


def log_of(
    seed: int, *, adjacency: str = "replace-one", n: int = 600, sets: Sequence[Any] = SETS, epsilon: object = 4
) -> tuple[MarginalLog, Any]:
    """One-way tables, then tables of these columns, each after a choice among them."""
    rows = small_records(seed, n)
    asked = LogPlan(
        schema=SCHEMA,
        method="aim",
        mode="simulate",
        ledger=Ledger.in_rho(epsilon=str(epsilon), dp_delta="1e-6", adjacency=adjacency),
        stated_size=n if adjacency == "replace-one" else n // 2,
    )
    opened = OpenLog(rows, asked, read_randomness("simulate", seed=seed))
    rho = opened.left
    opened.measure([(u,) for u in range(4)], rho=rho / 4)
    for columns in sets:
        opened.choose([columns], [0], moved=1, rho=rho / 100)
        opened.measure([columns], rho=rho / 8)
    opened.measure([(0, 2)], rho=opened.left)
    return opened.close(), rows


def without_noise(log: MarginalLog, rows: Any) -> MarginalLog:
    exact = counts(rows, log.schema.domain.sizes, [step.columns for step in log.tables])

    def clean(step: Any) -> Any:
        return (
            step if isinstance(step, ChoiceStep) else replace(step, counts=tuple(exact[step.columns].ravel().tolist()))
        )

    return replace(log, steps=tuple(clean(step) for step in log.steps))


@cache
def truth(seed: int, n: int, features: FeatureMap) -> tuple[Any, Any]:
    """E[y f] and E[f f'], from the records."""
    sums = moment_sums(small_records(seed, n), features)
    first = np.array([float(Fraction(v, n * features.one * features.label_one)) for v in sums.first])
    p = features.size
    second = np.zeros((p, p))
    for i in range(p):
        for j in range(i, p):
            second[i, j] = second[j, i] = float(Fraction(sums.second[i][j - i], n * features.one**2))
    return first, second


def errors(found: MarginalMoments, seed: int, n: int) -> tuple[Any, Any]:
    first, second = truth(seed, n, found.feature_map)
    return np.array(found.first, float) - first, np.array(found.second, float) - second


@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
@pytest.mark.parametrize("features", [LINEAR, HOT, NUMBER], ids=["linear", "hot", "number"])
def test_true_moments_are_within_the_radii(adjacency: str, features: FeatureMap) -> None:
    """Each of many logs may fail with probability 1/20; radii are so safe that none does, and not safer than that."""
    used = []
    for seed in range(8):
        log, _ = log_of(seed, adjacency=adjacency, sets=SETS[: 1 + seed % 4])
        found = moments_of_log(log, features, BETA)
        first, second = errors(found, seed, 600)
        radii = np.array(found.radii_second, float)
        assert np.all(np.abs(first) <= np.array(found.radii_first, float) + 1e-12)
        assert np.all(np.abs(second) <= radii + 1e-12)
        assert np.linalg.norm(first) <= float(found.k1) + 1e-12
        assert np.linalg.norm(second, 2) <= float(found.k2) + 1e-12
        used.append(np.max(np.abs(second)[radii > 0] / radii[radii > 0]))
    assert max(used) > 0.3


@pytest.mark.parametrize("adjacency", ["replace-one", "add-remove"])
def test_without_noise_the_moments_are_those_of_the_records(adjacency: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts of three columns are summed to pairs; with deviations of nearly 0 radii are nearly 0, too."""
    log, rows = log_of(3, adjacency=adjacency)
    monkeypatch.setattr(log_tables, "_deviation", lambda *_: Fraction(1, 10**9))
    found = moments_of_log(without_noise(log, rows), HOT, BETA)
    assert found.missing_pairs == found.missing_columns == ()
    first, second = errors(found, 3, 600)
    assert np.abs(first).max() < 1e-7
    assert np.abs(second).max() < 1e-7
    assert found.k2 < Fraction(1, 10**6)


def test_a_radius_is_the_quantile_times_the_norm_over_all_cells() -> None:
    """Of one table of three columns alone: the function of two columns is written out on all cells."""
    log, _ = log_of(1, sets=())
    step = TableStep(columns=(0, 1, 2), sd=Fraction(30), rho=log.rho / 3, counts=(25,) * 24)
    alone = replace(log, steps=(step,))
    found = moments_of_log(alone, LINEAR, BETA)
    values = [np.array([-1, 0, 1]), np.array([-1, 1]), np.array([-1, -1 / 3, 1 / 3, 1])]
    g = np.einsum("a,c->ac", values[0], values[2])[:, None, :] * np.ones((3, 2, 4))
    asked = sum(1 + 1 + codes - 1 for codes in (3, 2, 4)) + 3
    quantile = np.sqrt(2 * np.log(2 * asked / (0.05 * 0.89 / 3)))
    radius = quantile * 30.5 / 600 * np.sqrt(((g - g.mean()) ** 2).sum())
    assert float(found.radii_second[0][2]) == pytest.approx(radius, rel=1e-5)  # a third is rounded
    assert found.missing_pairs == (("c0", "c3"), ("c1", "c3"), ("c2", "c3"))
    assert found.missing_columns == ("c3",)


def test_parts_of_beta_add_up_to_no_more_than_beta() -> None:
    log, _ = log_of(2)
    assert sum(step.rho for step in log.tables) < log.rho
    assert (Fraction(89, 100), Fraction(1, 10)) == (log_tables.TABLES_SHARE, log_tables.SIZE_SHARE)


def test_merged_codes_show_no_features() -> None:
    """Codes of the columns 0, 1 and 4 are merged in pairs; in one-way tables they are not."""
    features = build_feature_map(plan().schema, label=plan().schema.names[3])
    log = made(merged=True)
    found = moments_of_log(log, features, BETA)
    names = log.schema.names
    shown = {tuple(names[u] for u in step.columns) for step in log.tables if set(step.columns) <= {2, 3}}
    assert found.missing_columns == ()
    assert {(names[2], names[3])} - shown <= set(found.missing_pairs)
    assert {(names[a], names[b]) for a, b in ((0, 1), (0, 3), (1, 4))} <= set(found.missing_pairs)


def test_the_number_of_records_is_known_up_to_the_first_tables() -> None:
    log, _ = log_of(5, adjacency="add-remove")
    size = records_of(log, BETA)
    assert abs(600 - size.records) <= size.unsure * size.records
    first = [step for step in log.tables if len(step.columns) == 1]
    precision = sum(1 / (prod([len(step.counts)]) * float(step.sd + Fraction(1, 2)) ** 2) for step in first)
    assert float(size.unsure) * size.records == pytest.approx(np.sqrt(2 * np.log(40) / precision), abs=1)
    public, _ = log_of(5)
    assert (records_of(public, BETA).records, records_of(public, BETA).unsure) == (600, 0)
    with pytest.raises(NotApplicable, match="does not begin with one-way tables"):
        records_of(replace(log, steps=log.steps[4:]), BETA)
    few = replace(first[0], counts=(1,) * len(first[0].counts))
    with pytest.raises(NotApplicable, match="not known well enough"):
        records_of(replace(log, steps=(few,)), BETA)


@cache
def with_distance_and_model() -> tuple[MarginalLog, Any]:
    """A log with a distance, and a model trained on other rows."""
    log = made(reserve=Fraction(1, 2), epsilon=20)
    features = choose_features(log.schema, label=log.schema.names[3], linear=["all"])
    rows = records()[::2]
    log = with_distance(log, records(), rows, features, read_randomness("simulate", seed=5))
    return log, train_from_table(as_source(rows, log.schema.domain), features, tau=2).model


@cache
def certified() -> LogCertificate:
    log, model = with_distance_and_model()
    return certify_from_log(log, model, class_for(model), beta=BETA)


def test_tables_and_distance_have_half_of_beta_each_and_the_least_counts() -> None:
    log, model = with_distance_and_model()
    assert log.distance is not None
    found, half = certified(), certify_from_distance(log.distance, model, class_for(model), beta=BETA / 2)
    alone = certify_from_log(replace(log, distance=None), model, class_for(model), beta=BETA / 2)
    assert found.distance_bound == half.bound
    assert found.tables_bound == alone.bound
    assert (found.bound, found.moments_beta) == (min(half.bound, alone.bound), BETA / 2)
    assert found.by == ("distance" if half.bound <= alone.bound else "tables")
    assert (alone.by, alone.distance_bound, alone.moments_beta) == ("tables", None, BETA / 2)


def test_a_distance_of_other_features_is_left_out() -> None:
    log, _ = with_distance_and_model()
    features = choose_features(log.schema, label=log.schema.names[3])
    model = train_from_table(as_source(records(), log.schema.domain), features, tau=2).model
    found = certify_from_log(log, model, class_for(model), beta=BETA)
    assert (found.by, found.distance_bound, found.moments_beta) == ("tables", None, BETA)
    strange = train_from_table(as_source(small_records(1, 50), SCHEMA.domain), LINEAR, tau=2).model
    with pytest.raises(UsageError, match="not those of the schema"):
        certify_from_log(log, strange, class_for(strange))


def test_the_command_says_which_and_names_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    log, model = with_distance_and_model()
    Path("log.json").write_text(log.to_text(), encoding="utf-8")
    Path("model.json").write_text(model_text(model), encoding="utf-8")
    assert main(["certify", "log.json", "model.json"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    for said in ("By the distance of the log", "Tables 7 of the log", "pairs in no table", "NOT A RELEASE"):
        assert said in text
    body = log_certification_payload(certified())
    assert f"by more than {up(certified().bound)}" in text
    assert Fraction(body["release"]["distance_bound"]) >= certified().bound
    assert body["release"]["missing_pairs"] == [list(pair) for pair in certified().moments.missing_pairs]
    assert main(["certify", "log.json", "model.json", "--held-out"]) == 2
    assert "held-out is for a release of moments, and this is a log" in capsys.readouterr().err
