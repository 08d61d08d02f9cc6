"""Numbers on the page of private regression: means of recorded runs, and two recorded benchmarks."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from mechanisms.regression.objective_perturbation import RESERVE
from mechanisms.regression.parameters import REGRESS_PARAMETERS
from mechanisms.regression.surrogate import find_surrogate
from paper_figures._ddssp2024_runs import SHOWN, TITLES, curve, real_score
from tests.pages.quoted import SETTING, Page, recorded
from verify.regression_tables import NAMES

SCORED = ("ssp-edge", "objpert", "dp-sgd", "adassp", "adassp-printed", "objpert-printed", "dd-ssp", "aim-synth")
BUDGETS = (0.1, 1.0)


def _at(method: str, table: str, epsilon: float) -> str:
    points = curve(method, table)
    if epsilon not in points["epsilon"]:
        return "-"
    return f"{points['mean_est'][points['epsilon'].index(epsilon)]:.4f}"


def rows() -> Iterator[str]:
    """Scores at two budgets, a method a row."""
    heads = " | ".join(f"{TITLES[name].partition(':')[0]} {epsilon:g}" for name in NAMES for epsilon in BUDGETS)
    yield f"| method | {heads} |"
    yield "|---|" + "---|" * (len(NAMES) * len(BUDGETS))
    for method in SCORED:
        cells = (_at(method, name, epsilon) for name in NAMES for epsilon in BUDGETS)
        yield f"| {SHOWN[method]} | {' | '.join(cells)} |"
    exact = (f"{real_score(name):.4f} | " for name in NAMES)
    yield "| least squares, no noise | " + "".join(f"{cell}{cell}" for cell in exact).rstrip(" |") + " |"


def quotes() -> Iterator[str]:
    yield from rows()
    found = recorded("surrogate_certificate")
    yield (
        f"its true excess is {found['excess_mean_est']:.3f} and {found['certified_mean']:.3f} is certified, on average "
        f"over {found['runs']} releases"
    )
    yield (
        f"`train` from the same release has {found['trained_excess_mean_est']:.5f} and "
        f"{found['trained_certified_mean']:.4f}"
    )
    costs = recorded("regression")
    yield f"CPU seconds on Adult: {costs['ssp_solve_cpu_s']:.3f} for the sums that are there"
    yield f"{costs['objpert_release_cpu_s']:.2f} for objective perturbation with its proof"
    yield f"{costs['sgd_cpu_s']:.2f} for ten passes of DP-SGD"
    yield f"{costs['sgd_ratio_vs_opacus']:.0f} times less than opacus"
    yield f"a probability below 2^-{(1 / RESERVE).numerator.bit_length() - 1} dp-delta"
    most = REGRESS_PARAMETERS["most_codes"].default
    yield f"ordered columns of more than {most} codes"
    for degree in (4, 6):
        end = find_surrogate("logistic", degree=degree, tau=Fraction(1)).concave_to
        assert end is not None
        yield f"{float(end * 1000 // 1 / 1000):.3f} at degree {degree}"


REGRESSION = Page(
    quotes,
    {
        SETTING: ("delta 1e-5", "50,000 records", "20 runs"),
    },
)
