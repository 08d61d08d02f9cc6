"""Theorem III.1: reference points from a perturbed histogram of the data.

Guarantee: with n, m, k at least the sizes below, the synthetic table is private and all queries are accurate.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Derived, Edition, Formula, Hypothesis, Promise, Route, Term, Theorem
from bounds.pieces.paper_terms import (
    K_SAMPLING,
    N_PRIVACY,
    N_PRIVACY_REPAIRED,
    N_SAMPLING,
    constant_bound,
    reference_points,
)
from bounds.pieces.promises import (
    ADMISSIBLE,
    ADMISSIBLE_AS_PRINTED,
    EIGHT_DELTA,
    EXACT_NOISE,
    INDEPENDENT_RECORDS,
    TWICE_PRIVATE_IID,
    TWO_EPSILON,
    times_gamma,
)
from bounds.quantities import Quantities
from bounds.theorems.synthbounds_full_support import FULL_SUPPORT
from bounds.theorems.synthbounds_product import PRODUCT
from bounds.theorems.synthbounds_shifted_histogram import SHIFTED_HISTOGRAM


def _empirical_distance(q: Quantities, A: Arithmetic) -> Number:
    return 8 / q.tau1**2 * (q.N + 2 * A.log(1 / q.gamma))


def _noise_distance(q: Quantities, A: Arithmetic) -> Number:
    scale = 8 * q.delta * q.N * (1 + q.tau2 * q.N) / (q.tau1 * q.gamma)
    return scale * A.log_ratio(q.N, q.F / q.delta)


def condition_number_printed(q: Quantities, A: Arithmetic) -> Number:
    """K with the constants that the proof implies, C1 = 57/16 and C2 = 57/8, at the decided n."""
    empirical = A.sqrt(2 * A.log(1 / q.gamma) / q.n) + A.sqrt(q.N / q.n)
    noise = q.delta * q.N * (1 + q.tau2 * q.N) * A.log(q.N) / (q.gamma * q.n * A.log(q.F / q.delta))
    return A.sqrt(1 + A.ratio(57, 16) * empirical) * A.sqrt(1 + A.ratio(57, 8) * noise)


def _density(q: Quantities, A: Arithmetic) -> Number:
    return A.max(A.ratio(32), 16 / q.epsilon) * A.log(q.N / q.gamma) / q.tau1


CONSTANTS_NOTE = (
    "C1 = 57/16 and C2 = 57/8 are not printed; they follow from the proof, where both ratios beta are at least "
    "2/3 and (beta^-3 - 1)/(1 - beta) is at most 57/8.",
    "The failure probability is printed as 3 gamma + exp(-cn) with c unspecified; the last part is not added.",
)
PRINTED_PROMISE = Promise(
    EIGHT_DELTA,
    times_gamma(3),
    TWO_EPSILON,
    any_data=False,
    failure_note="printed as 3 gamma + exp(-cn) with c unspecified",
)
PRINTED_CONDITION = Derived("K", "Rényi condition number, constants from the proof", condition_number_printed)
LEAST_PROBABILITY = Hypothesis("every domain point has probability at least tau1 under nu")
CELL_PROBABILITIES = Hypothesis("every domain point has probability between tau1 and tau2 under nu")
DENSITY_TERM = Term("n", "density condition: every cell survives counting and noise", _density)
REPAIRED_CONDITION = constant_bound(9, 5, "Rényi condition number of nu against the histogram")
REPAIRED_TERMS = (N_PRIVACY_REPAIRED, N_SAMPLING, DENSITY_TERM, reference_points(lambda q, A: q.K), K_SAMPLING)
REPAIRED_CHANGES = (
    "The histogram's noise has scale 2/epsilon, not sigma; log(|F|/delta) is a slip for log(|F|/gamma).",
    "The step 'every empirical frequency is at most tau2' fails; relative Chernoff bounds replace it.",
    "The union bound over all events gives 6 gamma, not 3 gamma + exp(-cn).",
    "The density condition falls from N^3 to N log N for uniform nu, with K = 9/5.",
)
SUMMARY = "perturbed histogram with epsilon, then the LP with another epsilon"


def printed_route(
    empirical: Formula,
    noise: Formula,
    hypotheses: tuple[Hypothesis, ...],
    derived: tuple[Derived, ...],
    inputs: tuple[str, ...] = (),
) -> Route:
    """The theorem and its corollary as printed; they differ in two conditions on n."""
    return Route(
        "as printed",
        SUMMARY,
        (
            N_PRIVACY,
            Term("n", "empirical distribution near nu", empirical),
            Term("n", "perturbed histogram near the empirical one", noise),
            N_SAMPLING,
            reference_points(lambda q, A: q.K, factor=2),
            K_SAMPLING,
        ),
        PRINTED_PROMISE,
        (*ADMISSIBLE_AS_PRINTED, INDEPENDENT_RECORDS, *hypotheses),
        derived,
        inputs=inputs,
        noise_on_constants=True,
    )


def repaired_route(hypotheses: tuple[Hypothesis, ...], derived: tuple[Derived, ...]) -> Route:
    return Route(
        "perturbed histogram, repaired",
        SUMMARY,
        REPAIRED_TERMS,
        TWICE_PRIVATE_IID,
        (*ADMISSIBLE, INDEPENDENT_RECORDS, *hypotheses, EXACT_NOISE),
        derived,
    )


SHARP_ROUTES = (FULL_SUPPORT, SHIFTED_HISTOGRAM, PRODUCT)
SHARP_CHANGES = (
    "Total privacy epsilon instead of 2 epsilon, failure 4 gamma, and no assumption on the data.",
    "If the domain has no more points than the corrected edition samples, every point is taken once.",
    "Otherwise the counts are lifted before clipping and reference points are counted by rejection.",
    "At degree 1 noise counts once; for coarse accuracies one-way tables and their product suffice.",
)

THEOREM = Theorem(
    id="bojkovic2024.histogram",
    title="Perturbed histogram as reference measure",
    guarantee="The synthetic table is 2 epsilon-private (sharp: epsilon) and answers every query to within 8 delta.",
    citation=Citation("bojkovic2024", "Theorem III.1"),
    inputs=("epsilon", "delta", "gamma", "N", "tau1"),
    measure="histogram",
    editions=(
        Edition(
            "printed",
            (
                printed_route(
                    _empirical_distance, _noise_distance, (CELL_PROBABILITIES,), (PRINTED_CONDITION,), ("tau2",)
                ),
            ),
            changes=CONSTANTS_NOTE,
        ),
        Edition(
            "corrected",
            (repaired_route((LEAST_PROBABILITY,), (REPAIRED_CONDITION,)),),
            changes=REPAIRED_CHANGES,
            proof="bojkovic2024.histogram",
        ),
        Edition("sharp", SHARP_ROUTES, changes=SHARP_CHANGES, proof="bojkovic2024.histogram"),
    ),
)
