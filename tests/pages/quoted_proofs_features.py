"""Numbers on the proof page about Fourier features."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from bounds.privacy.adjacency import Adjacency
from bounds.privacy.ledger import Ledger
from mechanisms.generators.merf import START
from mechanisms.generators.settings import FEATURES
from release.data.domain import Domain
from release.data.schema import schema_of_domain
from release.log.steps import answers_noise
from release.statistics.fourier_features import STEPS, FourierFeatures, squared_length
from tests.pages.quoted import Page

N = 39073


def _features() -> Iterator[str]:
    square = squared_length()
    yield rf"$Q={square}=2^{{24}}\cdot{square / 2**24:.6f}$"
    ledger = Ledger.in_rho(epsilon=1, dp_delta=Fraction(1, N * N), adjacency="replace-one")
    features = FourierFeatures(schema_of_domain(Domain((2, 2))), 1, FEATURES)
    asked = tuple(range(FEATURES))
    noise = answers_noise(features, asked, ledger.left * (1 - START), Adjacency.REPLACE_ONE, "release")
    assert isinstance(noise.scales, Fraction)
    yield f"and {FEATURES} frequencies for three quarters of $\\rho$"
    assert Fraction(3, 4) == 1 - START
    yield f"the noise on a mean cosine has the deviation {float(noise.scales) / (N * STEPS):.5f}"


PAGES = {
    "synthbounds.fourier-features": Page(
        _features, {"setting": (rf"At $\varepsilon=1$, $\delta=n^{{-2}}$, $n={N}$ under replace-one",)}
    )
}
