"""Numbers on the proof pages about components and edges from noisy moments: a recorded benchmark."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.spectrum import COVERED, DRAWN_EDGES
from tests.pages.quoted import SETTING, Page, decimal, recorded

_SINE, _LOSS = "sine of component 1", "variance lost"


def _spectrum() -> Iterator[str]:
    found = recorded("spectrum")
    yield f"over {found['runs']:,} simulated releases"
    for of in ("moments", "covariance"):
        for name in COVERED:
            one = found[f"{of} of {name}"]
            assert one["compatible_with_level"]
            assert one["eigenvector_set_is_exact"]
            said, covered = one["median"], one["coverage"]
            assert min(covered.values()) == covered["eigenvector set"]
            yield _row(
                f"{name.capitalize()}, {of}",
                _short(said[_SINE]),
                _short(said["the same by Davis and Kahan"]),
                _short(said[_LOSS]),
                _short(said["the same by the norm"]),
                decimal(covered["eigenvector set"], 3),
                decimal(one["naive_coverage"]["smallest"], 3),
            )


def _graph() -> Iterator[str]:
    for name in DRAWN_EDGES:
        one = recorded("spectrum")[f"edges of {name}"]
        assert one["compatible_with_level"]
        assert one["wrong_signs"] == one["intervals_that_miss"] == 0
        yield f"{one['releases']} releases"
        yield _row(
            name.capitalize(),
            str(one["pairs"]),
            str(one["significant_without_privacy"]),
            f"{one['certain_mean']:.1f}",
            f"{one['certain_by_search_mean']:.1f}",
            f"{one['small_mean']:.1f}",
            decimal(one["joint_sets_cover_all_at_once"], 3),
            decimal(one["single_sets_cover_all_at_once"], 3),
        )


def _short(value: float) -> str:
    if value >= 1e-4:
        return f"{value:.2g}"
    digits, power = f"{value:.1e}".split("e")
    return f"${digits}\\cdot10^{{{int(power)}}}$"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


_ASKED = r"$\varepsilon=1$, $\delta=10^{-6}$, replace-one, level $95\%$"

PAGES = {
    "synthbounds.noisy-spectrum": Page(_spectrum, {SETTING: (_ASKED, r"at $99.9\%$", r"a nominal $95\%$")}),
    "synthbounds.noisy-graph": Page(_graph, {SETTING: (_ASKED, "over 2,000 releases", "at most $0.1$")}),
}
