"""Theorem 4.1, lower half: what no synthetic data built from noisy marginals can avoid.

Guarantee: for every such algorithm there are data on which the expected excess risk is at least the value.
"""

from bounds.arithmetic import Arithmetic, Number
from bounds.model import Citation, Derived, Edition, Hypothesis, Route, Term, Theorem
from bounds.pieces.statistical_queries import (
    HAS_MARGINALS,
    MARGIN,
    SMALL_MARGIN,
    asks,
    deviation_margin,
    query_margin,
    separator_share,
    wide_root,
)
from bounds.quantities import Quantities

QUOTED = Hypothesis("Theorem 5 of dagan2020 holds with this query_constant")
TOLERANCE = Hypothesis(
    "query_constant is at least 1",
    lambda q: bool(q.query_constant >= 1),
    why="the tolerance 1/n must be at least exp(-c ln n)",
)
QUARTER = Hypothesis("log_n is at least 16", lambda q: bool(q.log_n >= 16), why="eta = (ln n)^(-1/2) is at most 1/4")
DEVIATIONS = asks(
    "n/ln^2 n is at least 800 ln^6 n",
    lambda q, A: deviation_margin(q.log_n, A),
    why="the risk on n records must be near its mean",
)


def _deviations(q: Quantities, A: Arithmetic) -> Number:
    return q.margin * (A.ratio(27, 80) - A.ratio(9, 8) * A.sqrt(1 / q.log_n))


SEPARATOR = (
    Hypothesis("query_constant is positive", lambda q: bool(q.query_constant > 0)),
    asks(
        "the one-way marginals are fewer than n queries",
        lambda q, A: query_margin(q.log_n, wide_root(q.log_n, q.query_constant, A), A.ratio(1), A),
        why="otherwise Theorem B.3 excludes nothing",
    ),
    asks(
        "the value is positive",
        lambda q, A: separator_share(q.log_n, wide_root(q.log_n, q.query_constant, A), A),
    ),
    QUOTED,
)

THEOREM = Theorem(
    id="zhou2024.lower",
    title="Excess risk that no synthetic data from noisy marginals can avoid",
    guarantee="For every randomised algorithm that builds synthetic data from marginals of order d within 1/n there "
    "are such marginals, and a distribution of the records, for which the expected excess risk is at least the value, "
    "except with a probability that falls faster than every power of n.",
    citation=Citation("zhou2024", "Theorem 4.1 and Appendix B"),
    inputs=("log_n", "query_constant"),
    direction="value",
    editions=(
        Edition(
            "printed",
            (
                Route(
                    "as printed",
                    "gamma/16, equation (8)",
                    (Term("value", "excess risk", lambda q, A: q.margin / 16),),
                    hypotheses=(Hypothesis("n is sufficiently large"),),
                    derived=(MARGIN,),
                ),
            ),
            changes=(
                "The theorem says Omega(1/ln^3 n); the constant is that of equation (8), with gamma = 1/ln^3 n.",
                "Equation (8) does not follow from (4) and (7): 1/8 - 2/20 is 1/40, not 1/16. The value itself is "
                "right where the corrected edition is: the sharp one gives more.",
                "Definition B.1 contradicts Theorem B.3 for every m > 2: gamma = (m/2)^(-5/(10-2r)) makes "
                "2 gamma^(-2-2r/5) = 2 (m/2)^(7/5), which exceeds m.",
                "The loss is neither 2-Lipschitz nor 1/ln^3 n-strongly convex nor at most 1; see zhou2024.phi-gamma.",
                "The minimisers are written without the constraint |w| <= 1/sqrt m, outside which phi is not defined.",
            ),
        ),
        Edition(
            "corrected",
            (
                Route(
                    "gamma/8 less two deviations",
                    "Claim B.5 and two deviations of gamma/20",
                    (Term("value", "excess risk", lambda q, A: q.margin / 40),),
                    hypotheses=(QUARTER, TOLERANCE, DEVIATIONS, HAS_MARGINALS, QUOTED),
                    derived=(MARGIN,),
                ),
            ),
            changes=(
                "m = 2 ln^7 n, from the exponent 10 + 2r in place of 10 - 2r; the theorem has O(ln^6 n).",
                "gamma/8 - 2 gamma/20 = gamma/40.",
                "All conditions are checked: eta <= 1/4, tolerance, deviations with the true range of the loss, and d "
                ">= 1. The tolerance 1/n asks for c >= 1; the paper does not say that c is at least 1.",
                "Theorem B.3 is Theorem 5 of dagan2020. It is quoted, not proved here, and its c is not known.",
            ),
            proof="zhou2024.lower",
        ),
        Edition(
            "sharp",
            (
                Route(
                    "error near 1/2",
                    "the error 1/2 - eta in place of 1/4, and two deviations of gamma/20",
                    (Term("value", "excess risk", _deviations),),
                    hypotheses=(SMALL_MARGIN, TOLERANCE, DEVIATIONS, HAS_MARGINALS, QUOTED),
                    derived=(MARGIN,),
                ),
                Route(
                    "separator",
                    "the separator in place of the best model; gamma as large as helps and the tolerance allows",
                    (Term("value", "excess risk", lambda q, A: q.margin * separator_share(q.log_n, q.root, A)),),
                    hypotheses=SEPARATOR,
                    derived=(
                        Derived(
                            "root",
                            "gamma^(-1/3), the larger of ln n/c and 9",
                            lambda q, A: wide_root(q.log_n, q.query_constant, A),
                        ),
                        Derived("margin", "gamma, the margin of the separators", lambda q, A: q.root ** (-3)),
                    ),
                ),
            ),
            changes=(
                "The error is above 1/2 - eta, not only above 1/4: gamma (27/80 - 9 eta/8).",
                "The risk of the separator is at most gamma (1 - gamma)^2/8 on all data, and only the share of errors, "
                "which lies in [0, 1], is sampled: gamma (9 (1/2 - eta - ln n/sqrt(2n)) - (1 - gamma)^2)/8, with "
                "probability 1 - n^(-ln n) and without n/ln^2 n >= 800/gamma^2.",
                "gamma^(-1/3) = max(ln n/c, 9) in place of ln n: then n <= exp(c gamma^(-1/3)), and the tolerance 1/n "
                "is met for every c > 0, not only for c >= 1.",
                "Every order d with (5 gamma^(-7/3))^d <= n is allowed, not only d = c' ln n/(3 ln ln n): for c = 1 "
                "and large n that is 24/7 times as much.",
                "Theorem 5 of dagan2020 is quoted, not proved here, and its c is not known.",
            ),
            proof="zhou2024.lower",
        ),
    ),
    see_also=("zhou2024.upper-half", "zhou2024.phi-gamma", "zhou2024.error-to-risk", "synthbounds.risk-floor"),
)
