"""Numbers on what is promised against whom: recorded times of draws, recorded audits."""

from __future__ import annotations

from collections.abc import Iterator

from tests.pages.quoted import recorded, thousands

OURS = ("rounded_gaussian_3", "rounded_gaussian_1e9", "linf_1000", "geometric_1_in_10", "exponential_20")


def largest_correlation() -> float:
    """Of time and size, over our own samplers."""
    measured = recorded("noise_timing")
    return max(abs(measured[name]["rank_correlation"]) for name in OURS)


def times_of_draws() -> Iterator[str]:
    """As on the page of releases."""
    measured = recorded("noise_timing")
    (draws,) = {measured[name]["draws"] for name in (*OURS, "opendp_laplace_2")}
    few, many, gaussian = (
        measured[f"opendp_{name}"]["rank_correlation"] for name in ("laplace_2", "laplace_1000", "gaussian_50")
    )
    assert largest_correlation() < 0.05 < gaussian
    yield f"In {thousands(draws)} draws each, the rank correlation of processor time and size of the noise was at most"
    yield f"at most {largest_correlation():.3f} in size"
    yield f"{few:.2f} and {many:.2f} for Laplace noise of scale 2 and 1000"
    yield f"{gaussian:.2f} for Gaussian noise of deviation 50"
