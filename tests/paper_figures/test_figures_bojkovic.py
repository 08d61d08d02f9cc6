"""Figures of bojkovic2024, ddssp2024 and wang2023: their data have known numbers, and their pictures show them."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import synthbounds as sb
from paper_figures import (
    _required,
    bojkovic2024_figure1,
    bojkovic2024_figure2,
    bojkovic2024_kappa,
    bojkovic2024_required_histogram,
    bojkovic2024_table1,
    ddssp2024_figure2,
    ddssp2024_surrogate,
    wang2023_tilting,
)
from paper_figures.figure import Figure
from paper_figures.make import data_text, pictures
from verify.experiments import bojkovic2024 as runs


def svg(figure: Figure, data: dict[str, Any]) -> str:
    """The picture of data that went through JSON, as a reader of the data file has them."""
    held = json.loads(data_text(figure, data))["data"]
    return pictures(figure, held, ("svg",))["svg"].decode()


def test_the_experiment_has_the_printed_sizes() -> None:
    sizes = {m: (a.n, a.m, a.k) for m in runs.MEASURES for a in [runs.experiment(3, m)]}
    assert sizes == {"uniform": (467, 896, 14), "histogram": (8360, 246, 14)}
    drawn = runs.draw(runs.experiment(3, "uniform"), run=0)
    assert drawn.counts.sum() == 467
    assert drawn.reference.size == 896
    assert drawn.answers[0] == 1


def test_both_models_of_figure_1_have_the_same_optimum() -> None:
    data = bojkovic2024_figure1.compute((2, 3))
    for measure in runs.MEASURES:
        for row in data[measure]:
            assert row["difference"] < 1e-6
            assert row["paper"] > 0
            assert row["ours"] > 0
    text = svg(bojkovic2024_figure1.FIGURE, data)
    assert "CPU time [s]" in text
    assert f"{data['recorded']['ratio_at_p7']:,} times" in text


def test_figure_1_leaves_out_what_was_not_measured() -> None:
    rows = [{"p": 2, "paper": 0.5}, {"p": 9, "paper": None}]
    assert bojkovic2024_figure1.points(rows, "paper") == ([2], [0.5])


def test_errors_of_figure_2() -> None:
    data = bojkovic2024_figure2.compute((3, 4), runs=8)
    for measure in runs.MEASURES:
        for row in data[measure]:
            assert row["ours"]["mean_est"] < 0.15 < row["paper"]["mean_est"] < 0.6
            assert row["paper"]["low_est"] <= row["paper"]["mean_est"] <= row["paper"]["high_est"] <= 1
    assert "two rows chosen without data" in svg(bojkovic2024_figure2.FIGURE, data)
    assert bojkovic2024_figure2.compute((3,), runs=2) == bojkovic2024_figure2.compute((3,), runs=2)


def test_table_1_marks_what_differs_from_the_theorems() -> None:
    data = bojkovic2024_table1.compute()
    numbers = {(row["mechanism"], row["size"]): row for row in data["rows"]}
    assert numbers["Uniform sampling", "m"]["printed"] == 458_752_000
    assert numbers["Private histogram", "n"]["printed"] == 24_612_138_762 > 8 * 1024**3
    assert numbers["Private histogram", "n"]["corrected"] == 813_237
    assert [row["sharp"] for row in data["rows"][:3]] == [440, 1867, None]
    assert sum(row["table"] != row["theorem"] for row in data["rows"]) == 5
    text = svg(bojkovic2024_table1.FIGURE, data)
    for expected in ("458,752,000", "24,612,138,762", "F + O(N F) + 1", "O(F log F + N^3)"):
        assert expected in text


def test_orders_of_table_1_are_those_of_the_printed_theorems() -> None:
    """Uniform sampling: m/(N F) is constant. Histogram: n/N^3 stays between constants, and so does m/F."""
    setting = bojkovic2024_table1.QUESTION
    uniform = {p: sb.require(theorem="bojkovic2024.uniform", edition="printed", p=p, **setting) for p in (3, 9)}
    assert len({answer.m / (2**p * (1 + p + p * (p - 1) // 2)) for p, answer in uniform.items()}) == 1
    found = sb.require(theorem="bojkovic2024.histogram-uniform", edition="printed", p=14, **setting)
    assert 8 < found.n / (2**14) ** 3 < 23
    assert found.m / (1 + 14 + 91) == pytest.approx(2 / 0.05**3, rel=0.01)


def test_long_numbers_are_rounded_up() -> None:
    assert bojkovic2024_table1.shown(123_456) == "123,456"
    assert bojkovic2024_table1.shown(8_501_000_000_000_000) == "8.6 x 10^15"


def test_sweeps_meet_the_certified_answers() -> None:
    data = _required.required("bojkovic2024.histogram-uniform")
    for edition, sure in data["certified"].items():
        for axis, middle in (("p", 10), ("epsilon", 0.2), ("delta", 0.05)):
            one = data["editions"][edition][axis]
            place = one["x"].index(middle)
            assert [one[f"{size}_est"][place] for size in "nmk"] == [sure[size] for size in "nmk"]
    assert {e: (s["epsilon"], round(s["failure"], 9)) for e, s in data["certified"].items()} == {
        "printed": (0.4, 0.15), "corrected": (0.4, 0.3), "sharp": (0.2, 0.2)
    }  # fmt: skip
    for axis, least in data["lower_bound"].items():
        assert all(low < n for low, n in zip(least, data["editions"]["sharp"][axis]["n_est"], strict=True))
    text = svg(bojkovic2024_required_histogram.FIGURE, data)
    for expected in ("printed", "corrected", "sharp", "attributes p", "reference points m", _required.FEWEST):
        assert expected in text


def test_kappa_near_the_recorded_figures() -> None:
    data = bojkovic2024_kappa.compute((1000, 10000), runs=300)
    uniform, zipf = data["uniform:32"], data["zipf:32"]
    assert uniform[0]["median_est"] is None
    sure = data["recorded"]["uniform:32"][0]["infinite"]
    assert uniform[0]["infinite_low_est"] - 0.05 <= sure <= uniform[0]["infinite_high_est"] + 0.05
    assert uniform[1]["median_est"] == pytest.approx(1.005, abs=0.001)
    assert zipf[1]["mixed_est"] == pytest.approx(1.2267, abs=0.003)
    assert data["printed"]["least_n"] == 328_770
    assert data["printed"]["at_least_n_est"] == pytest.approx(1.02391030, abs=1e-8)
    assert "the paper&apos;s bound K" in svg(bojkovic2024_kappa.FIGURE, data).replace("'", "&apos;")


def test_quadratics_of_ddssp2024() -> None:
    data = ddssp2024_figure2.compute()
    errors = {method: found["error"] for method, found in data["methods"].items()}
    assert errors == pytest.approx({"interpolation": 0.237940274, "chebyshev": 0.189104614, "minimax": 0.15154798})
    for found in data["methods"].values():
        assert found["b"][1] == 0.5
        off = max(abs(a - b) for a, b in zip(found["values"], data["phi"], strict=True))
        assert found["error"] * 0.999 < off <= found["error"]
    assert "minimax: at most 0.1516" in svg(ddssp2024_figure2.FIGURE, data)


def test_the_surrogate_is_least_squares() -> None:
    data = ddssp2024_surrogate.compute(1000)
    plain = np.array(data["least_squares"])
    for found in data["surrogate"].values():
        assert np.allclose(found["theta"], found["factor"] * plain, rtol=1e-10)
        assert found["auc"] == pytest.approx(data["auc"]["least_squares"], abs=1e-5)
    assert data["surrogate"]["6"]["factor"] == pytest.approx(3.897237, abs=1e-6)
    assert not np.allclose(data["likely"] / np.linalg.norm(data["likely"]), plain / np.linalg.norm(plain), atol=1e-2)
    true, fourth = data["means"]["true"], data["means"]["4"]
    assert max(true) == pytest.approx(true[data["means"]["scale"].index(1.0)])
    assert fourth[-1] > 0 > max(true)  # a mean log-likelihood above zero, and still growing
    assert "[-12, 12]: AUC" in svg(ddssp2024_surrogate.FIGURE, data)


def test_auc_counts_ordered_pairs() -> None:
    assert ddssp2024_surrogate.auc(np.array([3.0, 1.0, 2.0, 2.0]), np.array([1.0, -1.0, 1.0, -1.0])) == 0.875


def test_the_tilt_is_the_projection() -> None:
    data = wang2023_tilting.compute()
    for one in data["path"]:
        assert one["divergence"] == pytest.approx(one["dual"], abs=1e-10)
        assert max(map(abs, one["residual"])) <= one["gamma"] + 1e-9
        for parameter, residual in zip(one["lambda"], one["residual"], strict=True):
            if parameter:
                assert residual == pytest.approx(math.copysign(one["gamma"], parameter), abs=1e-9)
    assert data["path"][-1]["lambda"] == [0, 0, 0]
    falling = data["boundary"]["1.0"]
    assert falling == sorted(falling)
    assert falling[0] > -math.log(2)
    assert "never reached" in svg(wang2023_tilting.FIGURE, data)
