"""Experiments of the papers: how runs are judged, what the files of runs depend on, and that runs can be repeated."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import binom, ttest_ind, ttest_rel

from verify import real_tables, regression_tables
from verify.claim import OF_RUNS, Claim, Kind, Verdict
from verify.claims import zhou2024_runs_table2, zhou2024_table2
from verify.experiments import recorded, rerun
from verify.experiments.compared import Pairs, alike, better, better_of, competitive_of, no_worse, title
from verify.experiments.headers import digests, header_of, is_of_this_code
from verify.experiments.recorded import FOLDER, recorded_lines
from verify.experiments.rerun import Rerun
from verify.experiments.statistics import (
    LEVEL,
    Signs,
    chance_of_as_many,
    chance_of_more,
    difference_interval,
    mean_interval,
    predictive_interval,
    quantile,
    share_interval,
    signs,
    standard_errors,
)
from verify.experiments.study import NAMES, find_study, numbers_of
from verify.ledger import all_claims
from verify.run import run_claim

EMPIRICAL = [claim for claim in all_claims() if claim.expected in OF_RUNS]
COUNTER = int(os.environ.get("SYNTHBOUNDS_COUNTER", "0"))
"""Which tenth of the claims the slow test makes runs of again."""
CHEAP_S = 1.0


# ---------------------------------------------------------------------------------------------------------- statistics


def test_signs_of_differences() -> None:
    assert signs([1.0, -2.0, 0.0, 3.0]) == Signs(2, 1, 1)
    assert Signs(8, 2).p_value == pytest.approx(0.109375)  # 112/1024
    assert Signs(15, 0).p_value == pytest.approx(2 / 2**15)
    assert Signs(5, 5).p_value == Signs(0, 0).p_value == 1
    assert [Signs(15, 0).direction, Signs(0, 15).direction, Signs(5, 0).direction] == [1, -1, 0]
    assert Signs(1, 2, 3) + Signs(4, 5, 6) == Signs(5, 7, 9)


def test_intervals_of_shares_of_clopper_and_pearson() -> None:
    none, half = share_interval(0, 10, level=0.95), share_interval(5, 10, level=0.95)
    assert (none.low, none.high) == pytest.approx((0, 0.3084971), abs=1e-7)
    assert (half.low, half.high) == pytest.approx((0.1870860, 0.8129140), abs=1e-7)
    assert share_interval(10, 10).high == 1
    for found in range(1, 11):  # below the lower end so many are rarer than half of what is allowed
        at = share_interval(found, 10, level=0.9).low
        assert binom.sf(found - 1, 10, at) <= 0.05 + 1e-9


def test_intervals_of_means() -> None:
    values = [1.0, 2.0, 3.0, 4.0, 5.0]
    one, mean = predictive_interval(values, level=0.95), mean_interval(values, level=0.95)
    assert (one.low, one.high) == pytest.approx((3 - 4.80890, 3 + 4.80890), abs=1e-4)  # 2.77645 * 1.58114 * sqrt(1.2)
    assert (mean.low, mean.high) == pytest.approx((3 - 1.96324, 3 + 1.96324), abs=1e-4)
    assert predictive_interval(values, of=10).high < predictive_interval(values, of=2).high
    assert standard_errors(5.0, values, of=5) == pytest.approx(2 / (1.5811388 * 0.4**0.5))
    assert not one.has(7.81)
    assert one.has(7.81, rounding=0.005)


def test_intervals_of_differences_are_those_of_scipy() -> None:
    first, second = [1.0, 2.5, 2.0, 4.0], [0.5, 0.7, 0.6, 0.9, 1.4, 0.2]
    theirs = ttest_ind(first, second, equal_var=False).confidence_interval(LEVEL)
    ours = difference_interval(first, second)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high))
    paired = ttest_rel(first, second[:4]).confidence_interval(0.99)
    gains = mean_interval([a - b for a, b in zip(first, second, strict=False)], level=0.99)
    assert (gains.low, gains.high) == pytest.approx((paired.low, paired.high))


def test_quantiles_and_chances() -> None:
    assert quantile(0.95) == pytest.approx(1.959964, abs=1e-6)
    assert quantile(0.95, 9) == pytest.approx(2.262157, abs=1e-6)
    assert chance_of_more(2.262157, 9) == pytest.approx(0.05, abs=1e-6)
    assert chance_of_as_many(3, 18, 0.05) == pytest.approx(binom.sf(2, 18, 0.05))
    assert chance_of_as_many(0, 18, 0.05) == pytest.approx(1)


# --------------------------------------------------------------------------------------------------------------- rules


def test_a_method_is_better_reproduced_mixed_or_not() -> None:
    up, down, both = [1.0] * 5, [-1.0] * 5, [1.0, -1.0, 1.0, -1.0, 1.0]
    assert better_of({"adult": up, "law": up}).verdict is Verdict.REPRODUCED
    assert better_of({"adult": up, "law": both, "heart": up}).verdict is Verdict.REPRODUCED  # 13 of 15
    assert better_of({"adult": up, "law": down}).verdict is Verdict.MIXED
    assert better_of({"adult": up * 5, "law": down}).verdict is Verdict.MIXED  # one table says the contrary
    assert better_of({"adult": up}).verdict is Verdict.MIXED  # five pairs are too few
    assert better_of({"adult": down, "law": down}).verdict is Verdict.NOT_REPRODUCED


def test_a_method_is_nearly_as_good_within_what_is_said() -> None:
    assert competitive_of({"adult": [0.5], "law": [-0.01]}, within=0.01).verdict is Verdict.REPRODUCED
    assert competitive_of({"adult": [0.5], "law": [-0.02]}, within=0.01).verdict is Verdict.MIXED
    assert competitive_of({"law": [-0.02]}, within=0.01).verdict is Verdict.NOT_REPRODUCED
    assert title("acs_income") == "ACSincome"


def test_pairs_share_all_but_the_method() -> None:
    common = {"epsilon": ("1",), "protocol": ("held-out",)}
    pairs = Pairs("zhou2024", {"method": ("aim",)}, {"method": ("algorithm-6",)}, "accuracy", True, common)
    turned = Pairs("zhou2024", pairs.second, pairs.first, "accuracy", True, common)
    found = pairs.by_table()
    assert {table: len(values) for table, values in found.items()} == dict.fromkeys(real_tables.NAMES, 10)
    assert {t: [-v for v in values] for t, values in turned.by_table().items()} == found
    lines = {(line["table"], line["method"], line["set"]): line for line in recorded_lines("zhou2024") if all(
        line[name] in values for name, values in common.items())}  # fmt: skip
    by_hand = lines["law", "aim", 3]["accuracy"] - lines["law", "algorithm-6", 3]["accuracy"]
    assert found["law"][3] == by_hand
    assert no_worse(pairs).verdict is Verdict.MIXED
    assert alike(pairs, within=1).verdict is Verdict.REPRODUCED
    assert better(turned).verdict is Verdict.MIXED
    assert len(pairs.rerun().lines()) == 120


# ------------------------------------------------------------------------------------------------------ files of runs


@pytest.mark.parametrize("name", NAMES)
def test_headers_say_what_runs_rest_on(name: str) -> None:
    study, header = find_study(name), header_of(name)
    lines = study.runs.lines()
    assert study.runs.path == FOLDER / f"{name}.jsonl"
    assert (header["study"], header["lines"]) == (name, len(lines))
    assert header["lines_of_this_code"] == sum(is_of_this_code(study, line) for line in lines)
    assert len({study.runs.key(line) for line in lines}) == len(lines)
    assert all(line["set"] < 500 + 200 for line in lines)
    found = digests(study)
    assert header["digests"]["runs"] == found["runs"], "write the header anew: python -m verify.experiments.headers"
    assert header["digests"]["code"] == found["code"], "write the header anew: python -m verify.experiments.headers"
    for file, digest in found["tables"].items():
        assert digest in (None, header["digests"]["tables"][file]), file
    again = header["made_again"]
    assert 0 <= again["equal"] <= again["runs"]
    assert again["runs"] > 0
    if header["lines_of_this_code"] == header["lines"]:
        assert again["equal"] == again["runs"]


def test_every_file_of_runs_has_a_study() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.jsonl")) == sorted(NAMES)
    assert sorted(path.stem for path in FOLDER.glob("*.json")) == sorted(NAMES)


def test_numbers_of_a_line() -> None:
    line = {"table": "law", "cpu_s": 3.0, "box": {"f1": 0.5, "cpu_s": 1, "kept": True}, "n": 7}
    assert numbers_of(line, ("cpu_s",)) == {"box.f1": 0.5, "n": 7}


# -------------------------------------------------------------------------------------------------------------- claims


def test_many_claims_are_about_experiments_of_every_paper() -> None:
    assert len(EMPIRICAL) >= 100
    by_paper = Counter(claim.paper for claim in EMPIRICAL)
    assert set(by_paper) == {"bojkovic2024", "ddssp2024", "vietri2022", "wang2023", "zhou2024"}
    assert {claim.expected for claim in EMPIRICAL} == set(OF_RUNS)
    assert {claim.kind for claim in EMPIRICAL} == {Kind.EMPIRICAL}
    rows = [c for c in zhou2024_runs_table2.CLAIMS if c.locator.endswith("epsilon 0.25 to 2")]
    assert len(rows) == 18
    judged = [e for name, metric in zhou2024_table2.PRINTED for e in zhou2024_table2.EPSILONS
              if len(zhou2024_runs_table2.runs(name, metric, e)) >= 10]  # fmt: skip
    assert len(judged) >= 138


@pytest.mark.parametrize("claim", EMPIRICAL, ids=lambda claim: claim.id)
def test_what_a_claim_reads_can_be_made_again(claim: Claim) -> None:
    assert claim.rerun is not None
    lines, study = claim.rerun.lines(), find_study(claim.rerun.study)
    assert lines
    first = numbers_of(lines[0], study.measured)
    assert set(claim.rerun.scores) & first.keys()


def test_verdicts_need_no_tables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(real_tables, "FOLDER", tmp_path)
    for claim in EMPIRICAL:
        assert claim.check().verdict is claim.expected, claim.id
    rerun._made.cache_clear()
    claim = next(c for c in EMPIRICAL if c.id == "zhou2024.table2.heart-accuracy")
    found = run_claim(claim, thorough=True)
    assert found.agrees
    assert found.again is not None
    assert found.again.text.startswith("not run")
    rerun._made.cache_clear()


def test_other_runs_have_other_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real models of Heart that the paper printed, and AIM without its loss."""
    changed = dict(recorded.runs_by("zhou2024_real", "table"))
    changed["heart",] = [line | {"accuracy": line["accuracy"] + 0.05} for line in changed["heart",]]
    monkeypatch.setattr(zhou2024_table2, "runs_by", lambda *_: changed)
    claims = {claim.id: claim for claim in EMPIRICAL}
    assert claims["zhou2024.table2.heart-accuracy"].check().verdict is Verdict.NOT_REPRODUCED
    changed["heart",] = [line | {"accuracy": line["accuracy"] - 0.078} for line in changed["heart",]]
    assert claims["zhou2024.runs.heart-drop"].check().verdict is Verdict.REPRODUCED


# --------------------------------------------------------------------------------------------------------- made again


def test_a_run_that_comes_out_otherwise_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Rerun("bojkovic2024", ({"p": (3,), "measure": ("uniform",)},), ("paper", "ours"))
    assert asked.make().good
    study = find_study("bojkovic2024")

    def off(name: str, text: str) -> dict[str, Any]:
        found = rerun.loads(text)
        made = study.again(found)
        assert made is not None
        return made | {"paper": made["paper"] * 1.001}

    monkeypatch.setattr(rerun, "_made", off)
    assert asked.make().good is False
    monkeypatch.setattr(rerun, "comes_out_the_same", lambda *_: False)
    assert asked.make().good  # within the interval of its cell
    monkeypatch.setattr(rerun, "_made", lambda name, text: study.again(rerun.loads(text)) | {"paper": 5.0})  # type: ignore[operator]
    assert asked.make().good is False


@pytest.mark.slow
@pytest.mark.skipif(
    not real_tables.all_here() or not all(map(regression_tables.is_here, regression_tables.NAMES)),
    reason=real_tables.MISSING,
)
@pytest.mark.parametrize("claim", EMPIRICAL[COUNTER % 10 :: 10], ids=lambda claim: claim.id)
def test_runs_of_a_tenth_of_the_claims_are_made_again(claim: Claim) -> None:
    """One cheap run each: with its own seed, and with a fresh one."""
    assert claim.rerun is not None
    found = claim.rerun.make(counter=COUNTER, one_in=10**6, most_cpu_s=CHEAP_S)
    assert found.good, found.text
