"""Theorem 4.1, upper half: what synthetic data built from the same noisy marginals can reach.

Guarantee: the excess risk of the data set nearest to the marginals is at most the value, with probability near 1.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Derived, Edition, Hypothesis, Route, Term, Theorem
from bounds.pieces.excess_risk import AT_LEAST_2, DEGREE
from bounds.pieces.statistical_queries import MARGIN, SMALL_MARGIN
from bounds.quantities import Quantities

FEW_ORDERS = Hypothesis(
    "order is at most log_n",
    lambda q: bool(q.order <= q.log_n),
    why="the proof counts the cells for that many attributes",
)


def _printed(q: Quantities, A: Arithmetic) -> Number:
    return 20 / A.sqrt(q.order - 1) + q.log_n * A.exp(-q.log_n / 4)


def _corrected(q: Quantities, A: Arithmetic) -> Number:
    # in logarithms: the powers are huge, while their product with n^(-1/2) is small
    size = A.log(2 + A.ratio(13, 8) * q.margin) + (q.order + 2) * A.log(A.ratio(2)) + 2 * A.log(q.log_n)
    expansion = (q.order - 1) * A.log(4 * q.log_n**7 + 2)
    return 20 / A.sqrt(q.order - 1) + A.exp(size + expansion - q.log_n / 2)


def _distance(q: Quantities, A: Arithmetic) -> Number:
    """Largest L1 distance of a marginal of order d, as a share of records."""
    doubled = q.order * A.log(A.ratio(2))
    spread = A.sqrt(2 * (q.log_n**2 + q.order * A.log(2 * q.log_n**7 + 2)))
    return 2 * (A.exp(doubled - q.log_n) + A.exp((doubled - q.log_n) / 2) + spread * A.exp(-q.log_n / 2))


SHARP = (
    MARGIN,
    DEGREE,
    Derived("marginal_error", "largest distance of a marginal, by McDiarmid's inequality", _distance),
)


def _bernstein(q: Quantities, A: Arithmetic) -> Number:
    weight = A.exp((q.D / 2 + 1) * A.log(A.ratio(2)))
    bias = 2 / A.sqrt(q.D) + q.margin / (4 * q.D)
    return bias + weight * (1 + A.ratio(3, 4) * q.margin) * q.marginal_error


def _best_polynomial(q: Quantities, A: Arithmetic) -> Number:
    steepness = 1 + q.margin / 4
    error = A.pi() / (2 * (q.D + 1))
    growth = A.exp(q.D * A.log(1 + A.sqrt(A.ratio(2)))) / 2
    return steepness * (4 * error + 2 * q.marginal_error * (1 + (1 + error) * growth))


THEOREM = Theorem(
    id="zhou2024.upper-half",
    title="Excess risk of the data set nearest to noisy marginals",
    guarantee="For all distributions of the records and all marginals of order d within 1/n of them, the data set of n "
    "records nearest to the marginals has at most this excess risk, except with a probability that falls faster than "
    "every power of n.",
    citation=Citation("zhou2024", "Theorem 4.1 and Appendix B"),
    inputs=("log_n", "order"),
    direction="value",
    editions=(
        Edition(
            "printed",
            (
                Route(
                    "as printed",
                    "four steps of Claim B.2 at degree d - 1, and ln n/n^(1/4)",
                    (Term("value", "excess risk", _printed),),
                    hypotheses=(AT_LEAST_2,),
                ),
            ),
            changes=(
                "The theorem hides its constants: the first term is that of its proof, 4 * 5/sqrt(d - 1), and the "
                "second is taken with the constant 1. n must be sufficiently large and d = c' ln n/(3 ln ln n).",
                "The second term does not follow: (ln^5 n)^d = n^(5c'/3), which is n^(1/3) for c' = 1/5, not n^(1/4); "
                "with the repaired m it is n^(7c'/3); and K tau sqrt m + phi(0) is near 2, not gamma.",
                "Every model is within 2 + 3 gamma/2 of every other. For the paper's d the first term exceeds that "
                "while d <= 100.",
            ),
        ),
        Edition(
            "corrected",
            (
                Route(
                    "paper's route",
                    "m = 2 ln^7 n and the true size of the loss",
                    (Term("value", "excess risk", _corrected),),
                    hypotheses=(SMALL_MARGIN, AT_LEAST_2, FEW_ORDERS),
                    derived=(MARGIN,),
                ),
            ),
            changes=(
                "Every whole number d up to ln n is allowed; m = 2 ln^7 n, rounded up.",
                "K tau sqrt m + phi(0) is 2 + 13 gamma/8, and 1 + 2/(b - a) is 2 on [-1, 1].",
                "For the paper's d the second term is n^(-1/2 + 7c'/3 + o(1)). It still vanishes, as 7/15 < 1/2.",
            ),
            proof="zhou2024.upper-half",
        ),
        Edition(
            "sharp",
            (
                Route(
                    "Bernstein",
                    "one-sided error, coefficients up to 2^(D/2), marginals near their mean in L1",
                    (Term("value", "excess risk", _bernstein),),
                    hypotheses=(SMALL_MARGIN, AT_LEAST_2, FEW_ORDERS),
                    derived=SHARP,
                ),
                Route(
                    "best polynomial",
                    "Favard's polynomial, plus a linear function",
                    (Term("value", "excess risk", _best_polynomial),),
                    hypotheses=(SMALL_MARGIN, AT_LEAST_2, FEW_ORDERS),
                    derived=SHARP,
                ),
                Route(
                    "no data",
                    "the loss lies between 0 and this number",
                    (Term("value", "excess risk", lambda q, A: 2 + A.ratio(3, 2) * q.margin),),
                    hypotheses=(SMALL_MARGIN,),
                    derived=(MARGIN,),
                ),
            ),
            changes=(
                "2/sqrt D + gamma/(4D) with D = 2 floor(d/2), in place of 20/sqrt(d - 1): the Bernstein polynomial of "
                "a convex function lies above it, and linear functions cost nothing.",
                "The factor m^(d-1) is gone: for the paper's d the second term is n^(-1/2 + o(1)), whatever c' is.",
                "Favard's polynomial makes the first term 2 pi (1 + gamma/4)/(D + 1): the excess is O(ln ln n/ln n), "
                "not the square root of that.",
            ),
            proof="zhou2024.upper-half",
        ),
    ),
    see_also=("zhou2024.lower", "zhou2024.phi-gamma", "zhou2024.lipschitz"),
)
