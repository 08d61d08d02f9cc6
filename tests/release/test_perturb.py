"""Secret noise: its distribution in both modes, and the cases for which no noise is planned."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import kstest

from bounds.errors import ParameterError, UsageError
from bounds.privacy.sensitivity import l1_sensitivity, l2_sensitivity
from bounds.privacy.statements import DP
from release.noise.draw import draw_gaussians
from release.noise.randomness import read_randomness
from release.noise.simulated import stream_of
from release.perturb import SecretNoise

COST = DP(epsilon=1, delta="1e-5", adjacency="add-remove")
MOVED = l2_sensitivity(squared=3, adjacency="add-remove", n_is_public=False)


def test_secret_noise_is_gaussian_to_its_last_bit() -> None:
    sd, bits = Fraction(7, 3), 70
    drawn = draw_gaussians(sd, 2000, read_randomness("release"))(bits)
    assert kstest([x / 2**bits for x in drawn], "norm", args=(0, float(sd))).pvalue > 1e-6
    assert len({x % 1024 for x in drawn}) > 800  # doubles would have zeros there
    simulated = draw_gaussians(sd, 5, read_randomness("simulate", seed=3))(bits)
    expected = stream_of(read_randomness("simulate", seed=3)).standard_normal(5) * float(sd)
    assert [x / 2**bits for x in simulated] == pytest.approx(np.asarray(expected), rel=1e-12)


@pytest.mark.parametrize("mode", ["release", "simulate"])
def test_more_bits_are_of_the_same_numbers(mode: str) -> None:
    noise = draw_gaussians(Fraction(7, 3), 50, read_randomness(mode, seed=3 if mode == "simulate" else None))
    finest = noise(900)
    for bits in (0, 10, 80, 160, 640, 900):
        assert all(
            abs(x * 2 ** (900 - bits) - y) <= 2 ** (900 - bits) // 2 + 1
            for x, y in zip(noise(bits), finest, strict=True)
        )


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({"count": 0}, ParameterError),
        ({"sd": Fraction(0)}, ParameterError),
        ({"cost": DP(epsilon=1, delta="1e-5", adjacency="replace-one")}, UsageError),
        ({"sensitivity": l1_sensitivity(value=1, adjacency="add-remove", n_is_public=False)}, UsageError),
    ],
)
def test_what_is_no_noise_is_refused(changes: dict[str, Any], kind: type[Exception]) -> None:
    asked = {"count": 2, "sd": Fraction(1), "sensitivity": MOVED, "cost": COST}
    SecretNoise(**asked)  # type: ignore[arg-type]
    with pytest.raises(kind):
        SecretNoise(**(asked | changes))  # type: ignore[arg-type]
