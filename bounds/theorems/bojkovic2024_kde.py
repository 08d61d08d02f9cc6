"""Theorem IV.1: continuous records, reference points from a private kernel density estimate.

Guarantee: with n, m, k at least the sizes below, the synthetic table is private and all queries are accurate.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Derived, Edition, Hypothesis, Promise, Route, Term, Theorem
from bounds.pieces.paper_terms import (
    K_SAMPLING,
    N_PRIVACY,
    N_PRIVACY_REPAIRED,
    N_SAMPLING,
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
)
from bounds.quantities import Quantities
from bounds.theorems.synthbounds_lipschitz_grid import GRID_ROUTES
from bounds.theorems.synthbounds_lipschitz_uniform import LIPSCHITZ_DENSITY, SUPREMUM, UNIFORM_ROUTES


def _second_condition(q: Quantities, A: Arithmetic) -> Number:
    scale = A.power(3 / q.tau, q.p + 1)
    return scale * 2 / (q.epsilon * A.power(2 * A.pi(), q.p / 2)) * A.log(1 / q.gamma)


def _jiang_constant(q: Quantities, A: Arithmetic) -> Number:
    """C = 8 p sqrt(v_p |nu|) int k(t) t^(p/2) dt for the Gaussian kernel; v_p is the unit ball's volume."""
    ball = A.power(A.pi(), q.p / 2) / A.gamma(q.p / 2 + 1)
    moment = A.power(A.ratio(2), q.p / 4 - A.ratio(1, 2)) * A.gamma(q.p / 4 + A.ratio(1, 2))
    return 8 * q.p * A.sqrt(ball * q.nu_max) * moment / A.power(2 * A.pi(), q.p / 2)


def _bandwidth_constant(q: Quantities, A: Arithmetic) -> Number:
    from_deviation = A.power(9 * q.C / q.tau, 2 / q.p)
    from_range = A.power(576 * q.p**2 / q.tau, 1 / q.p) / A.sqrt(2 * A.pi())
    return A.max(from_deviation, from_range)


def _bandwidth_printed(q: Quantities, A: Arithmetic) -> Number:
    return q.C_prime * A.power(A.log(q.n) / q.n, 1 / q.p)


def _condition_printed(q: Quantities, A: Arithmetic) -> Number:
    return A.sqrt((1 + A.ratio(19, 8) * q.tau) * (1 + A.ratio(14, 3) * q.tau))


def _points_printed(q: Quantities, A: Arithmetic) -> Number:
    return 1 + A.ratio(19, 8) * q.tau


def _mean_norm(q: Quantities, A: Arithmetic) -> Number:
    return A.sqrt(A.ratio(2)) * A.gamma((q.p + 1) / 2) / A.gamma(q.p / 2)


def _bandwidth(q: Quantities, A: Arithmetic) -> Number:
    """min(1, tau / (12 L E|u|)), written so that L = 0 needs no special case."""
    return 1 / A.max(A.ratio(1), 12 * q.L * q.mean_norm / q.tau)


def _bernstein_degree(q: Quantities, A: Arithmetic) -> Number:
    return A.max(A.ratio(1), A.ceil(36 * q.L**2 * q.p / q.tau**2))


def _lattice(q: Quantities, A: Arithmetic) -> Number:
    return A.power(q.bernstein_degree + 1, q.p)


def _kernel_sup(q: Quantities, A: Arithmetic) -> Number:
    return 2 / (A.sqrt(2 * A.pi()) * q.h) * A.theta(2 / q.h**2)


def _kernel_lattice_sum(q: Quantities, A: Arithmetic) -> Number:
    """theta_r: sum of the reflected kernel over the lattice of one axis, endpoints doubled."""
    fine = A.theta(1 / (2 * q.bernstein_degree**2 * q.h**2))
    coarse = A.theta(1 / (2 * q.h**2))
    return (fine + coarse) / A.sqrt(2 * A.pi())


def _lattice_sensitivity(q: Quantities, A: Arithmetic) -> Number:
    by_sup = q.lattice * A.power(q.kernel_sup, q.p)
    by_sum = 2 * A.power(q.kernel_sum / q.h, q.p)
    return A.min(by_sup, by_sum)


def _deviation(q: Quantities, A: Arithmetic) -> Number:
    s = q.tau / 12
    return 2 * A.power(q.kernel_sup, q.p) * (q.nu_max + s / 3) / s**2 * A.log(2 * q.lattice / q.gamma)


def _lattice_noise(q: Quantities, A: Arithmetic) -> Number:
    return q.lattice_sensitivity * A.log(q.lattice / q.gamma) / (q.epsilon * q.tau / 12)


PRINTED_DERIVED = (
    SUPREMUM,
    Derived("C", "constant of the kernel deviation bound", _jiang_constant),
    Derived("C_prime", "bandwidth constant C'", _bandwidth_constant),
    Derived("K", "Rényi condition number, C1' = 19/8 and C2' = 14/3", _condition_printed),
)
PRINTED_TERMS = (
    N_PRIVACY,
    Term("n", "released estimate near the kernel estimate", _second_condition),
    N_SAMPLING,
    reference_points(_points_printed, factor=2),
    K_SAMPLING,
)
PRINTED_CHANGES = (
    "C1' = 57/24 = 19/8 and C2' = 14/3 are not printed; they follow from the proof's beta_1 >= 2/3, beta_2 >= 1/2 "
    "and distances of at most tau/3.",
    "C' is the least constant that meets the proof's conditions C C'^(-p/2) < tau/9 and "
    "64 p^2 (C' sqrt(2 pi))^(-p) < tau/9; the print has C/sqrt(C'), which suffices when C' >= 1.",
    "C is read with the root over v_p sup nu; the text has it over v_p alone.",
    "The printed condition on n drops a factor (C)^(p+1)/h that its own proof has.",
)
PRINTED_PROMISE = Promise(
    EIGHT_DELTA,
    lambda q, A: q.gamma + 1 / q.n,
    TWO_EPSILON,
    any_data=False,
    failure_note="Algorithm 3 with its printed noise scale S(k+1)/epsilon is not epsilon-private for p >= 2",
)
REPAIRED_DERIVED = (
    SUPREMUM,
    Derived("mean_norm", "mean norm of a standard Gaussian vector", _mean_norm),
    Derived("h", "bandwidth", _bandwidth),
    Derived("bernstein_degree", "Bernstein degree on each axis", _bernstein_degree),
    Derived("lattice", "lattice points (degree + 1)^p", _lattice),
    Derived("kernel_sup", "supremum of the reflected kernel on one axis", _kernel_sup),
    Derived("kernel_sum", "lattice sum of the reflected kernel on one axis, times h", _kernel_lattice_sum),
    Derived("lattice_sensitivity", "L1 sensitivity of all lattice values, times n", _lattice_sensitivity),
    Derived("K", "Rényi condition number (3 + tau)/2", lambda q, A: (3 + q.tau) / 2),
)
REPAIRED_TERMS = (
    N_PRIVACY_REPAIRED,
    N_SAMPLING,
    Term("n", "kernel estimate near its mean at every lattice point", _deviation),
    Term("n", "noise on the lattice values", _lattice_noise),
    reference_points(lambda q, A: q.K),
    K_SAMPLING,
)
REPAIRED_CHANGES = (
    "The kernel is reflected at the faces of the cube: without it the estimate loses half its mass at every "
    "face and the printed uniform bound is false.",
    "The noise is calibrated to the L1 sensitivity of all (k+1)^p lattice values; the printed S(k+1)/epsilon is "
    "too small by up to (k+1)^(p-1).",
    "The released coefficients are clipped at zero and normalised, so that the reference measure is one.",
    "The union bound over all events gives 6 gamma, not gamma + 1/n.",
)
KNOWN_INFIMUM = Hypothesis("the density is at least tau everywhere")
BOUNDED_DENSITY = Hypothesis("the density is at most its stated supremum everywhere")


def printed_route(
    hypotheses: tuple[Hypothesis, ...], derived: tuple[Derived, ...], inputs: tuple[str, ...] = ()
) -> Route:
    """The theorem and its corollary as printed; in the corollary tau and L are known."""
    return Route(
        "as printed",
        "Bernstein mechanism on a Gaussian kernel estimate with epsilon, then the LP with another",
        PRINTED_TERMS,
        PRINTED_PROMISE,
        (*ADMISSIBLE_AS_PRINTED, INDEPENDENT_RECORDS, *hypotheses),
        (*derived, *PRINTED_DERIVED),
        inputs=inputs,
        noise_on_constants=True,
    )


def repaired_route(
    hypotheses: tuple[Hypothesis, ...], derived: tuple[Derived, ...], inputs: tuple[str, ...] = ()
) -> Route:
    return Route(
        "reflected kernel, repaired",
        "Bernstein mechanism on a reflected Gaussian kernel estimate with epsilon, then the LP",
        REPAIRED_TERMS,
        TWICE_PRIVATE_IID,
        (*ADMISSIBLE, INDEPENDENT_RECORDS, *hypotheses, EXACT_NOISE),
        (*derived, *REPAIRED_DERIVED),
        inputs=inputs,
    )


SHARP_ROUTES = (*UNIFORM_ROUTES, *GRID_ROUTES)
NO_KERNEL = (
    "No kernel estimate at all: against the uniform measure an L-Lipschitz density has a Rényi condition number of "
    "at most 1 + L^2 min(p/12, 1/pi^2), at no cost in privacy and without a lower bound on the density."
)
SHARP_CHANGES = (
    NO_KERNEL,
    "For large L a private grid histogram takes over if it needs fewer reference points.",
)

THEOREM = Theorem(
    id="bojkovic2024.kde",
    title="Private kernel density estimate as reference measure",
    guarantee="The synthetic table is 2 epsilon-private (sharp: epsilon) and answers every query to within 8 delta.",
    citation=Citation("bojkovic2024", "Theorem IV.1"),
    inputs=("epsilon", "delta", "gamma", "L"),
    measure="kde",
    editions=(
        Edition(
            "printed",
            (
                printed_route(
                    (LIPSCHITZ_DENSITY, KNOWN_INFIMUM), (Derived("h", "bandwidth", _bandwidth_printed),), ("tau",)
                ),
            ),
            changes=PRINTED_CHANGES,
        ),
        Edition(
            "corrected",
            (repaired_route((LIPSCHITZ_DENSITY, KNOWN_INFIMUM, BOUNDED_DENSITY), (), ("tau",)),),
            changes=REPAIRED_CHANGES,
            proof="bojkovic2024.kde",
        ),
        Edition("sharp", SHARP_ROUTES, changes=SHARP_CHANGES, proof="bojkovic2024.kde"),
    ),
)
