"""Sweeps agree with the certified answers, and refuse what they cannot mean."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import synthbounds as sb

CASES: list[tuple[str, str, dict[str, Any]]] = [
    ("bojkovic2024.uniform", "printed", {}),
    ("bojkovic2024.uniform", "sharp", {}),
    ("bojkovic2024.histogram-uniform", "printed", {}),
    ("bojkovic2024.histogram-uniform", "corrected", {}),
    ("synthbounds.shifted-histogram", "sharp", {}),
    ("bojkovic2024.private-lp", "sharp", {"K": 3}),
    ("bojkovic2024.kde", "corrected", {"L": 2, "tau": 0.5}),
    ("synthbounds.lipschitz-uniform", "sharp", {"L": 2}),
]


@pytest.mark.parametrize(("theorem", "edition", "more"), CASES)
def test_sweeps_agree_with_certified_answers(theorem: str, edition: str, more: dict[str, Any]) -> None:
    epsilons, deltas = [0.1, 0.25, 2.0], [0.05, 0.0625, 0.03125]
    swept = sb.sweep_estimates(
        theorem, edition=edition, p=4, degree=2, epsilon=epsilons, delta=deltas, gamma=0.125, **more
    )
    option = {"K": "kappa", "L": "lipschitz", "tau": "tau"}
    given = {option[name]: str(value) for name, value in more.items()}
    for i, (epsilon, delta) in enumerate(zip(epsilons, deltas, strict=True)):
        exact = sb.require(
            theorem=theorem,
            edition=edition,
            p=4,
            degree=2,
            epsilon=str(epsilon),
            delta=str(delta),
            gamma="0.125",
            **given,
        )
        assert swept.n_est[i] == pytest.approx(exact.n, abs=1)
        assert swept.k_est[i] == pytest.approx(exact.k, abs=1)
        assert (exact.m is None) == (exact.route == "product of one-way tables")
        if edition != "sharp" or theorem != "synthbounds.lipschitz-uniform":
            assert swept.m_est[i] == pytest.approx(exact.m or 0, abs=1 + 1e-6 * (exact.m or 0))


def test_arrays_are_broadcast() -> None:
    swept = sb.sweep_estimates(
        "bojkovic2024.uniform", edition="printed", p=3, degree=2, gamma=0.25,
        epsilon=np.array([[0.2], [0.4]]), delta=np.array([0.5, 0.25, 0.125]),
    )  # fmt: skip
    assert swept.n_est.shape == (2, 3)
    assert swept.n_est[0, 0] == 467


@pytest.mark.parametrize(
    ("theorem", "arguments", "words"),
    [
        ("bojkovic2024.max-laplace", {"p": 3, "degree": 1}, "no sizes that suffice"),
        ("bojkovic2024.uniform", {"p": 3, "degree": 1, "epsilon": 1, "delta": 0.1}, "needs gamma"),
        ("bojkovic2024.uniform", {"p": 3, "degree": 1, "epsilon": 1, "delta": 0.1, "gamma": 3}, "at most 0.25"),
        ("bojkovic2024.uniform", {"p": 3, "degree": 1, "epsilon": -1, "delta": 0.1, "gamma": 0.1}, "greater than 0"),
        ("bojkovic2024.uniform", {"p": 3, "degree": 1, "epsilon": "x", "delta": 0.1, "gamma": 0.1}, "numbers"),
        ("bojkovic2024.uniform", {"p": 3, "degree": 1, "epsilon": 1, "delta": 0.1, "gamma": 0.1, "k": 3}, "be swept"),
        ("bojkovic2024.uniform", {"epsilon": 1, "delta": 0.1, "gamma": 0.1}, "p and degree"),
        ("bojkovic2024.uniform", {"p": 3, "degree": 1, "adjacency": "foo"}, "adjacency = foo"),
        (
            "bojkovic2024.uniform",
            {"p": 3, "degree": 1, "route": "x", "epsilon": 1, "delta": 0.1, "gamma": 0.1},
            "route",
        ),
        ("bojkovic2024.kde", {"p": 3, "degree": 1, "epsilon": 1, "delta": 0.1, "gamma": 0.1}, "needs L"),
    ],
)
def test_refusals(theorem: str, arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(sb.SynthboundsError, match=words):
        sb.sweep_estimates(theorem, **arguments)
