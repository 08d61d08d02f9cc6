"""The conditions on ln n in Appendix B of zhou2024, so that marginals of bounded order cannot teach a linear separator.

x is ln n, y is gamma^(-1/3), c the constant of Theorem B.3. A margin is positive exactly where its condition holds.
Proofs: docs/proofs/zhou2024.lower.md.
"""

from __future__ import annotations

from collections.abc import Callable

from bounds.arithmetic import Arithmetic, Number
from bounds.arithmetic.ball import BALL
from bounds.enclosure import BallNumber, Truth, Undecided, as_fmpq, at_most, with_growing_precision
from bounds.model import Derived, Formula, Hypothesis
from bounds.quantities import Quantities


def share(c: Number, A: Arithmetic) -> Number:
    """c' of Definition B.1."""
    return A.min(A.ratio(1, 5), c / 8)


def order_margin(y: Number, c_share: Number, least: Number, A: Arithmetic) -> Number:
    """d = c' gamma^(-1/3)/(-ln gamma) of Definition B.1 is at least that number; for gamma < 1."""
    return c_share * y - least * 3 * A.log(y)


def deviation_margin(x: Number, A: Arithmetic) -> Number:
    """n/ln^2 n >= 800/gamma^2 for gamma = 1/ln^3 n."""
    return x - 8 * A.log(x) - A.log(A.ratio(800))


def log_queries(y: Number, A: Arithmetic) -> Number:
    """Logarithm of 5 y^7, whose power d is more than the cells of all marginals of order d of ceil(2 y^7) features."""
    return 7 * A.log(y) + A.log(A.ratio(5))


def query_margin(x: Number, y: Number, orders: Number, A: Arithmetic) -> Number:
    """All marginals up to that order have fewer than n cells."""
    return x - orders * log_queries(y, A)


def wide_root(x: Number, c: Number, A: Arithmetic) -> Number:
    """y for the sharp edition: n <= exp(c y), and not below 9, near which y^-3 times the share below is largest."""
    return A.max(x / c, A.ratio(9))


def sampling_error(x: Number, A: Arithmetic) -> Number:
    """How far a share of n records falls short of its mean with probability at most n^(-ln n): ln n/sqrt(2n)."""
    return x * A.exp(-x / 2) / A.sqrt(A.ratio(2))


def separator_share(x: Number, y: Number, A: Arithmetic) -> Number:
    """The excess risk that the error 1/2 - eta forces, as a share of gamma; eta = gamma^(1/6)."""
    error = A.ratio(1, 2) - A.sqrt(1 / y) - sampling_error(x, A)
    return (9 * error - (1 - y ** (-3)) ** 2) / 8


def is_nonnegative(margin: Callable[[], BallNumber]) -> bool:
    """Is a margin at least 0? At rational ln n and c it is not 0, by the transcendence of logarithms and powers of e,
    except where it is computed exactly.
    """

    def sign() -> bool:
        answer = at_most(0, margin())
        if answer is Truth.UNKNOWN:
            raise Undecided
        return answer is Truth.TRUE

    return with_growing_precision(sign)[0]


def asks(text: str, margin: Formula, why: str = "") -> Hypothesis:
    """The hypothesis that a margin in ln n and c is positive, decided in balls."""

    def holds(q: Quantities) -> bool:
        given = {name: getattr(q, name) for name in ("log_n", "query_constant")}
        exact = {name: as_fmpq(v) for name, v in given.items()}
        return is_nonnegative(lambda: margin(Quantities(BALL, exact), BALL))

    return Hypothesis(text, holds, why=why)


IS_MARGIN = Hypothesis(
    "margin is positive and at most 1", lambda q: bool(q.margin > 0) and bool(q.margin <= 1), why="it is a cosine"
)
SMALL_MARGIN = Hypothesis("log_n is greater than 4", lambda q: bool(q.log_n > 4), why="gamma < 2^-6 in Theorem B.3")
HAS_MARGINALS = asks(
    "d = c' ln n/(3 ln ln n) is at least 1",
    lambda q, A: order_margin(q.log_n, share(q.query_constant, A), A.ratio(1), A),
    why="otherwise there is no marginal at all",
)
MARGIN = Derived("margin", "gamma = 1/ln^3 n, the margin of the separators", lambda q, A: 1 / q.log_n**3)
